// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/cpu_max.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace dfrs::shim {
namespace {

TEST(CpuMax, OrdinaryQuotasHaveTheShortPeriod) {
  EXPECT_EQ(cpu_max_for(0.5), (CpuMax{5000, 10000}));
  EXPECT_EQ(cpu_max_for(0.2), (CpuMax{2000, 10000}));
  EXPECT_EQ(cpu_max_for(3), (CpuMax{30000, 10000}));
  EXPECT_EQ(cpu_max_for(0.5, 100000), (CpuMax{50000, 100000}));
}

TEST(CpuMax, SmallQuotasHaveLongerPeriods) {
  EXPECT_EQ(cpu_max_for(0.1), (CpuMax{2000, 20000}));
  EXPECT_EQ(cpu_max_for(0.01), (CpuMax{2000, 200000}));
  EXPECT_EQ(cpu_max_for(0.002), (CpuMax{2000, 1000000}));
  // The minimum.
  EXPECT_EQ(cpu_max_for(0.001), (CpuMax{1000, 1000000}));
  EXPECT_EQ(cpu_max_for(0.0001), (CpuMax{1000, 1000000}));
  EXPECT_EQ(cpu_max_for(0), (CpuMax{1000, 1000000}));
  EXPECT_EQ(cpu_max_for(-1), (CpuMax{1000, 1000000}));
}

RC_GTEST_PROP(CpuMax, HoldsWhatTheKernelTakes, ()) {
  const double cores = std::pow(10.0, *rc::gen::inRange(-4000, 5000) / 1000.0);
  const auto base = *rc::gen::inRange<std::int64_t>(0, 2000000);
  const CpuMax value = cpu_max_for(cores, base);
  RC_ASSERT(value.quota_us >= kMinQuotaUs);
  RC_ASSERT(value.period_us >= kMinPeriodUs && value.period_us <= kMaxPeriodUs);
  RC_ASSERT(cores < 0.001 || std::abs(value.cores() - cores) <= 0.001 * cores);
  RC_ASSERT(parse_cpu_max(format_cpu_max(value)) == std::optional(value));
}

TEST(CpuMax, ReadsAndWritesText) {
  EXPECT_EQ(format_cpu_max({2000, 10000}), "2000 10000");
  EXPECT_EQ(format_cpu_max({}), "max 100000");
  EXPECT_EQ(parse_cpu_max("2000 10000\n"), std::optional(CpuMax{2000, 10000}));
  EXPECT_TRUE(parse_cpu_max("max 100000\n")->unlimited());
  for (const char* const bad : {"", "max", "2000", "x 1000", "2000 ", "2000 x", "-5 1000", "0 1000", "1000 0",
                                "2000 1000 1", " 2000 1000", "99999999999999999999 1000"})
    EXPECT_FALSE(parse_cpu_max(bad)) << bad;
}

}  // namespace
}  // namespace dfrs::shim
