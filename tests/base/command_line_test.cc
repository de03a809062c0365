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

// Whatever the version of CLI11: the reference, the manual pages and the completions are made from it.
TEST(CommandLine, HelpIsLaidOutTheSameOnEverySystem) {
  int count = 0;
  std::string text;
  std::vector<std::string> files;
  bool flag = false;
  CommandLine line(
      "Counts what is in files, line by line and word by word, and prints a table of the counts that it has "
      "found, with their sums.",
      "counter");
  line.version("counter 1.0");
  line.command().footer("Exit codes:\n  0  success");
  const Command command = line.command().add_subcommand("count", "count words");
  line.command().add_subcommand("list", "list files");
  command.add_option("FILES", files, "what to count").required();
  command.add_option("-n,--most", count, "stop there").check(in_range(1, 9)).capture_default();
  const Option shape =
      command.add_option("--shape-of-the-table", text, "wide or narrow").check(one_of({"wide", "narrow"}));
  command
      .add_flag("--empty,!--no-empty", flag,
                "also count lines without a word, which most people who use this program leave out of their tables")
      .group("Lines");
  command.add_option("--old-spelling", text).group("").excludes(shape);
  command.add_option("--title", text, "above the table").needs(shape).excludes(command.option("--old-spelling"));
  const auto help = [&](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "counter");
    return line.parse(static_cast<int>(arguments.size()), arguments.data()).value().value();
  };
  EXPECT_EQ(help({"count", "--help"}), R"(count words
Usage: counter count [OPTIONS] FILES...

Positionals:
  FILES TEXT ... REQUIRED     what to count

Options:
  -h,--help                   Print this help message and exit
  -n,--most INT:INT in [1 - 9]=0
                              stop there
  --shape-of-the-table TEXT:{wide,narrow}
                              wide or narrow
  --title TEXT Needs: --shape-of-the-table
                              above the table

Lines:
  --empty,--no-empty{false}   also count lines without a word, which most people who use this program leave out of their
                              tables

Exit codes:
  0  success
)");
  EXPECT_EQ(
      help({"--help"}),
      R"(Counts what is in files, line by line and word by word, and prints a table of the counts that it has found, with their
sums.
Usage: counter [OPTIONS] [SUBCOMMAND]

Options:
  -h,--help                   Print this help message and exit
  --version                   Display program version information and exit

Subcommands:
  count                       count words
  list                        list files

Exit codes:
  0  success
)");
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
