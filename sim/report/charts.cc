// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "sim/report/gnuplot.h"
#include "sim/report/svg.h"

namespace dfrs::sim {
namespace {

constexpr int kWidth = 820;                              // of a chart, in its own units
constexpr int kRow = 26;                                 // height per algorithm
constexpr int kTallRow = 36;                             // of a row with two bars
constexpr std::size_t kMaxLines = kChartColours.size();  // more cannot be told apart

std::vector<std::string> names_of(const CampaignSummary& summary) {
  std::vector<std::string> names;
  for (const AlgorithmSummary& a : summary.algorithms) names.push_back(a.algorithm);
  return names;
}

std::string terminal(int height) {
  return fmt::format(
      "set terminal svg size {},{} dynamic noenhanced font 'sans-serif,13'\n"
      "set border 3 lw 0.5\nset tics nomirror scale 0.5\nset grid x lc rgb '#999999' lw 0.4 dt 2\n",
      kWidth, height);
}

// Algorithms from top to bottom along the vertical axis.
std::string algorithm_axis(const CampaignSummary& summary) {
  std::string labels;
  for (std::size_t k = 0; k < summary.algorithms.size(); ++k) {
    labels += fmt::format("{}'{}' {}", k == 0 ? "" : ", ", label_placeholder(k, summary.algorithms[k].algorithm), k);
  }
  const auto n = static_cast<double>(summary.algorithms.size());
  return fmt::format("set ytics ({})\nset yrange [{}:-0.6]\n", labels, n - 0.4);
}

int rows_height(const CampaignSummary& summary, int extra, int row = kRow) {
  return row * static_cast<int>(summary.algorithms.size()) + extra;
}

// The range of a logarithmic axis, with margins. Requires `least` and `greatest` > 0.
std::string log_range(double least, double greatest) {
  return fmt::format("[{}:{}]", std::min(least, 1.0) * 0.9, std::max(greatest, 2.0) * 1.2);
}

std::string quartile_data(const std::vector<double>& sorted, std::size_t row) {
  // Nearest rank, like p90 in the table; the median is also the table's.
  const auto rank = [&](double share) {
    const double at = std::ceil(share * static_cast<double>(sorted.size())) - 1;
    return sorted[static_cast<std::size_t>(std::max(0.0, at))];
  };
  const Summary s = summarize(sorted);
  return fmt::format("{} {} {} {} {}\n", row, rank(0.25), rank(0.75), s.median, s.mean);
}

std::string degradation_script(const std::vector<ResultRow>& rows, const CampaignSummary& summary) {
  std::unordered_map<std::string, std::vector<double>> values;
  for (const ResultRow& row : rows) values[row.algorithm].push_back(row.degradation());
  double least = 1;
  double greatest = 1;
  std::string points;
  std::string boxes;
  for (std::size_t k = 0; k < summary.algorithms.size(); ++k) {
    std::vector<double>& of = values[summary.algorithms[k].algorithm];
    std::sort(of.begin(), of.end());
    least = std::min(least, of.front());
    greatest = std::max(greatest, of.back());
    for (std::size_t i = 0; i < of.size(); ++i) {
      // Spread over the row's height in a fixed pattern, so that equal values show as several points.
      const double offset = of.size() == 1 ? 0.0 : 0.24 * (static_cast<double>(i * 7 % 11) / 5.0 - 1.0);
      points += fmt::format("{} {:.3f}\n", of[i], static_cast<double>(k) + offset);
    }
    boxes += quartile_data(of, k);
  }
  std::string script = terminal(rows_height(summary, 80)) + algorithm_axis(summary) + "$points << EOD\n" + points +
                       "EOD\n$boxes << EOD\n" + boxes + "EOD\n" +
                       "set logscale x\nset format x '%.12g'\nset xlabel 'degradation from bound (1 = perfect)'\n" +
                       fmt::format("set xrange {}\nunset key\n", log_range(least, greatest));
  if (summary.instances == 1) {
    return script + "plot $points using 1:2 with points pt 7 ps 0.9 lc rgb '#0072b2'\n";
  }
  script += "set style fill transparent solid 0.25 noborder\nplot ";
  // x, y, xlow, xhigh, ylow, yhigh
  script += "$boxes using 4:1:2:3:($1-0.34):($1+0.34) with boxxyerror lc rgb '#0072b2', ";
  script += fmt::format("$points using 1:2 with points pt 7 ps {} lc rgb '#0072b2', ",
                        summary.instances > 50 ? "0.2" : "0.35");
  script += "$boxes using 4:($1-0.34):(0):(0.68) with vectors nohead lw 1.5 lc rgb 'black', ";
  script += "$boxes using 5:1 with points pt 13 ps 1 lc rgb '#d55e00'\n";
  return script;
}

// Algorithms to draw as lines: the best ones, always including the best batch algorithm of the papers.
std::vector<std::size_t> selected_lines(const CampaignSummary& summary) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < summary.algorithms.size(); ++k) order.push_back(k);
  const auto better = [&](std::size_t a, std::size_t b) {
    const AlgorithmSummary& left = summary.algorithms[a];
    const AlgorithmSummary& right = summary.algorithms[b];
    if (left.complete != right.complete) return left.complete;
    return left.degradation.mean < right.degradation.mean;
  };
  std::stable_sort(order.begin(), order.end(), better);
  if (order.size() > kMaxLines) {
    const auto batch = std::find_if(order.begin(), order.end(), [&](std::size_t k) {
      const std::string& name = summary.algorithms[k].algorithm;
      return name == "FCFS" || name.starts_with("EASY");
    });
    if (batch != order.end() && batch - order.begin() >= static_cast<std::ptrdiff_t>(kMaxLines)) {
      order[kMaxLines - 1] = *batch;
    }
    order.resize(kMaxLines);
  }
  return order;
}

std::string load_script(const std::vector<ResultRow>& rows, const CampaignSummary& summary,
                        const std::vector<LoadGroup>& groups, const std::vector<std::size_t>& lines) {
  std::unordered_map<std::string, std::size_t> group_of;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::string& instance : groups[g].instances) group_of[instance] = g;
  }
  std::string data;
  std::string plot;
  double least = 1;
  double greatest = 1;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string& algorithm = summary.algorithms[lines[line]].algorithm;
    std::vector<std::vector<double>> values(groups.size());
    for (const ResultRow& row : rows) {
      if (row.algorithm == algorithm) values[group_of.at(row.instance)].push_back(row.degradation());
    }
    data += fmt::format("$line{} << EOD\n", line);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (values[g].empty()) continue;
      const double mean = summarize(values[g]).mean;
      least = std::min(least, mean);
      greatest = std::max(greatest, mean);
      data += fmt::format("{} {}\n", groups[g].load, mean);
    }
    data += "EOD\n";
    plot += fmt::format("{}$line{} using 1:2 with linespoints lw 1.6 pt {} ps 0.7 lc rgb '{}' title '{}'",
                        line == 0 ? "plot " : ", ", line, kChartPoints[line], kChartColours[line],
                        label_placeholder(lines[line], algorithm));
  }
  std::vector<std::string> drawn;
  for (const std::size_t line : lines) drawn.push_back(summary.algorithms[line].algorithm);
  const Legend legend = legend_below(drawn);
  const double low = groups.front().load;
  const double high = groups.back().load;
  const double room = std::max(0.02, (high - low) * 0.04);
  return terminal(400 + legend.height) + data +
         "set grid x y lc rgb '#999999' lw 0.4 dt 2\nset logscale y\nset format y '%.12g'\n"
         "set xlabel 'offered load' offset 0,0.4\nset ylabel 'mean degradation from bound'\n" +
         legend.commands +
         fmt::format("set xrange [{}:{}]\nset yrange {}\n", low - room, high + room, log_range(least, greatest)) +
         plot + '\n';
}

struct Bars {
  std::string_view colour;
  double Metrics::* value;  // its mean
};

// Horizontal bars from 0, side by side if there are several per algorithm.
std::string bars_script(const CampaignSummary& summary, std::string_view axis, const std::vector<Bars>& series,
                        const std::vector<std::string_view>& names) {
  double greatest = 0;
  std::string data;
  std::string plot;
  const double height = 0.68 / static_cast<double>(series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    data += fmt::format("$bars{} << EOD\n", s);
    for (std::size_t k = 0; k < summary.algorithms.size(); ++k) {
      const double value = summary.algorithms[k].mean.*series[s].value;
      greatest = std::max(greatest, value);
      const double top = static_cast<double>(k) - 0.34 + static_cast<double>(s) * height;
      data += fmt::format("{} {:.4f} {:.4f} {:.2f}\n", value, top, top + height, value);
    }
    data += "EOD\n";
    plot += fmt::format("{}$bars{} using 1:2:(0):1:2:3 with boxxyerror lc rgb '{}' {}", s == 0 ? "plot " : ", ", s,
                        series[s].colour, names.empty() ? "notitle" : fmt::format("title '{}'", names[s]));
  }
  for (std::size_t s = 0; s < series.size(); ++s) {
    plot += fmt::format(", $bars{} using 1:(($2+$3)/2):4 with labels left offset 0.5,0 font ',11' notitle", s);
  }
  return terminal((names.empty() ? rows_height(summary, 70) : rows_height(summary, 100, kTallRow))) +
         algorithm_axis(summary) + data + "set style fill solid 0.85 noborder\n" +
         (names.empty() ? "unset key\n" : "set key outside above Left reverse horizontal samplen 1.5\n") +
         fmt::format("set xlabel '{}'\nset xrange [0:{}]\n", axis, greatest > 0 ? greatest * 1.12 : 1.0) + plot + '\n';
}

std::string points_meaning(const CampaignSummary& summary) {
  if (summary.instances == 1) return "One point per algorithm, logarithmic scale; further left is better.";
  return "One dot per instance, logarithmic scale; further left is better. The box holds the middle half of the "
         "instances, the line in it is the median, the diamond the average that the table ranks by.";
}

}  // namespace

tl::expected<std::vector<Chart>, std::string> draw_charts(const std::vector<ResultRow>& rows,
                                                          const CampaignSummary& summary, const std::string& gnuplot) {
  struct Plan {
    Chart chart;
    std::string script;
  };
  std::vector<Plan> plans;
  plans.push_back({{"Degradation from bound", points_meaning(summary), {}}, degradation_script(rows, summary)});
  if (loads_differ(summary)) {
    double width = 0;
    const std::vector<LoadGroup> groups = load_groups(rows, &width);
    const std::vector<std::size_t> lines = selected_lines(summary);
    if (groups.size() > 1) {
      std::string caption = fmt::format(
          "Average over the instances of about the same offered load (rounded to {}), logarithmic scale; lower is "
          "better.",
          width);
      if (lines.size() < summary.algorithms.size()) {
        caption += fmt::format(" The {} best of {} algorithms, with the best batch algorithm if there is one.",
                               lines.size(), summary.algorithms.size());
      }
      plans.push_back(
          {{"Degradation from bound against offered load", caption, {}}, load_script(rows, summary, groups, lines)});
    }
  }
  plans.push_back({{"Underutilization",
                    "Idle or lost capacity that jobs could have used, relative to the work done; "
                    "shorter is better.",
                    {}},
                   bars_script(summary, "underutilization", {{"#0072b2", &Metrics::underutilization}}, {})});
  const auto disturbs = [](const AlgorithmSummary& a) { return a.mean.pauses_per_job > 0 || a.mean.moves_per_job > 0; };
  if (std::any_of(summary.algorithms.begin(), summary.algorithms.end(), disturbs)) {
    plans.push_back({{"Pauses and moves per job", "How often a job is disturbed on average; shorter is better.", {}},
                     bars_script(summary, "times per job",
                                 {{"#d55e00", &Metrics::pauses_per_job}, {"#009e73", &Metrics::moves_per_job}},
                                 {"pauses", "moves"})});
  }
  std::vector<Chart> charts;
  for (Plan& plan : plans) {
    const tl::expected<std::string, std::string> output = run_gnuplot(plan.script, gnuplot);
    if (!output) return tl::make_unexpected(output.error());
    tl::expected<std::string, std::string> svg =
        embedded_svg(*output, fmt::format("chart{}", charts.size() + 1), plan.chart.title, names_of(summary));
    if (!svg) return tl::make_unexpected(svg.error());
    plan.chart.svg = std::move(*svg);
    charts.push_back(std::move(plan.chart));
  }
  return charts;
}

}  // namespace dfrs::sim
