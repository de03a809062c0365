// SPDX-License-Identifier: GPL-2.0-or-later
// Triage's rules one by one, with numbers worked out by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "policy/core/algorithm.h"
#include "policy/triage/harm_placer.h"
#include "policy/triage/options.h"
#include "policy/triage/urgency.h"
#include "policy/triage/weight_watch.h"
#include "policy/triage/weights.h"
#include "sim/host/simulation.h"
#include "sim/metrics/metrics.h"
#include "sim/workload/lublin.h"
#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

const TriageOptions kDefaults;

// Submitted at 0; `progress` s of virtual time.
JobView job_with(JobState state, Seconds progress) {
  JobView job;
  job.state = state;
  job.clock.base = progress;
  return job;
}

TEST(TriageUrgency, OfANewJobIsItsStretchIfItIsShort) {
  JobView job = job_with(JobState::waiting, 0);
  EXPECT_DOUBLE_EQ(triage::urgency(job, {40}, kDefaults), (40 + 60) / 10.0);
  job.weight = 2;
  EXPECT_DOUBLE_EQ(triage::urgency(job, {40}, kDefaults), 20);
}

TEST(TriageUrgency, OfAPausedJobIsItsStretchAfterThePenalty) {
  JobView job = job_with(JobState::paused, 100);
  EXPECT_DOUBLE_EQ(triage::urgency(job, {250}, kDefaults), (250 + 300) / 100.0);
  job.penalty = 900;  // known of this job
  EXPECT_DOUBLE_EQ(triage::urgency(job, {250}, kDefaults), (250 + 900) / 100.0);
  job.penalty = -1;
  EXPECT_DOUBLE_EQ(triage::urgency(job, {250}, {.penalty = 0}), 2.5);
}

TEST(TriageUrgency, AboveThreeAStretchCountsByItsSquareRoot) {
  JobView job = job_with(JobState::paused, 100);
  EXPECT_DOUBLE_EQ(triage::urgency(job, {1200}, kDefaults), 6 + 300 / 100.0);
  job.weight = 2;
  EXPECT_DOUBLE_EQ(triage::urgency(job, {1200}, kDefaults), 2 * (6 + 300 / 100.0));
  EXPECT_DOUBLE_EQ(triage::pause_cost(job_with(JobState::running, 100), {1200}, kDefaults), 6 + (300 + 750) / 100.0);
  // A job that has not run yet may be short.
  EXPECT_DOUBLE_EQ(triage::urgency(job_with(JobState::waiting, 0), {1200}, kDefaults), (1200 + 60) / 10.0);
  // Where run times are known, all of it counts.
  EXPECT_DOUBLE_EQ(triage::urgency(job_with(JobState::paused, 100), {1200}, kDefaults, 100), (1200 + 300) / 100.0);
}

TEST(TriageUrgency, AJobAsWideAsTheClusterHasHalfOfTheHold) {
  JobView job = job_with(JobState::running, 200);
  job.tasks = 4;
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {200, 1, 8}, kDefaults), (200 + 300 + 562.5) / 200.0);
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {200, 1, 4}, kDefaults), (200 + 300 + 375) / 200.0);
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {200, 1, 2}, kDefaults), (200 + 300 + 375) / 200.0);
}

TEST(TriageUrgency, PauseCostIsTheStretchThePauseWouldLeadTo) {
  JobView job = job_with(JobState::running, 200);
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {200}, kDefaults), (200 + 300 + 750) / 200.0);
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {200}, {.penalty = 0}), (200 + 750) / 200.0);
  job.weight = 0.5;
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {200}, kDefaults), 3.125);
}

TEST(TriageUrgency, AllTimesAreInProportionToTheScale) {
  const TriageOptions hundredth{.time_scale = 0.01};
  EXPECT_DOUBLE_EQ(triage::urgency(job_with(JobState::waiting, 0), {0.4}, hundredth),
                   triage::urgency(job_with(JobState::waiting, 0), {40}, kDefaults));
  EXPECT_DOUBLE_EQ(triage::pause_cost(job_with(JobState::running, 2), {3}, hundredth),
                   triage::pause_cost(job_with(JobState::running, 200), {300}, kDefaults));
}

TEST(TriageUrgency, ALostRunIsKnownToBeTooShortAndHasNothingToReadBack) {
  JobView job = job_with(JobState::paused, 0);
  job.pauses = Pauses::lost;
  job.lost_runs = 1;
  job.longest_run = 50;
  EXPECT_DOUBLE_EQ(triage::urgency(job, {500}, kDefaults), 500 / 50.0);
}

TEST(TriageUrgency, ALossCostsTwiceTheStretchItWouldLeadToAndDoublesEachTime) {
  JobView job = job_with(JobState::running, 100);
  job.pauses = Pauses::lost;
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {100}, kDefaults), 2 * (100 + 100) / 100.0);
  job.lost_runs = 2;
  job.longest_run = 400;
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {900}, kDefaults), 2 * 4 * (900 + 100) / 400.0);
  job.penalty = 160;  // the host knows that a new start takes a minute
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {900}, kDefaults), 2 * 4 * (900 + 160) / 400.0);
}

TEST(TriageWeights, WideJobsGetMoreAndThoseThatHoldTheirMemoryShareEqually) {
  JobView job = job_with(JobState::running, 40);
  job.tasks = 16;
  EXPECT_DOUBLE_EQ(triage::yield_weight(job, {120}, kDefaults), 2 * 4.5);
  job.pauses = Pauses::none;
  EXPECT_DOUBLE_EQ(triage::yield_weight(job, {120}, kDefaults), 1);
  const triage::Instant beside_others{.now = 120, .any_kept = true};
  EXPECT_DOUBLE_EQ(triage::yield_weight(job, beside_others, kDefaults), 2 * 4.5) << "others can be paused";
}

TEST(TriageWeights, GrowWithTheStretchAndFallWithTheProgress) {
  const auto weight = [](Seconds progress, Seconds now, double user = 1) {
    JobView job = job_with(JobState::running, progress);
    job.weight = user;
    return triage::yield_weight(job, {now}, kDefaults);
  };
  EXPECT_DOUBLE_EQ(weight(0, 5), 1) << "no stretch below 1";
  EXPECT_DOUBLE_EQ(weight(40, 40), 0.5);
  EXPECT_DOUBLE_EQ(weight(40, 120), 4.5) << "stretch 3";
  EXPECT_DOUBLE_EQ(weight(40, 120, 2), 8 * 4.5) << "at the same weight its stretch is half";
}

Seconds look_again(const JobView& job, const triage::Instant& at, double yield, const TriageOptions& options) {
  triage::WeightWatch watch(job, at, yield, options);
  for (Seconds so_far = 0; !watch.known(); watch.step(options)) {
    EXPECT_LE(so_far, watch.at_least());
    so_far = watch.at_least();
  }
  return watch.at_least();
}

TEST(TriageWeights, AreLookedAtAgainWhenTheyHaveDoubledOrHalved) {
  JobView job = job_with(JobState::running, 10);
  // Submitted 10 s ago and at full speed since: (v / 10)^-0.5 is a half from v = 40 on; the first of 10 + 10, 20, 40 s.
  EXPECT_DOUBLE_EQ(look_again(job, {10}, 1, kDefaults), 50);
  // Nearly standing still: f^2 has doubled at 14.1 s; 20 s is the first look.
  EXPECT_DOUBLE_EQ(look_again(job, {10}, 0.001, kDefaults), 20);
  // At yield 0.5 stretch grows and progress does, too: at 170 s (170 / 90)^2 / 3 = 1.19, at 330 (330 / 170)^2 / 4.12 =
  // 0.91, at 2570 (2570 / 1290)^2 / 11.4 = 0.35, and at 1290 (1290 / 650)^2 / 8.06 = 0.49: then, at the next multiple
  // of 300 s.
  EXPECT_DOUBLE_EQ(look_again(job, {10}, 0.5, kDefaults), 1500);
}

// Skipping impossible steps gives the same result as taking them one by one.
TEST(TriageWeights, AreLookedAtAgainAtTheFirstInstantThatIsLateEnough) {
  int later = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    oracle::Dice dice(seed);
    TriageOptions options;
    options.time_scale = dice.chance(70) ? 1 : 0.015625;
    options.stretch_power = 0.5 * dice.between(0, 8);
    options.age_power = 0.5 * dice.between(0, 6);
    JobView job = job_with(JobState::running, options.time_scale * std::pow(10.0, 6 * dice.uniform() - 1));
    job.submit = -options.time_scale * std::pow(10.0, 6 * dice.uniform() - 1);
    const double yield = dice.chance(20) ? 1 : std::pow(10.0, -4 * dice.uniform());
    const Seconds now = dice.chance(50) ? 0 : 1234.5;
    const Seconds flow = job.flow_time(now);
    const Seconds progress = job.virtual_time(now);
    const double weight = triage::weight_at(1, flow, progress, options);
    Seconds expected = kNever;
    int k = 0;
    for (; k < 40 && expected == kNever; ++k) {
      const Seconds ahead = std::ldexp(10 * options.time_scale, k);
      const double then = triage::weight_at(1, flow + ahead, progress + yield * ahead, options);
      if (then < 2 * weight * (1 - 1e-9) && weight < 2 * then * (1 - 1e-9)) continue;
      const Seconds coarse = 300 * options.time_scale;
      expected = ahead < coarse ? now + ahead : std::ceil((now + ahead) / coarse) * coarse;
    }
    ASSERT_EQ(look_again(job, {now}, yield, options), expected) << "seed " << seed;
    later += k > 3 ? 1 : 0;
  }
  EXPECT_GT(later, 1000);
}

struct HandRun {
  sim::RunResult result;
  std::map<JobSlot, std::vector<NodeIndex>> nodes;  // where each job was last put
  std::map<JobSlot, double> yields;                 // and the first yield it had
};

struct Recorder final : sim::StepObserver {
  explicit Recorder(HandRun& to) : run(to) {}
  void on_step(const ClusterView&, std::span<const Event>, const Decisions& decisions) override {
    for (const Decision& d : decisions.placements) {
      const auto nodes = decisions.nodes_of(d);
      if (!nodes.empty()) run.nodes[d.job].assign(nodes.begin(), nodes.end());
    }
    for (const YieldChange& change : decisions.yields) run.yields.emplace(change.job, change.yield);
  }
  HandRun& run;
};

sim::SimOptions in_world(record::PauseEffect pauses) {
  sim::SimOptions options;
  options.pauses = record::PauseWorld::all(pauses);
  return options;
}

// Nodes of CPU 1 and 100 MiB.
HandRun run(std::size_t nodes, std::vector<sim::Job> jobs, const char* algorithm = "Triage",
            record::PauseEffect pauses = record::PauseEffect::kept) {
  sim::Instance instance;
  instance.name = "hand";
  instance.platform = sim::Platform::homogeneous(nodes, 100);
  instance.jobs = std::move(jobs);
  HandRun seen;
  Recorder recorder(seen);
  seen.result = or_throw(sim::simulate(instance, parse_algorithm(algorithm).value(), in_world(pauses), &recorder));
  return seen;
}

sim::Job job(Seconds submit, Seconds run_time, RigidAmount memory, double need = 1, int tasks = 1) {
  sim::Job job;
  job.submit = submit;
  job.run_time = job.estimate = run_time;
  job.rigid[kMemory] = memory;
  job.cpu_need = need;
  job.tasks = tasks;
  return job;
}

TEST(TriageAdmission, ALongJobMakesRoomAtOnceAndComesBackWithThePenalty) {
  // At 1000 s the newcomer's urgency is 6, the pause of the other costs (1000 + 600) / 1000.
  const HandRun r = run(1, {job(0, 10000, 100), job(1000, 10, 100)});
  EXPECT_DOUBLE_EQ(r.result.jobs[1].start, 1000);
  EXPECT_EQ(r.result.jobs[0].pauses, 1u);
  EXPECT_DOUBLE_EQ(r.result.jobs[0].end, 1010 + 300 + 9000);
}

TEST(TriageAdmission, AYoungJobIsLetAloneUntilThePauseCostsLess) {
  // At t the newcomer of 10 s has the urgency (t - 10 + 60) / 10, the other's pause costs (t + 675) / t. The first is
  // the greater one where t^2 + 40 t > 6750: from 65 s on. The queue is looked at when the wait has grown by a tenth.
  const HandRun r = run(1, {job(0, 10000, 100), job(10, 10, 100)});
  EXPECT_GT(r.result.jobs[1].start, 64);
  EXPECT_LT(r.result.jobs[1].start, 70);
}

TEST(TriageAdmission, NobodyIsPausedWithoutNeed) {
  // The newcomer needs 60 MiB. The oldest job is the cheapest to pause but frees only 10; with the next one there is
  // room, and the oldest need not go.
  const HandRun r = run(1, {job(0, 50000, 10, 0.1), job(1000, 50000, 60, 0.1), job(5000, 10, 60, 0.1)});
  EXPECT_DOUBLE_EQ(r.result.jobs[2].start, 5000);
  EXPECT_EQ(r.result.jobs[0].pauses, 0u);
  EXPECT_EQ(r.result.jobs[1].pauses, 1u);
}

TEST(TriageAdmission, ACrowdedNewcomerMakesRoomOfItsOwn) {
  // Memory would let the newcomer in beside the two on node 0, with a third of its CPU; node 1 is full. To be slowed
  // down threefold is worse than what a pause does to the long job on node 1, (10000 + 1050) / 10000 at most.
  const std::vector<sim::Job> jobs{job(0, 90000, 40), job(0, 90000, 100), job(1, 90000, 40), job(10000, 100, 10)};
  const HandRun r = run(2, jobs);
  EXPECT_EQ(r.result.jobs[1].pauses, 1u);
  EXPECT_DOUBLE_EQ(r.yields.at(3), 1);
  // Half of the CPU is enough to share.
  EXPECT_EQ(run(2, jobs, "Triage/ROOM=0.3").result.jobs[1].pauses, 0u);
}

TEST(TriageUrgency, WhoServesAPenaltyLosesWhatItHasServed) {
  JobView job = job_with(JobState::running, 200);
  job.clock.since = 600;  // 100 s to go, 200 served
  EXPECT_DOUBLE_EQ(triage::pause_cost(job, {500}, kDefaults), (500 + 200 + 750) / 200.0);
}

TEST(TriageAdmission, ThePausedNeedAMargin) {
  // Two long jobs of equal age take turns no more often than margin and penalty allow.
  const HandRun r = run(1, {job(0, 20000, 100), job(0, 20000, 100)});
  EXPECT_LE(r.result.jobs[0].pauses + r.result.jobs[1].pauses, 20u);
  EXPECT_GE(r.result.jobs[0].pauses + r.result.jobs[1].pauses, 1u);
}

TEST(TriageLostWork, AJobWaitsForAPartOfTheProgressThatItsStartCosts) {
  // Urgency passes the cost, 2 x (t + t) / t = 4, at once; the wait w is 1/24 of the progress, 1000 + w, at 43.5 s.
  const HandRun r = run(1, {job(0, 10000, 100), job(1000, 10, 100)}, "Triage", record::PauseEffect::lost);
  EXPECT_GT(r.result.jobs[1].start, 1043.4);
  EXPECT_LT(r.result.jobs[1].start, 1048.5);
  EXPECT_EQ(r.result.jobs[0].lost_runs, 1u);
  EXPECT_DOUBLE_EQ(r.result.jobs[0].end, r.result.jobs[1].end + 10000);
}

TEST(TriageLostWork, TheRunThatLosesLeastIsEnded) {
  // At 3000 s either would do; the younger has done less. The older would be the one to be paused.
  const std::vector<sim::Job> jobs{job(0, 50000, 50, 0.1), job(1000, 50000, 50, 0.1), job(3000, 10, 50, 0.1)};
  const HandRun r = run(1, jobs, "Triage", record::PauseEffect::lost);
  EXPECT_EQ(r.result.jobs[0].lost_runs, 0u);
  EXPECT_EQ(r.result.jobs[1].lost_runs, 1u);
  EXPECT_EQ(run(1, jobs).result.jobs[0].pauses, 1u);
}

// The bound of docs/reference/triage.md: no job loses more than the host's limit of runs, each shorter than the job.
TEST(TriageLostWork, IsAtMostTheLimitTimesTheWork) {
  const Algorithm triage = parse_algorithm("Triage").value();
  std::uint32_t most = 0;
  for (std::uint64_t seed = 1001; seed <= 1000 + oracle::cases(10); ++seed) {
    sim::LublinOptions lublin;
    lublin.seed = seed;
    lublin.jobs = 200;
    lublin.nodes = 16;
    const sim::Instance instance = or_throw(sim::lublin_instance(lublin));
    for (const std::uint32_t limit : {0u, 1u, 3u, 1000u}) {
      sim::SimOptions options = in_world(record::PauseEffect::lost);
      options.lost_work.max_lost_runs = limit;
      const sim::RunResult result = or_throw(sim::simulate(instance, triage, options));
      for (std::size_t k = 0; k < result.jobs.size(); ++k) {
        const sim::JobRecord& record = result.jobs[k];
        EXPECT_GT(record.end, instance.jobs[k].submit) << "it ends";
        EXPECT_LE(record.lost_runs, limit);
        EXPECT_LE(record.lost_time, record.lost_runs * instance.jobs[k].run_time);
        most = std::max(most, record.lost_runs);
      }
    }
  }
  EXPECT_GT(most, 1u);
}

sim::Job job_of(std::uint32_t user, Seconds submit, Seconds run_time, RigidAmount memory) {
  sim::Job made = job(submit, run_time, memory, 0.1);
  made.user = user;
  return made;
}

TEST(TriageMemoryShares, LeaveRoomForOtherUsers) {
  // Three fill a node, so each counts as 33. 66 <= 3 x (100 - 66), but 99 > 3 x (100 - 99): the third job waits for the
  // first, and another user finds room. A third user, who holds nothing, is there throughout.
  std::vector<sim::Job> jobs{job_of(1, 0, 1000, 30), job_of(1, 0, 2000, 30), job_of(1, 0, 1000, 30),
                             job_of(3, 0, 5000, 0), job_of(2, 10, 100, 40)};
  const HandRun r = run(1, jobs, "Triage", record::PauseEffect::none);
  EXPECT_DOUBLE_EQ(r.result.jobs[1].start, 0);
  EXPECT_DOUBLE_EQ(r.result.jobs[2].start, 1000);
  EXPECT_DOUBLE_EQ(r.result.jobs[4].start, 10);
  const std::vector<sim::Job> alone(jobs.begin(), jobs.begin() + 3);
  EXPECT_DOUBLE_EQ(run(1, alone, "Triage", record::PauseEffect::none).result.jobs[2].start, 0)
      << "nobody to share with";
  for (sim::Job& one : jobs) one.user = 0;
  EXPECT_DOUBLE_EQ(run(1, jobs, "Triage", record::PauseEffect::none).result.jobs[2].start, 0) << "users are not known";
  for (sim::Job& one : jobs) one.user = 1;
  EXPECT_DOUBLE_EQ(run(1, jobs).result.jobs[2].start, 0) << "where pauses are free there are no shares";
}

TEST(TriageMemoryShares, AWidthThatHoldsNothingStarts) {
  std::vector<sim::Job> jobs{job_of(1, 0, 1000, 30), job_of(1, 0, 1000, 30), job_of(1, 1, 10, 15), job_of(3, 1, 50, 0)};
  jobs[2].tasks = 2;
  EXPECT_DOUBLE_EQ(run(1, jobs, "Triage", record::PauseEffect::none).result.jobs[2].start, 1);
}

TEST(TriageMemoryShares, AProbeStartsAfterAWhile) {
  // 79 > 3 x (100 - 79), but 4 is less than 0.3 x 25, which takes a progress of 18000 s x 4 / 25. Of two the latest
  // submission goes first; it is short, so the other need not wait as long again.
  const std::vector<sim::Job> jobs{job_of(3, 0, 50000, 0),  job_of(1, 0, 20000, 25), job_of(1, 0, 20000, 25),
                                   job_of(1, 0, 20000, 25), job_of(1, 0, 10, 4),     job_of(1, 1, 10, 4)};
  const HandRun r = run(1, jobs, "Triage", record::PauseEffect::none);
  EXPECT_GE(r.result.jobs[5].start, 2880);
  EXPECT_LE(r.result.jobs[5].start, 3180);
  EXPECT_DOUBLE_EQ(r.result.jobs[4].start, r.result.jobs[5].end);
}

TEST(TriageMemoryShares, TasksThatFillANodeCountAsAllOfIt) {
  // Two jobs of 40 leave no room for a third, so they count as all memory: one of 15 waits, although it would fit.
  const std::vector<sim::Job> jobs{job_of(1, 0, 1000, 40), job_of(2, 0, 1000, 40), job_of(1, 0, 10, 15)};
  EXPECT_DOUBLE_EQ(run(1, jobs, "Triage", record::PauseEffect::none).result.jobs[2].start, 1000);
}

TEST(TriageMemoryShares, NoProbeStartsWhileAJobWaitsForMemory) {
  const std::vector<sim::Job> jobs{job_of(3, 0, 50000, 0),  job_of(1, 0, 20000, 25), job_of(1, 0, 20000, 25),
                                   job_of(1, 0, 20000, 25), job_of(1, 0, 10, 4),     job_of(4, 1, 10, 60)};
  const HandRun r = run(1, jobs, "Triage", record::PauseEffect::none);
  EXPECT_DOUBLE_EQ(r.result.jobs[5].start, 20000);
  EXPECT_DOUBLE_EQ(r.result.jobs[4].start, 20000);
}

TEST(TriagePlacement, FillsNodesThatHaveCpuLeftBeforeOthers) {
  const HandRun r = run(2, {job(0, 500, 1, 0.5), job(0, 500, 1, 0.25), job(0, 500, 1, 0.5)});
  EXPECT_EQ(r.nodes.at(0), r.nodes.at(1)) << "a half full node before an empty one";
  EXPECT_NE(r.nodes.at(0), r.nodes.at(2)) << "no node is overloaded while another has room";
}

TEST(TriagePlacement, OverloadsWhereLeastIsLost) {
  // Node 0 has 0.75, node 1 0.5: the job of need 1 would have 1 / 1.75 there and 1 / 1.5 here.
  const HandRun r =
      run(2, {job(0, 500, 1, 0.5), job(0, 500, 1, 0.25), job(0, 500, 1, 0.5), job(1, 500, 1, 1)}, "Triage/MOVE=NONE");
  EXPECT_EQ(r.nodes.at(3), r.nodes.at(2));
  EXPECT_DOUBLE_EQ(r.yields.at(3), 1 / 1.5);
}

TEST(TriagePlacement, AGangIsSlowedDownOnce) {
  // A gang runs on nodes 0 and 1, single jobs on 2 and 3. A new gang of two tasks goes to both nodes of the first,
  // which loses half once, rather than to those of the single jobs, which would both lose half: equal CPU is lost by
  // residents either way (2 tasks x 1/2), so the first node decides, and the second costs nothing more.
  const HandRun r = run(4, {job(0, 500, 1, 1, 2), job(0, 500, 1), job(0, 500, 1), job(100, 500, 1, 1, 2)});
  EXPECT_EQ(r.nodes.at(0), (std::vector<NodeIndex>{0, 1}));
  EXPECT_EQ(r.nodes.at(3).size(), 2u);
  EXPECT_NE(r.nodes.at(3)[0], r.nodes.at(3)[1]);
}

TEST(TriageMoves, AJobIsMovedWhenTheCpuGainedOutweighsThePenalty) {
  // Two long jobs share node 0 because node 1's memory was taken when the second came; at 1000 s node 1 is free.
  const std::vector<sim::Job> jobs{job(0, 100000, 40), job(0, 1000, 100), job(0, 100000, 40)};
  const HandRun moved = run(2, jobs);
  EXPECT_EQ(moved.result.jobs[0].moves + moved.result.jobs[2].moves, 1u);
  const HandRun stays = run(2, jobs, "Triage/MOVE=NONE");
  EXPECT_EQ(stays.result.jobs[0].moves + stays.result.jobs[2].moves, 0u);
}

TEST(TriageStarvation, AWideJobGetsIntoAStreamOfShortOnes) {
  // Every second brings two jobs of 8 s that fill half a node each, which is four times what two nodes can do. The wide
  // job needs both nodes. Running jobs are paused for it as soon as it is worse off, so it starts before the stream
  // ends.
  std::vector<sim::Job> jobs{job(0, 600, 100, 1, 2)};
  for (int k = 0; k < 3000; ++k) jobs.push_back(job(k / 2, 8, 50, 0.5));
  std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.submit < b.submit; });
  jobs[0].submit = 0;
  sim::Job wide = job(100, 600, 100, 1, 2);
  jobs.insert(jobs.begin() + 201, wide);
  const HandRun r = run(2, jobs);
  EXPECT_LT(r.result.jobs[201].start - 100, 1200);
  double worst = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (k != 201) worst = std::max(worst, sim::bounded_stretch(jobs[k], r.result.jobs[k], 10));
  }
  EXPECT_LT(sim::bounded_stretch(jobs[201], r.result.jobs[201], 10), worst) << "four times too much work delays all";
}

sim::Instance weighted(double (*weight)(std::size_t)) {
  sim::LublinOptions options;
  options.seed = 1001;
  options.jobs = 300;
  options.nodes = 32;
  sim::Instance instance = or_throw(sim::lublin_instance(options));
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) instance.jobs[k].weight = weight(k);
  return instance;
}

TEST(TriageUserWeights, ACommonWeightChangesNothing) {
  const Algorithm triage = parse_algorithm("Triage").value();
  const sim::RunResult one = or_throw(sim::simulate(weighted([](std::size_t) { return 1.0; }), triage, {}));
  const sim::RunResult third = or_throw(sim::simulate(weighted([](std::size_t) { return 1.0 / 3; }), triage, {}));
  const sim::RunResult many = or_throw(sim::simulate(weighted([](std::size_t) { return 1000.7; }), triage, {}));
  for (std::size_t k = 0; k < one.jobs.size(); ++k) {
    EXPECT_EQ(one.jobs[k].end, third.jobs[k].end) << k;
    EXPECT_EQ(one.jobs[k].end, many.jobs[k].end) << k;
    EXPECT_EQ(one.jobs[k].pauses, third.jobs[k].pauses) << k;
  }
}

// Jobs of all lengths share a node, `population` at a time: whenever one ends the next comes. Every second one has
// weight 2. The ratio of the mean stretches of the two kinds.
double stretch_of_weight_two(Seconds length, std::size_t population) {
  constexpr std::array<double, 8> kLengths{1, 0.3, 2.5, 0.7, 1.6, 0.5, 4, 0.2};
  constexpr std::size_t kJobs = 160;
  std::vector<sim::Job> jobs;
  const auto add = [&](Seconds submit) {
    const std::size_t k = jobs.size();
    jobs.push_back(job(submit, length * kLengths[k / 2 % kLengths.size()], 6));
    jobs.back().weight = k % 2 == 0 ? 2 : 1;
  };
  while (jobs.size() < population) add(0);
  for (;;) {
    const HandRun r = run(1, jobs);
    if (jobs.size() == kJobs) {
      double sum[2] = {0, 0};
      for (std::size_t k = 16; k + 16 < kJobs; ++k) sum[k % 2] += sim::bounded_stretch(jobs[k], r.result.jobs[k], 10);
      return sum[0] / sum[1];
    }
    std::vector<Seconds> ends;
    for (const sim::JobRecord& record : r.result.jobs) ends.push_back(record.end);
    std::sort(ends.begin(), ends.end());
    add(ends[jobs.size() - population]);
  }
}

TEST(TriageUserWeights, TwiceTheWeightIsHalfTheStretchUnderContention) {
  for (const Seconds length : {100, 1000}) {
    for (const std::size_t population : {4, 8, 16}) {
      EXPECT_NEAR(stretch_of_weight_two(length, population), 0.5, 0.05) << length << " s, " << population << " jobs";
    }
  }
}

}  // namespace
}  // namespace dfrs
