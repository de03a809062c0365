// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/job_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/oracle/dice.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint32_t> numbers(const JobTable& jobs) {
  std::vector<std::uint32_t> list;
  jobs.each([&](const Job& job) { list.push_back(job.id); });
  return list;
}

TEST(JobTable, JobsAreFoundByNumberAndListedInTheirOrder) {
  JobTable jobs;
  for (const std::uint32_t id : {30u, 10u, 20u}) jobs.add(id).facts.cpus_per_task = id;
  EXPECT_THAT(numbers(jobs), ElementsAre(10, 20, 30));
  ASSERT_NE(jobs.find(20), nullptr);
  EXPECT_EQ(jobs.find(20)->facts.cpus_per_task, 20u);
  EXPECT_EQ(jobs.find(15), nullptr);
  jobs.add(15);
  jobs.remove(10);
  EXPECT_THAT(numbers(jobs), ElementsAre(15, 20, 30));
  EXPECT_EQ(jobs.find(10), nullptr);
  EXPECT_EQ(jobs.size(), 3u);
}

// A search finds what find() finds, whatever the order of numbers, while jobs come and go.
TEST(JobTable, ASearchAgreesWithFind) {
  oracle::Dice dice(3);
  for (int round = 0; round < 300; ++round) {
    JobTable jobs;
    std::set<std::uint32_t> there;
    const auto add = [&] {
      const auto id = static_cast<std::uint32_t>(dice.between(1, 40));
      if (there.insert(id).second) jobs.add(id);
    };
    const auto remove = [&] {
      if (there.empty()) return;
      const std::uint32_t id = *std::next(there.begin(), dice.below(static_cast<std::uint32_t>(there.size())));
      jobs.remove(id);
      there.erase(id);
    };
    for (int k = dice.between(0, 30); k > 0; --k) add();
    JobTable::Search search(jobs);
    std::uint32_t id = 0;
    for (int k = 0; k < 60; ++k) {
      if (dice.chance(10)) add();
      if (dice.chance(10)) remove();
      id = dice.chance(80) ? id + 1 : static_cast<std::uint32_t>(dice.between(1, 45));
      Job* const found = search.find(id);
      ASSERT_EQ(found, jobs.find(id));
      ASSERT_EQ(found != nullptr, there.count(id) == 1);
    }
    EXPECT_THAT(numbers(jobs), testing::ElementsAreArray(there));
    EXPECT_EQ(jobs.size(), there.size());
  }
}

// Pointers to records stay valid while others are added (Changes::entering, the reconciler's lists).
TEST(JobTable, RecordsStayWhereTheyAre) {
  JobTable jobs;
  Job* const first = &jobs.add(1);
  for (std::uint32_t id = 2; id < 2000; ++id) jobs.add(id);
  EXPECT_EQ(jobs.find(1), first);
  for (std::uint32_t id = 2; id < 2000; ++id) jobs.remove(id);
  EXPECT_EQ(jobs.find(1), first);
}

std::vector<std::ptrdiff_t> distances(const JobTable& jobs) {
  std::vector<std::ptrdiff_t> list;
  const Job* last = nullptr;
  jobs.each([&](const Job& job) {
    if (last != nullptr) list.push_back(&job - last);
    last = &job;
  });
  return list;
}

// Numbers in any order, and many removed: then nobody lies between a job and the next one.
TEST(JobTable, TidyPutsRecordsSideBySideByNumber) {
  for (const bool descending : {false, true}) {
    JobTable jobs;
    for (std::uint32_t k = 0; k < 2000; ++k) jobs.add(descending ? 2000 - k : 1 + k);
    for (std::uint32_t id = 1; id <= 2000; ++id) {
      if (id % 3 != 0) jobs.remove(id);
    }
    EXPECT_THAT(distances(jobs), testing::Each(testing::Ne(1)));
    jobs.tidy();
    EXPECT_THAT(distances(jobs), testing::Each(1));
    EXPECT_EQ(jobs.size(), 666u);
    jobs.add(1);  // one that is out of place is not worth it
    Job* const there = jobs.find(3);
    jobs.tidy();
    EXPECT_EQ(jobs.find(3), there);
  }
}

TEST(JobTable, ARecordIsTheSameAfterTidy) {
  JobTable jobs;
  for (std::uint32_t id = 2000; id > 0; --id) {
    Job& job = jobs.add(id);
    if (id % 2 == 0) jobs.open_slot(job);
    job.facts.name = "a name too long for the record itself " + std::to_string(id);
    job.facts.nodes = {id, id + 1};
    job.facts.eligible_nodes = NodeSet(3000);
    job.facts.eligible_nodes.insert(id);
    job.facts.image_nodes = NodeSet(3000);
    job.facts.image_nodes.insert(id + 5);
    if (id % 2 != 0) continue;
    JobView& view = jobs.views()[job.policy.slot];
    view.nodes = job.facts.nodes;
    view.eligible = id % 4 == 0 ? &job.facts.eligible_nodes : &job.facts.image_nodes;
  }
  const Job* const before = jobs.find(1000);
  jobs.tidy();
  ASSERT_NE(jobs.find(1000), before) << "they were not moved";
  for (std::uint32_t id = 1; id <= 2000; ++id) {
    Job* const job = jobs.find(id);
    ASSERT_NE(job, nullptr);
    ASSERT_EQ(job->id, id);
    ASSERT_EQ(job->facts.name, "a name too long for the record itself " + std::to_string(id));
    ASSERT_THAT(job->facts.nodes, ElementsAre(id, id + 1));
    ASSERT_EQ(job->policy.slot != kNoSlot, id % 2 == 0);
    if (id % 2 != 0) continue;
    ASSERT_EQ(jobs.in_slot(job->policy.slot), job);
    const JobView& view = jobs.views()[job->policy.slot];
    ASSERT_THAT(view.nodes, ElementsAre(id, id + 1));
    ASSERT_EQ(view.eligible, id % 4 == 0 ? &job->facts.eligible_nodes : &job->facts.image_nodes);
    ASSERT_TRUE(view.eligible->contains(id % 4 == 0 ? id : id + 5));
  }
  JobTable::Search search(jobs);
  EXPECT_EQ(search.find(7), jobs.find(7));
}

// However many jobs come and go, those that are gone do not take up memory for good.
TEST(JobTable, TidyFollowsManyRemovals) {
  JobTable jobs;
  std::uint32_t last = 0;
  Job* kept = &jobs.add(++last);
  for (int round = 0; round < 2000; ++round) {
    jobs.remove(jobs.add(++last).id);
    jobs.tidy();
    if (jobs.find(1) == kept) continue;
    EXPECT_GE(last, 250u);
    return;
  }
  ADD_FAILURE() << "never tidied";
}

TEST(JobTable, ASlotBelongsToItsJobUntilItIsClosed) {
  JobTable jobs;
  Job& a = jobs.add(1);
  Job& b = jobs.add(2);
  EXPECT_EQ(jobs.open_slot(a), 0u);
  EXPECT_EQ(jobs.open_slot(b), 1u);
  EXPECT_EQ(a.policy.slot, 0u);
  EXPECT_EQ(jobs.in_slot(0), &a);
  EXPECT_EQ(jobs.in_slot(1), &b);
  EXPECT_EQ(jobs.in_slot(2), nullptr);
  EXPECT_EQ(jobs.views().size(), 2u);
  EXPECT_EQ(jobs.estimates().size(), 2u);

  jobs.close_slot(a);
  EXPECT_EQ(a.policy.slot, kNoSlot);
  EXPECT_EQ(jobs.in_slot(0), nullptr);
  jobs.close_slot(a);  // has no effect
  jobs.release_slots();
  EXPECT_EQ(jobs.open_slot(a), 0u);
  EXPECT_EQ(jobs.open_slot(jobs.add(3)), 2u) << "closed twice it was free twice";
}

// The engine must see a slot empty before another job gets it; else it would take that job for the first.
TEST(JobTable, AClosedSlotIsNotUsedBeforeItsRelease) {
  JobTable jobs;
  Job& a = jobs.add(1);
  jobs.open_slot(a);
  jobs.close_slot(a);
  Job& b = jobs.add(2);
  EXPECT_EQ(jobs.open_slot(b), 1u);
  jobs.close_slot(b);
  jobs.release_slots();
  // The lowest first, whatever the order in which they were closed.
  EXPECT_EQ(jobs.open_slot(b), 0u);
  EXPECT_EQ(jobs.open_slot(a), 1u);
}

TEST(JobTable, AClosedSlotShowsNoJobAndPointsToNothing) {
  JobTable jobs;
  Job& job = jobs.add(1);
  job.facts.nodes = {0, 1};
  job.facts.eligible_nodes = NodeSet(2);
  jobs.open_slot(job);
  JobView& view = jobs.views()[0];
  view.state = JobState::running;
  view.nodes = job.facts.nodes;
  view.eligible = &job.facts.eligible_nodes;
  view.yield = 0.5;
  jobs.close_slot(job);
  EXPECT_EQ(jobs.views()[0].state, JobState::absent);
  EXPECT_THAT(jobs.views()[0].nodes, IsEmpty());
  EXPECT_EQ(jobs.views()[0].eligible, nullptr);
  EXPECT_EQ(jobs.views()[0].yield, 0);
}

TEST(JobTable, ASlotIsBlankWhenItIsOpened) {
  JobTable jobs;
  Job& job = jobs.add(1);
  jobs.open_slot(job);
  jobs.views()[0].tasks = 7;
  jobs.views()[0].clock = {100, 5, 1};
  jobs.estimates()[0] = 3600;
  jobs.close_slot(job);
  jobs.release_slots();
  jobs.open_slot(jobs.add(2));
  EXPECT_EQ(jobs.views()[0].tasks, 1u);
  EXPECT_EQ(jobs.views()[0].clock.at(1000), 0);
  EXPECT_EQ(jobs.estimates()[0], 0);
}

TEST(JobTable, ASlotIsHandedOver) {
  JobTable jobs;
  Job& array = jobs.add(1);
  Job& task = jobs.add(2);
  jobs.open_slot(array);
  jobs.hand_over_slot(array, task);
  EXPECT_EQ(array.policy.slot, kNoSlot);
  EXPECT_EQ(task.policy.slot, 0u);
  EXPECT_EQ(jobs.in_slot(0), &task);
  jobs.hand_over_slot(array, task = Job());  // a job without a slot has none to give
  EXPECT_EQ(task.policy.slot, kNoSlot);
}

TEST(JobTable, SlotsAndJobsStayOneToOne) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(20); ++seed) {
    oracle::Dice dice(seed);
    JobTable jobs;
    std::map<JobSlot, std::uint32_t> model;  // job by slot
    std::set<JobSlot> resting;               // closed, not released
    std::size_t most = 0;
    for (int step = 0; step < 400; ++step) {
      const auto id = static_cast<std::uint32_t>(dice.between(1, 30));
      Job* job = jobs.find(id);
      if (job == nullptr) job = &jobs.add(id);
      if (job->policy.slot == kNoSlot) {
        const JobSlot slot = jobs.open_slot(*job);
        ASSERT_EQ(model.count(slot) + resting.count(slot), 0u) << "seed " << seed;
        model[slot] = id;
      } else {
        model.erase(job->policy.slot);
        resting.insert(job->policy.slot);
        jobs.close_slot(*job);
        if (dice.chance(50)) jobs.remove(id);
      }
      most = std::max(most, model.size() + resting.size());
      if (dice.chance(20)) {
        jobs.release_slots();
        resting.clear();
      }
      for (JobSlot slot = 0; slot < jobs.views().size(); ++slot) {
        const auto it = model.find(slot);
        const Job* owner = jobs.in_slot(slot);
        ASSERT_EQ(owner == nullptr ? 0 : owner->id, it == model.end() ? 0 : it->second) << "seed " << seed;
      }
    }
    EXPECT_EQ(jobs.views().size(), most) << "the table grows only when every slot is in use";
  }
}

}  // namespace
}  // namespace dfrs::shim
