// SPDX-License-Identifier: GPL-2.0-or-later
// No option of a simulation is ignored: each, set to another value, changes the run of some crowded instance.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "policy/batch/options.h"
#include "policy/rr7659/options.h"
#include "policy/triage/options.h"
#include "sim/host/simulation.h"
#include "tests/sim/host/crowded.h"

namespace dfrs::sim {
namespace {

std::vector<Seconds> ends(const RunResult& run) {
  std::vector<Seconds> all;
  for (const JobRecord& job : run.jobs) all.push_back(job.end);
  return all;
}

void expect_some_run_differs(const std::string& what, const std::string& name, const SimOptions& options,
                             const std::string& other_name, const SimOptions& other) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance = crowded_by_all_kinds(seed);
    const RunResult a = or_throw(simulate(instance, parse_algorithm(name).value(), options));
    const RunResult b = or_throw(simulate(instance, parse_algorithm(other_name).value(), other));
    if (ends(a) != ends(b)) return;
  }
  ADD_FAILURE() << what << " changes nothing";
}

TEST(NoOptionIsIgnored, OfSimulations) {
  struct Case {
    const char* what;
    const char* algorithm;
    std::function<void(SimOptions&)> change;
  };
  const auto discovering = [](auto change) {
    return [change](SimOptions& o) {
      o.discover_needs = true;
      change(o);
    };
  };
  const std::vector<Case> cases{
      {"penalty", "GreedyPM*", [](SimOptions& o) { o.penalty = 30; }},
      {"events_apart", "GreedyP*", [](SimOptions& o) { o.events_apart = false; }},
      {"swap_rate", "GreedyP*", [](SimOptions& o) { o.swap_rate = 1; }},
      {"pauses", "GreedyP*", [](SimOptions& o) { o.pauses = PauseWorld::all(PauseEffect::lost); }},
      {"discover_needs", "Triage", [](SimOptions& o) { o.discover_needs = true; }},
      {"need_rule.floor", "Triage", discovering([](SimOptions& o) { o.need_rule.floor = 0.6; })},
      {"need_rule.headroom", "Triage", discovering([](SimOptions& o) { o.need_rule.headroom = 2; })},
      {"need_rule.used_up", "Triage", discovering([](SimOptions& o) { o.need_rule.used_up = 0.99; })},
      {"need_rule.rise", "Triage", discovering([](SimOptions& o) { o.need_rule.rise = 1.1; })},
      {"need_rule.memory", "Triage", discovering([](SimOptions& o) { o.need_rule.memory = 600; })},
      {"need_rule.step", "Triage", discovering([](SimOptions& o) { o.need_rule.step = 0.5; })},
      {"need_interval", "Triage", discovering([](SimOptions& o) { o.need_interval = 45; })},
      {"dfrs.period", "/per", [](SimOptions& o) { o.engine.of<DfrsOptions>().period = 900; }},
      {"dfrs.priority_floor", "GreedyP*", [](SimOptions& o) { o.engine.of<DfrsOptions>().priority_floor = 3000; }},
      {"batch.pack_tasks", "EASY", [](SimOptions& o) { o.engine.of<BatchOptions>().pack_tasks = true; }},
      {"triage.penalty", "Triage", [](SimOptions& o) { o.engine.of<TriageOptions>().penalty = 3; }},
      {"triage.time_scale", "Triage", [](SimOptions& o) { o.engine.of<TriageOptions>().time_scale = 20; }},
  };
  for (const Case& c : cases) {
    SimOptions plain;
    if (std::string(c.what).starts_with("need_")) plain.discover_needs = true;
    SimOptions other;
    c.change(other);
    expect_some_run_differs(c.what, c.algorithm, plain, c.algorithm, other);
  }
}

TEST(NoOptionIsIgnored, OfThePenaltyByMemory) {
  SimOptions plain;
  plain.swap_rate = 1;
  SimOptions other = plain;
  other.restart = 7;
  expect_some_run_differs("restart", "GreedyP*", plain, "GreedyP*", other);
}

TEST(NoOptionIsIgnored, OfSwap) {
  SimOptions plain;
  plain.pauses = PauseWorld::all(PauseEffect::suspended);
  SimOptions other = plain;
  other.swap = {record::SwapSize::Of::node, 60};
  expect_some_run_differs("swap", "GreedyP*", plain, "GreedyP*", other);
}

TEST(NoOptionIsIgnored, OfLostWork) {
  SimOptions plain;
  plain.pauses = PauseWorld::all(PauseEffect::lost);
  SimOptions other = plain;
  other.lost_work.min_progress = 600;
  expect_some_run_differs("lost_work.min_progress", "GreedyP*", plain, "GreedyP*", other);
  other = plain;
  other.lost_work.max_lost_runs = 1;
  expect_some_run_differs("lost_work.max_lost_runs", "GreedyP*", plain, "GreedyP*", other);
  other = plain = {};
  other.lost_work.requeue_kept = true;
  expect_some_run_differs("lost_work.requeue_kept", "GreedyP*", plain, "GreedyP*", other);
}

TEST(NoOptionIsIgnored, OfDevices) {
  SimOptions plain;
  SimOptions other = plain;
  other.devices_stay = true;
  expect_some_run_differs("devices_stay", "GreedyPM*", plain, "GreedyPM*", other);
}

TEST(NoOptionIsIgnored, OfTriageByName) {
  for (const char* name :
       {"Triage/PLACE=LOAD", "Triage/YIELD=EQUAL", "Triage/MOVE=NONE", "Triage/SHORT=1", "Triage/PATIENCE=400",
        "Triage/HOLD=3", "Triage/PAUSED=4", "Triage/ROOM=0.1", "Triage/OWN=1", "Triage/STRETCH=1", "Triage/AGE=2",
        "Triage/PERIOD=60", "Triage/PAYS=0.5", "Triage/TIED=1"}) {
    expect_some_run_differs(name, "Triage", {}, name, {});
  }
}

}  // namespace
}  // namespace dfrs::sim
