// SPDX-License-Identifier: GPL-2.0-or-later
// Accounting converted to instances and SWF, by hand; and what remains after anonymising.
#include "sim/workload/sacct/jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/errors.h"
#include "sim/workload/load.h"
#include "sim/workload/sacct/anonymise.h"
#include "sim/workload/swf_anonymise.h"
#include "sim/workload/swf_writer.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Jobs of a cluster of two nodes with 8 CPUs and 16 GiB each.
constexpr const char* kText =
    "JobID|JobIDRaw|User|Group|Account|QOS|Partition|State|Submit|Start|ElapsedRaw|TimelimitRaw|NNodes|NTasks|"
    "AllocCPUS|"
    "AllocTRES|MaxRSS|TotalCPU|NodeList|JobName\n"
    // Two nodes whole, 16 tasks of a CPU; 50 % busy.
    "101|101|ann|physics|p1|normal|big|COMPLETED|1700000000|1700000060|1000|60|2||16|cpu=16,mem=32G,node=2||02:13:20|n["
    "1-2]|x\n"
    "101.0|101.0||||||COMPLETED|1700000060|1700000060|1000||2|16|16|cpu=16|1G|02:13:20|n[1-2]|app\n"
    // A batch job of 4 threads; CPU time never gathered.
    "102|102|bob|physics|p1|normal|big|CANCELLED by 1001|1700000100|1700001060|100|UNLIMITED|1||4|cpu=4,mem=4G,node=1||"
    "00:00:00|n1|secret\n"
    "102.batch|102.batch||||||CANCELLED|1700001060|1700001060|100||1|1|4|cpu=4|512M|00:00:00|n1|batch\n"
    // 3 CPUs on two nodes: no equal tasks but one per CPU. Its limit is its partition's.
    "103|103|ann|physics|p1|high|small|FAILED|1700000200|1700001060|10|Partition_Limit|2||3|cpu=3,mem=3G,node=2||00:00:"
    "30|"
    "n[1-2]|y\n";

SacctLog log_of(const char* text = kText) { return or_throw(parse_sacct(text, "acct")); }

TEST(SacctJobs, ShapeIsTheLeastThatJobsShow) {
  const NodeShape shape = infer_shape(log_of());
  EXPECT_EQ(shape.nodes, 2);
  EXPECT_EQ(shape.cores, 8);
  EXPECT_EQ(shape.memory_mib, 16384);
  const NodeShape given = or_throw(machine_of(log_of(), {10, 0, 20000})).shape;
  EXPECT_EQ(given.nodes, 10);
  EXPECT_EQ(given.cores, 8);
  EXPECT_EQ(given.memory_mib, 20000);
  EXPECT_THAT(or_throw(describe_guess(log_of(), {10, 0, 0})),
              AllOf(HasSubstr("8 CPUs per node, 16384 MiB per node"), HasSubstr("--cores, --memory")));
  EXPECT_EQ(or_throw(describe_guess(log_of(), {10, 8, 20000})), "");
  const char* const nameless =
      "JobID|State|Submit|Start|Elapsed|AllocCPUS\n1|COMPLETED|1700000000|1700000000|00:01:00|4\n";
  EXPECT_THAT(message_of(kExitUsage, machine_of(log_of(nameless), {})),
              AllOf(HasSubstr("NodeList"), HasSubstr("--nodes N")));
}

TEST(SacctJobs, InstanceByHand) {
  const SwfWorkload workload = or_throw(sacct_instance(log_of(), "test", {}));
  const Instance& instance = workload.instance;
  ASSERT_EQ(instance.jobs.size(), 3U);
  EXPECT_EQ(instance.platform, Platform::homogeneous(2, 16384));
  const Job& first = instance.jobs[0];
  EXPECT_EQ(first.id, 101U);
  EXPECT_EQ(first.submit, 0);
  EXPECT_EQ(first.tasks, 16);
  EXPECT_DOUBLE_EQ(first.cpu_need, 1.0 / 8 * 0.5);  // 8000 s of 16,000
  EXPECT_EQ(first.rigid[kMemory], 2048);
  EXPECT_EQ(first.run_time, 1000);
  EXPECT_EQ(first.estimate, 3600);
  const Job& second = instance.jobs[1];
  EXPECT_EQ(second.submit, 100);
  EXPECT_EQ(second.tasks, 1);
  EXPECT_DOUBLE_EQ(second.cpu_need, 0.5);  // CPU time 0 is not known
  EXPECT_EQ(second.rigid[kMemory], 4096);
  EXPECT_EQ(second.estimate, 365 * 86400);
  const Job& third = instance.jobs[2];
  EXPECT_EQ(third.tasks, 3);
  EXPECT_DOUBLE_EQ(third.cpu_need, 0.125);
  EXPECT_EQ(third.rigid[kMemory], 1024);
  EXPECT_EQ(third.estimate, 3600);  // the longest known of all
}

TEST(SacctJobs, OptionsSayWhatCountsAsNeed) {
  SacctOptions options;
  options.cpu_need = CpuNeed::kAllocated;
  options.memory_need = MemoryNeed::kUsed;
  options.estimates = SwfEstimates::kExact;
  const Instance used = or_throw(sacct_instance(log_of(), "test", options)).instance;
  EXPECT_DOUBLE_EQ(used.jobs[0].cpu_need, 0.125);
  EXPECT_EQ(used.jobs[0].rigid[kMemory], 1024);
  EXPECT_EQ(used.jobs[1].rigid[kMemory], 512);
  EXPECT_EQ(used.jobs[2].rigid[kMemory], 1024);  // use not known: the request
  EXPECT_EQ(used.jobs[0].estimate, 1000);
  options.memory_need = MemoryNeed::kLarger;
  EXPECT_EQ(or_throw(sacct_instance(log_of(), "test", options)).instance.jobs[1].rigid[kMemory], 4096);
}

TEST(SacctJobs, AJobLargerThanTheMachineIsAnErrorOrCounted) {
  SacctOptions options;
  options.shape = {1, 8, 16384};
  EXPECT_THAT(message_of(kExitInput, sacct_instance(log_of(), "test", options)),
              HasSubstr("acct:2: job 101 is larger than the machine: 16 CPUs, but the machine has 8"));
  options.lenient = true;
  const SwfWorkload workload = or_throw(sacct_instance(log_of(), "test", options));
  EXPECT_EQ(workload.instance.jobs.size(), 2U);
  EXPECT_EQ(workload.report.skipped_count(), 1U);
}

TEST(SacctJobs, Tasks) {
  SacctJob job;
  const auto shape = [&](int cpus, int nodes, int tasks) {
    job.cpus = cpus;
    job.nodes = nodes;
    job.tasks = tasks;
    const TaskShape s = task_shape(job, 8);
    return std::pair(s.tasks, s.cpus);
  };
  EXPECT_EQ(shape(16, 2, 16), std::pair(16, 1));
  EXPECT_EQ(shape(16, 2, 4), std::pair(4, 4));
  EXPECT_EQ(shape(16, 2, 0), std::pair(2, 8));
  EXPECT_EQ(shape(16, 2, 1), std::pair(2, 8));  // one step on a part of the job
  EXPECT_EQ(shape(16, 2, 5), std::pair(2, 8));  // 16 CPUs do not divide into 5 tasks
  EXPECT_EQ(shape(3, 2, 0), std::pair(3, 1));
  EXPECT_EQ(shape(4, 1, 64), std::pair(4, 1));   // more tasks than CPUs
  EXPECT_EQ(shape(12, 1, 1), std::pair(12, 1));  // 12 CPUs do not fit a node of 8
}

TEST(SacctJobs, Swf) {
  const SwfLog swf = sacct_swf(log_of(), {2, 8, 16384});
  const std::string text = format_swf(swf);
  EXPECT_THAT(text, AllOf(HasSubstr("; UnixStartTime: 1700000000\n"), HasSubstr("; MaxProcs: 16\n"),
                          HasSubstr("; Partition: 2 small\n"), HasSubstr("; StartTime: 2023-11-14T22:13:20\n")));
  // Job, submit, wait, run, CPUs, CPU time per CPU, KB used and ..., status, user, group, -, queue, partition.
  EXPECT_THAT(text, HasSubstr("\n101 0 60 1000 16 500 1048576 16 3600 2097152 1 1 1 -1 1 1 -1 -1\n"));
  EXPECT_THAT(text, HasSubstr("\n102 100 960 100 4 -1 131072 4 -1 1048576 5 2 1 -1 1 1 -1 -1\n"));
  EXPECT_THAT(text, HasSubstr("\n103 200 860 10 3 10 -1 3 -1 1048576 0 1 1 -1 2 2 -1 -1\n"));
  const SwfLog again = or_throw(parse_swf(text, "again"));
  EXPECT_EQ(format_swf(again), text);
}

TEST(SacctJobs, AreASourceLikeAnyOther) {
  const Loaded loaded = or_throw(load_instances_from_text(kText, "some/acct.sacct.gz"));
  EXPECT_TRUE(loaded.was_sacct);
  EXPECT_FALSE(loaded.was_swf);
  EXPECT_EQ(loaded.instances.at(0).name, "acct");
  EXPECT_EQ(loaded.instances.at(0).jobs.size(), 3U);
  EXPECT_EQ(loaded.first_submission, 1700000000);
  EXPECT_EQ(loaded.notes.size(), 1U);
}

TEST(SacctAnonymise, NamesGoAndJobsStay) {
  const std::string text = or_throw(anonymise_sacct(kText, "acct"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("ann")), Not(HasSubstr("physics")), Not(HasSubstr("secret")),
                          Not(HasSubstr("n1|")), Not(HasSubstr("1001")), Not(HasSubstr("app"))));
  EXPECT_THAT(text,
              AllOf(HasSubstr("\n1|1|user1|group1|account1|qos1|part1|COMPLETED|"), HasSubstr("|node1,node2|job1\n"),
                    HasSubstr("\n2.batch|2.batch|"), HasSubstr("CANCELLED by 1|"), HasSubstr("|batch\n")));
  const SacctLog before = log_of();
  const SacctLog after = or_throw(parse_sacct(text, "anonymous"));
  ASSERT_EQ(after.jobs.size(), before.jobs.size());
  const double moved = before.jobs[0].submit - after.jobs[0].submit;
  EXPECT_EQ(std::fmod(moved, 604800), 0);
  // The week that begins with 2001.
  EXPECT_GE(after.jobs[0].submit, 978307200);
  EXPECT_LT(after.jobs[0].submit, 978307200 + 604800);
  for (std::size_t k = 0; k < after.jobs.size(); ++k) {
    EXPECT_EQ(before.jobs[k].submit - after.jobs[k].submit, moved);
    EXPECT_EQ(before.jobs[k].run_time, after.jobs[k].run_time);
    EXPECT_EQ(before.jobs[k].cpus, after.jobs[k].cpus);
    EXPECT_EQ(before.jobs[k].used_mib, after.jobs[k].used_mib);
    EXPECT_EQ(before.jobs[k].cpu_time, after.jobs[k].cpu_time);
    EXPECT_EQ(before.jobs[k].number - 100, after.jobs[k].number);
  }
  EXPECT_EQ(or_throw(anonymise_sacct(text, "again")), text);
}

TEST(SacctAnonymise, WhatIsNotKnownIsDropped) {
  const std::string text = or_throw(anonymise_sacct(
      "JobID|State|WorkDir|AllocTRES|Shoe|Submit\n7|COMPLETED|/home/ann|cpu=1,license/cad=2,gres/gpu=1|42|1700000000\n",
      "a"));
  EXPECT_EQ(text,
            "JobID|State|WorkDir|AllocTRES|Shoe|Submit\n1|COMPLETED||cpu=1,license/licence1=2,gres/gpu=1||978473600\n");
}

TEST(SwfAnonymise, NumbersStartFromOne) {
  SwfLog log = or_throw(
      parse_swf("; Installation: Somewhere\n; MaxProcs: 8 (batch)\n; UnixStartTime: 1700000000\n"
                "70 5 1 10 2 -1 -1 2 20 -1 1 900 50 7 3 1 -1 -1\n71 6 1 10 2 -1 -1 2 20 -1 1 901 50 -1 3 2 70 5\n",
                "log"));
  anonymise_swf(log);
  EXPECT_EQ(format_swf(log),
            "; MaxProcs: 8\n1 5 1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n2 6 1 10 2 -1 -1 2 20 -1 1 2 1 -1 1 2 1 5\n");
}

TEST(SwfJobs, CpuNeedAsMeasured) {
  const SwfLog log = or_throw(
      parse_swf("1 0 0 100 2 25 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 0 0 100 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                "3 0 0 100 2 400 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
                "log"));
  SwfConventions conventions;
  EXPECT_EQ(or_throw(swf_instance(log, "x", conventions, {.nodes = 4})).instance.jobs[0].cpu_need, 1);
  conventions.measured_cpu_need = true;
  const Instance measured = or_throw(swf_instance(log, "x", conventions, {.nodes = 4, .cores = 2})).instance;
  EXPECT_DOUBLE_EQ(measured.jobs[0].cpu_need, 0.125);
  EXPECT_DOUBLE_EQ(measured.jobs[1].cpu_need, 0.5);
  EXPECT_DOUBLE_EQ(measured.jobs[2].cpu_need, 0.5);  // no more than a processor
}

TEST(Anonymise, OfACommentOnlyTheMarkIsLeft) {
  EXPECT_EQ(or_throw(anonymise_sacct("JobID|State|Comment|Submit\n7|COMPLETED|Ann's | dfrs:checkpoint|1700000000\n"
                                     "8|COMPLETED|Ann's|1700000000\n",
                                     "acct")),
            "JobID|State|Comment|Submit\n1|COMPLETED|dfrs:checkpoint|978473600\n2|COMPLETED||978473600\n");
}

}  // namespace
}  // namespace dfrs::sim
