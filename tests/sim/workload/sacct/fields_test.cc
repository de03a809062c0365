// SPDX-License-Identifier: GPL-2.0-or-later
// The values that sacct prints, in each form, and invalid ones.
#include "sim/workload/sacct/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;

TEST(SacctFields, Durations) {
  EXPECT_EQ(parse_duration("00:00:59"), 59);
  EXPECT_EQ(parse_duration("01:02:03"), 3723);
  EXPECT_EQ(parse_duration("2-03:04:05"), 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
  EXPECT_EQ(parse_duration("07:05"), 425);
  EXPECT_DOUBLE_EQ(parse_duration("00:01.250").value(), 1.25);
  EXPECT_EQ(parse_duration("365-00:00:00"), 365 * 86400.0);
  EXPECT_EQ(parse_duration("100:00:00"), 360000);
  for (const char* bad : {"", "5", "1-2", "00:60", "00:00:61", "1:2:3:4", "-1:00", "1-", "00:00:00x", "00:01.",
                          "1.5:00", "999999999-00:00:00"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(SacctFields, Instants) {
  // 2026-11-21 is day 20,778 since 1970: 56 years of 365 days, 14 leap days, and 324 days of 2026.
  const double day = (56 * 365 + 14 + 324) * 86400.0;
  EXPECT_EQ(parse_instant("2026-11-21T00:00:00"), day);
  EXPECT_EQ(parse_instant("2026-11-21T16:49:27"), day + 16 * 3600 + 49 * 60 + 27);
  EXPECT_EQ(parse_instant("2026-11-21T16:49:27Z"), day + 16 * 3600 + 49 * 60 + 27);
  EXPECT_EQ(parse_instant("2026-11-21T01:00:00+0100"), day);
  EXPECT_EQ(parse_instant("2026-11-20T19:30:00-04:30"), day);
  EXPECT_EQ(parse_instant("2024-02-29T00:00:00"), (54 * 365 + 13 + 59) * 86400.0);
  EXPECT_EQ(parse_instant("1700000000"), 1700000000);
  for (const char* bad :
       {"", "Unknown", "2026-02-29T00:00:00", "2026-13-01T00:00:00", "2026-11-21", "16:49:27", "2026",
        "2026-11-21T24:00:00", "2026-11-21T16:49:27+25:00", "2026-11-21T16:49:27 x", "11/21-16:49:27"}) {
    EXPECT_FALSE(parse_instant(bad)) << bad;
  }
  for (const double t : {0.0, day, day + 86399, 951782400.0 /* 2000-02-29 */, 4102444799.0}) {
    EXPECT_EQ(parse_instant(format_instant(t)), t) << format_instant(t);
  }
}

TEST(SacctFields, Memory) {
  EXPECT_DOUBLE_EQ(parse_memory("2048K", kBytes).value(), 2);
  EXPECT_DOUBLE_EQ(parse_memory("1.5G", kBytes).value(), 1536);
  EXPECT_DOUBLE_EQ(parse_memory("1T", 1).value(), 1024 * 1024);
  EXPECT_DOUBLE_EQ(parse_memory("4194304", kBytes).value(), 4);  // MaxRSS without unit: bytes
  EXPECT_DOUBLE_EQ(parse_memory("4000", 1).value(), 4000);       // requests: MiB
  for (const char* bad : {"", "K", "-1K", "1X", "1KB", "nan", "1e300G"}) EXPECT_FALSE(parse_memory(bad, 1)) << bad;
  const auto old_per_cpu = parse_requested_memory("4000Mc").value();
  EXPECT_EQ(old_per_cpu.mib, 4000);
  EXPECT_EQ(old_per_cpu.per, MemoryPer::kCpu);
  EXPECT_EQ(parse_requested_memory("16Gn")->per, MemoryPer::kNode);
  EXPECT_EQ(parse_requested_memory("16G")->per, MemoryPer::kJob);
}

TEST(SacctFields, TrackableResources) {
  constexpr const char* kTres = "billing=8,cpu=4,gres/gpu=2,mem=8G,node=1";
  EXPECT_EQ(tres_item(kTres, "cpu"), "4");
  EXPECT_EQ(tres_item(kTres, "mem"), "8G");
  EXPECT_EQ(tres_item(kTres, "node"), "1");
  EXPECT_FALSE(tres_item(kTres, "gpu"));
  EXPECT_FALSE(tres_item("", "cpu"));
}

std::vector<std::string> hosts(const char* text) {
  std::vector<std::string> names;
  if (!each_host(text, [&](const std::string& name) { names.push_back(name); })) names.push_back("(refused)");
  return names;
}

TEST(SacctFields, Hosts) {
  EXPECT_THAT(hosts("n1"), ElementsAre("n1"));
  EXPECT_THAT(hosts("n[1-3,07],gpu2"), ElementsAre("n1", "n2", "n3", "n07", "gpu2"));
  EXPECT_THAT(hosts("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(hosts("r[1-2]n[1-2]x"), ElementsAre("r1n1x", "r1n2x", "r2n1x", "r2n2x"));
  EXPECT_EQ(hosts("r[1-256]n[1-256]").size(), kMostSlurmNodes);
  EXPECT_EQ(hosts("r[1-256]n[1-256]").back(), "r256n256");
  EXPECT_EQ(hosts("r[1-256]n[1-256],n1").back(), "(refused)");
  EXPECT_EQ(hosts("n[1-1000000000]").back(), "(refused)");
  for (const char* bad : {"n[1-", "n]", "n[3-1]", "n[]", "n[a]", ",n1"})
    EXPECT_EQ(hosts(bad).back(), "(refused)") << bad;
}

}  // namespace
}  // namespace dfrs::sim
