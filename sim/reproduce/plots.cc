// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/gnuplot.h"
#include "sim/report/svg.h"
#include "sim/reproduce/render.h"
#include "sim/reproduce/waterfall.h"

namespace dfrs::sim {
namespace {

constexpr int kWidth = 820;  // of a chart, in its own units
constexpr int kHeight = 420;

// The position of a row on the horizontal axis.
double place_of(const ComparisonTable& table, std::size_t row) {
  return table.plot->even_x ? static_cast<double>(row) : std::stod(table.rows[row].name);
}

// True if the axes can show the point.
bool shown(const Plot& plot, double x, double y) {
  return std::isfinite(y) && (!plot.log_x || x > 0) && (!plot.log_y || y > 0);
}

// The range of an axis, with margins. gnuplot's own choice would extend to the next tick, which is a power of ten on a
// logarithmic axis and may be below 0 on others.
struct Range {
  double least = HUGE_VAL;
  double greatest = -HUGE_VAL;

  void include(double value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  std::string text(bool log, double share) const {
    if (log) {
      const double room = std::pow(greatest / least, share) * (greatest > least ? 1 : 1.2);
      return fmt::format("[{:.6g}:{:.6g}]", least / room, greatest * room);
    }
    const double room = greatest > least ? share * (greatest - least) : std::max(0.1, share * std::abs(greatest));
    return fmt::format("[{:.6g}:{:.6g}]", least - room, greatest + room);
  }
  // Adds ticks between powers of ten to a logarithmic axis of less than three decades.
  std::string log_tics(const char* axis) const {
    std::string format = fmt::format("set format {} '%.12g'\n", axis);
    if (!(greatest < 1000 * least)) return format;
    std::string ticks;
    for (double decade = std::pow(10, std::floor(std::log10(least)) - 1); decade <= greatest; decade *= 10) {
      for (const int digit : {1, 2, 5}) ticks += fmt::format("{}{:.12g}", ticks.empty() ? "" : ", ", digit * decade);
    }
    return format + fmt::format("set {}tics ({})\n", axis, ticks);
  }
};

// Appends the points of one column as a data block. Returns false if there are none.
bool append_data(std::string& data, const std::string& name, const ComparisonTable& table, std::size_t column,
                 bool published, Range& along, Range& up) {
  bool any = false;
  data += fmt::format("${} << EOD\n", name);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::optional<Comparison>& cell = table.rows[r].cells[column];
    if (!cell || !cell->words.empty() || (published && !cell->published)) continue;
    const double x = place_of(table, r);
    const double y = published ? *cell->published : cell->measured;
    if (!shown(*table.plot, x, y)) continue;
    data += fmt::format("{} {}\n", x, y);
    along.include(x);
    up.include(y);
    any = true;
  }
  data += "EOD\n";
  return any;
}

// A tick per row, labelled with its number, and a line at the marked row.
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
        "set label 'default' at first {0},graph 1.04 center\nset tmargin 2.5\n",
        place_of(table, r));
  }
  return script;
}

// Uses placeholders for names: first those of the columns, then the labels of the axes.
std::string script_of(const ComparisonTable& table, const std::vector<std::string>& names) {
  const Plot& plot = *table.plot;
  const std::size_t lines = table.columns.size();
  std::string data;
  std::string curves;
  Range along;
  Range up;
  for (std::size_t c = 0; c < lines; ++c) {
    const std::string_view colour = kChartColours[c % kChartColours.size()];
    const int point = kChartPoints[c % kChartPoints.size()];
    const std::size_t dash = 1 + c / kChartColours.size();
    const auto curve = [&](const std::string& block, const std::string& style) {
      curves +=
          fmt::format("{}${} using 1:2 with {} lc rgb '{}'", curves.empty() ? "plot " : ", ", block, style, colour);
    };
    const std::string ours = fmt::format("ours{}", c);
    if (append_data(data, ours, table, c, false, along, up)) {
      curve(ours, fmt::format("linespoints lw 1.6 dt {} pt {} ps 0.7", dash, point));
      curves += fmt::format(" title '{}'", label_placeholder(c, names[c]));
    }
    const std::string paper = fmt::format("paper{}", c);
    if (table.columns[c].published && append_data(data, paper, table, c, true, along, up)) {
      curve(paper, "lines lw 1 dt 3");
      curves += " notitle";
    }
  }
  if (curves.empty()) return {};
  const Legend legend = legend_below(std::span(names).first(lines));
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic noenhanced font 'sans-serif,13'\n"
      "set border 3 lw 0.5\nset tics nomirror scale 0.5\nset grid x y lc rgb '#999999' lw 0.4 dt 2\n",
      kWidth, kHeight + legend.height);
  script += rows_axis(table);
  if (plot.log_x) script += "set logscale x\n" + along.log_tics("x");
  if (plot.log_y) script += "set logscale y\n" + up.log_tics("y");
  script += fmt::format("set xlabel '{}' offset 0,0.4\nset ylabel '{}'\nset xrange {}\nset yrange {}\n{}",
                        label_placeholder(lines, names[lines]), label_placeholder(lines + 1, names[lines + 1]),
                        along.text(plot.log_x, 0.03), up.text(plot.log_y, 0.06), legend.commands);
  return script + data + curves + '\n';
}

}  // namespace

tl::expected<PartCharts, std::string> draw_plots(std::span<const ComparisonTable> tables, const std::string& gnuplot) {
  PartCharts charts;
  for (const ComparisonTable& table : tables) {
    if (!table.plot || table.rows.empty()) continue;
    if (!table.plot->leads_from.empty()) {
      charts.emplace_back(table.part, Chart{table.title,
                                            "Measured by this run. Each bar leads from the step that it "
                                            "changes, the dashed line, to its own value.",
                                            waterfall_svg(table)});
      continue;
    }
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
    charts.emplace_back(table.part, Chart{table.title,
                                          table.published() ? "Solid: ours. Dotted, without points: the paper's."
                                                            : "Measured by this run.",
                                          std::move(*svg)});
  }
  return charts;
}

}  // namespace dfrs::sim
