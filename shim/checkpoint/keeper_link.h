// SPDX-License-Identifier: GPL-2.0-or-later
// What dfrsd says to a keeper, over a socket in <run folder>/programs/<job>.<run>.<slot>.sock: packets with one JSON
// object. A keeper answers each with its status. If dfrsd ends in an attempt whose image is not complete, the keeper
// lets its program go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::shim {

enum class KeeperDo { status, check, stop, dump, resume };

struct KeeperOrder {
  KeeperDo what = KeeperDo::status;
  std::uint64_t attempt = 0;
  std::uint32_t restarts = 0;
  std::uint32_t programs = 0;  ///< dump: of the job in this attempt; 0: not known
  bool suspended = false;      ///< Slurm has stopped the processes: they stay so, but an image is of running ones
};

enum class KeeperState { running, pre_dumping, stopped, dumping, dumped, failed };

/// Whether an attempt is under way that has no complete image yet.
constexpr bool in_attempt(KeeperState state) {
  return state == KeeperState::pre_dumping || state == KeeperState::stopped || state == KeeperState::dumping;
}

struct KeeperStatus {
  KeeperState state = KeeperState::running;
  std::uint64_t attempt = 0;  ///< of the last order to stop, dump or resume
  /// Failed: why. After a check: whether it can be dumped.
  tl::expected<void, std::string> outcome = {};
  std::uint64_t bytes = 0;  ///< of the image; after a check: an estimate
  double seconds = 0;       ///< that the dump took

  struct Restored {
    std::uint64_t attempt = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
    double age = 0;  ///< seconds since
  };
  std::optional<Restored> restored;  ///< the program came from an image
};

inline constexpr const char* kProgramsFolder = "programs";
/// A file of this name there, with the job's number before it, says that the job's run is to begin from images.
inline constexpr const char* kRestoring = ".restoring";
inline constexpr std::size_t kMostPacket = 8192;

std::string format_order(const KeeperOrder& order);
std::optional<KeeperOrder> parse_order(std::string_view json);
std::string format_status(const KeeperStatus& status);
std::optional<KeeperStatus> parse_status(std::string_view json);

}  // namespace dfrs::shim
