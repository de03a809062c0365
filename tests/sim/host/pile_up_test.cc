// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/pile_up.h"

#include <gtest/gtest.h>

#include <memory>

#include "policy/core/policy.h"
#include "sim/host/simulation.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

using Finding = PileUpGuard::Finding;
constexpr std::size_t kMany = PileUpGuard::kMany;

// Jobs come, one ends for each four of them, and each causes so many changes, until so many are in the system.
struct Queue {
  PileUpGuard guard;
  std::size_t came = 0, ended = 0;
  std::uint64_t changes = 0;

  std::vector<std::pair<std::size_t, Finding>> grow(std::size_t most, std::uint64_t each) {
    std::vector<std::pair<std::size_t, Finding>> found;
    while (came - ended < most) {
      if (++came % 4 == 0) ++ended;
      changes += each;
      const Finding finding = guard.judge(came - ended, ended, changes);
      if (finding != Finding::usual) found.emplace_back(came - ended, finding);
    }
    return found;
  }
};

TEST(PileUp, SaysSoAtTwiceAsManyEachTime) {
  using Found = std::vector<std::pair<std::size_t, Finding>>;
  Queue queue;
  EXPECT_EQ(queue.grow(kMany, 10), Found{});
  EXPECT_EQ(queue.grow(5 * kMany, 10),
            (Found{{kMany + 1, Finding::many}, {2 * kMany + 1, Finding::many}, {4 * kMany + 1, Finding::many}}));
  EXPECT_NEAR(queue.guard.changes_per_job(), 10, 0.01);
}

// What counts is how the queue got from half to twice that: earlier trouble is forgiven.
TEST(PileUp, OnlyTheLastDoublingCounts) {
  Queue calm;
  calm.changes = 1'000'000'000;
  calm.grow(kMany / 2 - 5, 1000);
  EXPECT_EQ(calm.grow(kMany + 1, 10).back().second, Finding::many);
  Queue wild;
  wild.grow(kMany / 2 - 5, 1);
  EXPECT_EQ(wild.grow(kMany + 1, PileUpGuard::kChangesPerJob + 1).back().second, Finding::runs_away);
  Queue later;
  later.grow(kMany + 1, 1);
  EXPECT_EQ(later.grow(2 * kMany + 1, 100).back().second, Finding::runs_away);
}

// At each event, those that run make room for the next ones, and nothing gets done.
class Shuffle final : public NonClairvoyantPolicy {
 public:
  void decide(const ClusterView& view, std::span<const Event>, ClusterState& state, Outcome& outcome) override {
    const std::size_t nodes = view.nodes.size();
    std::vector<JobSlot> next;
    for (const JobSlot job : state.active()) {
      if (next.size() == nodes) break;
      if (!state.placed(job)) next.push_back(job);
    }
    for (const JobSlot job : state.active()) {
      if (state.placed(job)) state.remove(job, view.jobs[job]);
    }
    for (std::size_t n = 0; n < next.size(); ++n) {
      const NodeIndex node[] = {static_cast<NodeIndex>(n)};
      state.place(next[n], view.jobs[next[n]], node);
      outcome.yields->push_back({next[n], 1});
    }
  }
};

class PilingUp : public ByHand {
 protected:
  PilingUp() {
    nodes(60);
    for (std::size_t k = 0; k <= kMany; ++k) job(static_cast<Seconds>(k), 1, 1, 10, 1e6);
    watch_ = {.ends_pile_ups = true, .warn = [this](const std::string& text) { warned_ += text + "\n"; }};
  }

  Watch watch_;
  std::string warned_;
};

TEST_F(PilingUp, ARunInWhichJobsAreOnlyPausedAndResumedEnds) {
  const Algorithm shuffle{"shuffle", "", PolicyTraits{},
                          MakeNonClairvoyant([](const EngineOptions&) { return std::make_unique<Shuffle>(); })};
  const RunOutcome away = simulate(instance_, shuffle, options_, watch_);
  ASSERT_FALSE(away) << "it goes on";
  EXPECT_TRUE(away.error().ran_away);
  EXPECT_EQ(away.error().code, kExitInput);
  EXPECT_EQ(away.error().message,
            "by-hand: ran away: at 5000 s 5001 jobs are in the system, and while they doubled there were 120 pauses, "
            "moves, starts and resumes per job submitted. They come faster than they end; a longer period helps "
            "policies that repack, and --most-jobs none lets the run go on, for hours");
  EXPECT_EQ(warned_, "");
}

TEST_F(PilingUp, ALongQueueEndsByItself) {
  const RunResult run = or_throw(simulate(instance_, parse_algorithm("FCFS").value(), options_, watch_));
  EXPECT_EQ(run.jobs.back().end, 84e6 + 20);  // 60 at a time
  EXPECT_EQ(
      warned_,
      "by-hand: at 5000 s 5001 jobs are in the system, after 0 have ended; --most-jobs N ends a run in which jobs "
      "pile up\n");
}

}  // namespace
}  // namespace dfrs::sim
