// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/engine.h"
#include "policy/rr7659/options.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "policy/core/registry.h"
#include "policy/rr7659/dfrs_policy.h"
#include "sim/host/simulation.h"
#include "tests/oracle/decision_checker.h"
#include "tests/oracle/random_instance.h"

namespace dfrs {
namespace {

// The types enforce non-clairvoyance: neither the call nor its arguments contain a run time.
static_assert(std::is_same_v<decltype(&NonClairvoyantPolicy::decide),
                             void (NonClairvoyantPolicy::*)(const ClusterView&, std::span<const Event>, ClusterState&,
                                                            Outcome&)>);
static_assert(!std::is_convertible_v<ClusterView, Estimates> && !std::is_constructible_v<Estimates, ClusterView>);
template <typename T>
concept TellsRunTime = requires(T t) { t.run_time; } || requires(T t) { t.estimate; } || requires(T t) { t.estimates; };
static_assert(TellsRunTime<Estimates>);
static_assert(!TellsRunTime<ClusterView> && !TellsRunTime<JobView> && !TellsRunTime<Event> && !TellsRunTime<NodeView>);
static_assert(std::is_base_of_v<NonClairvoyantPolicy, DfrsPolicy> && !std::is_base_of_v<BatchPolicy, DfrsPolicy>);

std::unique_ptr<Engine> engine_of(const char* name) {
  auto engine = Engine::create(*parse_algorithm(name), {});
  EXPECT_TRUE(engine);
  return std::move(*engine);
}

class EngineByHand : public testing::Test {
 protected:
  void SetUp() override {
    nodes_.assign(2, {{1, {100}}, true});
    jobs_.resize(2);
    jobs_[0].rigid[0] = jobs_[1].rigid[0] = 50;
    jobs_[0].state = JobState::waiting;
  }
  tl::expected<const Decisions*, Error> step(Engine& engine, Seconds now, const std::vector<Event>& events) {
    return engine.step({now, nodes_, jobs_, dims_}, Estimates{estimates_}, events);
  }
  void expect_bad_view(Engine& engine, Seconds now, const std::vector<Event>& events, const char* why) {
    const auto result = step(engine, now, events);
    ASSERT_FALSE(result) << why;
    EXPECT_EQ(result.error().code, ErrorCode::bad_view);
    EXPECT_NE(result.error().message.find(why), std::string::npos) << result.error().message;
  }

  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::vector<Seconds> estimates_{10, 10};
  std::size_t dims_ = 1;
};

TEST_F(EngineByHand, CreateRefusesBadOptions) {
  for (const Seconds period : {0.0, -1.0, kNever, std::numeric_limits<double>::quiet_NaN()}) {
    EngineOptions options;
    options.of<DfrsOptions>().period = period;
    const auto engine = Engine::create(*parse_algorithm("/per"), options);
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code, ErrorCode::bad_option);
  }
}

TEST_F(EngineByHand, BadViewsAndEvents) {
  const auto engine = engine_of("Greedy*");
  ASSERT_TRUE(step(*engine, 5, {{EventKind::submitted, 0}}));
  expect_bad_view(*engine, 6, {{EventKind::submitted, 2}}, "slot that does not exist");
  expect_bad_view(*engine, 7, {{EventKind::completed, 0}}, "must have a resync");
  const auto again = [&] {
    jobs_[0].state = JobState::waiting;
    jobs_[1].state = JobState::absent;
    ASSERT_TRUE(step(*engine, 10, {{EventKind::resync, kNoSlot}}));
  };
  again();
  expect_bad_view(*engine, 9, {}, "backwards");
  again();
  expect_bad_view(*engine, 11, {{EventKind::completed, 0}}, "left its slot");
  again();
  expect_bad_view(*engine, 11, {{EventKind::completed, 1}}, "was not in the system");
  again();
  expect_bad_view(*engine, 11, {{EventKind::submitted, 1}}, "must be waiting");
  again();
  jobs_[1].state = JobState::waiting;
  jobs_[0].state = JobState::absent;
  expect_bad_view(*engine, 11, {{EventKind::submitted, 1}, {EventKind::completed, 0}}, "before other events");
  again();
  jobs_[1].state = JobState::waiting;
  jobs_[1].tasks = 0;
  expect_bad_view(*engine, 11, {{EventKind::submitted, 1}}, "at least one task");
  jobs_[1].tasks = 1;
  again();
  expect_bad_view(*engine, std::numeric_limits<double>::quiet_NaN(), {}, "finite");
  dims_ = 0;
  expect_bad_view(*engine, 12, {{EventKind::resync, kNoSlot}}, "rigid_dims");
  dims_ = kMaxRigid + 1;
  expect_bad_view(*engine, 12, {{EventKind::resync, kNoSlot}}, "rigid_dims");
}

// The first call and a resync take the jobs from the view; their events must fit it all the same.
TEST_F(EngineByHand, EventsOfAFirstCall) {
  const Event resync{EventKind::resync, kNoSlot};
  for (const std::vector<Event>& before : {std::vector<Event>{}, std::vector<Event>{resync}}) {
    const auto refused = [&](std::vector<Event> events, const char* why) {
      events.insert(events.begin(), before.begin(), before.end());
      const auto engine = engine_of("Greedy*");
      expect_bad_view(*engine, 0, events, why);
    };
    refused({{EventKind::submitted, 2}}, "slot that does not exist");
    refused({{EventKind::submitted, 1}}, "must be waiting");  // it is absent
    refused({{EventKind::changed, 1}}, "not there");
    refused({{EventKind::submitted, 0}, {EventKind::submitted, 0}}, "twice");
  }
  const auto engine = engine_of("Greedy*");
  expect_bad_view(*engine, 0, {resync, {EventKind::completed, 0}}, "left its slot");
}

TEST_F(EngineByHand, BatchNeedsEstimates) {
  const auto engine = engine_of("EASY");
  estimates_.resize(1);
  expect_bad_view(*engine, 0, {{EventKind::submitted, 0}}, "estimate");
}

// Decisions come as pauses, moves, resumes, starts, and carry what a host needs.
TEST_F(EngineByHand, StartAndShare) {
  const auto engine = engine_of("Greedy*");
  jobs_[1].state = JobState::waiting;
  const auto decided = step(*engine, 0, {{EventKind::submitted, 0}, {EventKind::submitted, 1}});
  ASSERT_TRUE(decided);
  const Decisions& d = **decided;
  ASSERT_EQ(d.placements.size(), 2u);
  EXPECT_EQ(d.placements[0].kind, DecisionKind::start);
  EXPECT_EQ(d.nodes_of(d.placements[0])[0], 0u);
  EXPECT_EQ(d.nodes_of(d.placements[1])[0], 1u);
  ASSERT_EQ(d.yields.size(), 2u);
  EXPECT_EQ(d.yields[0].yield, 1);
  EXPECT_EQ(d.wake_at, kNever);
}

// At each step of a run, a new engine gets the same view as a resync. Algorithms that remember nothing between calls
// (/per acts at ticks, on the view alone) must decide the same; the decisions of all must be valid.
class ResyncBeside final : public sim::StepObserver {
 public:
  ResyncBeside(const Algorithm& algorithm, bool same) : algorithm_(algorithm), same_(same) {}
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    if (!error.empty()) return;
    auto engine = std::move(*Engine::create(algorithm_, {}));
    const std::vector<Seconds> estimates(view.jobs.size(), 100);
    const Event resync{EventKind::resync, kNoSlot};
    const auto decided = engine->step(view, Estimates{estimates}, {&resync, 1});
    if (!decided) {
      error = decided.error().message;
      return;
    }
    oracle::DecisionChecker checker;
    checker.on_step(view, {}, **decided);
    if (!checker.violations().empty()) error = checker.violations().front();
    ++steps;
    if (!same_ || !events.empty()) return;
    const Decisions& fresh = **decided;
    bool equal = fresh.nodes == decisions.nodes && fresh.placements.size() == decisions.placements.size() &&
                 fresh.yields.size() == decisions.yields.size() && fresh.wake_at == decisions.wake_at;
    for (std::size_t k = 0; equal && k < fresh.placements.size(); ++k) {
      equal = fresh.placements[k].job == decisions.placements[k].job &&
              fresh.placements[k].kind == decisions.placements[k].kind;
    }
    for (std::size_t k = 0; equal && k < fresh.yields.size(); ++k) {
      equal = fresh.yields[k].job == decisions.yields[k].job &&
              std::abs(fresh.yields[k].yield - decisions.yields[k].yield) < 1e-9;
    }
    if (!equal) error = "a fresh engine decides differently at " + std::to_string(view.now);
    ++compared;
  }
  std::string error;
  int steps = 0, compared = 0;

 private:
  Algorithm algorithm_;
  bool same_;
};

TEST(EngineResync, AFreshEngineContinues) {
  int steps = 0, compared = 0;
  std::vector<Algorithm> algorithms;
  for (const char* name : {"/per", "/per/MINVT=600", "Greedy*", "GreedyPM*/per/MINVT=600", "MCB8*", "/stretch-per",
                           "FCFS", "EASY", "EASY/extra-only"}) {
    algorithms.push_back(*parse_algorithm(name));
  }
  for (const PolicyFamily* family : policy_families()) {
    if (family->name == "batch" || family->name == "rr7659") continue;
    for (const Algorithm& algorithm : family->list()) algorithms.push_back(algorithm);
  }
  for (const Algorithm& algorithm : algorithms) {
    const std::string name = algorithm_name(algorithm);
    const bool same = algorithm.traits.resync_forgets_nothing;
    for (std::uint64_t seed = 1; seed <= oracle::cases(40); ++seed) {
      oracle::Dice dice(seed);
      const sim::Instance instance = oracle::random_instance(dice, {.whole_nodes = true});
      ResyncBeside beside(algorithm, same);
      or_throw(sim::simulate(instance, algorithm, {}, &beside));
      ASSERT_EQ(beside.error, "") << name << " seed " << seed;
      steps += beside.steps, compared += beside.compared;
    }
  }
  EXPECT_GT(steps, 500);
  EXPECT_GT(compared, 20);
}

// Two jobs run on one node at full speed and need 0.5 of it each. Then one needs 0.75: the load is 1.25, and both get a
// yield of 0.8.
TEST_F(EngineByHand, AChangedNeedChangesYields) {
  nodes_.resize(1);
  jobs_[0].cpu_need = jobs_[1].cpu_need = 0.5;
  for (const char* name : {"Greedy*", "GreedyP*/per", "Triage/YIELD=EQUAL"}) {
    jobs_[0].state = jobs_[1].state = JobState::waiting;
    jobs_[0].cpu_need = 0.5;
    jobs_[0].nodes = jobs_[1].nodes = {};
    jobs_[0].yield = jobs_[1].yield = 0;
    auto engine = engine_of(name);
    ASSERT_TRUE(step(*engine, 0, {{EventKind::submitted, 0}, {EventKind::submitted, 1}})) << name;
    const std::vector<NodeIndex> here{0};
    for (JobView& job : jobs_) {
      job.state = JobState::running;
      job.nodes = here;
      job.yield = 1;
      job.clock = {0, 0, 1};
    }
    jobs_[0].cpu_need = 0.75;
    const auto answer = step(*engine, 10, {{EventKind::changed, 0}});
    ASSERT_TRUE(answer) << name << answer.error().message;
    ASSERT_EQ((*answer)->yields.size(), 2U) << name;
    for (const YieldChange& change : (*answer)->yields) EXPECT_NEAR(change.yield, 0.8, 1e-6) << name;
    jobs_[1].yield = 0.8;
    jobs_[1].clock = {10, 10, 0.8};
    // It completes with its last known need.
    jobs_[0].state = JobState::absent;
    const auto end = step(*engine, 20, {{EventKind::completed, 0}});
    ASSERT_TRUE(end) << name << end.error().message;
    ASSERT_EQ((*end)->yields.size(), 1U);
    EXPECT_EQ((*end)->yields[0].yield, 1);
  }
}

TEST_F(EngineByHand, ChangesOfNeedsAreChecked) {
  auto engine = engine_of("Greedy*");
  ASSERT_TRUE(step(*engine, 0, {{EventKind::submitted, 0}}));
  expect_bad_view(*engine, 1, {{EventKind::changed, 1}}, "not there");
  auto batch = engine_of("EASY");
  jobs_[0].state = JobState::waiting;
  ASSERT_TRUE(step(*batch, 0, {{EventKind::submitted, 0}}));
  expect_bad_view(*batch, 1, {{EventKind::changed, 0}}, "batch");
}

}  // namespace
}  // namespace dfrs
