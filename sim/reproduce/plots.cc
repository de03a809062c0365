// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/gnuplot.h"
#include "sim/report/svg.h"
#include "sim/reproduce/render.h"

namespace dfrs::sim {
namespace {

constexpr int kWidth = 820;  // of a figure, in its own units
constexpr int kHeight = 420;

// Where a row is along the horizontal axis.
double place_of(const ComparisonTable& table, std::size_t row) {
  return table.plot->even_x ? static_cast<double>(row) : std::stod(table.rows[row].name);
}

// A point that the axes can show.
bool shown(const Plot& plot, double x, double y) {
  return std::isfinite(y) && (!plot.log_x || x > 0) && (!plot.log_y || y > 0);
}

// The points of one column as a data block; whether it has any.
bool append_data(std::string& data, const std::string& name, const ComparisonTable& table, std::size_t column,
                 bool published) {
  bool any = false;
  data += fmt::format("${} << EOD\n", name);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::optional<Comparison>& cell = table.rows[r].cells[column];
    if (!cell || !cell->words.empty() || (published && !cell->published)) continue;
    const double x = place_of(table, r);
    const double y = published ? *cell->published : cell->measured;
    if (!shown(*table.plot, x, y)) continue;
    data += fmt::format("{} {}\n", x, y);
    any = true;
  }
  data += "EOD\n";
  return any;
}

// A tick per row, by its number alone (rows of plots are numbers); the line at the marked one.
std::string rows_axis(const ComparisonTable& table) {
  std::string script;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const double value = std::stod(table.rows[r].name);
    if (table.plot->even_x) script += fmt::format("{}'{:.12g}' {}", r == 0 ? "set xtics (" : ", ", value, r);
  }
  if (!script.empty()) script += ")\n";
  if (!table.plot->marked) return script;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (std::stod(table.rows[r].name) != *table.plot->marked) continue;
    script += fmt::format(
        "set arrow from first {0},graph 0 to first {0},graph 1 nohead back lw 1 dt 4 lc rgb '#999999'\n"
        "set label 'default' at first {0},graph 1.04 center\n",
        place_of(table, r));
  }
  return script;
}

// Names are given by placeholder: first those of the columns, then the labels of the axes.
std::string script_of(const ComparisonTable& table, const std::vector<std::string>& names) {
  const Plot& plot = *table.plot;
  const std::size_t lines = table.columns.size();
  std::string data;
  std::string curves;
  for (std::size_t c = 0; c < lines; ++c) {
    const std::string_view colour = kChartColours[c % kChartColours.size()];
    const int point = kChartPoints[c % kChartPoints.size()];
    const std::size_t dash = 1 + c / kChartColours.size();
    const auto curve = [&](const std::string& block, const std::string& style) {
      curves +=
          fmt::format("{}${} using 1:2 with {} lc rgb '{}'", curves.empty() ? "plot " : ", ", block, style, colour);
    };
    const std::string ours = fmt::format("ours{}", c);
    if (append_data(data, ours, table, c, false)) {
      curve(ours, fmt::format("linespoints lw 1.6 dt {} pt {} ps 0.7", dash, point));
      curves += fmt::format(" title '{}'", label_placeholder(c, names[c]));
    }
    const std::string paper = fmt::format("paper{}", c);
    if (table.columns[c].published && append_data(data, paper, table, c, true)) {
      curve(paper, "lines lw 1 dt 3");
      curves += " notitle";
    }
  }
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic noenhanced font 'sans-serif,13'\n"
      "set border 3 lw 0.5\nset tics nomirror scale 0.5\nset grid x y lc rgb '#999999' lw 0.4 dt 2\n",
      kWidth, kHeight + 24 + 22 * static_cast<int>((lines + 1) / 2));
  script += rows_axis(table);
  if (plot.log_x) script += "set logscale x\nset format x '%.12g'\n";
  if (plot.log_y) script += "set logscale y\nset format y '%.12g'\n";
  script += fmt::format(
      "set xlabel '{}' offset 0,0.4\nset ylabel '{}'\nset offsets graph 0.03, graph 0.03, graph 0.05, graph 0.05\n"
      "set key outside below height 1.2 Left reverse maxcols 2 samplen 3\n",
      label_placeholder(lines, names[lines]), label_placeholder(lines + 1, names[lines + 1]));
  return curves.empty() ? std::string() : script + data + curves + '\n';
}

}  // namespace

tl::expected<PartCharts, std::string> draw_plots(std::span<const ComparisonTable> tables, const std::string& gnuplot) {
  PartCharts charts;
  for (const ComparisonTable& table : tables) {
    if (!table.plot || table.rows.empty()) continue;
    std::vector<std::string> names;
    for (const ComparisonTable::Column& column : table.columns) names.push_back(column.heading);
    names.push_back(table.plot->x_label);
    names.push_back(table.plot->y_label);
    const std::string script = script_of(table, names);
    if (script.empty()) continue;
    const tl::expected<std::string, std::string> output = run_gnuplot(script, gnuplot);
    if (!output) return tl::make_unexpected(output.error());
    tl::expected<std::string, std::string> svg = embedded_svg(*output, table.part, table.title, names);
    if (!svg) return tl::make_unexpected(svg.error());
    charts.emplace_back(
        table.part,
        Chart{table.title, table.published() ? "Solid: ours. Dotted, without points: the paper's." : "Measured by this run.",
              std::move(*svg)});
  }
  return charts;
}

}  // namespace dfrs::sim
