// SPDX-License-Identifier: GPL-2.0-or-later
// The fast reader of a log against its plain twin, parse_swf(), on random texts, well-formed and not.
#include "sim/workload/swf_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/errors.h"
#include "tests/oracle/dice.h"

namespace dfrs::sim {
namespace {

std::string random_number(oracle::Dice& dice) {
  if (dice.chance(20)) return "-1";
  std::string number = std::to_string(dice.below(dice.pick<std::uint32_t>({10, 1000, 100'000'000, 4'000'000'000})));
  if (dice.chance(5)) number += dice.pick<std::string>({".5", ".25", ".", ".000000000000001", "e3", "0123456789"});
  return number;
}

// A log of a few lines, nearly all as they should be, job numbers and submissions nearly always ascending.
std::string random_log(oracle::Dice& dice, int damage) {
  std::string text = "; MaxProcs: 64\n; UnixStartTime: 7\n";
  std::uint32_t submit = 0;
  for (std::uint32_t job = 1; job <= 12; ++job) {
    submit += dice.below(50);
    const auto number = [&] { return damage == 0 ? std::to_string(dice.below(100)) : random_number(dice); };
    std::string line = std::to_string(dice.chance(damage) ? 1 : job) + " " +
                       std::to_string(dice.chance(damage) ? dice.below(100) : submit);
    for (int field = 3; field <= 18; ++field) {
      const bool count = field == 5 || field == 8;  // of processors
      line +=
          std::string(1 + (dice.chance(10) ? dice.below(12) : 0), ' ') + (field == 11 ? "1"
                                                                          : count ? std::to_string(1 + dice.below(60))
                                                                                  : number());
    }
    if (dice.chance(damage)) line += dice.pick<std::string>({" 7", "\r", " ", "\t", " x"});
    if (dice.chance(damage))
      line[dice.below(static_cast<std::uint32_t>(line.size()))] = static_cast<char>(dice.below(256));
    text += line + "\n";
    if (dice.chance(damage)) text += dice.pick<std::string>({"\n", "; Note: x\n", " \n"});
  }
  return text;
}

// A workload, or the error, in one form that can be compared.
std::string outcome(const Result<SwfWorkload>& workload) {
  if (!workload) return workload.error().message;
  std::string all = std::to_string(workload->report.records);
  for (const std::string& line : workload->report.describe("log")) all += "\n" + line;
  for (const Job& job : workload->instance.jobs) {
    all += "\n" + std::to_string(job.id);
    for (const double value : {job.submit, static_cast<double>(job.tasks), job.cpu_need, job.run_time, job.estimate}) {
      all += " " + std::to_string(value);
    }
  }
  return all;
}

TEST(SwfStream, IsThePlainReaderOnRandomTexts) {
  int plain = 0, not_plain = 0, errors = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    oracle::Dice dice(seed);
    const std::string text = random_log(dice, dice.pick<int>({0, 1, 5}));
    SwfStream stream(text, "log");
    std::vector<SwfRecord> records;
    while (const SwfRecord* record = stream.next()) records.push_back(*record);
    if (stream.plain()) {
      ASSERT_EQ(records, or_throw(parse_swf(text, "log")).records) << text;
    }
    (stream.plain() ? plain : not_plain)++;

    SwfConventions conventions;
    conventions.estimates = SwfEstimates::kTrace;
    conventions.measured_cpu_need = dice.chance(50);
    const SwfReadOptions reading{.lenient = dice.chance(50)};
    const SwfPlatformOptions platform{.lenient = dice.chance(50)};
    const auto convert = [&](SwfRecords& log) { return swf_instance(log, "log", conventions, platform); };
    const std::string expected = outcome(parse_swf(text, "log", reading).and_then([&](const SwfLog& log) {
      return swf_instance(log, "log", conventions, platform);
    }));
    ASSERT_EQ(outcome(read_swf(text, "log", reading, convert)), expected) << text;
    errors += expected.starts_with("log:") ? 1 : 0;
  }
  EXPECT_GT(plain, 500);
  EXPECT_GT(not_plain, 500);
  EXPECT_GT(errors, 200);
}

}  // namespace
}  // namespace dfrs::sim
