// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>

#include "sim/campaign/fingerprint.h"
#include "sim/errors.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/report/rows.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Claim = ResultStore::Claim;

const std::vector<StoreFact> kFacts{{"command", "test"}, {"options", "penalty 300 s"}};
constexpr SimulationKey kKey{"f1", "EASY", "penalty 300 s"};

std::unique_ptr<ResultStore> opened(const std::string& path, std::span<const StoreFact> facts = kFacts,
                                    ResultStore::Access access = ResultStore::Access::shared) {
  return or_throw(ResultStore::open(path, facts, access));
}

ResultRow full_row() {
  ResultRow row = result("lublin-1", "EASY", 0);
  double value = 0.1;
  for (const ResultColumn& column : result_columns()) column.of(row) = value *= -3.7;
  row.metrics.max_stretch = -0.0;
  row.metrics.mean_wait = std::numeric_limits<double>::infinity();
  row.metrics.makespan = std::numeric_limits<double>::denorm_min();
  row.metrics.utilization = 3;  // a whole number stays a double
  return row;
}

void expect_same_bits(ResultRow a, ResultRow b) {
  EXPECT_EQ(a.instance, b.instance);
  EXPECT_EQ(a.algorithm, b.algorithm);
  EXPECT_EQ(a.jobs, b.jobs);
  for (const ResultColumn& column : result_columns()) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(column.of(a)), std::bit_cast<std::uint64_t>(column.of(b))) << column.name;
  }
}

TEST(Store, KeepsEveryBitOfAResult) {
  const TemporaryFolder folder;
  const ResultRow row = full_row();
  {
    const auto store = opened(folder / "s.db");
    EXPECT_EQ(or_throw(store->find(kKey)), std::nullopt);
    EXPECT_EQ(or_throw(store->claim(kKey)), Claim::mine);
    or_throw(store->finish(kKey, row));
    EXPECT_EQ(or_throw(store->claim(kKey)), Claim::finished);
  }
  const auto store = opened(folder / "s.db");
  const std::optional<ResultRow> found = or_throw(store->find(kKey));
  ASSERT_TRUE(found);
  expect_same_bits(*found, row);
}

TEST(Store, KeepsThatASimulationRanAway) {
  const TemporaryFolder folder;
  ResultRow row = full_row();
  set_ran_away(row);
  or_throw(opened(folder / "s.db")->finish(kKey, row));
  or_throw(opened(folder / "other.db")->take_in(folder / "s.db", kFacts));
  const std::optional<ResultRow> found = or_throw(opened(folder / "other.db")->find(kKey));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->ran_away());
  EXPECT_TRUE(std::isnan(found->metrics.pauses));
  EXPECT_EQ(found->load, row.load);
}

TEST(Store, TellsSimulationsApartByAllOfTheirKey) {
  const TemporaryFolder folder;
  const auto store = opened(folder / "s.db");
  or_throw(store->claim(kKey));
  or_throw(store->finish(kKey, full_row()));
  for (const SimulationKey& other :
       {SimulationKey{"f2", "EASY", "penalty 300 s"}, {"f1", "FCFS", "penalty 300 s"}, {"f1", "EASY", "penalty 0 s"}}) {
    EXPECT_EQ(or_throw(store->find(other)), std::nullopt);
    EXPECT_EQ(or_throw(store->claim(other)), Claim::mine);
  }
}

TEST(Store, KeepsBounds) {
  const TemporaryFolder folder;
  const auto store = opened(folder / "s.db");
  EXPECT_EQ(or_throw(store->find_bounds("f1", 10)).has_value(), false);
  or_throw(store->put_bounds("f1", 10, {1.25, 1.5}));
  or_throw(store->put_bounds("f1", 30, {1, 1}));
  const auto bounds = or_throw(store->find_bounds("f1", 10));
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->divisible, 1.25);
  EXPECT_EQ(bounds->ls1, 1.5);
}

TEST(Store, WhatALivingOneIsAtIsNotGivenAway) {
  const TemporaryFolder folder;
  const auto first = opened(folder / "s.db");
  EXPECT_EQ(or_throw(first->claim(kKey)), Claim::mine);
  {
    const auto second = opened(folder / "s.db");
    EXPECT_EQ(or_throw(second->claim(kKey)), Claim::elsewhere);
    EXPECT_EQ(or_throw(second->claim({"f2", "EASY", "penalty 300 s"})), Claim::mine);
    EXPECT_EQ(or_throw(first->claim({"f2", "EASY", "penalty 300 s"})), Claim::elsewhere);
    or_throw(second->release(kKey));  // not its own
    EXPECT_EQ(or_throw(second->claim(kKey)), Claim::elsewhere);
    or_throw(first->release(kKey));
    EXPECT_EQ(or_throw(second->claim(kKey)), Claim::mine);
  }
  EXPECT_EQ(or_throw(first->claim(kKey)), Claim::mine) << "the second store is closed";
  EXPECT_EQ(or_throw(first->claim({"f2", "EASY", "penalty 300 s"})), Claim::mine);
}

// Killed in the middle of two simulations, one of them finished: the other is taken over, also by a store that was open
// all the time.
TEST(Store, WhatADeadProcessWasAtIsTakenOver) {
  const TemporaryFolder folder;
  const SimulationKey other{"f2", "EASY", "penalty 300 s"};
  const auto waiting = opened(folder / "s.db");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto store = opened(folder / "s.db");
    const bool claimed = or_throw(store->claim(kKey)) == Claim::mine && or_throw(store->claim(other)) == Claim::mine;
    or_throw(store->finish(other, full_row()));
    const char answer = claimed ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(or_throw(waiting->claim(kKey)), Claim::elsewhere);
  EXPECT_EQ(or_throw(waiting->claim(other)), Claim::finished);
  ::kill(child, SIGSTOP);
  EXPECT_EQ(or_throw(waiting->claim(kKey)), Claim::elsewhere) << "stopped is not dead";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(or_throw(waiting->claim(kKey)), Claim::mine);
  const auto late = opened(folder / "s.db");  // gets the dead worker's number
  EXPECT_EQ(or_throw(late->claim(kKey)), Claim::elsewhere);
  EXPECT_EQ(or_throw(late->claim(other)), Claim::finished);
  ::close(ready[0]);
  ::close(ready[1]);
}

// Two names of one file are one store, with one file of locks.
TEST(Store, LinksLeadToTheSameClaims) {
  const TemporaryFolder folder;
  const auto first = opened(folder / "s.db");
  std::filesystem::create_symlink(folder / "s.db", folder / "link.db");
  const auto second = opened(folder / "link.db");
  EXPECT_EQ(or_throw(first->claim(kKey)), Claim::mine);
  EXPECT_EQ(or_throw(second->claim(kKey)), Claim::elsewhere);
}

TEST(Store, RefusesAnotherCampaignSayingWhatDiffers) {
  const TemporaryFolder folder;
  Instance one{"one", Platform::homogeneous(2, 1000), {}};
  Instance two{"two", Platform::homogeneous(2, 1000), {}};
  const auto facts = [&](const char* settings, const std::vector<Instance>& instances) {
    std::vector<std::string> fingerprints;
    for (const Instance& instance : instances) fingerprints.push_back(fingerprint(instance));
    return campaign_facts(settings, instances, fingerprints);
  };
  const auto message = [&](const std::vector<StoreFact>& wanted) {
    return message_of(kExitUsage, ResultStore::open(folder / "s.db", wanted));
  };
  {
    opened(folder / "s.db", facts("penalty 300 s", {one, two}));
  }
  {
    opened(folder / "s.db", facts("penalty 300 s", {one, two}));
  }
  EXPECT_THAT(message(facts("penalty 0 s", {one, two})),
              AllOf(HasSubstr("s.db"), HasSubstr("other options"), HasSubstr("'penalty 300 s' in the store"),
                    HasSubstr("'penalty 0 s' here"), HasSubstr("another file")));
  EXPECT_THAT(message(facts("penalty 300 s", {one})), AllOf(HasSubstr("other instances"), HasSubstr("2 in the store"),
                                                            HasSubstr("1 here"), HasSubstr("nothing more here")));
  one.platform.nodes[1].cpu = 0.5;
  EXPECT_THAT(message(facts("penalty 300 s", {one, two})), AllOf(HasSubstr("other instances"), HasSubstr("'one ")));
  EXPECT_THAT(message(kFacts), HasSubstr("other command"));
  EXPECT_THAT(message({}), HasSubstr("other command"));
  // A store of another version of the program.
  or_throw(or_throw(Database::open(folder / "s.db"))
               .execute("UPDATE facts SET value = 'dfrs-sim 0.0.1 (results 0)' WHERE name = 'program'"));
  EXPECT_THAT(message(facts("penalty 300 s", {two})),
              AllOf(HasSubstr("made by dfrs-sim 0.0.1 (results 0), this is dfrs-sim "), HasSubstr("another file")));
  or_throw(or_throw(Database::open(folder / "s.db")).execute("PRAGMA user_version = 7"));
  EXPECT_THAT(message(kFacts), HasSubstr("format 7"));
}

std::string bad_input(const std::string& path) { return message_of(kExitInput, ResultStore::open(path, kFacts)); }

TEST(Store, RefusesWhatIsNoStore) {
  const TemporaryFolder folder;
  EXPECT_THAT(bad_input(folder.write("text", std::string(5000, 'x'))),
              AllOf(HasSubstr("text"), HasSubstr("not a store")));
  or_throw(or_throw(Database::open(folder / "other.db")).execute("CREATE TABLE t(x)"));
  EXPECT_THAT(bad_input(folder / "other.db"), AllOf(HasSubstr("other.db"), HasSubstr("not a store of results")));
  EXPECT_EQ(or_throw(or_throw(Database::open(folder / "other.db")).integer("SELECT count(*) FROM sqlite_schema")), 1)
      << "left as it was";
}

TEST(Store, RefusesADamagedFile) {
  const TemporaryFolder folder;
  {
    const auto store = opened(folder / "s.db");
    for (int k = 0; k < 200; ++k) {
      const std::string name = "f" + std::to_string(k);
      or_throw(store->claim({name, "EASY", ""}));
      or_throw(store->finish({name, "EASY", ""}, full_row()));
    }
  }
  const std::string whole = file_bytes(folder / "s.db");
  ASSERT_GT(whole.size(), 40'000U);
  EXPECT_THAT(bad_input(folder.write("cut.db", whole.substr(0, whole.size() / 2))),
              AllOf(HasSubstr("cut.db"), HasSubstr("damaged"), HasSubstr("remove the file")));
  std::string overwritten = whole;
  for (std::size_t k = 20'000; k < 30'000; ++k) overwritten[k] = 'x';
  EXPECT_THAT(bad_input(folder.write("over.db", overwritten)), HasSubstr("damaged"));
  or_throw(or_throw(Database::open(folder / "s.db")).execute("DROP TABLE results"));
  const auto without = opened(folder / "s.db");
  EXPECT_THAT(message_of(kExitInput, without->find(kKey)), HasSubstr("damaged (no such table: results)"));
}

TEST(Store, TakesInWhatItDoesNotHave) {
  const TemporaryFolder folder;
  const SimulationKey other_options{"f1", "EASY", "penalty 0 s"};
  ResultRow theirs = full_row();
  theirs.cpu_seconds = 7;
  {
    const auto part = opened(folder / "part.db", kFacts, ResultStore::Access::exclusive);
    for (const SimulationKey& key : {kKey, other_options}) {
      or_throw(part->claim(key));
      or_throw(part->finish(key, theirs));
    }
    or_throw(part->claim({"f9", "EASY", "penalty 0 s"}));  // claimed is not done
    or_throw(part->put_bounds("f1", 10, {2.5, 3.5}));
  }
  const auto store = opened(folder / "s.db");
  or_throw(store->claim(kKey));
  or_throw(store->finish(kKey, full_row()));
  for (int twice = 0; twice < 2; ++twice) or_throw(store->take_in(folder / "part.db", kFacts));
  expect_same_bits(or_throw(store->find(kKey)).value(), full_row());  // its own
  expect_same_bits(or_throw(store->find(other_options)).value(), theirs);
  EXPECT_EQ(or_throw(store->find_bounds("f1", 10)).value().ls1, 3.5);
  EXPECT_EQ(or_throw(store->claim({"f9", "EASY", "penalty 0 s"})), Claim::mine);
  const std::vector<StoreFact> others{{"command", "test"}, {"options", "penalty 5 s"}};
  EXPECT_THAT(message_of(kExitUsage, store->take_in(folder / "part.db", others)), HasSubstr("other options"));
}

// Not even for reading: no process on any machine sees half of what another writes.
TEST(Store, OneProcessAloneHasAnExclusiveOne) {
  const TemporaryFolder folder;
  auto store = opened(folder / "s.db", kFacts, ResultStore::Access::exclusive);
  EXPECT_FALSE(std::filesystem::exists(folder / "s.db-shm")) << "memory that machines cannot share";
  const auto other = opened(folder / "other.db");
  EXPECT_THAT(message_of(kExitIo, other->take_in(folder / "s.db", kFacts)), HasSubstr("another process"));
  or_throw(store->claim(kKey));
  or_throw(store->finish(kKey, full_row()));
  store.reset();
  or_throw(other->take_in(folder / "s.db", kFacts));
  EXPECT_TRUE(or_throw(other->find(kKey)));
}

TEST(Store, AnEmptyFileIsANewStore) {
  const TemporaryFolder folder;
  const auto store = opened(folder.write("s.db", ""));
  EXPECT_EQ(or_throw(store->claim(kKey)), Claim::mine);
}

TEST(Store, NeedsAFolderThatCanBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of(kExitIo, ResultStore::open(folder / "none/s.db", kFacts)), HasSubstr("none/s.db"));
  EXPECT_THAT(message_of(kExitIo, ResultStore::open(folder.path().string(), kFacts)),
              HasSubstr(folder.path().string()));
  EXPECT_THAT(message_of(kExitUsage, ResultStore::open("", kFacts)), HasSubstr("empty"));
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::create_directory(folder / "locked");
  {
    opened(folder / "locked/s.db");
  }
  using std::filesystem::perms;
  std::filesystem::permissions(folder / "locked", perms::owner_read | perms::owner_exec);
  EXPECT_THAT(message_of(kExitIo, ResultStore::open(folder / "locked/new.db", kFacts)), HasSubstr("locked/new.db"));
  EXPECT_THAT(message_of(kExitIo, ResultStore::open(folder / "locked/s.db", kFacts)), HasSubstr("locked/s.db"));
  std::filesystem::permissions(folder / "locked", perms::owner_all);
}

TEST(Fingerprint, IsOfAllASimulationSees) {
  Instance instance{"a", Platform::homogeneous(2, 1000), {Job{}, Job{}}};
  const std::string before = fingerprint(instance);
  EXPECT_EQ(before.size(), 64U);
  instance.name = "b";
  EXPECT_EQ(fingerprint(instance), before);
  const auto changed = [&](const auto& change) {
    Instance copy = instance;
    change(copy);
    return fingerprint(copy) != before;
  };
  EXPECT_TRUE(changed([](Instance& i) { i.platform.nodes.pop_back(); }));
  EXPECT_TRUE(changed([](Instance& i) { i.platform.nodes[1].cpu = std::nextafter(1.0, 2.0); }));
  EXPECT_TRUE(changed([](Instance& i) { i.platform.nodes[0].rigid[1] = 1; }));
  EXPECT_TRUE(changed([](Instance& i) { i.platform.rigid_dims = 2; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs.pop_back(); }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[0].id = 1; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[0].submit = 1; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[1].tasks = 2; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[1].cpu_need = 0.5; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[1].rigid[kMemory] = 5; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[1].run_time = 5; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[1].estimate = 5; }));
  EXPECT_TRUE(changed([](Instance& i) { i.jobs[1].reserved_start = 5; }));
}

}  // namespace
}  // namespace dfrs::sim
