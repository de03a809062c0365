// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/instance_file.h"

#include <gtest/gtest.h>

#include "sim/errors.h"
#include "studies/divisible/host/generator.h"
#include "tests/sim/failure_message.h"
#include "tests/studies/divisible/host/random_instance.h"

namespace dfrs::sim::divisible {
namespace {

TEST(DivisibleInstanceFile, ReadsWhatIsThere) {
  const Instance instance =
      or_throw(parse_instance("; dfrs-divisible: 1\n; Name: two sites\n; Databanks: 2\n"
                              "cluster 10 1.5 1,0   # both\ncluster 2 1 -\n\njob 3 8 1\njob 0.25 120 0\n",
                              "file"));
  EXPECT_EQ(instance.name, "two sites");
  EXPECT_EQ(instance.databanks, 2U);
  EXPECT_EQ(instance.clusters, (std::vector<dfrs::divisible::Cluster>{{10, 1.5, {0, 1}}, {2, 1, {}}}));
  EXPECT_EQ(instance.jobs, (std::vector<Job>{{0.25, 120, 0}, {3, 8, 1}}));
}

TEST(DivisibleInstanceFile, GivesBackWhatWasWritten) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Instance instance = random_instance(seed, 12);
    EXPECT_EQ(or_throw(parse_instance(format_instance(instance), "file")), instance);
  }
  const Instance generated = or_throw(generate({}));
  EXPECT_EQ(or_throw(parse_instance(format_instance(generated), "file")), generated);
}

TEST(DivisibleInstanceFile, SaysWhereAndWhatIsWrong) {
  const std::string head = "; dfrs-divisible: 1\n; Databanks: 2\ncluster 1 1 0\n";
  const auto message = [](const std::string& text) { return message_of(kExitInput, parse_instance(text, "f")); };
  EXPECT_EQ(message(""), "f: empty; expected '; dfrs-divisible: 1'");
  EXPECT_EQ(message("job 0 1 0\n"), "f:1: expected '; dfrs-divisible: 1' as the first line");
  EXPECT_EQ(message("; dfrs-divisible: 2\n"), "f:1: version '2' of this format is unknown; expected 1");
  EXPECT_EQ(message("; dfrs-divisible: 1\ncluster 1 1 0\n"),
            "f:2: '; Databanks: N' is missing before the first cluster");
  EXPECT_EQ(message("; dfrs-divisible: 1\n; Databanks: 2\njob 0 1 0\n"), "f:3: no cluster holds databank 0");
  EXPECT_EQ(message(head), "f: no job");
  EXPECT_EQ(message(head + "job 0 1 1\n"), "f:4: no cluster holds databank 1");
  EXPECT_EQ(message(head + "job 0 1 2\n"), "f:4: the databank: '2' is not a whole number from 0 to 1");
  EXPECT_EQ(message(head + "job -1 1 0\n"), "f:4: the release date is -1, expected 0 .. 10000000000 s");
  EXPECT_EQ(message(head + "job 0 0 0\n"), "f:4: the work is 0, expected 1e-6 .. 1e9");
  EXPECT_EQ(message(head + "job 0 nan 0\n"), "f:4: the work: 'nan' is not a number");
  EXPECT_EQ(message(head + "job 0 1\n"), "f:4: the databank missing at the end of the line");
  EXPECT_EQ(message(head + "job 0 1 0 7\n"), "f:4: unexpected '7' at the end of this line");
  EXPECT_EQ(message(head + "node 1\n"), "f:4: 'node' is neither 'cluster' nor 'job'");
  EXPECT_EQ(message(head + "cluster 1 1 0,0\n"), "f:4: databank 0 is listed twice");
  EXPECT_EQ(message(head + "cluster 1 1 0,-\n"), "f:4: a databank: '-' is not a whole number from 0 to 1");
  EXPECT_EQ(message(head + "cluster 0 1 0\n"), "f:4: processors: '0' is not a whole number from 1 to 10000000");
  EXPECT_EQ(message(head + "job 0 1 0\ncluster 1 1 0\n"), "f:5: clusters belong before jobs");
}

}  // namespace
}  // namespace dfrs::sim::divisible
