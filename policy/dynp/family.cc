// SPDX-License-Identifier: GPL-2.0-or-later
// The names of the dynP scheduler family (Streit 2003):
//
//   dynP/basic [/bounds=LOWER-UPPER] [/threshold=JOBS]
//   dynP/simple|advanced /MS|ART|ARTwW [/slack=SHARE] [/first=JOBS] [/within=SECONDS] [/queue=shared]
#include <array>
#include <charconv>
#include <memory>

#include "policy/batch/options.h"
#include "policy/core/registry.h"
#include "policy/dynp/dynp_policy.h"

namespace dfrs {
namespace {

using Decider = DynpAlgorithm::Decider;
constexpr std::array<const char*, 3> kDeciders{"basic", "simple", "advanced"};
constexpr std::array kQualities{ScheduleQuality::makespan, ScheduleQuality::response,
                                ScheduleQuality::response_by_width};

std::optional<std::uint32_t> count_from_name(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value == 0) return std::nullopt;
  return value;
}

// Reads one parameter, "name=value". Error: what is wrong with it.
tl::expected<void, std::string> take_parameter(std::string_view part, DynpAlgorithm& algorithm, unsigned& seen) {
  const auto is = [&](std::string_view prefix, bool basic, unsigned bit) {
    if (!name_starts_with(part, prefix) || basic != (algorithm.decider == Decider::basic) || (seen & bit) != 0) {
      return false;
    }
    seen |= bit;
    part.remove_prefix(prefix.size());
    return true;
  };
  const std::string shown(part.substr(0, 40));
  if (is("bounds=", true, 1)) {
    const std::size_t dash = part.find('-');
    const auto lower = seconds_from_name(part.substr(0, dash));
    const auto upper = dash == std::string_view::npos ? std::nullopt : seconds_from_name(part.substr(dash + 1));
    if (!lower || !upper || *upper < *lower) return wrong("'" + shown + "' needs two numbers of seconds, LOWER-UPPER");
    algorithm.bounds = {*lower, *upper};
    return {};
  }
  if (is("threshold=", true, 2) || is("first=", false, 4)) {
    const auto count = count_from_name(part);
    if (!count) return wrong("'" + shown + "' needs a number of jobs, at least 1");
    (algorithm.decider == Decider::basic ? algorithm.threshold : algorithm.future.first_jobs) = *count;
    return {};
  }
  if (is("slack=", false, 8)) {
    const auto share = seconds_from_name(part);
    if (!share || *share >= 1) return wrong("'" + shown + "' needs a number above 0 and below 1");
    algorithm.slack = *share;
    return {};
  }
  if (is("within=", false, 16)) {
    const auto horizon = seconds_from_name(part);
    if (!horizon) return wrong("'" + shown + "' needs a positive number of seconds");
    algorithm.future.within = *horizon;
    return {};
  }
  if (is("queue=", false, 32)) {
    if (!same_name(part, "shared")) return wrong("'" + shown + "' needs shared");
    algorithm.shared_queue = true;
    return {};
  }
  return wrong("'" + shown + "' is unknown, does not fit this decider, or is given twice");
}

NameMatch parse(std::string_view name) {
  if (!name_starts_with(name, "dynP/")) {
    if (same_name(name, "dynP")) return wrong("dynP needs a decider: basic, simple or advanced");
    return std::nullopt;
  }
  std::string_view rest = name.substr(5);
  const auto next = [&] {
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return part;
  };
  DynpAlgorithm algorithm;
  const std::string_view decider = next();
  std::size_t found = 0;
  while (found < kDeciders.size() && !same_name(decider, kDeciders[found])) ++found;
  if (found == kDeciders.size()) {
    return wrong("'" + std::string(decider.substr(0, 40)) + "' is no decider (basic, simple, advanced)");
  }
  algorithm.decider = static_cast<Decider>(found);
  if (algorithm.decider != Decider::basic) {
    const std::string_view given = next();
    std::optional<ScheduleQuality> quality;
    for (const ScheduleQuality candidate : kQualities) {
      if (same_name(given, schedule_quality_name(candidate))) quality = candidate;
    }
    if (!quality) return wrong("'" + std::string(given.substr(0, 40)) + "' is no quality (MS, ART, ARTwW)");
    algorithm.quality = *quality;
  }
  unsigned seen = 0;
  if (name.back() == '/') return wrong("it ends with '/'");
  while (!rest.empty()) {
    if (auto taken = take_parameter(next(), algorithm, seen); !taken) return wrong(std::move(taken.error()));
  }
  return Algorithm{named(algorithm)};
}

std::string name_of(const DynpAlgorithm& algorithm) {
  std::string name = std::string("dynP/") + kDeciders[static_cast<std::size_t>(algorithm.decider)];
  if (algorithm.decider == Decider::basic) {
    const DynpAlgorithm usual;
    if (algorithm.bounds.lower != usual.bounds.lower || algorithm.bounds.upper != usual.bounds.upper) {
      name += "/bounds=" + seconds_in_name(algorithm.bounds.lower) + "-" + seconds_in_name(algorithm.bounds.upper);
    }
    if (algorithm.threshold != usual.threshold) name += "/threshold=" + std::to_string(algorithm.threshold);
    return name;
  }
  name += std::string("/") + schedule_quality_name(algorithm.quality);
  if (algorithm.slack > 0) name += "/slack=" + seconds_in_name(algorithm.slack);
  if (algorithm.future.first_jobs > 0) name += "/first=" + std::to_string(algorithm.future.first_jobs);
  if (algorithm.future.within < kNever) name += "/within=" + seconds_in_name(algorithm.future.within);
  if (algorithm.shared_queue) name += "/queue=shared";
  return name;
}

std::string description(const DynpAlgorithm& algorithm) {
  const std::string family = "FCFS, SJF or LJF with conservative backfilling";
  if (algorithm.decider == Decider::basic) {
    return family + ", by the average estimate of waiting jobs: SJF up to " + seconds_in_name(algorithm.bounds.lower) +
           " s, LJF above " + seconds_in_name(algorithm.bounds.upper) + " s";
  }
  constexpr std::array<const char*, 3> kMeans{"last end", "average response", "average response weighted by width"};
  std::string text =
      family + ", whichever plans the best schedule (" + kMeans[static_cast<std::size_t>(algorithm.quality)] + ")";
  text += algorithm.decider == Decider::simple ? ", of equal ones FCFS first" : ", the present one if none is better";
  if (algorithm.slack > 0) text += "; better by a share of " + seconds_in_name(algorithm.slack);
  if (algorithm.future.first_jobs > 0) {
    text += "; the first " + std::to_string(algorithm.future.first_jobs) + " starts count";
  }
  if (algorithm.future.within < kNever) {
    text += "; starts within " + seconds_in_name(algorithm.future.within) + " s count";
  }
  if (algorithm.shared_queue) text += "; they share one queue, which only the chosen one sorts";
  return text;
}

std::vector<Algorithm> list() {
  std::vector<Algorithm> all;
  DynpAlgorithm algorithm;
  algorithm.decider = Decider::basic;
  all.push_back(named(algorithm));
  for (const Decider decider : {Decider::simple, Decider::advanced}) {
    algorithm.decider = decider;
    for (const ScheduleQuality quality : kQualities) {
      algorithm.quality = quality;
      all.push_back(named(algorithm));
    }
  }
  DynpAlgorithm slack;
  slack.slack = 0.05;
  all.push_back(named(slack));
  DynpAlgorithm first;
  first.future.first_jobs = 20;
  all.push_back(named(first));
  DynpAlgorithm within;
  within.future.within = 6 * 3600;
  all.push_back(named(within));
  return all;
}

}  // namespace

Algorithm named(const DynpAlgorithm& algorithm, DynpListener* listener) {
  PolicyTraits traits;
  traits.shares_nodes = false;
  traits.submissions_apart = false;
  return {name_of(algorithm), description(algorithm), traits, MakeBatch([=](const EngineOptions& options) {
            return std::make_unique<DynpPolicy>(algorithm, options.of<BatchOptions>(), listener);
          })};
}

extern const PolicyFamily dynp_family{"dynp", "The dynP scheduler family (Streit 2003)", list, parse};

}  // namespace dfrs
