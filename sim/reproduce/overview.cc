// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "sim/report/markup.h"
#include "sim/reproduce/account.h"

namespace dfrs::sim {
namespace {

std::string how_close(const ReproductionReport& report) {
  const CellAccount all = account_of_all(account_of(report.cells()));
  if (all.cells() == 0) {
    return fmt::format("{}, all ours: there are no published figures to compare them with.",
                       base::counted(report.cells().size(), "cell"));
  }
  const std::string explained =
      all.explained == 0 ? "" : fmt::format(", and of {} more under a tested assumption", all.explained);
  return fmt::format("Published cells: {}; ours is within 10 % of {}{}.", all.cells(), all.within, explained);
}

// By winner, in order of the first part that each wins.
std::string who_won(const ReproductionReport& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> winners;
  for (const ReproductionReport::Winner& one : report.winners()) {
    auto same = std::find_if(winners.begin(), winners.end(), [&](const auto& known) { return known.first == one.row; });
    if (same == winners.end()) same = winners.insert(same, {one.row, {}});
    same->second.push_back(one.part);
  }
  if (winners.empty()) return {};
  std::string text = " Lowest mean degradation, except of yardsticks that know run times:";
  for (std::size_t k = 0; k < winners.size(); ++k) {
    text += fmt::format("{}{} in {}", k == 0 ? " " : "; ", winners[k].first, first_names(winners[k].second));
  }
  return text + ".";
}

}  // namespace

std::string overview(std::span<const ComparisonTable> tables, const ReproductionReport& report) {
  std::vector<std::string> parts;
  for (const ComparisonTable& table : tables) {
    if (!table.rows.empty()) parts.push_back(table.part);
  }
  return fmt::format("{}: {}. {}{}", base::counted(parts.size(), "part"), first_names(parts), how_close(report),
                     who_won(report));
}

}  // namespace dfrs::sim
