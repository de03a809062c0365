// SPDX-License-Identifier: GPL-2.0-or-later
// Yields after a move equal those computed for all jobs to the last bit; or, if many jobs are tied to the move, those
// computed for its neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policy/triage/options.h"
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

constexpr double kSumTolerance = 1e-7;

double cpu_gained(const Crowd& crowd, const triage::Yields& before, const triage::Yields& after) {
  double gain = 0;
  for (JobSlot job = 0; job < crowd.jobs.size(); ++job) {
    gain += crowd.jobs[job].cpu_need * crowd.jobs[job].tasks * (after.of(job) - before.of(job));
  }
  return gain;
}

double used_on(const Crowd& crowd, const triage::Yields& yields, NodeIndex n) {
  double used = 0;
  for (JobSlot job = 0; job < crowd.jobs.size(); ++job) {
    const std::span<const NodeIndex> nodes = crowd.state.nodes_of(job);
    used += crowd.jobs[job].cpu_need * yields.of(job) * static_cast<double>(std::count(nodes.begin(), nodes.end(), n));
  }
  return used;
}

// Random moves one after the other; those that pay are kept.
template <typename Check>
void move_about(bool few_tied, const Check& check) {
  std::size_t pay = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    Crowd crowd(seed);
    TriageOptions options;
    if (few_tied) options.tied = crowd.dice.between(0, 10);
    const std::vector<Event> resync{{EventKind::resync, kNoSlot}};
    triage::Residents residents;
    residents.begin(crowd.view(), resync, crowd.state);
    triage::Yields yields(TriageParts::Yields::urgent, options);
    yields.begin(crowd.view(), resync, crowd.state, {0, 3});
    yields.update(crowd.view(), crowd.state, residents);
    for (int k = 0; k < 10; ++k) {
      const JobSlot job = crowd.any_job();
      const std::vector<NodeIndex> old(crowd.state.nodes_of(job).begin(), crowd.state.nodes_of(job).end());
      const std::vector<NodeIndex> now = crowd.somewhere(crowd.jobs[job]);
      const auto put = [&](const std::vector<NodeIndex>& nodes) {
        residents.removed(crowd.state, job);
        crowd.put(job, nodes);
        residents.placed(crowd.state, job);
      };
      put(now);
      const double price = crowd.dice.chance(20) ? 0 : 0.2 * crowd.dice.uniform();
      const triage::Yields before = yields;
      const bool pays = yields.move_pays(crowd.view(), crowd.state, residents, job, old, 2, price);
      triage::Yields moved = yields;
      moved.keep_move(crowd.view(), crowd.state);
      const double gained = 2 * cpu_gained(crowd, before, moved);
      if (std::abs(gained - price) > kSumTolerance) {
        ASSERT_EQ(pays, gained > price) << "seed " << seed << " move " << k;
      }
      ++tried;
      if (pays) {
        check(crowd, residents, options, before, moved, std::vector<std::vector<NodeIndex>>{old, now});
        yields = moved;
        ++pay;
      } else {
        put(old);
      }
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << " move " << k;
    }
  }
  EXPECT_GT(pay, tried / 10);
  EXPECT_LT(pay, tried * 9 / 10);
}

// The yields kept and changed around a move equal those computed for all jobs.
TEST(TriageYields, AfterMovesAreThoseOfAFullComputation) {
  move_about(false, [](const Crowd& crowd, const triage::Residents& residents, const TriageOptions& options,
                       const triage::Yields&, triage::Yields& moved, const auto&) {
    const std::vector<Event> resync{{EventKind::resync, kNoSlot}};
    triage::Yields fresh(TriageParts::Yields::urgent, options);
    fresh.begin(crowd.view(), resync, crowd.state, {0, 3});
    fresh.update(crowd.view(), crowd.state, residents);
    for (JobSlot job = 0; job < crowd.jobs.size(); ++job) ASSERT_EQ(moved.of(job), fresh.of(job)) << "job " << job;
    ASSERT_EQ(moved.next_look(crowd.state), fresh.next_look(crowd.state));
    ASSERT_EQ(moved.anyone_limited(crowd.state), fresh.anyone_limited(crowd.state));
  });
}

// If many jobs are tied to a move, its neighbours share what the others leave.
TEST(TriageYields, BesideAMoveLeaveTheOthersTheirs) {
  std::size_t kept = 0, changed = 0, full = 0;
  move_about(true, [&](const Crowd& crowd, const triage::Residents& residents, const TriageOptions&,
                       const triage::Yields& before, triage::Yields& moved, const auto& nodes) {
    std::vector<bool> beside(crowd.jobs.size(), false);
    for (const std::vector<NodeIndex>& there : nodes) {
      for (NodeIndex n : there) {
        if (!overloaded(crowd.state, n)) continue;
        for (JobSlot job : residents.on(n)) beside[job] = true;
      }
    }
    std::vector<double> used(crowd.state.node_count());
    for (NodeIndex n = 0; n < used.size(); ++n) {
      used[n] = used_on(crowd, moved, n);
      ASSERT_LE(used[n], crowd.state.cpu_capacity(n) + 1e-9);
    }
    for (JobSlot job = 0; job < crowd.jobs.size(); ++job) {
      ASSERT_GT(moved.of(job), 0);
      if (!beside[job]) {
        kept += moved.of(job) == before.of(job) ? 1 : 0;
        continue;
      }
      changed += moved.of(job) != before.of(job) ? 1 : 0;
      if (moved.of(job) == 1) continue;
      // It could not have more: a node of it is full.
      const std::span<const NodeIndex> its = crowd.state.nodes_of(job);
      ++full;
      ASSERT_TRUE(std::any_of(its.begin(), its.end(),
                              [&](NodeIndex n) { return used[n] > crowd.state.cpu_capacity(n) - 1e-9; }))
          << "job " << job;
    }
  });
  EXPECT_GT(kept, 1000U);
  EXPECT_GT(changed, 500U);
  EXPECT_GT(full, 500U);
}

}  // namespace
}  // namespace dfrs
