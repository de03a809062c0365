// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with GPUs: a suspended one keeps its own, one that is requeued gives them back, and where Slurm places such jobs
// none is moved (SimOptions::devices_stay). Schedules by hand, and a second count of all GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "policy/core/registry.h"
#include "record/replay.h"
#include "sim/host/step_recorder.h"
#include "sim/workload/recorded.h"
#include "tests/oracle/decision_checker.h"
#include "tests/sim/host/by_hand.h"
#include "tests/sim/host/crowded.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::IsEmpty;

constexpr std::size_t kGpu = 1;

class GpusByHand : public ByHand {
 protected:
  // Nodes with a GPU each.
  void gpu_nodes(std::size_t count) {
    nodes(count);
    instance_.platform.rigid_dims = 2;
    for (NodeSpec& node : instance_.platform.nodes) node.rigid[kGpu] = 1;
    options_.pauses = PauseWorld::all(PauseEffect::suspended);
  }
  void gpu_job(Seconds submit, int tasks, double need, RigidAmount memory, Seconds run_time) {
    job(submit, tasks, need, memory, run_time);
    instance_.jobs.back().rigid[kGpu] = 1;
  }
};

// The first is suspended for the third on node 0, where memory is left for the fifth, but no GPU: it waits until the
// fourth gives back that of node 1. The sixth needs both.
TEST_F(GpusByHand, ASuspendedJobKeepsItsOwn) {
  gpu_nodes(2);
  gpu_job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 600);
  job(500, 1, 1, 60, 1000);
  gpu_job(800, 1, 1, 30, 100);
  gpu_job(810, 1, 1, 30, 100);
  gpu_job(2400, 2, 1, 30, 100);
  for (const char* algorithm : {"GreedyP*", "GreedyPM*"}) {
    const RunResult r = run(algorithm);
    EXPECT_EQ(r.jobs[0].pauses, 1U) << algorithm;
    EXPECT_DOUBLE_EQ(r.jobs[0].end, 1500 + 300 + 500) << algorithm;
    EXPECT_DOUBLE_EQ(r.jobs[3].start, 800) << algorithm;
    EXPECT_DOUBLE_EQ(r.jobs[4].start, 900) << algorithm;
    EXPECT_DOUBLE_EQ(r.jobs[5].start, 2400) << algorithm;
  }
  options_.pauses = PauseWorld{};
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[4].start, 810);
}

TEST_F(GpusByHand, NoneIsSuspendedForItsGpu) {
  gpu_nodes(1);
  gpu_job(0, 1, 1, 60, 1000);
  gpu_job(500, 1, 1, 60, 100);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 1000);
  EXPECT_DOUBLE_EQ(run("Triage").jobs[1].start, 1000);
  instance_.jobs[1].rigid[kGpu] = 0;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 500) << "for its memory it is";
  instance_.jobs[1].rigid[kGpu] = 1;
  options_.pauses = PauseWorld{};
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 500) << "a requeue gives it back";
}

// Only node 0 has the memory for the second, and the first is there.
TEST_F(GpusByHand, WhereSlurmPlacesItAJobIsRequeuedRatherThanMoved) {
  gpu_nodes(2);
  instance_.platform.nodes[0].rigid[kMemory] = 200;
  gpu_job(0, 1, 0.4, 60, 1000);
  job(500, 1, 0.4, 180, 2000);
  job(510, 1, 0.4, 10, 10);
  for (const PauseEffect effect : {PauseEffect::kept, PauseEffect::lost}) {
    options_.pauses = PauseWorld::all(effect);
    const bool kept = effect == PauseEffect::kept;
    options_.devices_stay = false;
    const JobRecord moved = run("GreedyPM*").jobs[0];
    EXPECT_EQ(moved.moves, 1U);
    EXPECT_DOUBLE_EQ(moved.end, kept ? 500 + 300 + 500 : 500 + 1000);
    options_.devices_stay = true;
    const JobRecord requeued = run("GreedyPM*").jobs[0];
    EXPECT_EQ(requeued.moves, 0U);
    EXPECT_EQ(requeued.pauses, 1U);
    // On node 1, at the next event.
    EXPECT_DOUBLE_EQ(requeued.end, kept ? 520 + 300 + 500 : 520 + 1000);
  }
  // A job without GPUs is moved all the same.
  instance_.jobs[0].rigid[kGpu] = 0;
  EXPECT_EQ(run("GreedyPM*").jobs[0].moves, 1U);
}

// The least progress of a run holds for it as for others.
TEST_F(GpusByHand, IsRequeuedAfterItsLeastProgress) {
  gpu_nodes(1);
  options_.pauses = PauseWorld{};
  options_.devices_stay = true;
  options_.lost_work.requeue_kept = true;
  gpu_job(0, 1, 1, 60, 1000);
  job(59, 1, 1, 60, 100);
  EXPECT_DOUBLE_EQ(run("GreedyPM*").jobs[1].start, 60);
  options_.lost_work.min_progress = 100;
  EXPECT_DOUBLE_EQ(run("GreedyPM*").jobs[1].start, 100);
}

// Counts the GPUs that jobs hold from decisions alone: suspended ones keep them until they end.
class GpuCount final : public StepObserver {
 public:
  GpuCount(const Instance& instance, const SimOptions& options) : instance_(instance), options_(options) {}

  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    for (const Event& event : events) {
      if (event.kind == EventKind::completed) held_.erase(event.job);
    }
    std::size_t idle = 0;
    for (const Decision& decision : decisions.placements) {
      const Job& job = instance_.jobs[decision.job];
      if (job.rigid[kGpu] == 0) continue;
      EXPECT_NE(decision.kind, DecisionKind::move) << "job " << job.id;
      const bool keeps = pauses_of(job, options_.pauses) == PauseEffect::suspended;
      if (decision.kind == DecisionKind::pause) {
        idle += keeps ? 1 : 0;
        if (!keeps) held_.erase(decision.job);
        continue;
      }
      const auto nodes = decisions.nodes_of(decision);
      held_[decision.job] = {nodes.begin(), nodes.end()};
    }
    kept_while_paused_ += idle;
    std::vector<RigidAmount> left;
    for (const NodeSpec& node : instance_.platform.nodes) left.push_back(node.rigid[kGpu]);
    for (const auto& [job, nodes] : held_) {
      for (const NodeIndex n : nodes) left[n] -= instance_.jobs[job].rigid[kGpu];
    }
    for (const RigidAmount here : left) EXPECT_GE(here, 0) << "at " << view.now;
  }
  std::size_t kept_while_paused() const { return kept_while_paused_; }

 private:
  const Instance& instance_;
  const SimOptions& options_;
  std::map<JobSlot, std::vector<NodeIndex>> held_;
  std::size_t kept_while_paused_ = 0;
};

// Each node has two GPUs, and half of the jobs want one for each of their tasks.
Instance crowded_with_gpus(std::uint64_t seed) {
  Instance instance = crowded(seed, 100);
  instance.platform.rigid_dims = 2;
  for (NodeSpec& node : instance.platform.nodes) node.rigid[kGpu] = 2;
  oracle::Dice dice(seed);
  for (Job& job : instance.jobs) job.rigid[kGpu] = dice.chance(50) ? 1 : 0;
  return instance;
}

class Both final : public StepObserver {
 public:
  Both(StepObserver& a, StepObserver& b) : a_(a), b_(b) {}
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    a_.on_step(view, events, decisions);
    b_.on_step(view, events, decisions);
  }

 private:
  StepObserver& a_;
  StepObserver& b_;
};

// Records show nodes and jobs with fewer; who reads them gets what they really have.
TEST(GpusRandom, RecordsHaveAllOfThem) {
  const TemporaryFolder folder;
  for (const char* algorithm : {"GreedyP*", "Triage"}) {
    const Instance instance = crowded_with_gpus(4);
    SimOptions options;
    options.pauses = PauseWorld::all(PauseEffect::suspended);
    const std::string path = folder / std::string(algorithm).substr(0, 6) + ".jsonl";
    const auto recorder = or_throw(StepRecorder::create(path, instance, parse_algorithm(algorithm).value(), options));
    const RunResult r = or_throw(simulate(instance, parse_algorithm(algorithm).value(), options, recorder.get()));
    or_throw(recorder->finish());
    record::RecordReader reader = or_throw(open_record(path));
    const RecordedRun recorded = or_throw(read_recorded_run(reader, "again"));
    EXPECT_EQ(recorded.instance.platform.nodes, instance.platform.nodes);
    EXPECT_THAT(recorded.notes, IsEmpty());
    std::uint32_t pauses = 0;
    for (const Job& job : recorded.instance.jobs) {
      EXPECT_EQ(job.rigid, instance.jobs[job.id - 1].rigid) << "job " << job.id;
      pauses += instance.jobs[job.id - 1].rigid[kGpu] > 0 ? r.jobs[job.id - 1].pauses : 0;
    }
    EXPECT_GT(pauses, 0U);
    record::RecordReader again = or_throw(open_record(path));
    const auto replayed = record::replay(again);
    ASSERT_TRUE(replayed);
    EXPECT_FALSE(replayed->difference);
  }
}

TEST(GpusRandom, NoneIsGivenToTwoJobs) {
  for (const char* world : {"suspended", "mixed:0.5/suspended", "kept", "lost"}) {
    std::size_t kept_while_paused = 0;
    for (const char* algorithm :
         {"EASY/shared", "Greedy*", "GreedyP*", "GreedyPM*/per/MINVT=600", "MCB8*", "/per", "/stretch-per",
          "LAS/queues=2", "GANG/jobs=2", "Triage", "Triage/LIMITS", "Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=FEW"}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Instance instance = crowded_with_gpus(seed);
        SimOptions options;
        options.pauses = record::parse_world(world).value();
        options.devices_stay = true;
        options.lost_work.requeue_kept = true;
        options.swap =
            options.pauses.some_suspended() ? record::SwapSize{record::SwapSize::Of::node, 90} : record::SwapSize{};
        GpuCount count(instance, options);
        oracle::DecisionChecker checker;
        Both both(count, checker);
        const RunResult seen = or_throw(simulate(instance, parse_algorithm(algorithm).value(), options, &both));
        EXPECT_THAT(checker.violations(), IsEmpty()) << algorithm << " " << world;
        kept_while_paused += count.kept_while_paused();
        const RunResult unseen = or_throw(simulate(instance, parse_algorithm(algorithm).value(), options));
        for (std::size_t k = 0; k < instance.jobs.size(); ++k) EXPECT_EQ(seen.jobs[k].end, unseen.jobs[k].end);
      }
    }
    EXPECT_EQ(kept_while_paused > 0, record::parse_world(world)->some_suspended()) << world;
  }
}

}  // namespace
}  // namespace dfrs::sim
