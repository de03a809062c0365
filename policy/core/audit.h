// SPDX-License-Identifier: GPL-2.0-or-later
// The engine's check of every decision against capacities and job flags. It keeps its own ledger, made of views and
// decisions alone, so that a policy's mistake in its bookkeeping cannot hide itself.
//
// Cost: proportional to the jobs and tasks that decisions and events name; a resync is O(nodes + tasks).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/core/decision.h"
#include "policy/core/node_lists.h"
#include "policy/core/view.h"

namespace dfrs {

/// Allocated CPU may exceed a capacity by this fraction of it: sums kept up to date by differences drift.
inline constexpr double kAuditCpuTolerance = 1e-6;

class Audit {
 public:
  void resync(const ClusterView& view);
  /// A job left. A message if the job is not the one that was there.
  std::optional<std::string> completed(const ClusterView& view, JobSlot job);
  void submitted(const ClusterView& view, JobSlot job);
  /// Sets the CPU need of a job that is there; returns the one before.
  double change_need(JobSlot job, double need);

  /// Checks decisions and enters them. A message if one breaks a rule; the ledger is then void until a resync.
  std::optional<std::string> check(const ClusterView& view, const Decisions& decisions);

 private:
  struct Job {
    JobState state = JobState::absent;
    double cpu_need = 0;
    RigidVector rigid{};
    bool exclusive = false;
    double yield = 0;
    std::uint64_t placed_in = 0;  // the number of the check that put it on its nodes
    std::vector<NodeIndex> nodes;
  };
  struct Node {
    RigidVector free{};
    double cpu_used = 0;  // allocated: sum of yield x need
    std::uint32_t tasks = 0;
    std::uint32_t exclusive = 0;  // tasks of jobs that want the node alone
    std::uint64_t gained_in = 0;  // the number of the last check in which it received tasks or CPU
  };

  void load(const ClusterView& view, JobSlot job);
  void release(Job& job);
  void occupy(Job& job, std::span<const NodeIndex> nodes);
  std::optional<std::string> check_one(const ClusterView& view, const Decisions& decisions,
                                       const Decision& decision) const;
  std::optional<std::string> check_nodes(const ClusterView& view) const;
  void set_yield(Job& job, double yield);
  void gain(std::span<const NodeIndex> nodes);
  // Lists the node after the first `count`, and returns how many are listed then. Without a branch: one that is listed
  // already is overwritten by the next.
  std::size_t gain(NodeIndex n, std::size_t count) {
    gained_[count] = n;
    count += nodes_[n].gained_in != checks_ ? 1 : 0;
    nodes_[n].gained_in = checks_;
    return count;
  }
  std::span<const NodeIndex> gained() const { return {gained_.data(), gained_count_}; }

  std::size_t dims_ = 1;
  std::vector<Job> jobs_;
  NodeLists spare_;  // of jobs that are gone
  std::vector<Node> nodes_;
  // Nodes that received tasks or CPU in this check, each once: the first gained_count_. There is room for one more than
  // there are nodes.
  std::vector<NodeIndex> gained_;
  std::size_t gained_count_ = 0;
  std::uint64_t checks_ = 0;
  std::vector<NodeIndex> grown_;  // nodes with jobs whose needs have grown since the last check
};

}  // namespace dfrs
