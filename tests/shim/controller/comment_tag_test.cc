// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/comment_tag.h"

#include <gtest/gtest.h>

#include "tests/oracle/dice.h"

namespace dfrs::shim {
namespace {

TEST(CommentTag, KeepsTheUsersWords) {
  EXPECT_EQ(with_tag("", {false, 0.25, 1234}), "[dfrs yield=0.25 vt=1234s]");
  EXPECT_EQ(with_tag("my words", {false, 1, 0}), "my words [dfrs yield=1.00 vt=0s]");
  EXPECT_EQ(with_tag("my words [dfrs yield=1.00 vt=0s]", {true, 0, 7}), "my words [dfrs paused vt=7s]");
  EXPECT_EQ(user_comment("my words [dfrs paused vt=7s]"), "my words");
  EXPECT_EQ(user_comment("[dfrs paused vt=7s]"), "");
  EXPECT_EQ(user_comment("my [words]"), "my [words]");
  // Text that only looks like a tag belongs to the user.
  EXPECT_EQ(user_comment("why [dfrs is slow]"), "why [dfrs is slow]");
  EXPECT_EQ(with_tag("[dfrs yield=2 vt=0s]", {true, 0, 7}), "[dfrs yield=2 vt=0s] [dfrs paused vt=7s]");
  // If a user appends to a tag, all of it belongs to the user.
  EXPECT_EQ(user_comment("a [dfrs paused vt=7s] b"), "a [dfrs paused vt=7s] b");
}

TEST(CommentTag, SmallYieldsKeepDigitsThatMeanSomething) {
  EXPECT_EQ(format_tag({false, 0.042, 0}), "[dfrs yield=0.042 vt=0s]");
  EXPECT_EQ(format_tag({false, 0.0042, 0}), "[dfrs yield=0.0042 vt=0s]");
}

TEST(CommentTag, ReadsWhatItWrites) {
  oracle::Dice dice(1);
  for (int k = 0; k < 1000; ++k) {
    CommentTag tag;
    tag.paused = dice.chance(30);
    if (!tag.paused) tag.yield = dice.between(1, 100) / 100.0;
    tag.virtual_time = dice.between(0, 100000);
    const auto read = find_tag(with_tag(dice.chance(50) ? "x" : "", tag));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->paused, tag.paused);
    EXPECT_NEAR(read->yield, tag.yield, 1e-9);
    EXPECT_EQ(read->virtual_time, tag.virtual_time);
  }
}

TEST(CommentTag, WhatIsNotATagIsNone) {
  for (const char* text :
       {"", "]", "[dfrs ]", "[dfrs yield=2.00 vt=1s]", "[dfrs yield=-1 vt=1s]", "[dfrs yield=nan vt=1s]",
        "[dfrs paused vt=1]", "[dfrs paused vt=s]", "[dfrs paused vt=1s] ", "x[dfrs paused vt=1s]",
        "[dfrs yield=0.5 vt=1e3s]", "[dfrs yield=0.5vt=1s]", "[slurm paused vt=1s]"}) {
    EXPECT_FALSE(find_tag(text).has_value()) << text;
  }
}

TEST(CommentTag, RandomTextIsSafe) {
  oracle::Dice dice(2);
  const std::string letters = "[]dfrs yieldpausvt=0123456789.-s\n\xff";
  for (int k = 0; k < 20000; ++k) {
    std::string text = dice.chance(50) ? "[dfrs " : "";
    for (int n = dice.between(0, 30); n > 0; --n)
      text += letters[dice.below(static_cast<std::uint32_t>(letters.size()))];
    if (dice.chance(50)) text += "s]";
    (void)find_tag(text);
    // Tagged again, it still has its user's words, and one tag.
    const std::string words(user_comment(text));
    EXPECT_EQ(user_comment(with_tag(text, {false, 0.5, 3})), words) << text;
  }
}

TEST(CommentTag, ATaggedCommentSaysWhatItsLastTextSays) {
  TaggedComment comment;
  EXPECT_EQ(comment.words(), "");
  EXPECT_FALSE(comment.tag().has_value());
  for (const char* text : {"mine [dfrs yield=0.25 vt=7s]", "mine [dfrs yield=0.25 vt=7s]", "mine", "",
                           "[dfrs paused vt=3s]", "why [dfrs is slow]", "a long comment that is not short any more"}) {
    comment = text;
    EXPECT_EQ(comment.text(), text);
    EXPECT_EQ(comment.words(), user_comment(text));
    EXPECT_EQ(comment.tag(), find_tag(text));
  }
  const TaggedComment copy = comment;  // its words are its own
  comment = "other";
  EXPECT_EQ(copy.words(), "a long comment that is not short any more");
}

TEST(CommentTag, WordsStandBetweenBlanksOrCommas) {
  EXPECT_TRUE(has_word("dfrs:checkpoint", "dfrs:checkpoint"));
  EXPECT_TRUE(has_word("a, dfrs:checkpoint;b", "dfrs:checkpoint"));
  EXPECT_TRUE(has_word("xdfrs:checkpoint dfrs:checkpoint", "dfrs:checkpoint"));
  EXPECT_FALSE(has_word("dfrs:checkpoints", "dfrs:checkpoint"));
  EXPECT_FALSE(has_word("no-dfrs:checkpoint", "dfrs:checkpoint"));
  EXPECT_FALSE(has_word("", "dfrs:checkpoint"));
  EXPECT_FALSE(has_word("a b", ""));
}

}  // namespace
}  // namespace dfrs::shim
