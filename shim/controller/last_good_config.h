// SPDX-License-Identifier: GPL-2.0-or-later
// The dfrs.conf that was accepted last, kept as dfrs_last_good.conf in StateSaveLocation. A slurmctld that goes on
// after a reconfiguration or a takeover works with it if dfrs.conf is wrong by then.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/conf/config.h"

namespace dfrs::shim {

inline constexpr const char* kLastGoodConfigName = "dfrs_last_good.conf";

class LastGoodConfig {
 public:
  struct Kept {
    Config config;
    std::time_t accepted = 0;  ///< when
  };

  explicit LastGoodConfig(std::string folder) : folder_(std::move(folder)) {}

  /// Blocks for the disk. Error: path and reason; the former text is still kept then.
  tl::expected<void, std::string> keep(std::string_view text) const;
  /// Error: one line that names the file.
  tl::expected<Kept, std::string> load() const;
  std::string path() const { return folder_ + "/" + kLastGoodConfigName; }

 private:
  std::string folder_;
};

/// As Slurm's commands show times: 2026-02-28T13:05:59.
std::string time_text(std::time_t time);

}  // namespace dfrs::shim
