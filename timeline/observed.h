// SPDX-License-Identifier: GPL-2.0-or-later
// The schedule of a running cluster, put together from samples of it: what happened between two samples and left no
// trace is not in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "timeline/schedule.h"

namespace dfrs::timeline {

/// ScheduleJob::user of a user id: pages take 0 for a user that is not known, so root has another number.
inline constexpr std::uint32_t kRootUser = 1U << 31;
inline std::uint32_t user_number(std::uint32_t user_id) { return user_id == 0 ? kRootUser : user_id; }

/// A job as one sample shows it.
struct SeenJob {
  JobId id = 0;
  std::uint32_t user_id = 0;
  Seconds submit = 0;
  std::uint32_t tasks = 1;
  double cpus = 1;           ///< that a task needs
  double memory = 0;         ///< of one task, MiB
  std::uint64_t pauses = 0;  ///< so far
  std::uint64_t moves = 0;
  std::span<const NodeIndex> nodes =
      {};  ///< of the tasks, ascending, by ObservedSchedule::node(); empty: it is on none
  double yield = 0;
};

class ObservedSchedule {
 public:
  /// Keeps about `most` jobs, stays on nodes, nodes of stays and yields in all, or twice what the jobs hold that are in
  /// the cluster now, if that is more. When there are more, the oldest go and the schedule begins later.
  explicit ObservedSchedule(std::size_t most) : most_(most) {}

  /// A sample: begin_sample, node for each node, see for each job in the cluster, end_sample. A job that is not seen
  /// has ended. O(jobs + nodes of running jobs), and now and then O(most).
  void begin_sample(Seconds now);
  /// The node's number in this schedule. `cpus` >= 1; `memory` in MiB.
  NodeIndex node(std::string_view name, double cpus, double memory);
  void see(const SeenJob& job);
  void end_sample();

  /// Before the first sample: goes on from what another has observed (its schedule() and reference_cpus()).
  void go_on_from(const Schedule& past, double reference_cpus);

  /// What was seen so far. Jobs are in the order of their submission; what runs has open stays. Nodes and needs are in
  /// parts of the largest node. O(n log n).
  Schedule schedule() const;
  /// CPUs of the largest node.
  double reference_cpus() const { return reference_cpus_; }
  /// Whether node() gave this number for the same arguments, and need not be called again.
  bool has(NodeIndex node, std::string_view name, double cpus, double memory) const {
    return node < node_names_.size() && node_names_[node] == name && node_cpus_[node] == cpus &&
           node_memory_[node] == memory;
  }

 private:
  struct OneStay {
    Seconds from = 0;
    Seconds to = 0;
    StayBegin begin = StayBegin::start;
    StayEnd end = StayEnd::open;
    std::vector<NodeIndex> nodes;
    std::vector<YieldStep> steps;
  };
  struct Job {
    ScheduleJob facts;  // the need in CPUs
    std::vector<OneStay> stays;
    std::uint64_t pauses = 0;
    std::uint64_t moves = 0;
    std::uint64_t seen = 0;   // the last sample that showed it
    bool placed = false;      // its last stay is open
    bool new_here = true;     // no sample has shown it yet
    bool was_before = false;  // it was placed before what is kept
  };

  StayBegin begin_of(const Job& job, bool first_seen, std::uint64_t pauses) const;
  void place(Job& job, const SeenJob& seen);
  void close(Job& job, StayEnd end);
  void finish(Job&& job);
  void forget();
  void forget_before(Seconds instant);
  void forget_before(Seconds instant, Job& job);
  static std::size_t size_of(const OneStay& stay) { return 1 + stay.nodes.size() + stay.steps.size(); }

  std::size_t most_;
  std::size_t forget_at_ = 0;  // more than most_ where that cannot be reached
  std::size_t held_ = 0;       // jobs, stays, their nodes and their yields
  std::uint64_t samples_ = 0;
  bool begun_ = false;
  Seconds begin_ = 0;
  Seconds now_ = 0;
  double reference_cpus_ = 1;
  std::vector<double> node_cpus_;
  std::vector<double> node_memory_;
  std::vector<std::string> node_names_;
  std::unordered_map<std::string, NodeIndex> node_numbers_;
  std::unordered_map<JobId, Job> jobs_;  // that have not ended
  std::vector<Job> ended_;               // by end
};

}  // namespace dfrs::timeline
