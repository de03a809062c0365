// SPDX-License-Identifier: GPL-2.0-or-later
// Checks every decision against capacities and job flags. The audit keeps a ledger of its own, fed by views and
// decisions alone, so that a policy's bookkeeping error cannot hide itself.
//
// Cost: O(jobs and tasks that decisions and events name); a resync is O(nodes + jobs + tasks).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/decision.h"
#include "policy/core/node_lists.h"
#include "policy/core/view.h"

namespace dfrs {

/// Allocated CPU may exceed a capacity by this fraction of it, because sums that are updated by differences drift.
inline constexpr double kAuditCpuTolerance = 1e-6;

class Audit {
 public:
  void resync(const ClusterView& view);
  /// Enters that a job has left. Error: a message, if the slot does not hold this job.
  tl::expected<void, std::string> completed(const ClusterView& view, JobSlot job);
  void submitted(const ClusterView& view, JobSlot job);
  /// Sets the CPU need of a job in the system; returns the previous one.
  double change_need(JobSlot job, double need);

  /// Checks decisions and enters them. Error: a message, if one breaks a rule; the ledger is then invalid until a
  /// resync.
  tl::expected<void, std::string> check(const ClusterView& view, const Decisions& decisions);

 private:
  struct Job {
    JobState state = JobState::absent;
    double cpu_need = 0;
    RigidVector rigid{};
    bool exclusive = false;
    double yield = 0;
    std::uint64_t placed_in = 0;  // number of the check that put it on its nodes
    std::vector<NodeIndex> nodes;
  };
  struct Node {
    RigidVector free{};
    double cpu_used = 0;  // allocated: sum of yield x need
    std::uint32_t tasks = 0;
    std::uint32_t exclusive = 0;  // tasks of exclusive jobs
    std::uint64_t gained_in = 0;  // number of the last check in which it received tasks or CPU
  };

  void load(const ClusterView& view, JobSlot job);
  void release(Job& job);
  void occupy(Job& job, std::span<const NodeIndex> nodes);
  tl::expected<void, std::string> check_one(const ClusterView& view, const Decisions& decisions,
                                            const Decision& decision) const;
  tl::expected<void, std::string> enter_placements(const ClusterView& view, const Decisions& decisions);
  tl::expected<void, std::string> enter_yields(const ClusterView& view, const Decisions& decisions);
  tl::expected<void, std::string> check_nodes(const ClusterView& view) const;
  void set_yield(Job& job, double yield);
  void gain(std::span<const NodeIndex> nodes);
  // Appends the node to the first `count` entries and returns the new number of entries. Branch-free: a node that is in
  // the list already is overwritten by the next one.
  std::size_t gain(NodeIndex n, std::size_t count) {
    gained_[count] = n;
    count += nodes_[n].gained_in != checks_ ? 1 : 0;
    nodes_[n].gained_in = checks_;
    return count;
  }
  std::span<const NodeIndex> gained() const { return {gained_.data(), gained_count_}; }

  std::size_t dims_ = 1;
  std::vector<Job> jobs_;
  NodeLists spare_;  // of jobs that have left
  std::vector<Node> nodes_;
  // Nodes that received tasks or CPU in this check, each once: the first gained_count_ entries. Has room for one more
  // than all nodes.
  std::vector<NodeIndex> gained_;
  std::size_t gained_count_ = 0;
  std::uint64_t checks_ = 0;
  std::vector<NodeIndex> grown_;  // nodes of jobs whose needs have grown since the last check
};

}  // namespace dfrs
