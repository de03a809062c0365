// SPDX-License-Identifier: GPL-2.0-or-later
// What a terminal shows: a bar while simulations run, and what is kept when the program is interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Runs a shell command on a pseudo-terminal, which util-linux's script makes, and returns all it printed.
std::string on_terminal(const TemporaryFolder& folder, const std::string& command) {
  const std::string file = folder.write("command", "cd '" + folder.path().string() + "'\n" + command + "\n");
  std::FILE* const pipe = ::popen(("script -qec 'sh " + file + "' /dev/null < /dev/null 2>&1").c_str(), "r");
  if (pipe == nullptr) return "cannot run script";
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

std::string program() { return "'" + std::filesystem::absolute(dfrs_sim_path()).string() + "'"; }

class CliTerminal : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v script > /dev/null") != 0) GTEST_SKIP() << "no script (util-linux)";
  }
  TemporaryFolder folder_;
};

TEST_F(CliTerminal, ShowsABarWithRateAndTimeLeft) {
  folder_.write("small.dfrs", small_trace());
  EXPECT_THAT(on_terminal(folder_, program() + " compare small.dfrs -a all -j 1"),
              AllOf(HasSubstr("simulations  [>"), HasSubstr(" of 119  "), HasSubstr("/s  0:0"), HasSubstr(" left")));
  EXPECT_THAT(on_terminal(folder_, program() + " run small.dfrs -a EASY"), HasSubstr("jobs  [>"));
  EXPECT_THAT(on_terminal(folder_, program() + " generate --jobs 5 --count 3 -o out"), HasSubstr("traces  [====="));
}

TEST_F(CliTerminal, ElsewhereThereIsNoBar) {
  const Outcome outcome = dfrs_sim({"compare", "-", "-a", "EASY,FCFS"}, {.input = small_trace()});
  EXPECT_THAT(outcome.err, Not(HasSubstr("simulations")));
}

TEST_F(CliTerminal, AnInterruptedRunSaysWhatIsKept) {
  const std::string text =
      on_terminal(folder_, program() +
                               " generate --count 1000000 -o out & while ! ls out/*.dfrs; do sleep 0.1; "
                               "done > /dev/null 2>&1; kill -TERM $!; wait $!");
  EXPECT_THAT(text,
              AllOf(HasSubstr("interrupted; traces already in the folder are complete"), HasSubstr("same command")));
}

}  // namespace
}  // namespace dfrs::sim
