// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that are tied to each other: that share overloaded nodes, directly or through others. What one of them gets
// hangs on all of them and on nobody else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "policy/cluster_state.h"
#include "policy/compare.h"
#include "policy/each_node.h"

namespace dfrs {

inline bool overloaded(const ClusterState& state, NodeIndex n) {
  return cpu_exceeds(state.cpu_load(n), state.cpu_capacity(n));
}

class TiedJobs {
 public:
  /// Nobody yet. O(1) once warm.
  void begin(std::size_t slots, std::size_t nodes) {
    ++number_;
    job_mark_.resize(slots, 0);
    node_mark_.resize(nodes, 0);
    jobs_.clear();
    nodes_.clear();
  }
  /// Enters a job. O(1).
  void reach(JobSlot job) {
    if (job_mark_[job] == number_) return;
    job_mark_[job] = number_;
    jobs_.push_back(job);
  }
  /// Enters everybody who is tied to those that have been, and sorts. `jobs_on(n)`: the jobs on a node. O(tasks and
  /// residents of what is found, and a sort).
  template <typename JobsOn>
  void collect(const ClusterState& state, const JobsOn& jobs_on) {
    for (std::size_t k = 0; k < jobs_.size(); ++k) {  // grows as it goes
      each_node(state.nodes_of(jobs_[k]), [&](NodeIndex n) {
        if (node_mark_[n] == number_ || !overloaded(state, n)) return;
        node_mark_[n] = number_;
        nodes_.push_back(n);
        for (JobSlot job : jobs_on(n)) reach(job);
      });
    }
    // A large part is picked out of the list that has the order already.
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

  std::span<const JobSlot> jobs() const { return jobs_; }     ///< after collect(): in submission order
  std::span<const NodeIndex> nodes() const { return nodes_; }  ///< their overloaded ones; after collect(): ascending

 private:
  // Marks hold the number of the begin() since which they were set.
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> job_mark_;   // by slot
  std::vector<std::uint64_t> node_mark_;  // by node
  std::vector<JobSlot> jobs_;
  std::vector<NodeIndex> nodes_;
};

}  // namespace dfrs
