// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/state_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/sha256.h"
#include "shim/controller/state_writer.h"
#include "tests/oracle/dice.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

SavedState sample() {
  SavedState state;
  state.epoch = 1700000000123;
  state.saved_at = 1.7e9 + 0.25;
  state.totals = {3, 77.5};
  state.quotas_in_force = true;
  SavedJob job;
  job.id = 4711;
  job.restarts = 2;
  job.submit = 1700000001;
  job.user = 1000;
  job.run = SavedJob::Run::suspended;
  job.clock = {12.125, 1.7e9, 0.3};
  job.run_base = 4;
  job.yield = 0.3;
  job.release = 1.69e9;
  job.started = 1.695e9;
  job.pauses = 5;
  job.moves = 1;
  job.lost_runs = 1;
  job.lost_work = 30.5;
  job.known_to_policy = job.requeue_asked = job.requeued_by_us = true;
  job.requeue_asked_of = 2;
  job.requeue_begin_time = 1700000121;
  job.start_not_before = 1.7e9 + 2;
  state.jobs.emplace(job.id, job);
  return state;
}

std::string with_checksum(const std::string& body) {
  return fmt::format("dfrs_state {} {} {}\n{}", kStateVersion, base::sha256_hex(body), body.size(), body);
}

std::string body_of(const std::string& text) { return text.substr(text.find('\n') + 1); }

SavedState drawn(oracle::Dice& dice) {
  SavedState state;
  for (std::uint32_t k = dice.below(20); k > 0; --k) {
    SavedJob job;
    job.id = dice.below(UINT32_MAX);
    job.restarts = dice.below(4);
    job.submit = dice.between(-5, 2000000000);
    job.user = dice.below(UINT32_MAX);
    job.run = static_cast<SavedJob::Run>(dice.below(3));
    job.clock = {1e6 * dice.uniform(), 1e15 * dice.uniform(), dice.chance(30) ? 1e-9 : dice.uniform()};
    job.run_base = dice.chance(50) ? 0 : 1e15;
    job.yield = dice.uniform();
    job.release = 2e9 * dice.uniform();
    job.started = dice.below(UINT32_MAX);
    job.pauses = dice.below(9);
    job.longest_run = dice.uniform();
    job.known_to_policy = dice.chance(50);
    job.requeue_asked = dice.chance(50);
    job.requeued_by_us = dice.chance(50);
    job.requeue_begin_time = -dice.between(0, 9);
    job.start_not_before = 1e9 * dice.uniform();
    if (dice.chance(20)) {
      job.checkpointing.attempt = 1 + dice.below(5);
      job.checkpointing.failure = dice.chance(50) ? "}\n,\"jobs\":[\n]" : "";
    }
    state.jobs.emplace(job.id, job);
  }
  return state;
}

void expect_same(const SavedState& a, const SavedState& b) {
  // The text contains everything.
  EXPECT_EQ(format_state(a), format_state(b));
}

// One by one: their order in the text depends on how they were entered.
void expect_same_jobs(const SavedState& a, const SavedState& b) {
  ASSERT_EQ(a.jobs.size(), b.jobs.size());
  for (const auto& [id, job] : a.jobs) {
    SavedState one, same;
    one.jobs.emplace(id, job);
    same.jobs.emplace(id, b.jobs.at(id));
    expect_same(one, same);
  }
}

TEST(StateFile, ReadsWhatItWrites) {
  const auto read = parse_state(format_state(sample()));
  ASSERT_TRUE(read.has_value()) << read.error();
  expect_same(*read, sample());
  const SavedJob& job = read->jobs.at(4711);
  EXPECT_EQ(job.clock.base, 12.125);
  EXPECT_EQ(job.run, SavedJob::Run::suspended);
  EXPECT_TRUE(job.requeued_by_us);
  EXPECT_EQ(read->epoch, 1700000000123u);
}

// A job in a line as it is written is read without JSON. The same in one line, as earlier versions wrote it, or with
// blanks, is read as JSON.
TEST(StateFile, JobsAsWrittenAndAsJsonAreTheSame) {
  oracle::Dice dice(22);
  for (int round = 0; round < 200; ++round) {
    const SavedState state = drawn(dice);
    const std::string text = format_state(state);
    const auto read = parse_state(text);
    ASSERT_TRUE(read.has_value()) << read.error();
    expect_same_jobs(*read, state);
    std::string one_line, spaced;
    for (const char c : body_of(text)) {
      if (c != '\n') one_line += c;
      spaced += c;
      if (c == '{') spaced += ' ';
    }
    for (const std::string& other : {one_line, spaced}) {
      const auto by_json = parse_state(with_checksum(other));
      ASSERT_TRUE(by_json.has_value()) << by_json.error();
      expect_same_jobs(*by_json, state);
    }
  }
}

// No two numbers are the same, and one mark at a time is set: none can stand in for another.
TEST(StateFile, KeepsEachFieldUnderItsName) {
  for (const int mark : {0, 1, 2}) {
    SavedJob job;
    job.id = 11;
    job.restarts = 12;
    job.submit = 13;
    job.user = 14;
    job.run = SavedJob::Run::running;
    job.clock = {15.5, 16.5, 0.125};
    job.run_base = 17.5;
    job.yield = 0.25;
    job.release = 18.5;
    job.started = 19.5;
    job.pauses = 20;
    job.moves = 21;
    job.lost_runs = 22;
    job.lost_work = 23.5;
    job.longest_run = 24.5;
    job.known_to_policy = mark == 0;
    job.requeue_asked = mark == 1;
    job.requeue_asked_of = 25;
    job.requeued_by_us = mark == 2;
    job.requeue_begin_time = 26;
    job.start_not_before = 27.5;
    SavedState state;
    state.epoch = 28;
    state.saved_at = 29.5;
    state.quotas_in_force = mark == 0;
    state.totals = {30, 31.5};
    state.jobs.emplace(job.id, job);
    const auto read = parse_state(format_state(state));
    ASSERT_TRUE(read.has_value()) << read.error();
    EXPECT_EQ(read->epoch, 28u);
    EXPECT_EQ(read->saved_at, 29.5);
    EXPECT_EQ(read->quotas_in_force, mark == 0);
    EXPECT_EQ(read->totals.lost_runs, 30u);
    EXPECT_EQ(read->totals.lost_work, 31.5);
    const SavedJob& again = read->jobs.at(11);
    EXPECT_EQ(again.id, 11u);
    EXPECT_EQ(again.restarts, 12u);
    EXPECT_EQ(again.submit, 13);
    EXPECT_EQ(again.user, 14u);
    EXPECT_EQ(again.run, SavedJob::Run::running);
    EXPECT_EQ(again.clock.base, 15.5);
    EXPECT_EQ(again.clock.since, 16.5);
    EXPECT_EQ(again.clock.rate, 0.125);
    EXPECT_EQ(again.run_base, 17.5);
    EXPECT_EQ(again.yield, 0.25);
    EXPECT_EQ(again.release, 18.5);
    EXPECT_EQ(again.started, 19.5);
    EXPECT_EQ(again.pauses, 20u);
    EXPECT_EQ(again.moves, 21u);
    EXPECT_EQ(again.lost_runs, 22u);
    EXPECT_EQ(again.lost_work, 23.5);
    EXPECT_EQ(again.longest_run, 24.5);
    EXPECT_EQ(again.known_to_policy, mark == 0);
    EXPECT_EQ(again.requeue_asked, mark == 1);
    EXPECT_EQ(again.requeue_asked_of, 25u);
    EXPECT_EQ(again.requeued_by_us, mark == 2);
    EXPECT_EQ(again.requeue_begin_time, 26);
    EXPECT_EQ(again.start_not_before, 27.5);
  }
}

TEST(StateFile, KeepsAttemptsToCheckpoint) {
  SavedState state = sample();
  Checkpointing& saved = state.jobs.at(4711).checkpointing;
  saved.phase = Checkpointing::Phase::dumping;
  saved.attempt = (std::uint64_t{1} << 63) + 5;
  saved.run = 2;
  saved.began = 1.7e9;
  saved.bytes_on_node = 77;
  saved.failures = 3;
  saved.not_before = 1.7e9 + 60;
  saved.failure = "a \xff b (node n1)";  // not UTF-8
  saved.attempts = 9;
  saved.failed = 4;
  saved.bytes = 1ULL << 40;
  saved.image = {6, 12.5};
  saved.previous = {5, 11.25};
  saved.written_off = {4, 3.5};
  saved.restoring = true;
  saved.last_word = CheckpointPhase::kDump;
  const auto again = parse_state(format_state(state));
  ASSERT_TRUE(again.has_value()) << again.error();
  const Checkpointing& read = again->jobs.at(4711).checkpointing;
  EXPECT_EQ(read.phase, saved.phase);
  EXPECT_EQ(read.attempt, saved.attempt);
  EXPECT_EQ(read.run, 2u);
  EXPECT_EQ(read.not_before, saved.not_before);
  EXPECT_THAT(read.failure, HasSubstr("b (node n1)"));
  EXPECT_EQ(read.failed, 4u);
  EXPECT_EQ(read.image.progress, 12.5);
  EXPECT_EQ(read.previous.attempt, 5u);
  EXPECT_EQ(read.written_off.progress, 3.5);
  EXPECT_TRUE(read.restoring);
  EXPECT_EQ(read.last_word, CheckpointPhase::kDump);
  expect_same(*again, *parse_state(format_state(*again)));
  EXPECT_EQ(format_state(sample()).find("checkpoint"), std::string::npos) << "nothing to say";
}

TEST(StateFile, AnyDamageIsFound) {
  const std::string good = format_state(sample());
  for (std::size_t at = 0; at < good.size(); ++at) {
    EXPECT_FALSE(parse_state(good.substr(0, at)).has_value()) << "cut at " << at;
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(parse_state(changed).has_value()) << "changed at " << at;
  }
  EXPECT_FALSE(parse_state(good + "x").has_value());
  EXPECT_FALSE(parse_state("").has_value());
}

// With a right checksum, as only another program could have written it.
class StateFileNumbers : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StateFileNumbers, ThatDoNotFitAreRefused) {
  SavedState state = sample();
  state.jobs.at(4711).checkpointing.attempt = GetParam();
  const std::string body = body_of(format_state(state));
  const auto with = [&](const std::string& member, const std::string& value) {
    const std::size_t at = body.find("\"" + member + "\":") + member.size() + 3;
    std::string changed = body;
    changed.replace(at, body.find_first_of(",}]", at) - at, value);
    return parse_state(with_checksum(changed));
  };
  std::vector<const char*> small{"id", "restarts", "user", "pauses", "moves", "requeue_asked_of"};
  std::vector<const char*> large{"epoch", "lost_runs"};
  if (GetParam() != 0) {
    small.insert(small.end(), {"programs", "failures", "attempts", "failed"});
    large.insert(large.end(), {"attempt", "bytes", "bytes_on_node"});
  }
  for (const char* const member : small) {
    EXPECT_TRUE(with(member, "4294967295")) << member;
    for (const char* const value : {"-1", "4294967296", "-1.84467e19", "1.5", "\"1\"", "null"})
      EXPECT_FALSE(with(member, value)) << member << " " << value;
  }
  for (const char* const member : large) {
    EXPECT_TRUE(with(member, "5")) << member;
    for (const char* const value : {"-1", "18446744073709551616", "1.5"})
      EXPECT_FALSE(with(member, value)) << member << " " << value;
  }
  for (const char* const member : {"submit", "requeue_begin_time"}) {
    EXPECT_TRUE(with(member, "-1")) << member;
    EXPECT_FALSE(with(member, "9223372036854775808")) << member;
  }
  for (const char* const member : {"yield", "release", "run_base", "start_not_before", "lost_work"}) {
    EXPECT_TRUE(with(member, "0.5")) << member;
    for (const char* const value : {"-1", "1e16", "nan", "inf", "\"1\"", "", "1,"})
      EXPECT_FALSE(with(member, value)) << member << " " << value;
  }
  for (const char* const value : {"3", "-1", "true"}) EXPECT_FALSE(with("run", value)) << value;
  for (const char* const value : {"1", "TRUE", "tru", "null"}) EXPECT_FALSE(with("known", value)) << value;
}

// Without an attempt to checkpoint a job's line is read without JSON.
INSTANTIATE_TEST_SUITE_P(StateFile, StateFileNumbers, testing::Values(0, 7));

TEST(StateFile, AnotherVersionIsNotGuessedAt) {
  std::string text = format_state(sample());
  text.replace(0, 12, "dfrs_state 2");
  const auto read = parse_state(text);
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error(), HasSubstr("version 2"));
}

TEST(StateFile, NothingIsThereAtFirst) {
  const sim::TemporaryFolder folder;
  const auto state = StateFile(folder.path().string()).load(Log());
  ASSERT_TRUE(state.has_value());
  EXPECT_TRUE(state->jobs.empty());
}

TEST(StateFile, StoresAndLoads) {
  const sim::TemporaryFolder folder;
  const StateFile file(folder.path().string());
  ASSERT_TRUE(file.store(sample()).has_value());
  const auto state = file.load(Log());
  ASSERT_TRUE(state.has_value());
  expect_same(*state, sample());
  EXPECT_THAT(folder.names(), testing::ElementsAre("dfrs_state"));
}

TEST(StateFile, ADamagedFileIsSetAsideWithAMessage) {
  const sim::TemporaryFolder folder;
  const StateFile file(folder.path().string());
  const std::string half = format_state(sample()).substr(0, 300);
  folder.write("dfrs_state", half);
  std::vector<std::string> lines;
  const Log log([&](int level, const char* message) {
    EXPECT_EQ(level, 1);
    lines.emplace_back(message);
  });
  const auto state = file.load(log);
  ASSERT_TRUE(state.has_value());
  EXPECT_TRUE(state->jobs.empty());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr(file.path()));
  const auto names = folder.names();
  ASSERT_EQ(names.size(), 1u);
  EXPECT_THAT(names[0], testing::StartsWith("dfrs_state.damaged-"));
  EXPECT_EQ(sim::file_bytes(folder / names[0]), half);
}

TEST(StateFile, APeekLeavesADamagedFileWhereItIs) {
  const sim::TemporaryFolder folder;
  const StateFile file(folder.path().string());
  EXPECT_FALSE(file.peek().has_value());
  ASSERT_TRUE(file.store(sample()).has_value());
  EXPECT_EQ(format_state(file.peek().value()), format_state(sample()));
  folder.write("dfrs_state", "dfrs_state 1");
  const auto seen = file.peek();
  ASSERT_FALSE(seen.has_value());
  EXPECT_THAT(seen.error(), HasSubstr("first line"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("dfrs_state"));
}

TEST(StateFile, WhatCannotBeWrittenIsAnError) {
  const StateFile file("/nonexistent/folder");
  const auto stored = file.store(sample());
  ASSERT_FALSE(stored.has_value());
  EXPECT_THAT(stored.error(), HasSubstr("/nonexistent/folder/dfrs_state"));
}

TEST(StateWriter, WritesTheNewestAndAllBeforeItEnds) {
  const sim::TemporaryFolder folder;
  const StateFile file(folder.path().string());
  const Log log;
  {
    StateWriter writer(file, log);
    for (std::uint64_t epoch = 1; epoch <= 50; ++epoch) {
      SavedState state = sample();
      state.epoch = epoch;
      writer.put(std::move(state));
      if (epoch == 20) {
        writer.flush();
        EXPECT_EQ(file.load(log)->epoch, 20u);
      }
    }
  }
  EXPECT_EQ(file.load(log)->epoch, 50u);
}

}  // namespace
}  // namespace dfrs::shim
