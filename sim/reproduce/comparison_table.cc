// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/counted.h"

namespace dfrs::sim {
namespace {

constexpr double kNear = 0.05;  // tolerance for ratios that are about 1
constexpr double kFar = 0.20;
constexpr int kMostDecimals = 6;

// Decimals of the shortest form that reads back as `value`: as many as the paper printed.
int decimals_of(double value) {
  const std::string text = fmt::format("{}", value);
  if (text.find('e') != std::string::npos) return kMostDecimals;
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0
                                    : static_cast<int>(std::min<std::size_t>(text.size() - point - 1, kMostDecimals));
}

// Two significant digits, and one more below 1.
int least_decimals(double value) { return value < 0.1 ? 4 : value < 1 ? 3 : value < 10 ? 2 : value < 1000 ? 1 : 0; }

// As many decimals as the paper has, and at least two significant digits in the largest value.
void set_decimals(ComparisonTable& table, std::size_t column) {
  int decimals = 0;
  double greatest = 0;
  bool published = false;
  bool whole = true;  // counts stay counts
  for (const ComparisonTable::Row& row : table.rows) {
    const std::optional<Comparison>& cell = row.cells[column];
    if (!cell || !cell->words.empty()) continue;
    if (std::isfinite(cell->measured)) greatest = std::max(greatest, std::abs(cell->measured));
    whole = whole && cell->measured == std::floor(cell->measured);
    if (cell->spread) whole = whole && cell->spread->median == std::floor(cell->spread->median);
    if (!cell->published) continue;
    published = true;
    greatest = std::max(greatest, std::abs(*cell->published));
    decimals = std::max(decimals, decimals_of(*cell->published));
  }
  table.columns[column].whole = whole && decimals == 0;
  if (table.columns[column].whole) return;
  const int least = least_decimals(greatest);
  const int ours = greatest < 100 ? std::max(2, least) : least;
  table.columns[column].decimals = published ? std::max(decimals, std::min(least, 3)) : ours;
}

std::size_t position(std::map<std::string, std::size_t>& places, const std::string& name) {
  return places.emplace(name, places.size()).first->second;
}

// How close the values are, in one sentence; empty if the paper has nothing to compare with.
std::string agreement(const ComparisonTable& table) {
  std::size_t count = 0;
  std::size_t near = 0;
  std::size_t far = 0;
  double least = 0;
  double greatest = 0;
  std::string where_least;
  std::string where_greatest;
  for (const ComparisonTable::Row& row : table.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::optional<double> ratio = row.cells[c] ? row.cells[c]->ratio() : std::nullopt;
      if (!ratio || !std::isfinite(*ratio)) continue;
      if (std::abs(*ratio - 1) <= kNear) ++near;
      if (std::abs(*ratio - 1) <= kFar) ++far;
      const std::string where = fmt::format("{}, {}", row.name, table.columns[c].heading);
      if (count == 0 || *ratio < least) least = *ratio, where_least = where;
      if (count == 0 || *ratio > greatest) greatest = *ratio, where_greatest = where;
      ++count;
    }
  }
  if (count == 0) return {};
  std::string text =
      fmt::format("Of {} with a published figure {} within {:.0f} % of it and {} within {:.0f} %",
                  base::counted(count, "cell"), base::counted(near, "is", "are"), 100 * kNear, far, 100 * kFar);
  if (count > 1) {
    text += fmt::format("; ratios go from {} ({}) to {} ({})", ratio_text(least), where_least, ratio_text(greatest),
                        where_greatest);
  }
  return text + ".";
}

bool is_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && at == end && std::isfinite(value);
}

Result<ComparisonTable> table_of(const ReproductionPart& part, const ReproductionReport& report) {
  ComparisonTable table;
  table.part = part.name;
  table.title = part.title;
  for (const Plot& plot : report.plots()) {
    if (plot.part == part.name) table.plot = plot;
  }
  if (table.plot && table.plot->leads_from.empty()) table.corner = table.plot->x_label;
  std::map<std::string, std::size_t> rows;
  std::map<std::string, std::size_t> columns;
  for (const Comparison& cell : report.cells()) {
    if (cell.table != part.name) continue;
    if (position(rows, cell.row) == table.rows.size()) table.rows.push_back({cell.row, {}});
    if (position(columns, cell.column) == table.columns.size()) table.columns.push_back({cell.column});
  }
  for (ComparisonTable::Row& row : table.rows) row.cells.resize(table.columns.size());
  for (const Comparison& cell : report.cells()) {
    if (cell.table != part.name) continue;
    std::optional<Comparison>& place = table.rows[rows.at(cell.row)].cells[columns.at(cell.column)];
    if (place) {
      return error(kExitInternal,
                   fmt::format("{}: two figures for row '{}', column '{}'", cell.table, cell.row, cell.column));
    }
    place = cell;
    if (cell.published) table.columns[columns.at(cell.column)].published = true;
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) set_decimals(table, c);
  if (table.plot && table.plot->leads_from.empty()) {
    for (const ComparisonTable::Row& row : table.rows) {
      if (!is_number(row.name)) {
        return error(kExitInternal, fmt::format("{}: row '{}' of a figure is no number", part.name, row.name));
      }
    }
  }
  const std::string how_close = agreement(table);
  if (!how_close.empty()) table.notes.push_back(how_close);
  for (const ReproductionReport::Note& note : report.notes()) {
    if (note.part == part.name) table.notes.push_back(note.sentence);
  }
  return table;
}

}  // namespace

bool ComparisonTable::published() const {
  return std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.published; });
}

bool any_published(std::span<const ComparisonTable> tables) {
  return std::any_of(tables.begin(), tables.end(), [](const ComparisonTable& table) { return table.published(); });
}

bool any_spread(std::span<const ComparisonTable> tables) {
  for (const ComparisonTable& table : tables) {
    for (const ComparisonTable::Row& row : table.rows) {
      for (const std::optional<Comparison>& cell : row.cells) {
        if (cell && cell->spread) return true;
      }
    }
  }
  return false;
}

namespace {

Result<void> check_parts(const Reproduction& reproduction, const ReproductionReport& report) {
  std::vector<std::string_view> used;
  for (const Comparison& cell : report.cells()) used.emplace_back(cell.table);
  for (const Plot& plot : report.plots()) used.emplace_back(plot.part);
  for (const ReproductionReport::Note& note : report.notes()) {
    if (!note.part.empty()) used.emplace_back(note.part);
  }
  for (const std::string_view part : used) {
    const bool known = std::any_of(reproduction.parts.begin(), reproduction.parts.end(),
                                   [&](const ReproductionPart& p) { return p.name == part; });
    if (!known) return error(kExitInternal, fmt::format("{} has no part '{}'", reproduction.name, part));
  }
  return {};
}

}  // namespace

Result<std::vector<ComparisonTable>> comparison_tables(const Reproduction& reproduction,
                                                       const ReproductionReport& report) {
  if (auto known = check_parts(reproduction, report); !known) return tl::unexpected(std::move(known).error());
  std::vector<ComparisonTable> tables;
  for (const ReproductionPart& part : reproduction.parts) {
    Result<ComparisonTable> table = table_of(part, report);
    if (!table) return tl::unexpected(std::move(table).error());
    if (!table->rows.empty() || !table->notes.empty()) tables.push_back(*std::move(table));
  }
  return tables;
}

std::string figure_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string figure_text(const Comparison& cell, const ComparisonTable::Column& column) {
  if (!cell.words.empty()) return cell.words;
  const bool own = !column.published && !column.whole && std::isfinite(cell.measured) && cell.measured != 0;
  const int decimals = own ? std::min(least_decimals(std::abs(cell.measured)), 3) : 0;
  return figure_text(cell.measured, std::max(column.decimals, decimals));
}

std::string spread_text(const Comparison& cell, const ComparisonTable::Column& column) {
  if (!cell.spread) return {};
  const auto shown = [&](double value) {
    Comparison other = cell;
    other.measured = value;
    return figure_text(other, column);
  };
  const MeanSpread& spread = *cell.spread;
  return fmt::format(" [{}, {}; {}]", shown(spread.interval.low), shown(spread.interval.high), shown(spread.median));
}

std::string ratio_text(double ratio) {
  const double size = std::abs(ratio);
  return fmt::format("{:.{}f}", ratio, size < 0.1 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace dfrs::sim
