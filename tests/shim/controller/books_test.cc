// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/books.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/oracle/dice.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint32_t> numbers(const Books& books) {
  std::vector<std::uint32_t> list;
  books.each([&](const Job& job) { list.push_back(job.id); });
  return list;
}

TEST(Books, JobsAreFoundByNumberAndListedInTheirOrder) {
  Books books;
  for (const std::uint32_t id : {30u, 10u, 20u}) books.add(id).cpus_per_task = id;
  EXPECT_THAT(numbers(books), ElementsAre(10, 20, 30));
  ASSERT_NE(books.find(20), nullptr);
  EXPECT_EQ(books.find(20)->cpus_per_task, 20u);
  EXPECT_EQ(books.find(15), nullptr);
  books.add(15);
  books.remove(10);
  EXPECT_THAT(numbers(books), ElementsAre(15, 20, 30));
  EXPECT_EQ(books.find(10), nullptr);
  EXPECT_EQ(books.size(), 3u);
}

// Pointers to records are kept while others come (Changes::entering, the reconciler's lists).
TEST(Books, RecordsStayWhereTheyAre) {
  Books books;
  Job* const first = &books.add(1);
  for (std::uint32_t id = 2; id < 2000; ++id) books.add(id);
  EXPECT_EQ(books.find(1), first);
  for (std::uint32_t id = 2; id < 2000; ++id) books.remove(id);
  EXPECT_EQ(books.find(1), first);
}

TEST(Books, ASlotBelongsToItsJobUntilItIsClosed) {
  Books books;
  Job& a = books.add(1);
  Job& b = books.add(2);
  EXPECT_EQ(books.open_slot(a), 0u);
  EXPECT_EQ(books.open_slot(b), 1u);
  EXPECT_EQ(a.slot, 0u);
  EXPECT_EQ(books.in_slot(0), &a);
  EXPECT_EQ(books.in_slot(1), &b);
  EXPECT_EQ(books.in_slot(2), nullptr);
  EXPECT_EQ(books.views().size(), 2u);
  EXPECT_EQ(books.estimates().size(), 2u);

  books.close_slot(a);
  EXPECT_EQ(a.slot, kNoSlot);
  EXPECT_EQ(books.in_slot(0), nullptr);
  books.close_slot(a);  // as if it had not been said
  books.release_slots();
  EXPECT_EQ(books.open_slot(a), 0u);
  EXPECT_EQ(books.open_slot(books.add(3)), 2u) << "closed twice it was free twice";
}

// The engine must see a slot empty before it sees another job there: else the first would seem to go on.
TEST(Books, AClosedSlotIsNotUsedBeforeItsRelease) {
  Books books;
  Job& a = books.add(1);
  books.open_slot(a);
  books.close_slot(a);
  Job& b = books.add(2);
  EXPECT_EQ(books.open_slot(b), 1u);
  books.close_slot(b);
  books.release_slots();
  // The lowest first, whatever the order in which they were closed.
  EXPECT_EQ(books.open_slot(b), 0u);
  EXPECT_EQ(books.open_slot(a), 1u);
}

TEST(Books, AClosedSlotShowsNoJobAndPointsToNothing) {
  Books books;
  Job& job = books.add(1);
  job.at = {0, 1};
  job.eligible = NodeSet(2);
  books.open_slot(job);
  JobView& view = books.views()[0];
  view.state = JobState::running;
  view.nodes = job.at;
  view.eligible = &job.eligible;
  view.yield = 0.5;
  books.close_slot(job);
  EXPECT_EQ(books.views()[0].state, JobState::absent);
  EXPECT_THAT(books.views()[0].nodes, IsEmpty());
  EXPECT_EQ(books.views()[0].eligible, nullptr);
  EXPECT_EQ(books.views()[0].yield, 0);
}

TEST(Books, ASlotIsBlankWhenItIsOpened) {
  Books books;
  Job& job = books.add(1);
  books.open_slot(job);
  books.views()[0].tasks = 7;
  books.views()[0].clock = {100, 5, 1};
  books.estimates()[0] = 3600;
  books.close_slot(job);
  books.release_slots();
  books.open_slot(books.add(2));
  EXPECT_EQ(books.views()[0].tasks, 1u);
  EXPECT_EQ(books.views()[0].clock.at(1000), 0);
  EXPECT_EQ(books.estimates()[0], 0);
}

TEST(Books, ASlotIsHandedOver) {
  Books books;
  Job& array = books.add(1);
  Job& task = books.add(2);
  books.open_slot(array);
  books.hand_over_slot(array, task);
  EXPECT_EQ(array.slot, kNoSlot);
  EXPECT_EQ(task.slot, 0u);
  EXPECT_EQ(books.in_slot(0), &task);
  books.hand_over_slot(array, task = Job());  // a job without a slot has none to give
  EXPECT_EQ(task.slot, kNoSlot);
}

TEST(Books, SlotsAndJobsStayOneToOne) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(20); ++seed) {
    oracle::Dice dice(seed);
    Books books;
    std::map<JobSlot, std::uint32_t> model;  // who is where
    std::set<JobSlot> resting;               // closed, not released
    std::size_t most = 0;
    for (int step = 0; step < 400; ++step) {
      const auto id = static_cast<std::uint32_t>(dice.between(1, 30));
      Job* job = books.find(id);
      if (job == nullptr) job = &books.add(id);
      if (job->slot == kNoSlot) {
        const JobSlot slot = books.open_slot(*job);
        ASSERT_EQ(model.count(slot) + resting.count(slot), 0u) << "seed " << seed;
        model[slot] = id;
      } else {
        model.erase(job->slot);
        resting.insert(job->slot);
        books.close_slot(*job);
        if (dice.chance(50)) books.remove(id);
      }
      most = std::max(most, model.size() + resting.size());
      if (dice.chance(20)) {
        books.release_slots();
        resting.clear();
      }
      for (JobSlot slot = 0; slot < books.views().size(); ++slot) {
        const auto it = model.find(slot);
        const Job* owner = books.in_slot(slot);
        ASSERT_EQ(owner == nullptr ? 0 : owner->id, it == model.end() ? 0 : it->second) << "seed " << seed;
      }
    }
    EXPECT_EQ(books.views().size(), most) << "the table grows only when every slot is in use";
  }
}

}  // namespace
}  // namespace dfrs::shim
