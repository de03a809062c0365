// SPDX-License-Identifier: GPL-2.0-or-later
// A group of jobs that contend for CPU: they share overloaded nodes, directly or through others. What one of them gets
// depends on all of them and on no other job.
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

inline bool overloaded(const ClusterState& state, NodeIndex n) {
  return cpu_exceeds(state.cpu_load(n), state.cpu_capacity(n));
}

class ContentionGroup {
 public:
  /// Empties it. O(1) once warm.
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
  /// Adds all jobs that are tied to those in it: step by step those that share an overloaded node with one
  /// added before, up to the last step after which there are no more than `most`. True if these are all.
  /// `jobs_on(n)`: the jobs on a node. O(tasks and residents of what is found).
  template <typename JobsOn>
  bool grow(const ClusterState& state, const JobsOn& jobs_on, std::size_t most = ~std::size_t{0}) {
    while (expanded_ < jobs_.size()) {
      const std::size_t jobs = jobs_.size();
      const std::size_t nodes = nodes_.size();
      const std::size_t expanded = expanded_;
      for (; expanded_ < jobs && (jobs_.size() <= most || jobs_.size() == jobs); ++expanded_)
        add_nodes_of_next(state, jobs_on);
      if (jobs_.size() == jobs || jobs_.size() <= most) continue;
      // Too many: back to where it was, with all nodes of the jobs in it.
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
  /// Adds the jobs that share an overloaded node with this one.
  template <typename JobsOn>
  void add_neighbours(const ClusterState& state, JobSlot job, const JobsOn& jobs_on) {
    each_node(state.nodes_of(job), [&](NodeIndex n) {
      if (!overloaded(state, n)) return;
      for (JobSlot other : jobs_on(n)) add(other);
    });
  }
  /// After the last grow(). O(n log n) in what was found, at most O(all jobs + nodes).
  void sort(const ClusterState& state) {
    // A large part is picked out of a list that has the order already.
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

  std::span<const JobSlot> jobs() const { return jobs_; }      ///< after sort(): in submission order
  std::span<const NodeIndex> nodes() const { return nodes_; }  ///< their overloaded ones; after sort(): ascending

 private:
  // The overloaded nodes of the job that is expanded, and the jobs there.
  template <typename JobsOn>
  void add_nodes_of_next(const ClusterState& state, const JobsOn& jobs_on) {
    each_node(state.nodes_of(jobs_[expanded_]), [&](NodeIndex n) {
      if (node_mark_[n] == number_ || !overloaded(state, n)) return;
      node_mark_[n] = number_;
      nodes_.push_back(n);
      for (JobSlot job : jobs_on(n)) add(job);
    });
  }

  // Marks hold the number of the begin() since which they were set.
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> job_mark_;   // by slot
  std::vector<std::uint64_t> node_mark_;  // by node
  std::vector<JobSlot> jobs_;
  std::vector<NodeIndex> nodes_;
  std::size_t expanded_ = 0;  // jobs_ before this one have been
};

}  // namespace dfrs
