// SPDX-License-Identifier: GPL-2.0-or-later
// A search for nodes with free memory finds those that a look at all nodes finds, while jobs come, leave, move and are
// taken back.
#include "policy/core/free_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "policy/core/cluster_state.h"
#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

constexpr JobSlot kJobs = 400;
constexpr int kNodeMemory = 64;  // MiB

class FreeMemorySearches : public testing::TestWithParam<std::uint64_t> {
 protected:
  FreeMemorySearches() : jobs_(kJobs) {
    resize();
    for (JobSlot job = 0; job < kJobs; ++job) {
      jobs_[job].id = job;
      jobs_[job].state = JobState::waiting;
      jobs_[job].tasks = static_cast<std::uint32_t>(dice_.between(1, 12));
      jobs_[job].rigid[kMemory] = dice_.between(0, kNodeMemory);
    }
  }

  ClusterView view() const { return {0, nodes_, jobs_, 1}; }

  // Below, at and above the size from which there are blocks; the last block is hardly ever full.
  void resize() {
    nodes_.resize(FreeMemory::kLeastNodes - 3 + static_cast<std::size_t>(dice_.between(0, 200)));
    for (NodeView& node : nodes_) node.spec.rigid[kMemory] = dice_.between(1, kNodeMemory);
    state_.resync(view());
    state_.begin();
  }

  void place(JobSlot job) {
    std::vector<NodeIndex> nodes(jobs_[job].tasks);
    for (NodeIndex& n : nodes) n = dice_.below(static_cast<std::uint32_t>(nodes_.size()));
    std::sort(nodes.begin(), nodes.end());
    state_.place(job, jobs_[job], nodes);
  }

  void change() {
    const JobSlot job = dice_.below(kJobs);
    if (!state_.placed(job)) {
      place(job);
    } else if (dice_.chance(50)) {
      state_.remove(job, jobs_[job]);
    } else if (dice_.chance(10)) {
      state_.rollback(view());
      state_.begin();
    } else if (dice_.chance(20)) {
      state_.drop(job, jobs_[job]);
      state_.add(job);
    }
  }

  oracle::Dice dice_{GetParam()};
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  ClusterState state_;
};

TEST_P(FreeMemorySearches, FindWhatALookAtAllNodesFinds) {
  for (int round = 0; round < 200; ++round) {
    if (dice_.chance(2)) resize();
    for (int k = dice_.between(0, 40); k > 0; --k) change();
    const RigidAmount least = dice_.between(0, kNodeMemory + 1);
    std::vector<NodeIndex> all;
    std::vector<NodeIndex> found;
    const NodeIndex first = dice_.chance(50) ? 0 : dice_.below(static_cast<std::uint32_t>(nodes_.size()));
    for (NodeIndex n = first; n < nodes_.size(); ++n) {
      if (state_.rigid_free(n)[kMemory] >= least) all.push_back(n);
    }
    for (NodeIndex n = first; (n = state_.next_with_memory(n, least)) < state_.node_count(); ++n) found.push_back(n);
    ASSERT_EQ(found, all);
  }
}
INSTANTIATE_TEST_SUITE_P(Random, FreeMemorySearches, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace dfrs
