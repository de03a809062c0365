// SPDX-License-Identifier: GPL-2.0-or-later
// compare --slurm, with fake Slurm commands that run an array's tasks at once, or simulate failures.
// tests/live/test_campaign.py uses a real cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Takes scripts like sbatch: options on #SBATCH lines, some repeated on the command line. Runs tasks one after another
// before it returns, except tasks whose line of the plan is in the file `dead`.
constexpr const char* kSbatch = R"sh(#!/bin/sh
set -eu
kill -PIPE $$  # munged hangs up
here=$(dirname "$0")
if [ -e "$here/refuse" ]; then echo "sbatch: error: $(cat "$here/refuse")" >&2; exit 1; fi
for script; do :; done
if grep -q "^#SBATCH --cpus-per-task=0" "$script"; then
  echo "sbatch: error: Invalid numeric value \"0\" for --cpus-per-task." >&2; exit 1
fi
echo "$*" >> "$here/submitted"
sed -n 's/^#SBATCH //p' "$script" >> "$here/options"
last=$(sed -n "s/^#SBATCH --array=1-\([0-9]*\).*/\1/p" "$script")
logs=$(sed -n "s/^#SBATCH --output='\(.*\)'/\1/p" "$script")
task=1
while [ "$task" -le "$last" ]; do
  log=$(echo "$logs" | sed "s/%a/$task/")
  if sed -n "${task}p" "$(dirname "$script")/plan" | grep -qxf "$here/dead"; then echo "slurmstepd: error: node failed" > "$log"
  else SLURM_ARRAY_TASK_ID=$task /bin/sh "$script" > "$log" 2>&1 || true
  fi
  task=$((task + 1))
done
echo "4711;thecluster"
)sh";

// Each call takes a line off the file `looks`, if there is one: "fail", or a state.
constexpr const char* kSqueue = R"sh(#!/bin/sh
kill -PIPE $$  # munged hangs up
here=$(dirname "$0")
echo "$*" >> "$here/asked"
[ -s "$here/looks" ] || exit 0
look=$(head -n 1 "$here/looks")
sed -i 1d "$here/looks"
if [ "$look" = fatal ]; then
  echo "squeue: error: fetch_config: DNS SRV lookup failed" >&2
  echo "squeue: fatal: Could not establish a configuration source" >&2; exit 1
fi
if [ "$look" = fail ]; then echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; fi
echo "$look"
)sh";

class CliSlurm : public testing::Test {
 protected:
  CliSlurm() {
    std::filesystem::create_directory(folder_ / "slurm commands");
    slurm("dead", "");
    for (const auto& [name, text] : {std::pair{"sbatch", kSbatch}, {"squeue", kSqueue}}) {
      std::filesystem::permissions(slurm(name, text), std::filesystem::perms::owner_all);
    }
    const char* path = std::getenv("PATH");
    surroundings_.environment = {"PATH=" + folder_ / "slurm commands" + ":" + (path == nullptr ? "" : path)};
    surroundings_.folder = folder_.path().string();
    for (int k = 1; k <= 3; ++k) {
      const std::string name = "it's " + std::to_string(k) + ".dfrs";
      std::string text = small_trace();
      text.replace(text.find("small"), 5, "trace " + std::to_string(k));
      traces_.push_back(
          folder_.write(name, text + std::to_string(9) + " 40 1 0.5 400 5" + std::to_string(k) + " 60\n"));
    }
  }

  std::string slurm(const std::string& name, const std::string& text) {
    return folder_.write("slurm commands/" + name, text);
  }
  std::string said(const std::string& name) { return file_bytes(folder_ / ("slurm commands/" + name)); }
  std::size_t submissions() {
    const std::string text = said("submitted");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  // Three instances under two algorithms, with relative names.
  std::vector<std::string> compare(std::vector<std::string> more) const {
    std::vector<std::string> words{"compare", "-a", "EASY,GreedyPM*/per/MINVT=600", "--penalty", "20", "--lenient"};
    words.insert(words.end(), more.begin(), more.end());
    for (int k = 1; k <= 3; ++k) words.push_back("it's " + std::to_string(k) + ".dfrs");
    return words;
  }
  Outcome run(std::vector<std::string> more) { return dfrs_sim(compare(std::move(more)), surroundings_); }
  Outcome on_slurm(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--slurm", "on slurm", "--tasks", "3", "-o", "there.csv", "--report", "there.html"});
    return run(std::move(more));
  }

  // Byte-identical to the result of one process.
  void expect_whole(const Outcome& there) {
    EXPECT_EQ(there.exit_code, 0) << there.err;
    const Outcome here = run({"-o", "here.csv", "--report", "here.html"});
    EXPECT_EQ(there.out, here.out);
    EXPECT_FALSE(here.out.empty());
    EXPECT_EQ(file_bytes(folder_ / "there.csv"), file_bytes(folder_ / "here.csv"));
    EXPECT_EQ(file_bytes(folder_ / "there.html"), file_bytes(folder_ / "here.html"));
  }

  const TemporaryFolder folder_;
  std::vector<std::string> traces_;
  Surroundings surroundings_;
};

TEST_F(CliSlurm, GivesTheResultsOfOneProcess) {
  const Outcome there = on_slurm();
  expect_whole(there);
  EXPECT_THAT(there.err, AllOf(HasSubstr("job 4711"), HasSubstr("6 of 6 simulations, in 3 tasks")));
  EXPECT_EQ(file_bytes(folder_ / "on slurm/run-1/plan"), "0-1\n2-3\n4-5\n");
  // Again: everything is there.
  expect_whole(on_slurm());
  EXPECT_EQ(submissions(), 1U);
}

TEST_F(CliSlurm, TellsSbatchWhatItWasTold) {
  const Outcome outcome = on_slurm({"--at-once", "2", "--partition", "night owls", "--time", "1-00:00",
                                    "--sbatch=--mem=2G", "--sbatch", "--exclude=n1", "-j", "4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string options = said("options");
  for (const char* option : {"--array=1-3%2\n", "--partition='night owls'\n", "--time='1-00:00'\n", "--mem=2G\n",
                             "--exclude=n1\n", "--cpus-per-task=4\n", "--requeue\n", "--open-mode=append\n"}) {
    EXPECT_THAT(options, HasSubstr(option));
  }
  EXPECT_THAT(options, HasSubstr("--output='" + folder_ / "on slurm/run-1/task-%a.log" + "'"));
  // Variables such as SBATCH_JOB_NAME override the script, and jobs are found by name.
  const std::string name =
      options.substr(options.find("--job-name="), options.find('\n') - options.find("--job-name="));
  EXPECT_THAT(said("submitted"), AllOf(HasSubstr(name), HasSubstr("--array=1-3%2")));
  EXPECT_THAT(said("asked"), HasSubstr(name.substr(std::string("--job-").size())));
}

// A task whose node fails and that is not requeued: only what is missing is submitted again.
TEST_F(CliSlurm, SubmitsAgainWhatIsMissing) {
  slurm("dead", "2-3\n");
  const Outcome outcome = on_slurm();
  expect_whole(outcome);
  EXPECT_EQ(submissions(), 2U);
  EXPECT_EQ(file_bytes(folder_ / "on slurm/run-2/plan"), "2\n3\n");
}

TEST_F(CliSlurm, NamesWhatStaysMissing) {
  slurm("dead", "2-3\n3\n");
  expect_failure(on_slurm(), kExitIncomplete,
                 {"1 of 6 simulations", "after 3 submissions", "trace 2", "GreedyPM*/per/OPT=MIN/MINVT=600",
                  "node failed", "run-3/task-1.log"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "there.csv"));
  slurm("dead", "");
  expect_whole(on_slurm());
}

// Tasks that never succeed are not submitted forever.
TEST_F(CliSlurm, GivesUpWhenNothingComes) {
  slurm("dead", "0-1\n2-3\n4-5\n");
  expect_failure(on_slurm(), kExitIncomplete, {"6 of 6 simulations", "after 1 submissions", "trace 1", "EASY"});
  EXPECT_EQ(submissions(), 1U);
}

// An earlier call was interrupted while its jobs ran: they are waited for, even if squeue fails sometimes.
TEST_F(CliSlurm, GoesOnWithJobsThatAreThere) {
  EXPECT_EQ(on_slurm({"--no-wait"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "there.csv"));
  slurm("looks", "PENDING|Resources\nfail\nRUNNING|None\n");
  const Outcome early = on_slurm({"--no-wait"});
  EXPECT_EQ(early.exit_code, 0) << early.err;
  EXPECT_THAT(early.out, AllOf(HasSubstr("1 waiting (Resources)"), HasSubstr("same command")));
  expect_whole(on_slurm());
  EXPECT_EQ(said("looks"), "");
  EXPECT_EQ(submissions(), 1U);
}

// Without a configuration squeue can never answer.
TEST_F(CliSlurm, EndsAtOnceWithSlurmsErrorWhereWaitingCannotHelp) {
  slurm("looks", "fatal\n");
  expect_failure(on_slurm(), kExitSlurm, {"fatal: Could not establish a configuration source", "SLURM_CONF"});
  EXPECT_EQ(said("looks"), "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "slurm commands/submitted"));
}

TEST_F(CliSlurm, SaysAtOnceThatSqueueFails) {
  slurm("looks", "fail\n");
  const Outcome outcome = on_slurm();
  expect_whole(outcome);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Unable to contact slurm controller"), HasSubstr("trying again")));
}

TEST_F(CliSlurm, SaysWhenTasksAreHeld) {
  slurm("looks", "PENDING|Resources\nREQUEUE_HOLD|launch failed requeued held\nPENDING|JobHeldUser\n");
  const Outcome outcome = on_slurm();
  expect_whole(outcome);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("launch failed requeued held"), HasSubstr("scontrol release")));
}

// Written on a machine without Slurm, submitted by hand elsewhere, then collected.
TEST_F(CliSlurm, WithoutSubmittingItWritesAScript) {
  Surroundings bare = surroundings_;
  bare.environment.clear();
  const std::vector<std::string> words =
      compare({"--slurm", "on slurm", "--tasks", "2", "-o", "there.csv", "--report", "there.html", "--no-submit"});
  const Outcome written = dfrs_sim(words, bare);
  const std::string script = folder_ / "on slurm/run-1/script";
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("sbatch " + script + "\n"));
  EXPECT_EQ(submissions(), 0U);
  for (const char* task : {"1", "2"}) {
    ASSERT_EQ(std::system(("SLURM_ARRAY_TASK_ID=" + std::string(task) + " sh '" + script + "'").c_str()), 0);
  }
  expect_whole(dfrs_sim(words, bare));
}

TEST_F(CliSlurm, MoreAlgorithmsMayBeAdded) {
  EXPECT_EQ(on_slurm().exit_code, 0);
  const std::vector<std::string> words = compare({"-a", "FCFS", "--slurm", "on slurm", "--tasks", "1"});
  const Outcome more = dfrs_sim(words, surroundings_);
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_EQ(file_bytes(folder_ / "on slurm/run-2/plan"), "2,5,8\n");
}

TEST_F(CliSlurm, ErrorsSayWhatToDo) {
  slurm("refuse", "invalid partition specified: nights");
  expect_failure(on_slurm(), kExitSlurm, {"run-1/script", "invalid partition specified: nights", "--partition"});
  std::filesystem::remove(folder_ / "slurm commands/refuse");
  slurm("looks", "fail\n");
  expect_failure(on_slurm({"--no-wait"}), kExitSlurm, {"Unable to contact slurm controller"});
  EXPECT_EQ(submissions(), 0U);

  Surroundings bare = surroundings_;
  bare.environment = {"PATH=/nowhere"};
  expect_failure(dfrs_sim(compare({"--slurm", "x"}), bare), kExitSlurm, {"squeue", "PATH", "--no-submit"});

  expect_failure(run({"--slurm", "a%b"}), kExitUsage, {"a%b", "--slurm"});
  expect_failure(run({"--slurm", "x", "--sbatch=--array=1"}), kExitUsage, {"--array"});
  expect_failure(run({"--slurm", "x", "--sbatch=-Mother"}), kExitUsage, {"--clusters"});
  expect_failure(run({"--slurm", "x", "--sbatch=mem"}), kExitUsage, {"'mem'"});
  expect_failure(run({"--slurm", "x", "--store", "s.db"}), kExitUsage, {"--store"});
  expect_failure(run({"--partition", "p"}), kExitUsage, {"--slurm"});
  expect_failure(run({"--only", "0"}), kExitUsage, {"--store"});
  expect_failure(run({"--only", "6", "--store", "s.db"}), kExitUsage, {"6 simulations"});
  expect_failure(dfrs_sim({"compare", "-", "--slurm", "x"}, surroundings_), kExitUsage, {"standard input", "file"});
  // The nodes see another file of that name: their results are rejected.
  EXPECT_EQ(on_slurm({"--no-wait"}).exit_code, 0);
  std::filesystem::remove(folder_ / "on slurm/results.db");
  folder_.write("it's 1.dfrs", small_trace());
  expect_failure(on_slurm(), kExitUsage, {"part-1.db", "other instances"});
}

}  // namespace
}  // namespace dfrs::sim
