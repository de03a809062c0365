// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/waiting_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "policy/core/algorithm.h"
#include "policy/core/engine.h"
#include "tests/oracle/dice.h"

namespace dfrs::triage {
namespace {

struct Known {
  Ranked job;
  int kind = 0;  // 0: like no other
};

JobView spec_of(int kind) {
  JobView spec;
  spec.state = kind % 2 == 0 ? JobState::paused : JobState::waiting;
  spec.tasks = static_cast<std::uint32_t>(1 + kind / 2 % 2);
  spec.cpu_need = kind / 4 % 2 == 0 ? 0.5 : 1;
  spec.rigid[kMemory] = 100 * kind;
  return spec;
}

// Whatever is put back, rests and wakes, jobs come as from a list that is sorted each time, in which those of a kind
// that rests are passed over.
TEST(WaitingJobs, AreASortedList) {
  int passed_over = 0;
  oracle::Dice dice(1);
  WaitingJobs waiting;  // the same for all, so that it knows kinds of earlier rounds
  for (std::uint64_t round = 0; round < oracle::cases(300); ++round) {
    waiting.clear();
    std::vector<Known> expected;
    const auto add = [&](JobSlot job) {
      const Known known{{static_cast<double>(dice.between(1, 20)), job, job}, dice.between(0, 5)};
      expected.push_back(known);
      if (known.kind == 0) {
        waiting.add(known.job);
      } else {
        waiting.add_alike(known.job, spec_of(known.kind));
      }
    };
    for (JobSlot job = static_cast<JobSlot>(dice.between(0, 60)); job > 0; --job) add(job);
    waiting.start();
    std::set<int> resting;
    while (true) {
      std::sort(expected.begin(), expected.end(),
                [](const Known& a, const Known& b) { return Ranked::before(a.job, b.job); });
      while (!expected.empty() && resting.contains(expected.front().kind)) {
        expected.erase(expected.begin());
        ++passed_over;
      }
      ASSERT_EQ(waiting.empty(), expected.empty()) << "round " << round;
      if (expected.empty()) break;
      const Known known = expected.front();
      expected.erase(expected.begin());
      const Ranked next = waiting.next();
      ASSERT_EQ(next.job, known.job.job) << "round " << round;
      ASSERT_EQ(next.key, known.job.key) << "round " << round;
      if (known.kind == 0 && dice.chance(20)) {
        const Ranked lower{next.key / 2, next.order, next.job};
        waiting.again(lower);
        expected.push_back({lower, 0});
      } else if (dice.chance(50)) {
        waiting.rest();
        if (known.kind != 0) resting.insert(known.kind);
      } else if (dice.chance(30)) {
        waiting.wake();
        resting.clear();
      }
    }
  }
  EXPECT_GT(passed_over, 100);
}

// The same job may come back as another one, and kinds that are not seen any more are forgotten.
TEST(WaitingJobs, KindsComeAndGo) {
  WaitingJobs waiting;
  for (int round = 0; round < 5000; ++round) {
    waiting.clear();
    JobView spec;
    spec.rigid[kMemory] = round;
    waiting.add_alike({2, 1, 7}, spec);
    waiting.add_alike({1, 2, 8}, spec);
    spec.rigid[kMemory] = round + 1;
    waiting.add_alike({1, 3, 9}, spec);
    waiting.start();
    ASSERT_EQ(waiting.next().job, 7u);
    waiting.rest();
    ASSERT_EQ(waiting.next().job, 9u);
    ASSERT_TRUE(waiting.empty());
  }
}

// A run of 6000 s that would be lost costs 2 (6000 + 6000) / 6000 = 4, and is ended only for a job that has waited for
// a 24th of that. The more urgent of two jobs that are alike has not: sqrt(3 x 200 / 10) = 7.7. The other one has:
// sqrt(3 x 2000 / 150) = 6.3.
TEST(WaitingJobs, ARefusalSaysNothingOfThoseThatHaveWaitedLonger) {
  constexpr Seconds kNow = 20000;
  const NodeIndex here = 0;
  std::array<JobView, 3> jobs{};
  for (JobView& job : jobs) {
    job.rigid[kMemory] = 16;
    job.penalty = 0;
    job.state = JobState::paused;
  }
  jobs[0].clock.base = 10;
  jobs[0].submit = kNow - 200;
  jobs[1].clock.base = 150;
  jobs[1].submit = kNow - 2000;
  jobs[2].pauses = Pauses::lost;
  jobs[2].state = JobState::running;
  jobs[2].clock = {6000, kNow, 1};
  jobs[2].yield = 1;
  jobs[2].submit = kNow - 6000;
  jobs[2].nodes = {&here, 1};
  std::array<NodeView, 1> nodes{};
  nodes[0].spec.rigid[kMemory] = 16;
  const std::array events{Event{EventKind::resync, kNoSlot}};
  auto engine = Engine::create(*parse_algorithm("Triage/MOVE=NONE"), {});
  const auto decisions = (*engine)->step({kNow, nodes, jobs, 1}, {}, events);
  ASSERT_TRUE(decisions.has_value());
  ASSERT_EQ((*decisions)->placements.size(), 2u);
  for (const Decision& decision : (*decisions)->placements) {
    EXPECT_EQ(decision.job, decision.kind == DecisionKind::resume ? 1u : 2u);
  }
}

}  // namespace
}  // namespace dfrs::triage
