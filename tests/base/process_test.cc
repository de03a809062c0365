// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/signals.h"

namespace dfrs::base {
namespace {

TEST(Process, SaysWhatTheProgramSaid) {
  const auto outcome = run_program({{"sh", "-c", "cat; echo oh >&2; exit 3"}, "in\nput"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_EQ(outcome->out, "in\nput");
  EXPECT_EQ(outcome->err, "oh\n");
}

TEST(Process, TakesMoreThanAPipeHolds) {
  const std::string input(1 << 20, 'x');
  const auto outcome = run_program({{"cat"}, input});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->out, input);
}

TEST(Process, EndedByASignal) {
  const auto outcome = run_program({{"sh", "-c", "kill -9 $$"}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 128 + 9);
}

TEST(Process, TakesSignalsThatTheThreadBlocks) {
  const SignalsBlocked blocked;
  const auto outcome = run_program({{"sh", "-c", "kill -TERM $$; sleep 5"}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 128 + 15);
}

TEST(Process, SigpipeEndsAProgramUnlessItIsKept) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Program program{{"sh", "-c", "kill -PIPE $$"}};
  const auto ended = run_program(program);
  program.keeps_sigpipe = true;
  const auto kept = run_program(program);
  std::signal(SIGPIPE, before);
  ASSERT_TRUE(ended && kept);
  EXPECT_EQ(ended->exit_code, 128 + SIGPIPE);
  EXPECT_EQ(kept->exit_code, 0);
}

TEST(Process, HasTheEnvironmentThatIsGiven) {
  Program program{{"/bin/sh", "-c", "echo \"$A,$HOME\""}};
  program.environment = {"A=b"};
  const auto outcome = run_program(program);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->out, "b,\n");
}

TEST(Process, ErrorsTellAMissingProgramFromOthers) {
  const auto missing = run_program({{"dfrs-no-such-program"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ProgramError::Kind::not_found);
  EXPECT_EQ(missing.error().message, "cannot run dfrs-no-such-program: No such file or directory");
  const auto folder = run_program({{"/"}});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ProgramError::Kind::failed);
}

TEST(Process, IsKilledWhenItTakesTooLong) {
  Program program{{"sleep", "600"}};
  program.patience = std::chrono::seconds{0};
  const auto outcome = run_program(program);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ProgramError::Kind::too_slow);
  EXPECT_EQ(outcome.error().message, "sleep took more than 0 s and was ended");
}

}  // namespace
}  // namespace dfrs::base
