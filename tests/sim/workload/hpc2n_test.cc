// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/hpc2n.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/errors.h"
#include "sim/io/input_source.h"
#include "sim/workload/swf_stream.h"
#include "sim/workload/weeks.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

constexpr double kGb = 2097152;  // KB of a node

struct Annotated {
  int tasks;
  double cpu_need;
  RigidAmount memory;

  friend bool operator==(const Annotated&, const Annotated&) = default;
};

Annotated hpc2n(int processors, double memory_kb) {
  const AnnotatedTasks tasks = annotate(processors, memory_kb, {});
  return {tasks.tasks, tasks.cpu_need, rounded_memory(tasks.memory, 2048)};
}

TEST(Hpc2nAnnotation, EvenProcessorsWithLittleMemoryAreDualCoreTasks) {
  EXPECT_EQ(hpc2n(8, 0.3 * kGb), (Annotated{4, 1.0, 1229}));  // 0.6 x 2048 = 1228.8
  EXPECT_EQ(hpc2n(2, 512 * 1024), (Annotated{1, 1.0, 1024}));
}

TEST(Hpc2nAnnotation, OddProcessorsAreSingleCoreTasks) {
  EXPECT_EQ(hpc2n(7, 512 * 1024), (Annotated{7, 0.5, 512}));
  EXPECT_EQ(hpc2n(1, 0.9 * kGb), (Annotated{1, 0.5, 1843}));  // 1843.2
}

TEST(Hpc2nAnnotation, HalfTheMemoryOrMoreForbidsDualCoreTasks) {
  EXPECT_EQ(hpc2n(4, 0.5 * kGb), (Annotated{4, 0.5, 1024}));
  EXPECT_EQ(hpc2n(4, 0.5 * kGb - 1), (Annotated{2, 1.0, 2048}));
  EXPECT_EQ(hpc2n(4, 0.75 * kGb), (Annotated{4, 0.5, 1536}));
}

TEST(Hpc2nAnnotation, TheLeastMemoryIsATenth) {
  EXPECT_EQ(hpc2n(3, 0), (Annotated{3, 0.5, 204}));  // ten of them fit on 2048 MiB, 205 would allow nine
  EXPECT_EQ(hpc2n(3, 0.09 * kGb), (Annotated{3, 0.5, 204}));
  EXPECT_EQ(hpc2n(4, 0), (Annotated{2, 1.0, 409}));  // five fit (409.6 exactly), 410 would allow four
  EXPECT_EQ(hpc2n(3, 0.11 * kGb), (Annotated{3, 0.5, 225}));
}

TEST(Hpc2nAnnotation, OtherMachinesHaveTheirOwnCoresAndMemory) {
  MemoryAnnotation quad;
  quad.cores = 4;
  quad.memory_mib = 8192;
  // 1 GiB of 8 per processor: four of them take 4 GiB.
  EXPECT_EQ(annotate(8, 1 << 20, quad).tasks, 2);
  EXPECT_EQ(annotate(8, 1 << 20, quad).memory.centi_kb, std::int64_t{400} << 20);
  // A quarter of the node per processor is no longer less than the node.
  EXPECT_EQ(annotate(8, 2 << 20, quad).tasks, 8);
  EXPECT_EQ(annotate(8, 2 << 20, quad).cpu_need, 0.25);
  EXPECT_EQ(annotate(6, 1 << 20, quad).tasks, 6);
}

RC_GTEST_PROP(Hpc2nRounding, KeepsHowManyTasksFit, ()) {
  const RigidAmount node = *rc::gen::inRange<RigidAmount>(512, 1 << 20);
  const std::int64_t node_exact = node * 100 * 1024;
  const std::int64_t exact = *rc::gen::inRange<std::int64_t>(node_exact / 20, node_exact + node_exact / 2);
  const RigidAmount mib = rounded_memory({exact}, node);
  RC_ASSERT(node / mib == node_exact / exact);
  RC_ASSERT(std::abs(static_cast<double>(mib) - static_cast<double>(exact) / 102400) <= 1.0);
}

constexpr const char* kRecord = "1 0 -1 100 -1 -1 -1 ";
constexpr const char* kRest = " 1 1 1 1 1 1 -1 -1\n";

TEST(Hpc2nInstance, TakesTheLargerOfUsedAndRequestedMemory) {
  const SwfLog log =
      or_throw(parse_swf("1 0 -1 100 -1 -1 524288 2 -1 629145 1 1 1 1 1 1 -1 -1\n"
                         "2 0 -1 100 -1 -1 629145 2 -1 524288 1 1 1 1 1 1 -1 -1\n",
                         "log"));
  const Instance instance = or_throw(annotated_instance(log, "x", {}, {})).instance;
  EXPECT_EQ(instance.platform, Platform::homogeneous(120, 2048));
  EXPECT_EQ(instance.jobs[0].rigid[kMemory], 1229);
  EXPECT_EQ(instance.jobs[1].rigid[kMemory], 1229);
}

TEST(Hpc2nInstance, RefusesWhatTheMachineCannotHold) {
  const auto message = [](const std::string& text, MemoryAnnotation options = {}) {
    return message_of(kExitInput, annotated_instance(or_throw(parse_swf(text, "log")), "x", {}, options));
  };
  EXPECT_EQ(message(kRecord + std::string("242 -1 -1") + kRest),
            "log:1: job 1 is larger than the machine: 242 processors, but the machine has 240; --lenient leaves such "
            "jobs out");
  EXPECT_EQ(message(kRecord + std::string("1 -1 2097153") + kRest),
            "log:1: job 1 is larger than the machine: 1 tasks of 2049 MiB each, but only 0 such tasks fit on the "
            "machine at once; --lenient leaves such jobs out");
  EXPECT_EQ(message(kRecord + std::string("122 -1 1500000") + kRest),
            "log:1: job 1 is larger than the machine: 122 tasks of 1465 MiB each, but only 120 such tasks fit on the "
            "machine at once; --lenient leaves such jobs out");
  EXPECT_EQ(message(kRecord + std::string("1 -1 9e15") + kRest).substr(0, 37), "log:1: job 1 is larger than the machi");
}

TEST(Hpc2nInstance, RefusesOptionsOutOfRange) {
  const SwfLog log = or_throw(parse_swf(kRecord + std::string("1 -1 -1") + kRest, "log"));
  const auto with = [&](auto change) {
    MemoryAnnotation options;
    change(options);
    return message_of(kExitUsage, annotated_instance(log, "x", {}, options));
  };
  EXPECT_EQ(with([](auto& o) { o.nodes = 0; }), "nodes: 0, expected 1 to 1000000");
  EXPECT_EQ(with([](auto& o) { o.cores = 0; }), "cores per node: 0, expected 1 to 1024");
  EXPECT_EQ(with([](auto& o) { o.memory_mib = 0; }), "memory per node: 0 MiB, expected 1 to 1000000000000");
  EXPECT_EQ(with([](auto& o) { o.min_memory_percent = 101; }), "least memory of a processor: 101 %, expected 0 to 100");
}

// RR-7659, section 5.3.1: 202,876 jobs, 2,142 of them without memory, 182 weeks.
TEST(Hpc2nLog, HasThePapersNumbers) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  const SwfLog log = or_throw(parse_swf(or_throw(read_text(path)), path));
  const SwfWorkload workload = or_throw(annotated_instance(log, "hpc2n", {}, {}));
  EXPECT_EQ(workload.instance.jobs.size(), 202876u);
  EXPECT_EQ(workload.report.skipped_count(), 0u);
  EXPECT_TRUE(workload.report.adjusted.empty());

  const Text text = or_throw(read_text(path));
  SwfStream records(text, path);  // one by one, they are the same
  const SwfWorkload straight = or_throw(annotated_instance(records, "hpc2n", {}, {}));
  EXPECT_TRUE(records.plain());
  EXPECT_EQ(straight.instance.jobs, workload.instance.jobs);
  EXPECT_EQ(straight.report.records, 202876u);

  ReadReport unused;
  std::size_t without_memory = 0;
  std::size_t distorted = 0;
  or_throw(each_simulated_job(log, {}, unused, [&](const SwfJob& job) {
    without_memory += job.memory_kb == 0 ? 1 : 0;
    const ExactMemory exact = annotate(job.processors, job.memory_kb, {}).memory;
    distorted += 2048 / rounded_memory(exact, 2048) != std::int64_t{2048} * 102400 / exact.centi_kb ? 1 : 0;
    return true;
  }));
  EXPECT_EQ(without_memory, 2142u);
  EXPECT_EQ(distorted, 0u);

  const std::vector<Instance> weeks = or_throw(split_weeks(workload.instance, "hpc2n"));
  ASSERT_EQ(weeks.size(), 182u);
  EXPECT_EQ(weeks[75].name, "hpc2n-week-075");
  std::size_t jobs = 0;
  for (const Instance& week : weeks) {
    jobs += week.jobs.size();
    for (const Job& job : week.jobs) {
      ASSERT_GE(job.submit, 0);
      ASSERT_LT(job.submit, kWeek);
    }
  }
  EXPECT_EQ(jobs, 202876u);
}

}  // namespace
}  // namespace dfrs::sim
