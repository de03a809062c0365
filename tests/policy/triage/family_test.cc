// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "policy/core/registry.h"

namespace dfrs {
namespace {

TEST(TriageNames, TakePartsAndNumbers) {
  for (const auto& [given, canonical] : {std::pair{"triage", "Triage"},
                                         {"TRIAGE/place=load/MOVE=few", "Triage/PLACE=LOAD/MOVE=FEW"},
                                         {"Triage/PLACE=HARM/YIELD=URGENT/MOVE=GAIN", "Triage"},
                                         {"Triage/PATIENCE=60.0/MOVE=NONE", "Triage/MOVE=NONE/PATIENCE=60"},
                                         {"triage/share=2/width=0.75", "Triage/WIDTH=0.75/SHARE=2"},
                                         {"triage/share=2/limits", "Triage/LIMITS/SHARE=2"},
                                         {"Triage/PAYS=0/STRETCH=2.5/SHORT=0.1", "Triage/SHORT=0.1/STRETCH=2.5/PAYS=0"},
                                         {"Triage/TIED=0", "Triage/TIED=0"},
                                         {"triage/tried=10", "Triage/TRIED=10"},
                                         {"triage/tied=500/hold=0", "Triage/HOLD=0/TIED=500"}}) {
    const auto parsed = parse_algorithm(given);
    ASSERT_TRUE(parsed) << given << ": " << parsed.error().message;
    EXPECT_EQ(algorithm_name(*parsed), canonical);
    EXPECT_EQ(algorithm_name(parse_algorithm(canonical).value()), canonical);
  }
}

TEST(TriageNames, WrongOnesSayWhatIsWanted) {
  for (const auto& [bad, wanted] : {std::pair{"Triage/PATIENCE=-1", "PATIENCE takes a number of seconds, at least 0"},
                                    {"Triage/PERIOD=0", "PERIOD takes a positive number of seconds"},
                                    {"Triage/SHORT=0", "SHORT takes a positive number of seconds"},
                                    {"Triage/SHARE=0", "SHARE takes a positive number"},
                                    {"Triage/NEW=1", "Triage no longer has NEW and YOUNG"},
                                    {"Triage/young=2", "does what both did at their default, 1"},
                                    {"Triage/PAYS=much", "PAYS takes a number, at least 0"},
                                    {"Triage/AGE=0.3", "AGE takes a multiple of 0.5 from 0 to 8"},
                                    {"Triage/WIDTH=0.3", "WIDTH takes a multiple of 0.25 from 0 to 2"},
                                    {"Triage/TIED=1.5", "TIED takes a whole number, at least 0"},
                                    {"Triage/TRIED=x", "TRIED takes a whole number, at least 0"},
                                    {"Triage/TIED=-1", "TIED takes a whole number, at least 0"},
                                    {"Triage/HOLD=1/HOLD=1", "'HOLD=1' is one part too many"},
                                    {"Triage/MOVE=FEW/MOVE=FEW", "'MOVE=FEW' is one part too many"},
                                    {"Triage/LIMITS/LIMITS", "'LIMITS' is one part too many"},
                                    {"Triage/LIMITS/PLACE=LOAD", "LIMITS goes with PLACE=HARM"},
                                    {"Triage/PLACE=NOWHERE", "'PLACE=NOWHERE' is not part of Triage"},
                                    {"Triage/", "'' is not part of Triage"}}) {
    const auto parsed = parse_algorithm(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().message.find(wanted), std::string::npos) << bad << ": " << parsed.error().message;
  }
}

// Who sees users' estimates is a matter of type.
TEST(TriageNames, OnlyLimitsSeesEstimates) {
  EXPECT_FALSE(needs_estimates(parse_algorithm("Triage").value()));
  EXPECT_TRUE(needs_estimates(parse_algorithm("Triage/LIMITS").value()));
  EXPECT_FALSE(parse_algorithm("Triage/LIMITS").value().traits.knows_run_times);
  EXPECT_TRUE(parse_algorithm("clairvoyant/Triage").value().traits.knows_run_times);
}

}  // namespace
}  // namespace dfrs
