// SPDX-License-Identifier: GPL-2.0-or-later
// The names of Triage and its variants:
//
//   Triage ['/PLACE=' LOAD|HARM] ['/YIELD=' EQUAL|URGENT] ['/MOVE=' NONE|FEW|GAIN] ['/PAUSE=' NONE|WORTH]
//          ['/LIMITS'] ['/SHORT=' SECONDS] ['/' PARAMETER ...]
//
// The defaults are HARM, URGENT, GAIN and WORTH. LIMITS goes by users' time limits where nothing may be paused. SHORT
// is the length of a short job, 10 s by default; all of Triage's times scale with it, except those given as a
// PARAMETER. PARAMETER is one of kParameters, such as '/HOLD=300'.
#include <array>
#include <cmath>
#include <optional>

#include "policy/core/registry.h"
#include "policy/triage/options.h"
#include "policy/triage/triage_policy.h"
#include "policy/triage/urgency.h"

namespace dfrs {
namespace {

struct Part {
  std::string_view name;  ///< with the "="
  std::array<std::string_view, 3> values;
  std::array<std::string_view, 3> descriptions;
  int usual;  ///< the value of a name that does not give one
};
constexpr std::array<Part, 4> kParts{
    {{"PLACE=", {"LOAD", "HARM", ""}, {"on the least loaded nodes", "where least CPU is lost", ""}, 1},
     {"YIELD=", {"EQUAL", "URGENT", ""}, {"max-min fair CPU", "more CPU for the worst off", ""}, 1},
     {"MOVE=", {"NONE", "FEW", "GAIN"}, {"no moves", "few moves", "moves that pay"}, 2},
     {"PAUSE=", {"NONE", "WORTH", ""}, {"no pauses", "", ""}, 1}}};

using Values = std::array<int, 4>;

TriageParts parts_of(const Values& values) {
  return {static_cast<TriageParts::Placement>(values[0]), static_cast<TriageParts::Yields>(values[1]),
          static_cast<TriageParts::Moves>(values[2]), values[3] != 0};
}

template <typename Options>
using NumberOf = double Options::*;

struct Parameter {
  enum class Kind { seconds, period, ratio, margin, power, width, count };
  std::string_view name;  ///< with the "="
  NumberOf<TriageOptions> member;
  Kind kind;
};
constexpr std::array<Parameter, 18> kParameters{{{"PATIENCE=", &TriageOptions::patience, Parameter::Kind::seconds},
                                                 {"HOLD=", &TriageOptions::hold, Parameter::Kind::seconds},
                                                 {"PAUSED=", &TriageOptions::margin_paused, Parameter::Kind::margin},
                                                 {"ROOM=", &TriageOptions::elbow_room, Parameter::Kind::ratio},
                                                 {"OWN=", &TriageOptions::own_loss, Parameter::Kind::ratio},
                                                 {"STRETCH=", &TriageOptions::stretch_power, Parameter::Kind::power},
                                                 {"AGE=", &TriageOptions::age_power, Parameter::Kind::power},
                                                 {"PERIOD=", &TriageOptions::move_period, Parameter::Kind::period},
                                                 {"PAYS=", &TriageOptions::move_gain, Parameter::Kind::ratio},
                                                 {"TIED=", &TriageOptions::tied, Parameter::Kind::count},
                                                 {"TRIED=", &TriageOptions::tried, Parameter::Kind::count},
                                                 {"RETURN=", &TriageOptions::crowded_return, Parameter::Kind::ratio},
                                                 {"WIDTH=", &TriageOptions::width_power, Parameter::Kind::width},
                                                 {"LOSS=", &TriageOptions::loss_margin, Parameter::Kind::margin},
                                                 {"AGED=", &TriageOptions::loss_age, Parameter::Kind::ratio},
                                                 {"CROWD=", &TriageOptions::crowd, Parameter::Kind::ratio},
                                                 {"SHARE=", &TriageOptions::share, Parameter::Kind::margin},
                                                 {"PROBE=", &TriageOptions::probe, Parameter::Kind::seconds}}};
using Given = std::array<std::optional<double>, kParameters.size()>;

bool is_power(double value) { return value >= 0 && value <= 8 && value * 2 == std::floor(value * 2); }

bool is_width_power(double value) { return value <= 2 && is_power(2 * value); }

std::optional<double> value_of(const Parameter& parameter, std::string_view text) {
  const std::optional<double> value = text == "0" ? 0.0 : seconds_from_name(text);
  if (!value) return std::nullopt;
  const bool positive = parameter.kind == Parameter::Kind::period || parameter.kind == Parameter::Kind::margin;
  if (positive && !(*value > 0)) return std::nullopt;
  if (parameter.kind == Parameter::Kind::power && !is_power(*value)) return std::nullopt;
  if (parameter.kind == Parameter::Kind::width && !is_width_power(*value)) return std::nullopt;
  if (parameter.kind == Parameter::Kind::count && *value != std::floor(*value)) return std::nullopt;
  return value;
}

std::string wanted(const Parameter& parameter) {
  std::string text(parameter.name.substr(0, parameter.name.size() - 1));
  switch (parameter.kind) {
    case Parameter::Kind::seconds:
      return text + " takes a number of seconds, at least 0";
    case Parameter::Kind::period:
      return text + " takes a positive number of seconds";
    case Parameter::Kind::ratio:
      return text + " takes a number, at least 0";
    case Parameter::Kind::margin:
      return text + " takes a positive number";
    case Parameter::Kind::count:
      return text + " takes a whole number, at least 0";
    case Parameter::Kind::width:
      return text + " takes a multiple of 0.25 from 0 to 2";
    case Parameter::Kind::power:
      break;
  }
  return text + " takes a multiple of 0.5 from 0 to 8";
}

constexpr std::string_view kShortPart = "SHORT=";
constexpr std::string_view kLimitsPart = "LIMITS";

TriageOptions options_of(const EngineOptions& options, Seconds short_job, const Given& given) {
  TriageOptions triage = options.of<TriageOptions>();
  const double scale = short_job / triage::kShort;
  triage.time_scale *= scale;
  triage.penalty /= scale;  // hosts give seconds, as do the parameters below: SHORT must not scale them
  for (std::size_t k = 0; k < kParameters.size(); ++k) {
    const Parameter& p = kParameters[k];
    if (!given[k]) continue;
    const bool time = p.kind == Parameter::Kind::seconds || p.kind == Parameter::Kind::period;
    triage.*p.member = *given[k] / (time ? scale : 1);
  }
  return triage;
}

Algorithm policy_of(const Values& values, bool limits = false, Seconds short_job = triage::kShort,
                    const Given& given = {}) {
  std::string name = "Triage";
  std::string description = "the worst-off jobs start first and displace those that lose least";
  for (std::size_t k = 0; k < kParts.size(); ++k) {
    const auto value = static_cast<std::size_t>(values[k]);
    if (values[k] != kParts[k].usual) (name += '/').append(kParts[k].name).append(kParts[k].values[value]);
    if (!kParts[k].descriptions[value].empty()) description.append("; ").append(kParts[k].descriptions[value]);
  }
  if (limits) {
    (name += '/').append(kLimitsPart);
    description.append("; memory reserved by time limits for jobs that are never paused");
  }
  if (short_job != triage::kShort) {
    name.append("/").append(kShortPart).append(seconds_in_name(short_job));
    description.append("; times for jobs of ").append(seconds_in_name(short_job)).append(" s and more");
  }
  for (std::size_t k = 0; k < kParameters.size(); ++k) {
    if (given[k]) (name += '/').append(kParameters[k].name).append(seconds_in_name(*given[k]));
  }
  PolicyTraits traits;
  traits.submissions_apart = false;
  const TriageParts parts = parts_of(values);
  if (limits) {
    return {std::move(name), std::move(description), traits, MakeBatch([=](const EngineOptions& options) {
              return std::make_unique<TriageLimitsPolicy>(parts, options_of(options, short_job, given));
            })};
  }
  return {std::move(name), std::move(description), traits, MakeNonClairvoyant([=](const EngineOptions& options) {
            return std::make_unique<TriagePolicy>(parts, options_of(options, short_job, given));
          })};
}

std::vector<Algorithm> list() {
  return {policy_of({1, 1, 2, 1}), policy_of({0, 0, 0, 1}), policy_of({0, 0, 1, 1}),
          policy_of({1, 0, 0, 1}), policy_of({1, 0, 2, 1}), policy_of({0, 1, 0, 1}),
          policy_of({1, 1, 0, 1}), policy_of({1, 1, 0, 0}), policy_of({1, 1, 2, 1}, true)};
}

NameMatch parse(std::string_view name) {
  if (!same_name(name.substr(0, name.find('/')), "Triage")) return std::optional<Algorithm>();
  Values values{};
  for (std::size_t k = 0; k < kParts.size(); ++k) values[k] = kParts[k].usual;
  std::array<bool, kParts.size()> seen{};
  std::optional<Seconds> short_job;
  bool limits = false;
  Given parameters{};
  name.remove_prefix(std::string_view("Triage").size());
  while (!name.empty()) {
    name.remove_prefix(1);
    const std::string_view given = name.substr(0, name.find('/'));
    name.remove_prefix(given.size());
    bool known = false;
    if (name_starts_with(given, kShortPart)) {
      if (short_job) return wrong("'" + std::string(given) + "' is one part too many");
      short_job = seconds_from_name(given.substr(kShortPart.size()));
      if (!short_job) return wrong("SHORT takes a positive number of seconds");
      known = true;
    }
    if (same_name(given, kLimitsPart)) {
      if (limits) return wrong("'" + std::string(given) + "' is one part too many");
      known = limits = true;
    }
    for (std::size_t k = 0; k < kParts.size() && !known; ++k) {
      const Part& part = kParts[k];
      if (!name_starts_with(given, part.name)) continue;
      for (std::size_t v = 0; v < part.values.size(); ++v) {
        if (part.values[v].empty() || !same_name(given.substr(part.name.size()), part.values[v])) continue;
        if (seen[k]) return wrong("'" + std::string(given) + "' is one part too many");
        values[k] = static_cast<int>(v);
        known = seen[k] = true;
      }
    }
    for (std::size_t k = 0; k < kParameters.size() && !known; ++k) {
      const Parameter& parameter = kParameters[k];
      if (!name_starts_with(given, parameter.name)) continue;
      if (parameters[k]) return wrong("'" + std::string(given) + "' is one part too many");
      parameters[k] = value_of(parameter, given.substr(parameter.name.size()));
      if (!parameters[k]) return wrong(wanted(parameter));
      known = true;
    }
    if (!known && (name_starts_with(given, "NEW=") || name_starts_with(given, "YOUNG="))) {
      return wrong("Triage no longer has NEW and YOUNG; without them it does what both did at their default, 1");
    }
    if (!known) {
      return wrong("'" + std::string(given) +
                   "' is not part of Triage: PLACE=LOAD, YIELD=EQUAL, MOVE=NONE, LIMITS, SHORT=1, PATIENCE=60 ...");
    }
  }
  if (limits && parts_of(values).placement == TriageParts::Placement::load) {
    return wrong("LIMITS goes with PLACE=HARM, which is the default");
  }
  return std::optional<Algorithm>(policy_of(values, limits, short_job.value_or(triage::kShort), parameters));
}

constexpr NumberRange kPower{"a multiple of 0.5 from 0 to 8", is_power};
constexpr NumberRange kWidthPower{"a multiple of 0.25 from 0 to 2", is_width_power};
constexpr std::array kFields{option_field<&TriageOptions::penalty>("penalty", kNotNegative),
                             option_field<&TriageOptions::time_scale>("time_scale", kPositive),
                             option_field<&TriageOptions::patience>("patience", kNotNegative),
                             option_field<&TriageOptions::hold>("hold", kNotNegative),
                             option_field<&TriageOptions::margin_paused>("margin_paused", kPositive),
                             option_field<&TriageOptions::elbow_room>("elbow_room", kNotNegative),
                             option_field<&TriageOptions::own_loss>("own_loss", kNotNegative),
                             option_field<&TriageOptions::stretch_power>("stretch_power", kPower),
                             option_field<&TriageOptions::age_power>("age_power", kPower),
                             option_field<&TriageOptions::move_period>("move_period", kPositive),
                             option_field<&TriageOptions::move_gain>("move_gain", kNotNegative),
                             option_field<&TriageOptions::crowded_return>("crowded_return", kNotNegative),
                             option_field<&TriageOptions::width_power>("width_power", kWidthPower),
                             option_field<&TriageOptions::loss_margin>("loss_margin", kPositive),
                             option_field<&TriageOptions::loss_age>("loss_age", kNotNegative),
                             option_field<&TriageOptions::crowd>("crowd", kNotNegative),
                             option_field<&TriageOptions::share>("share", kPositive),
                             option_field<&TriageOptions::probe>("probe", kNotNegative),
                             option_field<&TriageOptions::tied>("tied", kNotNegative),
                             option_field<&TriageOptions::tried>("tried", kNotNegative)};
static_assert(kFields.size() == field_count<TriageOptions>(), "an option is missing in the table");
constexpr OptionTable kOptions{"triage", kFields};

}  // namespace

extern const PolicyFamily triage_family{
    "beyond", "Triage, beyond the papers (docs/reference/triage.md)", list, parse, nullptr, &kOptions};

}  // namespace dfrs
