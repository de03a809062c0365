// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/dynp/decider.h"

#include <gtest/gtest.h>

#include <set>

namespace dfrs {
namespace {

constexpr QueueOrder kFcfs = QueueOrder::fcfs;
constexpr QueueOrder kSjf = QueueOrder::sjf;
constexpr QueueOrder kLjf = QueueOrder::ljf;

// Streit 2003, table 1: three qualities that give the case, the current policy, and what each decider chooses.
struct Row {
  const char* found;  // as decider_case_name() has it
  std::array<double, 3> quality;
  QueueOrder current;
  QueueOrder simple;
  QueueOrder advanced;
};

const std::vector<Row> kTable1{
    {"1", {7, 7, 7}, kFcfs, kFcfs, kFcfs}, {"1", {7, 7, 7}, kSjf, kFcfs, kSjf},
    {"1", {7, 7, 7}, kLjf, kFcfs, kLjf},   {"2", {8, 6, 7}, kFcfs, kSjf, kSjf},
    {"2", {7, 6, 8}, kSjf, kSjf, kSjf},    {"2", {7, 6, 8}, kLjf, kSjf, kSjf},
    {"3", {6, 7, 8}, kFcfs, kFcfs, kFcfs}, {"3", {6, 8, 7}, kSjf, kFcfs, kFcfs},
    {"3", {6, 7, 8}, kLjf, kFcfs, kFcfs},  {"4a", {7, 8, 6}, kFcfs, kLjf, kLjf},
    {"4a", {7, 8, 6}, kSjf, kLjf, kLjf},   {"4a", {7, 8, 6}, kLjf, kLjf, kLjf},
    {"4b", {7, 7, 6}, kFcfs, kLjf, kLjf},  // case 5 as well
    {"4b", {7, 7, 6}, kSjf, kLjf, kLjf},   {"4b", {7, 7, 6}, kLjf, kLjf, kLjf},
    {"4c", {8, 7, 6}, kFcfs, kLjf, kLjf},  {"4c", {8, 7, 6}, kSjf, kLjf, kLjf},
    {"4c", {8, 7, 6}, kLjf, kLjf, kLjf},   {"6a", {6, 6, 7}, kFcfs, kFcfs, kFcfs},
    {"6b", {6, 6, 7}, kSjf, kFcfs, kSjf},  {"6c", {6, 6, 7}, kLjf, kFcfs, kFcfs},
    {"7", {7, 6, 7}, kFcfs, kSjf, kSjf},   {"7", {7, 6, 7}, kSjf, kSjf, kSjf},
    {"7", {7, 6, 7}, kLjf, kSjf, kSjf},    {"8a", {6, 7, 6}, kFcfs, kFcfs, kFcfs},
    {"8b", {6, 7, 6}, kSjf, kFcfs, kFcfs}, {"8c", {6, 7, 6}, kLjf, kFcfs, kLjf},
    {"9", {6, 7, 7}, kFcfs, kFcfs, kFcfs}, {"9", {6, 7, 7}, kSjf, kFcfs, kFcfs},
    {"9", {6, 7, 7}, kLjf, kFcfs, kFcfs},  {"10a", {7, 6, 6}, kFcfs, kSjf, kSjf},
    {"10b", {7, 6, 6}, kSjf, kSjf, kSjf},  {"10c", {7, 6, 6}, kLjf, kSjf, kLjf},
};

TEST(Decider, Table1) {
  std::set<std::string> seen;
  for (const Row& row : kTable1) {
    SCOPED_TRACE(std::string("case ") + row.found + ", policy " + queue_order_name(row.current));
    const QualityRanks ranks = rank_qualities(row.quality);
    EXPECT_STREQ(decider_case_name(classify(ranks, row.current)), row.found);
    EXPECT_EQ(decide_simple(ranks), row.simple);
    EXPECT_EQ(decide_advanced(ranks, row.current), row.advanced);
    seen.insert(row.found);
  }
  EXPECT_EQ(seen.size(), kDeciderCases) << "a case of the table is missing";
}

// Thirteen orders of three numbers, ties included, and three policies.
TEST(Decider, EveryOrderOfThreeQualitiesIsACase) {
  for (int f = 0; f < 3; ++f) {
    for (int s = 0; s < 3; ++s) {
      for (int l = 0; l < 3; ++l) {
        const QualityRanks ranks = rank_qualities({double(f), double(s), double(l)});
        EXPECT_EQ(f < s, ranks[0] < ranks[1]);
        EXPECT_EQ(f < l, ranks[0] < ranks[2]);
        EXPECT_EQ(s < l, ranks[1] < ranks[2]);
        EXPECT_EQ(f == s, ranks[0] == ranks[1]);
        EXPECT_EQ(s == l, ranks[1] == ranks[2]);
      }
    }
  }
}

TEST(Decider, RoundingMakesNoDifference) {
  EXPECT_EQ(rank_qualities({1e5, 1e5 * (1 + 1e-12), 1e5 * (1 - 1e-12)}), (QualityRanks{0, 0, 0}));
  EXPECT_EQ(rank_qualities({1e5, 1e5 * (1 + 1e-8), 1e5}), (QualityRanks{0, 1, 0}));
  EXPECT_EQ(rank_qualities({kNever, kNever, kNever}), (QualityRanks{0, 0, 0}));
  EXPECT_EQ(rank_qualities({kNever, 3, kNever}), (QualityRanks{1, 0, 1}));
}

TEST(Decider, BasicBounds) {
  const BasicBounds bounds{7200, 9000};
  EXPECT_EQ(decide_basic(0, bounds), std::nullopt);
  EXPECT_EQ(decide_basic(1, bounds), kSjf);
  EXPECT_EQ(decide_basic(7200, bounds), kSjf);
  EXPECT_EQ(decide_basic(7201, bounds), kFcfs);
  EXPECT_EQ(decide_basic(9000, bounds), kFcfs);
  EXPECT_EQ(decide_basic(9001, bounds), kLjf);
}

}  // namespace
}  // namespace dfrs
