// SPDX-License-Identifier: GPL-2.0-or-later
// What a terminal shows: a bar while simulations run, and what is kept when the program is interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "base/files.h"
#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/io/web_server.h"
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
  EXPECT_THAT(on_terminal(folder_, program() + " compare small.dfrs -a EASY,FCFS -j 1 --store s.db"),
              HasSubstr("simulations  [==="));
  EXPECT_THAT(on_terminal(folder_, program() + " advise small.dfrs -j 1"), HasSubstr("simulations  [="));
  folder_.write("two.dfrs",
                small_trace() + std::string(small_trace()).replace(small_trace().find("small"), 5, "other"));
  EXPECT_THAT(on_terminal(folder_, program() + " bound two.dfrs -j 1"), HasSubstr("bounds  [==="));
  EXPECT_THAT(on_terminal(folder_, program() + " reproduce rr7659 --parts figure3b --instances 1 -j 1"),
              HasSubstr("simulations  [="));
  EXPECT_THAT(on_terminal(folder_, program() + " generate --jobs 5 --count 3 -o out"), HasSubstr("traces  [====="));
}

TEST_F(CliTerminal, ShowsABarOfADownload) {
  WebServer server;
  server.serve("/l_hpc2n/HPC2N-2002-2.1-cln.swf.gz", {200, std::string(std::size_t{1} << 24, 'x'), {}, false});
  EXPECT_THAT(on_terminal(folder_, program() + " fetch HPC2N-2002-2.1-cln --cache c --base-url " + server.base()),
              AllOf(HasSubstr("bytes  ["), HasSubstr(" of 16777216  ")));
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

// Each waits for its trace, a pipe that nobody writes to, when the signal comes.
TEST_F(CliTerminal, EveryLongCommandSaysWhatIsKept) {
  const auto interrupted = [&](const std::string& words) {
    return on_terminal(folder_, "rm -f pipe; mkfifo pipe; " + program() + " " + words +
                                    " & exec 3> pipe; sleep 0.2; kill -TERM $!; wait $!");
  };
  for (const char* words : {"run pipe -a EASY", "bound pipe", "advise pipe"}) {
    EXPECT_THAT(interrupted(words), HasSubstr("interrupted; nothing is kept; the same command starts again")) << words;
  }
  EXPECT_THAT(interrupted("compare pipe -a EASY"),
              HasSubstr("interrupted; nothing is kept; with --store FILE, the same command continues"));
  EXPECT_THAT(interrupted("compare pipe -a EASY --store s.db"),
              HasSubstr("interrupted; finished simulations are kept in the store; run the same command again"));
}

// reproduce has no trace; it waits for the reader of its page.
TEST_F(CliTerminal, AnInterruptedReproductionSaysWhatIsKept) {
  EXPECT_THAT(on_terminal(folder_, "mkdir out; mkfifo out/rr7659.md; " + program() +
                                       " reproduce rr7659 --parts figure3b --instances 1 -o out & while ! ls -A out | "
                                       "grep -q tmp; do sleep 0.1; done; kill -TERM $!; wait $!"),
              HasSubstr("interrupted; finished simulations are kept in the output folder; run the same command again"));
}

// The server takes the connection and never answers.
TEST_F(CliTerminal, AnInterruptedDownloadSaysWhatIsKept) {
  const base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(socket.get(), 1), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::jthread waits([&] {
    pollfd connected{socket.get(), POLLIN, 0};
    ::poll(&connected, 1, 60'000);
    folder_.write("connected", "");
  });
  EXPECT_THAT(on_terminal(folder_, program() + " fetch HPC2N-2002-2.1-cln --cache c --base-url http://127.0.0.1:" +
                                       std::to_string(ntohs(address.sin_port)) +
                                       " & while ! test -e connected; do sleep 0.1; done; kill -TERM $!; wait $!"),
              HasSubstr("interrupted; nothing of the unfinished download is kept; the same command starts again"));
}

}  // namespace
}  // namespace dfrs::sim
