// SPDX-License-Identifier: GPL-2.0-or-later
// For the fuzzer of the controller: a small cluster whose nodes and jobs the input changes as it likes, and its
// snapshots.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "shim/controller.h"

namespace dfrs::shim {

/// The input of a fuzzer as a sequence of small choices. Every choice is the first one after its end.
class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool left() const { return next_ < bytes_.size(); }
  std::uint8_t byte() { return left() ? bytes_[next_++] : 0; }
  std::uint32_t below(std::uint32_t end) { return byte() % end; }
  bool one_in(std::uint32_t count) { return below(count) == count - 1; }
  template <typename T, std::size_t N>
  const T& pick(const std::array<T, N>& values) {
    return values[below(N)];
  }
  /// A number of type T at which arithmetic goes wrong.
  template <typename T>
  T extreme() {
    constexpr T kMost = std::numeric_limits<T>::max();
    constexpr std::array<T, 8> kValues = {
        kMost, 0, 1, static_cast<T>(kMost / 2), kMost, static_cast<T>(kMost / 2 + 1), 65535, static_cast<T>(-1)};
    return pick(kValues);
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

struct FuzzNode {
  dfrs_node seen{};  ///< without its texts
  std::string name;
  bool no_texts = false;
};

struct FuzzJob {
  dfrs_job seen{};  ///< without its texts and lists
  std::string name = "job", partition = "dfrs", comment;
  bool no_texts = false;
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint16_t> node_tasks;
  std::vector<std::uint64_t> eligible;  ///< empty: all nodes
};

/// Nodes and jobs as Slurm could have them, until the input asks for something else.
class FuzzCluster {
 public:
  std::vector<FuzzNode> nodes;
  std::map<std::uint32_t, FuzzJob> jobs;
  double now = 1.7e9;
  std::uint64_t generation = 1;
  bool wild = false;  ///< also what Slurm never shows may happen
  bool sane = true;   ///< Slurm could show all snapshots so far

  void add_node(Choices& choices);
  void change_node(Choices& choices);
  void change_nodes(Choices& choices);
  void submit(Choices& choices);
  void change_job(Choices& choices);
  void move_job(Choices& choices);
  void pass_time(Choices& choices);

  /// Carries out an operation as Slurm does. The number of the job that it has started.
  std::uint32_t apply(const dfrs_operation& operation);
  /// Valid until the next call, and while nothing changes.
  const dfrs_snapshot& snapshot(Choices& choices);

 private:
  std::int64_t second() const;
  FuzzJob* any_job(Choices& choices);
  void spoil_job(FuzzJob& job, Choices& choices);
  void place(FuzzJob& job, Choices& choices);
  std::uint32_t start(FuzzJob& job, const dfrs_operation& operation);

  std::uint32_t next_id_ = 1;
  dfrs_snapshot shown_{};
  std::vector<dfrs_node> shown_nodes_;
  std::vector<dfrs_job> shown_jobs_;
};

}  // namespace dfrs::shim
