// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/algorithm_choice.h"

#include <algorithm>
#include <string_view>

#include "policy/core/registry.h"
#include "policy/rr7659/algorithm.h"
#include "sim/errors.h"
#include "sim/reproduce/rr7659_published.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

Algorithm parse_or_throw(std::string_view name) {
  auto algorithm = parse_algorithm(name);
  if (!algorithm) {
    throw UsageError(algorithm.error().message + " (`dfrs-sim list` shows all)");
  }
  return *algorithm;
}

}  // namespace

std::vector<Algorithm> parse_algorithms(const std::vector<std::string>& names) {
  std::vector<Algorithm> algorithms;
  std::vector<std::string> seen;
  const auto add = [&](const Algorithm& algorithm) {
    const std::string name = algorithm_name(algorithm);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return;
    seen.push_back(name);
    algorithms.push_back(algorithm);
  };
  for (const std::string& list : names) {
    each_item(list, [&](std::string_view name) {
      if (name == "all") {
        for (const Algorithm& algorithm : rr7659_algorithms()) add(algorithm);
      } else if (const auto family = algorithms_of_family(name)) {
        for (const Algorithm& algorithm : *family) add(algorithm);
      } else if (name == "table2") {
        for (std::string_view row : rr7659::table2_rows()) add(parse_or_throw(row));
      } else {
        add(parse_or_throw(name));
      }
    });
  }
  return algorithms;
}

std::vector<std::string> recommended_algorithms() {
  return {"FCFS",
          "EASY",
          "GreedyP*/OPT=MIN",
          "GreedyP*/per/OPT=MIN/MINVT=600",
          "GreedyPM*/per/OPT=MIN/MINVT=600",
          "MCB8*/OPT=MIN/MINVT=600",
          "Triage"};
}

}  // namespace dfrs::sim
