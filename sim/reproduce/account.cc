// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "sim/reproduce/cell_count.h"
#include "sim/reproduce/comparison_table.h"

namespace dfrs::sim {
namespace {

bool meets(const Comparison& cell) {
  if (agrees(cell)) return true;
  const double published = *cell.published;
  const std::string printed = fmt::format("{}", published);
  const std::size_t point = printed.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : printed.size() - point - 1;
  return figure_text(cell.measured, static_cast<int>(decimals)) == figure_text(published, static_cast<int>(decimals));
}

using Place = std::tuple<std::string, std::string, std::string>;  // table, row, column

}  // namespace

std::vector<CellAccount> account_of(std::span<const Comparison> cells) {
  std::set<Place> explained;
  for (const Comparison& cell : cells) {
    if (cell.published && !cell.variant_of.empty() && meets(cell)) {
      explained.emplace(cell.table, cell.variant_of, cell.column);
    }
  }
  std::vector<CellAccount> accounts;
  for (const Comparison& cell : cells) {
    if (!cell.published || !cell.variant_of.empty()) continue;
    auto account =
        std::find_if(accounts.begin(), accounts.end(), [&](const CellAccount& one) { return one.table == cell.table; });
    if (account == accounts.end()) account = accounts.insert(accounts.end(), {cell.table});
    if (meets(cell)) {
      ++account->within;
    } else if (explained.contains({cell.table, cell.row, cell.column})) {
      ++account->explained;
    } else {
      ++account->unexplained;
    }
  }
  return accounts;
}

CellAccount account_of_all(std::span<const CellAccount> accounts) {
  CellAccount all{"all tables"};
  for (const CellAccount& one : accounts) {
    all.within += one.within;
    all.explained += one.explained;
    all.unexplained += one.unexplained;
  }
  return all;
}

std::vector<std::string> account_sentences(std::span<const CellAccount> accounts) {
  std::vector<std::string> sentences;
  const auto say = [&](const CellAccount& one) {
    sentences.push_back(
        fmt::format("Published cells of {}: {}; {} within 10 %, {} more under a tested assumption, {} unexplained.",
                    one.table, one.cells(), one.within, one.explained, one.unexplained));
  };
  for (const CellAccount& one : accounts) say(one);
  if (accounts.size() > 1) say(account_of_all(accounts));
  return sentences;
}

}  // namespace dfrs::sim
