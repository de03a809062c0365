// SPDX-License-Identifier: GPL-2.0-or-later
// Mapping files: their grammar, and what is wrong with one.
#include "sim/workload/csv/map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/errors.h"
#include "sim/workload/csv/shipped.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLeast = "submit = s\nrun_time = r\ncpus = c\n";

CsvMap map_of(const std::string& more) { return or_throw(parse_csv_map(kLeast + more, "my.map")); }
std::string refusal(const std::string& text) { return message_of(kExitInput, parse_csv_map(text, "my.map")); }
std::string refused(const std::string& line) { return refusal(kLeast + line); }

TEST(CsvMap, ReadsColumnsUnitsFactorsAndConstants) {
  const CsvMap map = map_of(
      "# a comment\n\nlimit = time_limit min  # another\r\nstate = \"exit state\"\nnodes = '4'\n"
      "memory = plan_mem * 2 GiB per node\ncpu_time = t ms\nqos=q\n");
  EXPECT_EQ(map[CsvField::kLimit].text, "time_limit");
  EXPECT_EQ(map[CsvField::kLimit].scale, 60);
  EXPECT_EQ(map[CsvField::kLimit].line, 6U);
  EXPECT_EQ(map[CsvField::kState].text, "exit state");
  EXPECT_FALSE(map[CsvField::kState].constant);
  EXPECT_TRUE(map[CsvField::kNodes].constant);
  EXPECT_EQ(map[CsvField::kNodes].text, "4");
  EXPECT_EQ(map[CsvField::kMemory].scale, 2048);
  EXPECT_EQ(map[CsvField::kMemory].per, CsvPer::kNode);
  EXPECT_DOUBLE_EQ(map[CsvField::kCpuTime].scale, 1e-3);
  EXPECT_EQ(map[CsvField::kQos].text, "q");
  EXPECT_FALSE(map.has(CsvField::kUser));
  EXPECT_FALSE(map[CsvField::kSubmit].unit);
}

TEST(CsvMap, ReadsSettingsAndMeanings) {
  const CsvMap map = map_of(
      "separator = tab\nheader = a, b,\"c d\"\nmissing = NULL, -1\nmachine = 980 128 262144\nstate = st\n"
      "state COMPLETED = Terminated, 0\nstate missing = '?'\nlimit = l\nlimit UNLIMITED = INFINITE\n");
  EXPECT_EQ(map.separator, '\t');
  EXPECT_THAT(map.header, ElementsAre("a", "b", "c d"));
  EXPECT_THAT(map.missing, ElementsAre("NULL", "-1"));
  EXPECT_EQ(map.machine.nodes, 980);
  EXPECT_EQ(map.machine.cores, 128);
  EXPECT_EQ(map.machine.memory_mib, 262144);
  EXPECT_EQ(map[CsvField::kState].names.at("0"), "COMPLETED");
  EXPECT_THAT(map[CsvField::kState].missing, ElementsAre("?"));
  EXPECT_EQ(map[CsvField::kLimit].names.at("INFINITE"), "UNLIMITED");
}

TEST(CsvMap, MachinesOfSeveralKinds) {
  const CsvMap map = map_of("machine = 10 64 1000\nmachine = 2 128 4000 8\n");
  EXPECT_THAT(map.kinds,
              ElementsAre(NodeKind{"of line 4", {10, 64, 1000}, 0}, NodeKind{"of line 5", {2, 128, 4000}, 8}));
  EXPECT_EQ(map.machine.nodes, 12);
  EXPECT_EQ(map.machine.cores, 128);
  EXPECT_EQ(map.machine.memory_mib, 4000);
  EXPECT_EQ(map_of("machine = 10 64 0 4\n").kinds.front().gpus, 4);
  EXPECT_TRUE(map_of("machine = 10 64 1000 0\n").kinds.empty());
  EXPECT_EQ(refused("machine = 1 1 0 x\n"),
            "my.map:4: 'x', expected the GPUs of a node, a whole number from 0 to 1000000");
  EXPECT_EQ(refused("machine = 1 1 5\nmachine = 1 1 0 4\n"),
            "my.map:5: memory is given for some nodes only, expected it in all lines of 'machine' or in none");
  EXPECT_EQ(refused("machine = 600000 1\nmachine = 600000 1\n"), "my.map:5: more than 1000000 nodes in all");
}

TEST(CsvMap, ErrorsNameLineAndWhatIsExpected) {
  EXPECT_EQ(refused("sumbit = x\n"), "my.map:4: 'sumbit' is no field of a job; did you mean 'submit'?");
  EXPECT_EQ(refused("cpus = d\n"), "my.map:4: 'cpus' is given twice, also on line 3");
  EXPECT_EQ(refused("memory = m Gib\n"),
            "my.map:4: 'Gib', expected a unit of 'memory': B, kB, KB, KiB, MB, MiB, GB, GiB, TB, TiB");
  EXPECT_EQ(refused("end = e min\n"), "my.map:4: 'min', expected a unit of 'end': ns, us, ms, s");
  EXPECT_EQ(refused("nodes = n s\n"), "my.map:4: 's', but 'nodes' has no unit");
  EXPECT_EQ(refused("nodes = n per task\n"), "my.map:4: 'nodes' cannot be per 'task'");
  EXPECT_EQ(refused("gpus = g per cpu\n"), "my.map:4: 'gpus' cannot be per 'cpu'");
  EXPECT_EQ(refused("memory = m MiB per node\n"), "my.map:4: per node, but no 'nodes'");
  EXPECT_EQ(refused("nodes = n * -1\n"), "my.map:4: '-1', expected a factor above 0 such as 0.01");
  EXPECT_EQ(refused("user = u * 2\n"), "my.map:4: 'user' is text and takes no factor");
  EXPECT_EQ(refused("user u\n"), "my.map:4: the end of the line, expected '=' after 'u'");
  EXPECT_EQ(refused("user =\n"), "my.map:4: the end of the line, expected a column, or a value in single quotes");
  EXPECT_EQ(refused("user = \"u\n"), "my.map:4: a quote \" is not closed");
  EXPECT_EQ(refused("state COMPLETE = x\n"), "my.map:4: 'COMPLETE' is no state of Slurm; did you mean 'COMPLETED'?");
  EXPECT_EQ(refused("state COMPLETED = x\n"), "my.map:4: 'state' has no column");
  EXPECT_EQ(refused("state = x\nstate FAILED = 1\nstate TIMEOUT = 1\n"), "my.map:6: '1' has two meanings");
  EXPECT_EQ(refused("user bob = x\n"), "my.map:4: 'user bob', expected 'user missing'");
  EXPECT_EQ(refused("memory = m MiB\nmemory ALL = x\n"),
            "my.map:5: 'memory ALL', expected 'memory missing' or 'memory NODE'");
  EXPECT_EQ(refused("separator = x\n"), "my.map:4: 'x', expected comma, tab, semicolon or pipe");
  EXPECT_THAT(refused("machine = 0 1\n"),
              HasSubstr("my.map:4: '0', expected the number of nodes, a whole number from 1"));
}

TEST(CsvMap, NamesRequiredFields) {
  EXPECT_EQ(refusal("cpus = c\nrun_time = r\n"),
            "my.map: submit is missing, expected a line such as 'submit = COLUMN'");
  EXPECT_THAT(refusal("cpus = c\nsubmit = r\nstart = s\n"), HasSubstr("run_time is missing, or start and end"));
  EXPECT_THAT(refusal("submit = s\nrun_time = r\n"), HasSubstr("cpus is missing, or nodes"));
  EXPECT_TRUE(or_throw(parse_csv_map("submit = s\nstart = a\nend = e\nnodes = n\n", "x")).has(CsvField::kNodes));
}

TEST(CsvMap, ShippedOnesAreReadAndDescribed) {
  EXPECT_EQ(shipped_map_names(), "alibaba2018, fdata, in2p3, kestrel, pm100");
  for (const ShippedMap& map : shipped_maps()) {
    std::string sha256;
    EXPECT_GT(or_throw(load_csv_map(std::string(map.name), sha256)).machine.nodes, 0) << map.name;
    EXPECT_EQ(sha256.size(), 64U);
    EXPECT_GT(map.title().size(), 20U) << map.name;
  }
  std::string sha256;
  EXPECT_THAT(message_of(kExitUsage, load_csv_map("pm10", sha256)),
              AllOf(HasSubstr("--map pm10"), HasSubstr("the nearest is 'pm100'")));
}

}  // namespace
}  // namespace dfrs::sim
