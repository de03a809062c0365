// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/read_config.h"
#include "policy/core/registry.h"
#include "policy/rr7659/algorithm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Config good(const std::string& text) {
  auto config = parse_config(text, "dfrs.conf");
  if (!config) {
    for (const ConfigError& e : config.error()) ADD_FAILURE() << e.text();
    return {};
  }
  return *config;
}

std::vector<std::string> errors(const std::string& text) {
  std::vector<std::string> out;
  const auto config = parse_config(text, "dfrs.conf");
  if (config) return out;
  EXPECT_FALSE(config.error().empty());
  for (const ConfigError& e : config.error()) {
    out.push_back(e.text());
    EXPECT_FALSE(e.unreadable);
  }
  return out;
}

// The only error of a file that is valid except for `line`, its second line.
std::string error_of(const std::string& line) {
  const std::vector<std::string> found = errors("Partitions=p,short\n" + line + "\n");
  EXPECT_EQ(found.size(), 1U) << line;
  return found.empty() ? "" : found.front();
}

TEST(ReadConfig, Defaults) {
  const Config config = good("Partitions=p");
  EXPECT_EQ(algorithm_name(config.algorithm), kDefaultAlgorithm);
  EXPECT_EQ(config.period, 600);
  ASSERT_EQ(config.partitions.size(), 1U);
  EXPECT_EQ(config.partitions[0], (PartitionConfig{"p", {true, true, false}}));
  EXPECT_EQ(config.checkpoint_mark, "dfrs:checkpoint");
  EXPECT_EQ(config.min_progress, 60);
  EXPECT_EQ(config.max_lost_runs, 3U);
  EXPECT_TRUE(config.suspend_needs_swap);
  EXPECT_TRUE(config.enforce_quotas);
  EXPECT_EQ(config.agent_port, (AgentPort{false, 6821}));
  EXPECT_EQ(config.control_port, 6822);
  EXPECT_EQ(config.quota_wait_ms, 100U);
  EXPECT_EQ(config.comment_interval, 10);
  EXPECT_EQ(config.save_before_launch, SaveBeforeLaunch::automatic);
  EXPECT_TRUE(config.stock_backfill);
  EXPECT_EQ(config.record_file, std::nullopt);
}

TEST(ReadConfig, EveryKey) {
  const Config config = good(
      "algorithm=\"MCB8 * / per / OPT=MIN / MINFT=300\"\nPERIOD=0.5\npartitions=a,B\nPauseBy=Requeue LostWork=ACCEPT\n"
      "CheckpointMark=ck\nMinProgress=1.5\nMaxLostRuns=0\nSuspendNeedsSwap=No\nQuotaMode=off\nAgentPort=Slurmd+1000\n"
      "ControlPort=1\nQuotaWait=0\nCommentInterval=0\nSaveBeforeLaunch=no\nStockBackfill=no\nRecordFile=\"/var/log/a "
      "b#c\"\n"
      "PartitionName=B PauseBy=suspend\n");
  EXPECT_EQ(algorithm_name(config.algorithm), "MCB8*/per/OPT=MIN/MINFT=300");
  EXPECT_EQ(config.period, 0.5);
  ASSERT_EQ(config.partitions.size(), 2U);
  EXPECT_EQ(config.partitions[0], (PartitionConfig{"a", {false, true, true}}));
  EXPECT_EQ(config.partitions[1], (PartitionConfig{"B", {true, false, true}}));
  EXPECT_EQ(config.partition("B"), &config.partitions[1]);
  EXPECT_EQ(config.partition("b"), nullptr) << "Slurm compares names exactly";
  EXPECT_EQ(config.checkpoint_mark, "ck");
  EXPECT_EQ(config.min_progress, 1.5);
  EXPECT_EQ(config.max_lost_runs, 0U);
  EXPECT_FALSE(config.suspend_needs_swap);
  EXPECT_FALSE(config.enforce_quotas);
  EXPECT_EQ(config.agent_port, (AgentPort{true, 1000}));
  EXPECT_EQ(config.control_port, 1);
  EXPECT_EQ(config.quota_wait_ms, 0U);
  EXPECT_EQ(config.comment_interval, 0);
  EXPECT_EQ(config.save_before_launch, SaveBeforeLaunch::no);
  EXPECT_FALSE(config.stock_backfill);
  EXPECT_EQ(config.record_file, "/var/log/a b#c");
}

// The printed settings are an equivalent dfrs.conf.
TEST(ReadConfig, FormatIsReadBackTheSame) {
  for (const char* text :
       {"Partitions=p", "Partitions=a,b PauseBy=none\nPartitionName=b PauseBy=requeue LostWork=accept",
        "Partitions=p Algorithm=EASY Period=0.001 MinProgress=1e9 CommentInterval=0.1 AgentPort=slurmd+7 "
        "RecordFile=\"/a b\" QuotaMode=off StockBackfill=no SuspendNeedsSwap=no CheckpointMark=\"a#b\\c\""}) {
    const std::string once = format_config(good(text));
    EXPECT_EQ(format_config(good(once)), once);
  }
}

// Rules of a partition apply whether they come before or after the global ones.
TEST(ReadConfig, OrderDoesNotMatter) {
  EXPECT_EQ(format_config(good("PartitionName=a LostWork=accept\nPauseBy=requeue\nPartitions=a")),
            format_config(good("Partitions=a\nPauseBy=requeue\nPartitionName=a LostWork=accept")));
}

TEST(ReadConfig, PausesIsOneWord) {
  const auto rules = [](const std::string& text) { return good("Partitions=p\n" + text).partitions[0].pausing; };
  EXPECT_EQ(rules("Pauses=kept"), rules("PauseBy=suspend,requeue\nLostWork=refuse"));
  EXPECT_EQ(rules("Pauses=kept"), rules(""));
  EXPECT_EQ(rules("Pauses=suspended"), rules("PauseBy=suspend\nLostWork=refuse"));
  EXPECT_EQ(rules("Pauses=None"), rules("PauseBy=none"));
  EXPECT_EQ(rules("Pauses=lost"), rules("PauseBy=requeue\nLostWork=accept"));
  EXPECT_EQ(rules("Pauses=mixed"), rules("PauseBy=requeue\nLostWork=refuse"));
  EXPECT_EQ(rules("Pauses=kept\nPauseBy=suspend"), rules("PauseBy=suspend")) << "they agree";
  EXPECT_EQ(rules("Pauses=lost\nPartitionName=p Pauses=none"), rules("PauseBy=none")) << "the partition's word counts";
  EXPECT_EQ(rules("Pauses=none\nPartitionName=p PauseBy=requeue"), rules("Pauses=mixed"));
}

TEST(ReadConfig, PausesMustAgreeWithTheRest) {
  EXPECT_THAT(error_of("Pauses=kept\nPauseBy=none"),
              HasSubstr("'kept' contradicts PauseBy or LostWork, by which pauses are 'none'"));
  EXPECT_THAT(error_of("Pauses=mixed\nLostWork=accept"), HasSubstr("by which pauses are 'lost'"));
  EXPECT_THAT(error_of("Pauses=kept\nLostWork=accept"), HasSubstr("by which pauses are 'kept or lost'"));
  EXPECT_THAT(error_of("PartitionName=short Pauses=none PauseBy=suspend"), HasSubstr("'none' contradicts"));
  EXPECT_THAT(error_of("Pauses=suspended\nPauseBy=suspend,requeue"), HasSubstr("by which pauses are 'kept'"));
  EXPECT_THAT(error_of("Pauses=kpt"), HasSubstr("did you mean 'kept'?"));
}

TEST(ReadConfig, CheckpointsAreAWayOfPausing) {
  const std::string folder = "Partitions=p,short\nCheckpointFolder=/images\n";
  const PauseRules rules = good(folder + "PauseBy=Checkpoint,suspend").pausing;
  EXPECT_TRUE(rules.checkpoint && rules.suspend);
  EXPECT_FALSE(rules.requeue);
  EXPECT_FALSE(good("Partitions=p").pausing.checkpoint) << "only where it is asked for";
  EXPECT_FALSE(good("Partitions=p\nPauses=kept").pausing.checkpoint);
  const Config config = good(folder + "PartitionName=p PauseBy=checkpoint");
  EXPECT_TRUE(config.partition("p")->pausing.checkpoint);
  EXPECT_FALSE(config.partition("short")->pausing.checkpoint);
  EXPECT_FALSE(config.partition("p")->pausing.none());
  EXPECT_EQ(format_config(good(format_config(config))), format_config(config));
}

TEST(ReadConfig, CheckpointsAgreeWithPauses) {
  const auto word = [](const std::string& text) {
    return std::string(good("Partitions=p\nCheckpointFolder=/images\n" + text).pausing.word());
  };
  EXPECT_EQ(word("PauseBy=checkpoint"), "mixed");
  EXPECT_EQ(word("PauseBy=checkpoint\nLostWork=accept"), "mixed") << "nobody is requeued without a checkpoint";
  EXPECT_EQ(word("PauseBy=checkpoint,requeue\nLostWork=accept"), "lost");
  EXPECT_EQ(word("PauseBy=checkpoint,suspend\nPauses=kept"), "kept");
  EXPECT_EQ(word("PauseBy=checkpoint\nPauses=mixed"), "mixed");
}

TEST(ReadConfig, CheckpointsNeedAFolderAndAgents) {
  EXPECT_THAT(error_of("PauseBy=checkpoint"), HasSubstr("add CheckpointFolder=/a/folder/on/all/nodes"));
  EXPECT_THAT(error_of("PartitionName=short PauseBy=checkpoint"), HasSubstr("PauseBy: 'checkpoint' needs a folder"));
  EXPECT_THAT(error_of("PauseBy=checkpoint\nCheckpointFolder=/c\nQuotaMode=off"), HasSubstr("QuotaMode=off"));
  EXPECT_THAT(error_of("CheckpointFolder=images"), HasSubstr("'images' is not an absolute path"));
  EXPECT_THAT(error_of("CheckpointFolder=/" + std::string(600, 'x')), HasSubstr("not an absolute path of at most 512"));
  EXPECT_THAT(error_of("CheckpointTimeout=0"), HasSubstr("a number of seconds from 1"));
  EXPECT_THAT(error_of("CheckpointRate=fast"), HasSubstr("nor 'measured'"));
  EXPECT_THAT(error_of("PauseBy=chekpoint"), HasSubstr("did you mean 'checkpoint'?"));
  EXPECT_THAT(error_of("PauseBy=checkpoint,checkpoint"), HasSubstr("named twice"));
}

TEST(ReadConfig, NoneMeansNever) { EXPECT_TRUE(good("Partitions=p PauseBy=none").partitions[0].pausing.none()); }

TEST(ReadConfig, AgentPorts) {
  EXPECT_EQ((AgentPort{false, 6821}).of(6818), 6821);
  EXPECT_EQ((AgentPort{true, 3}).of(6818), 6821);
  EXPECT_EQ((AgentPort{true, 65535}).of(6818), 0) << "no such port";
  EXPECT_EQ((AgentPort{true, 65535}).of(0), 65535);
}

TEST(ReadConfig, ErrorsNameFileLineKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of("Algoritm=EASY"), "dfrs.conf:2: Algoritm: unknown key; did you mean 'Algorithm'?");
  EXPECT_THAT(error_of("Zzzzzzzzzzzz=1"),
              AllOf(HasSubstr("unknown key; expected Algorithm, "), HasSubstr("RecordFile")));
  EXPECT_THAT(error_of("Algorithm=ESAY"), AllOf(HasSubstr("dfrs.conf:2: Algorithm: "), HasSubstr("'EASY'")));
  EXPECT_THAT(error_of("Period=0"), HasSubstr("'0' is not a number of seconds from 0.001 to"));
  for (const char* value : {"ten", "nan", "inf", "-1", "1e10", "5s", "0x10", "1,5"}) {
    EXPECT_THAT(error_of(std::string("Period=") + value), HasSubstr("'" + std::string(value) + "' is not a number"));
  }
  EXPECT_THAT(error_of("MinProgress=-1"), HasSubstr("seconds of virtual time"));
  EXPECT_THAT(error_of("MaxLostRuns=1.5"), HasSubstr("'1.5'"));
  EXPECT_THAT(error_of("MaxLostRuns=-1"), HasSubstr("'-1'"));
  EXPECT_THAT(error_of("MaxLostRuns=99999999999"), HasSubstr("'99999999999'"));
  EXPECT_THAT(error_of("QuotaWait=10001"), HasSubstr("from 0 to 10000"));
  EXPECT_THAT(error_of("CommentInterval=86401"), HasSubstr("from 0 to 86400"));
  EXPECT_THAT(error_of("ControlPort=0"), HasSubstr("'0' is not a port from 1 to 65535"));
  EXPECT_THAT(error_of("ControlPort=65536"), HasSubstr("65535"));
  EXPECT_THAT(error_of("AgentPort=slurmd"), HasSubstr("slurmd+N"));
  EXPECT_THAT(error_of("AgentPort=slurmd+0"), HasSubstr("slurmd+N"));
  EXPECT_THAT(error_of("AgentPort=6822"), HasSubstr("AgentPort and ControlPort are both 6822"));
  EXPECT_THAT(error_of("QuotaMode=enforc"), HasSubstr("did you mean 'enforce'?"));
  EXPECT_THAT(error_of("StockBackfill=maybe"), HasSubstr("expected yes, no"));
  EXPECT_THAT(error_of("SuspendNeedsSwap=\"\""), HasSubstr("has no value"));
  EXPECT_THAT(error_of("PauseBy=suspnd,requeue"), HasSubstr("did you mean 'suspend'?"));
  EXPECT_THAT(error_of("PauseBy=suspend,suspend"), HasSubstr("named twice"));
  EXPECT_THAT(error_of("PauseBy=none,requeue"), HasSubstr("'none' cannot be combined"));
  EXPECT_THAT(error_of("LostWork=yes"), HasSubstr("expected refuse, accept"));
  EXPECT_THAT(error_of("CheckpointMark=\"a b\""), HasSubstr("one word"));
  EXPECT_THAT(error_of("CheckpointMark=" + std::string(65, 'x')), HasSubstr("at most 64"));
  EXPECT_THAT(error_of("RecordFile=record.jsonl"), HasSubstr("not an absolute path"));
  EXPECT_THAT(error_of("Partitions=q"), HasSubstr("is given twice, first in line 1"));
  EXPECT_THAT(error_of("just words"), HasSubstr("dfrs.conf:2: expected Key=Value, found 'just'"));
}

TEST(ReadConfig, TheAlgorithmsOfRr7659AreAccepted) {
  for (const Algorithm& algorithm : rr7659_algorithms()) {
    const std::string name = algorithm_name(algorithm);
    EXPECT_TRUE(parse_config("Partitions=p Algorithm=" + name, "f")) << name;
  }
}

// Yardsticks know what no cluster knows, and time slices are Slurm's own.
TEST(ReadConfig, AlgorithmsForTheSimulatorAloneAreRefused) {
  int refused = 0;
  for (const Algorithm& algorithm : registered_algorithms()) {
    if (algorithm.traits.only_simulated.empty()) continue;
    ++refused;
    EXPECT_THAT(error_of("Algorithm=" + algorithm_name(algorithm)),
                AllOf(HasSubstr("runs in dfrs-sim only"), HasSubstr(std::string(algorithm.traits.only_simulated))));
  }
  EXPECT_GE(refused, 4);
  EXPECT_THAT(error_of("Algorithm=yardstick/SRPT"), HasSubstr("run times that nobody knows"));
  EXPECT_THAT(error_of("Algorithm=clairvoyant/Triage"), HasSubstr("run times that nobody knows"));
}

TEST(ReadConfig, PartitionLines) {
  EXPECT_THAT(error_of("PartitionName=shrt LostWork=accept"),
              AllOf(HasSubstr("'shrt' is not one of Partitions=p,short"), HasSubstr("did you mean 'short'?")));
  EXPECT_THAT(error_of("PartitionName=short Period=3"), HasSubstr("setting of the whole file"));
  EXPECT_THAT(error_of("PartitionName=short LostWrk=accept"), HasSubstr("did you mean 'LostWork'?"));
  EXPECT_THAT(error_of("PartitionName=short LostWork=accept LostWork=refuse"), HasSubstr("given twice"));
  EXPECT_THAT(error_of("PartitionName=short\nPartitionName=short"),
              HasSubstr("dfrs.conf:3: PartitionName: partition 'short' has a line"));
  EXPECT_THAT(error_of("LostWork=accept PartitionName=short"), HasSubstr("must be the first on its line"));
  EXPECT_THAT(error_of("PartitionName=\"\""), HasSubstr("has no value"));
  // The next line holds settings of the whole file again.
  EXPECT_EQ(good("Partitions=p\nPartitionName=p LostWork=accept\nPeriod=7").period, 7);
}

TEST(ReadConfig, PartitionNames) {
  EXPECT_THAT(errors("Partitions=a,,b"), ::testing::ElementsAre(HasSubstr("an empty name in 'a,,b'")));
  EXPECT_THAT(errors("Partitions=a,a"), ::testing::ElementsAre(HasSubstr("'a' is named twice")));
  EXPECT_THAT(errors("Partitions=Default"), ::testing::ElementsAre(HasSubstr("DEFAULT is not a partition")));
  EXPECT_THAT(errors("Partitions=\"a b\""), ::testing::ElementsAre(HasSubstr("contains a blank")));
  EXPECT_THAT(errors("# nothing"), ::testing::ElementsAre(HasSubstr("dfrs.conf: Partitions: is missing")));
}

TEST(ReadConfig, AllErrorsAreFoundInOrder) {
  EXPECT_THAT(errors("PartitionName=x LostWork=no\nPeriod=0\nbroken\nAlgorithm=XYZ\nPartitions=a,b\n"),
              ::testing::ElementsAre(HasSubstr("dfrs.conf:1: LostWork"), HasSubstr("dfrs.conf:1: PartitionName"),
                                     HasSubstr("dfrs.conf:2: Period"), HasSubstr("dfrs.conf:3: expected"),
                                     HasSubstr("dfrs.conf:4: Algorithm")));
}

TEST(ReadConfig, Files) {
  const sim::TemporaryFolder folder;
  const auto unreadable = [](const std::string& path, const char* why) {
    const auto config = read_config(path);
    ASSERT_FALSE(config.has_value());
    ASSERT_EQ(config.error().size(), 1U);
    EXPECT_TRUE(config.error()[0].unreadable);
    EXPECT_THAT(config.error()[0].text(), AllOf(HasSubstr(path + ": "), HasSubstr(why)));
  };
  EXPECT_TRUE(read_config(folder.write("good", "Partitions=p\n")).has_value());
  unreadable(folder / "missing", "No such file");
  unreadable(folder.path().string(), "not a regular file");
  unreadable(folder.write("large", std::string(kMaxConfigBytes + 1, '#')), "larger than");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  unreadable(folder / "pipe", "not a regular file");
}

TEST(ReadConfig, TheExampleIsGoodAndShowsTheDefaults) {
  const char* source = std::getenv("srcdir");
  const auto config = read_config(std::string(source != nullptr ? source : ".") + "/etc/dfrs.conf.example");
  ASSERT_TRUE(config.has_value()) << config.error().front().text();
  EXPECT_TRUE(config->partition("short")->pausing.accept_lost_work);
  EXPECT_FALSE(config->partition("dfrs")->pausing.accept_lost_work);
  Config defaults;
  defaults.partitions = config->partitions;
  EXPECT_EQ(format_config(*config), format_config(defaults)) << "the example says that these are the defaults";
}

TEST(ReadConfig, AddressesAreNumeric) {
  for (const char* const good : {"127.0.0.1", "0.0.0.0", "::", "fe80::1"}) {
    const auto config = parse_config(std::string("Partitions=p\nControlAddress=") + good, "test");
    ASSERT_TRUE(config.has_value()) << good;
    EXPECT_EQ(config->control_address, good);
  }
  for (const char* const bad : {"localhost", "1.2.3", "any", "10.0.0.1:6822", "[::1]"}) {
    EXPECT_FALSE(parse_config(std::string("Partitions=p\nControlAddress=") + bad, "test").has_value()) << bad;
  }
  EXPECT_FALSE(parse_config("Partitions=p\nControlRequests=0", "test").has_value());
}

TEST(ReadConfig, CostsWeightsAndNeeds) {
  const auto read = [](const std::string& text) { return parse_config("Partitions=p\n" + text, "dfrs.conf").value(); };
  Config config = read("");
  EXPECT_EQ(algorithm_name(config.algorithm), "Triage");
  EXPECT_FALSE(config.swap_rate || config.restart_cost);
  EXPECT_EQ(config.weight, WeightRule::none);
  EXPECT_FALSE(config.measure_cpu_need);
  EXPECT_EQ(config.cpu_need_floor, 0.1);
  EXPECT_TRUE(config.charge_by_yield);
  config = read("SwapRate=250\nRestartCost=0\nWeight=FairShare\nCpuNeed=measured\nCpuNeedFloor=0.25\n");
  EXPECT_EQ(config.swap_rate, 250);
  EXPECT_EQ(config.restart_cost, 0);
  EXPECT_EQ(config.weight, WeightRule::fair_share);
  EXPECT_TRUE(config.measure_cpu_need);
  EXPECT_EQ(config.cpu_need_floor, 0.25);
  // The printed text can be read again.
  const Config again = parse_config(format_config(config), "again").value();
  EXPECT_EQ(format_config(again), format_config(config));
  EXPECT_EQ(again.swap_rate, 250);
  EXPECT_EQ(again.weight, WeightRule::fair_share);
  EXPECT_FALSE(read("SwapRate=measured\n").swap_rate);
  EXPECT_FALSE(read("ChargeBy=Allocation").charge_by_yield);
  EXPECT_EQ(read("Weight=qos").weight, WeightRule::qos);
  EXPECT_EQ(read("Weight=priority").weight, WeightRule::priority);
  EXPECT_THAT(error_of("SwapRate=0"), HasSubstr("SwapRate"));
  EXPECT_THAT(error_of("RestartCost=-1"), HasSubstr("seconds"));
  EXPECT_THAT(error_of("Weight=share"), HasSubstr("fairshare"));
  EXPECT_THAT(error_of("CpuNeed=used"), HasSubstr("measured"));
  EXPECT_THAT(error_of("CpuNeedFloor=0"), HasSubstr("0.01"));
}

}  // namespace
}  // namespace dfrs::shim
