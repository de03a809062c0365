// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim divisible, and reproduce rr5724.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/cli/process.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two jobs on one processor; by hand: SPT {5, 2}, MCT {4, 5}.
constexpr const char* kTwoJobs =
    "; dfrs-divisible: 1\n; Name: two jobs\n; Databanks: 1\ncluster 1 1 0\njob 0 4 0\njob 1 1 0\n";

TEST(CliDivisible, HandComputedInstance) {
  const TemporaryFolder folder;
  const std::string table =
      without_origin(output_of({"divisible", "-", "-a", "SPT,mct", "--format", "csv", "--jobs-csv", folder / "jobs.csv",
                                "--schedule-csv", folder / "schedule.csv"},
                               {.input = kTwoJobs}));
  // SPT: stretches 5 / 4 and 1; MCT: 1 and 4.
  EXPECT_THAT(table, HasSubstr("\nSPT,1.25,1,0,1,1.125,1,0,1,3,1\n"));
  EXPECT_THAT(table, HasSubstr("\nMCT,4,3.2,0,3.2,2.5,2.2222222222222223,0,2.2222222222222223,4,1\n"));
  EXPECT_EQ(file_bytes(folder / "jobs.csv"),
            "instance,algorithm,job,release,work,databank,completion,stretch\n"
            "two jobs,SPT,0,0,4,0,5,1.25\ntwo jobs,SPT,1,1,1,0,2,1\n"
            "two jobs,MCT,0,0,4,0,4,1\ntwo jobs,MCT,1,1,1,0,5,4\n");
  EXPECT_EQ(file_bytes(folder / "schedule.csv"),
            "instance,algorithm,begin,end,job,cluster,rate\n"
            "two jobs,SPT,0,1,0,0,1\ntwo jobs,SPT,1,2,1,0,1\ntwo jobs,SPT,2,5,0,0,1\n"
            "two jobs,MCT,0,1,0,0,1\ntwo jobs,MCT,1,4,0,0,1\ntwo jobs,MCT,4,5,1,0,1\n");
}

TEST(CliDivisible, GeneratedInstancesAreReproducible) {
  const TemporaryFolder folder;
  const std::string first =
      without_origin(output_of({"divisible", "--seed", "7", "--density", "0.5", "--save", folder / "i.txt"}));
  for (const char* name : {"Offline", "Online-EGDF", "Bender98", "MCT-DIV"}) EXPECT_THAT(first, HasSubstr(name));
  EXPECT_EQ(without_origin(output_of({"divisible", folder / "i.txt"})), first);
  EXPECT_EQ(without_origin(output_of({"divisible", "--seed", "7", "--density", "0.5", "-j", "2"})), first);
  EXPECT_NE(output_of({"divisible", "--seed", "8", "--density", "0.5"}), first);
}

TEST(CliDivisible, SaysWhatIsWrong) {
  expect_failure(dfrs_sim({"divisible", "-a", "SRWPT"}), kExitUsage, {"'SRWPT'", "'SRPT'", "list --divisible"});
  expect_failure(dfrs_sim({"divisible", "--availability", "2"}), kExitUsage, {"--availability"});
  expect_failure(dfrs_sim({"divisible", "--instances", "2", "--save", "x"}), kExitUsage, {"--save"});
  expect_failure(dfrs_sim({"divisible", "-"}, {.input = "cluster\n"}), kExitInput, {"<stdin>:1", "dfrs-divisible"});
  expect_failure(dfrs_sim({"divisible", "/nonexistent"}), kExitIo, {"/nonexistent"});
}

TEST(CliDivisible, ReproduceShowsPublishedAndMeasured) {
  const std::string text = output_of({"reproduce", "rr5724", "--parts", "table2", "--instances", "1"});
  EXPECT_THAT(text, HasSubstr("Online-EGDF"));
  EXPECT_THAT(text, HasSubstr("54 instances, 1 of each configuration (the paper: 200)"));
  EXPECT_THAT(text, Not(HasSubstr("Bender98")));
}

}  // namespace
}  // namespace dfrs::sim
