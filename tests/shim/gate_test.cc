// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/gate.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

class GateTest : public testing::Test {
 protected:
  void SetUp() override {
    dfrs_gate_reset();
    drain();
  }
  void TearDown() override { dfrs_gate_reset(); }

  // How many wake-ups were pending.
  static std::uint64_t drain() {
    std::uint64_t count = 0;
    return read(dfrs_gate_eventfd(), &count, sizeof(count)) == sizeof(count) ? count : 0;
  }
};

int publish(std::uint32_t job, const std::vector<std::uint32_t>& nodes, const std::vector<std::uint16_t>& tasks) {
  dfrs_plan plan{};
  plan.kind = DFRS_PLAN_EXACT;
  plan.job_id = job;
  plan.node_count = static_cast<std::uint32_t>(nodes.size());
  plan.nodes = nodes.data();
  plan.node_tasks = tasks.data();
  plan.cpus_per_task = 2;
  plan.memory_per_task = 100;
  return dfrs_gate_publish(&plan);
}

TEST_F(GateTest, ManagesNothingAtFirst) {
  EXPECT_FALSE(dfrs_gate_manages("dfrs"));
  EXPECT_FALSE(dfrs_gate_manages(""));
  EXPECT_FALSE(dfrs_gate_manages(nullptr));
}

TEST_F(GateTest, PartitionsAreReplacedAndComparedExactly) {
  const std::array first = {"dfrs", "short"};
  ASSERT_EQ(dfrs_gate_set_partitions(first.data(), first.size()), 0);
  EXPECT_TRUE(dfrs_gate_manages("dfrs"));
  EXPECT_TRUE(dfrs_gate_manages("short"));
  EXPECT_FALSE(dfrs_gate_manages("Short"));
  EXPECT_FALSE(dfrs_gate_manages("shor"));
  EXPECT_FALSE(dfrs_gate_manages("shorter"));
  const std::array second = {"long"};
  ASSERT_EQ(dfrs_gate_set_partitions(second.data(), second.size()), 0);
  EXPECT_TRUE(dfrs_gate_manages("long"));
  EXPECT_FALSE(dfrs_gate_manages("dfrs"));
  ASSERT_EQ(dfrs_gate_set_partitions(nullptr, 0), 0);
  EXPECT_FALSE(dfrs_gate_manages("long"));
}

TEST_F(GateTest, NamesAreCopied) {
  std::string name = "dfrs";
  const char* names[] = {name.c_str()};
  ASSERT_EQ(dfrs_gate_set_partitions(names, 1), 0);
  name = "gone";
  EXPECT_TRUE(dfrs_gate_manages("dfrs"));
  EXPECT_FALSE(dfrs_gate_manages("gone"));
}

TEST_F(GateTest, PlanIsCopiedAndFoundByItsJob) {
  {
    std::vector<std::uint32_t> nodes = {1, 5};
    std::vector<std::uint16_t> tasks = {3, 1};
    ASSERT_EQ(publish(7, nodes, tasks), 0);
    nodes.assign({9, 9});
    tasks.assign({9, 9});
  }
  const dfrs_plan plan = dfrs_gate_plan(7);
  EXPECT_EQ(plan.kind, DFRS_PLAN_EXACT);
  EXPECT_EQ(plan.job_id, 7U);
  ASSERT_EQ(plan.node_count, 2U);
  EXPECT_EQ(plan.nodes[0], 1U);
  EXPECT_EQ(plan.nodes[1], 5U);
  EXPECT_EQ(plan.node_tasks[0], 3);
  EXPECT_EQ(plan.node_tasks[1], 1);
  EXPECT_EQ(plan.cpus_per_task, 2);
  EXPECT_EQ(plan.memory_per_task, 100U);
}

TEST_F(GateTest, NoPlanForAnotherJob) {
  ASSERT_EQ(publish(7, {0}, {1}), 0);
  const dfrs_plan plan = dfrs_gate_plan(8);
  EXPECT_EQ(plan.kind, DFRS_PLAN_NONE);
  EXPECT_EQ(plan.job_id, 8U);
  EXPECT_EQ(plan.node_count, 0U);
}

TEST_F(GateTest, LaterPlanTakesTheOlderOnesPlace) {
  ASSERT_EQ(publish(7, {0}, {1}), 0);
  ASSERT_EQ(publish(7, {2, 3}, {1, 1}), 0);
  const dfrs_plan plan = dfrs_gate_plan(7);
  ASSERT_EQ(plan.node_count, 2U);
  EXPECT_EQ(plan.nodes[1], 3U);
}

TEST_F(GateTest, WithdrawnPlanIsGoneAndOthersKeepTheirArrays) {
  ASSERT_EQ(publish(7, {0}, {1}), 0);
  ASSERT_EQ(publish(8, {4, 6}, {2, 1}), 0);
  const dfrs_plan held = dfrs_gate_plan(8);
  dfrs_gate_withdraw(7);
  for (std::uint32_t job = 100; job < 1000; ++job) ASSERT_EQ(publish(job, {job}, {1}), 0);
  EXPECT_EQ(dfrs_gate_plan(7).kind, DFRS_PLAN_NONE);
  EXPECT_EQ(held.nodes[1], 6U);
  EXPECT_EQ(held.node_tasks[0], 2);
  dfrs_gate_withdraw(12345);  // never published: nothing happens
}

TEST_F(GateTest, StockPlanNeedsNoTasks) {
  const std::uint32_t nodes[] = {2};
  dfrs_plan plan{};
  plan.kind = DFRS_PLAN_STOCK;
  plan.job_id = 9;
  plan.node_count = 1;
  plan.nodes = nodes;
  ASSERT_EQ(dfrs_gate_publish(&plan), 0);
  EXPECT_EQ(dfrs_gate_plan(9).kind, DFRS_PLAN_STOCK);
  EXPECT_EQ(dfrs_gate_plan(9).node_tasks, nullptr);
}

TEST_F(GateTest, WakeMakesTheDescriptorReadable) {
  pollfd watched{dfrs_gate_eventfd(), POLLIN, 0};
  ASSERT_GE(watched.fd, 0);
  EXPECT_EQ(poll(&watched, 1, 0), 0);
  dfrs_gate_wake();
  dfrs_gate_wake();
  EXPECT_EQ(poll(&watched, 1, 1000), 1);
  EXPECT_EQ(drain(), 2U);
  EXPECT_EQ(poll(&watched, 1, 0), 0);
}

TEST_F(GateTest, WakeDoesNotBlockWhenNobodyListens) {
  std::uint64_t nearly_full = ~std::uint64_t{0} - 1;
  ASSERT_EQ(write(dfrs_gate_eventfd(), &nearly_full, sizeof(nearly_full)), static_cast<ssize_t>(sizeof(nearly_full)));
  dfrs_gate_wake();
  EXPECT_EQ(drain(), nearly_full);
}

TEST_F(GateTest, ResetForgetsAll) {
  const std::array names = {"dfrs"};
  ASSERT_EQ(dfrs_gate_set_partitions(names.data(), names.size()), 0);
  ASSERT_EQ(publish(7, {0}, {1}), 0);
  dfrs_gate_reset();
  EXPECT_FALSE(dfrs_gate_manages("dfrs"));
  EXPECT_EQ(dfrs_gate_plan(7).kind, DFRS_PLAN_NONE);
}

TEST_F(GateTest, SelectorSaysThatItIsThere) {
  EXPECT_FALSE(dfrs_gate_select_ready());
  dfrs_gate_set_select_ready(true);
  EXPECT_TRUE(dfrs_gate_select_ready());
  dfrs_gate_set_select_ready(false);
}

// As in slurmctld: RPC threads ask and wake while the sched thread publishes for its own jobs.
TEST_F(GateTest, ManyThreads) {
  const std::array names = {"a", "b"};
  ASSERT_EQ(dfrs_gate_set_partitions(names.data(), names.size()), 0);
  std::atomic<bool> stop = false;
  std::atomic<int> bad = 0;
  // All threads begin together, and each does its work at least once, however late the system runs it.
  std::barrier begin(5);
  std::thread asker([&] {
    begin.arrive_and_wait();
    do {
      if (!dfrs_gate_manages("a")) ++bad;
      if (dfrs_gate_plan(1000000).kind != DFRS_PLAN_NONE) ++bad;
      dfrs_gate_wake();
    } while (!stop);
  });
  std::thread configurer([&] {
    begin.arrive_and_wait();
    do {
      if (dfrs_gate_set_partitions(names.data(), names.size()) != 0) ++bad;
    } while (!stop);
  });
  std::vector<std::thread> publishers;
  for (std::uint32_t t = 0; t < 3; ++t)
    publishers.emplace_back([&bad, &begin, t] {
      begin.arrive_and_wait();
      for (std::uint32_t i = 0; i < 2000; ++i) {
        const std::uint32_t job = t * 10000 + i % 17;
        if (publish(job, {job, job + 1}, {1, 2}) != 0) ++bad;
        const dfrs_plan plan = dfrs_gate_plan(job);
        if (plan.kind != DFRS_PLAN_EXACT || plan.node_count != 2 || plan.nodes[1] != job + 1) ++bad;
        dfrs_gate_withdraw(job);
      }
    });
  for (std::thread& each : publishers) each.join();
  stop = true;
  asker.join();
  configurer.join();
  EXPECT_EQ(bad, 0);
  EXPECT_GT(drain(), 0U);
}

}  // namespace
