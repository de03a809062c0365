// SPDX-License-Identifier: GPL-2.0-or-later
// The names of RR-7659's DFRS algorithms (section 4.5 and table 1), and how each is made.
#include <algorithm>
#include <array>

#include "policy/core/registry.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/dfrs_policy.h"
#include "policy/rr7659/options.h"

namespace dfrs {
namespace {

using Submission = DfrsAlgorithm::Submission;
using Periodic = DfrsAlgorithm::Periodic;
using Objective = DfrsAlgorithm::Objective;

struct SubmissionName {
  Submission submission;
  std::string_view name;
};
constexpr std::array<SubmissionName, 5> kSubmissions{{{Submission::greedy, "Greedy"},
                                                      {Submission::greedy_p, "GreedyP"},
                                                      {Submission::greedy_pm, "GreedyPM"},
                                                      {Submission::mcb8, "MCB8"},
                                                      {Submission::nothing, ""}}};
// Error: what is wrong with a name, as half a sentence.
using Checked = tl::expected<void, std::string>;

Checked check_combination(const DfrsAlgorithm& a) {
  const bool periodic = a.periodic != Periodic::nothing;
  const bool stretch = a.periodic == Periodic::mcb8_stretch;
  const bool stretch_objective = a.objective == Objective::max_stretch || a.objective == Objective::avg_stretch;
  if (a.on_submission == Submission::nothing && a.opportunistic) {
    return wrong("'*' needs a rule for submissions before it");
  }
  if (a.on_submission == Submission::nothing && !periodic) {
    return wrong("it says neither what to do on submission nor periodically");
  }
  if (!a.opportunistic && !periodic) {
    return wrong("without '*' or '/per' a job that cannot start at once would wait for ever");
  }
  if (stretch && a.on_submission != Submission::nothing) {
    return wrong("/stretch-per stands alone, without a rule for submissions");
  }
  if (stretch != stretch_objective) {
    return wrong(stretch ? "/stretch-per goes with OPT=MAX or OPT=AVG" : "OPT=MAX goes with /stretch-per only");
  }
  if (a.limit.kind != RemapLimit::Kind::none && !periodic && a.on_submission != Submission::mcb8) {
    return wrong("MINVT and MINFT limit MCB8, which this algorithm never uses");
  }
  if (a.ties != Ties::oldest && !periodic && a.on_submission != Submission::mcb8) {
    return wrong("TIES is about MCB8, which this algorithm never uses");
  }
  if (a.fills && (!a.opportunistic || !periodic || a.on_submission == Submission::mcb8)) {
    return wrong("/FILL goes with Greedy*, GreedyP* or GreedyPM* and /per");
  }
  if (a.fine && !stretch) return wrong("/FINE goes with /stretch-per");
  if (a.places_first && a.on_submission != Submission::greedy_p && a.on_submission != Submission::greedy_pm) {
    return wrong("/PLACE=FIRST goes with GreedyP or GreedyPM");
  }
  return {};
}

// Reads one part behind a '/'. What comes after "OPT=" is left in `objective`: its meaning depends on other parts.
Checked parse_part(std::string_view part, DfrsAlgorithm& a, std::string_view& objective) {
  if (same_name(part, "per")) {
    a.periodic = Periodic::mcb8;
  } else if (same_name(part, "stretch-per")) {
    a.periodic = Periodic::mcb8_stretch;
  } else if (name_starts_with(part, "OPT=")) {
    objective = part.substr(4);
  } else if (name_starts_with(part, "MINVT=") || name_starts_with(part, "MINFT=")) {
    const std::optional<Seconds> bound = seconds_from_name(part.substr(6));
    if (!bound) return wrong("'" + std::string(part) + "' needs a positive number of seconds");
    a.limit.kind =
        name_starts_with(part, "MINVT=") ? RemapLimit::Kind::min_virtual_time : RemapLimit::Kind::min_flow_time;
    a.limit.bound = *bound;
  } else if (const auto* ties = std::find_if(kTiesNames.begin(), kTiesNames.end(),
                                             [&](const TiesName& t) { return same_name(part, t.part); });
             ties != kTiesNames.end()) {
    a.ties = ties->ties;
  } else if (same_name(part, "FILL")) {
    a.fills = true;
  } else if (same_name(part, "FINE")) {
    a.fine = true;
  } else if (same_name(part, "PLACE=FIRST")) {
    a.places_first = true;
  } else {
    return wrong("'" + std::string(part) + "' is not part of a name");
  }
  return {};
}

Checked parse_objective(std::string_view text, DfrsAlgorithm& a) {
  const bool stretch = a.periodic == Periodic::mcb8_stretch;
  if (text.empty()) {
    a.objective = stretch ? Objective::max_stretch : Objective::min_yield;
  } else if (same_name(text, "MIN")) {
    a.objective = Objective::min_yield;
  } else if (same_name(text, "MAX")) {
    a.objective = Objective::max_stretch;
  } else if (same_name(text, "AVG")) {
    a.objective = stretch ? Objective::avg_stretch : Objective::avg_yield;
  } else {
    return wrong("OPT is MIN, AVG or MAX");
  }
  return {};
}

// Like NameMatch, with the parts of the algorithm.
using PartsMatch = tl::expected<std::optional<DfrsAlgorithm>, std::string>;

PartsMatch parse_parts(std::string_view name) {
  DfrsAlgorithm a;
  std::string_view rest = name;
  std::string_view head = rest.substr(0, rest.find('/'));
  rest.remove_prefix(head.size());
  if (!head.empty() && head.back() == '*') {
    a.opportunistic = true;
    head.remove_suffix(1);
  }
  const auto* found = std::find_if(kSubmissions.begin(), kSubmissions.end(),
                                   [&](const SubmissionName& s) { return same_name(head, s.name); });
  if (found == kSubmissions.end()) return std::nullopt;
  a.on_submission = found->submission;

  std::string_view objective;
  std::array<bool, 7> seen{};  // periodic, objective, limit, ties, fill, place, fine
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    if (auto parsed = parse_part(part, a, objective); !parsed) return wrong(std::move(parsed.error()));
    const std::size_t kind = name_starts_with(part, "OPT=")     ? 1
                             : name_starts_with(part, "MIN")    ? 2
                             : name_starts_with(part, "TIES=")  ? 3
                             : same_name(part, "FILL")          ? 4
                             : name_starts_with(part, "PLACE=") ? 5
                             : same_name(part, "FINE")          ? 6
                                                                : 0;
    if (seen[kind]) return wrong("'" + std::string(part) + "' is one part too many");
    seen[kind] = true;
  }
  if (auto parsed = parse_objective(objective, a); !parsed) return wrong(std::move(parsed.error()));
  if (auto checked = check_combination(a); !checked) return wrong(std::move(checked.error()));
  return a;
}

NameMatch parse(std::string_view name) {
  const PartsMatch parts = parse_parts(name);
  if (!parts) return wrong(parts.error());
  if (!*parts) return std::nullopt;
  return named(**parts);
}

std::string name_of(const DfrsAlgorithm& a) {
  std::string name;
  for (const SubmissionName& s : kSubmissions) {
    if (s.submission == a.on_submission) name = s.name;
  }
  if (a.opportunistic) name += '*';
  if (a.periodic == Periodic::mcb8) name += "/per";
  if (a.periodic == Periodic::mcb8_stretch) name += "/stretch-per";
  switch (a.objective) {
    case Objective::min_yield:
      name += "/OPT=MIN";
      break;
    case Objective::max_stretch:
      name += "/OPT=MAX";
      break;
    case Objective::avg_yield:
    case Objective::avg_stretch:
      name += "/OPT=AVG";
      break;
  }
  if (a.limit.kind == RemapLimit::Kind::min_flow_time) name += "/MINFT=" + seconds_in_name(a.limit.bound);
  if (a.limit.kind == RemapLimit::Kind::min_virtual_time) name += "/MINVT=" + seconds_in_name(a.limit.bound);
  for (const TiesName& t : kTiesNames) {
    if (t.ties == a.ties) name += "/" + std::string(t.part);
  }
  if (a.fills) name += "/FILL";
  if (a.fine) name += "/FINE";
  if (a.places_first) name += "/PLACE=FIRST";
  return name;
}

std::string describe(const DfrsAlgorithm& a) {
  std::string text;
  switch (a.on_submission) {
    case Submission::nothing:
      text = "submissions wait for the next tick";
      break;
    case Submission::greedy:
      text = "a new job goes to the least loaded nodes with memory, or waits";
      break;
    case Submission::greedy_p:
      text = "a new job starts at once, pausing low-priority jobs for memory";
      break;
    case Submission::greedy_pm:
      text = "a new job starts at once, moving or pausing low-priority jobs";
      break;
    case Submission::mcb8:
      text = "all jobs are repacked at each submission";
      break;
  }
  if (a.opportunistic) {
    text += a.on_submission == Submission::mcb8 ? " and completion" : "; waiting jobs start when others end";
  }
  if (a.periodic == Periodic::mcb8) text += "; periodic repack for the highest yield";
  if (a.periodic == Periodic::mcb8_stretch) text += "; periodic repack for the lowest stretch";
  switch (a.objective) {
    case Objective::min_yield:
      text += "; max-min fair CPU";
      break;
    case Objective::avg_yield:
      text += "; CPU for the best average yield";
      break;
    case Objective::max_stretch:
      text += "; CPU for the lowest maximum stretch";
      break;
    case Objective::avg_stretch:
      text += "; CPU for the lowest average stretch";
      break;
  }
  if (a.limit.kind != RemapLimit::Kind::none) {
    text += "; no move in the first " + seconds_in_name(a.limit.bound) + " s of ";
    text += a.limit.kind == RemapLimit::Kind::min_virtual_time ? "virtual time" : "flow time";
  }
  if (a.ties == Ties::priority) text += "; repacks take equal jobs by priority";
  if (a.ties == Ties::newest) text += "; repacks take the newest of equal jobs first";
  if (a.fine) text += "; a finer search for the stretch";
  if (a.fills) text += "; after a periodic repack, waiting jobs start where there is room";
  if (a.places_first) text += "; a new job is placed before those that stay are chosen";
  return text;
}

std::vector<Algorithm> list() {
  std::vector<Algorithm> all;
  for (const DfrsAlgorithm& algorithm : table1_algorithms()) all.push_back(named(algorithm));
  return all;
}

// OPT= may be left out: mistyped names are compared with both spellings.
std::vector<std::string> spellings() {
  std::vector<std::string> all;
  for (const DfrsAlgorithm& algorithm : table1_algorithms()) {
    std::string full = name_of(algorithm);
    std::string bare = full;
    if (const std::size_t at = bare.find("/OPT="); at != std::string::npos) bare.erase(at, bare.find('/', at + 1) - at);
    all.push_back(std::move(full));
    all.push_back(std::move(bare));
  }
  return all;
}

constexpr std::array kFields{option_field<&DfrsOptions::period>("period", kPositive),
                             option_field<&DfrsOptions::priority_floor>("priority_floor", kNotNegative),
                             option_field<&DfrsOptions::ticks_apart>("ticks_apart")};
static_assert(kFields.size() == field_count<DfrsOptions>(), "an option is missing in the table");
constexpr OptionTable kOptions{"rr7659", kFields};

}  // namespace

std::vector<DfrsAlgorithm> table1_algorithms() {
  struct Row {
    Submission submission;
    bool opportunistic;
    Periodic periodic;
  };
  constexpr auto none = Periodic::nothing;
  constexpr auto per = Periodic::mcb8;
  static constexpr std::array<Row, 14> kTable1{{{Submission::greedy, true, none},
                                                {Submission::greedy_p, true, none},
                                                {Submission::greedy_pm, true, none},
                                                {Submission::greedy, false, per},
                                                {Submission::greedy_p, false, per},
                                                {Submission::greedy_pm, false, per},
                                                {Submission::greedy, true, per},
                                                {Submission::greedy_p, true, per},
                                                {Submission::greedy_pm, true, per},
                                                {Submission::mcb8, true, none},
                                                {Submission::mcb8, false, per},
                                                {Submission::mcb8, true, per},
                                                {Submission::nothing, false, per},
                                                {Submission::nothing, false, Periodic::mcb8_stretch}}};
  static constexpr std::array<RemapLimit, 5> kLimits{{{RemapLimit::Kind::none, 0},
                                                      {RemapLimit::Kind::min_flow_time, 300},
                                                      {RemapLimit::Kind::min_flow_time, 600},
                                                      {RemapLimit::Kind::min_virtual_time, 300},
                                                      {RemapLimit::Kind::min_virtual_time, 600}}};
  std::vector<DfrsAlgorithm> all;
  for (const Row& row : kTable1) {
    const bool stretch = row.periodic == Periodic::mcb8_stretch;
    const bool packs = row.periodic != none || row.submission == Submission::mcb8;
    for (Objective objective : {stretch ? Objective::avg_stretch : Objective::avg_yield,
                                stretch ? Objective::max_stretch : Objective::min_yield}) {
      for (const RemapLimit& limit : kLimits) {
        if (limit.kind != RemapLimit::Kind::none && !packs) continue;
        all.push_back(DfrsAlgorithm{row.submission, row.opportunistic, row.periodic, objective, limit});
      }
    }
  }
  return all;
}

Algorithm named(const DfrsAlgorithm& algorithm) {
  PolicyTraits traits;
  traits.takes_up_waiting = algorithm.opportunistic || algorithm.periodic != Periodic::nothing;
  traits.pauses_for_arrivals =
      algorithm.on_submission != Submission::nothing && algorithm.on_submission != Submission::greedy;
  // A rule that acts at submissions or completions depends on which jobs were there before.
  traits.resync_forgets_nothing =
      algorithm.on_submission == Submission::nothing && algorithm.periodic == Periodic::mcb8;
  return {name_of(algorithm), describe(algorithm), traits,
          MakeNonClairvoyant([algorithm](const EngineOptions& options) {
            return std::make_unique<DfrsPolicy>(algorithm, options.of<DfrsOptions>());
          })};
}

std::optional<DfrsAlgorithm> dfrs_algorithm(const Algorithm& algorithm) {
  const PartsMatch parts = parse_parts(algorithm.name);
  return parts ? *parts : std::nullopt;
}

std::vector<Algorithm> rr7659_algorithms() {
  std::vector<Algorithm> all;
  for (const std::string_view family : {"batch", "rr7659"}) {
    const std::vector<Algorithm> list = algorithms_of_family(family).value();
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

extern const PolicyFamily rr7659_family{"rr7659", "DFRS (RR-7659, table 1)", list, parse, spellings, &kOptions};

}  // namespace dfrs
