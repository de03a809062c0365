// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/memory_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracle/dice.h"
#include "tests/shim/controller/node_list.h"

namespace dfrs::shim {
namespace {

using Tasks = std::vector<NodeIndex>;

// Two nodes of 1000 MiB; foreign jobs have 300 on the second.
struct TwoNodes {
  TwoNodes() {
    list.add("n0", 4, 1000);
    list.add("n1", 4, 1000).foreign_memory = 300;
    list.update(nodes);
    room.reset(nodes);
  }
  NodeList list;
  Nodes nodes;
  MemoryLedger room;
};

TEST(MemoryLedger, CountsTheTasksOfEachNode) {
  TwoNodes two;
  const Tasks three_and_one{0, 0, 0, 1};
  EXPECT_TRUE(two.room.fits({three_and_one, 333, false}));
  EXPECT_FALSE(two.room.fits({three_and_one, 334, false})) << "3 x 334 on the first";
  const Tasks one_and_two{0, 1, 1};
  EXPECT_TRUE(two.room.fits({one_and_two, 350, false}));
  EXPECT_FALSE(two.room.fits({one_and_two, 351, false})) << "the second has 700 left by others";
}

TEST(MemoryLedger, GivesBackWhatWasTaken) {
  TwoNodes two;
  const Tasks tasks{0, 0, 1};
  two.room.take({tasks, 200, true});
  EXPECT_EQ(two.room.free_memory(0), 600);
  EXPECT_EQ(two.room.free_memory(1), 500);
  EXPECT_EQ(two.room.tasks(0), 2u);
  const Tasks other{1};
  EXPECT_FALSE(two.room.fits({other, 1, false})) << "the node is another's alone";
  two.room.give({tasks, 200, true});
  EXPECT_EQ(two.room.free_memory(0), 1000);
  EXPECT_EQ(two.room.tasks(0), 0u);
  EXPECT_TRUE(two.room.fits({other, 700, true}));
}

TEST(MemoryLedger, AnExclusiveJobNeedsAnEmptyNode) {
  TwoNodes two;
  const Tasks first{0};
  const Tasks both{0, 1};
  two.room.take({first, 0, false});
  EXPECT_FALSE(two.room.fits({both, 10, true}));
  EXPECT_TRUE(two.room.fits({both, 10, false}));
  EXPECT_EQ(two.room.tasks_that_fit(0, 10, true), 0u);
  EXPECT_EQ(two.room.tasks_that_fit(1, 10, true), 70u);
}

TEST(MemoryLedger, TasksWithoutMemoryFitInAnyNumber) {
  TwoNodes two;
  const Tasks all{0};
  two.room.take({all, 1000, false});
  EXPECT_EQ(two.room.tasks_that_fit(0, 0, false), UINT32_MAX);
  EXPECT_EQ(two.room.tasks_that_fit(0, 1, false), 0u);
}

// On an overcommitted node nothing fits, not even tasks without memory.
TEST(MemoryLedger, AnOvercommittedNodeTakesNothing) {
  TwoNodes two;
  const Tasks first{0};
  two.room.take({first, 1001, false});
  EXPECT_EQ(two.room.free_memory(0), -1);
  EXPECT_EQ(two.room.tasks_that_fit(0, 0, false), 0u);
  EXPECT_FALSE(two.room.fits({first, 0, false}));

  two.list.list[1].foreign_memory = 1200;
  two.list.update(two.nodes);
  two.room.reset(two.nodes);
  EXPECT_EQ(two.room.free_memory(0), 1000) << "reset forgets what was taken";
  EXPECT_TRUE(two.room.fits({first, 1000, true}));
  EXPECT_EQ(two.room.free_memory(1), -200);
  EXPECT_EQ(two.room.tasks_that_fit(1, 1, false), 0u);
}

TEST(MemoryLedger, NodesThatDoNotExistHaveNone) {
  TwoNodes two;
  const Tasks beyond{1, 2};
  EXPECT_FALSE(two.room.fits({beyond, 1, false}));
  EXPECT_EQ(two.room.tasks_that_fit(2, 0, false), 0u);
  EXPECT_EQ(MemoryLedger().tasks_that_fit(0, 0, false), 0u);
}

// Against a list of the jobs, recounted for each check.
TEST(MemoryLedger, AgreesWithAPlainCount) {
  struct Present {
    Tasks tasks;
    std::uint64_t memory = 0;
    bool exclusive = false;
  };
  for (std::uint64_t seed = 1; seed <= oracle::cases(50); ++seed) {
    oracle::Dice dice(seed);
    NodeList list;
    for (int n = dice.between(1, 4); n > 0; --n) {
      list.add("n", 4, static_cast<std::uint64_t>(dice.between(0, 20))).foreign_memory =
          static_cast<std::uint64_t>(dice.between(0, 5));
    }
    Nodes nodes;
    list.update(nodes);
    MemoryLedger room;
    room.reset(nodes);
    std::vector<Present> there;
    for (int step = 0; step < 100; ++step) {
      if (!there.empty() && dice.chance(30)) {
        const std::uint32_t k = dice.below(static_cast<std::uint32_t>(there.size()));
        room.give({there[k].tasks, there[k].memory, there[k].exclusive});
        there.erase(there.begin() + k);
      }
      Present job;
      for (int t = dice.between(1, 4); t > 0; --t) {
        job.tasks.push_back(dice.below(static_cast<std::uint32_t>(nodes.size())));
      }
      std::sort(job.tasks.begin(), job.tasks.end());
      job.memory = static_cast<std::uint64_t>(dice.between(0, 6));
      job.exclusive = dice.chance(20);

      bool fits = true;
      for (const NodeIndex n : job.tasks) {
        auto left =
            static_cast<std::int64_t>(list.list[n].memory) - static_cast<std::int64_t>(list.list[n].foreign_memory);
        const auto take = [&](const Present& other) {
          for (const NodeIndex at : other.tasks) left -= at == n ? static_cast<std::int64_t>(other.memory) : 0;
        };
        for (const Present& other : there) {
          take(other);
          const bool here = std::find(other.tasks.begin(), other.tasks.end(), n) != other.tasks.end();
          if (here && (other.exclusive || job.exclusive)) fits = false;
        }
        if (left < 0) fits = false;
        take(job);
        if (left < 0) fits = false;
      }
      ASSERT_EQ(room.fits({job.tasks, job.memory, job.exclusive}), fits) << "seed " << seed << ", step " << step;
      if (!fits && !dice.chance(5)) continue;  // sometimes more than there is
      room.take({job.tasks, job.memory, job.exclusive});
      there.push_back(job);
    }
  }
}

}  // namespace
}  // namespace dfrs::shim
