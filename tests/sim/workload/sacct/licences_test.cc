// SPDX-License-Identifier: GPL-2.0-or-later
// Licences in accounting, in traces and as text.
#include "sim/workload/sacct/licences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/errors.h"
#include "sim/workload/licences.h"
#include "sim/workload/sacct/anonymise.h"
#include "sim/workload/sacct/jobs.h"
#include "sim/workload/trace_file.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kText =
    "JobID|State|Submit|Start|ElapsedRaw|NNodes|AllocCPUS|AllocTRES|NodeList\n"
    "1|COMPLETED|1700000000|1700000000|100|1|1|cpu=1,license/cad=2,mem=1G|n1\n"
    "2|COMPLETED|1700000010|1700000050|100|1|1|cpu=1,license/cad=1,license/sim@lab=3,mem=1G|n1\n"
    "3|COMPLETED|1700000020|1700000100|100|1|1|cpu=1,license/cad=2,mem=1G|n1\n"
    "4|COMPLETED|1700000030|1700000030|100|1|1|cpu=1,mem=1G|n1\n";

// Jobs 1 and 2 overlap, and 2 and 3: three at once; job 3 begins as job 1 ends.
TEST(SacctLicences, AsManyAsWereHeldAtOnce) {
  const SacctLog log = or_throw(parse_sacct(kText, "acct"));
  EXPECT_THAT(licences_of(log, {}), ElementsAre(Licence{"cad", 3}, Licence{"sim@lab", 3}));
  const std::vector<Licence> given{{"cad", 10}, {"other", 1}};
  EXPECT_THAT(licences_of(log, given), ElementsAre(Licence{"cad", 10}, Licence{"other", 1}, Licence{"sim@lab", 3}));
  EXPECT_THAT(describe_licences(log, {}), HasSubstr("cad=3,sim@lab=3; if there are more, give --licences"));
  EXPECT_THAT(describe_licences(log, given), HasSubstr(": sim@lab=3;"));
  EXPECT_EQ(describe_licences(log, licences_of(log, {})), "");
}

TEST(SacctLicences, JobsHoldThemInInstancesAndTraces) {
  const Instance instance = or_throw(sacct_instance(or_throw(parse_sacct(kText, "acct")), "acct", {})).instance;
  ASSERT_EQ(instance.jobs.size(), 4U);
  EXPECT_EQ(licences_text(instance.jobs[0], instance.platform), "cad=2");
  EXPECT_EQ(licences_text(instance.jobs[1], instance.platform), "cad=1,sim@lab=3");
  EXPECT_EQ(instance.jobs[2].licences, instance.jobs[0].licences);
  EXPECT_EQ(instance.jobs[3].licences, 0U);
  const std::string trace = or_throw(format_trace(instance));
  EXPECT_THAT(trace, HasSubstr("; Licences: cad=3,sim@lab=3\n"));
  const std::vector<Instance> again = or_throw(parse_traces(trace, "trace"));
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].platform, instance.platform);
  EXPECT_EQ(again[0].jobs, instance.jobs);
}

TEST(SacctLicences, JobsThatNeedMoreThanTheClusterHas) {
  SacctOptions options;
  options.licences = {{"cad", 1}};
  const SacctLog log = or_throw(parse_sacct(kText, "acct"));
  EXPECT_THAT(message_of(kExitInput, sacct_instance(log, "acct", options)),
              HasSubstr("acct:2: job 1 is larger than the machine: it needs 2 licences cad, and the cluster has 1"));
  options.lenient = true;
  EXPECT_EQ(or_throw(sacct_instance(log, "acct", options)).instance.jobs.size(), 2U);
}

TEST(SacctLicences, AnonymousOnesAreAsScarce) {
  const std::string text = or_throw(anonymise_sacct(kText, "acct"));
  EXPECT_THAT(text, HasSubstr("cpu=1,license/licence1=1,license/licence2=3,mem=1G"));
  EXPECT_THAT(licences_of(or_throw(parse_sacct(text, "anonymous")), {}),
              ElementsAre(Licence{"licence1", 3}, Licence{"licence2", 3}));
}

TEST(Licences, TextIsReadStrictly) {
  EXPECT_THAT(parse_licences("a=1,b=20").value(), ElementsAre(Licence{"a", 1}, Licence{"b", 20}));
  for (const char* wrong : {"", "a", "=1", "a=", "a=0", "a=-1", "a=1.5", "a=1,", "a=1,a=2", "a b=1", "a=9999999999"}) {
    EXPECT_FALSE(parse_licences(wrong)) << wrong;
  }
}

TEST(Licences, TracesNameWhatIsWrong) {
  const std::string begin = "; dfrs-trace: 1\n; Name: x\n; Nodes: 1 cpu 1 memory 10\n; Licences: cad=2\n";
  const auto read = [&](const std::string& job) { return message_of(kExitInput, parse_traces(begin + job, "t")); };
  EXPECT_THAT(read("1 0 1 1 5 10 10\n"), HasSubstr("7 fields, expected 8"));
  EXPECT_THAT(read("1 0 1 1 5 10 10 cad=3\n"), HasSubstr("t:5: licences: it needs 3 licences cad"));
  EXPECT_THAT(read("1 0 1 1 5 10 10 sim=1\n"), HasSubstr("the cluster has no licence sim"));
  EXPECT_THAT(read("1 0 1 1 5 10 10 cad\n"), HasSubstr("'cad': expected NAME=COUNT"));
  const Instance instance = or_throw(parse_traces(begin + "1 0 1 1 5 10 10 cad=2\n2 0 1 1 5 10 10 -\n", "t")).front();
  EXPECT_EQ(instance.platform.licences_of(instance.jobs[0]).size(), 1U);
  EXPECT_TRUE(instance.platform.licences_of(instance.jobs[1]).empty());
}

}  // namespace
}  // namespace dfrs::sim
