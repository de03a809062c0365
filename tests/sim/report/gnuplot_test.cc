// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/gnuplot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/sim/report/path.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;

// An executable that does `body`, standing in for gnuplot.
std::string program(const TemporaryFolder& folder, const std::string& body) {
  const std::string path = folder.write("gnuplot", "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(ReportGnuplot, FoundInAbsoluteFoldersOfPathOnly) {
  const TemporaryFolder folder;
  const std::string path = program(folder, "exit 0");
  {
    const PathSetting setting("/nowhere:" + folder.path().string());
    EXPECT_EQ(find_program("gnuplot"), path);
  }
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const char* unsafe : {"", ".", ":", "./"}) {
    const PathSetting setting(unsafe);
    EXPECT_EQ(find_program("gnuplot"), "") << "PATH=" << unsafe;
  }
  std::filesystem::current_path(before);
}

TEST(ReportGnuplot, MissingProgramIsSaid) {
  const PathSetting setting("");
  EXPECT_EQ(run_gnuplot("plot x").error(), "gnuplot was not found in the folders of PATH");
}

TEST(ReportGnuplot, LargeScriptAndOutputPassThrough) {
  const TemporaryFolder folder;
  const std::string script(3 << 20, 'x');
  const auto result = run_gnuplot(script, program(folder, "exec cat"));
  ASSERT_TRUE(result.has_value()) << result.error();
  EXPECT_EQ(*result, script);
}

TEST(ReportGnuplot, FailuresCarryTheFirstMessage) {
  const TemporaryFolder folder;
  const std::string failing = program(folder, "printf '\\n   ^\\n line 0: bad\\nmore\\n' >&2; exit 1");
  EXPECT_EQ(run_gnuplot("", failing).error(), failing + " failed: line 0: bad");
  EXPECT_EQ(run_gnuplot("", program(folder, "exit 0")).error(), failing + " wrote no figure: no message");
  EXPECT_THAT(run_gnuplot("", program(folder, "kill -9 $$")).error(), HasSubstr(" failed: no message"));
  EXPECT_THAT(run_gnuplot("", folder / "absent").error(), HasSubstr("cannot run "));
}

}  // namespace
}  // namespace dfrs::sim
