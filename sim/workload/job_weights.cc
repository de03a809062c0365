// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/job_weights.h"

#include <fmt/format.h>

#include <utility>

#include "sim/workload/number_parser.h"
#include "sim/workload/random.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

constexpr std::uint64_t kWeightSeed = 0x7765696768740001;
constexpr std::uint64_t kNeedSeed = 0x6e65656400000001;
constexpr double kMostWeight = 1e6;

bool number_in(std::string_view text, double least, double most, double& value) {
  return parse_number(text, value) == NumberStatus::kOk && value >= least && value <= most;
}

Result<WeightRule> parse_rule(std::string_view text) {
  const auto fail = [&](std::string_view what) {
    return usage_error(
        fmt::format("weight '{}': {}; expected user=NUMBER:WEIGHT, queue=NUMBER:WEIGHT or "
                    "random=SHARE:WEIGHT",
                    text, what));
  };
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.find(':');
  if (equals == std::string_view::npos || colon == std::string_view::npos || colon < equals) {
    return fail("not understood");
  }
  const std::string_view of = text.substr(0, equals);
  const std::string_view who = text.substr(equals + 1, colon - equals - 1);
  WeightRule rule;
  if (!number_in(text.substr(colon + 1), 1 / kMostWeight, kMostWeight, rule.weight)) {
    return fail("a weight is a number from 1e-06 to 1e+06");
  }
  if (of == "random") {
    rule.of = WeightRule::Of::kRandom;
    if (!number_in(who, 0, 1, rule.share)) return fail("a share is a number from 0 to 1");
    return rule;
  }
  if (of != "user" && of != "queue") return fail("of neither users nor queues");
  rule.of = of == "user" ? WeightRule::Of::kUser : WeightRule::Of::kQueue;
  if (parse_integer(who, rule.number) != NumberStatus::kOk || rule.number < 0) {
    return fail("users and queues are whole numbers");
  }
  return rule;
}

}  // namespace

Result<std::vector<WeightRule>> parse_weights(std::string_view text) {
  Result<std::vector<WeightRule>> rules;
  each_item(text, [&](std::string_view item) {
    if (!rules) return;
    if (auto rule = parse_rule(item)) {
      rules->push_back(*rule);
    } else {
      rules = tl::unexpected(std::move(rule).error());
    }
  });
  return rules;
}

double weight_of(const std::vector<WeightRule>& rules, std::int64_t user, std::int64_t queue) {
  for (const WeightRule& rule : rules) {
    if (rule.of == WeightRule::Of::kUser && rule.number == user) return rule.weight;
    if (rule.of == WeightRule::Of::kQueue && rule.number == queue) return rule.weight;
  }
  return 1;
}

void weigh_at_random(Instance& instance, const std::vector<WeightRule>& rules) {
  for (Job& job : instance.jobs) {
    if (job.weight != 1) continue;
    Random random(kWeightSeed, job.id);
    for (const WeightRule& rule : rules) {
      if (rule.of != WeightRule::Of::kRandom || random.uniform() >= rule.share) continue;
      job.weight = rule.weight;
      break;
    }
  }
}

Result<RealNeeds> parse_real_needs(std::string_view text) {
  const std::size_t dash = text.find('-');
  RealNeeds needs;
  const std::string_view low = text.substr(0, dash);
  const std::string_view high = dash == std::string_view::npos ? low : text.substr(dash + 1);
  if (!number_in(low, 0.001, 1, needs.low) || !number_in(high, 0.001, 1, needs.high) || needs.low > needs.high) {
    return usage_error(
        fmt::format("real needs '{}': expected LOW-HIGH, parts of the CPU asked for from 0.001 to 1", text));
  }
  return needs;
}

void set_real_needs(Instance& instance, const RealNeeds& needs) {
  for (Job& job : instance.jobs) {
    job.cpu_asked = job.asked();
    job.cpu_need = job.cpu_asked * Random(kNeedSeed, job.id).uniform(needs.low, needs.high);
  }
}

}  // namespace dfrs::sim
