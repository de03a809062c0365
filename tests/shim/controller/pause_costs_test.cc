// SPDX-License-Identifier: GPL-2.0-or-later
// Costs of pauses and moves: computed by hand, and through the C entries.
#include "shim/controller/pause_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string conf(const std::string& more) { return "Partitions=dfrs\n" + more; }

TEST(PauseCosts, HaveTwoDigits) {
  EXPECT_EQ(rounded_cost(0), 0);
  EXPECT_EQ(rounded_cost(-1), 0);
  EXPECT_DOUBLE_EQ(rounded_cost(12.4), 12);
  EXPECT_DOUBLE_EQ(rounded_cost(1237), 1200);
  EXPECT_DOUBLE_EQ(rounded_cost(0.0237), 0.024);
  EXPECT_DOUBLE_EQ(rounded_cost(9.96), 10);
}

// 800 MiB out and in at 50 MiB/s: 32 s, and 2 s for the suspend.
TEST(PauseCosts, OfASuspendAreItsMemoryOutAndIn) {
  OneNode host(conf("PauseBy=suspend\nSwapRate=50\n"));
  host.slurm.agents.set_swap(2000);
  const auto id = host.slurm.submit(job_of(800, 100));
  host.slurm.run_for(10);
  EXPECT_DOUBLE_EQ(host.slurm.job_status(id).pause_cost, 34);
  EXPECT_THAT(host.slurm.explain(id),
              HasSubstr("A pause would cost job 1 about 34 s: its memory to swap and back, at 50 MiB/s."));
}

TEST(PauseCosts, OfASuspendWithoutSwapAreTheSuspend) {
  OneNode host(conf("PauseBy=suspend\nSuspendNeedsSwap=no\n"));
  const auto id = host.slurm.submit(job_of(800, 100));
  host.slurm.run_for(10);
  EXPECT_DOUBLE_EQ(host.slurm.job_status(id).pause_cost, 2);
}

TEST(PauseCosts, OfARequeueAreAnotherStart) {
  OneNode host(conf("PauseBy=requeue\nMinProgress=0\nRestartCost=45\n"));
  FakeJob job = job_of(800, 100);
  job.comment = "dfrs:checkpoint";
  const auto id = host.slurm.submit(job);
  host.slurm.run_for(10);
  EXPECT_DOUBLE_EQ(host.slurm.job_status(id).pause_cost, 45);
  EXPECT_THAT(host.slurm.explain(id), HasSubstr("45 s for another start."));
}

// Without a checkpoint, all its progress counts, too.
TEST(PauseCosts, LostWorkCounts) {
  OneNode host(conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\nRestartCost=45\n"));
  const auto id = host.slurm.submit(job_of(800, 1000));
  host.slurm.run_for(30);
  EXPECT_NEAR(host.slurm.job_status(id).pause_cost, 75, 1.5);
  host.slurm.run_for(400);
  EXPECT_NEAR(host.slurm.job_status(id).pause_cost, 475, 10);
  EXPECT_THAT(host.slurm.explain(id), HasSubstr("of work that would be lost"));
}

TEST(PauseCosts, AreUnknownWhereNothingMayBePaused) {
  OneNode host(conf("PauseBy=none\n"));
  const auto id = host.slurm.submit(job_of(800, 100));
  host.slurm.run_for(10);
  EXPECT_LT(host.slurm.job_status(id).pause_cost, 0);
}

// A new job has a job with a checkpoint paused sooner than one that would start from the beginning.
TEST(PauseCosts, TriageWeighsThem) {
  for (const bool loses : {false, true}) {
    OneNode host(conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\nRestartCost=1\n"));
    FakeSlurm& slurm = host.slurm;
    FakeJob old = job_of(800, 100000);
    if (!loses) old.comment = "dfrs:checkpoint";
    const auto running = slurm.submit(old);
    slurm.run_for(65);
    slurm.submit(job_of(800, 10));
    slurm.run_for(16);
    // After w s of waiting the urgency is (w + 40) / 10. It exceeds the cost with a checkpoint,
    // (65 + w + 1 + 300) / (65 + w), from w = 11 on, without one, (65 + w + 66 + w + 300) / (65 + w), from w = 17 on.
    // The policy decides at least every 3 s.
    EXPECT_EQ(slurm.job(running).requeues_by_us, loses ? 0U : 1U);
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

// The duration of a move, from the end of a run to the start of the next, is measured.
TEST(PauseCosts, ARestartIsMeasured) {
  PauseCosts costs;
  Config config;
  EXPECT_EQ(costs.restart(config), kRestartAtFirst);
  costs.restart_took(0);
  costs.restart_took(-1);
  EXPECT_EQ(costs.restart(config), kRestartAtFirst);
  costs.restart_took(4);
  EXPECT_EQ(costs.restart(config), 4);
  costs.restart_took(8);
  EXPECT_EQ(costs.restart(config), 5);  // a quarter of the way
  config.restart_cost = 60;
  EXPECT_EQ(costs.restart(config), 60);
}

// Reports every 2 s: 100, 300, 500, 540 and no more. The rate is that of full intervals, 100 MiB/s.
TEST(PauseCosts, TheRateOfSwapIsMeasured) {
  JobTable jobs;
  FakeAgents agents;
  const std::vector<AgentAddress> addresses{{"n1", "n1", 1}};
  agents.set_agents(addresses);
  Nodes nodes;
  dfrs_node node{};
  node.name = node.address = "n1";
  node.cpus = 4;
  node.memory = 1000;
  node.usable = true;
  dfrs_snapshot snapshot{};
  snapshot.nodes = &node;
  snapshot.node_count = 1;
  snapshot.node_generation = 1;
  nodes.update(snapshot);
  Job& job = jobs.add(7);
  job.facts.phase = DFRS_JOB_SUSPENDED;
  job.facts.keeps_memory = false;
  job.facts.memory_per_task = 540;
  job.facts.nodes = {0};
  PauseCosts costs;
  const Config config;
  Seconds now = 1000;
  for (const std::uint64_t mib : {0, 100, 300, 500, 540}) {
    agents.node(0).swapped[7] = mib;
    costs.watch(jobs, nodes, agents, now);
    now += 2;
  }
  EXPECT_EQ(costs.swap_rate(config), kSwapRateAtFirst);  // it may go on
  costs.watch(jobs, nodes, agents, now);
  EXPECT_DOUBLE_EQ(costs.swap_rate(config), 100);
  // A short one, seen twice, shows at least 60 MiB/s, which changes nothing. One of at least 200 does.
  const auto page_out = [&](std::uint64_t mib) {
    job.pausing.swapped_mib = -1;
    for (const std::uint64_t there : {std::uint64_t{0}, mib, mib}) {
      agents.node(0).swapped[7] = there;
      now += 2;
      costs.watch(jobs, nodes, agents, now);
    }
  };
  page_out(120);
  EXPECT_DOUBLE_EQ(costs.swap_rate(config), 100);
  page_out(400);
  EXPECT_DOUBLE_EQ(costs.swap_rate(config), 125);  // 100 and a quarter of the way to 200
}

TEST(PauseCosts, TheDefaultAlgorithmIsTriage) {
  OneNode host(conf(""));
  EXPECT_EQ(host.slurm.status().algorithm, "Triage");
}

}  // namespace
}  // namespace dfrs::shim
