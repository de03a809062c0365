// SPDX-License-Identifier: GPL-2.0-or-later
// Yields after a move, found where they change alone, are those found anew for all, to the last bit.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/triage/yields.h"
#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

// An overloaded cluster; some gangs cover the same nodes, some nodes have CPU left.
class Crowd {
 public:
  explicit Crowd(std::uint64_t seed) : dice(seed), nodes_(static_cast<std::size_t>(dice.between(3, 40))) {
    for (NodeView& node : nodes_) node.spec.cpu = dice.chance(80) ? 1 : 0.5 * dice.between(1, 6);
    jobs.resize(nodes_.size() * static_cast<std::size_t>(dice.between(1, 4)));
    places_.resize(jobs.size());
    const int widest = dice.between(1, 6);
    for (JobSlot job = 0; job < jobs.size(); ++job) {
      JobView& spec = jobs[job];
      spec.id = job;
      spec.state = JobState::running;
      spec.tasks = static_cast<std::uint32_t>(dice.between(1, widest));
      spec.cpu_need = dice.chance(50) ? 0.25 * dice.between(1, 4) : 0.05 + dice.uniform();
      spec.submit = static_cast<double>(job);
      const double ran = 1e4 * std::pow(dice.uniform(), 4);
      spec.clock = {ran * dice.uniform(), 1e4, 0.5};
      spec.weight = dice.chance(80) ? 1 : 3;
      places_[job] = somewhere(spec);
      if (job > 0 && dice.chance(30)) {
        spec.tasks = jobs[job - 1].tasks;
        places_[job] = places_[job - 1];
      }
      spec.nodes = places_[job];
    }
    state.resync(view());
    state.begin();
  }

  ClusterView view() const { return {1e4, nodes_, jobs, 1}; }
  std::vector<NodeIndex> somewhere(const JobView& job) {
    std::vector<NodeIndex> nodes(job.tasks);
    for (NodeIndex& n : nodes) n = dice.below(static_cast<std::uint32_t>(nodes_.size()));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  void put(JobSlot job, const std::vector<NodeIndex>& nodes) {
    state.remove(job, jobs[job]);
    state.place(job, jobs[job], nodes);
  }
  JobSlot any_job() { return dice.below(static_cast<std::uint32_t>(jobs.size())); }

  oracle::Dice dice;
  std::vector<JobView> jobs;
  ClusterState state;

 private:
  std::vector<NodeView> nodes_;
  std::vector<std::vector<NodeIndex>> places_;
};

TEST(WeightedMaxMin, FollowsMoves) {
  std::size_t followed = 0, changed = 0, too_much = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(400); ++seed) {
    Crowd crowd(seed);
    const double spread = crowd.dice.between(0, 12);
    std::vector<double> weight_of(crowd.jobs.size());
    for (double& w : weight_of) w = std::pow(10.0, spread * (crowd.dice.uniform() - 0.5));
    const auto weights_of = [&](const Sharing& sharing) {
      std::vector<double> weights;
      for (const Sharing::Job& job : sharing.jobs()) weights.push_back(weight_of[job.slot]);
      return weights;
    };
    Sharing sharing;
    sharing.build(crowd.state, crowd.view());
    const std::vector<double> weights = weights_of(sharing);
    std::vector<double> yields(weights.size());
    WeightedMaxMinYield kept;
    kept.solve(sharing, weights, yields);
    for (int k = 0; k < 12 && !sharing.jobs().empty(); ++k) {
      const std::uint32_t moved = crowd.dice.below(static_cast<std::uint32_t>(sharing.jobs().size()));
      const JobSlot job = sharing.jobs()[moved].slot;
      const std::vector<NodeIndex> old(crowd.state.nodes_of(job).begin(), crowd.state.nodes_of(job).end());
      crowd.put(job, crowd.somewhere(crowd.jobs[job]));
      Sharing anew;
      anew.build(crowd.state, crowd.view());
      // Other nodes, or jobs, are limited now: not what it is for.
      bool same = std::equal(anew.jobs().begin(), anew.jobs().end(), sharing.jobs().begin(), sharing.jobs().end(),
                             [](const Sharing::Job& a, const Sharing::Job& b) { return a.slot == b.slot; });
      for (NodeIndex n = 0; n < crowd.state.node_count(); ++n) same = same && anew.has(n) == sharing.has(n);
      if (!same) {
        crowd.put(job, old);
        continue;
      }
      std::vector<double> expected(weights.size());
      WeightedMaxMinYield().solve(anew, weights_of(anew), expected);
      const std::vector<double> before = yields;
      sharing.move(crowd.state, crowd.view(), moved);
      const std::size_t most = crowd.dice.chance(20) ? 1 : sharing.nodes().size();
      const bool found = kept.follow_move(sharing, weights, yields, most);
      if (!found) {
        ++too_much;
        ASSERT_EQ(yields, before) << "seed " << seed;
        ASSERT_TRUE(kept.follow_move(sharing, weights, yields, sharing.nodes().size()));
      }
      ASSERT_EQ(yields, expected) << "seed " << seed << " move " << k;
      std::size_t named = 0;
      for (const WeightedMaxMinYield::Change& change : kept.changes()) {
        ASSERT_EQ(change.before, before[change.job]) << "seed " << seed;
        ++named;
      }
      for (std::size_t at = 0; at < yields.size(); ++at) named -= yields[at] != before[at] ? 1 : 0;
      ASSERT_EQ(named, 0U) << "seed " << seed;
      ++followed;
      changed += kept.changes().empty() ? 0 : 1;
      if (crowd.dice.chance(50)) continue;
      kept.move_back(yields);
      sharing.move_back();
      crowd.put(job, old);
      ASSERT_EQ(yields, before) << "seed " << seed;
    }
  }
  EXPECT_GT(followed, 1000U);
  EXPECT_GT(changed, 500U);
  EXPECT_GT(too_much, 50U);
}

// What is kept within a call makes no difference: yields that were set in the call before have nothing to go by, so
// that all who are tied are collected and solved for.
TEST(TriageYields, MovesPayAsWhenAllIsFoundAnew) {
  std::size_t pay = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    Crowd crowd(seed);
    const TriageOptions options;
    const std::vector<Event> resync{{EventKind::resync, kNoSlot}};
    triage::Residents residents;
    residents.begin(crowd.view(), resync, crowd.state);
    triage::Yields kept(TriageParts::Yields::urgent, options);
    triage::Yields anew(TriageParts::Yields::urgent, options);
    for (triage::Yields* yields : {&kept, &anew}) {
      yields->begin(crowd.view(), resync, crowd.state, 3);
      yields->update(crowd.view(), crowd.state, residents);
    }
    const auto put = [&](JobSlot job, const std::vector<NodeIndex>& nodes) {
      residents.removed(crowd.state, job);
      crowd.put(job, nodes);
      residents.placed(crowd.state, job);
    };
    for (int k = 0; k < 10; ++k) {
      const JobSlot job = crowd.any_job();
      const std::vector<NodeIndex> old(crowd.state.nodes_of(job).begin(), crowd.state.nodes_of(job).end());
      put(job, crowd.somewhere(crowd.jobs[job]));
      const double price = crowd.dice.chance(20) ? 0 : 0.2 * crowd.dice.uniform();
      anew.begin(crowd.view(), {}, crowd.state, 3);
      const bool pays = kept.move_pays(crowd.view(), crowd.state, residents, job, old, 1, price);
      ASSERT_EQ(pays, anew.move_pays(crowd.view(), crowd.state, residents, job, old, 1, price)) << "seed " << seed;
      ++tried;
      if (!pays) {
        put(job, old);
        continue;
      }
      ++pay;
      kept.keep_move(crowd.view(), crowd.state);
      anew.keep_move(crowd.view(), crowd.state);
      for (JobSlot other = 0; other < crowd.jobs.size(); ++other) {
        ASSERT_EQ(kept.of(other), anew.of(other)) << "seed " << seed << " job " << other;
      }
      ASSERT_EQ(kept.next_look(crowd.state), anew.next_look(crowd.state)) << "seed " << seed;
      ASSERT_EQ(kept.anyone_limited(crowd.state), anew.anyone_limited(crowd.state)) << "seed " << seed;
    }
  }
  EXPECT_GT(pay, tried / 10);
  EXPECT_LT(pay, tried * 9 / 10);
}

}  // namespace
}  // namespace dfrs
