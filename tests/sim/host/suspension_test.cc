// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that are suspended on their nodes, with and without a limit of swap (--pauses suspended, --swap): schedules by
// hand, and a second count of all promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "policy/core/registry.h"
#include "tests/oracle/decision_checker.h"
#include "tests/sim/host/by_hand.h"
#include "tests/sim/host/crowded.h"

namespace dfrs::sim {
namespace {

using record::SwapSize;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string>& of_most_families() {
  static const std::vector<std::string> names{"FCFS",
                                              "EASY/shared",
                                              "Greedy*",
                                              "GreedyP*",
                                              "GreedyPM*",
                                              "GreedyPM*/per/MINVT=600",
                                              "MCB8*",
                                              "/per",
                                              "/stretch-per",
                                              "LAS/queues=2",
                                              "GANG/jobs=2",
                                              "Triage",
                                              "Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=FEW"};
  return names;
}

SimOptions suspended(const SwapSize& swap, PauseWorld world = PauseWorld::all(PauseEffect::suspended)) {
  SimOptions options;
  options.pauses = world;
  options.swap = swap;
  return options;
}

SwapSize mib(double amount) { return {SwapSize::Of::node, amount}; }

bool same(const RunResult& a, const RunResult& b) {
  const auto equal = [](const JobRecord& x, const JobRecord& y) {
    return x.start == y.start && x.end == y.end && x.pauses == y.pauses && x.moves == y.moves;
  };
  return std::equal(a.jobs.begin(), a.jobs.end(), b.jobs.begin(), b.jobs.end(), equal) && a.demand == b.demand &&
         a.steps == b.steps;
}

class SuspensionByHand : public ByHand {
 protected:
  // The first job runs on node 0 and the second on node 1; the third finds no memory and has the first paused, which
  // has the most progress. At 700 node 1 is free, at 1500 node 0.
  SuspensionByHand() {
    nodes(2);
    job(0, 1, 1, 60, 1000);
    job(100, 1, 1, 60, 600);
    job(500, 1, 1, 60, 1000);
    options_.pauses = PauseWorld::all(PauseEffect::suspended);
  }
  std::vector<Seconds> ends() const {
    std::vector<Seconds> out;
    for (const JobRecord& job : run("GreedyP*").jobs) out.push_back(job.end);
    return out;
  }
};

TEST_F(SuspensionByHand, AJobGoesOnOnItsNodesOnly) {
  EXPECT_THAT(ends(), ElementsAre(1500 + 300 + 500, 700, 1500));
  options_.pauses = PauseWorld{};
  EXPECT_THAT(ends(), ElementsAre(700 + 300 + 500, 700, 1500));
}

TEST_F(SuspensionByHand, IsRefusedWithoutSwapForAllOfTheMemory) {
  options_.swap = mib(60);
  EXPECT_THAT(ends(), ElementsAre(2300, 700, 1500));
  options_.swap = mib(59);
  EXPECT_THAT(ends(), ElementsAre(1000, 700, 1700)) << "the third waits for the second";
  options_.swap = {SwapSize::Of::memory, 0.6};
  EXPECT_THAT(ends(), ElementsAre(2300, 700, 1500));
  options_.swap = {SwapSize::Of::memory, 0.59};
  EXPECT_THAT(ends(), ElementsAre(1000, 700, 1700));
}

// The second has less progress, but only its node has swap.
TEST_F(SuspensionByHand, AnotherJobGivesWayWhereThereIsSwap) {
  instance_.platform.nodes[1].rigid[kMemory] = 200;
  instance_.jobs[1].rigid[kMemory] = 150;
  options_.swap = {SwapSize::Of::memory, 0.8};  // 80 and 160 MiB
  instance_.jobs[0].rigid[kMemory] = 90;
  const RunResult r = run("GreedyP*");
  EXPECT_THAT((std::vector<std::uint32_t>{r.jobs[0].pauses, r.jobs[1].pauses, r.jobs[2].pauses}), ElementsAre(0, 1, 0));
}

// Where pauses cost their memory, so do these: 60 MiB out and in at 3 MiB/s.
TEST_F(SuspensionByHand, CostsTheTimeToWriteAndReadItsMemory) {
  options_.swap_rate = 3;
  EXPECT_THAT(ends(), ElementsAre(1500 + 40 + 500, 700, 1500));
}

TEST_F(SuspensionByHand, OnlyMarkedJobsAreTied) {
  options_.pauses = PauseWorld{1, PauseEffect::suspended, 1, true};
  instance_.jobs[0].pauses = PauseEffect::kept;
  options_.swap = mib(0);
  EXPECT_THAT(ends(), ElementsAre(700 + 300 + 500, 700, 1500));
  instance_.jobs[0].pauses = PauseEffect::none;
  EXPECT_THAT(ends(), ElementsAre(1000, 700, 1700));
  instance_.jobs[0].pauses.reset();
  instance_.jobs[1].pauses = PauseEffect::none;
  options_.swap = mib(60);
  EXPECT_THAT(ends(), ElementsAre(2300, 700, 1500));
}

// Counts all promises and all that is in swap a second time, from views and decisions alone.
class SwapCount final : public StepObserver {
 public:
  SwapCount(const Instance& instance, const SimOptions& options) : instance_(instance), options_(options) {
    for (const NodeSpec& node : instance.platform.nodes) {
      size_.push_back(options.swap.limited() ? options.swap.on(node.rigid[kMemory]) : kNoLimit);
    }
  }

  void on_step(const ClusterView& view, std::span<const Event>, const Decisions& decisions) override {
    check_flags(view);
    for (const Decision& decision : decisions.placements) {
      if (!is_suspended(decision.job)) continue;
      EXPECT_NE(decision.kind, DecisionKind::move);
      const JobView& job = view.jobs[decision.job];
      if (decision.kind == DecisionKind::pause) in_swap_[decision.job] = {job.nodes.begin(), job.nodes.end()};
      if (decision.kind == DecisionKind::resume) {
        const auto nodes = decisions.nodes_of(decision);
        EXPECT_TRUE(std::ranges::equal(nodes, in_swap_[decision.job])) << "it goes on where it was";
        in_swap_.erase(decision.job);
      }
    }
    for (const RigidAmount left : left_over(view)) EXPECT_GE(left, 0) << "at " << view.now;
    most_ = std::max(most_, in_swap_.size());
  }

  std::size_t most_in_swap() const { return most_; }
  std::size_t refused() const { return refused_; }

 private:
  static constexpr RigidAmount kNoLimit = 1'000'000'000;

  bool is_suspended(JobSlot job) const {
    return pauses_of(instance_.jobs[job], options_.pauses) == PauseEffect::suspended;
  }

  std::vector<RigidAmount> left_over(const ClusterView& view) const {
    std::vector<RigidAmount> left = size_;
    for (const auto& [job, nodes] : in_swap_) {
      for (const NodeIndex n : nodes) left[n] -= view.jobs[job].rigid[kMemory];
    }
    return left;
  }

  void check_flags(const ClusterView& view) {
    std::vector<JobSlot> running;
    for (JobSlot job = 0; job < view.jobs.size(); ++job) {
      const JobView& seen = view.jobs[job];
      if (seen.state == JobState::absent || !is_suspended(job)) continue;
      EXPECT_EQ(seen.flags.may_not_move, seen.state != JobState::waiting);
      if (seen.state == JobState::running) running.push_back(job);
      EXPECT_TRUE(seen.state != JobState::paused || std::ranges::equal(seen.nodes, in_swap_[job]));
    }
    // The longest virtual time first, then the earlier submission.
    std::sort(running.begin(), running.end(), [&](JobSlot a, JobSlot b) {
      return std::tuple(-view.jobs[a].virtual_time(view.now), a) < std::tuple(-view.jobs[b].virtual_time(view.now), b);
    });
    std::vector<RigidAmount> left = left_over(view);
    for (const JobSlot job : running) {
      std::vector<RigidAmount> after = left;
      bool fits = true;
      for (const NodeIndex n : view.jobs[job].nodes) fits = (after[n] -= view.jobs[job].rigid[kMemory]) >= 0 && fits;
      EXPECT_EQ(view.jobs[job].flags.may_not_pause, !fits) << "job " << view.jobs[job].id << " at " << view.now;
      EXPECT_EQ(view.jobs[job].pauses, fits ? Pauses::kept : Pauses::none);
      if (fits) left = after;
      refused_ += fits ? 0 : 1;
    }
    // What is left may serve jobs that have yet to start.
    for (JobSlot job = 0; job < view.jobs.size(); ++job) {
      const JobView& seen = view.jobs[job];
      if (seen.state == JobState::absent || seen.state == JobState::running || !is_suspended(job)) continue;
      std::uint32_t tasks = 0;
      for (RigidAmount free : left) {
        for (; tasks < seen.tasks && free >= seen.rigid[kMemory]; free -= seen.rigid[kMemory]) ++tasks;
      }
      const bool may = seen.state == JobState::paused || tasks == seen.tasks;
      EXPECT_EQ(seen.pauses, may ? Pauses::kept : Pauses::none) << "job " << seen.id << " at " << view.now;
    }
  }

  const Instance& instance_;
  const SimOptions& options_;
  std::vector<RigidAmount> size_;
  std::map<JobSlot, std::vector<NodeIndex>> in_swap_;  // nodes of jobs that are suspended
  std::size_t most_ = 0;
  std::size_t refused_ = 0;
};

TEST(Suspended, PromisesAndUseAreAsCountedAgain) {
  for (const SwapSize& swap : {SwapSize{}, mib(150), mib(70), SwapSize{SwapSize::Of::memory, 0.3}, mib(0)}) {
    std::size_t most = 0, refused = 0;
    for (const std::string& algorithm : of_most_families()) {
      for (std::uint64_t seed = 1; seed <= oracle::cases(3); ++seed) {
        SCOPED_TRACE(algorithm + ", swap " + swap_text(swap) + ", seed " + std::to_string(seed));
        const Instance instance = crowded(seed);
        const SimOptions options = suspended(swap);
        SwapCount count(instance, options);
        for (const JobRecord& job : run(instance, algorithm, options, &count).jobs) EXPECT_EQ(job.moves, 0U);
        most = std::max(most, count.most_in_swap());
        refused += count.refused();
        oracle::DecisionChecker checker;
        run(instance, algorithm, options, &checker);
        EXPECT_THAT(checker.violations(), IsEmpty());
      }
    }
    EXPECT_EQ(refused > 0, swap.limited());
    EXPECT_EQ(most > 0, swap.amount > 0 || !swap.limited());
  }
}

TEST(Suspended, BesideJobsThatKeepTheirWorkOrHaveMarks) {
  std::size_t moves = 0, most = 0;
  for (const std::string algorithm : {"GreedyPM*", "MCB8*", "Triage"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Instance instance = crowded(seed, 120);
      const SimOptions options = suspended(mib(90), record::parse_world("mixed:0.5/suspended").value());
      SwapCount count(instance, options);
      const RunResult r = run(instance, algorithm, options, &count);
      for (std::size_t k = 0; k < r.jobs.size(); ++k) {
        const bool kept = pauses_of(instance.jobs[k], options.pauses) == PauseEffect::kept;
        EXPECT_TRUE(kept || r.jobs[k].moves == 0);
        moves += r.jobs[k].moves;
      }
      most = std::max(most, count.most_in_swap());
    }
  }
  EXPECT_GT(moves, 0U);
  EXPECT_GT(most, 0U);
}

// Results do not depend on whether somebody watches, which decides how slots are used.
TEST(Suspended, EndsAreTheSameUnwatched) {
  for (const char* algorithm : {"GreedyP*", "MCB8*", "Triage"}) {
    const Instance instance = crowded(3, 200);
    const SimOptions options = suspended(mib(70));
    SwapCount count(instance, options);
    EXPECT_TRUE(same(run(instance, algorithm, options), run(instance, algorithm, options, &count))) << algorithm;
  }
}

TEST(Suspended, WithoutSwapNothingIsPausedOrMoved) {
  for (const std::string& algorithm : of_most_families()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const JobRecord& job : run(crowded(seed), algorithm, suspended(mib(0))).jobs) {
        EXPECT_EQ(job.pauses + job.moves, 0U) << algorithm;
      }
    }
  }
  SimOptions none;
  none.pauses = PauseWorld::all(PauseEffect::none);
  for (const std::string& algorithm : of_most_families()) {
    EXPECT_TRUE(same(run(crowded(2), algorithm, suspended(mib(0))), run(crowded(2), algorithm, none))) << algorithm;
  }
}

TEST(Suspended, MoreSwapThanMemoryIsEnough) {
  for (const std::string& algorithm : of_most_families()) {
    const Instance instance = crowded(4, 120);
    EXPECT_TRUE(same(run(instance, algorithm, suspended(mib(1e6))), run(instance, algorithm, suspended({}))))
        << algorithm;
  }
}

// On a single node a job cannot be anywhere else: nothing differs from jobs that keep their work.
TEST(Suspended, OnOneNodeItIsTheSameAsKept) {
  std::uint32_t pauses = 0;
  for (const char* algorithm : {"GreedyP*", "GreedyPM*", "MCB8*", "/per", "GreedyP*/per", "LAS/queues=2"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Instance instance = crowded(seed);
      instance.platform = Platform::homogeneous(1, 100);
      for (Job& job : instance.jobs) job.tasks = 1;
      const RunResult kept = run(instance, algorithm, {});
      EXPECT_TRUE(same(run(instance, algorithm, suspended({})), kept)) << algorithm << ", seed " << seed;
      for (const JobRecord& job : kept.jobs) pauses += job.pauses;
    }
  }
  EXPECT_GT(pauses, 50U);
}

}  // namespace
}  // namespace dfrs::sim
