// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text_table.h"
#include "sim/campaign/results.h"
#include "sim/report/markup.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kWidth = 120;       // of sentences
constexpr std::size_t kTableWidth = 130;  // fits four columns and the longest name of an algorithm
constexpr std::size_t kGroupGap = 3;      // between columns of the paper
constexpr std::size_t kFigureGap = 2;     // between ours, paper and ratio
constexpr std::array<std::string_view, 3> kHeadings{"ours", "paper", "ratio"};

// A column of the paper: its values as text, one or three per row, and their widths.
struct Block {
  std::string heading;
  std::vector<std::size_t> widths;              // of ours, or of ours, paper and ratio
  std::vector<std::vector<std::string>> lines;  // per row, as many texts as widths

  std::size_t width() const {
    std::size_t sum = kFigureGap * (widths.size() - 1);
    for (std::size_t w : widths) sum += w;
    return sum;
  }
};

void append_line(std::string& out, std::string line) { out += base::trimmed_right(std::move(line)) + '\n'; }

Block block_of(const ComparisonTable& table, std::size_t c) {
  const ComparisonTable::Column& column = table.columns[c];
  Block block;
  block.heading = base::printable(column.heading);
  const std::size_t figures = column.published ? kHeadings.size() : 1;
  for (std::size_t f = 0; f < figures; ++f) block.widths.push_back(table.published() ? kHeadings[f].size() : 0);
  for (const ComparisonTable::Row& row : table.rows) {
    std::vector<std::string> texts(figures);
    if (const std::optional<Comparison>& cell = row.cells[c]) {
      texts[0] = base::printable(figure_text(*cell, column) + spread_text(*cell, column));
      if (figures > 1) {
        texts[1] = cell->published ? figure_text(*cell->published, column.decimals) : "-";
        texts[2] = cell->ratio() ? ratio_text(*cell->ratio()) : "-";
      }
    }
    for (std::size_t f = 0; f < figures; ++f)
      block.widths[f] = std::max(block.widths[f], base::display_width(texts[f]));
    block.lines.push_back(std::move(texts));
  }
  const std::size_t wanted = base::display_width(block.heading);
  if (block.width() < wanted) block.widths.front() += wanted - block.width();
  return block;
}

std::string row_of(const Block& block, const auto& texts) {
  std::string line;
  for (std::size_t f = 0; f < block.widths.size(); ++f) {
    line += std::string(f == 0 ? 0 : kFigureGap, ' ') + base::padded(texts[f], block.widths[f], base::Align::right);
  }
  return line;
}

// Appends columns side by side.
void append_blocks(std::string& out, const ComparisonTable& table, std::span<const Block> blocks,
                   std::size_t name_width) {
  const std::string gap(kGroupGap, ' ');
  std::string headings = base::padded(base::printable(table.corner), name_width, base::Align::left);
  std::string figures(name_width, ' ');
  std::size_t width = name_width;
  for (const Block& block : blocks) {
    headings += gap + base::padded(block.heading, block.width(), base::Align::right);
    figures += gap + row_of(block, kHeadings);
    width += kGroupGap + block.width();
  }
  append_line(out, headings);
  if (table.published()) append_line(out, figures);
  out += std::string(width, '-') + '\n';
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::string line = base::padded(base::printable(table.rows[r].name), name_width, base::Align::left);
    for (const Block& block : blocks) line += gap + row_of(block, block.lines[r]);
    append_line(out, line);
  }
  out += '\n';
}

void append_table(std::string& out, const ComparisonTable& table) {
  if (table.rows.empty()) return;
  std::size_t name_width = base::display_width(base::printable(table.corner));
  for (const ComparisonTable::Row& row : table.rows) {
    name_width = std::max(name_width, base::display_width(base::printable(row.name)));
  }
  std::vector<Block> blocks;
  for (std::size_t c = 0; c < table.columns.size(); ++c) blocks.push_back(block_of(table, c));
  std::size_t begin = 0;
  while (begin < blocks.size()) {
    std::size_t end = begin;
    std::size_t width = name_width;
    while (end < blocks.size() && (end == begin || width + kGroupGap + blocks[end].width() <= kTableWidth)) {
      width += kGroupGap + blocks[end].width();
      ++end;
    }
    append_blocks(out, table, std::span(blocks).subspan(begin, end - begin), name_width);
    begin = end;
  }
}

std::string markdown_cell(const ComparisonTable::Column& column, const std::optional<Comparison>& cell) {
  if (!cell) return {};
  if (!cell->words.empty()) return markdown_escaped(base::printable(cell->words));
  std::string text = figure_text(*cell, column) + spread_text(*cell, column);
  if (!cell->published) return text;
  text += fmt::format(" ({}", figure_text(*cell->published, column.decimals));
  if (cell->ratio()) text += fmt::format(", {}", ratio_text(*cell->ratio()));
  return text + ')';
}

}  // namespace

std::string text_comparison(std::span<const ComparisonTable> tables, const RunDescription& run) {
  std::string out = wrapped(base::printable(run.paper), 0, kWidth);
  for (const ComparisonTable& table : tables) {
    out += '\n' + wrapped(base::printable(table.part + ": " + table.title), 0, kWidth) + '\n';
    append_table(out, table);
    for (const std::string& note : table.notes) out += wrapped("- " + base::printable(note), 2, kWidth);
  }
  out += '\n';
  if (any_published(tables)) {
    out +=
        "ours: measured by this run; paper: the published figure, '-' where there is none or it cannot be read; "
        "ratio: ours/paper\n";
  }
  if (any_spread(tables)) out += wrapped(kSpreadLegend, 0, kWidth);
  for (const std::string& note : run.notes) out += wrapped(base::printable(note), 0, kWidth);
  const auto made = what_made(run);
  if (!made.empty()) out += '\n';
  for (const auto& [name, value] : made) out += fmt::format("{:<20}  {}\n", name, base::printable(value));
  return out;
}

std::vector<std::pair<std::string, std::string>> what_made(const RunDescription& run) {
  const std::string simulations = run.simulations == 0 ? "" : fmt::format("{}", run.simulations);
  std::vector<std::pair<std::string, std::string>> made{
      {"program", run.origin.program},       {"source", run.origin.source},
      {"source SHA-256", run.origin.sha256}, {"simulation options", run.origin.options},
      {"simulations", simulations},          {"repeat with", run.command}};
  std::erase_if(made, [](const auto& line) { return line.second.empty(); });
  return made;
}

std::string csv_comparison(std::span<const ComparisonTable> tables, const ResultOrigin& origin) {
  std::string out = "table,row,column,published,measured,ratio,median,low,high,values,another_low,another_high," +
                    origin_headings() + '\n';
  const std::string made = origin_fields(origin);
  for (const ComparisonTable& table : tables) {
    for (const ComparisonTable::Row& row : table.rows) {
      for (const std::optional<Comparison>& cell : row.cells) {
        if (!cell) continue;
        const std::optional<double> ratio = cell->ratio();
        const std::optional<MeanSpread>& spread = cell->spread;
        const std::string spread_cells = spread ? fmt::format("{},{},{},{}", spread->median, spread->interval.low,
                                                              spread->interval.high, spread->count)
                                                : ",,,";
        const std::optional<Interval>& another = cell->another_draw;
        const std::string another_cells = another ? fmt::format("{},{}", another->low, another->high) : ",";
        out += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(cell->table), csv_field(cell->row),
                           csv_field(cell->column), cell->published ? fmt::format("{}", *cell->published) : "",
                           cell->words.empty() ? fmt::format("{}", cell->measured) : csv_field(cell->words),
                           ratio ? fmt::format("{}", *ratio) : "", spread_cells, another_cells, made);
      }
    }
  }
  return out;
}

std::string markdown_comparison(std::span<const ComparisonTable> tables, const RunDescription& run,
                                const std::vector<std::pair<std::string, std::string>>& images) {
  const auto safe = [](const std::string& text) { return markdown_escaped(base::printable(text)); };
  std::string out = fmt::format("# {}\n", safe(run.paper));
  if (!run.overview.empty()) out += fmt::format("\n**{}**\n", safe(run.overview));
  if (any_published(tables)) out += "\nEach cell: measured (published, ratio measured/published).\n";
  if (any_spread(tables)) out += fmt::format("\n{}\n", kSpreadLegend);
  for (const ComparisonTable& table : tables) {
    out += fmt::format("\n## {}: {}\n\n", safe(table.part), safe(table.title));
    for (const auto& [part, file] : images) {
      if (part == table.part) out += fmt::format("![{}]({})\n\n", safe(table.title), file);
    }
    if (!table.rows.empty()) {
      out += fmt::format("| {} |", safe(table.corner));
      for (const ComparisonTable::Column& column : table.columns) out += fmt::format(" {} |", safe(column.heading));
      out += "\n|---|";
      for (std::size_t c = 0; c < table.columns.size(); ++c) out += "---:|";
      out += '\n';
      for (const ComparisonTable::Row& row : table.rows) {
        out += fmt::format("| {} |", safe(row.name));
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
          out += fmt::format(" {} |", markdown_cell(table.columns[c], row.cells[c]));
        }
        out += '\n';
      }
      out += '\n';
    }
    for (const std::string& note : table.notes) out += fmt::format("- {}\n", safe(note));
  }
  for (const std::string& note : run.notes) out += fmt::format("\n{}\n", safe(note));
  const auto made = what_made(run);
  if (!made.empty()) out += '\n';
  for (const auto& [name, value] : made) out += fmt::format("- *{}*: `{}`\n", name, base::printable(value));
  return out;
}

}  // namespace dfrs::sim
