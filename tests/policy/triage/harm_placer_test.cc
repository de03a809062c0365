// SPDX-License-Identifier: GPL-2.0-or-later
// A search by orders of the nodes finds the nodes that a search of all nodes finds, while jobs come, leave, move and
// get other yields, within a call and from one call to the next.
#include "policy/triage/harm_placer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/triage/options.h"
#include "tests/oracle/dice.h"

namespace dfrs::triage {
namespace {

constexpr JobSlot kJobs = 260;
constexpr std::uint32_t kNodes = 64;
constexpr int kNodeMemory = 64;  // MiB
constexpr std::size_t kNoneIsLarge = static_cast<std::size_t>(-1);

class Searches : public testing::TestWithParam<std::uint64_t> {
 protected:
  Searches() : nodes_(kNodes), jobs_(kJobs), places_(kJobs) {
    const bool equal = dice_.chance(50);
    for (NodeView& node : nodes_) {
      node.spec.cpu = equal ? 1 : 0.5 * dice_.between(1, 3);
      node.spec.rigid[kMemory] = kNodeMemory;
      node.usable = equal || dice_.chance(90);
    }
    for (JobSlot job = 0; job < kJobs; ++job) {
      jobs_[job].id = job;
      renew(jobs_[job]);
      if (!dice_.chance(50)) continue;
      jobs_[job].state = JobState::running;
      jobs_[job].yield = dice_.uniform();
      places_[job] = somewhere(jobs_[job]);
      jobs_[job].nodes = places_[job];
    }
    state_.resync(view());
  }

  ClusterView view() const { return {1e4, nodes_, jobs_, 1}; }

  // Few needs, so that there are orders for most jobs, and many ties; and some small ones, so that loads differ little.
  void renew(JobView& job) {
    const JobId id = job.id;
    job = {};
    job.id = id;
    job.state = JobState::waiting;
    job.tasks = static_cast<std::uint32_t>(dice_.chance(50) ? 1 : dice_.between(2, 9));
    job.cpu_need = dice_.chance(60) ? 0.25 * dice_.between(1, 3) : 0.01 * dice_.between(1, 5);
    job.rigid[kMemory] = dice_.between(1, 8);
    job.weight = dice_.chance(80) ? 1 : 3;
    job.flags.exclusive = dice_.chance(2);
  }

  std::vector<NodeIndex> somewhere(const JobView& job) {
    std::vector<NodeIndex> nodes(job.tasks);
    for (NodeIndex& n : nodes) n = dice_.below(kNodes);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  void change(DecisionContext& context) {
    for (int k = dice_.between(0, 3); k > 0; --k) {
      const JobSlot job = dice_.below(kJobs);
      if (!state_.placed(job)) continue;
      const std::vector<NodeIndex> nodes(state_.nodes_of(job).begin(), state_.nodes_of(job).end());
      switch (dice_.between(0, 2)) {
        case 0:
          context.remove(job);
          break;
        case 1:  // as one that might make room for another; rounding may leave another load
          state_.remove(job, jobs_[job]);
          state_.place(job, jobs_[job], nodes);
          break;
        default:
          context.remove(job);
          context.place(job, somewhere(jobs_[job]));
      }
    }
  }

  void search(DecisionContext& context) {
    const JobSlot job = dice_.below(kJobs);
    if (state_.placed(job)) return;
    const double least = dice_.chance(50) ? 0 : dice_.uniform();
    const std::span<const NodeIndex> all = plain_.find(context, job, least);
    const std::span<const NodeIndex> found = ordered_.find(context, job, least);
    ASSERT_EQ(std::vector(found.begin(), found.end()), std::vector(all.begin(), all.end()));
    by_orders_ += ordered_.used_orders() ? 1 : 0;
    EXPECT_FALSE(plain_.used_orders());
    if (found.size() == jobs_[job].tasks && dice_.chance(30))
      context.place(job, std::vector(found.begin(), found.end()));
  }

  // Jobs end, and others take their slots.
  void exchange(std::vector<Event>& events) {
    for (JobSlot job = 0; job < kJobs; ++job) {
      if (!dice_.chance(3) || !state_.placed(job)) continue;
      state_.drop(job, jobs_[job]);
      places_[job].clear();
      renew(jobs_[job]);
      state_.add(job);
      events.push_back({EventKind::completed, job});
    }
  }

  // What the host makes of it: new nodes are in the view, and some jobs may have other yields and weights.
  void end_call() {
    for (JobSlot job = 0; job < kJobs; ++job) {
      places_[job].assign(state_.nodes_of(job).begin(), state_.nodes_of(job).end());
      jobs_[job].nodes = places_[job];
      jobs_[job].state = places_[job].empty() ? JobState::paused : JobState::running;
      if (dice_.chance(5)) jobs_[job].yield = dice_.uniform();
      if (dice_.chance(2)) jobs_[job].weight = dice_.between(1, 3);
    }
  }

  oracle::Dice dice_{GetParam()};
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::vector<std::vector<NodeIndex>> places_;
  ClusterState state_;
  Residents residents_;
  HarmPlacer plain_{kNoneIsLarge};
  HarmPlacer ordered_{0};
  int by_orders_ = 0;
};

TEST_P(Searches, ByOrdersFindWhatSearchesOfAllNodesFind) {
  const TriageOptions options;
  for (int call = 0; call < 40; ++call) {
    std::vector<Event> events;
    if (call == 0 || dice_.chance(3)) {
      state_.resync(view());
      events.push_back({EventKind::resync, kNoSlot});
    } else {
      exchange(events);
    }
    state_.begin();
    residents_.begin(view(), events, state_);
    DecisionContext context{view(), state_, residents_, {1e4, 3}, options, events};
    plain_.begin(context);
    ordered_.begin(context);
    for (int k = dice_.between(0, 20); k > 0; --k) {
      search(context);
      if (HasFatalFailure()) return;
      change(context);
    }
    plain_.end(context);
    ordered_.end(context);
    state_.forget_changes();
    end_call();
  }
  EXPECT_GT(by_orders_, 0);
}

INSTANTIATE_TEST_SUITE_P(Random, Searches, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace dfrs::triage
