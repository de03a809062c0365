// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace dfrs::base {
namespace {

constexpr std::size_t kHelpWidth = 120;  // columns of a page of help

// The names of the options that the help shows, each after a space.
std::string names_of(const std::set<CLI::Option*>& options) {
  std::set<std::string> names;
  for (const CLI::Option* option : options) {
    if (!option->get_group().empty()) names.insert(option->get_name());
  }
  std::string text;
  for (const std::string& name : names) text += ' ' + name;
  return text;
}

// The group that the help shows an option in. Since CLI11 2.5 that of options without one is called "OPTIONS".
std::string group_of(const CLI::Option& option) {
  return option.get_group() == "OPTIONS" ? "Options" : option.get_group();
}

// Breaks lines between words where they are longer than `width`; lines after the first begin with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (line.size() > width) {
      std::size_t space = line.rfind(' ', width);
      if (space == std::string::npos || space == 0) space = line.find(' ', width);
      if (space == std::string::npos) break;
      result += line.substr(0, space) + '\n' + std::string(indent, ' ');
      line.erase(0, space + 1);
    }
    result += line + '\n' + std::string(indent, ' ');
  }
  result.resize(result.empty() ? 0 : result.size() - indent - 1);
  return result;
}

// CLI11 lays out help in another way with each version. This layout is the same on every system, and
// docs/from_help.pl reads it: at least two spaces part an option from its meaning.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const override {
    std::string text;
    if (!app->get_description().empty()) text += wrapped(app->get_description(), kHelpWidth, 0) + '\n';
    text += usage(*app, name);
    text += positionals(*app) + options(*app) + subcommands(*app);
    text += '\n';
    if (!app->get_footer().empty()) text += app->get_footer() + '\n';
    return text;
  }

 private:
  static std::string usage(const CLI::App& app, const std::string& name) {
    std::string text = "Usage: " + name + " [OPTIONS]";
    for (const CLI::Option* option : positionals_of(app)) {
      std::string value = option->get_name(true, false);
      if (takes_any_number(*option)) value += "...";
      text += option->get_required() ? ' ' + value : " [" + value + ']';
    }
    if (!app.get_subcommands({}).empty()) {
      text += app.get_require_subcommand_min() == 0 ? " [SUBCOMMAND]" : " SUBCOMMAND";
    }
    return text + '\n';
  }

  std::string positionals(const CLI::App& app) const {
    std::string text;
    for (const CLI::Option* option : positionals_of(app)) {
      text += item(option->get_name(true, false) + properties(*option), option->get_description());
    }
    return text.empty() ? text : "\nPositionals:\n" + text;
  }

  // Group by group, in the order in which the groups were first used.
  std::string options(const CLI::App& app) const {
    std::vector<std::pair<std::string, std::string>> groups;
    for (const CLI::Option* option : app.get_options({})) {
      const std::string name = group_of(*option);
      if (name.empty() || !option->nonpositional()) continue;
      auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) { return other.first == name; });
      if (group == groups.end()) group = groups.insert(group, {name, ""});
      group->second += item(option->get_name(false, true) + properties(*option), option->get_description());
    }
    std::string text;
    for (const auto& [name, items] : groups) text += '\n' + name + ":\n" + items;
    return text;
  }

  std::string subcommands(const CLI::App& app) const {
    std::string text;
    for (const CLI::App* command : app.get_subcommands({})) {
      if (!command->get_group().empty()) text += item(command->get_name(), command->get_description());
    }
    return text.empty() ? text : "\nSubcommands:\n" + text;
  }

  // What an option takes, and with which others.
  static std::string properties(const CLI::Option& option) {
    std::string text;
    if (option.get_type_size() != 0) {
      if (!option.get_type_name().empty()) text += ' ' + option.get_type_name();
      if (!option.get_default_str().empty()) text += '=' + option.get_default_str();
      if (takes_any_number(option)) text += " ...";
      if (option.get_required()) text += " REQUIRED";
    }
    if (!option.get_envname().empty()) text += " (Env:" + option.get_envname() + ')';
    if (const std::string names = names_of(option.get_needs()); !names.empty()) text += " Needs:" + names;
    if (const std::string names = names_of(option.get_excludes()); !names.empty()) text += " Excludes:" + names;
    return text;
  }

  std::string item(const std::string& what, const std::string& meaning) const {
    std::string text = "  " + what;
    if (!meaning.empty()) {
      if (text.size() + 2 > column_width_)
        text += '\n' + std::string(column_width_, ' ');
      else
        text.resize(column_width_, ' ');
      text += wrapped(meaning, kHelpWidth - column_width_, column_width_);
    }
    return text + '\n';
  }

  static bool takes_any_number(const CLI::Option& option) {
    return option.get_expected_max() == CLI::detail::expected_max_vector_size;
  }
  static std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
    return app.get_options(
        [](const CLI::Option* option) { return option->get_positional() && !option->get_group().empty(); });
  }
};

}  // namespace

Rule::Rule(Wrong wrong, std::string shown)
    : Rule(CLI::Validator([wrong = std::move(wrong)](std::string& text) { return wrong(text); }, std::move(shown))) {}
Rule::Rule(const CLI::Validator& validator) : validator_(std::make_shared<const CLI::Validator>(validator)) {}
std::string Rule::operator()(const std::string& text) const { return (*validator_)(text); }

template <typename T>
Rule in_range(T least, T most) {
  return Rule(CLI::Range(least, most));
}
template Rule in_range(int, int);
template Rule in_range(unsigned, unsigned);
template Rule in_range(std::int64_t, std::int64_t);
template Rule in_range(double, double);

Rule one_of(std::vector<std::string> values) { return Rule(CLI::IsMember(std::move(values))); }

Option Option::check(const Rule& rule) const { return Option(*option_->check(rule.validator())); }
Option Option::capture_default() const { return Option(*option_->capture_default_str()); }
Option Option::group(const std::string& name) const { return Option(*option_->group(name)); }
Option Option::required() const { return Option(*option_->required()); }
Option Option::excludes(const Option& other) const { return Option(*option_->excludes(other.option_)); }
Option Option::needs(const Option& other) const { return Option(*option_->needs(other.option_)); }
Option Option::delimiter(char between) const { return Option(*option_->delimiter(between)); }
Option Option::type_name(const std::string& name) const { return Option(*option_->type_name(name)); }
Option Option::expected(int least, int most) const { return Option(*option_->expected(least, most)); }
Option Option::description(const std::string& text) const { return Option(*option_->description(text)); }
Option Option::one_value_each_time() const { return Option(*option_->allow_extra_args(false)); }
Option Option::environment(const std::string& variable) const { return Option(*option_->envname(variable)); }

std::size_t Option::count() const { return option_->count(); }
std::vector<std::string> Option::given_values() const { return option_->results(); }
const std::vector<std::string>& Option::long_names() const { return option_->get_lnames(); }
const std::vector<std::string>& Option::short_names() const { return option_->get_snames(); }
bool Option::is_positional() const { return option_->get_positional(); }
bool Option::takes_value() const { return option_->get_items_expected_max() != 0; }
std::string Option::group_name() const { return group_of(*option_); }
std::string Option::default_text() const { return option_->get_default_str(); }
std::optional<char> Option::list_delimiter() const {
  const char between = option_->get_delimiter();
  return between == '\0' ? std::nullopt : std::optional(between);
}

template <typename T>
Option Command::add_option(const std::string& names, T& value, const std::string& help) const {
  return Option(*app_->add_option(names, value, help));
}
Option Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(names, value, help));
}
Option Command::add_flag(const std::string& names, std::function<void()> given, const std::string& help) const {
  return Option(*app_->add_flag(names, [given = std::move(given)](std::int64_t) { given(); }, help));
}
Command Command::add_subcommand(const std::string& name, const std::string& help) const {
  return Command(*app_->add_subcommand(name, help));
}
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::callback(std::function<void()> run) const { app_->callback(std::move(run)); }
void Command::require_subcommand() const { app_->require_subcommand(1); }

const std::string& Command::name() const { return app_->get_name(); }
bool Command::is_given() const { return app_->parsed(); }
Option Command::option(const std::string& name) const { return Option(*app_->get_option(name)); }
Command Command::subcommand(const std::string& name) const { return Command(*app_->get_subcommand(name)); }
std::vector<Option> Command::options() const {
  std::vector<Option> all;
  for (CLI::Option* option : app_->get_options({})) all.emplace_back(*option);
  return all;
}
std::vector<Command> Command::subcommands() const {
  std::vector<Command> all;
  for (CLI::App* command : app_->get_subcommands({})) all.emplace_back(*command);
  return all;
}

CommandLine::CommandLine(const std::string& help, const std::string& program)
    : app_(std::make_unique<CLI::App>(help, program)), command_(*app_) {
  app_->formatter(std::make_shared<HelpFormatter>());
}
CommandLine::~CommandLine() = default;
void CommandLine::version(const std::string& text) { app_->set_version_flag("--version", text); }
void CommandLine::column_width(std::size_t characters) { app_->get_formatter()->column_width(characters); }
void CommandLine::options_anywhere() { app_->fallthrough(); }

tl::expected<std::optional<std::string>, std::string> CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    app_->exit(request, text, text);
    return text.str();
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(std::string(error.what()));
  }
  return std::nullopt;
}

template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint16_t&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, unsigned&, const std::string&) const;
template Option Command::add_option(const std::string&, std::int64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<double>&, const std::string&) const;

}  // namespace dfrs::base
