// SPDX-License-Identifier: GPL-2.0-or-later
// How well jobs use what they ask for, by hand.
#include "sim/advise/accounting_facts.h"

#include <gtest/gtest.h>

#include "sim/errors.h"

namespace dfrs::sim {
namespace {

AccountingFacts of_sacct(const std::string& rows) {
  return accounting_facts(or_throw(
      parse_sacct("JobID|State|Submit|Start|ElapsedRaw|TimelimitRaw|NNodes|NTasks|AllocCPUS|AllocTRES|MaxRSS|TotalCPU|"
                  "NodeList\n" +
                      rows,
                  "acct")));
}

AccountingFacts of_swf(const std::string& text) {
  const SwfLog log = or_throw(parse_swf(text, "log"));
  SwfLogRecords records(log);
  return accounting_facts(records);
}

// Of three jobs one is 10 %, one 50 % and one 100 % busy, whatever their sizes. No step tells MaxRSS.
TEST(AccountingFacts, CpuTimeWithoutMemory) {
  const AccountingFacts facts = of_sacct(
      "1|COMPLETED|1700000000|1700000000|1000|100|1||1|cpu=1,mem=1G||00:01:40|n1\n"
      "2|COMPLETED|1700000000|1700000000|100|100|1||16|cpu=16,mem=1G||00:13:20|n1\n"
      "3|COMPLETED|1700000000|1700000000|10|100|1||2|cpu=2,mem=1G||00:00:20|n1\n");
  EXPECT_DOUBLE_EQ(facts.cpu_efficiency.value(), 0.5);
  EXPECT_FALSE(facts.memory_used);
  EXPECT_DOUBLE_EQ(facts.limit_used.value(), 100.0 / 6000);
}

// Fields 4, 6, 7, 9 and 10 of the jobs: 100 s, 50 s of CPU, 300 KB, 200 s, 400 KB; 1000 s, 100 s, 100 KB, 4000 s,
// 1000 KB; 10 s, 20 s (more than its processors have), 800 KB, 40 s, 800 KB.
TEST(AccountingFacts, OfSwfByHand) {
  const AccountingFacts facts = of_swf(
      "1 0 -1 100 16 50 300 16 200 400 1 1 1 -1 -1 -1 -1 -1\n"
      "2 1 -1 1000 1 100 100 1 4000 1000 1 1 1 -1 -1 -1 -1 -1\n"
      "3 2 -1 10 2 20 800 2 40 800 1 1 1 -1 -1 -1 -1 -1\n");
  EXPECT_DOUBLE_EQ(facts.cpu_efficiency.value(), 0.5);  // of 0.1, 0.5, 1
  EXPECT_DOUBLE_EQ(facts.memory_used.value(), 0.75);    // of 0.1, 0.75, 1
  EXPECT_DOUBLE_EQ(facts.limit_used.value(), 0.25);     // of 0.25, 0.25, 0.5
  EXPECT_TRUE(facts.partition.empty());
}

// The second job was cancelled in the queue, and the third is a part of one that has its own record. Neither counts.
TEST(AccountingFacts, OfSwfWhereItSaysSo) {
  const AccountingFacts facts = of_swf(
      "1 0 -1 100 1 25 -1 1 -1 400 1 1 1 -1 -1 -1 -1 -1\n"
      "2 1 -1 -1 1 100 100 1 4000 1000 5 1 1 -1 -1 -1 -1 -1\n"
      "3 2 -1 100 1 100 100 1 4000 1000 2 1 1 -1 -1 -1 -1 -1\n"
      "4 3 -1 100 1 -1 200 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"
      "5 4 -1 0 1 0 0 1 0 0 1 1 1 -1 -1 -1 -1 -1\n");
  EXPECT_DOUBLE_EQ(facts.cpu_efficiency.value(), 0.25);
  EXPECT_FALSE(facts.memory_used);
  EXPECT_FALSE(facts.limit_used);
}

TEST(AccountingFacts, MemoryThatWasNotMeasured) {
  const std::string first = "1 0 -1 100 1 25 400 1 -1 400 1 1 1 -1 -1 -1 -1 -1\n";
  const std::string second = "2 1 -1 100 1 25 600 1 -1 600 1 1 1 -1 -1 -1 -1 -1\n";
  const std::string third = "3 2 -1 100 1 25 200 1 -1 400 1 1 1 -1 -1 -1 -1 -1\n";
  const std::string fourth = "4 3 -1 100 1 25 300 1 -1 400 1 1 1 -1 -1 -1 -1 -1\n";
  EXPECT_FALSE(of_swf(first + second + third).memory_used);
  EXPECT_TRUE(of_swf(first + second + third + fourth).memory_used);
}

// Two nodes of 8 CPUs: SWF has CPU time and memory per processor, sacct per job.
TEST(AccountingFacts, SwfSaysWhatTheAccountingSaid) {
  const SacctLog log = or_throw(
      parse_sacct("JobID|State|Submit|Start|ElapsedRaw|TimelimitRaw|NNodes|NTasks|AllocCPUS|AllocTRES|MaxRSS|TotalCPU|"
                  "NodeList\n"
                  "1|COMPLETED|1700000000|1700000000|1000|100|2||16|cpu=16,mem=32G||01:06:40|n[1-2]\n"
                  "1.0|COMPLETED|1700000000|1700000000|1000||2|16|16|cpu=16|1G|01:06:40|n[1-2]\n",
                  "acct"));
  const SwfLog swf = sacct_swf(log, {2, 8, 16384});
  SwfLogRecords records(swf);
  const AccountingFacts facts = accounting_facts(log);
  const AccountingFacts again = accounting_facts(records);
  EXPECT_DOUBLE_EQ(facts.cpu_efficiency.value(), 0.25);  // 4000 s of 16,000
  EXPECT_DOUBLE_EQ(facts.memory_used.value(), 0.5);
  EXPECT_EQ(again.cpu_efficiency, facts.cpu_efficiency);
  EXPECT_EQ(again.memory_used, facts.memory_used);
  EXPECT_EQ(again.limit_used, facts.limit_used);
}

}  // namespace
}  // namespace dfrs::sim
