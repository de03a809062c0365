// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/edf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace dfrs::sim {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Edf, MeetsDeadlinesByPreemption) {
  EXPECT_THAT(Edf().critical_set({}), IsEmpty());
  const std::vector<EdfJob> jobs{{0, 10, 6}, {2, 5, 3}, {20, 21, 1}};
  EXPECT_THAT(Edf().critical_set(jobs), IsEmpty());
}

// The job of 2 .. 4 s needs 3 s; that of 0 .. 10 s runs before and does not matter.
TEST(Edf, NamesTheJobsThatAreTooMany) {
  const std::vector<EdfJob> jobs{{0, 10, 4}, {2, 4, 3}};
  EXPECT_THAT(Edf().critical_set(jobs), UnorderedElementsAre(1));
}

// Deadlines 10, 12 and 11 s: 13 s of work in the 12 s from 0 on.
TEST(Edf, CountsJobsWithEarlierDeadlines) {
  const std::vector<EdfJob> jobs{{0, 12, 6}, {1, 10, 4}, {3, 11, 3}, {4, 50, 9}};
  EXPECT_THAT(Edf().critical_set(jobs), UnorderedElementsAre(0, 1, 2));
}

// Late by 2 s of weight 10, and by 1 s of weight 1.
TEST(Edf, WeighsLateness) {
  const std::vector<EdfJob> jobs{{0, 3, 5, 10}, {100, 103, 4, 1}};
  EXPECT_THAT(Edf().critical_set(jobs), UnorderedElementsAre(1));
}

// A set of jobs is too many if and only if the jobs between some release and some deadline are.
TEST(Edf, FindsASetIfThereIsOne) {
  Edf edf;
  int late = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<EdfJob> jobs;
    Seconds release = 0;
    for (auto n = 1 + random() % 8; n > 0; --n) {
      release += static_cast<double>(random() % 6);
      const auto length = static_cast<double>(1 + random() % 6);
      jobs.push_back({release, release + length + static_cast<double>(random() % 12), length});
    }
    const auto total_between = [&](Seconds begin, Seconds end) {
      Seconds total = 0;
      for (const EdfJob& job : jobs) total += job.release >= begin && job.deadline <= end ? job.length : 0;
      return total;
    };
    bool too_many = false;
    for (const EdfJob& first : jobs)
      for (const EdfJob& last : jobs)
        too_many |= total_between(first.release, last.deadline) > std::max(0.0, last.deadline - first.release);
    const std::vector<std::uint32_t> critical = edf.critical_set(jobs);
    EXPECT_EQ(!critical.empty(), too_many);
    if (critical.empty()) continue;
    ++late;
    Seconds total = 0;
    Seconds begin = kNever;
    Seconds end = 0;
    for (const std::uint32_t j : critical) {
      total += jobs[j].length;
      begin = std::min(begin, jobs[j].release);
      end = std::max(end, jobs[j].deadline);
    }
    EXPECT_GT(total, end - begin);
    EXPECT_EQ(std::set(critical.begin(), critical.end()).size(), critical.size());
  }
  EXPECT_GT(late, 100);
}

}  // namespace
}  // namespace dfrs::sim
