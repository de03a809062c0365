// SPDX-License-Identifier: GPL-2.0-or-later
// The names of policies that pause jobs on whole nodes, LAS/queues=2, MLF/queues=4/first=300 ..., and of the
// yardsticks.
#include <charconv>
#include <memory>

#include "policy/core/registry.h"
#include "policy/pausing/feedback.h"
#include "policy/pausing/name_parts.h"
#include "policy/pausing/shortest_first.h"

namespace dfrs {
namespace {

constexpr Seconds kFirstOfLas = 3600;  // node seconds
constexpr Seconds kFirstOfMlf = 300;

PolicyTraits whole_nodes() {
  PolicyTraits traits;
  traits.shares_nodes = false;
  traits.submissions_apart = false;
  traits.pauses_for_arrivals = true;
  traits.resync_forgets_nothing = true;
  return traits;
}

Algorithm named(const FeedbackRule& rule) {
  std::string name = (rule.by_nodes ? "LAS/queues=" : "MLF/queues=") + std::to_string(rule.queues);
  if (rule.first != (rule.by_nodes ? kFirstOfLas : kFirstOfMlf)) name += "/first=" + seconds_in_name(rule.first);
  std::string description = "whole nodes, " + std::to_string(rule.queues) + " queues by " +
                            (rule.by_nodes ? "node time" : "time") + " received, pauses for those with less";
  return {std::move(name), std::move(description), whole_nodes(),
          MakeNonClairvoyant([rule](const EngineOptions&) { return std::make_unique<FeedbackPolicy>(rule); })};
}

std::vector<Algorithm> list() {
  return {named({true, 2, kFirstOfLas}), named({true, 4, kFirstOfLas}), named({false, 4, kFirstOfMlf})};
}

tl::expected<void, std::string> read_part(std::string_view part, FeedbackRule& rule) {
  const std::size_t equals = part.find('=');
  const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
  if (same_name(part.substr(0, equals), "queues")) {
    if (value.size() != 1 || value[0] < '2' || value[0] > '4') return wrong("queues takes a number from 2 to 4");
    rule.queues = static_cast<std::size_t>(value[0] - '0');
    return {};
  }
  if (same_name(part.substr(0, equals), "first")) {
    const auto first = seconds_from_name(value);
    if (!first) return wrong("first takes a positive number of seconds");
    rule.first = *first;
    return {};
  }
  return wrong("'" + std::string(part.substr(0, 40)) + "' is neither queues=2 to 4 nor first=SECONDS");
}

NameMatch parse(std::string_view name) {
  const std::string_view kind = name.substr(0, name.find('/'));
  FeedbackRule rule;
  if (same_name(kind, "LAS")) {
    rule = {true, 2, kFirstOfLas};
  } else if (same_name(kind, "MLF")) {
    rule = {false, 4, kFirstOfMlf};
  } else {
    return std::nullopt;
  }
  const auto read = read_name_parts(name, [&](std::string_view part) { return read_part(part, rule); });
  if (!read) return tl::unexpected(read.error());
  return Algorithm{named(rule)};
}

Algorithm yardstick(bool weighted) {
  PolicyTraits traits = whole_nodes();
  traits.knows_run_times = true;
  traits.only_simulated = "it needs run times that nobody knows before the jobs have ended";
  return {weighted ? "yardstick/SWRPT" : "yardstick/SRPT",
          weighted ? "knows run times: whole nodes, least remaining time x run time first, with pauses"
                   : "knows run times: whole nodes, least remaining time first, with pauses",
          traits,
          MakeBatch([weighted](const EngineOptions&) { return std::make_unique<ShortestFirstPolicy>(weighted); })};
}

std::vector<Algorithm> yardsticks() { return {yardstick(false), yardstick(true)}; }

}  // namespace

extern const PolicyFamily feedback_family{
    "feedback", "Queues by service received, on whole nodes (Tiresias, NSDI 2019)", list, parse};
extern const PolicyFamily yardstick_family{"yardsticks", "Yardsticks that know run times; no cluster can run them",
                                           yardsticks};

}  // namespace dfrs
