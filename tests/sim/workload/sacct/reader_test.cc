// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of sacct to jobs: a case for each quirk of its output, read by hand.
#include "sim/workload/sacct/reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/workload/sacct/table.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kHead =
    "JobID|JobIDRaw|User|Partition|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NTasks|AllocCPUS|ReqMem|AllocTRES|"
    "MaxRSS|TotalCPU|NodeList\n";

std::string rows(std::initializer_list<const char*> lines) {
  std::string text = kHead;
  for (const char* line : lines) text += std::string(line) + "\n";
  return text;
}

SacctLog read(const std::string& text, bool lenient = false) { return or_throw(parse_sacct(text, "acct", {lenient})); }
std::string refusal(const std::string& text) { return message_of(kExitInput, parse_sacct(text, "acct")); }
std::size_t skipped(const SacctLog& log, const std::string& reason) {
  for (const ReadNote& note : log.report.skipped) {
    if (note.reason.find(reason) != std::string::npos) return note.count;
  }
  return 0;
}

constexpr const char* kJob12 =
    "12|12|ann|batch|COMPLETED|2026-10-01T08:00:00|2026-10-01T08:01:00|2026-10-01T09:01:00|01:00:00|1-00:00:00|2||8||"
    "billing=8,cpu=8,mem=16G,node=2||04:00:00|n[1-2]";

TEST(SacctReader, StepsAreFoldedIntoTheirJob) {
  const SacctLog log = read(rows({kJob12,
                                  "12.batch|12.batch|||COMPLETED|2026-10-01T08:01:00|2026-10-01T08:01:00|"
                                  "2026-10-01T09:01:00|01:00:00||1|1|4|||100M|00:10:00|n1",
                                  "12.extern|12.extern|||COMPLETED|2026-10-01T08:01:00|2026-10-01T08:01:00|"
                                  "2026-10-01T09:01:00|01:00:00||2|2|8|||2000M|00:00:00|n[1-2]",
                                  "12.0|12.0|||COMPLETED|2026-10-01T08:01:00|2026-10-01T08:01:00|"
                                  "2026-10-01T09:01:00|00:50:00||2|8|8|||1048576K|03:50:00|n[1-2]"}));
  ASSERT_EQ(log.jobs.size(), 1U);
  const SacctJob& job = log.jobs[0];
  EXPECT_EQ(job.number, 12);
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.state, "COMPLETED");
  EXPECT_EQ(job.start - job.submit, 60);
  EXPECT_EQ(job.run_time, 3600);
  EXPECT_EQ(job.limit_kind, LimitKind::kTime);
  EXPECT_EQ(job.limit, 86400);
  EXPECT_EQ(job.cpus, 8);
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.tasks, 8);  // of step 0: batch and extern are no steps of srun
  EXPECT_EQ(job.requested_mib, 16 * 1024);
  EXPECT_EQ(job.used_mib, 8 * 1024);  // 8 tasks of 1 GiB, more than extern's 2 x 2000 MiB
  EXPECT_EQ(job.cpu_time, 4 * 3600);  // of the job's own line
  EXPECT_EQ(log.report.records, 1U);
}

TEST(SacctReader, WithoutAJobsOwnCpuTimeThatOfItsStepsIsTaken) {
  const SacctLog log = read(
      "JobID|State|Submit|Start|Elapsed|AllocCPUS|UserCPU|SystemCPU\n"
      "5|COMPLETED|1700000000|1700000010|00:01:40|2||\n"
      "5.batch|COMPLETED|1700000010|1700000010|00:01:40|2|00:30.500|00:01.500\n"
      "5.0|COMPLETED|1700000010|1700000010|00:01:00|2|01:00:00|00:00:08\n");
  EXPECT_DOUBLE_EQ(log.jobs.at(0).cpu_time, 32 + 3608);
}

TEST(SacctReader, AnyOrderOfColumnsParsableOrNotAndOtherDelimiters) {
  const SacctLog log = read(
      "state|alloccpus|JOBID|Submit|Start|ElapsedRaw|JobName|\n"
      "COMPLETED|2K|7|1700000000|1700000005|50|a|b|\n"
      "TIMEOUT|4|8|1700000001|1700000006|60|c|\n");
  ASSERT_EQ(log.jobs.size(), 2U);
  EXPECT_EQ(log.jobs[0].cpus, 2048);  // sacct shortens
  EXPECT_EQ(log.jobs[0].run_time, 50);
  EXPECT_EQ(log.jobs[1].state, "TIMEOUT");
  const SacctLog tabs = read(
      "JobID\tState\tSubmit\tStart\tElapsed\tNCPUS\tNodeList\r\n"
      "7\tFAILED\t1700000000\t1700000005\t00:00:50\t3\t\r\n");
  EXPECT_EQ(tabs.jobs.at(0).cpus, 3);
}

TEST(SacctReader, LeavesOutWhatDidNotRunToItsEndAndSaysSo) {
  const SacctLog log = read(rows({
      kJob12,
      "13|13|ann|batch|PENDING|2026-10-01T08:00:00|Unknown|Unknown|00:00:00|01:00:00|1||0|4G|||00:00:00|None assigned",
      "14|14|ann|batch|RUNNING|2026-10-01T08:00:00|2026-10-01T08:00:00|Unknown|01:00:00|UNLIMITED|1||4||cpu=4,mem=4G|||"
      "n1",
      "14.batch|14.batch|||RUNNING|2026-10-01T08:00:00|2026-10-01T08:00:00|Unknown|01:00:00||1|1|4||||00:00:00|n1",
      "15|15|ann|batch|CANCELLED by 1000|2026-10-01T08:00:00|None|2026-10-01T08:10:00|00:00:00|01:00:00|1||0|4G|||"
      "00:00:00|None assigned",
      // Older versions give a start; no CPU was ever allocated.
      "16|16|ann|batch|CANCELLED by "
      "0|2026-10-01T08:00:00|2026-10-01T08:10:00|2026-10-01T08:10:00|00:00:00|01:00:00|1||0|"
      "4G|||00:00:00|None assigned",
      "17_[1-5%2]|17|ann|batch|PENDING|2026-10-01T08:00:00|Unknown|Unknown|00:00:00|01:00:00|1||1|4G|||00:00:00|None "
      "assigned",
      // Cancelled while it ran: it used the machine.
      "18|18|ann|batch|CANCELLED by "
      "1000|2026-10-01T08:00:00|2026-10-01T08:01:00|2026-10-01T08:11:00|00:10:00|01:00:00|1||"
      "4||cpu=4,mem=4G,node=1|||n1",
  }));
  ASSERT_EQ(log.jobs.size(), 2U);
  EXPECT_EQ(log.jobs[1].number, 18);
  EXPECT_EQ(log.jobs[1].state, "CANCELLED");
  EXPECT_EQ(skipped(log, "had not started"), 2U);
  EXPECT_EQ(skipped(log, "had not ended"), 1U);
  EXPECT_EQ(skipped(log, "never started"), 2U);
  EXPECT_EQ(log.jobs.size() + log.report.skipped_count(), log.report.records);
}

TEST(SacctReader, RunsOfARequeuedJobAreOneJob) {
  const SacctLog log = read(rows({
      "20|20|ann|batch|REQUEUED|2026-10-01T08:00:00|2026-10-01T08:00:10|2026-10-01T08:30:10|00:30:00|02:00:00|1||4||"
      "cpu=4,mem=4G,node=1|||n1",
      "20.batch|20.batch|||CANCELLED|2026-10-01T08:00:10|2026-10-01T08:00:10|2026-10-01T08:30:10|00:30:00||1|1|4|||"
      "900M||n1",
      "20|20|ann|batch|NODE_FAIL|2026-10-01T08:30:10|2026-10-01T08:32:20|2026-10-01T08:42:20|00:10:00|02:00:00|1||4||"
      "cpu=4,mem=4G,node=1|||n2",
      "20|20|ann|batch|COMPLETED|2026-10-01T08:42:21|2026-10-01T08:45:00|2026-10-01T09:45:00|01:00:00|02:00:00|1||4||"
      "cpu=4,mem=4G,node=1|||n1",
  }));
  ASSERT_EQ(log.jobs.size(), 1U);
  const SacctJob& job = log.jobs[0];
  EXPECT_EQ(job.start - job.submit, 45 * 60);  // from the first submission to the last start
  EXPECT_EQ(job.run_time, 3600);
  EXPECT_EQ(job.lost_runs, 2U);
  EXPECT_EQ(job.lost_cpu_time, 4 * 2400);
  EXPECT_EQ(job.used_mib, -1);  // of the last run, of which nothing is known
  EXPECT_EQ(skipped(log, "requeued"), 2U);
  EXPECT_EQ(log.jobs.size() + log.report.skipped_count(), log.report.records);
}

TEST(SacctReader, ANumberUsedAgainIsAnotherJob) {
  const SacctLog log = read(rows({
      kJob12,
      "12|12|bob|batch|COMPLETED|2026-11-01T08:00:00|2026-11-01T08:01:00|2026-11-01T08:02:00|00:01:00|01:00:00|1||1||"
      "cpu=1,mem=1G,node=1|||n1",
  }));
  ASSERT_EQ(log.jobs.size(), 2U);
  EXPECT_EQ(log.jobs[0].number, 12);
  EXPECT_EQ(log.jobs[1].number, 13);
  EXPECT_EQ(log.jobs[1].user, "bob");
  EXPECT_EQ(log.jobs[1].lost_runs, 0U);
}

// The first run is not the job's last record when the second output repeats it.
TEST(SacctReader, OutputsThatOverlapRepeatAllRunsOfARequeuedJob) {
  const std::string runs =
      "21|21|ann|batch|NODE_FAIL|2026-10-01T08:00:00|2026-10-01T08:00:10|2026-10-01T09:00:10|01:00:00|02:00:00|1||4||"
      "cpu=4,mem=4G|||n1\n"
      "21|21|ann|batch|COMPLETED|2026-10-01T09:00:10|2026-10-01T09:02:10|2026-10-01T09:32:10|00:30:00|02:00:00|1||4||"
      "cpu=4,mem=4G|||n1\n";
  const SacctLog log = read(kHead + runs + kHead + runs);
  ASSERT_EQ(log.jobs.size(), 1U);
  EXPECT_EQ(log.jobs[0].run_time, 1800);
  EXPECT_EQ(log.jobs[0].lost_runs, 1U);
  EXPECT_EQ(skipped(log, "given twice"), 2U);
  EXPECT_EQ(skipped(log, "run of a job that was requeued"), 1U);
}

TEST(SacctReader, FilesPutTogetherGiveEachJobOnce) {
  const std::string running =
      "21|21|ann|batch|RUNNING|2026-10-01T08:00:00|2026-10-01T08:00:10|Unknown|00:30:00|02:00:00|1||4||cpu=4,mem=4G|||"
      "n1\n";
  const std::string ended =
      "21|21|ann|batch|COMPLETED|2026-10-01T08:00:00|2026-10-01T08:00:10|2026-10-01T09:00:10|01:00:00|02:00:00|1||4||"
      "cpu=4,mem=4G|||n1\n";
  const SacctLog log = read(kHead + running + kHead + ended + kHead + ended);
  ASSERT_EQ(log.jobs.size(), 1U);
  EXPECT_EQ(log.jobs[0].run_time, 3600);
  EXPECT_EQ(skipped(log, "seen before its end"), 1U);
  EXPECT_EQ(skipped(log, "given twice"), 1U);
}

TEST(SacctReader, ArrayTasksAndComponentsAreJobs) {
  const SacctLog log = read(
      "JobID|State|Submit|Start|Elapsed|AllocCPUS|NTasks\n"
      "30_1|COMPLETED|1700000000|1700000005|00:00:50|1|\n"
      "30_1.batch|COMPLETED|1700000005|1700000005|00:00:50|1|1\n"
      "30_2|COMPLETED|1700000000|1700000005|00:00:40|1|\n"
      "31+0|COMPLETED|1700000001|1700000006|00:00:30|2|\n"
      "31+1|COMPLETED|1700000001|1700000006|00:00:30|4|\n"
      "31+1.0|COMPLETED|1700000006|1700000006|00:00:30|4|4\n"
      "32|COMPLETED|1700000002|1700000007|00:00:30|1|\n");
  ASSERT_EQ(log.jobs.size(), 5U);
  EXPECT_EQ(log.jobs[4].number, 32);
  EXPECT_EQ(log.jobs[0].number, 33);  // "30_1" is no number: they count on from the largest
  EXPECT_EQ(log.jobs[3].number, 36);
  EXPECT_EQ(log.jobs[3].tasks, 4);
  EXPECT_EQ(log.jobs[2].tasks, 0);
}

TEST(SacctReader, MemoryOfOldVersionsIsPerCpuOrNode) {
  const auto requested = [](const char* memory) {
    return read(std::string(
                    "JobID|State|Submit|Start|Elapsed|AllocCPUS|NNodes|ReqMem\n1|COMPLETED|1700000000|1700000000|"
                    "00:00:50|8|2|") +
                memory + "\n")
        .jobs.at(0)
        .requested_mib;
  };
  EXPECT_EQ(requested("4000Mc"), 32000);
  EXPECT_EQ(requested("16Gn"), 2 * 16384);
  EXPECT_EQ(requested("16G"), 16384);
  EXPECT_EQ(requested("0n"), -1);
  EXPECT_EQ(requested("0?"), -1);
  EXPECT_EQ(requested(""), -1);
}

TEST(SacctReader, TimeLimits) {
  const auto limit = [](const char* text) {
    return read(
               std::string("JobID|State|Submit|Start|Elapsed|AllocCPUS|TimelimitRaw\n1|COMPLETED|1700000000|1700000000|"
                           "00:00:50|8|") +
               text + "\n")
        .jobs.at(0);
  };
  EXPECT_EQ(limit("90").limit, 5400);
  EXPECT_EQ(limit("UNLIMITED").limit_kind, LimitKind::kUnlimited);
  EXPECT_EQ(limit("Partition_Limit").limit_kind, LimitKind::kPartition);
  EXPECT_EQ(limit("").limit_kind, LimitKind::kUnknown);
}

TEST(SacctReader, RefusalsNameLineColumnAndWhatIsExpected) {
  const auto with = [](const char* line) { return refusal(rows({kJob12, line})); };
  EXPECT_THAT(
      with("13|13|ann|batch|COMPLETED|yesterday|2026-10-01T08:01:00|2026-10-01T09:01:00|01:00:00|1|2||8||||04:00|n1"),
      AllOf(HasSubstr("acct:3:"), HasSubstr("column Submit: 'yesterday', expected a time")));
  EXPECT_THAT(
      with("13|13|ann|batch|COMPLETED|2026-10-01T08:00:00|2026-10-01T08:01:00|2026-10-01T09:01:00|1 hour|1|2||8||||"
           "04:00|n1"),
      HasSubstr("column Elapsed: '1 hour', expected a duration"));
  EXPECT_THAT(
      with("13|13|ann|batch|COMPLETED|2026-10-01T08:00:00|2026-10-01T08:01:00|2026-10-01T09:01:00|01:00:00||2||-8||||"
           "04:00|n1"),
      HasSubstr("column AllocCPUS: '-8', expected a whole number"));
  EXPECT_THAT(with("13|13|ann|batch|COMPLETED|2026-10-01T08:00:00"),
              HasSubstr("6 columns, but the header line names 18"));
  EXPECT_THAT(with("total|13|ann|batch|COMPLETED|2026-10-01T08:00:00|||||||||||| "),
              HasSubstr("column JobID: 'total'"));
  EXPECT_THAT(
      with("13|13|ann|batch|COMPLETED|2026-10-01T08:00:00|2026-10-01T08:01:00|2026-10-01T09:01:00|01:00:00||2||8||"
           "cpu=8,mem=lots|||n1"),
      HasSubstr("column AllocTRES"));
  EXPECT_THAT(refusal(""), AllOf(HasSubstr("acct: empty"), HasSubstr("sacct --allusers")));
  EXPECT_THAT(refusal("JobID|State\n1|COMPLETED\n"),
              AllOf(HasSubstr("columns missing: Submit, Start"), HasSubstr("AllocCPUS or NCPUS or AllocTRES")));
  EXPECT_THAT(refusal("12|12|ann|COMPLETED\n"), HasSubstr("expected sacct's header line"));
  EXPECT_THAT(refusal("       JobID    JobName  Partition\n------------ ---------- ----------\n"),
              HasSubstr("--parsable2 is missing"));
  EXPECT_THAT(refusal(rows({"13|13|a|b|PENDING|2026-10-01T08:00:00|Unknown|Unknown|00:00:00||1||0||||||"})),
              HasSubstr("header line names"));
  EXPECT_THAT(refusal(rows({"13|13|a|b|PENDING|2026-10-01T08:00:00|Unknown|Unknown|00:00:00||1||0|||||"})),
              HasSubstr("no job that ran to its end: 1 x had not started"));
}

TEST(SacctReader, LenientCountsMalformedLines) {
  const SacctLog log = read(rows({kJob12, "13|13|half a line", "14.0|||"}), true);
  EXPECT_EQ(log.jobs.size(), 1U);
  EXPECT_EQ(skipped(log, "malformed"), 2U);
  EXPECT_EQ(log.jobs.size() + log.report.skipped_count(), log.report.records);
}

TEST(SacctTable, IsRecognisedByItsHeaderLine) {
  EXPECT_TRUE(is_sacct_text(kHead));
  EXPECT_TRUE(is_sacct_text("\n\xEF\xBB\xBFJobIDRaw|State|\n"));
  EXPECT_FALSE(is_sacct_text("; dfrs-trace: 1\n"));
  EXPECT_FALSE(is_sacct_text("; MaxProcs: 4\n1 0 0 1 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"));
  EXPECT_FALSE(is_sacct_text("JobID JobName\n"));
  EXPECT_FALSE(is_sacct_text(""));
}

// A job that salloc or srun made has no step of a batch script. Without steps nobody can tell.
TEST(SacctReader, InteractiveJobsHaveStepsAndNoScript) {
  const auto interactive = [](const std::vector<std::string>& steps) {
    std::string text = std::string(kHead) + kJob12 + "\n";
    for (const std::string& step : steps) {
      text += fmt::format(
          "12.{0}|12.{0}|||COMPLETED|2026-10-01T08:01:00|2026-10-01T08:01:00|2026-10-01T09:01:00|"
          "01:00:00||1|1|4|||100M|00:10:00|n1\n",
          step);
    }
    return read(text).jobs.at(0).interactive;
  };
  EXPECT_TRUE(interactive({"extern", "0"}));
  EXPECT_TRUE(interactive({"interactive", "extern", "0"}));
  EXPECT_FALSE(interactive({"batch", "extern", "0"}));
  EXPECT_FALSE(interactive({"extern"}));
  EXPECT_FALSE(interactive({}));
}

TEST(SacctReader, TheMarkIsAWordOfTheComment) {
  EXPECT_TRUE(has_checkpoint_mark("dfrs:checkpoint"));
  EXPECT_TRUE(has_checkpoint_mark("for Ann, dfrs:checkpoint | then"));
  EXPECT_FALSE(has_checkpoint_mark("dfrs:checkpoints"));
  EXPECT_FALSE(has_checkpoint_mark(""));
}

}  // namespace
}  // namespace dfrs::sim
