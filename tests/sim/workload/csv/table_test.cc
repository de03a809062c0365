// SPDX-License-Identifier: GPL-2.0-or-later
// Job tables as accounting: times, units and amounts computed by hand.
#include "sim/workload/csv/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/errors.h"
#include "sim/workload/csv/values.h"
#include "sim/workload/sacct/reader.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;

Result<SacctLog> try_read(const std::string& map, const std::string& table, bool lenient) {
  return parse_csv_map(map, "my.map")
      .and_then([&](const CsvMap& parsed) { return csv_to_sacct(table, "jobs.csv", parsed, lenient); })
      .and_then([](const CsvJobs& jobs) { return parse_sacct(jobs.sacct, "jobs.csv"); });
}
SacctLog read(const std::string& map, const std::string& table, bool lenient = false) {
  return or_throw(try_read(map, table, lenient));
}
SacctJob one(const std::string& map, const std::string& table) {
  const SacctLog log = read(map, table);
  EXPECT_EQ(log.jobs.size(), 1U);
  return log.jobs.front();
}
std::string refusal(const std::string& map, const std::string& table) {
  return message_of(kExitInput, try_read(map, table, false));
}

constexpr const char* kLeast = "submit = submit\nrun_time = run\ncpus = cpus\n";

TEST(CsvTable, ARowOfSlurmsFields) {
  const SacctJob job = one(
      "job = id\nuser = who\npartition = part\nstate = st\nsubmit = sub\nstart = begin\nend = finish\n"
      "limit = lim min\ncpus = c\nrequested_cpus = rc\nnodes = n\ntasks = t\nmemory = mem GiB per node\n"
      "used_memory = rss kB per task\ncpu_time = busy min\nnode_list = hosts\n",
      "id,who,part,st,sub,begin,finish,lim,c,rc,n,t,mem,rss,busy,hosts,other\n"
      "77,ann,\"a|b\",TIMEOUT,2024-05-01 10:00:00,2024-05-01T10:00:30Z,2024-05-01 13:00:45.5+02:00,90,8,6,2,4,1.5,2048,"
      "30,\"n[1-2]\",x\n");
  EXPECT_EQ(job.id, "77");
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.partition, "a?b");
  EXPECT_EQ(job.state, "TIMEOUT");
  EXPECT_EQ(job.submit, 1714557600);
  EXPECT_EQ(job.start - job.submit, 30);
  EXPECT_EQ(job.run_time, 3615.5);  // 11:00:45.5 UTC
  EXPECT_EQ(job.limit, 5400);
  EXPECT_EQ(job.cpus, 8);
  EXPECT_EQ(job.requested_cpus, 6);
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.tasks, 4);
  EXPECT_EQ(job.requested_mib, 3072);
  EXPECT_NEAR(job.used_mib, 4 * 2048000 / 1048576.0, 1e-3);
  EXPECT_EQ(job.cpu_time, 1800);
  EXPECT_EQ(job.nodes_used, "n[1-2]");
  EXPECT_EQ(job.line, 2U);
}

TEST(CsvTable, UnitsOfTime) {
  const auto times = [](const std::string& unit, const std::string& submit, const std::string& run) {
    return one("submit = submit " + unit + "\nrun_time = run " + unit + "\ncpus = cpus\n",
               "submit,run,cpus\n" + submit + "," + run + ",1\n");
  };
  EXPECT_EQ(times("s", "5", "7.25").submit, 5);
  EXPECT_EQ(times("s", "5", "7.25").run_time, 7.25);
  EXPECT_EQ(times("ms", "1700000000500", "1500").submit, 1700000000.5);
  EXPECT_EQ(times("ms", "1700000000500", "1500").run_time, 1.5);
  EXPECT_EQ(times("ns", "1700000000000000000", "43200000000000").submit, 1700000000);
  EXPECT_EQ(times("ns", "1700000000000000000", "43200000000000").run_time, 43200);
  EXPECT_EQ(times("ns", "1700000000000000000", "2 days 01:00:00").run_time, 176400);
  EXPECT_EQ(times("", "1700000000", "1-02:03:04").run_time, 93784);
  EXPECT_EQ(one("submit = a\nrun_time = b h\ncpus = '2'\n", "a,b\n2024-01-01 00:00:00,0.5\n").run_time, 1800);
}

TEST(CsvTable, Clocks) {
  EXPECT_EQ(parse_csv_clock("0 days 12:00:00.500000000"), 43200.5);
  EXPECT_EQ(parse_csv_clock("1 day, 0:00:01"), 86401);
  EXPECT_EQ(parse_csv_clock("12 hours"), std::nullopt);
  EXPECT_EQ(sacct_duration(93784.25), "26:03:04.250");
  EXPECT_EQ(sacct_instant(1700000000.9996), "2023-11-14T22:13:21");
}

TEST(CsvTable, AmountsPerTaskCpuAndNode) {
  // Half a CPU for each of three instances: a CPU each, which half is used.
  const SacctJob half =
      one("submit = s s\nrun_time = r\ntasks = n\ncpus = c * 0.01 per task\nmemory = m GiB per task\n",
          "s,r,n,c,m\n100,60,3,50,0.5\n");
  EXPECT_EQ(half.cpus, 3);
  EXPECT_EQ(half.tasks, 3);
  EXPECT_EQ(half.cpu_time, 90);
  EXPECT_EQ(half.requested_mib, 1536);
  const SacctJob spread =
      one("submit = s s\nrun_time = r\nnodes = n\ncpus = c per node\nmemory = m MB per cpu\n"
          "cpu_time = t per cpu\n",
          "s,r,n,c,m,t\n100,60,2,4,1048.576,45\n");
  EXPECT_EQ(spread.cpus, 8);
  EXPECT_EQ(spread.requested_mib, 8000);
  EXPECT_EQ(spread.cpu_time, 360);
  // As Slurm writes memory, with its own "per".
  EXPECT_EQ(one(std::string(kLeast) + "memory = m\n", "submit,run,cpus,m\n1700000000,1,4,500Mc\n").requested_mib, 2000);
  EXPECT_EQ(one(std::string(kLeast) + "memory = m\n", "submit,run,cpus,m\n1700000000,1,4,2G\n").requested_mib, 2048);
  // Without CPUs, a node counts as one.
  EXPECT_EQ(one("submit = s s\nrun_time = r\nnodes = n\n", "s,r,n\n1,60,5.0\n").cpus, 5);
}

TEST(CsvTable, Gpus) {
  const std::string map = "submit = s s\nrun_time = r\nnodes = n\ncpus = n\ngpus = g";
  const auto gpus = [&](const std::string& more, const std::string& cell) {
    return one(map + more + "\n", "s,r,n,g\n100,60,2," + cell + "\n").gpus;
  };
  EXPECT_EQ(gpus("", "3"), 3);
  EXPECT_EQ(gpus("", "2.5"), 3);
  EXPECT_EQ(gpus("", ""), 0);
  EXPECT_EQ(gpus(" per node", "3"), 6);
  EXPECT_EQ(gpus(" * 0.01 per node", "150"), 4);
  EXPECT_EQ(or_throw(csv_to_sacct("s,r,n,g\n1,1,1,1\n1,1,1,0\n", "jobs.csv", or_throw(parse_csv_map(map, "my.map"))))
                .with_gpus,
            1U);
  EXPECT_EQ(refusal(map, "s,r,n,g\n100,60,2,-1\n"),
            "jobs.csv:2: column g: '-1', expected a number, 0 or more and in range (my.map:5)");
  EXPECT_EQ(refusal(map + " per node", "s,r,n,g\n100,60,2,600000\n"),
            "jobs.csv:2: column g: '600000', expected at most 1000000 GPUs in all (my.map:5)");
}

TEST(CsvTable, StartsThatAreNotGiven) {
  const std::string map = "submit = s s\nrun_time = r\nend = e s\ncpus = '1'\n";
  EXPECT_EQ(one(map, "s,r,e\n100,60,180\n").start, 120);
  EXPECT_EQ(one(map, "s,r,e\n100,60,\n").start, 100);
}

TEST(CsvTable, CellsWithoutAValue) {
  const std::string map = std::string(kLeast) +
                          "missing = -1\nstart = start s\nstart missing = 0\nlimit = limit min\n"
                          "limit UNLIMITED = INFINITE\nuser = user\n";
  const SacctLog log = read(map,
                            "submit,run,cpus,start,limit,user\n"
                            "1700000000,10,1,1700000005,INFINITE,NaN\n"
                            "1700000001,10,1,0,5,ann\n"
                            "1700000002,10,-1,1700000005,5,ann\n"
                            "NULL,10,1,1700000005,5,ann\n");
  ASSERT_EQ(log.jobs.size(), 1U);
  EXPECT_EQ(log.jobs[0].user, "");
  EXPECT_EQ(log.jobs[0].limit_kind, LimitKind::kUnlimited);
  ASSERT_EQ(log.report.skipped.size(), 3U);
  EXPECT_THAT(log.report.describe("jobs.csv")[0], HasSubstr("never started"));
  EXPECT_EQ(log.report.skipped[0].first_line, 3U);
  EXPECT_EQ(log.report.skipped[1].first_line, 4U);
  EXPECT_EQ(log.report.skipped[2].first_line, 5U);
}

TEST(CsvTable, States) {
  const std::string map = std::string(kLeast) + "state = st\nstate COMPLETED = Terminated, 0\nstate RUNNING = 1\n";
  const auto state = [&](const std::string& cell) {
    return one(map, "submit,run,cpus,st\n1700000000,10,1," + cell + "\n").state;
  };
  EXPECT_EQ(state("Terminated"), "COMPLETED");
  EXPECT_EQ(state("0"), "COMPLETED");
  EXPECT_EQ(state("failed"), "FAILED");
  EXPECT_EQ(state("CANCELLED by 1000"), "CANCELLED");
  EXPECT_EQ(
      refusal(map, "submit,run,cpus,st\n1700000000,10,1,lost\n"),
      "jobs.csv:2: column st: 'lost', expected a state of Slurm; add a line such as 'state COMPLETED = lost' to the "
      "map (my.map:4)");
}

TEST(CsvTable, JobsAreNumberedUnlessTheirNumbersAreSlurms) {
  const std::string map = std::string(kLeast) + "job = id\n";
  const auto numbers = [&](const std::string& first, const std::string& second) {
    const SacctLog log = read(map, "submit,run,cpus,id\n1700000000,1,1," + first + "\n1700000001,1,1," + second + "\n");
    return log.jobs[0].id + " " + log.jobs[1].id;
  };
  EXPECT_EQ(numbers("12_3", "14+1"), "12_3 14+1");
  EXPECT_EQ(numbers("12.0", "14.0"), "12 14");
  EXPECT_EQ(numbers("12", "jid_14"), "1 2");
  EXPECT_EQ(read(kLeast, "submit,run,cpus\n1700000000,1,1\n").jobs[0].id, "1");
}

TEST(CsvTable, HeadersAreGivenOrRepeated) {
  const std::string map = std::string(kLeast) + "header = submit,run,cpus\nseparator = semicolon\n";
  EXPECT_EQ(read(map, "1700000000;1;1\n1700000000;1;2\n").jobs.size(), 2U);
  EXPECT_EQ(read(map, "submit;run;cpus\n1700000000;1;2\n").jobs[0].line, 2U);
  EXPECT_EQ(read(kLeast, "submit,run,cpus\n1700000000,1,1\nsubmit,run,cpus\n1700000009,1,1\n").jobs.size(), 2U);
}

TEST(CsvTable, ErrorsNameTheUsersFile) {
  const std::string head = "submit,run,cpus\n";
  EXPECT_EQ(refusal(kLeast, head + "1700000000,1,1\n1700000000,x,1\n"),
            "jobs.csv:3: column run: 'x', expected a number, 0 or more and in range (my.map:2)");
  EXPECT_THAT(refusal(kLeast, head + "20240101,1,1\n"),
              HasSubstr("jobs.csv:2: column submit: '20240101', expected a time"));
  EXPECT_EQ(refusal(kLeast, head + "1,2\n"), "jobs.csv:2: 2 fields, but the header has 3");
  EXPECT_EQ(refusal(kLeast, head + "1,\"2\n"), "jobs.csv:2: a quote is not closed");
  EXPECT_EQ(refusal(kLeast, "submitted,run,cpus\n"),
            "my.map:1: 'submit' is no column of jobs.csv; the nearest is 'submitted'");
  EXPECT_EQ(refusal(kLeast, "\n"), "jobs.csv: empty, expected a job table in CSV");
  EXPECT_THAT(refusal(kLeast, head + "1700000000,1,-2\n"),
              HasSubstr("jobs.csv:2: column cpus: '-2', expected a number"));
  EXPECT_THAT(refusal(kLeast, head + "1700000000,1,2000000\n"), HasSubstr("column cpus: '2000000'"));
}

TEST(CsvTable, LenientCountsMalformedRows) {
  const CsvJobs jobs = or_throw(csv_to_sacct("submit,run,cpus\n1700000000,x,1\n1,2\n1700000000,1,1\n", "jobs.csv",
                                             or_throw(parse_csv_map(kLeast, "my.map")), true));
  ASSERT_EQ(jobs.report.skipped.size(), 1U);
  EXPECT_EQ(jobs.report.skipped[0].count, 2U);
  EXPECT_EQ(jobs.report.skipped[0].first_line, 2U);
  EXPECT_EQ(or_throw(parse_sacct(jobs.sacct, "jobs.csv")).jobs.front().line, 4U);
}

}  // namespace
}  // namespace dfrs::sim
