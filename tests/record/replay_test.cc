// SPDX-License-Identifier: GPL-2.0-or-later
// Replays reproduce what was recorded: every algorithm, random clusters whose nodes come and go, reused slots, records
// that start in the middle. And they find every change made to a record.
#include "record/replay.h"
#include "policy/batch/options.h"
#include "policy/rr7659/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "policy/core/registry.h"
#include "record/recorder.h"
#include "tests/oracle/random_instance.h"
#include "tests/policy/core/test_host.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::record {
namespace {

using ::testing::HasSubstr;

// Records the steps of a host from call number `begin_at` on.
class Witness final : public TestHost::Witness {
 public:
  Witness(Recorder& recorder, std::string path, int begin_at)
      : recorder_(recorder), path_(std::move(path)), begin_at_(begin_at) {
    if (begin_at_ == 0) switch_on();
  }
  bool wants_new_engine() override { return recorder_.wants_new_engine(); }
  void on_new_engine(const Algorithm& algorithm, const EngineOptions& options) override {
    recorder_.begin(algorithm, options);
  }
  void on_call(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
               const tl::expected<const Decisions*, Error>& result) override {
    recorder_.step(view, estimates, events, result);
    if (++calls_ == begin_at_) switch_on();
  }
  int calls() const { return calls_; }

 private:
  void switch_on() {
    const auto made = recorder_.on(path_);
    EXPECT_TRUE(made.has_value()) << made.error();
  }

  Recorder& recorder_;
  std::string path_;
  int begin_at_;
  int calls_ = 0;
};

ReplaySummary replay_text(const std::string& text) {
  RecordReader reader(lines_of(text), "record");
  return replay(reader).value();
}

std::string describe(const ReplaySummary& summary) {
  if (!summary.difference) return "exact";
  const ReplayDifference& d = *summary.difference;
  return "line " + std::to_string(d.line) + ": " + d.recorded + " / " + d.replayed;
}

// A different valid value of the field, with 17 digits if possible.
OptionValue other_value(const OptionField& field, const OptionValue& value) {
  if (!field.is_number()) return !std::get<bool>(value);
  const double number = std::get<double>(value);
  const double odd = std::nextafter(number == 0 ? 1.0 / 3 : number * (1 + 1.0 / 3), kNever);
  return field.range.holds(odd) ? odd : number + 0.5;
}

// Sets random options to values other than their defaults.
EngineOptions odd_options(oracle::Dice& dice) {
  EngineOptions options;
  for (const OptionTable* table : option_tables()) {
    for (const OptionField& field : table->fields) {
      if (dice.chance(50)) field.set(options, other_value(field, field.get(options)));
    }
  }
  return options;
}

// Each option of each family is stored in a record exactly, and makes a difference there.
TEST(Replay, EveryOptionIsStored) {
  const EngineOptions usual;
  const Algorithm algorithm = *parse_algorithm("Triage");
  std::set<std::string> headers{header_line(EngineSetup::of(algorithm, usual), "x")};
  std::size_t fields = 0;
  for (const OptionTable* table : option_tables()) {
    for (const OptionField& field : table->fields) {
      SCOPED_TRACE(std::string(table->name) + "." + std::string(field.name));
      EngineOptions options;
      const OptionValue odd = other_value(field, field.get(options));
      field.set(options, odd);
      ASSERT_EQ(field.get(options), odd);
      const std::string header = header_line(EngineSetup::of(algorithm, options), "x");
      EXPECT_TRUE(headers.insert(header).second) << "stored as another one is: " << header;
      JsonValues values;
      const EngineSetup read = read_header(values, nlohmann::json::parse(header)).setup;
      EXPECT_TRUE(values.take_result());
      for (const OptionTable* other : option_tables()) {
        for (const OptionField& one : other->fields) EXPECT_EQ(one.get(read.options), one.get(options)) << one.name;
      }
      ++fields;
    }
  }
  EXPECT_GE(fields, 19U);
}

TEST(Replay, TheRulesOfASimulatedHostAreStored) {
  for (const PauseWorld& world :
       {PauseWorld{}, PauseWorld::all(PauseEffect::lost), PauseWorld{1.0 / 3, PauseEffect::lost, 5, false},
        PauseWorld{1, PauseEffect::none, 1, true}, PauseWorld::all(PauseEffect::suspended)}) {
    HostRules rules{1.0 / 3, 1e3 / 7, 1e2 / 7, world, 1e9 / 7, 4'000'000'000};
    if (world.some_suspended()) rules.swap = {SwapSize::Of::memory, 1.0 / 3};
    const EngineSetup setup = EngineSetup::of(*parse_algorithm("EASY"), {}, rules);
    JsonValues values;
    EXPECT_EQ(read_header(values, nlohmann::json::parse(header_line(setup, "x"))).setup.host, rules);
    EXPECT_TRUE(values.take_result());
  }
}

void run_all(int begin_at, std::uint64_t cases) {
  const sim::TemporaryFolder folder;
  std::uint64_t steps = 0;
  std::uint64_t seed = 0;
  for (const Algorithm& algorithm : registered_algorithms()) {
    for (std::uint64_t k = 0; k < cases; ++k, ++seed) {
      SCOPED_TRACE(algorithm_name(algorithm) + ", seed " + std::to_string(seed));
      oracle::Dice dice(seed);
      EngineOptions options = odd_options(dice);
      options.of<DfrsOptions>().period = 100;
      options.of<DfrsOptions>().priority_floor = dice.chance(50) ? 30 : 0;
      options.of<DfrsOptions>().ticks_apart = dice.chance(50);
      options.of<BatchOptions>().pass_per_event = dice.chance(50);
      const bool needs_change = !needs_estimates(algorithm) && dice.chance(50);
      TestHost host(dice, algorithm, options, {.needs_change = needs_change, .jobs = 8});
      Recorder recorder([](int, const std::string& message) { ADD_FAILURE() << message; });
      const std::string path = folder / (std::to_string(seed) + (dice.chance(50) ? ".jsonl.gz" : ".jsonl"));
      Witness witness(recorder, path, begin_at);
      host.observe(&witness);
      const auto ran = host.run();
      ASSERT_TRUE(ran) << ran.error();
      recorder.off();
      const RecordingState state = recorder.state();
      EXPECT_TRUE(state.intact) << state.intact.error();
      if (witness.calls() <= begin_at || state.steps == 0) continue;
      RecordReader reader = RecordReader::open(path).value();
      const ReplaySummary summary = replay(reader).value();
      ASSERT_EQ(describe(summary), "exact");
      EXPECT_EQ(summary.steps, state.steps);
      EXPECT_EQ(summary.engines, 1U);
      EXPECT_EQ(summary.algorithms, std::vector<std::string>{algorithm_name(algorithm)});
      EXPECT_FALSE(summary.cut_off);
      EXPECT_TRUE(begin_at != 0 || summary.steps == static_cast<std::uint64_t>(witness.calls()));
      steps += summary.steps;
    }
  }
  EXPECT_GT(steps, 500U) << "the cases are too small to show anything";
}

TEST(Replay, EveryAlgorithmOnRandomClusters) { run_all(0, oracle::cases(2)); }
TEST(Replay, RecordsThatBeginInTheMiddle) { run_all(7, oracle::cases(2)); }

// A small record with pauses and moves, as text.
std::string sample_record(std::uint64_t seed = 3) {
  const sim::TemporaryFolder folder;
  oracle::Dice dice(seed);
  EngineOptions options;
  options.of<DfrsOptions>().period = 60;
  TestHost host(dice, *parse_algorithm("GreedyPM*/per/OPT=MIN/MINVT=60"), options,
                {.general = false, .nodes_come_and_go = false, .max_nodes = 3, .jobs = 12});
  Recorder recorder;
  Witness witness(recorder, folder / "record.jsonl", 0);
  host.observe(&witness);
  EXPECT_TRUE(host.run());
  recorder.off();
  return sim::file_bytes(folder / "record.jsonl");
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Replay, SummaryCounts) {
  const std::string record = sample_record();
  const ReplaySummary summary = replay_text(record);
  EXPECT_EQ(describe(summary), "exact");
  EXPECT_EQ(summary.steps, lines(record).size() - 1);
  EXPECT_EQ(summary.jobs, 12U);
  EXPECT_GE(summary.starts, summary.jobs);
  EXPECT_EQ(summary.pauses, summary.resumes);
  EXPECT_GT(summary.pauses + summary.moves, 0U) << "take another seed";
  EXPECT_GT(summary.last, summary.first);
  EXPECT_EQ(summary.errors, 0U);
}

// A changed decision, a yield changed in its last bit, and a missing yield are all found at their step.
TEST(Replay, EveryChangedDecisionIsFound) {
  const std::vector<std::string> good = lines(sample_record());
  int changed = 0;
  for (std::size_t k = 1; k < good.size(); ++k) {
    nlohmann::ordered_json line = nlohmann::ordered_json::parse(good[k]);
    const auto expect_found = [&](const nlohmann::ordered_json& tampered, const char* what) {
      std::vector<std::string> bad = good;
      bad[k] = tampered.dump();
      const ReplaySummary summary = replay_text(joined(bad));
      ASSERT_TRUE(summary.difference) << what << ": " << good[k];
      EXPECT_EQ(summary.difference->step, k) << what;
      EXPECT_EQ(summary.difference->line, k + 1) << what;
      EXPECT_NE(summary.difference->recorded, summary.difference->replayed) << what;
      ++changed;
    };
    auto tampered = line;
    tampered["decisions"]["wake_at"] = 123456.5;
    expect_found(tampered, "wake-up time");
    if (!line["decisions"]["yields"].empty()) {
      tampered = line;
      auto& yield = tampered["decisions"]["yields"][0][1];
      yield = std::nextafter(yield.get<double>(), 0.0);
      expect_found(tampered, "yield");
      tampered = line;
      tampered["decisions"]["yields"].erase(0);
      expect_found(tampered, "a yield less");
    }
    if (!line["decisions"]["placements"].empty()) {
      tampered = line;
      auto& kind = tampered["decisions"]["placements"][0][0];
      kind = kind == "start" ? "resume" : "start";
      expect_found(tampered, "kind");
      tampered = line;
      tampered["decisions"]["placements"].erase(0);
      expect_found(tampered, "a decision less");
    }
  }
  EXPECT_GT(changed, 50);
}

TEST(Replay, ADifferenceNamesTheJobAndBothDecisions) {
  std::vector<std::string> record = lines(sample_record());
  const std::size_t k = 1;
  nlohmann::ordered_json line = nlohmann::ordered_json::parse(record[k]);
  ASSERT_EQ(line["decisions"]["placements"][0][0], "start") << record[k];
  const std::size_t slot = line["decisions"]["placements"][0][1];
  const std::uint64_t job = line["jobs"][slot]["id"];
  line["decisions"]["placements"][0][2][0] = line["decisions"]["placements"][0][2][0] == 0 ? 1 : 0;
  record[k] = line.dump();
  const ReplaySummary summary = replay_text(joined(record));
  ASSERT_TRUE(summary.difference);
  EXPECT_EQ(summary.difference->job, job);
  EXPECT_THAT(summary.difference->recorded, HasSubstr("start on node"));
  EXPECT_THAT(summary.difference->replayed, HasSubstr("start on node"));
}

// A changed view leads to other decisions sooner or later, or is refused.
TEST(Replay, AChangedViewIsFound) {
  std::string record = sample_record();
  const std::size_t at = record.find("\"cpu_need\":0.5");
  ASSERT_NE(at, std::string::npos) << record.substr(0, 1000);
  record.replace(at, 14, "\"cpu_need\":1.0");
  EXPECT_TRUE(replay_text(record).difference.has_value());
}

// Errors are reproduced, and so is what follows them.
TEST(Replay, ErrorsOfTheEngineAreReproduced) {
  const sim::TemporaryFolder folder;
  Recorder recorder;
  ASSERT_TRUE(recorder.on(folder / "r").has_value());
  const Algorithm algorithm = *parse_algorithm("Greedy*/OPT=MIN");
  auto engine = *Engine::create(algorithm, {});
  recorder.begin(algorithm, {});
  std::vector<NodeView> nodes(2);
  for (NodeView& node : nodes) node.spec.rigid[kMemory] = 100;
  std::vector<JobView> jobs(1);
  const auto step = [&](Seconds now, std::vector<Event> events) {
    const ClusterView view{now, nodes, jobs, 1};
    const auto result = engine->step(view, {}, events);
    recorder.step(view, {}, events, result);
    return result.has_value();
  };
  jobs[0].id = 7;
  jobs[0].state = JobState::waiting;
  jobs[0].submit = 10;
  EXPECT_TRUE(step(10, {{EventKind::submitted, 0}}));
  EXPECT_FALSE(step(5, {}));  // time runs backwards
  EXPECT_TRUE(step(20, {{EventKind::resync, kNoSlot}}));
  recorder.off();
  const std::string record = sim::file_bytes(folder / "r");
  EXPECT_THAT(record, HasSubstr("\"error\":{\"code\":\"bad_view\",\"message\":\"time runs backwards\"}"));
  const ReplaySummary summary = replay_text(record);
  EXPECT_EQ(describe(summary), "exact");
  EXPECT_EQ(summary.steps, 3U);
  EXPECT_EQ(summary.errors, 1U);
  EXPECT_EQ(summary.resyncs, 1U);
  // An error that does not recur is a difference, too.
  std::string other = record;
  other.replace(other.find("backwards"), 9, "otherwise");
  EXPECT_TRUE(replay_text(other).difference.has_value());
}

// A controller that is reconfigured continues in the same record.
TEST(Replay, SeveralEnginesInARecord) {
  const std::string first = sample_record(3);
  const std::string second = sample_record(4);
  const ReplaySummary summary = replay_text(first + second);
  EXPECT_EQ(describe(summary), "exact");
  EXPECT_EQ(summary.engines, 2U);
  EXPECT_EQ(summary.algorithms.size(), 1U);
}

}  // namespace
}  // namespace dfrs::record
