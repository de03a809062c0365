// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/algorithm.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "policy/nearest_name.h"

namespace dfrs {
namespace {

using Submission = DfrsAlgorithm::Submission;
using Periodic = DfrsAlgorithm::Periodic;
using Objective = DfrsAlgorithm::Objective;
using Backfill = BatchAlgorithm::Backfill;

struct SubmissionName {
  Submission submission;
  std::string_view name;
};
constexpr std::array<SubmissionName, 5> kSubmissions{{{Submission::greedy, "Greedy"},
                                                      {Submission::greedy_p, "GreedyP"},
                                                      {Submission::greedy_pm, "GreedyPM"},
                                                      {Submission::mcb8, "MCB8"},
                                                      {Submission::nothing, ""}}};
struct BatchName {
  Backfill backfill;
  std::string_view name;
};
constexpr std::array<BatchName, 3> kBatch{
    {{Backfill::none, "FCFS"}, {Backfill::easy, "EASY"}, {Backfill::extra_only, "EASY/extra-only"}}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && same(text.substr(0, prefix.size()), prefix);
}

std::string without_spaces(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != ' ' && c != '\t') out += c;
  }
  return out;
}

// OPT= may be left out, so a name is near if it is near either spelling.
std::string nearest_algorithm(std::string_view name) {
  std::vector<std::string> spellings;
  for (const Algorithm& candidate : all_algorithms()) {
    std::string full = algorithm_name(candidate);
    std::string bare = full;
    if (const std::size_t at = bare.find("/OPT="); at != std::string::npos) bare.erase(at, bare.find('/', at + 1) - at);
    spellings.push_back(std::move(full));
    spellings.push_back(std::move(bare));
  }
  return std::string(nearest_name(name, spellings));
}

tl::unexpected<Error> bad_name(std::string_view name, const std::string& why) {
  // A name as long as a book is cut before it is measured and printed.
  const std::string shown(name.substr(0, 80));
  return tl::unexpected<Error>(
      Error{ErrorCode::bad_algorithm,
            "unknown algorithm '" + shown + "': " + why + "; did you mean '" + nearest_algorithm(shown) + "'?"});
}

bool valid_combination(const DfrsAlgorithm& a, std::string& why) {
  const bool periodic = a.periodic != Periodic::nothing;
  const bool stretch = a.periodic == Periodic::mcb8_stretch;
  const bool stretch_objective = a.objective == Objective::max_stretch || a.objective == Objective::avg_stretch;
  if (a.on_submission == Submission::nothing && a.opportunistic) {
    why = "'*' needs a rule for submissions before it";
  } else if (a.on_submission == Submission::nothing && !periodic) {
    why = "it says neither what to do on submission nor periodically";
  } else if (!a.opportunistic && !periodic) {
    why = "without '*' or '/per' a job that cannot start at once would wait for ever";
  } else if (stretch && a.on_submission != Submission::nothing) {
    why = "/stretch-per stands alone, without a rule for submissions";
  } else if (stretch != stretch_objective) {
    why = stretch ? "/stretch-per goes with OPT=MAX or OPT=AVG" : "OPT=MAX goes with /stretch-per only";
  } else if (a.limit.kind != RemapLimit::Kind::none && !periodic && a.on_submission != Submission::mcb8) {
    why = "MINVT and MINFT limit MCB8, which this algorithm never uses";
  } else {
    return true;
  }
  return false;
}

std::string seconds_text(Seconds value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

// One part behind a '/'; false if it is none that exists, `why` says so.
bool parse_part(std::string_view part, DfrsAlgorithm& a, std::string_view& objective, std::string& why) {
  if (same(part, "per")) {
    a.periodic = Periodic::mcb8;
  } else if (same(part, "stretch-per")) {
    a.periodic = Periodic::mcb8_stretch;
  } else if (starts_with(part, "OPT=")) {
    objective = part.substr(4);
  } else if (starts_with(part, "MINVT=") || starts_with(part, "MINFT=")) {
    const std::string_view digits = part.substr(6);
    Seconds bound = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bound);
    if (error != std::errc{} || end != digits.data() + digits.size() || !(bound > 0) || !std::isfinite(bound)) {
      why = "'" + std::string(part) + "' needs a positive number of seconds";
      return false;
    }
    a.limit.kind = starts_with(part, "MINVT=") ? RemapLimit::Kind::min_virtual_time : RemapLimit::Kind::min_flow_time;
    a.limit.bound = bound;
  } else {
    why = "'" + std::string(part) + "' is no part of a name";
    return false;
  }
  return true;
}

bool parse_objective(std::string_view text, DfrsAlgorithm& a, std::string& why) {
  const bool stretch = a.periodic == Periodic::mcb8_stretch;
  if (text.empty()) {
    a.objective = stretch ? Objective::max_stretch : Objective::min_yield;
  } else if (same(text, "MIN")) {
    a.objective = Objective::min_yield;
  } else if (same(text, "MAX")) {
    a.objective = Objective::max_stretch;
  } else if (same(text, "AVG")) {
    a.objective = stretch ? Objective::avg_stretch : Objective::avg_yield;
  } else {
    why = "OPT is MIN, AVG or MAX";
    return false;
  }
  return true;
}

}  // namespace

tl::expected<Algorithm, Error> parse_algorithm(std::string_view given) {
  const std::string name = without_spaces(given);
  for (const BatchName& batch : kBatch) {
    if (same(name, batch.name)) return BatchAlgorithm{batch.backfill};
  }
  if (name.empty()) return bad_name(given, "the name is empty");

  DfrsAlgorithm a;
  std::string_view rest = name;
  std::string_view head = rest.substr(0, rest.find('/'));
  rest.remove_prefix(head.size());
  if (!head.empty() && head.back() == '*') {
    a.opportunistic = true;
    head.remove_suffix(1);
  }
  const auto* found = std::find_if(kSubmissions.begin(), kSubmissions.end(),
                                   [&](const SubmissionName& s) { return same(head, s.name); });
  if (found == kSubmissions.end()) {
    return bad_name(given, "'" + std::string(head.substr(0, 40)) + "' is no rule for submissions");
  }
  a.on_submission = found->submission;

  std::string why;
  std::string_view objective;
  std::array<bool, 3> seen{};  // periodic, objective, limit
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    if (!parse_part(part, a, objective, why)) return bad_name(given, why);
    const std::size_t kind = starts_with(part, "OPT=") ? 1 : starts_with(part, "MIN") ? 2 : 0;
    if (seen[kind]) return bad_name(given, "'" + std::string(part) + "' is one part too many");
    seen[kind] = true;
  }
  if (!parse_objective(objective, a, why) || !valid_combination(a, why)) return bad_name(given, why);
  return a;
}

std::string algorithm_name(const Algorithm& algorithm) {
  if (const auto* batch = std::get_if<BatchAlgorithm>(&algorithm)) {
    for (const BatchName& b : kBatch) {
      if (b.backfill == batch->backfill) return std::string(b.name);
    }
  }
  const auto& a = std::get<DfrsAlgorithm>(algorithm);
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
  if (a.limit.kind == RemapLimit::Kind::min_flow_time) name += "/MINFT=" + seconds_text(a.limit.bound);
  if (a.limit.kind == RemapLimit::Kind::min_virtual_time) name += "/MINVT=" + seconds_text(a.limit.bound);
  return name;
}

std::string describe_algorithm(const Algorithm& algorithm) {
  if (const auto* batch = std::get_if<BatchAlgorithm>(&algorithm)) {
    switch (batch->backfill) {
      case Backfill::none:
        return "whole nodes, strictly in order of submission";
      case Backfill::easy:
        return "whole nodes in order, later jobs jump ahead if they do not delay the first";
      case Backfill::extra_only:
        return "EASY that backfills into the extra nodes only, as the figures of RR-7659 have it";
    }
  }
  const auto& a = std::get<DfrsAlgorithm>(algorithm);
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
    text += "; no move in the first " + seconds_text(a.limit.bound) + " s of ";
    text += a.limit.kind == RemapLimit::Kind::min_virtual_time ? "virtual time" : "flow time";
  }
  return text;
}

std::vector<Algorithm> all_algorithms() {
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
  std::vector<Algorithm> all;
  for (const BatchName& batch : kBatch) all.push_back(BatchAlgorithm{batch.backfill});
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

}  // namespace dfrs
