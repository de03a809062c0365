// SPDX-License-Identifier: GPL-2.0-or-later
// Newcomers that would be crowded ask for room of their own. Many at once, so that what is known of one that got none
// is used for others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/core/engine.h"
#include "tests/oracle/dice.h"
#include "tests/oracle/triage.h"

namespace dfrs {
namespace {

// One instant of a cluster of nodes of 1 CPU with memory enough for all.
class OwnRoom : public testing::Test {
 protected:
  static constexpr Seconds kNow = 100000;

  // A job that runs alone on its node or beside others, at an equal share of it.
  JobView& add_resident(double cpu_need, NodeIndex node, Seconds progress) {
    JobView& job = add(cpu_need, kNow - progress);
    job.state = JobState::running;
    job.clock.base = progress;
    job.clock.since = kNow;
    loads_.resize(std::max<std::size_t>(loads_.size(), node + 1));
    loads_[node] += cpu_need;
    homes_.emplace_back(jobs_.size() - 1, node);
    return job;
  }

  JobView& add_newcomer(double cpu_need, Seconds waited = 0) { return add(cpu_need, kNow - waited); }

  // How many got room of their own. Each decision is that of the plain reference. `tried`: TRIED.
  int own_rooms(double tried = TriageOptions().tried) {
    std::vector<NodeView> nodes(loads_.size());
    for (NodeView& node : nodes) node.spec.rigid[kMemory] = 1000;
    numbers_.resize(loads_.size());
    for (NodeIndex n = 0; n < numbers_.size(); ++n) numbers_[n] = n;
    for (const auto& [job, node] : homes_) {
      jobs_[job].nodes = std::span(numbers_).subspan(node, 1);
      jobs_[job].yield = jobs_[job].clock.rate = std::min(1.0, 1 / loads_[node]);
    }
    const ClusterView view{kNow, nodes, jobs_, 1};
    const std::array events{Event{EventKind::resync, kNoSlot}};
    const Algorithm algorithm = *parse_algorithm("Triage/MOVE=NONE");
    EngineOptions options;
    options.of<TriageOptions>().tried = tried;
    auto engine = Engine::create(algorithm, options);
    (*engine)->explain(true);
    const auto decisions = (*engine)->step(view, {}, events);
    EXPECT_TRUE(decisions.has_value());
    if (!decisions) return 0;
    oracle::TriageLockstep lockstep({.moves = TriageParts::Moves::none}, options.of<TriageOptions>());
    lockstep.on_step(view, events, **decisions);
    EXPECT_EQ(lockstep.difference(), "");
    return static_cast<int>(std::count_if((*decisions)->reasons.begin(), (*decisions)->reasons.end(),
                                          [](const Reason& r) { return r.kind == ReasonKind::own_room; }));
  }

 private:
  JobView& add(double cpu_need, Seconds submit) {
    JobView job;
    job.id = 100 + static_cast<JobId>(jobs_.size());
    job.state = JobState::waiting;
    job.submit = submit;
    job.cpu_need = cpu_need;
    job.rigid[kMemory] = 1;
    jobs_.push_back(job);
    return jobs_.back();
  }

  std::vector<JobView> jobs_;
  std::vector<double> loads_;                             // by node
  std::vector<std::pair<std::size_t, NodeIndex>> homes_;  // of residents: slot and node
  std::vector<NodeIndex> numbers_;
};

// Two nodes, each with a job of 1 CPU that may be paused at no cost worth mentioning and one of 0.9 that may not. The
// first newcomer would have 1 / 2.9 of its CPU, and without the former 1 / 1.9, which is not twice as much. The second
// would have 1 / 2.0, and then all of it.
TEST_F(OwnRoom, OneThatGetsNoneDoesNotSpeakForOneOfLessCpu) {
  for (const NodeIndex node : {0u, 1u}) {
    add_resident(1, node, 50000);
    add_resident(0.9, node, 50000).flags.may_not_pause = true;
  }
  add_newcomer(1, 10);
  add_newcomer(0.1);
  EXPECT_EQ(own_rooms(), 1);
}

// Newcomers of 0.5 CPUs: the first is crowded by a job that may not be paused. The second is limited to a node where
// one may be.
TEST_F(OwnRoom, OneThatGetsNoneDoesNotSpeakForOneThatMayGoElsewhere) {
  add_resident(1, 0, 50000).flags.may_not_pause = true;
  add_resident(1, 1, 50000);
  NodeSet only_first(2);
  only_first.insert(0);
  NodeSet only_second(2);
  only_second.insert(1);
  add_newcomer(0.5, 10).eligible = &only_first;
  add_newcomer(0.5).eligible = &only_second;
  EXPECT_EQ(own_rooms(), 1);
}

// Only one job may be tried for each newcomer (TRIED=1). Those whose pause loses nothing come first. For the second
// newcomer that is the one on node 0, where another stays, so that it makes no room. To the third, which is less
// urgent, that one is too costly; the one on node 2 is not.
TEST_F(OwnRoom, OneForWhichFewWereTriedDoesNotSpeakForALessUrgentOne) {
  const auto resident = [&](NodeIndex node, Seconds waited, Seconds progress, double weight) -> JobView& {
    JobView& job = add_resident(1, node, progress);
    job.submit = kNow - waited;
    job.weight = weight;
    return job;
  };
  resident(0, 1800, 100, 10).flags.may_not_pause = true;
  resident(0, 220000, 20000, 1);
  resident(1, 800, 100, 0.1).flags.may_not_pause = true;
  resident(2, 2000, 1000, 0.1).pauses = Pauses::lost;
  add_newcomer(1, 100).weight = 10;
  add_newcomer(1, 5000).weight = 10;
  add_newcomer(1, 5000);
  EXPECT_EQ(own_rooms(1), 1);
}

class OwnRooms : public OwnRoom, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(OwnRooms, AreThoseOfTheReference) {
  oracle::Dice dice(GetParam());
  const std::vector<double> needs = dice.chance(50) ? std::vector<double>{0.1, 0.5, 1} : std::vector<double>{1};
  const auto nodes = static_cast<NodeIndex>(dice.between(2, 20));
  for (NodeIndex node = 0; node < nodes; ++node) {
    for (int k = dice.between(1, 3); k > 0; --k) {
      JobView& job = add_resident(dice.pick(needs), node, dice.pick(std::vector<Seconds>{100, 5000, 50000, 90000}));
      job.submit = kNow - job.clock.base * dice.between(1, 4);
      job.flags.may_not_pause = dice.chance(30);
      if (dice.chance(30)) job.weight = 0.5;
    }
  }
  for (int k = dice.between(2, dice.chance(10) ? 100 : 20); k > 0; --k) {
    JobView& job = add_newcomer(dice.pick(needs), dice.between(0, 5));
    job.tasks = static_cast<std::uint32_t>(dice.between(1, dice.chance(70) ? 1 : 3));
    job.rigid[kMemory] = dice.between(1, 2);
    if (dice.chance(30)) job.weight = 0.5;
  }
  own_rooms();
}

INSTANTIATE_TEST_SUITE_P(Random, OwnRooms, testing::Range<std::uint64_t>(1, 301));

}  // namespace
}  // namespace dfrs
