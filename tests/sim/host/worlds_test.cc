// SPDX-License-Identifier: GPL-2.0-or-later
// What pauses do to jobs (--pauses): schedules by hand, and what holds for every algorithm.
#include <gtest/gtest.h>

#include <algorithm>

#include "policy/core/registry.h"
#include "record/replay.h"
#include "sim/errors.h"
#include "sim/host/step_recorder.h"
#include "sim/metrics/metrics.h"
#include "sim/workload/recorded.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/host/by_hand.h"
#include "tests/sim/host/crowded.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

std::vector<std::string> of_most_families() {
  return {"FCFS",
          "EASY/shared",
          "Greedy*",
          "GreedyP*",
          "GreedyPM*",
          "Greedy/per",
          "GreedyPM*/per/MINVT=600",
          "MCB8*",
          "MCB8/per",
          "/per",
          "/stretch-per",
          "Triage",
          "GreedyP*/OPT=AVG",
          "Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=FEW"};
}

bool same(const RunResult& a, const RunResult& b) {
  return std::equal(a.jobs.begin(), a.jobs.end(), b.jobs.begin(), b.jobs.end(),
                    [](const JobRecord& x, const JobRecord& y) {
                      return x.start == y.start && x.end == y.end && x.pauses == y.pauses && x.moves == y.moves &&
                             x.lost_runs == y.lost_runs && x.lost_time == y.lost_time;
                    }) &&
         a.jobs.size() == b.jobs.size() && a.demand == b.demand && a.steps == b.steps;
}

SimOptions in(const char* world) {
  SimOptions options;
  options.pauses = record::parse_world(world).value();
  return options;
}

TEST(Worlds, InNoneNoAlgorithmPausesOrMoves) {
  double pauses = 0;
  for (const std::string& algorithm : of_most_families()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Instance instance = crowded(seed);
      for (const JobRecord& job : run(instance, algorithm, in("none")).jobs) {
        EXPECT_EQ(job.pauses + job.moves, 0U) << algorithm;
      }
      for (const JobRecord& job : run(instance, algorithm, in("kept")).jobs) pauses += job.pauses + job.moves;
    }
  }
  EXPECT_GT(pauses, 100);
}

TEST(Worlds, NoLossAllowedIsTheSameAsNone) {
  SimOptions lost = in("lost");
  lost.lost_work.max_lost_runs = 0;
  for (const char* algorithm : {"GreedyPM*", "MCB8*", "Triage"}) {
    EXPECT_TRUE(same(run(crowded(1), algorithm, lost), run(crowded(1), algorithm, in("none")))) << algorithm;
  }
}

// Half of the jobs, the same ones under every algorithm, and only they are paused or moved.
TEST(Worlds, InMixedOnlyDrawnJobsArePausedOrMoved) {
  const Instance instance = crowded(2, 200);
  const SimOptions options = in("mixed:0.5:3");
  std::size_t can = 0;
  for (const Job& job : instance.jobs) can += pauses_of(job, options.pauses) == PauseEffect::kept ? 1 : 0;
  EXPECT_GT(can, 70U);
  EXPECT_LT(can, 130U);
  for (const std::string& algorithm : of_most_families()) {
    const RunResult r = run(instance, algorithm, options);
    for (std::size_t k = 0; k < r.jobs.size(); ++k) {
      if (pauses_of(instance.jobs[k], options.pauses) == PauseEffect::kept) continue;
      EXPECT_EQ(r.jobs[k].pauses + r.jobs[k].moves, 0U) << algorithm << ", job " << instance.jobs[k].id;
    }
  }
}

TEST(Worlds, InMixedWithLossesOnlyTheRestLoses) {
  const Instance instance = crowded(4, 200);
  const SimOptions options = in("mixed:0.5/lost");
  for (const char* algorithm : {"GreedyP*", "GreedyPM*/per/MINVT=600", "Triage"}) {
    const RunResult r = run(instance, algorithm, options);
    std::uint32_t lost = 0;
    std::uint32_t kept = 0;
    for (std::size_t k = 0; k < r.jobs.size(); ++k) {
      const bool keeps = pauses_of(instance.jobs[k], options.pauses) == PauseEffect::kept;
      if (keeps) {
        EXPECT_EQ(r.jobs[k].lost_runs, 0U);
        kept += r.jobs[k].pauses + r.jobs[k].moves;
      } else {
        EXPECT_EQ(r.jobs[k].lost_runs, r.jobs[k].pauses + r.jobs[k].moves);
        lost += r.jobs[k].lost_runs;
      }
    }
    EXPECT_GT(kept, 0U) << algorithm;
    EXPECT_GT(lost + (std::string(algorithm) == "Triage" ? 1 : 0), 0U) << algorithm;
  }
}

TEST(Worlds, ALargerPartOnlyAddsJobs) {
  const Instance instance = crowded(5, 300);
  const PauseWorld few{0.3, PauseEffect::none, 9, false};
  const PauseWorld many{0.6, PauseEffect::none, 9, false};
  std::size_t more = 0;
  for (const Job& job : instance.jobs) {
    if (pauses_of(job, few) == PauseEffect::kept) {
      EXPECT_EQ(pauses_of(job, many), PauseEffect::kept);
    } else if (pauses_of(job, many) == PauseEffect::kept) {
      ++more;
    }
  }
  EXPECT_GT(more, 0U);
}

// Work that is drawn does not depend on when jobs come, so a scaled load has the same jobs.
TEST(Worlds, TheDrawDoesNotDependOnSubmissions) {
  Instance instance = crowded(6);
  const PauseWorld half{0.5, PauseEffect::none, 1, false};
  for (Job& job : instance.jobs) {
    Job later = job;
    later.submit *= 3;
    EXPECT_EQ(pauses_of(job, half), pauses_of(later, half));
  }
}

TEST(Worlds, MarksDecideWhereTheWorldSaysSo) {
  Job job;
  const PauseWorld marked{1, PauseEffect::lost, 1, true};
  EXPECT_EQ(pauses_of(job, marked), PauseEffect::lost);
  job.pauses = PauseEffect::kept;
  EXPECT_EQ(pauses_of(job, marked), PauseEffect::kept);
  job.pauses = PauseEffect::none;
  EXPECT_EQ(pauses_of(job, marked), PauseEffect::none);
  EXPECT_EQ(pauses_of(job, PauseWorld{}), PauseEffect::kept) << "other worlds ignore marks";
}

TEST(Worlds, MarksMustBeThere) {
  Instance instance = crowded(1);
  const SimOptions options = in("mixed:marked");
  const std::string said = message_of(kExitInput, simulate(instance, parse_algorithm("Greedy*").value(), options));
  EXPECT_NE(said.find("no job is marked"), std::string::npos) << said;
  instance.jobs[0].pauses = PauseEffect::kept;
  run(instance, "Greedy*", options);
}

class WorldsByHand : public ByHand {};

// At 500 the second job comes and does not fit beside the first; only a job marked so gives way.
TEST_F(WorldsByHand, OnlyWhoMayBePausedGivesWay) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(500, 1, 1, 60, 100);
  options_.pauses = PauseWorld{1, PauseEffect::none, 1, true};
  instance_.jobs[0].pauses = PauseEffect::none;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 1000);
  instance_.jobs[0].pauses = PauseEffect::kept;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 500);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[0].end, 600 + 300 + 500);
  instance_.jobs[0].pauses = PauseEffect::lost;
  const RunResult r = run("GreedyP*");
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 1600);
  EXPECT_DOUBLE_EQ(r.lost_work, 500);
  const Metrics m = measure(instance_, r);
  EXPECT_DOUBLE_EQ(m.work_lost, 500.0 / 1100);
  EXPECT_DOUBLE_EQ(m.losses_per_job, 0.5);
}

// 60 MiB out and in at 3 MiB/s: 40 s.
TEST_F(WorldsByHand, ThePenaltyCanFollowFromMemory) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(500, 1, 1, 60, 100);
  options_.swap_rate = 3;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[0].end, 600 + 40 + 500);
  // Two tasks on one node: twice the memory there.
  instance_.jobs[0].tasks = 2;
  instance_.jobs[0].cpu_need = 0.5;
  instance_.jobs[0].rigid[kMemory] = 30;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[0].end, 600 + 40 + 500);
  options_.restart = 7;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[0].end, 600 + 47 + 500);
}

// Keeps the last view of each job.
struct Views final : StepObserver {
  void on_step(const ClusterView& view, std::span<const Event>, const Decisions&) override {
    for (const JobView& job : view.jobs) {
      if (job.state == JobState::absent) continue;
      if (job.state == JobState::waiting) waiting = std::max(waiting, static_cast<int>(job.pauses));
      most_lost = std::max(most_lost, job.lost_runs);
      longest = std::max(longest, job.longest_run);
      EXPECT_TRUE(job.lost_runs < 2 || job.pauses == Pauses::none);
      if (job.state == JobState::running && job.pauses == Pauses::none) {
        EXPECT_TRUE(job.flags.may_not_pause && job.flags.may_not_move);
      }
    }
  }
  int waiting = 0;
  std::uint32_t most_lost = 0;
  Seconds longest = 0;
};

TEST(Worlds, PoliciesSeeWhatPausesDoAndWhatWasLost) {
  const Instance instance = crowded(7, 150);
  for (const char* world : {"kept", "lost", "none", "mixed:0.5/lost"}) {
    SimOptions options = in(world);
    options.lost_work = {30, 2};
    Views views;
    const RunResult r = run(instance, "GreedyP*", options, &views);
    std::uint32_t most = 0;
    for (const JobRecord& job : r.jobs) most = std::max(most, job.lost_runs);
    EXPECT_EQ(views.most_lost, most) << world;
    EXPECT_EQ(views.longest > 0, most > 0) << world;
    EXPECT_EQ(views.waiting, world == std::string("kept")   ? static_cast<int>(Pauses::kept)
                             : world == std::string("none") ? static_cast<int>(Pauses::none)
                                                            : std::max(views.waiting, static_cast<int>(Pauses::lost)));
  }
}

// A record of a run in any world replays step by step, and its jobs are simulated again as they were.
TEST(Worlds, RecordsReplayInEveryWorld) {
  const TemporaryFolder folder;
  for (const char* world :
       {"kept", "none", "lost", "mixed:0.5", "mixed:0.4:2/lost", "suspended", "mixed:0.4:2/suspended"}) {
    for (const char* algorithm : {"GreedyPM*/per/MINVT=600", "Triage"}) {
      const Instance instance = crowded(8);
      SimOptions options = in(world);
      if (options.pauses.some_suspended()) options.swap = {record::SwapSize::Of::memory, 0.75};
      const std::string path = folder / "r.jsonl";
      const auto recorder = or_throw(StepRecorder::create(path, instance, parse_algorithm(algorithm).value(), options));
      const RunResult original = run(instance, algorithm, options, recorder.get());
      or_throw(recorder->finish());
      record::RecordReader reader = or_throw(open_record(path));
      const RecordedRun recorded = or_throw(read_recorded_run(reader, "again"));
      ASSERT_TRUE(recorded.setup.host.has_value());
      EXPECT_EQ(recorded.setup.host->pauses, options.pauses);
      EXPECT_EQ(recorded.setup.host->swap, options.swap);
      EXPECT_EQ(recorded.marked, options.pauses != PauseWorld{}) << world;
      ASSERT_EQ(recorded.instance.jobs.size(), instance.jobs.size());
      std::size_t unseen = 0;  // that ended before another step, so that they were never shown as tied to their nodes
      for (const Job& job : recorded.instance.jobs) {
        const Job& before = instance.jobs[job.id - 1];
        const PauseEffect effect = pauses_of(before, options.pauses);
        const bool never_shown = effect == PauseEffect::suspended && job.pauses == PauseEffect::kept;
        unseen += recorded.marked && never_shown ? 1 : 0;
        EXPECT_TRUE(!recorded.marked || never_shown || job.pauses == effect) << world;
      }
      EXPECT_LT(unseen, instance.jobs.size() / 4) << world;
      std::filesystem::remove(path);
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
