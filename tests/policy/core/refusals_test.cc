// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/refusals.h"

#include <gtest/gtest.h>

#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

JobView job_of(std::uint32_t tasks, double cpu, RigidAmount memory, RigidAmount other = 0) {
  JobView job;
  job.tasks = tasks;
  job.cpu_need = cpu;
  job.rigid[kMemory] = memory;
  job.rigid[1] = other;
  return job;
}

TEST(Refusals, CoverWhatAsksForNoLess) {
  Refusals refusals;
  EXPECT_FALSE(refusals.cover(job_of(100, 1, 100)));
  refusals.add(job_of(10, 0.5, 20, 1), 3);  // three of them fit
  EXPECT_TRUE(refusals.cover(job_of(4, 0.5, 20, 1)));
  EXPECT_TRUE(refusals.cover(job_of(9, 1, 50, 2)));
  EXPECT_FALSE(refusals.cover(job_of(3, 0.5, 20, 1)));
  EXPECT_FALSE(refusals.cover(job_of(4, 0.4, 20, 1)));
  EXPECT_FALSE(refusals.cover(job_of(4, 0.5, 19, 1)));
  EXPECT_FALSE(refusals.cover(job_of(4, 0.5, 20, 0)));
  refusals.clear();
  EXPECT_FALSE(refusals.cover(job_of(4, 0.5, 20, 1)));
}

TEST(Refusals, AJobWithFewerNodesSaysNothingOfOthers) {
  Refusals refusals;
  const NodeSet some;
  JobView restricted = job_of(10, 0.5, 20);
  restricted.eligible = &some;
  refusals.add(restricted, 0);
  JobView alone = job_of(10, 0.5, 20);
  alone.flags.exclusive = true;
  refusals.add(alone, 0);
  EXPECT_EQ(refusals.size(), 0u);
  refusals.add(job_of(10, 0.5, 20), 0);  // but what does not fit all nodes does not fit some
  EXPECT_TRUE(refusals.cover(restricted));
  EXPECT_TRUE(refusals.cover(alone));
}

TEST(Refusals, KeepOnlyWhatOthersDoNotImply) {
  Refusals refusals;
  refusals.add(job_of(10, 0.5, 40), 5);
  refusals.add(job_of(10, 0.5, 20), 7);  // more of a smaller shape
  EXPECT_EQ(refusals.size(), 2u);
  refusals.add(job_of(10, 0.5, 20), 4);  // implies both
  EXPECT_EQ(refusals.size(), 1u);
  EXPECT_TRUE(refusals.cover(job_of(5, 0.5, 20)));
}

// The plain twin remembers every refusal. Up to kMost entries none is lost; beyond, nothing is invented.
TEST(RefusalsRandom, CoverAsTheListOfAll) {
  int covered = 0, full = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    oracle::Dice dice(seed);
    const bool differs = dice.chance(50);  // what needs more CPU needs less memory, so that few shapes imply others
    const auto random_job = [&] {
      const int cpu = dice.between(1, differs ? 1000 : 4);
      return job_of(static_cast<std::uint32_t>(dice.between(1, 4)), cpu,
                    differs ? 1000 - cpu + dice.between(0, 3) : dice.between(0, 4), dice.between(0, 4));
    };
    Refusals refusals;
    std::vector<JobView> all;  // the first that would not fit: one task more than fits
    for (int k = 0; k < 300; ++k) {
      const JobView job = random_job();
      const bool plain = std::any_of(all.begin(), all.end(), [&](const JobView& other) {
        return job.tasks >= other.tasks && job.cpu_need >= other.cpu_need && job.rigid[0] >= other.rigid[0] &&
               job.rigid[1] >= other.rigid[1];
      });
      if (refusals.size() < Refusals::kMost) {
        ASSERT_EQ(refusals.cover(job), plain) << "seed " << seed << ", job " << k;
      } else {
        ++full;
        ASSERT_TRUE(plain || !refusals.cover(job)) << "seed " << seed << ", job " << k;
      }
      covered += plain ? 1 : 0;
      if (plain || dice.chance(50) || refusals.size() == Refusals::kMost) continue;
      const auto fitting = static_cast<std::uint32_t>(dice.between(0, static_cast<int>(job.tasks) - 1));
      refusals.add(job, fitting);
      all.push_back(job);
      all.back().tasks = fitting + 1;
    }
  }
  EXPECT_GT(covered, 1000);
  EXPECT_GT(full, 100);
}

}  // namespace
}  // namespace dfrs
