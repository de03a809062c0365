// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/swf.h"
#include "sim/workload/swf_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "sim/errors.h"
#include "sim/io/input_source.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Fields: job submit wait run procs cpu mem reqprocs reqtime reqmem status user group app queue partition prev think
constexpr const char* kLog =
    "; Version: 2.2\n"
    "; UnixStartTime: 1027839845\n"
    ";   MaxProcs:  64 (batch only)\n"
    "; MaxNodes: 32\n"
    "; Note: has : colons\n"
    "\n"
    "  1   0  10  100   4  99.5  2048   8  200 4096  1  1 1 -1 1 -1 -1 -1\n"
    "2 5.25 -1 300 16 -1 -1 -1 250 -1 0 2 1 -1 1 -1 1 20\r\n"
    "3\t7 0 0 1 0 -1 1 -1 -1 5 2 1 -1 1 -1 -1 -1";

std::string record(int job, int submit, int run, int procs) {
  return std::to_string(job) + " " + std::to_string(submit) + " -1 " + std::to_string(run) + " -1 -1 -1 " +
         std::to_string(procs) + " -1 -1 1 1 1 1 1 1 -1 -1\n";
}

std::vector<SwfJob> jobs_of(const SwfLog& log, const SwfConventions& conventions, ReadReport& report) {
  std::vector<SwfJob> jobs;
  or_throw(each_simulated_job(log, conventions, report, [&](const SwfJob& job) {
    jobs.push_back(job);
    return true;
  }));
  return jobs;
}

TEST(SwfReader, ReadsEveryField) {
  const SwfLog log = or_throw(parse_swf(kLog, "log"));
  ASSERT_EQ(log.records.size(), 3u);
  const SwfRecord& first = log.records[0];
  EXPECT_EQ(first.job, 1);
  EXPECT_EQ(first.submit, 0);
  EXPECT_EQ(first.wait, 10);
  EXPECT_EQ(first.run_time, 100);
  EXPECT_EQ(first.processors_allocated, 4);
  EXPECT_EQ(first.cpu_time, 99.5);
  EXPECT_EQ(first.memory_used, 2048);
  EXPECT_EQ(first.processors_requested, 8);
  EXPECT_EQ(first.time_requested, 200);
  EXPECT_EQ(first.memory_requested, 4096);
  EXPECT_EQ(first.status, 1);
  EXPECT_EQ(first.line, 7u);
  EXPECT_EQ(log.records[1].submit, 5.25);
  EXPECT_EQ(log.records[1].user, 2);
  EXPECT_EQ(log.records[1].preceding_job, 1);
  EXPECT_EQ(log.records[1].think_time, 20);
  EXPECT_EQ(log.records[2].status, 5);
  EXPECT_EQ(log.records[2].line, 9u);
  EXPECT_EQ(log.report.records, 3u);
  EXPECT_TRUE(log.report.skipped.empty());
}

TEST(SwfReader, ReadsTheHeader) {
  const SwfHeader header = or_throw(parse_swf(kLog, "log")).header;
  EXPECT_EQ(header.max_procs, 64);
  EXPECT_EQ(header.max_nodes, 32);
  EXPECT_EQ(header.unix_start_time, 1027839845);
  ASSERT_EQ(header.fields.size(), 5u);
  EXPECT_EQ(header.fields[4].name, "Note");
  EXPECT_EQ(header.fields[4].value, "has : colons");
}

struct Malformed {
  const char* line;
  const char* message;
};

class MalformedSwf : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSwf, NamesLineFieldAndExpectation) {
  const std::string text = "; comment\n" + record(1, 0, 10, 1) + GetParam().line + "\n" + record(9, 9, 10, 1);
  EXPECT_EQ(message_of(kExitInput, parse_swf(text, "a.swf")), std::string("a.swf:3: ") + GetParam().message);
  SwfReadOptions lenient;
  lenient.lenient = true;
  const SwfLog log = or_throw(parse_swf(text, "a.swf", lenient));
  EXPECT_EQ(log.records.size(), 2u);
  EXPECT_THAT(log.report.skipped, ElementsAre(ReadNote{"malformed line", 1, 3}));
  EXPECT_THAT(log.report.describe("a.swf"), ElementsAre("a.swf: 1 record skipped: malformed line (first: line 3)"));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, MalformedSwf,
    testing::Values(
        Malformed{"2 0 x1 3 4 5 6 7 8 9 1 1 1 1 1 1 -1 -1",
                  "field 3 (wait time) is 'x1', expected a number (-1 if unknown)"},
        Malformed{"2 0 1 3 4.5 5 6 7 8 9 1 1 1 1 1 1 -1 -1",
                  "field 5 (allocated processors) is '4.5', expected an integer (-1 if unknown)"},
        Malformed{"2 0 1 nan 4 5 6 7 8 9 1 1 1 1 1 1 -1 -1",
                  "field 4 (run time) is 'nan', expected a number (-1 if unknown)"},
        Malformed{"2 inf 1 3 4 5 6 7 8 9 1 1 1 1 1 1 -1 -1",
                  "field 2 (submit time) is 'inf', expected a number (-1 if unknown)"},
        Malformed{"2 0 1 3 4 5 6 3000000000 8 9 1 1 1 1 1 1 -1 -1",
                  "field 8 (requested processors) is '3000000000', which is out of range"},
        Malformed{"2 0 1 1e999 4 5 6 7 8 9 1 1 1 1 1 1 -1 -1", "field 4 (run time) is '1e999', which is out of range"},
        Malformed{"2 0 1 99999999999999999999 4 5 6 7 8 9 1 1 1 1 1 1 -1 -1",
                  "field 4 (run time) is '99999999999999999999', which is out of range"},
        Malformed{"2 0 1 3 4 5 6 7 8 9 1 1 1 1 1 1 -1", "17 fields, expected 18"},
        Malformed{"2 0 1 3 4 5 6 7 8 9 1 1 1 1 1 1 -1 -1 7", "more than 18 fields"},
        Malformed{"-", "field 1 (job number) is '-', expected an integer (-1 if unknown)"},
        Malformed{"2 0 1 12abc 4 5 6 7 8 9 1 1 1 1 1 1 -1 -1",
                  "field 4 (run time) is '12abc', expected a number (-1 if unknown)"},
        Malformed{"1 0 1 3 4 5 6 7 8 9 \x01\xffzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz 1 1 1 1 1 -1 -1",
                  "field 11 (status) is '\?\?zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...', expected an integer (-1 if "
                  "unknown)"}));

// Blanks, signs, lengths and line ends of any kind give the same record; where it is in the text does not matter.
TEST(SwfReader, ReadsEveryWayToWriteARecord) {
  const std::string wide(150, ' ');
  const std::vector<std::string> lines = {
      "12 345 -1 67.5 8 -1 90123456 4 600 123456789012 1 17 3 -1 2 0 11 -1",
      "  12    345 -1    67.5    8   -1  90123456 4  600 123456789012  1  17   3  -1 2  0 11 -1",
      "12\t345\t-1\t67.5\t8\t-1\t90123456\t4\t600\t123456789012\t1\t17\t3\t-1\t2\t0\t11\t-1",
      "12 345 -1 67.50 8 -1.0 90123456. 4 6e2 123456789012 1 17 3 -1 2 0 11 -1\t ",
      "00000012 0345.0 -01 67.5 8 -1 90123456 4 0600 000123456789012 1 17 3 -1 2 0 11 -1\r",
      " \t12 345 -1" + wide + "67.5 8 -1 90123456 4 600 123456789012 1 17 3 -1 2 0 11 -1"};
  const auto check = [](const SwfRecord& r, const std::string& where) {
    EXPECT_EQ(r.job, 12) << where;
    EXPECT_EQ(r.submit, 345) << where;
    EXPECT_EQ(r.run_time, 67.5) << where;
    EXPECT_EQ(r.processors_allocated, 8) << where;
    EXPECT_EQ(r.cpu_time, -1) << where;
    EXPECT_EQ(r.memory_used, 90123456) << where;
    EXPECT_EQ(r.processors_requested, 4) << where;
    EXPECT_EQ(r.time_requested, 600) << where;
    EXPECT_EQ(r.memory_requested, 123456789012) << where;
    EXPECT_EQ(r.status, 1) << where;
    EXPECT_EQ(r.user, 17) << where;
    EXPECT_EQ(r.queue, 2) << where;
  };
  const auto check_others = [](const SwfRecord& r, const std::string& where) {
    EXPECT_EQ(r.wait, -1) << where;
    EXPECT_EQ(r.group, 3) << where;
    EXPECT_EQ(r.application, -1) << where;
    EXPECT_EQ(r.partition, 0) << where;
    EXPECT_EQ(r.preceding_job, 11) << where;
    EXPECT_EQ(r.think_time, -1) << where;
  };
  for (const std::string& line : lines) {
    for (const std::string& before : {std::string(), std::string("; a comment\n\n")}) {
      for (const std::string& behind :
           {std::string(), std::string("\n"), std::string("\r\n; another comment"), "\n" + std::string(200, ' ')}) {
        const std::string text = before + line + behind;
        const std::string where = "'" + text + "'";
        const SwfLog log = or_throw(parse_swf(text, "log"));
        ASSERT_EQ(log.records.size(), 1u);
        check(log.records[0], where);
        check_others(log.records[0], where);
        EXPECT_EQ(log.records[0].line, before.empty() ? 1u : 3u);

        SwfStream records(text, "log");
        const SwfRecord* first = records.next();
        ASSERT_NE(first, nullptr) << where;
        check(*first, where);
        EXPECT_EQ(first->line, log.records[0].line);
        EXPECT_EQ(records.next(), nullptr) << where;
        EXPECT_EQ(records.plain(), behind.find(';') == std::string::npos) << where;
      }
    }
  }
}

TEST(SwfReader, RefusesATextWithoutRecords) {
  EXPECT_EQ(message_of(kExitInput, parse_swf("; MaxProcs: 4\n\n", "e.swf")),
            "e.swf: no job records; expected a log in the Standard Workload Format");
  EXPECT_EQ(code_of(parse_swf("", "e.swf")), kExitInput);
  SwfReadOptions lenient;
  lenient.lenient = true;
  EXPECT_EQ(message_of(kExitInput, parse_swf("a\nb\n", "e.swf", lenient)),
            "e.swf: no job records: all 2 lines are malformed");
}

TEST(SwfReader, SortsByTimeOfSubmissionAndSaysSo) {
  const SwfLog log =
      or_throw(parse_swf(record(1, 10, 1, 1) + record(2, 5, 1, 1) + record(3, 10, 1, 1) + record(4, 7, 1, 1), "log"));
  std::vector<std::int64_t> order;
  for (const SwfRecord& job : log.records) order.push_back(job.job);
  EXPECT_THAT(order, ElementsAre(2, 4, 1, 3));
  EXPECT_THAT(log.report.adjusted, ElementsAre(ReadNote{"out of the order of submission, sorted", 2, 2}));
}

TEST(SwfReader, RefusesAJobNumberUsedTwice) {
  const std::string text = record(5, 0, 1, 1) + record(4, 1, 1, 1) + record(5, 2, 7, 1);
  EXPECT_EQ(message_of(kExitInput, parse_swf(text, "log")), "log:3: job number 5 is already used by an earlier line");
  SwfReadOptions lenient;
  lenient.lenient = true;
  const SwfLog log = or_throw(parse_swf(text, "log", lenient));
  ASSERT_EQ(log.records.size(), 2u);
  EXPECT_EQ(log.records[0].run_time, 1);  // the first one stays
  EXPECT_EQ(log.report.skipped_count(), 1u);
}

TEST(SwfReader, AcceptsThePartsOfASwappedJob) {
  std::string part = record(5, 0, 1, 1);
  part.replace(part.find(" 1 1 1 1 1 1 -1"), 2, " 2");
  const SwfLog log = or_throw(parse_swf(record(5, 0, 10, 1) + part + part, "log"));
  ReadReport report;
  EXPECT_EQ(jobs_of(log, {}, report).size(), 1u);
  EXPECT_THAT(report.skipped, ElementsAre(ReadNote{"part of a job that has its own record (status 2 to 4)", 2, 2}));
}

// What simulated_job() makes of each record, and all that can be asked of the log.
void expect_alike(SwfRecords& a, SwfRecords& b) {
  EXPECT_EQ(a.source(), b.source());
  EXPECT_EQ(a.header().max_procs, b.header().max_procs);
  EXPECT_EQ(a.header().unix_start_time, b.header().unix_start_time);
  EXPECT_EQ(a.header().fields.size(), b.header().fields.size());
  EXPECT_GE(a.expected(), b.expected());
  SwfConventions conventions;
  conventions.estimates = SwfEstimates::kTrace;
  conventions.measured_cpu_need = true;
  conventions.weights = or_throw(parse_weights("user=2:0.5,queue=1:3"));
  const auto all = [&](SwfRecords& records, ReadReport& report) {
    std::vector<std::array<double, 9>> jobs;
    or_throw(each_simulated_job(records, conventions, report, [&](const SwfJob& job) {
      jobs.push_back({static_cast<double>(job.id), job.submit, static_cast<double>(job.processors), job.run_time,
                      job.estimate, job.memory_kb, job.weight, job.efficiency, static_cast<double>(job.line)});
      return true;
    }));
    return jobs;
  };
  ReadReport of_a, of_b;
  EXPECT_EQ(all(a, of_a), all(b, of_b));
  EXPECT_EQ(of_a.records, of_b.records);
  EXPECT_EQ(of_a.skipped, of_b.skipped);
  EXPECT_EQ(of_a.adjusted, of_b.adjusted);
}

TEST(SwfStream, AreThoseOfTheLog) {
  // Parts of jobs, and records without a number or a time of submission, are not part of the order.
  const std::string text = "; MaxProcs: 64\n;\n; UnixStartTime: 7\n" + record(3, 10, 5, 1) + "\n" +
                           record(-1, 10, 5, 1) + record(4, -1, 5, 1) +
                           "3 10 -1 5 -1 -1 -1 1 -1 -1 2 1 1 1 1 1 -1 -1\n" +
                           "5 10 -1 5.25 2 1.5 2048.5 -1 60 -1 1 2 1 1 1 1 -1 -1 \r\n" + record(1000000000, 11, 5, 0) +
                           record(1000000001, 12, 5, 2);
  SwfStream records(text, "log");
  const SwfLog log = or_throw(parse_swf(text, "log"));
  ASSERT_EQ(log.records.size(), 7u);
  SwfLogRecords expected(log);
  expect_alike(records, expected);
  EXPECT_TRUE(records.plain());
}

TEST(SwfStream, OfALongLogAreThoseOfTheLog) {
  std::string text = "; MaxProcs: 64\n";
  for (int k = 1; k < 5000; ++k) text += record(k, k / 3 * 10, k % 97, k % 13);
  SwfStream records(text, "log");
  const SwfLog log = or_throw(parse_swf(text, "log"));
  SwfLogRecords expected(log);
  expect_alike(records, expected);
  EXPECT_TRUE(records.plain());
}

TEST(SwfStream, EndWhereATextIsNotPlain) {
  const std::string good = "; MaxProcs: 4\n" + record(1, 5, 1, 1) + record(2, 5, 1, 1);
  const auto plain = [](const std::string& text, std::size_t expected) {
    SwfStream records(text, "log");
    std::size_t count = 0;
    while (records.next() != nullptr) ++count;
    EXPECT_EQ(count, expected) << text;
    return records.plain();
  };
  EXPECT_TRUE(plain(good, 2));
  EXPECT_TRUE(plain(good + "\n \n" + record(3, 6, 1, 1), 3));
  EXPECT_FALSE(plain(good + "; MaxNodes: 4\n" + record(3, 6, 1, 1), 2));
  EXPECT_FALSE(plain(good + "no record\n" + record(3, 6, 1, 1), 2));
  EXPECT_FALSE(plain(good + record(2, 6, 1, 1), 2));
  EXPECT_FALSE(plain(good + record(1, 6, 1, 1), 2));
  EXPECT_FALSE(plain(good + record(3, 4, 1, 1), 2));
  EXPECT_TRUE(plain("; nothing but comments\n", 0));
}

TEST(SwfJobs, SkipsWhatCannotBeSimulatedAndCountsIt) {
  const SwfLog log =
      or_throw(parse_swf(record(1, 0, -1, 4) + record(2, 0, 5, 0) + record(3, -1, 5, 1) + record(-1, 0, 5, 1) +
                             record(6, 0, 5, -1) + record(7, 1, 0, 3) + record(8, 1, 5, 1),
                         "log"));
  ReadReport report;
  const std::vector<SwfJob> jobs = jobs_of(log, {}, report);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].id, 7u);
  EXPECT_EQ(jobs[0].run_time, 0);
  EXPECT_EQ(jobs[0].processors, 3);
  EXPECT_THAT(report.skipped, testing::UnorderedElementsAre(ReadNote{"run time missing", 1, 1},
                                                            ReadNote{"number of processors missing or 0", 2, 2},
                                                            ReadNote{"submit time missing", 1, 3},
                                                            ReadNote{"job number missing", 1, 4}));
}

// -1 stands for a missing value; other negative times are wrong.
TEST(SwfJobs, ANegativeTimeIsNotCalledMissing) {
  const SwfLog log = or_throw(parse_swf(record(1, -100, 5, 1) + record(2, 0, -7, 1) + record(3, 1, 5, 1), "log"));
  ReadReport report;
  EXPECT_EQ(jobs_of(log, {}, report).size(), 1U);
  EXPECT_THAT(report.skipped, testing::UnorderedElementsAre(ReadNote{"submit time negative", 1, 1},
                                                            ReadNote{"run time negative", 1, 2}));
}

TEST(SwfJobs, FollowsTheConventions) {
  const SwfLog log = or_throw(parse_swf(kLog, "log"));
  ReadReport report;
  SwfConventions conventions;
  std::vector<SwfJob> jobs = jobs_of(log, conventions, report);
  EXPECT_EQ(jobs[0].processors, 8);
  EXPECT_EQ(jobs[1].processors, 16);  // field 8 is missing
  EXPECT_EQ(jobs[1].estimate, 300);
  EXPECT_EQ(jobs[0].memory_kb, 4096);
  EXPECT_EQ(jobs[1].memory_kb, 0);
  EXPECT_THAT(report.adjusted, ElementsAre(ReadNote{"requested processors missing, allocated ones taken", 1, 8}));

  conventions.processors = SwfProcessors::kAllocated;
  conventions.estimates = SwfEstimates::kTrace;
  report = {};
  jobs = jobs_of(log, conventions, report);
  EXPECT_EQ(jobs[0].processors, 4);
  EXPECT_EQ(jobs[0].estimate, 200);
  EXPECT_EQ(jobs[1].run_time, 300);
  EXPECT_EQ(jobs[1].estimate, 250);
  EXPECT_EQ(jobs[2].estimate, 0);  // field 9 is missing: the run time, 0
  EXPECT_THAT(report.adjusted, ElementsAre(ReadNote{"requested time missing, run time taken as the estimate", 1, 9}));

  conventions.kill_at_requested_time = true;
  report = {};
  jobs = jobs_of(log, conventions, report);
  EXPECT_EQ(jobs[0].run_time, 100);
  EXPECT_EQ(jobs[1].run_time, 250);
  EXPECT_EQ(report.adjusted.front(), (ReadNote{"run time cut at the requested time", 1, 8}));
}

TEST(SwfInstance, MakesATaskPerProcessor) {
  const SwfLog log = or_throw(parse_swf(kLog, "log"));
  const SwfWorkload workload = or_throw(swf_instance(log, "small", {}, {}));
  EXPECT_EQ(workload.instance.name, "small");
  EXPECT_EQ(workload.instance.platform, Platform::homogeneous(64, 0));
  ASSERT_EQ(workload.instance.jobs.size(), 3u);
  Job expected;
  expected.id = 1;
  expected.tasks = 8;
  expected.run_time = 100;
  expected.estimate = 100;
  expected.user = 1;
  EXPECT_EQ(workload.instance.jobs[0], expected);
}

TEST(SwfInstance, SharesNodesAmongCoresAndTakesMemory) {
  const SwfLog log = or_throw(parse_swf(kLog, "log"));
  SwfPlatformOptions options;
  options.cores = 4;
  options.memory_mib = 1024;
  const Instance instance = or_throw(swf_instance(log, "cores", {}, options)).instance;
  EXPECT_EQ(instance.platform, Platform::homogeneous(16, 1024));
  EXPECT_EQ(instance.jobs[0].cpu_need, 0.25);
  EXPECT_EQ(instance.jobs[0].rigid[kMemory], 4);  // 4096 KB
}

TEST(SwfInstance, RefusesAJobLargerThanTheMachine) {
  const SwfLog log = or_throw(parse_swf(record(1, 0, 5, 2) + record(2, 1, 5, 9), "log"));
  SwfPlatformOptions options;
  options.nodes = 4;
  options.cores = 2;
  EXPECT_EQ(
      message_of(kExitInput, swf_instance(log, "n", {}, options)),
      "log:2: job 2 is larger than the machine: 9 processors, but the machine has 8; --lenient leaves such jobs out");
  options.lenient = true;
  const SwfWorkload workload = or_throw(swf_instance(log, "n", {}, options));
  EXPECT_EQ(workload.instance.jobs.size(), 1u);
  EXPECT_THAT(workload.report.skipped, ElementsAre(ReadNote{"larger than the machine", 1, 2}));
  options.nodes = 0;
  EXPECT_THAT(message_of(kExitUsage, swf_instance(log, "n", {}, options)), HasSubstr("give the number of nodes"));
  options.nodes = 1;
  options.cores = 1;
  EXPECT_EQ(message_of(kExitInput, swf_instance(log, "n", {}, options)),
            "log: every job is larger than the machine of 1 node");
}

TEST(SwfInstance, RoundsTheHeadersProcessorsUpToNodes) {
  const auto nodes = [](const std::string& max_procs, int cores) {
    const SwfLog log = or_throw(parse_swf("; MaxProcs: " + max_procs + "\n" + record(1, 0, 5, 1), "log"));
    SwfPlatformOptions options;
    options.cores = cores;
    return swf_instance(log, "n", {}, options).map([](const SwfWorkload& workload) {
      return workload.instance.platform.nodes.size();
    });
  };
  EXPECT_EQ(or_throw(nodes("7", 1)), 7u);
  EXPECT_EQ(or_throw(nodes("7", 2)), 4u);
  EXPECT_EQ(or_throw(nodes("8", 2)), 4u);
  // The largest number there is: out of range, but no overflow before that is found.
  EXPECT_THAT(message_of(kExitInput, nodes("9223372036854775807", 2)),
              HasSubstr("makes 4611686018427387904 nodes, expected 1 to 1000000"));
}

// Counts of the published logs, as the Parallel Workloads Archive gives them.
TEST(SwfLogs, HaveTheArchivesNumbersOfJobs) {
  DFRS_TRACE_OR_SKIP(kth, "KTH-SP2-1996-2.1-cln.swf.gz");
  EXPECT_EQ(or_throw(parse_swf(or_throw(read_text(kth)), kth)).records.size(), 28475u);
  const std::string ctc = trace_path("CTC-SP2-1996-3.1-cln.swf.gz");
  const SwfLog log = or_throw(parse_swf(or_throw(read_text(ctc)), ctc));
  EXPECT_EQ(log.records.size(), 77222u);
  EXPECT_EQ(log.header.max_procs, 338);
  // CTC gives allocated processors only.
  const SwfWorkload workload = or_throw(swf_instance(log, "ctc", {}, {}));
  EXPECT_EQ(workload.report.adjusted.front().count, 77222u);
  EXPECT_EQ(workload.instance.platform.nodes.size(), 338u);
}

}  // namespace
}  // namespace dfrs::sim
