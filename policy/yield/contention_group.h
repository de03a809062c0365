// SPDX-License-Identifier: GPL-2.0-or-later
// A group of jobs that contend for CPU because they share overloaded nodes, directly or through others. The yield of
// one depends on the group alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/compare.h"
#include "policy/core/node_runs.h"

namespace dfrs {

/// Whether the CPU needs on the node exceed its capacity by more than rounding.
inline bool overloaded(const ClusterState& state, NodeIndex n) {
  return cpu_exceeds(state.cpu_load(n), state.cpu_capacity(n));
}

class ContentionGroup {
 public:
  /// Starts an empty group. O(1) once warm.
  void begin(std::size_t slots, std::size_t nodes) {
    ++number_;
    job_mark_.resize(slots, 0);
    node_mark_.resize(nodes, 0);
    jobs_.clear();
    nodes_.clear();
    expanded_ = 0;
  }
  bool contains(JobSlot job) const { return job_mark_[job] == number_; }
  /// Adds a job. O(1).
  void add(JobSlot job) {
    if (job_mark_[job] == number_) return;
    job_mark_[job] = number_;
    jobs_.push_back(job);
  }
  /// Adds the jobs that are tied to the group: in each round, those that share an overloaded node with one added
  /// before, as long as the group has at most `most` jobs. A round that would exceed this adds none. True if all tied
  /// jobs are in the group. `jobs_on(n)` gives the jobs on a node. O(tasks of the jobs found + jobs on their nodes).
  template <typename JobsOn>
  bool grow(const ClusterState& state, const JobsOn& jobs_on, std::size_t most = ~std::size_t{0}) {
    while (expanded_ < jobs_.size()) {
      const std::size_t jobs = jobs_.size();
      const std::size_t nodes = nodes_.size();
      const std::size_t expanded = expanded_;
      for (; expanded_ < jobs && (jobs_.size() <= most || jobs_.size() == jobs); ++expanded_)
        add_nodes_of_next(state, jobs_on);
      if (jobs_.size() == jobs || jobs_.size() <= most) continue;
      // Too many: undo the round, but keep all nodes of the jobs in the group.
      for (std::size_t k = jobs; k < jobs_.size(); ++k) job_mark_[jobs_[k]] = 0;
      for (std::size_t k = nodes; k < nodes_.size(); ++k) node_mark_[nodes_[k]] = 0;
      jobs_.resize(jobs);
      nodes_.resize(nodes);
      for (expanded_ = expanded; expanded_ < jobs; ++expanded_) {
        add_nodes_of_next(state, [](NodeIndex) { return std::span<const JobSlot>(); });
      }
      return false;
    }
    return true;
  }
  /// Adds the jobs that share an overloaded node with `job`.
  template <typename JobsOn>
  void add_neighbours(const ClusterState& state, JobSlot job, const JobsOn& jobs_on) {
    each_node(state.nodes_of(job), [&](NodeIndex n) {
      if (!overloaded(state, n)) return;
      for (JobSlot other : jobs_on(n)) add(other);
    });
  }
  /// Sorts the group; call it after the last grow(). O(n log n) in its jobs and nodes, at most O(all jobs + nodes).
  void sort(const ClusterState& state) {
    // A large group is picked from a list that is in order already.
    if (nodes_.size() * std::bit_width(nodes_.size()) > node_mark_.size()) {
      nodes_.clear();
      for (NodeIndex n = 0; n < node_mark_.size(); ++n) {
        if (node_mark_[n] == number_) nodes_.push_back(n);
      }
    } else {
      std::sort(nodes_.begin(), nodes_.end());
    }
    if (jobs_.size() * std::bit_width(jobs_.size()) > state.active().size()) {
      jobs_.clear();
      for (JobSlot job : state.active()) {
        if (job_mark_[job] == number_) jobs_.push_back(job);
      }
    } else {
      std::sort(jobs_.begin(), jobs_.end(), [&](JobSlot a, JobSlot b) { return state.order(a) < state.order(b); });
    }
  }

  std::span<const JobSlot> jobs() const { return jobs_; }      ///< in submission order after sort()
  std::span<const NodeIndex> nodes() const { return nodes_; }  ///< their overloaded nodes, ascending after sort()

 private:
  // Adds the overloaded nodes of the next job to expand, and the jobs there.
  template <typename JobsOn>
  void add_nodes_of_next(const ClusterState& state, const JobsOn& jobs_on) {
    each_node(state.nodes_of(jobs_[expanded_]), [&](NodeIndex n) {
      if (node_mark_[n] == number_ || !overloaded(state, n)) return;
      node_mark_[n] = number_;
      nodes_.push_back(n);
      for (JobSlot job : jobs_on(n)) add(job);
    });
  }

  // A mark is the number of the group that has set it.
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> job_mark_;   // by slot
  std::vector<std::uint64_t> node_mark_;  // by node
  std::vector<JobSlot> jobs_;
  std::vector<NodeIndex> nodes_;
  std::size_t expanded_ = 0;  // jobs_ before this index are expanded
};

}  // namespace dfrs
