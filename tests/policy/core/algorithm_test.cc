// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/algorithm.h"
#include "policy/core/algorithm.h"
#include "policy/rr7659/algorithm.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>

#include "tests/policy/rr7659/table5_names.h"

namespace dfrs {
namespace {

TEST(AlgorithmNames, AreThoseOfTable5) {
  std::set<std::string> expected(std::begin(kTable5Names), std::end(kTable5Names));
  ASSERT_EQ(expected.size(), 118u);
  expected.insert("EASY/extra-only");
  std::set<std::string> names;
  for (const Algorithm& algorithm : rr7659_algorithms()) names.insert(algorithm_name(algorithm));
  EXPECT_EQ(names, expected);
  EXPECT_EQ(rr7659_algorithms().size(), 119u);
}

TEST(AlgorithmNames, ParseBack) {
  for (const Algorithm& algorithm : rr7659_algorithms()) {
    const std::string name = algorithm_name(algorithm);
    const auto parsed = parse_algorithm(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(algorithm_name(*parsed), name);
    EXPECT_EQ(parsed->make.index(), algorithm.make.index());
    EXPECT_EQ(dfrs_algorithm(*parsed).has_value(), !needs_estimates(*parsed));
    EXPECT_EQ(batch_algorithm(*parsed).has_value(), needs_estimates(*parsed));
    EXPECT_FALSE(parsed->description.empty());
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    ASSERT_TRUE(parse_algorithm(upper)) << upper;
    EXPECT_EQ(algorithm_name(*parse_algorithm(upper)), name);
  }
}

TEST(AlgorithmNames, PaperSpellingsAndShortForms) {
  const std::pair<const char*, const char*> table[] = {
      {"GreedyPM */per/OPT=MIN/MINVT=600", "GreedyPM*/per/OPT=MIN/MINVT=600"},
      {" Greedy * / OPT = AVG ", "Greedy*/OPT=AVG"},
      {"MCB8 */OPT=MIN/MINVT=600", "MCB8*/OPT=MIN/MINVT=600"},
      {"greedypm*/per/minvt=600", "GreedyPM*/per/OPT=MIN/MINVT=600"},
      {"/per/MINFT=300/OPT=AVG", "/per/OPT=AVG/MINFT=300"},
      {"/stretch-per", "/stretch-per/OPT=MAX"},
      {"/per/MINVT=0.5", "/per/OPT=MIN/MINVT=0.5"},
      {"/per/ties=priority", "/per/OPT=MIN/TIES=PRIORITY"},
      {"GreedyP*/per/FILL/TIES=PRIORITY/MINVT=600", "GreedyP*/per/OPT=MIN/MINVT=600/TIES=PRIORITY/FILL"},
      {"dynmcb8-per-300/ties=priority", "DYNMCB8-PER-300/TIES=PRIORITY"},
      {"DYNMCB8/TIES=newest", "DYNMCB8/TIES=NEWEST"},
      {"/stretch-per/fine/ties=newest", "/stretch-per/OPT=MAX/TIES=NEWEST/FINE"},
      {"GreedyP*/place=first", "GreedyP*/OPT=MIN/PLACE=FIRST"},
      {"GreedyPM/per/PLACE=FIRST/TIES=newest", "GreedyPM/per/OPT=MIN/TIES=NEWEST/PLACE=FIRST"},
      {"easy / EXTRA-only", "EASY/extra-only"},
      {"fcfs", "FCFS"},
      {"easy/BACKFILL=sjf", "EASY/backfill=SJF"},
      {"EASY/backfill=UNICEF/head=wfp3", "EASY/head=WFP3/backfill=UNICEF"},
      {"FCFS/head=SAF", "FCFS/head=SAF"},
  };
  for (const auto& [given, canonical] : table) {
    const auto parsed = parse_algorithm(given);
    ASSERT_TRUE(parsed) << given << ": " << parsed.error().message;
    EXPECT_EQ(algorithm_name(*parsed), canonical) << given;
  }
}

TEST(AlgorithmNames, PartsMeanWhatTheySay) {
  const auto parsed = dfrs_algorithm(*parse_algorithm("GreedyPM*/per/OPT=AVG/MINFT=300")).value();
  EXPECT_EQ(parsed.on_submission, DfrsAlgorithm::Submission::greedy_pm);
  EXPECT_TRUE(parsed.opportunistic);
  EXPECT_EQ(parsed.periodic, DfrsAlgorithm::Periodic::mcb8);
  EXPECT_EQ(parsed.objective, DfrsAlgorithm::Objective::avg_yield);
  EXPECT_EQ(parsed.limit.kind, RemapLimit::Kind::min_flow_time);
  EXPECT_EQ(parsed.limit.bound, 300);
  const auto stretch = dfrs_algorithm(*parse_algorithm("/stretch-per/OPT=AVG")).value();
  EXPECT_EQ(stretch.periodic, DfrsAlgorithm::Periodic::mcb8_stretch);
  EXPECT_EQ(stretch.objective, DfrsAlgorithm::Objective::avg_stretch);
}

struct Wrong {
  const char* name;
  const char* why;
  const char* nearest;
};

TEST(AlgorithmNames, WrongOnesSayWhyAndNameTheNearest) {
  const Wrong table[] = {
      {"", "empty", ""},
      {"GredyPM*/per", "no policy has that name", "'GreedyPM*/per"},
      {"EASI", "no policy has that name", "'EASY'"},
      {"EASY/backfill=SJ", "'SJ' is no order of the queue; there are FCFS, SJF,", ""},
      {"EASY/order=SJF", "'order=SJF' is none of head=ORDER, backfill=ORDER, predict=PREDICTOR and correct=RULE", ""},
      {"EASY/predict=q100", "'q100' predicts no run times; there are request, double, tsafrir,", ""},
      {"EASY/predict=tsafrir/correct=never", "'never' corrects no predictions; there are request, steps, double", ""},
      {"EASY/backfill=SJF/correct=steps", "nothing to correct", ""},
      {"FCFS/predict=tsafrir", "uses no run times", ""},
      {"FCFS/backfill=SJF", "FCFS does not backfill; it takes only head=ORDER", ""},
      {"Greedy*/OPT=MIM", "OPT is MIN, AVG or MAX", "'Greedy*/OPT=MIN"},
      {"GreedyP*/per/OPT=MIN/MINVT=60x", "positive number", "'GreedyP*/per/OPT=MIN/MINVT=600'"},
      {"GreedyP*/per/MINVT=-5", "positive number", ""},
      {"GreedyP*/per/MINVT=nan", "positive number", ""},
      {"GreedyP*/per/MINVT=inf", "positive number", ""},
      {"GreedyP*/per/MINVT=1e999", "positive number", ""},
      {"*/per", "'*' needs a rule", ""},
      {"GreedyP", "wait for ever", "'Greedy"},
      {"/OPT=MIN", "neither", ""},
      {"MCB8*/stretch-per", "stands alone", ""},
      {"/per/OPT=MAX", "OPT=MAX goes with", ""},
      {"/stretch-per/OPT=MIN", "OPT=MAX or OPT=AVG", ""},
      {"Greedy*/MINVT=600", "never uses", ""},
      {"Greedy*/TIES=PRIORITY", "never uses", ""},
      {"/per/FINE", "goes with /stretch-per", ""},
      {"GreedyP*/FILL", "goes with", ""},
      {"Greedy*/PLACE=FIRST", "goes with GreedyP", ""},
      {"GreedyP*/PLACE=LAST", "not part of a name", ""},
      {"/per/TIES=NEWEST/TIES=PRIORITY", "too many", ""},
      {"MCB8*/per/FILL", "goes with", ""},
      {"/per/FILL/FILL", "too many", ""},
      {"/per/per", "too many", ""},
      {"/per/stretch-per", "too many", ""},
      {"/per/OPT=MIN/OPT=MIN", "too many", ""},
      {"/per/MINVT=300/MINFT=300", "too many", ""},
      {"/per/sometimes", "not part", ""},
      {"/per/", "not part", ""},
  };
  for (const Wrong& wrong : table) {
    const auto parsed = parse_algorithm(wrong.name);
    ASSERT_FALSE(parsed) << wrong.name;
    EXPECT_EQ(parsed.error().code, ErrorCode::bad_algorithm);
    EXPECT_NE(parsed.error().message.find(wrong.why), std::string::npos)
        << wrong.name << ": " << parsed.error().message;
    EXPECT_NE(parsed.error().message.find(std::string("did you mean ") + wrong.nearest), std::string::npos)
        << wrong.name << ": " << parsed.error().message;
  }
  EXPECT_LT(parse_algorithm(std::string(100000, 'x')).error().message.size(), 400u);
}

}  // namespace
}  // namespace dfrs
