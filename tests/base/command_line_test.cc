// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace dfrs::base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program with a subcommand, and what its options set.
struct Program {
  CommandLine line{"Says words.", "sayer"};
  bool loud = false;
  int times = 1;
  std::vector<std::string> words;
  std::string order = "given";
  int runs = 0;
  Command say;
  Option times_option;

  Program()
      : say(line.command().add_subcommand("say", "say words")),
        times_option(say.add_option("-n,--times", times, "how often").check(in_range(1, 9)).capture_default()) {
    line.version("sayer 1.0");
    line.command().require_subcommand();
    say.add_flag("--loud", loud, "in capitals");
    say.add_option("--words", words, "what to say").delimiter(',').required();
    say.add_option("--order", order, "of the words").check(one_of({"given", "sorted"})).group("Order");
    say.callback([this] { ++runs; });
  }

  auto parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "sayer");
    return line.parse(static_cast<int>(arguments.size()), arguments.data());
  }
};

TEST(CommandLine, OptionsAreSetBeforeTheCallback) {
  Program program;
  const auto parsed = program.parse({"say", "--words=a,b", "-n", "3", "--loud"});
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_FALSE(*parsed);
  EXPECT_THAT(program.words, ElementsAre("a", "b"));
  EXPECT_EQ(program.times, 3);
  EXPECT_TRUE(program.loud);
  EXPECT_EQ(program.runs, 1);
  EXPECT_TRUE(program.say.is_given());
  EXPECT_EQ(program.times_option.count(), 1U);
  EXPECT_THAT(program.times_option.given_values(), ElementsAre("3"));
}

TEST(CommandLine, ErrorsSayWhatIsWrong) {
  const auto error = [](std::vector<const char*> arguments) {
    Program program;
    const auto parsed = program.parse(std::move(arguments));
    EXPECT_EQ(program.runs, 0);
    return parsed ? "none" : parsed.error();
  };
  EXPECT_THAT(error({"say", "--words=a", "--times=10"}), HasSubstr("not in range"));
  EXPECT_THAT(error({"say", "--words=a", "--order=random"}), HasSubstr("random"));
  EXPECT_THAT(error({"say"}), HasSubstr("--words is required"));
  EXPECT_THAT(error({}), HasSubstr("subcommand"));
}

TEST(CommandLine, HelpAndVersionAreReturned) {
  const auto help = Program().parse({"say", "--help"});
  ASSERT_TRUE(help && *help);
  EXPECT_THAT(**help, HasSubstr("how often"));
  EXPECT_THAT(**help, HasSubstr("Order:"));
  const auto version = Program().parse({"--version"});
  ASSERT_TRUE(version && *version);
  EXPECT_EQ(**version, "sayer 1.0\n");
}

TEST(CommandLine, TellsItsOptions) {
  const Program program;
  std::vector<std::string> names;
  for (const Option& option : program.say.options()) {
    if (option != program.say.option("--help")) names.push_back(option.long_names().front());
  }
  EXPECT_THAT(names, ElementsAre("times", "loud", "words", "order"));
  EXPECT_EQ(program.times_option, program.say.option("-n"));
  EXPECT_THAT(program.times_option.short_names(), ElementsAre("n"));
  EXPECT_EQ(program.times_option.default_text(), "1");
  EXPECT_TRUE(program.times_option.takes_value());
  EXPECT_FALSE(program.say.option("--loud").takes_value());
  EXPECT_EQ(program.say.option("--words").list_delimiter(), ',');
  EXPECT_EQ(program.say.option("--order").list_delimiter(), std::nullopt);
  EXPECT_EQ(program.say.option("--order").group_name(), "Order");
  EXPECT_EQ(program.line.command().subcommands().front().name(), "say");
}

TEST(CommandLine, RulesOfOurOwn) {
  int pairs = 0;
  CommandLine line;
  const Rule even([](const std::string& text) { return text.back() % 2 == 0 ? "" : text + " is odd"; }, "EVEN");
  line.command().add_option("--pairs", pairs).check(even);
  EXPECT_EQ(even("3"), "3 is odd");
  EXPECT_EQ(even("4"), "");
  const std::vector<const char*> arguments{"", "--pairs=3"};
  const auto parsed = line.parse(2, arguments.data());
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error(), HasSubstr("3 is odd"));
}

}  // namespace
}  // namespace dfrs::base
