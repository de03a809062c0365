// SPDX-License-Identifier: GPL-2.0-or-later
// Licences: schedules by hand, and what holds for every algorithm.
#include <algorithm>

#include "record/replay.h"
#include "sim/timeline/collector.h"
#include "tests/oracle/dice.h"
#include "tests/sim/host/by_hand.h"
#include "tests/sim/host/crowded.h"

namespace dfrs::sim {
namespace {

class LicencesByHand : public ByHand {
 protected:
  // The last job holds this many of the licence.
  void holds(std::uint32_t licence, std::int64_t count) {
    instance_.jobs.back().licences = instance_.platform.licence_set({{licence, count}});
  }
};

TEST_F(LicencesByHand, AJobStartsWhenItsLicenceIsFree) {
  nodes(3);
  instance_.platform.licences = {{"cad", 1}};
  job(0, 1, 1, 10, 10), holds(0, 1);
  job(1, 1, 1, 10, 10), holds(0, 1);
  job(2, 1, 1, 10, 10);
  for (const char* algorithm : {"FCFS", "EASY", "Greedy*", "Triage"}) {
    const RunResult result = run(algorithm);
    EXPECT_EQ(result.jobs[0].end, 10) << algorithm;
    EXPECT_EQ(result.jobs[1].start, 10) << algorithm;
    EXPECT_EQ(result.jobs[1].end, 20) << algorithm;
    EXPECT_EQ(result.jobs[2].start, 2) << algorithm;
  }
}

TEST_F(LicencesByHand, NobodyOvertakesAnotherThatWaitsForTheSameLicence) {
  nodes(4);
  instance_.platform.licences = {{"cad", 2}, {"sim", 1}};
  job(0, 1, 1, 10, 10), holds(0, 1);
  job(1, 1, 1, 10, 10), holds(0, 2);
  job(2, 1, 1, 10, 10), holds(0, 1);
  job(3, 1, 1, 10, 10), holds(1, 1);
  const RunResult result = run("Greedy*");
  EXPECT_EQ(result.jobs[1].start, 10);
  EXPECT_EQ(result.jobs[2].start, 20);
  EXPECT_EQ(result.jobs[3].start, 3);
}

TEST_F(LicencesByHand, APausedJobKeepsItsLicences) {
  nodes(1);
  options_.penalty = 0;
  instance_.platform.licences = {{"cad", 1}};
  job(0, 1, 1, 60, 1000), holds(0, 1);
  job(500, 1, 1, 60, 10);               // pauses the first
  job(501, 1, 1, 10, 10), holds(0, 1);  // its memory fits, its licence is not free
  const RunResult result = run("GreedyP*");
  ASSERT_GT(result.jobs[0].pauses, 0U);
  EXPECT_EQ(result.jobs[1].start, 500);
  EXPECT_EQ(result.jobs[2].start, result.jobs[0].end);
}

// Of each licence there are `total`, and most jobs hold some.
Instance licensed(std::uint64_t seed, std::int64_t total) {
  Instance instance = crowded(seed, 80);
  instance.platform.licences = {{"a", total}, {"b", total}};
  oracle::Dice dice(seed + 1000);
  for (Job& job : instance.jobs) {
    LicenceSet set;
    for (std::uint32_t licence = 0; licence < 2; ++licence) {
      if (const auto count = dice.between(0, 3); count > 0) set.push_back({licence, count});
    }
    job.licences = instance.platform.licence_set(set);
  }
  return instance;
}

constexpr const char* kAlgorithms[] = {"FCFS", "EASY/shared", "GreedyPM*/per/MINVT=600", "MCB8*", "Triage"};

// Most licences of one name between first starts and ends; slots are job indices with an observer.
std::int64_t most_held(const Instance& instance, const RunResult& result, std::uint32_t licence) {
  std::int64_t most = 0;
  for (const JobRecord& at : result.jobs) {
    std::int64_t held = 0;
    for (std::size_t k = 0; k < result.jobs.size(); ++k) {
      if (result.jobs[k].start > at.start || result.jobs[k].end <= at.start) continue;
      for (const LicenceUse& use : instance.platform.licences_of(instance.jobs[k])) {
        if (use.licence == licence) held += use.count;
      }
    }
    most = std::max(most, held);
  }
  return most;
}

TEST(Licences, NeverMoreAreHeldThanThereAre) {
  std::int64_t most = 0;
  for (const char* algorithm : kAlgorithms) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Instance instance = licensed(seed, 4);
      const RunResult result = or_throw(simulate(instance, parse_algorithm(algorithm).value(), {}));
      ASSERT_EQ(result.jobs.size(), instance.jobs.size());
      for (std::size_t k = 0; k < result.jobs.size(); ++k) {
        EXPECT_GE(result.jobs[k].end, instance.jobs[k].submit + instance.jobs[k].run_time - 1e-6) << algorithm;
      }
      for (const std::uint32_t licence : {0U, 1U}) {
        EXPECT_LE(most_held(instance, result, licence), 4) << algorithm;
        most = std::max(most, most_held(instance, result, licence));
      }
    }
  }
  EXPECT_EQ(most, 4);
}

TEST(Licences, EnoughForAllChangeNothing) {
  for (const char* algorithm : kAlgorithms) {
    const Instance with = licensed(7, 1000);
    Instance without = with;
    without.platform.licences.clear();
    without.platform.licence_sets.clear();
    for (Job& job : without.jobs) job.licences = 0;
    const RunResult a = or_throw(simulate(with, parse_algorithm(algorithm).value(), {}));
    const RunResult b = or_throw(simulate(without, parse_algorithm(algorithm).value(), {}));
    for (std::size_t k = 0; k < a.jobs.size(); ++k) EXPECT_EQ(a.jobs[k].end, b.jobs[k].end) << algorithm;
    const Instance few = licensed(7, 3);
    const RunResult c = or_throw(simulate(few, parse_algorithm(algorithm).value(), {}));
    std::size_t differ = 0;
    for (std::size_t k = 0; k < a.jobs.size(); ++k) differ += c.jobs[k].end != a.jobs[k].end ? 1 : 0;
    EXPECT_GT(differ, 20U) << algorithm;
  }
}

// A timeline knows jobs by their ids where they are shown in another order than they were submitted.
TEST(Licences, TimelinesGiveEachJobItsRunTime) {
  const Instance instance = licensed(3, 3);
  const Algorithm algorithm = parse_algorithm("Triage").value();
  ScheduleCollector collector("Triage");
  or_throw(simulate(instance, algorithm, {}, &collector));
  const timeline::Schedule schedule = collector.finish(instance);
  ASSERT_EQ(schedule.jobs.size(), instance.jobs.size());
  for (std::size_t k = 0; k < schedule.jobs.size(); ++k) {
    const Job& job = instance.jobs[static_cast<std::size_t>(schedule.jobs[k].id) - 1];
    EXPECT_EQ(schedule.jobs[k].run_time, job.run_time);
    EXPECT_EQ(schedule.jobs[k].submit, job.submit);
    if (k > 0) {
      EXPECT_LE(schedule.jobs[k - 1].submit, schedule.jobs[k].submit);
    }
  }
  // Each job's stays are its own.
  Seconds latest = 0;
  bool reordered = false;
  for (const timeline::Stay& stay : schedule.stays) {
    const timeline::ScheduleJob& job = schedule.jobs[stay.job];
    EXPECT_EQ(stay.node_count, job.tasks);
    EXPECT_GE(stay.from, job.submit);
    if (stay.begin != timeline::StayBegin::start) continue;
    reordered = reordered || job.submit < latest;
    latest = std::max(latest, job.submit);
  }
  EXPECT_TRUE(reordered);
}

}  // namespace
}  // namespace dfrs::sim
