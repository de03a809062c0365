// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "policy/core/registry.h"

namespace dfrs {
namespace {

TEST(Ipdps2010Names, AreThePapers) {
  std::vector<std::string> names;
  const std::vector<Algorithm> family = algorithms_of_family("ipdps2010").value();
  for (const Algorithm& algorithm : family) names.push_back(algorithm_name(algorithm));
  EXPECT_EQ(names, (std::vector<std::string>{"GREEDY", "GREEDY-PMTN", "GREEDY-PMTN-MIGR", "DYNMCB8", "DYNMCB8-PER",
                                             "DYNMCB8-ASAP-PER", "DYNMCB8-STRETCH-PER"}));
  for (const Algorithm& algorithm : family) EXPECT_FALSE(needs_estimates(algorithm)) << algorithm_name(algorithm);
}

TEST(Ipdps2010Names, TakeAPeriod) {
  for (const auto& [given, canonical] : {std::pair{"DYNMCB8-PER-600", "DYNMCB8-PER-600"},
                                         {"dynmcb8-asap-per-60.0", "DYNMCB8-ASAP-PER-60"},
                                         {"DynMCB8-Stretch-Per-0.5", "DYNMCB8-STRETCH-PER-0.5"},
                                         {"greedy - pmtn", "GREEDY-PMTN"}}) {
    const auto parsed = parse_algorithm(given);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(algorithm_name(*parsed), canonical);
    EXPECT_EQ(algorithm_name(parse_algorithm(canonical).value()), canonical);
  }
}

TEST(Ipdps2010Names, WrongOnesSayWhyAndNameTheNearest) {
  for (const char* bad : {"DYNMCB8-PER-0", "DYNMCB8-PER-ten", "DYNMCB8-ASAP-PER--1", "DYNMCB8-STRETCH-PER-inf"}) {
    const auto parsed = parse_algorithm(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().message.find("positive number of seconds"), std::string::npos) << parsed.error().message;
  }
  const auto message = [](const char* name) { return parse_algorithm(name).error().message; };
  EXPECT_NE(message("DYNMCB9").find("did you mean 'DYNMCB8'?"), std::string::npos) << message("DYNMCB9");
  EXPECT_NE(message("DYNMCB8-600").find("no policy has that name"), std::string::npos) << message("DYNMCB8-600");
  EXPECT_NE(message("GREEDY-PMTM").find("'GREEDY-PMTN'"), std::string::npos) << message("GREEDY-PMTM");
}

// The asterisk alone makes the difference.
TEST(Ipdps2010Names, GreedyIsNotRr7659s) {
  EXPECT_EQ(algorithm_name(parse_algorithm("Greedy").value()), "GREEDY");
  EXPECT_EQ(algorithm_name(parse_algorithm("GREEDY*").value()), "Greedy*/OPT=MIN");
}

}  // namespace
}  // namespace dfrs
