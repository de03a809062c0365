// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/gangs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "policy/core/registry.h"
#include "sim/host/simulation.h"
#include "sim/metrics/metrics.h"
#include "tests/sim/bound/deadline_flow.h"

namespace dfrs::sim {
namespace {

constexpr RigidAmount kNodeMemory = 1000;  // of a node

Job gang(JobId id, Seconds submit, Seconds run_time, int tasks, RigidAmount memory = 400) {
  Job job;
  job.id = id;
  job.submit = submit;
  job.run_time = job.estimate = run_time;
  job.tasks = tasks;
  job.rigid[kMemory] = memory;
  return job;
}

Instance on_nodes(std::size_t nodes, std::vector<Job> jobs) {
  return {"gangs", Platform::homogeneous(nodes, kNodeMemory), std::move(jobs)};
}

// Two of three quarters of the nodes run one after the other, three of them at three halves.
TEST(GangBound, ByHand) {
  EXPECT_NEAR(or_throw(gang_bound(on_nodes(4, {gang(1, 0, 100, 3), gang(2, 0, 100, 3)}))), 2, 1e-9);
  EXPECT_NEAR(or_throw(stretch_lower_bound(on_nodes(4, {gang(1, 0, 100, 3), gang(2, 0, 100, 3)}), BoundKind::ls1)), 1.5,
              1e-9);
  const std::vector<Job> three{gang(1, 0, 300, 6), gang(2, 0, 300, 6), gang(3, 0, 300, 6)};
  EXPECT_NEAR(or_throw(gang_bound(on_nodes(10, three))), 2, 1e-9);  // 900 s of yields at 3/2
}

TEST(GangBound, SaysNothingWhereThreeFitOnANode) {
  EXPECT_EQ(or_throw(gang_bound(on_nodes(4, {gang(1, 0, 100, 3, 333), gang(2, 0, 100, 3, 333)}))), 1);
}

TEST(GangBound, SaysNothingOfNarrowOnes) {
  EXPECT_EQ(or_throw(gang_bound(on_nodes(4, {gang(1, 0, 100, 2), gang(2, 0, 100, 2), gang(3, 0, 100, 2)}))), 1);
}

TEST(GangBound, SaysNothingOfUnequalNodesOrPartsOfTheirCpu) {
  Instance instance = on_nodes(4, {gang(1, 0, 100, 3), gang(2, 0, 100, 3)});
  instance.platform.nodes.back().cpu = 2;
  EXPECT_EQ(or_throw(gang_bound(instance)), 1);
  Instance halves = on_nodes(4, {gang(1, 0, 100, 3), gang(2, 0, 100, 3)});
  for (Job& job : halves.jobs) job.cpu_need = 0.5;
  EXPECT_EQ(or_throw(gang_bound(halves)), 1);
}

// Which gangs have two tasks on some node (bits 0 to 2), and which pairs share one (bits 3 to 5: 01, 02, 12).
using Conflicts = unsigned;

// The largest sum of yields: y <= 1/2 with two tasks on a node, and the yields of a pair on one node sum to at most 1.
// All corners of such a set are multiples of 1/2.
int twice_the_largest_sum(Conflicts conflicts) {
  int best = 0;
  for (int a = 0; a <= 2; ++a) {
    for (int b = 0; b <= 2; ++b) {
      for (int c = 0; c <= 2; ++c) {
        const std::array<int, 3> y{a, b, c};
        bool fits = true;
        for (unsigned k = 0; k < 3; ++k) fits = fits && ((conflicts >> k & 1) == 0 || y[k] <= 1);
        fits = fits && ((conflicts >> 3 & 1) == 0 || a + b <= 2) && ((conflicts >> 4 & 1) == 0 || a + c <= 2) &&
               ((conflicts >> 5 & 1) == 0 || b + c <= 2);
        if (fits) best = std::max(best, a + b + c);
      }
    }
  }
  return best;
}

// Goes through all ways to put at most two tasks on each node, and keeps the largest sum of yields of gangs of which
// each has either no tasks or at least `least`.
void place(std::size_t nodes, int least, std::array<int, 3> tasks, Conflicts conflicts, int& best) {
  if (nodes == 0) {
    Conflicts absent = 0;
    for (unsigned k = 0; k < 3; ++k) {
      if (tasks[k] != 0 && tasks[k] < least) return;
      if (tasks[k] == 0) absent |= 1U << k;
    }
    int sum = twice_the_largest_sum(conflicts);
    for (unsigned k = 0; k < 3; ++k) sum -= (absent >> k & 1) != 0 ? 2 : 0;  // such a one would have a yield of 1
    best = std::max(best, sum);
    return;
  }
  place(nodes - 1, least, tasks, conflicts, best);
  for (unsigned a = 0; a < 3; ++a) {
    std::array<int, 3> one = tasks;
    ++one[a];
    place(nodes - 1, least, one, conflicts, best);
    for (unsigned b = a; b < 3; ++b) {
      std::array<int, 3> two = one;
      ++two[b];
      const Conflicts more = a == b ? 1U << a : 1U << (2 + a + b);  // 0+1, 0+2, 1+2: bits 3, 4, 5
      place(nodes - 1, least, two, conflicts | more, best);
    }
  }
}

// The argument itself, by all placements on a few nodes. Four gangs have no room at a time.
TEST(GangBound, NoPlacementGivesMore) {
  for (std::size_t nodes = 2; nodes <= 5; ++nodes) {
    SCOPED_TRACE(nodes);
    int wide = 0;
    place(nodes, static_cast<int>(nodes) / 2 + 1, {}, 0, wide);
    EXPECT_LE(wide, 3);
    int wider = 0;
    place(nodes, static_cast<int>(2 * nodes) / 3 + 1, {}, 0, wider);
    EXPECT_EQ(wider, 2);
  }
}

std::vector<Job> random_gangs(std::mt19937& random, std::size_t nodes) {
  std::vector<Job> jobs;
  Seconds submit = 0;
  const JobId count = 3 + random() % 8;
  for (JobId id = 1; id <= count; ++id) {
    submit += static_cast<double>(random() % 60);
    jobs.push_back(gang(id, submit, 1 + static_cast<double>(random() % 200), static_cast<int>(1 + random() % nodes),
                        300 + 100 * static_cast<RigidAmount>(random() % 5)));
  }
  return jobs;
}

// A second way: the wide ones as jobs of one task on a machine of speed 3/2 or 1, by a plain maximum flow.
TEST(GangBound, AgreesWithAMaximumFlow) {
  int above = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::size_t nodes = 3 + random() % 8;
    const Instance instance = on_nodes(nodes, random_gangs(random, nodes));
    const double bound = or_throw(gang_bound(instance));
    bool tight = bound == 1;
    for (const int half : {3, 2}) {  // three halves, two
      Instance machine = on_nodes(1, {});
      machine.platform.nodes.front().cpu = half / 2.0;
      for (Job job : instance.jobs) {
        const bool is_wide =
            half == 3 ? 2 * job.tasks > static_cast<int>(nodes) : 3 * job.tasks > 2 * static_cast<int>(nodes);
        if (!is_wide || 3 * job.rigid[kMemory] <= kNodeMemory) continue;
        job.tasks = 1;
        machine.jobs.push_back(job);
      }
      EXPECT_TRUE(meets_deadlines(machine, BoundKind::ls1, {}, bound * (1 + 1e-7)));
      tight = tight || !meets_deadlines(machine, BoundKind::ls1, {}, bound * (1 - 1e-6));
    }
    EXPECT_TRUE(tight);
    above += bound > 1.01;
  }
  EXPECT_GT(above, 100);
}

TEST(GangBound, NoScheduleIsBelow) {
  // Few of these workloads have a bound of gangs above ls1: enough of them, and some others.
  int above_ls1 = 0;
  int others = 0;
  for (unsigned seed = 1; seed <= 2000 && (above_ls1 < 12 || others < 20); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::size_t nodes = 3 + random() % 8;
    const Instance instance = on_nodes(nodes, random_gangs(random, nodes));
    const double bound = or_throw(gang_bound(instance));
    const bool above = bound > or_throw(stretch_lower_bound(instance, BoundKind::ls1)) * (1 + 1e-6);
    int& count = above ? above_ls1 : others;
    if (!above && others == 20) continue;
    ++count;
    SimOptions free;
    free.penalty = 0;
    for (const char* name : {"Triage", "clairvoyant/Triage", "GreedyPM*/per/OPT=MIN/MINVT=600"}) {
      const RunResult result = or_throw(simulate(instance, parse_algorithm(name).value(), free));
      EXPECT_GE(measure(instance, result).max_stretch, bound * (1 - 1e-9)) << name;
    }
  }
  EXPECT_EQ(above_ls1, 12);
}

}  // namespace
}  // namespace dfrs::sim
