// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/report/gnuplot.h"
#include "sim/report/svg.h"

namespace dfrs::sim {
namespace {

constexpr int kWidth = 820;      // of the chart, in its own units
constexpr int kRowHeight = 270;  // of two classes beside each other
constexpr double kLeast = 1;     // s; shorter waits are drawn there

struct Line {
  std::string_view colour;
  int dash;
};
constexpr std::array<Line, 3> kLines{{{kChartColours[7], 2}, {kChartColours[0], 1}, {kChartColours[1], 4}}};

std::string data_of(const std::string& name, const Service& service) {
  std::string out = fmt::format("{} << EOD\n", name);
  const auto& waits = service.wait_quantiles;
  for (std::size_t k = 0; k < waits.size(); ++k) {
    out += fmt::format("{} {}\n", std::max(kLeast, waits[k]), 100.0 * static_cast<double>(k) / kWaitQuantiles);
  }
  return out + "EOD\n";
}

std::string script_of(const std::vector<NamedRun>& runs) {
  std::vector<std::size_t> classes;
  double most = 60;
  for (std::size_t c = 0; c < kJobClasses.size(); ++c) {
    if (runs.front().run->by_class[c].jobs == 0) continue;
    classes.push_back(c);
    for (const NamedRun& each : runs) most = std::max(most, each.run->by_class[c].wait_quantiles.back());
  }
  const std::size_t rows = (classes.size() + 1) / 2;
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic noenhanced font 'sans-serif,12'\n"
      "set border 3 lw 0.5\nset tics nomirror scale 0.5\nset grid x y lc rgb '#999999' lw 0.4 dt 2\n"
      "set logscale x\nset xrange [{}:{}]\nset yrange [0:102]\nset ytics 25\nset format y '%g %%'\n"
      "set xtics ('1 s' 1, '10 s' 10, '1 min' 60, '10 min' 600, '1 h' 3600, '10 h' 36000, '4 days' 345600, '40 days' "
      "3456000)\n",
      kWidth, kRowHeight * static_cast<int>(rows), kLeast, most * 1.1);
  for (std::size_t c : classes) {
    for (std::size_t r = 0; r < runs.size(); ++r) {
      script += data_of(fmt::format("$c{}r{}", c, r), runs[r].run->by_class[c]);
    }
  }
  script += fmt::format("set multiplot layout {},{}\n", rows, std::min<std::size_t>(classes.size(), 2));
  for (std::size_t c : classes) {
    const std::size_t jobs = runs.front().run->by_class[c].jobs;
    script += fmt::format("set title 'jobs of {} ({})'\n{}\nplot ", kJobClasses[c].name, jobs,
                          c == classes.front() ? "set key bottom right samplen 2" : "unset key");
    for (std::size_t r = 0; r < runs.size(); ++r) {
      script += fmt::format("{}$c{}r{} using 1:2 with lines lw 2 dt {} lc rgb '{}' title '{}'", r == 0 ? "" : ", ", c,
                            r, kLines[r].dash, kLines[r].colour, label_placeholder(r, runs[r].name));
    }
    script += '\n';
  }
  return script + "unset multiplot\n";
}

}  // namespace

tl::expected<PageChart, std::string> waits_chart(const std::vector<NamedRun>& runs) {
  std::vector<std::string> names;
  for (const NamedRun& each : runs) names.push_back(each.name);
  const auto drawn = run_gnuplot(script_of(runs));
  if (!drawn) return tl::unexpected(drawn.error());
  PageChart chart{
      "How long jobs wait",
      "The share of jobs that have started within a time, by how long the jobs run. Higher and further left is "
      "better.",
      {}};
  auto svg = embedded_svg(*drawn, "waits", chart.title, names);
  if (!svg) return tl::unexpected(svg.error());
  chart.svg = std::move(*svg);
  return chart;
}

}  // namespace dfrs::sim
