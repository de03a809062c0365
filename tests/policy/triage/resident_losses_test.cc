// SPDX-License-Identifier: GPL-2.0-or-later
// Losses that are kept equal those that are computed from all jobs, to the last bit, while jobs come, leave, move and
// get other yields, within a call and from one call to the next.
#include "policy/triage/resident_losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "policy/triage/options.h"
#include "tests/oracle/dice.h"

namespace dfrs::triage {
namespace {

constexpr JobSlot kJobs = 60;
constexpr int kFewNodes = 6;
constexpr int kNodes = 12;
// More than are kept at the same time.
constexpr int kNeeds = 18;

class Losses : public testing::TestWithParam<std::uint64_t> {
 protected:
  Losses() : nodes_(kNodes), jobs_(kJobs), places_(kJobs) {
    for (NodeView& node : nodes_) node.spec.cpu = 0.5 * dice_.between(1, 4);
    for (JobSlot job = 0; job < kJobs; ++job) {
      JobView& spec = jobs_[job];
      spec.id = job;
      spec.tasks = static_cast<std::uint32_t>(dice_.between(1, 6));
      spec.cpu_need = 0.1 * dice_.between(1, 9);
      spec.weight = dice_.chance(80) ? 1 : 3;
      spec.state = dice_.chance(60) ? JobState::running : JobState::waiting;
      spec.yield = dice_.uniform();
      if (spec.state == JobState::running) places_[job] = somewhere(spec);
      spec.nodes = places_[job];
    }
    state_.resync(view());
  }

  ClusterView view() const { return {1e4, nodes_, jobs_, 1}; }

  std::vector<NodeIndex> somewhere(const JobView& job) {
    std::vector<NodeIndex> nodes(job.tasks);
    for (NodeIndex& n : nodes) n = any_node();
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  NodeIndex any_node() { return dice_.below(static_cast<std::uint32_t>(nodes_.size())); }

  // The cluster may have more or fewer nodes now, and jobs may be elsewhere.
  void resync() {
    nodes_.resize(static_cast<std::size_t>(dice_.chance(50) ? kNodes : kFewNodes));
    for (JobSlot job = 0; job < kJobs; ++job) {
      if (places_[job].empty()) continue;
      if (places_[job].back() >= nodes_.size() || dice_.chance(20)) places_[job] = somewhere(jobs_[job]);
      jobs_[job].nodes = places_[job];
    }
    state_.resync(view());
  }

  // Some jobs are placed, some removed.
  void change(DecisionContext& context) {
    for (int k = dice_.between(0, 4); k > 0; --k) {
      const JobSlot job = dice_.below(kJobs);
      if (state_.placed(job)) context.remove(job);
      if (dice_.chance(50)) context.place(job, somewhere(jobs_[job]));
    }
  }

  // What the host makes of it: new nodes are in the view, and some jobs may have other yields and weights.
  void end_call() {
    const bool others = dice_.chance(50);
    for (JobSlot job = 0; job < kJobs; ++job) {
      places_[job].assign(state_.nodes_of(job).begin(), state_.nodes_of(job).end());
      jobs_[job].nodes = places_[job];
      jobs_[job].state = places_[job].empty() ? JobState::paused : JobState::running;
      if (others && dice_.chance(10)) jobs_[job].yield = dice_.uniform();
      if (others && dice_.chance(5)) jobs_[job].weight = dice_.between(1, 3);
    }
  }

  // Jobs end, and others take their slots.
  void exchange(std::vector<Event>& events) {
    for (JobSlot job = 0; job < kJobs; ++job) {
      if (!dice_.chance(4) || !state_.placed(job)) continue;
      state_.drop(job, jobs_[job]);
      state_.add(job);
      places_[job].clear();
      jobs_[job].nodes = {};
      jobs_[job].state = JobState::waiting;
      events.push_back({EventKind::completed, job});
    }
  }

  // The yield that a job is expected to have.
  double yield_of(const DecisionContext& context, JobSlot job) const {
    const std::span<const JobSlot> now = context.residents.placed_now();
    if (std::find(now.begin(), now.end(), job) == now.end() || context.stayed(job)) return jobs_[job].yield;
    double yield = 1;
    for (const NodeIndex n : state_.nodes_of(job)) yield = std::min(yield, state_.cpu_capacity(n) / state_.cpu_load(n));
    return yield;
  }

  double from_all_jobs(const DecisionContext& context, NodeIndex n, double share, const std::set<JobSlot>& counted) {
    double loss = 0;
    for (const JobSlot job : state_.active()) {  // in submission order, as residents are
      const std::span<const NodeIndex> nodes = state_.nodes_of(job);
      if (counted.contains(job) || !std::binary_search(nodes.begin(), nodes.end(), n)) continue;
      const double lost = yield_of(context, job) - share;
      if (lost > 0) loss += weight_of(jobs_[job], context.at) * jobs_[job].cpu_need * jobs_[job].tasks * lost;
    }
    return loss;
  }

  void search(const DecisionContext& context) {
    losses_.begin_search(0.05 * dice_.between(1, kNeeds));
    std::set<JobSlot> counted;
    for (int k = 0; k < 30; ++k) {
      const NodeIndex n = any_node();
      const double share = 0.25 * dice_.between(1, 3);
      const double expected = from_all_jobs(context, n, share, counted);
      const double most = dice_.chance(50) ? kNever : 2 * expected * dice_.uniform();
      const double own = dice_.chance(50) ? 0 : most == kNever ? 1 : most * dice_.uniform();
      const ResidentLosses::Loss loss = losses_.at(context, n, share, own, most);
      EXPECT_EQ(loss.whole, !(own + expected > most));
      if (loss.whole) {
        EXPECT_EQ(loss.loss, expected);
      } else {
        EXPECT_LE(loss.loss, expected);
        EXPECT_GT(own + loss.loss, most);
      }
      if (!dice_.chance(10)) continue;
      losses_.count(context, n, [](NodeIndex) {});
      counted.insert(context.residents.on(n).begin(), context.residents.on(n).end());
    }
  }

  oracle::Dice dice_{GetParam()};
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::vector<std::vector<NodeIndex>> places_;
  ClusterState state_;
  Residents residents_;
  ResidentLosses losses_;
};

TEST_P(Losses, ThatAreKeptEqualThoseFromAllJobs) {
  const TriageOptions options;
  for (int call = 0; call < 40; ++call) {
    std::vector<Event> events;
    if (call == 0 || dice_.chance(20)) {
      resync();
      events.push_back({EventKind::resync, kNoSlot});
    } else {
      exchange(events);
    }
    state_.begin();
    residents_.begin(view(), events, state_);
    DecisionContext context{view(), state_, residents_, {1e4, 3}, options, events};
    losses_.begin(context);
    for (int k = dice_.between(0, 6); k > 0; --k) {
      search(context);
      change(context);
    }
    end_call();
    state_.forget_changes();
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Losses, testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace dfrs::triage
