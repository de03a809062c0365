// SPDX-License-Identifier: GPL-2.0-or-later
// Conservative backfilling and dynP: hand-made schedules, a plain second implementation, and invariants.
#include "policy/batch/conservative.h"
#include "policy/batch/options.h"

#include <gtest/gtest.h>

#include <map>

#include "policy/core/registry.h"
#include "policy/dynp/dynp_policy.h"
#include "sim/host/simulation.h"
#include "tests/oracle/full_schedule.h"
#include "tests/oracle/random_instance.h"

namespace dfrs {
namespace {

using sim::Instance;
using sim::Job;

Instance machine(int nodes, const std::vector<Job>& jobs) {
  Instance instance;
  instance.name = "hand-made";
  instance.platform = sim::Platform::homogeneous(static_cast<std::size_t>(nodes), 0);
  instance.jobs = jobs;
  for (std::size_t k = 0; k < jobs.size(); ++k) instance.jobs[k].id = k + 1;
  return instance;
}

Job job(Seconds submit, int width, Seconds run_time, Seconds estimate, Seconds reserved = 0) {
  Job j;
  j.submit = submit;
  j.tasks = width;
  j.run_time = run_time;
  j.estimate = estimate;
  j.reserved_start = reserved;
  return j;
}
Job job(Seconds submit, int width, Seconds run_time) { return job(submit, width, run_time, run_time); }

std::vector<Seconds> starts(const Instance& instance, const Algorithm& algorithm) {
  std::vector<Seconds> out;
  for (const sim::JobRecord& record : or_throw(sim::simulate(instance, algorithm, {})).jobs)
    out.push_back(record.start);
  return out;
}
std::vector<Seconds> starts(const Instance& instance, const char* name) {
  return starts(instance, parse_algorithm(name).value());
}
using Starts = std::vector<Seconds>;

// Four nodes; b to e are submitted at 1.
//   a runs 0-10 on 3; b wants all 4 for 10; c 1 for 9; d 1 for 5; e 2 for 20.
TEST(Conservative, EachOrderByHand) {
  const Instance four = machine(4, {job(0, 3, 10), job(1, 4, 10), job(1, 1, 9), job(1, 1, 5), job(1, 2, 20)});
  // FCFS: b at 10; c beside a, 1-10; d finds no node before b, so 20; e 20.
  EXPECT_EQ(starts(four, "FCFS/conservative"), (Starts{0, 10, 1, 20, 20}));
  // When a ends all are planned again: SJF d, b (10), e; d 10-15, b 15-25, e 25.
  EXPECT_EQ(starts(four, "SJF/conservative"), (Starts{0, 15, 1, 10, 25}));
  // LJF: e (20) 10-30, b (10) 30-40; d (5) beside e at 10.
  EXPECT_EQ(starts(four, "LJF/conservative"), (Starts{0, 30, 1, 10, 10}));
  // EASY, which protects b alone, gives the same as FCFS with plans here; plain FCFS starts nobody before b.
  EXPECT_EQ(starts(four, "EASY"), (Starts{0, 10, 1, 20, 20}));
  EXPECT_EQ(starts(four, "FCFS"), (Starts{0, 10, 20, 20, 20}));
}

// Where EASY and conservative differ: y, which EASY starts on an extra node, would delay x (2 nodes, 30 s).
TEST(Conservative, ProtectsMoreThanTheFirst) {
  // 3 nodes: a 2 x 10 from 0; head 2 x 10 planned 10-20; x 3 x 10 planned 20-30; y 1 x 30 would run 1-31.
  const Instance three = machine(3, {job(0, 2, 10), job(1, 2, 10), job(1, 3, 10), job(1, 1, 30)});
  EXPECT_EQ(starts(three, "EASY"), (Starts{0, 10, 31, 1}));
  EXPECT_EQ(starts(three, "FCFS/conservative"), (Starts{0, 10, 20, 30}));
}

// When a job ends early, all jobs are planned again. A job that is overtaken may then start later than first planned,
// but not with /compress.
TEST(Conservative, AnEarlyEndMovesStarts) {
  // 2 nodes. a 1 x 10 est., ends at 3. b 2 x 10 planned 10-20. c 1 x 9 planned 1-10 at once. d 1 x 4: beside c? no.
  const Instance two = machine(2, {job(0, 1, 3, 10), job(0, 2, 10), job(1, 1, 2, 9)});
  EXPECT_EQ(starts(two, "FCFS/conservative"), (Starts{0, 3, 1}));
  // 3 nodes. a 2 x (est. 10, runs 3). b 3 x 10 waits for 10. c 1 x (est. 12): behind b, at 20. e 1 x 5 starts at 2 and
  // keeps b from going at 3: b at 7, c at 17.
  const Instance three = machine(3, {job(0, 2, 3, 10), job(0, 3, 10), job(1, 1, 12), job(2, 1, 5)});
  EXPECT_EQ(starts(three, "FCFS/conservative"), (Starts{0, 7, 17, 2}));
  EXPECT_EQ(starts(three, "FCFS/conservative/compress"), (Starts{0, 7, 17, 2}));
}

// Planning again in the order of submission can delay a job; with /compress it cannot.
TEST(Conservative, CompressKeepsPromises) {
  // 4 nodes. a 2 x est. 10 (runs 2), b 2 x 4 until 4. h 4 x 10, planned 10. c 2 x 6, planned 4-10 behind b.
  // a ends at 2: planned again, h goes first at 4, c at 14. Compressed in order of submission, h cannot move (c holds
  // its place), then c moves to 2.
  const Instance four = machine(4, {job(0, 2, 2, 10), job(0, 2, 4), job(0, 4, 10), job(1, 2, 6)});
  EXPECT_EQ(starts(four, "FCFS/conservative"), (Starts{0, 0, 4, 14}));
  EXPECT_EQ(starts(four, "FCFS/conservative/compress"), (Starts{0, 0, 8, 2}));
}

TEST(Conservative, AReservationGetsItsStartWhateverThePolicy) {
  // 2 nodes: a 2 x 10; r reserves both at 15 for 10; b 1 x 5 fits before, c 1 x 6 does not.
  const Instance two = machine(2, {job(0, 2, 10), job(1, 2, 10, 10, 15), job(2, 1, 5), job(3, 1, 6)});
  for (const char* name : {"FCFS/conservative", "SJF/conservative", "LJF/conservative", "FCFS/conservative/compress",
                           "dynP/advanced/ARTwW", "dynP/simple/MS", "dynP/basic"}) {
    EXPECT_EQ(starts(two, name), (Starts{0, 15, 10, 25})) << name;
  }
  // A second reservation at the same time gets the next start. A reservation starts on time although no event falls
  // there.
  const Instance more = machine(2, {job(0, 2, 5, 5, 20), job(1, 1, 5, 5, 22), job(2, 1, 4, 4, 100)});
  EXPECT_EQ(starts(more, "SJF/conservative"), (Starts{20, 25, 100}));
}

TEST(Dynp, BasicSwitchesByTheAverageEstimate) {
  // 1 node, busy until 100; then jobs of 10, 50, 30, ... s. With bounds 20-40 and threshold 3 the third submission has
  // an average of 30 (FCFS), the fourth (70 s) one of 40 (FCFS), the fifth (90 s) one of 50 (LJF).
  const Instance one = machine(1, {job(0, 1, 100), job(1, 1, 10), job(2, 1, 50), job(3, 1, 30), job(4, 1, 70)});
  EXPECT_EQ(starts(one, "dynP/basic/bounds=20-40/threshold=3"), (Starts{0, 100, 110, 160, 190}));
  Instance longer = one;
  longer.jobs.push_back(job(5, 1, 90));
  longer.jobs.back().id = 6;
  EXPECT_EQ(starts(longer, "dynP/basic/bounds=20-40/threshold=3"), (Starts{0, 340, 260, 310, 190, 100}));
  EXPECT_EQ(starts(longer, "dynP/basic/bounds=20-40/threshold=6"), (Starts{0, 100, 110, 160, 190, 260}));
  EXPECT_EQ(starts(longer, "dynP/basic/bounds=60-70/threshold=3"), (Starts{0, 100, 140, 110, 190, 260}));
}

// Reuses no slots, so that a slot identifies a job.
struct SlotsAreIndexes final : sim::StepObserver {
  void on_step(const ClusterView&, std::span<const Event>, const dfrs::Decisions&) override {}
};

class Decisions final : public DynpListener {
 public:
  void on_decision(const DynpDecision& decision) override { decisions.push_back(decision); }
  void on_start(JobSlot job, QueueOrder policy) override { started_by[job] = policy; }
  std::vector<DynpDecision> decisions;
  std::map<JobSlot, QueueOrder> started_by;
};

TEST(Dynp, SelfTuningByHand) {
  // 1 node, busy until 100. b (50 s) waits alone: no decision. With c (10 s): FCFS b 100-150, c 150-160; SJF c 100-110,
  // b 110-160; LJF as FCFS. SJF has the lower average: case 7. When a ends the same; then b is alone.
  const Instance one = machine(1, {job(0, 1, 100), job(1, 1, 50), job(2, 1, 10)});
  Decisions log;
  EXPECT_EQ(starts(one, named(DynpAlgorithm{}, &log)), (Starts{0, 110, 100}));
  ASSERT_EQ(log.decisions.size(), 2U);
  EXPECT_EQ(log.decisions[0].now, 2);
  EXPECT_EQ(log.decisions[0].found, DeciderCase::k7);
  EXPECT_EQ(log.decisions[0].backlog, 2U);
  EXPECT_EQ(log.decisions[0].before, QueueOrder::fcfs);
  EXPECT_EQ(log.decisions[0].after, QueueOrder::sjf);
  EXPECT_EQ(log.decisions[1].now, 100);
  EXPECT_EQ(log.decisions[1].before, QueueOrder::sjf);
  EXPECT_EQ(log.started_by[0], QueueOrder::fcfs);
  EXPECT_EQ(log.started_by[2], QueueOrder::sjf);
  // All orders end at 160: MS sees no difference, and the policy stays FCFS.
  EXPECT_EQ(starts(one, "dynP/advanced/MS"), (Starts{0, 100, 150}));
  // Responses at time 2, a's included: FCFS 100 + 149 + 158 = 407, SJF 100 + 159 + 108 = 367, which is 10 % less.
  EXPECT_EQ(starts(one, "dynP/advanced/ART/slack=0.09"), (Starts{0, 110, 100}));
  EXPECT_EQ(starts(one, "dynP/advanced/ART/slack=0.5"), (Starts{0, 100, 150}));
}

TEST(Dynp, ASharedQueueByHand) {
  // As above: at 2 SJF is chosen and sorts the queue: c, b. When a ends, FCFS is judged by that queue and equals SJF.
  // The advanced decider keeps SJF. The simple one takes FCFS, which puts b first again.
  const Instance one = machine(1, {job(0, 1, 100), job(1, 1, 50), job(2, 1, 10)});
  using enum DynpAlgorithm::Decider;
  for (const auto decider : {simple, advanced}) {
    DynpAlgorithm algorithm;
    algorithm.decider = decider;
    Decisions apart;
    EXPECT_EQ(starts(one, named(algorithm, &apart)), (Starts{0, 110, 100}));
    ASSERT_EQ(apart.decisions.size(), 2U);
    EXPECT_EQ(apart.decisions[1].found, DeciderCase::k7);
    algorithm.shared_queue = true;
    Decisions shared;
    EXPECT_EQ(starts(one, named(algorithm, &shared)),
              decider == simple ? (Starts{0, 100, 150}) : (Starts{0, 110, 100}));
    ASSERT_EQ(shared.decisions.size(), 2U);
    EXPECT_EQ(shared.decisions[0].found, DeciderCase::k7);
    EXPECT_EQ(shared.decisions[1].found, DeciderCase::k6b);
  }
}

TEST(Dynp, ReducedFutureLooksAtTheFirstStarts) {
  // 1 node. Only the first start counts: FCFS b 100-150 (response 149), SJF c (108), LJF d 100-180 (177).
  const Instance one = machine(1, {job(0, 1, 100), job(1, 1, 50), job(2, 1, 10), job(3, 1, 80)});
  Decisions all;
  Decisions first;
  Decisions within;
  DynpAlgorithm algorithm;
  algorithm.quality = ScheduleQuality::makespan;
  starts(one, named(algorithm, &all));
  algorithm.future.first_jobs = 1;
  starts(one, named(algorithm, &first));
  algorithm.future = {0, 98};  // seconds from 2 on: nothing but what starts at 100
  starts(one, named(algorithm, &within));
  ASSERT_GE(all.decisions.size(), 2U);
  EXPECT_EQ(all.decisions[0].found, DeciderCase::k1);
  EXPECT_EQ(first.decisions[0].found, DeciderCase::k7);  // ends at 150, 110, 150
  EXPECT_EQ(first.decisions[1].found, DeciderCase::k2);  // 150, 110, 180
  EXPECT_EQ(within.decisions[0].found, DeciderCase::k7);
  EXPECT_EQ(within.decisions[1].found, DeciderCase::k2);
}

oracle::PlainPlanner random_planner(oracle::Dice& dice) {
  oracle::PlainPlanner planner;
  planner.pass_per_event = dice.chance(30);
  planner.self_switching = dice.chance(65);
  planner.fixed = {kQueueOrders[dice.below(3)], dice.chance(40)};
  DynpAlgorithm& dynp = planner.dynp;
  dynp.decider = static_cast<DynpAlgorithm::Decider>(dice.below(3));
  dynp.quality = static_cast<ScheduleQuality>(dice.below(3));
  dynp.bounds = {100.0 + dice.below(300), 500.0 + dice.below(500)};
  dynp.threshold = 1 + dice.below(4);
  if (dice.chance(30)) dynp.slack = dice.uniform() * 0.3;
  if (dice.chance(20)) dynp.future.first_jobs = 1 + dice.below(4);
  if (dice.chance(20)) dynp.future.within = 300 * dice.uniform();
  dynp.shared_queue = dice.chance(30);
  return planner;
}

TEST(FullSchedules, EqualAPlainImplementationDecisionByDecision) {
  std::size_t decisions = 0;
  std::size_t switches = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(600); ++seed) {
    oracle::Dice dice(seed);
    Instance instance = oracle::random_instance(dice, {.max_nodes = 8, .max_jobs = 18, .whole_nodes = true});
    if (dice.chance(50)) {  // kill at the estimate
      for (Job& j : instance.jobs) j.run_time = std::min(j.run_time, j.estimate);
    }
    if (dice.chance(30)) {
      for (Job& j : instance.jobs) j.reserved_start = dice.chance(25) ? j.submit + dice.uniform() * 2000 : 0;
    }
    const oracle::PlainPlanner planner = random_planner(dice);
    Decisions log;
    const Algorithm algorithm = planner.self_switching ? named(planner.dynp, &log) : named(planner.fixed);
    sim::SimOptions options;
    options.engine.of<BatchOptions>().pass_per_event = planner.pass_per_event;
    SlotsAreIndexes watched;
    const sim::RunResult run = or_throw(sim::simulate(instance, algorithm, options, &watched));
    const oracle::PlainSchedule plain = oracle::plan_plainly(instance, planner);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + algorithm_name(algorithm));
    for (std::size_t k = 0; k < run.jobs.size(); ++k) {
      ASSERT_EQ(run.jobs[k].start, plain.jobs[k].start) << "job " << k;
      ASSERT_EQ(run.jobs[k].end, plain.jobs[k].end) << "job " << k;
      if (planner.self_switching) {
        ASSERT_EQ(log.started_by[static_cast<JobSlot>(k)], plain.jobs[k].started_by) << "job " << k;
      }
    }
    ASSERT_EQ(log.decisions.size(), plain.decisions.size());
    for (std::size_t d = 0; d < plain.decisions.size(); ++d) {
      ASSERT_EQ(log.decisions[d].now, plain.decisions[d].now) << "decision " << d;
      ASSERT_EQ(log.decisions[d].backlog, plain.decisions[d].backlog) << "decision " << d;
      ASSERT_EQ(log.decisions[d].found, plain.decisions[d].found) << "decision " << d;
      ASSERT_EQ(log.decisions[d].after, plain.decisions[d].after) << "decision " << d;
      switches += plain.decisions[d].after != plain.decisions[d].before ? 1 : 0;
    }
    decisions += plain.decisions.size();
  }
  EXPECT_GT(decisions, 1000U);
  EXPECT_GT(switches, 100U);
}

TEST(FullSchedules, NoJobStartsLaterThanPlannedAtSubmission) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    Instance instance = oracle::random_instance(dice, {.max_nodes = 8, .max_jobs = 18, .whole_nodes = true});
    const bool exact = dice.chance(50);
    for (Job& j : instance.jobs) {
      if (exact) j.estimate = std::max(j.estimate, 1.0);  // a job of 0 s ends before its plan does
      j.run_time = exact ? j.estimate : std::min(j.run_time, j.estimate);
    }
    oracle::PlainPlanner planner;
    // With exact estimates this holds for planning in the order of submission, too; otherwise only with /compress.
    planner.fixed = {exact ? QueueOrder::fcfs : kQueueOrders[dice.below(3)], !exact};
    const oracle::PlainSchedule promised = oracle::plan_plainly(instance, planner);
    const std::vector<Seconds> begun = starts(instance, named(planner.fixed));
    for (std::size_t k = 0; k < begun.size(); ++k) {
      ASSERT_LE(begun[k], promised.jobs[k].first_planned + 1e-6) << "seed " << seed << ", job " << k;
    }
  }
}

TEST(FullSchedules, EqualEasyAndFcfsWhereNobodyCanJumpAhead) {
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(100); ++seed) {
    oracle::Dice dice(seed);
    Instance wide = oracle::random_instance(dice, {.max_nodes = 6, .max_jobs = 14, .whole_nodes = true});
    Instance narrow = wide;
    const auto nodes = static_cast<int>(wide.platform.nodes.size());
    for (Job& j : wide.jobs) {
      j.tasks = dice.between(nodes / 2 + 1, nodes);  // never two at a time
      j.estimate = j.run_time;
    }
    for (Job& j : narrow.jobs) j.tasks = 1;  // if one job fits, all do
    for (const Instance* instance : {&wide, &narrow}) {
      const std::vector<Seconds> fcfs = starts(*instance, "FCFS");
      ASSERT_EQ(starts(*instance, "EASY"), fcfs) << "seed " << seed;
      ASSERT_EQ(starts(*instance, "FCFS/conservative"), fcfs) << "seed " << seed;
      apart += starts(*instance, "SJF/conservative") != fcfs ? 1 : 0;
    }
    // With at most two waiting jobs, EASY and conservative protect the same one, the first.
    Instance three = machine(nodes, {});
    for (int k = 0; k < 3; ++k) {
      const Seconds time = 1 + dice.below(100);
      three.jobs.push_back(job(k, dice.between(1, nodes), time));
      three.jobs.back().id = static_cast<JobId>(k + 1);
    }
    ASSERT_EQ(starts(three, "EASY"), starts(three, "FCFS/conservative")) << "seed " << seed;
  }
  EXPECT_GT(apart, 10) << "the cases are too easy to tell anything";
}

TEST(Dynp, NamesAndWhatIsWrongWithThem) {
  const auto canonical = [](const char* name) { return algorithm_name(parse_algorithm(name).value()); };
  EXPECT_EQ(canonical("dynp/ADVANCED/artww"), "dynP/advanced/ARTwW");
  EXPECT_EQ(canonical("dynP/basic/bounds=7200-9000"), "dynP/basic");
  EXPECT_EQ(canonical("dynP/basic/threshold=3/bounds=60-120"), "dynP/basic/bounds=60-120/threshold=3");
  EXPECT_EQ(canonical("dynP/advanced/artww/queue=shared"), "dynP/advanced/ARTwW/queue=shared");
  EXPECT_EQ(canonical("dynP/simple/MS/within=60/first=3/slack=0.1"), "dynP/simple/MS/slack=0.1/first=3/within=60");
  for (const char* bad :
       {"dynP", "dynP/", "dynP/clever", "dynP/simple", "dynP/simple/RT", "dynP/basic/MS", "dynP/basic/bounds=5",
        "dynP/basic/bounds=9-5", "dynP/basic/slack=0.1", "dynP/advanced/MS/slack=1", "dynP/advanced/MS/slack=-1",
        "dynP/advanced/MS/first=0", "dynP/advanced/MS/first=2/first=3", "dynP/advanced/MS/queue=right",
        "dynP/basic/queue=shared", "dynP/advanced/MS/within=x", "dynP/advanced/MS/", "dynP/advanced/MS/bounds=1-2",
        "FCFS/conservativ"}) {
    EXPECT_FALSE(parse_algorithm(bad)) << bad;
  }
  EXPECT_NE(parse_algorithm("dynP/clever").error().message.find("'clever' is no decider"), std::string::npos);
}

}  // namespace
}  // namespace dfrs
