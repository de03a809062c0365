// SPDX-License-Identifier: GPL-2.0-or-later
// Every rule of gang scheduling on leased machines by itself, on cases computed by hand.
#include <gtest/gtest.h>

#include "studies/gang/rules/dispatch.h"
#include "studies/gang/rules/migration.h"
#include "studies/gang/rules/options.h"
#include "studies/gang/rules/provisioning.h"
#include "studies/gang/rules/schedule.h"
#include "studies/gang/rules/starvation.h"

namespace dfrs::gang {
namespace {

TEST(GangMachineSet, HoldsMachinesOfEveryWord) {
  MachineSet set{3, 64, 1023};
  EXPECT_EQ(set.size(), 3U);
  EXPECT_EQ(set.first(), 3U);
  std::vector<MachineIndex> listed;
  set.for_each([&](MachineIndex m) { listed.push_back(m); });
  EXPECT_EQ(listed, (std::vector<MachineIndex>{3, 64, 1023}));
  set.erase(3);
  EXPECT_FALSE(set.contains(3));
  EXPECT_EQ(set.first(), 64U);
  EXPECT_TRUE(set.within(MachineSet{1, 64, 1023}));
  EXPECT_FALSE(set.within(MachineSet{1, 64}));
  EXPECT_EQ(set - MachineSet{64}, MachineSet{1023});
  EXPECT_EQ((set & MachineSet{64, 65}), MachineSet{64});
  EXPECT_TRUE((set - set).empty());
}

TEST(GangDispatch, TakesTheShortestQueues) {
  const std::vector<std::uint32_t> length{2, 0, 1, 1, 0, 7};
  const MachineSet all{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(shortest_queues(all, length, 1), (MachineSet{1}));
  EXPECT_EQ(shortest_queues(all, length, 2), (MachineSet{1, 4}));
  EXPECT_EQ(shortest_queues(all, length, 3), (MachineSet{1, 2, 4})) << "of equal queues the lowest machine";
  EXPECT_EQ(shortest_queues(all, length, 5), (MachineSet{0, 1, 2, 3, 4}));
  EXPECT_EQ(shortest_queues(all, length, 6), all);
  EXPECT_EQ(shortest_queues(MachineSet{0, 5}, length, 1), MachineSet{0}) << "among those given";
  EXPECT_TRUE(shortest_queues(all, length, 0).empty());
}

// Machines 0 and 1 are idle, 2 is busy. In the order of dispatch: a (0 2), b (0), c (0 1), d (1).
const std::vector<WaitingGang> kWaiting{
    {10, 2, kNever, {0, 2}}, {11, 1, kNever, {0}}, {12, 2, kNever, {0, 1}}, {13, 1, kNever, {1}}};

std::vector<std::size_t> starting(Scheduler scheduler, MachineSet idle) {
  std::vector<std::size_t> chosen;
  gangs_to_start(scheduler, kWaiting, idle, chosen);
  return chosen;
}

TEST(GangSchedule, AfcfsTakesWhoComesFirstAndCanStart) {
  // a waits for 2; b comes before c in 0's queue, and c before d in 1's, but c cannot start any more.
  EXPECT_EQ(starting(Scheduler::afcfs, {0, 1}), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(starting(Scheduler::afcfs, {0, 1, 2}), (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(starting(Scheduler::afcfs, {2}), std::vector<std::size_t>{});
}

TEST(GangSchedule, LjfsTakesTheLargest) {
  EXPECT_EQ(starting(Scheduler::ljfs, {0, 1}), std::vector<std::size_t>{2});
  EXPECT_EQ(starting(Scheduler::ljfs, {0, 1, 2}), (std::vector<std::size_t>{0, 3})) << "of equal ones the first";
  EXPECT_EQ(starting(Scheduler::ljfs, {1}), std::vector<std::size_t>{3});
}

TEST(GangMigration, FirstFitAndBestFit) {
  const std::vector<WaitingGang> waiting{
      {0, 5, kNever, {}}, {1, 2, kNever, {}}, {2, 3, kNever, {}}, {3, 1, kNever, {}}, {4, 3, kNever, {}}};
  EXPECT_EQ(gang_to_migrate(Migration::first_fit, waiting, 4), 1U);
  EXPECT_EQ(gang_to_migrate(Migration::best_fit, waiting, 4), 2U) << "the largest that fits, the first of two";
  EXPECT_EQ(gang_to_migrate(Migration::first_fit, waiting, 5), 0U);
  EXPECT_EQ(gang_to_migrate(Migration::best_fit, waiting, 1), 3U);
  EXPECT_EQ(gang_to_migrate(Migration::best_fit, waiting, 0), std::nullopt);
  EXPECT_EQ(gang_to_migrate(Migration::none, waiting, 9), std::nullopt);
}

TEST(GangMigration, TasksOnIdleMachinesStay) {
  const std::vector<std::uint32_t> waiting{0, 2, 1, 1, 0, 0};
  // Tasks on 1, 3 and 5; idle are 0, 1, 2 and 4: that on 1 stays, the others go to the shortest queues.
  EXPECT_EQ(migration_target({1, 3, 5}, {0, 1, 2, 4}, waiting), (MachineSet{0, 1, 4}));
  EXPECT_EQ(migration_target({3}, {2}, waiting), MachineSet{2});
}

TEST(GangMigration, MonitorAllowsOneEverySnStarts) {
  MigrationMonitor monitor(2);
  EXPECT_FALSE(monitor.allows());
  monitor.started();
  EXPECT_FALSE(monitor.allows());
  monitor.started();
  EXPECT_TRUE(monitor.allows());
  monitor.started();
  monitor.migrated();
  EXPECT_FALSE(monitor.allows()) << "starts beyond S_n are not saved up";
  monitor.started();
  monitor.started();
  EXPECT_TRUE(monitor.allows());
  EXPECT_TRUE(MigrationMonitor(0).allows());
}

TEST(GangProvisioning, AverageLoadFactor) {
  EXPECT_DOUBLE_EQ(average_load_factor(30, 20), 1.5);
  EXPECT_DOUBLE_EQ(average_load_factor(0, 20), 0);
  EXPECT_DOUBLE_EQ(average_load_factor(0, 0), 0);
}

Provision provision_of(std::uint32_t tasks, std::uint32_t ready, std::uint32_t leased, std::uint64_t waiting) {
  Options options;
  options.machine_limit = 120;
  options.load_threshold = 1.5;
  return provision(options, {tasks, ready, leased, waiting});
}

TEST(GangProvisioning, InadequateMachinesLeaseTheDifference) {
  const Provision answer = provision_of(20, 12, 12, 0);
  EXPECT_TRUE(answer.hold);
  EXPECT_EQ(answer.lease, 8U);
  EXPECT_FALSE(provision_of(12, 12, 12, 0).hold) << "enough";
  EXPECT_EQ(provision_of(20, 12, 118, 0).lease, 2U) << "the limit";
  EXPECT_EQ(provision_of(20, 12, 120, 0).lease, 0U);
  EXPECT_TRUE(provision_of(20, 12, 120, 0).hold) << "it cannot go anywhere until others' machines are ready";
}

TEST(GangProvisioning, OverloadedMachinesLeaseOnePerTask) {
  EXPECT_FALSE(provision_of(20, 40, 40, 60).hold) << "at the threshold, not above it";
  EXPECT_TRUE(provision_of(20, 40, 40, 61).hold);
  EXPECT_EQ(provision_of(20, 40, 40, 61).lease, 20U);
  EXPECT_EQ(provision_of(20, 110, 110, 500).lease, 10U) << "the limit";
  EXPECT_TRUE(provision_of(20, 110, 110, 500).hold);
  EXPECT_FALSE(provision_of(20, 120, 120, 500).hold) << "at the limit there is nothing to wait for";
  EXPECT_FALSE(provision_of(20, 40, 50, 61).hold) << "machines being set up count, with empty queues";
}

TEST(GangProvisioning, ReleasePauseCountsArrivals) {
  ReleasePause pause(2);
  EXPECT_TRUE(pause.over());
  pause.machines_ready();
  EXPECT_FALSE(pause.over());
  pause.arrival();
  pause.machines_ready();
  pause.arrival();
  EXPECT_FALSE(pause.over()) << "it started over";
  pause.arrival();
  EXPECT_TRUE(pause.over());
  pause.arrival();
  EXPECT_TRUE(pause.over());
}

TEST(GangStarvation, ExpansionFactor) {
  EXPECT_DOUBLE_EQ(expansion_factor(0, 2), 1);
  EXPECT_DOUBLE_EQ(expansion_factor(18, 2), 10);
  // It reaches the threshold at that instant.
  EXPECT_DOUBLE_EQ(starvation_instant(5, 2, 10), 23);
  EXPECT_DOUBLE_EQ(expansion_factor(starvation_instant(5, 2, 10) - 5, 2), 10);
  EXPECT_DOUBLE_EQ(starvation_instant(5, 0, 20), 5) << "a gang without work is starved from the first";
  EXPECT_EQ(starvation_instant(5, 2, kNever), kNever);
  EXPECT_EQ(starvation_instant(5, 0, kNever), kNever);
}

TEST(GangOptions, WhatIsWrongIsNamed) {
  EXPECT_TRUE(check({}));
  const auto with = [](auto change) {
    Options options;
    change(options);
    const auto checked = check(options);
    return checked ? std::string("nothing") : checked.error();
  };
  EXPECT_NE(with([](Options& o) { o.machine_limit = 0; }).find("from 1 to 1024, not 0"), std::string::npos);
  EXPECT_NE(with([](Options& o) { o.machine_limit = 1025; }).find("1025"), std::string::npos);
  EXPECT_NE(with([](Options& o) { o.machine_minimum = 121; }).find("limit is 120"), std::string::npos);
  EXPECT_NE(with([](Options& o) { o.starvation_threshold = 0.5; }).find("X-factor"), std::string::npos);
  EXPECT_NE(
      with([](Options& o) { o.starvation_threshold = std::numeric_limits<double>::quiet_NaN(); }).find("X-factor"),
      std::string::npos);
  EXPECT_NE(with([](Options& o) { o.load_threshold = -1; }).find("load threshold"), std::string::npos);
}

}  // namespace
}  // namespace dfrs::gang
