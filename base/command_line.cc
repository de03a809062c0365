// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <set>
#include <sstream>
#include <utility>

namespace dfrs::base {
namespace {

std::string names_of(const std::set<CLI::Option*>& options) {
  std::set<std::string> names;
  for (const CLI::Option* option : options) names.insert(option->get_name());
  std::string text;
  for (const std::string& name : names) text += ' ' + name;
  return text;
}

// How CLI11 shows options depends on its version. This way is the same on every system, as in the reference pages.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0) {
      if (!option->get_type_name().empty()) text += ' ' + option->get_type_name();
      if (!option->get_default_str().empty()) text += '=' + option->get_default_str();
      if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
      if (option->get_required()) text += " REQUIRED";
    }
    if (!option->get_envname().empty()) text += " (Env:" + option->get_envname() + ')';
    if (!option->get_needs().empty()) text += " Needs:" + names_of(option->get_needs());
    if (!option->get_excludes().empty()) text += " Excludes:" + names_of(option->get_excludes());
    return text;
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
const std::string& Option::group_name() const { return option_->get_group(); }
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
