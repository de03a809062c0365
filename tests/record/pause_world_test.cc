// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/pause_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::record {
namespace {

using ::testing::HasSubstr;

PauseWorld world(std::string_view text) {
  const auto parsed = parse_world(text);
  EXPECT_TRUE(parsed.has_value()) << parsed.error();
  return parsed.value_or(PauseWorld{});
}

std::string error_of(std::string_view text) {
  const auto parsed = parse_world(text);
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? "" : parsed.error();
}

TEST(PauseWorld, Grammar) {
  EXPECT_EQ(world("kept"), PauseWorld{});
  EXPECT_EQ(world("Suspended"), PauseWorld::all(PauseEffect::suspended));
  EXPECT_EQ(world("mixed:0.25/suspended"), (PauseWorld{0.25, PauseEffect::suspended, 1, false}));
  EXPECT_EQ(world("mixed:marked/suspended"), (PauseWorld{1, PauseEffect::suspended, 1, true}));
  EXPECT_EQ(world("None"), PauseWorld::all(PauseEffect::none));
  EXPECT_EQ(world("LOST"), PauseWorld::all(PauseEffect::lost));
  EXPECT_EQ(world("mixed:0.25"), (PauseWorld{0.25, PauseEffect::none, 1, false}));
  EXPECT_EQ(world("mixed:0.25:7/lost"), (PauseWorld{0.25, PauseEffect::lost, 7, false}));
  EXPECT_EQ(world("mixed:0.25/none"), (PauseWorld{0.25, PauseEffect::none, 1, false}));
  EXPECT_EQ(world("mixed:marked/lost"), (PauseWorld{1, PauseEffect::lost, 1, true}));
  EXPECT_EQ(world("mixed:marked"), (PauseWorld{1, PauseEffect::none, 1, true}));
}

TEST(PauseWorld, TheEndsOfTheMixAreThePlainWorlds) {
  EXPECT_EQ(world("mixed:0"), world("none"));
  EXPECT_EQ(world("mixed:0:5/lost"), world("lost"));
  EXPECT_EQ(world("mixed:0/suspended"), world("suspended"));
  EXPECT_EQ(world("mixed:1:5/lost"), world("kept"));
  EXPECT_EQ(world("mixed:1/suspended"), world("kept"));
}

TEST(PauseWorld, TextsReadBack) {
  for (const char* text :
       {"kept", "none", "lost", "mixed:0.5:1/none", "mixed:0.1:18446744073709551615/lost", "mixed:marked/none",
        "mixed:marked/lost", "suspended", "mixed:0.5:1/suspended", "mixed:marked/suspended"}) {
    EXPECT_EQ(world_text(world(text)), text);
  }
}

TEST(PauseWorld, ErrorsSayWhatWasExpected) {
  for (const char* text :
       {"", "keep", "mixed", "mixed:", "mixed:x", "mixed:1.5", "mixed:-0.1", "mixed:nan", "mixed:0.5:", "mixed:0.5:x",
        "mixed:0.5:-1", "mixed:0.5/kept", "mixed:0.5/", "mixed:0.5:1:2"}) {
    EXPECT_THAT(error_of(text), HasSubstr("expected kept, suspended, none, lost, mixed:X")) << text;
  }
  EXPECT_THAT(error_of("mixed:1.5"), HasSubstr("a number from 0 to 1"));
  EXPECT_THAT(error_of("mixed:0.5:x"), HasSubstr("the seed is a whole number"));
  EXPECT_THAT(error_of("mixed:0.5/kept"), HasSubstr("/suspended, /none or /lost"));
}

TEST(PauseWorld, WhichEffectsItHas) {
  EXPECT_FALSE(world("kept").some_suspended() || world("none").some_suspended() ||
               world("mixed:0.5/lost").some_suspended());
  EXPECT_TRUE(world("suspended").some_suspended() && world("mixed:0.5/suspended").some_suspended());
  EXPECT_TRUE(world("mixed:marked").some_suspended()) << "a mark may say so";
  EXPECT_FALSE(world("suspended").some_lose());
  EXPECT_EQ(pauses_seen(PauseEffect::suspended), Pauses::kept);
  EXPECT_EQ(pauses_seen(PauseEffect::lost), Pauses::lost);
  EXPECT_EQ(pauses_seen(PauseEffect::none), Pauses::none);
}

TEST(PauseDraw, IsEvenAndDependsOnSeedAndJob) {
  double sum = 0;
  int below = 0;
  int same = 0;
  constexpr int kJobs = 20000;
  for (int k = 0; k < kJobs; ++k) {
    const double draw = pause_draw(1, static_cast<JobId>(k), 4, 100);
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, 1);
    sum += draw;
    if (draw < 0.25) ++below;
    if ((draw < 0.5) == (pause_draw(2, static_cast<JobId>(k), 4, 100) < 0.5)) ++same;
  }
  EXPECT_NEAR(sum / kJobs, 0.5, 0.01);
  EXPECT_NEAR(below / double{kJobs}, 0.25, 0.015);
  EXPECT_NEAR(same / double{kJobs}, 0.5, 0.015);
  EXPECT_NE(pause_draw(1, 7, 4, 100), pause_draw(1, 7, 5, 100));
  EXPECT_NE(pause_draw(1, 7, 4, 100), pause_draw(1, 7, 4, 101));
}

// Campaigns that continue and results that are compared rest on it.
TEST(PauseDraw, IsTheSameEverywhere) { EXPECT_DOUBLE_EQ(pause_draw(1, 1, 1, 1), 0.94644069714272105); }

}  // namespace
}  // namespace dfrs::record
