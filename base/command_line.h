// SPDX-License-Identifier: GPL-2.0-or-later
// Command lines: what the programs use of CLI11, whose headers take longer to compile than most of our files. Only
// command_line.cc includes them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace dfrs::base {

/// What the value of an option must fulfil.
class Rule {
 public:
  /// Says what is wrong with a value; empty: nothing.
  using Wrong = std::function<std::string(const std::string&)>;

  /// `shown` stands for the value in the help; empty: nothing does.
  Rule(Wrong wrong, std::string shown);
  explicit Rule(const CLI::Validator& validator);

  std::string operator()(const std::string& text) const;
  const CLI::Validator& validator() const { return *validator_; }

 private:
  std::shared_ptr<const CLI::Validator> validator_;
};

/// From `least` to `most`. T: int, unsigned, std::int64_t or double; nan passes.
template <typename T>
Rule in_range(T least, T most);
Rule one_of(std::vector<std::string> values);
/// Of braces, which would otherwise also mean two iterators.
inline Rule one_of(std::initializer_list<const char*> values) {
  return one_of(std::vector<std::string>(values.begin(), values.end()));
}

/// An option of a command; copies are the same option. It lives as long as its CommandLine.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option check(const Rule& rule) const;
  /// The help shows the value that the variable has now.
  Option capture_default() const;
  /// The heading in the help; empty: not shown.
  Option group(const std::string& name) const;
  Option required() const;
  Option excludes(const Option& other) const;
  Option needs(const Option& other) const;
  /// Splits a list, such as "a,b".
  Option delimiter(char between) const;
  Option type_name(const std::string& name) const;
  Option expected(int least, int most) const;
  Option description(const std::string& text) const;
  /// A list takes one value each time that it is given, not all words that follow.
  Option one_value_each_time() const;
  /// The environment variable that has the value of an option that is not given.
  Option environment(const std::string& variable) const;

  /// How often it was given.
  std::size_t count() const;
  std::vector<std::string> given_values() const;
  /// Without their dashes: {"output"} and {"o"}.
  const std::vector<std::string>& long_names() const;
  const std::vector<std::string>& short_names() const;
  bool is_positional() const;
  bool takes_value() const;
  std::string group_name() const;
  std::string default_text() const;
  /// Nothing if it does not split lists.
  std::optional<char> list_delimiter() const;

  friend bool operator==(const Option&, const Option&) = default;

 private:
  CLI::Option* option_;
};

/// A program or one of its subcommands; copies are the same command. It lives as long as its CommandLine.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// Sets `value` when the option is given. T: see the end of command_line.cc.
  template <typename T>
  Option add_option(const std::string& names, T& value, const std::string& help = "") const;
  Option add_flag(const std::string& names, bool& value, const std::string& help = "") const;
  Option add_flag(const std::string& names, std::function<void()> given, const std::string& help) const;
  Command add_subcommand(const std::string& name, const std::string& help) const;
  void footer(const std::string& text) const;
  /// Runs while the command line is parsed, once all options are set.
  void callback(std::function<void()> run) const;
  void require_subcommand() const;

  const std::string& name() const;
  /// Whether the command line has it.
  bool is_given() const;
  /// Errors: std::exception if it has none of this name.
  Option option(const std::string& name) const;
  Command subcommand(const std::string& name) const;
  std::vector<Option> options() const;
  std::vector<Command> subcommands() const;

 private:
  CLI::App* app_;
};

/// The command line of a program.
class CommandLine {
 public:
  explicit CommandLine(const std::string& help = "", const std::string& program = "");
  ~CommandLine();

  const Command& command() const { return command_; }
  void version(const std::string& text);
  /// Width of the column with the options in the help.
  void column_width(std::size_t characters);
  /// Options of the program may also follow the subcommand.
  void options_anywhere();

  /// Sets the options and runs the callback of the subcommand. Returns the text that --help or --version asks for, if
  /// one of them was given. Errors: what is wrong with the command line; and what a callback throws.
  tl::expected<std::optional<std::string>, std::string> parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Command command_;
};

}  // namespace dfrs::base
