// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-check-config as an administrator runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/process.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

sim::Outcome check_config(const std::vector<std::string>& arguments, sim::Surroundings surroundings = {}) {
  surroundings.program = "dfrs-check-config";
  return sim::dfrs_sim(arguments, surroundings);
}

TEST(CheckConfig, PrintsTheSettingsInForce) {
  const sim::TemporaryFolder folder;
  const std::string file = folder.write("dfrs.conf", "partitions=a,b # two\nPERIOD=60\n");
  const sim::Outcome good = check_config({file});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out,
              AllOf(HasSubstr("Partitions=a,b\n"), HasSubstr("Period=60\n"), HasSubstr("QuotaMode=enforce\n")));
  EXPECT_EQ(good.err, "");
  EXPECT_EQ(check_config({folder.write("again.conf", good.out)}).out, good.out);
  EXPECT_EQ(check_config({"--quiet", file}).out, "");
}

TEST(CheckConfig, SaysAllThatIsWrong) {
  const sim::TemporaryFolder folder;
  const std::string file = folder.write("dfrs.conf", "Perod=60\nQuotaMode=on\n");
  const sim::Outcome bad = check_config({file});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_EQ(bad.out, "");
  EXPECT_EQ(bad.err, file + ":1: Perod: unknown key; did you mean 'Period'?\n" + file +
                         ":2: QuotaMode: 'on' is not a valid value; expected enforce, off\n" + file +
                         ": Partitions: is missing: name the partitions that dfrs shall manage, such as "
                         "Partitions=dfrs\ndfrs-check-config: 3 errors in " +
                         file + "\n");
}

TEST(CheckConfig, ListsTheSettings) {
  const sim::Outcome list = check_config({"--list-settings"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, AllOf(HasSubstr("\nPeriod\t600\ta number of seconds from 0.001 to 1000000000\tfile\tpolicy\t"),
                              HasSubstr("\nPartitions\t(required)\t"), HasSubstr("\nRecordFile\t(none)\t"),
                              HasSubstr("\nLostWork\trefuse\trefuse, accept\tfile or partition\tpausing\t")));
  EXPECT_EQ(check_config({"--list-settings", "dfrs.conf"}).exit_code, 2);
}

TEST(CheckConfig, UsageErrorsNameTheProgramAndWhatIsWrong) {
  EXPECT_THAT(check_config({}).err, AllOf(StartsWith("dfrs-check-config: "), HasSubstr("FILE"), HasSubstr("--help")));
  EXPECT_THAT(check_config({"--bogus"}).err,
              AllOf(StartsWith("dfrs-check-config: "), HasSubstr("--bogus"), HasSubstr("--help")));
}

TEST(CheckConfig, ExitCodes) {
  const sim::TemporaryFolder folder;
  const std::string file = folder.write("dfrs.conf", "Partitions=p\n");
  EXPECT_EQ(check_config({}).exit_code, 2);
  EXPECT_EQ(check_config({file, "--frob"}).exit_code, 2);
  EXPECT_EQ(check_config({folder / "missing"}).exit_code, 4);
  EXPECT_EQ(check_config({file}, {.output_is_closed_pipe = true}).exit_code, 4);
  EXPECT_THAT(check_config({"--help"}).out, HasSubstr("Exit codes"));
  EXPECT_THAT(check_config({"--version"}).out, HasSubstr("dfrs-check-config "));
}

}  // namespace
}  // namespace dfrs::shim
