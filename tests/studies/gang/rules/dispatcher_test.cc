// SPDX-License-Identifier: GPL-2.0-or-later
// The dispatcher on schedules computed by hand: who queues where, who starts and who migrates, what is leased and
// released, at each event.
#include "studies/gang/rules/dispatcher.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace dfrs::gang {
namespace {

using Kind = Event::Kind;
using Route = Start::Route;

class GangDispatcher : public ::testing::Test {
 protected:
  // A cluster of `machines` of fixed size; migrations and starvation are off.
  static Options fixed(std::uint32_t machines) {
    Options options;
    options.machine_limit = options.machine_minimum = machines;
    options.migration = Migration::none;
    options.starvation_threshold = kNever;
    return options;
  }
  void begin(const Options& options) { dispatcher_.emplace(Dispatcher::create(options).value()); }

  const Decisions& step(Seconds now, const Event& event) {
    const auto answer = dispatcher_->step(now, event);
    last_.clear();
    if (answer) {
      last_ = **answer;
    } else {
      ADD_FAILURE() << answer.error().message;
    }
    return last_;
  }
  const Decisions& arrive(Seconds now, JobSlot job, std::uint32_t tasks, Seconds execution = 1) {
    return step(now, Event::arrived(job, tasks, execution));
  }
  const Decisions& finish(Seconds now, JobSlot job) { return step(now, Event::finished(job)); }
  const Decisions& ready(Seconds now, MachineIndex request) { return step(now, Event::ready(request)); }

  // In the last step:
  MachineSet dispatched(JobSlot job) const {
    for (const Dispatch& d : last_.dispatches) {
      if (d.job == job) return d.machines;
    }
    return {};
  }
  std::vector<JobSlot> started() const {
    std::vector<JobSlot> jobs;
    for (const Start& s : last_.starts) jobs.push_back(s.job);
    return jobs;
  }
  std::optional<Dispatcher> dispatcher_;
  Decisions last_;
};

using Jobs = std::vector<JobSlot>;

TEST_F(GangDispatcher, InadequateMachinesAreLeasedAndWaitedFor) {
  Options options;
  options.machine_limit = 8;
  options.migration = Migration::none;
  options.starvation_threshold = kNever;
  begin(options);
  arrive(0, 0, 3);
  ASSERT_TRUE(last_.lease.has_value());
  EXPECT_EQ(last_.lease->machines, (MachineSet{0, 1, 2}));
  EXPECT_EQ(last_.lease->request, 0U);
  EXPECT_TRUE(last_.dispatches.empty());
  ready(0.125, 0);
  EXPECT_EQ(dispatched(0), (MachineSet{0, 1, 2}));
  EXPECT_EQ(started(), Jobs{0});

  arrive(0.25, 1, 5);
  EXPECT_EQ(last_.lease->machines, (MachineSet{3, 4})) << "two are missing";
  EXPECT_TRUE(last_.dispatches.empty());
  arrive(0.25, 2, 1);
  EXPECT_EQ(dispatched(2), MachineSet{0}) << "who fits the machines there are does not wait for the others";
  EXPECT_TRUE(last_.starts.empty());
  ready(0.5, 3);
  EXPECT_EQ(dispatched(1), (MachineSet{0, 1, 2, 3, 4}));
  EXPECT_TRUE(last_.starts.empty());
  finish(1.125, 0);
  EXPECT_EQ(started(), Jobs{2}) << "0's queue has it first";
  finish(2.125, 2);
  EXPECT_EQ(started(), Jobs{1});
}

TEST_F(GangDispatcher, ShortestQueueCountsTheRunningTaskOrNot) {
  for (const QueueLength length : {QueueLength::tasks, QueueLength::waiting}) {
    Options options = fixed(2);
    options.queue_length = length;
    begin(options);
    arrive(0, 0, 1, 9);
    EXPECT_EQ(dispatched(0), MachineSet{0});
    arrive(0, 1, 1, 9);
    // Nothing waits anywhere; 0 runs a task.
    EXPECT_EQ(dispatched(1), length == QueueLength::tasks ? MachineSet{1} : MachineSet{0});
    EXPECT_EQ(started(), length == QueueLength::tasks ? Jobs{1} : Jobs{});
  }
}

TEST_F(GangDispatcher, OverloadedMachinesLeaseMoreUpToTheLimit) {
  Options options = fixed(2);
  options.machine_limit = 4;
  options.load_threshold = 0.5;
  begin(options);
  arrive(0, 0, 2, 9);  // runs on 0 and 1
  arrive(0, 1, 1);
  EXPECT_EQ(dispatched(1), MachineSet{0}) << "load factor 0";
  arrive(0, 2, 1);
  EXPECT_EQ(dispatched(2), MachineSet{1}) << "load factor 1/2, not above the threshold";
  arrive(0, 3, 2);
  EXPECT_TRUE(last_.dispatches.empty()) << "load factor 1";
  ASSERT_TRUE(last_.lease.has_value());
  EXPECT_EQ(last_.lease->machines, (MachineSet{2, 3}));
  arrive(0, 4, 1);
  EXPECT_EQ(dispatched(4), MachineSet{0}) << "load factor 2/4: machines being set up count";
  arrive(0, 5, 1);
  EXPECT_EQ(dispatched(5), MachineSet{1}) << "load factor 3/4, but the limit is reached";
  EXPECT_FALSE(last_.lease.has_value());
  ready(0.25, 2);
  EXPECT_EQ(dispatched(3), (MachineSet{2, 3}));
  EXPECT_EQ(started(), Jobs{3});
}

TEST_F(GangDispatcher, AtTheLimitAGangWaitsForTheMachinesOfOthers) {
  Options options = fixed(0);
  options.machine_limit = 3;
  begin(options);
  arrive(0, 0, 2);
  EXPECT_EQ(last_.lease->machines, (MachineSet{0, 1}));
  arrive(0, 1, 3);
  EXPECT_EQ(last_.lease->machines, MachineSet{2});
  arrive(0, 2, 3);
  EXPECT_FALSE(last_.lease.has_value());
  ready(0.25, 2);
  EXPECT_TRUE(last_.dispatches.empty()) << "its own is ready, but one is not enough";
  ready(0.5, 0);
  EXPECT_EQ(last_.dispatches.size(), 3U);
  EXPECT_EQ(dispatched(0), (MachineSet{0, 1}));
  EXPECT_EQ(dispatched(1), (MachineSet{0, 1, 2}));
  EXPECT_EQ(dispatched(2), (MachineSet{0, 1, 2}));
  EXPECT_EQ(started(), Jobs{0});
}

TEST_F(GangDispatcher, IdleMachinesAreReleasedAfterThePause) {
  Options options = fixed(0);
  options.machine_limit = 4;
  options.release_pause = 2;
  begin(options);
  arrive(0, 0, 2);
  ready(0.25, 0);
  finish(1.25, 0);
  EXPECT_TRUE(last_.released.empty()) << "no arrival since the machines were ready";
  arrive(2, 0, 1);
  EXPECT_EQ(started(), Jobs{0});
  EXPECT_TRUE(last_.released.empty()) << "one arrival";
  arrive(2, 1, 2);
  EXPECT_EQ(dispatched(1), (MachineSet{0, 1}));
  EXPECT_TRUE(last_.released.empty()) << "1 is idle, but has a task waiting";
  finish(3, 0);
  EXPECT_EQ(started(), Jobs{1});
  finish(4, 1);
  EXPECT_EQ(last_.released, (MachineSet{0, 1}));
  EXPECT_TRUE(dispatcher_->leased().empty());
  arrive(5, 0, 1);
  EXPECT_EQ(last_.lease->machines, MachineSet{0}) << "leased again";
}

TEST_F(GangDispatcher, NothingIsReleasedWhileAGangIsHeld) {
  Options options = fixed(0);
  options.machine_limit = 4;
  options.release_pause = 0;
  begin(options);
  arrive(0, 0, 1);
  ready(0.25, 0);
  arrive(0.5, 1, 3);
  EXPECT_EQ(last_.lease->machines, (MachineSet{1, 2}));
  finish(1.25, 0);
  EXPECT_TRUE(last_.released.empty());
  ready(1.5, 1);
  EXPECT_EQ(dispatched(1), (MachineSet{0, 1, 2}));
  EXPECT_EQ(started(), Jobs{1});
  finish(2.5, 1);
  EXPECT_EQ(last_.released, (MachineSet{0, 1, 2}));
}

TEST_F(GangDispatcher, TheMinimumIsNeverReleased) {
  Options options = fixed(1);
  options.machine_limit = 4;
  options.release_pause = 0;
  begin(options);
  arrive(0, 0, 3);
  EXPECT_EQ(last_.lease->machines, (MachineSet{1, 2}));
  ready(0.25, 1);
  finish(1.25, 0);
  EXPECT_EQ(last_.released, (MachineSet{1, 2}));
}

TEST_F(GangDispatcher, AfcfsAndLjfs) {
  for (const Scheduler scheduler : {Scheduler::afcfs, Scheduler::ljfs}) {
    Options options = fixed(4);
    options.scheduler = scheduler;
    begin(options);
    arrive(0, 0, 4, 9);
    EXPECT_EQ(started(), Jobs{0});
    arrive(1, 1, 1);
    EXPECT_EQ(dispatched(1), MachineSet{0});
    arrive(2, 2, 3);
    EXPECT_EQ(dispatched(2), (MachineSet{1, 2, 3}));
    arrive(3, 3, 4);
    arrive(4, 4, 2);
    EXPECT_EQ(dispatched(4), (MachineSet{0, 1}));
    finish(9, 0);
    if (scheduler == Scheduler::afcfs) {
      EXPECT_EQ(started(), (Jobs{1, 2}));
      finish(10, 1);
      EXPECT_TRUE(last_.starts.empty());
      finish(10, 2);
      EXPECT_EQ(started(), Jobs{3});
      finish(11, 3);
      EXPECT_EQ(started(), Jobs{4});
    } else {
      EXPECT_EQ(started(), Jobs{3});
      finish(10, 3);
      EXPECT_EQ(started(), (Jobs{2, 1})) << "4 needs 1, which 2 takes";
      finish(11, 2);
      EXPECT_TRUE(last_.starts.empty());
      finish(11, 1);
      EXPECT_EQ(started(), Jobs{4});
    }
  }
}

TEST_F(GangDispatcher, AfcfsGoesFurtherDownTheQueues) {
  begin(fixed(4));
  arrive(0, 0, 2, 5);   // 0 and 1
  arrive(0, 1, 2, 10);  // 2 and 3
  arrive(1, 2, 4);      // in front everywhere
  arrive(2, 3, 1);
  EXPECT_EQ(dispatched(3), MachineSet{0});
  finish(5, 0);
  EXPECT_EQ(started(), Jobs{3}) << "2 waits for 2 and 3";
}

// 0 and 1 are idle; gang 3 (one task) waits on 2, gang 4 (two) on 0 and 3; the monitor has seen three starts.
class GangMigrations : public GangDispatcher {
 protected:
  void until_migration(Migration migration, std::uint32_t interval = 3,
                       MigratedStart start = MigratedStart::next_event) {
    Options options = fixed(4);
    options.migration = migration;
    options.migration_interval = interval;
    options.migrated_start = start;
    begin(options);
    arrive(0, 0, 2, 5);
    EXPECT_EQ(dispatched(0), (MachineSet{0, 1}));
    arrive(0, 1, 2, 20);
    EXPECT_EQ(dispatched(1), (MachineSet{2, 3}));
    arrive(1, 2, 2, 5);
    EXPECT_EQ(dispatched(2), (MachineSet{0, 1}));
    arrive(2, 3, 1, 3);
    EXPECT_EQ(dispatched(3), MachineSet{2});
    arrive(3, 4, 2, 3);
    EXPECT_EQ(dispatched(4), (MachineSet{0, 3}));
    finish(5, 0);
    EXPECT_EQ(started(), Jobs{2});
    EXPECT_TRUE(last_.moves.empty());
    finish(10, 2);
  }
};

TEST_F(GangMigrations, FirstFitMovesTheFirstThatFits) {
  until_migration(Migration::first_fit);
  ASSERT_EQ(last_.moves.size(), 1U);
  EXPECT_EQ(last_.moves[0].job, 3U);
  EXPECT_EQ(last_.moves[0].from, MachineSet{2});
  EXPECT_EQ(last_.moves[0].to, MachineSet{1}) << "0 has a waiting task";
  EXPECT_FALSE(last_.moves[0].starved);
  EXPECT_TRUE(last_.starts.empty()) << "it starts in the next cycle";
  // That comes with an arrival. The new gang goes where the queues are shortest, and cannot take machine 1.
  arrive(11, 0, 2, 1);
  EXPECT_EQ(dispatched(0), (MachineSet{0, 1}));
  ASSERT_EQ(last_.starts.size(), 1U);
  EXPECT_EQ(last_.starts[0].job, 3U);
  EXPECT_EQ(last_.starts[0].route, Route::migrated);
  finish(14, 3);
  EXPECT_EQ(started(), Jobs{0});
}

TEST_F(GangMigrations, BestFitMovesTheLargestThatFits) {
  until_migration(Migration::best_fit);
  ASSERT_EQ(last_.moves.size(), 1U);
  EXPECT_EQ(last_.moves[0].job, 4U);
  EXPECT_EQ(last_.moves[0].from, MachineSet{3});
  EXPECT_EQ(last_.moves[0].to, MachineSet{1}) << "its task on 0 stays";
  finish(20, 1);
  EXPECT_EQ(started(), (Jobs{4, 3}));
}

TEST_F(GangMigrations, TheMonitorForbids) {
  until_migration(Migration::first_fit, 4);
  EXPECT_TRUE(last_.moves.empty());
  EXPECT_TRUE(last_.starts.empty());
}

TEST_F(GangMigrations, AtOnce) {
  until_migration(Migration::first_fit, 3, MigratedStart::at_once);
  EXPECT_EQ(last_.moves.size(), 1U);
  EXPECT_EQ(started(), Jobs{3});
}

TEST_F(GangMigrations, TheMigratedGangKeepsItsMachinesFromLargerOnes) {
  Options options = fixed(2);
  options.scheduler = Scheduler::ljfs;
  options.migration = Migration::first_fit;
  options.migration_interval = 0;
  begin(options);
  arrive(0, 0, 1, 5);
  arrive(0, 1, 1, 9);
  arrive(1, 2, 1);
  arrive(1, 3, 1);
  arrive(1, 4, 1);
  EXPECT_EQ(dispatched(4), MachineSet{0});
  arrive(1, 5, 1);
  EXPECT_EQ(dispatched(5), MachineSet{1});
  finish(5, 0);
  EXPECT_EQ(started(), Jobs{2});
  finish(6, 2);
  EXPECT_EQ(started(), Jobs{4});
  finish(7, 4);
  ASSERT_EQ(last_.moves.size(), 1U);
  EXPECT_EQ(last_.moves[0].job, 3U);
  arrive(8, 0, 2);
  EXPECT_EQ(started(), Jobs{3}) << "not the larger one that came";
}

TEST_F(GangDispatcher, NothingIsReleasedBeforeAMigratedGangStarts) {
  Options options = fixed(0);
  options.machine_limit = 3;
  options.migration = Migration::first_fit;
  options.migration_interval = 0;
  options.release_pause = 0;
  begin(options);
  arrive(0, 0, 3, 2);
  ready(0.25, 0);
  arrive(1, 1, 1, 5);
  EXPECT_EQ(dispatched(1), MachineSet{0});
  arrive(1, 2, 2, 1);
  EXPECT_EQ(dispatched(2), (MachineSet{1, 2}));
  arrive(1, 3, 1, 1);
  EXPECT_EQ(dispatched(3), MachineSet{0});
  finish(2.25, 0);
  EXPECT_EQ(started(), (Jobs{1, 2}));
  finish(3.25, 2);
  ASSERT_EQ(last_.moves.size(), 1U);
  EXPECT_EQ(last_.moves[0].to, MachineSet{1});
  EXPECT_TRUE(last_.released.empty()) << "2 is idle and empty, but a migration is under way";
  arrive(4, 0, 1, 1);
  EXPECT_EQ(started(), (Jobs{3, 0}));
  EXPECT_TRUE(last_.released.empty());
  finish(5, 3);
  EXPECT_EQ(last_.released, MachineSet{1});
}

TEST_F(GangDispatcher, StarvedGangsGoFirst) {
  for (const double threshold : {3.0, kNever}) {
    Options options = fixed(2);
    options.scheduler = Scheduler::ljfs;
    options.starvation_threshold = threshold;
    begin(options);
    arrive(0, 0, 2, 10);
    arrive(0, 1, 1, 1);  // starved from 2 on
    arrive(0, 2, 2, 100);
    finish(10, 0);
    ASSERT_EQ(last_.starts.size(), 1U);
    EXPECT_EQ(last_.starts[0].job, threshold == 3.0 ? 1U : 2U);
    EXPECT_EQ(last_.starts[0].route, threshold == 3.0 ? Route::starved : Route::normal);
  }
}

TEST_F(GangDispatcher, StarvedGangsReserveOrPass) {
  for (const StarvedOrder order : {StarvedOrder::reserve, StarvedOrder::pass}) {
    Options options = fixed(3);
    options.starvation_threshold = 3;
    options.starved_order = order;
    options.migration = Migration::first_fit;
    options.migration_interval = 1000;
    begin(options);
    arrive(0, 0, 1, 10);
    arrive(0, 1, 1, 20);
    arrive(0, 2, 1, 30);
    arrive(0, 3, 3, 1);    // starved from 2 on
    arrive(0, 4, 1, 1.5);  // from 3 on
    EXPECT_EQ(dispatched(4), MachineSet{0});
    arrive(0, 5, 1, 100);
    EXPECT_EQ(dispatched(5), MachineSet{1});
    finish(10, 0);
    EXPECT_EQ(started(), order == StarvedOrder::pass ? Jobs{4} : Jobs{});
    if (order == StarvedOrder::pass) finish(11.5, 4);
    finish(20, 1);
    EXPECT_TRUE(last_.starts.empty()) << "5 may not start while 3 is starved";
    finish(30, 2);
    EXPECT_EQ(started(), Jobs{3});
  }
}

TEST_F(GangDispatcher, StarvedGangsMigrateWithoutTheMonitor) {
  Options options = fixed(2);
  options.starvation_threshold = 3;
  options.migration = Migration::best_fit;
  options.migration_interval = 1000;
  begin(options);
  arrive(0, 0, 1, 10);
  arrive(0, 1, 1, 1.5);
  arrive(0, 2, 1, 1);
  EXPECT_EQ(dispatched(2), MachineSet{0});
  finish(1.5, 1);
  EXPECT_TRUE(last_.moves.empty()) << "X-factor 2.5";
  arrive(1.75, 3, 1, 8);
  EXPECT_EQ(started(), Jobs{3});
  finish(9.75, 3);
  ASSERT_EQ(last_.moves.size(), 1U) << "X-factor 10.75";
  EXPECT_EQ(last_.moves[0].job, 2U);
  EXPECT_EQ(last_.moves[0].to, MachineSet{1});
  EXPECT_TRUE(last_.moves[0].starved);
  finish(10, 0);
  EXPECT_EQ(started(), Jobs{2});
}

TEST_F(GangDispatcher, NothingIsReleasedWhileAStarvedGangWaits) {
  for (const double threshold : {3.0, kNever}) {
    Options options;
    options.machine_limit = 4;
    options.migration_interval = 1000;
    options.starvation_threshold = threshold;
    options.release_pause = 0;
    begin(options);
    arrive(0, 0, 3, 20);
    arrive(0, 1, 1, 1);
    ready(0.25, 0);
    ready(0.25, 3);
    EXPECT_EQ(started(), Jobs{1});
    arrive(0.5, 2, 3, 0.125);
    EXPECT_EQ(dispatched(2), (MachineSet{0, 1, 2}));
    finish(1.25, 1);
    EXPECT_TRUE(last_.moves.empty()) << "one machine is idle, three are needed";
    EXPECT_EQ(last_.released, threshold == 3.0 ? MachineSet{} : MachineSet{3});
  }
}

TEST_F(GangDispatcher, TheMonitorStartsOverAfterAMigration) {
  Options options = fixed(2);
  options.migration = Migration::first_fit;
  options.migration_interval = 3;
  begin(options);
  arrive(0, 0, 1);
  arrive(0, 1, 1, 100);
  for (JobSlot job = 2; job < 6; ++job) {
    arrive(0, job, 1);
    EXPECT_EQ(dispatched(job), MachineSet{job % 2});
  }
  finish(1, 0);
  EXPECT_EQ(started(), Jobs{2});
  finish(2, 2);
  EXPECT_EQ(started(), Jobs{4});
  finish(3, 4);
  ASSERT_EQ(last_.moves.size(), 1U) << "four starts";
  EXPECT_EQ(last_.moves[0].job, 3U);
  arrive(4, 0, 1);
  EXPECT_EQ(started(), Jobs{3});
  finish(5, 3);
  EXPECT_EQ(started(), Jobs{0});
  finish(6, 0);
  EXPECT_TRUE(last_.moves.empty()) << "one start since the migration; 5 waits";
}

TEST_F(GangDispatcher, ContradictionsAreRefusedAndChangeNothing) {
  begin(fixed(2));
  arrive(1, 0, 1);
  const auto message = [&](Seconds now, const Event& event) {
    const auto answer = dispatcher_->step(now, event);
    if (answer) return std::string("accepted");
    EXPECT_EQ(answer.error().code, ErrorCode::bad_view);
    return answer.error().message;
  };
  EXPECT_NE(message(0.5, Event::arrived(1, 1, 1)).find("before"), std::string::npos);
  EXPECT_NE(message(2, Event::arrived(0, 1, 1)).find("twice"), std::string::npos);
  EXPECT_NE(message(2, Event::arrived(1, 3, 1)).find("3 tasks"), std::string::npos);
  EXPECT_NE(message(2, Event::arrived(1, 0, 1)).find("0 tasks"), std::string::npos);
  EXPECT_NE(message(2, Event::arrived(1, 1, -1)).find("execution"), std::string::npos);
  EXPECT_NE(message(2, Event::finished(1)).find("without running"), std::string::npos);
  EXPECT_NE(message(2, Event::finished(77)).find("without running"), std::string::npos);
  EXPECT_NE(message(2, Event::ready(0)).find("no such request"), std::string::npos);
  EXPECT_NE(message(2, Event::ready(99)).find("no such request"), std::string::npos);
  finish(1.5, 0);
  EXPECT_FALSE(Dispatcher::create([] {
                 Options options;
                 options.machine_limit = 0;
                 return options;
               }())
                   .has_value());
}

}  // namespace
}  // namespace dfrs::gang
