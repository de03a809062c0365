// SPDX-License-Identifier: GPL-2.0-or-later
// Runs ended by a signal: they die of that signal and leave no new files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::UnorderedElementsAre;

// A run that has begun to write `out.csv` and waits forever at the pipe `fifo`, which has no reader.
struct Stuck {
  Stuck() {
    EXPECT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    folder.write("out.csv", "as before");
  }
  bool writing() const { return unfinished() != 0; }
  long unfinished() const {
    const std::vector<std::string> names = folder.names();
    return std::count_if(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".tmp"); });
  }
  Surroundings surroundings() const { return {.input = small_trace(), .folder = folder.path().string()}; }

  const TemporaryFolder folder;
};

TEST(CliInterrupted, LeavesNothingBehind) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Stuck stuck;
    const std::string trace = stuck.folder.write("trace", small_trace());
    const Outcome outcome = dfrs_sim_interrupted(
        {"run", trace, "-a", "EASY", "--jobs-csv", "out.csv", "--log", "fifo"}, [&] { return stuck.writing(); }, signal,
        stuck.surroundings());
    EXPECT_EQ(outcome.exit_code, -signal) << outcome.command << '\n' << outcome.err;
    EXPECT_THAT(stuck.folder.names(), UnorderedElementsAre("fifo", "trace", "out.csv"));
    EXPECT_EQ(file_bytes(stuck.folder / "out.csv"), "as before");
    EXPECT_EQ(outcome.err, "");
  }
}

// Both outputs of a campaign, while its threads are working.
TEST(CliInterrupted, LeavesNothingBehindWithThreadsAtWork) {
  const Stuck stuck;
  const std::string work = output_of({"generate", "--jobs", "4000", "--load", "0.9", "--seed", "1", "-o", "-"});
  const std::string trace = stuck.folder.write("trace", work);
  const Outcome outcome = dfrs_sim_interrupted(
      {"compare", trace, "-a", "GreedyPM*/per/OPT=MIN", "-a", "/stretch-per/OPT=MAX", "-o", "out.csv", "--report",
       "report.html", "--threads", "2"},
      [&] { return stuck.unfinished() == 2; }, SIGTERM, stuck.surroundings());
  EXPECT_EQ(outcome.exit_code, -SIGTERM) << outcome.command << '\n' << outcome.err;
  EXPECT_THAT(stuck.folder.names(), UnorderedElementsAre("fifo", "trace", "out.csv"));
  EXPECT_EQ(file_bytes(stuck.folder / "out.csv"), "as before");
}

TEST(CliInterrupted, BelowNohupItGoesOn) {
  const Stuck stuck;
  const std::string trace = stuck.folder.write("trace", small_trace());
  Surroundings surroundings = stuck.surroundings();
  surroundings.ignores_hangup = true;
  // The pipe gets its reader only after the signal.
  std::atomic<bool> signalled = false;
  int fifo = -1;
  std::jthread reader([&](const std::stop_token& stop) {
    while (!signalled && !stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    fifo = ::open((stuck.folder / "fifo").c_str(), O_RDWR | O_CLOEXEC);  // does not wait for a writer
  });
  const Outcome outcome = dfrs_sim_interrupted(
      {"run", trace, "-a", "EASY", "--jobs-csv", "out.csv", "--log", "fifo"},
      [&] { return signalled = stuck.writing(); }, SIGHUP, surroundings);
  reader.request_stop();
  reader.join();
  ::close(fifo);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(stuck.folder.names(), UnorderedElementsAre("fifo", "trace", "out.csv"));
  EXPECT_NE(file_bytes(stuck.folder / "out.csv"), "as before");
}

}  // namespace
}  // namespace dfrs::sim
