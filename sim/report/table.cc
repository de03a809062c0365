// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "base/counted.h"
#include "base/text_table.h"
#include "sim/campaign/origin_json.h"
#include "sim/errors.h"
#include "sim/report/markup.h"
#include "sim/report/terms.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kLegendWidth = 100;
constexpr std::size_t kSourcesShown = 10;

// Appends a column. All values have the same number of decimals, so that they compare at a glance: two, or one if there
// are values of 100 and more.
template <typename Value>
void add_column(ReportTable& table, const CampaignSummary& summary, std::string group, std::string heading,
                const Value& value) {
  table.columns.push_back({std::move(group), std::move(heading)});
  double greatest = 0;
  for (const AlgorithmSummary& a : summary.algorithms) greatest = std::max(greatest, value(a));
  const int decimals = greatest < 100 ? 2 : 1;
  for (std::size_t k = 0; k < summary.algorithms.size(); ++k) {
    table.rows[k].cells.push_back(fmt::format("{:.{}f}", value(summary.algorithms[k]), decimals));
  }
}

// An end of an interval with the column's decimals; "-" where there is none.
template <typename Value>
void add_ends(ReportTable& table, const CampaignSummary& summary, const std::string& group, const Value& interval) {
  double greatest = 0;
  for (const AlgorithmSummary& a : summary.algorithms) {
    if (interval(a)) greatest = std::max(greatest, interval(a)->high);
  }
  const int decimals = greatest < 100 ? 2 : 1;
  for (const bool high : {false, true}) {
    table.columns.push_back({group, high ? "high" : "low"});
    for (std::size_t k = 0; k < summary.algorithms.size(); ++k) {
      const std::optional<Interval>& found = interval(summary.algorithms[k]);
      table.rows[k].cells.push_back(found ? fmt::format("{:.{}f}", high ? found->high : found->low, decimals) : "-");
    }
  }
}

bool is_published(const CampaignSummary& summary, std::optional<double> PublishedFigures::* value) {
  return std::any_of(summary.algorithms.begin(), summary.algorithms.end(),
                     [&](const AlgorithmSummary& a) { return (a.published.*value).has_value(); });
}

// Published values beside ours, in the column to the left; no column if there are none. All digits that were published.
void add_published_column(ReportTable& table, const CampaignSummary& summary, const char* group,
                          std::optional<double> PublishedFigures::* value) {
  if (!is_published(summary, value)) return;
  table.columns.push_back({group, "published"});
  for (std::size_t k = 0; k < summary.algorithms.size(); ++k) {
    const std::optional<double>& theirs = summary.algorithms[k].published.*value;
    const int decimals = value == &PublishedFigures::degradation || value == &PublishedFigures::mean_stretch ? 2 : 1;
    table.rows[k].cells.push_back(theirs ? fmt::format("{:.{}f}", *theirs, decimals) : "-");
  }
}

std::string caption(const CampaignSummary& summary) {
  if (summary.instances == 1) return "One instance, " + base::counted(summary.jobs, "job");
  return fmt::format("{} instances, {} in all", summary.instances, base::counted(summary.jobs, "job"));
}

}  // namespace

ReportTable summary_table(const CampaignSummary& summary) {
  using A = AlgorithmSummary;
  ReportTable table;
  table.columns.push_back({"", "algorithm"});
  std::vector<std::string> incomplete;
  for (const A& a : summary.algorithms) {
    ReportTable::Row row;
    row.cells.push_back(base::printable(a.algorithm));
    row.best = summary.algorithms.size() > 1 && summary.is_best(a);
    if (!a.complete) incomplete.push_back(fmt::format("{} ({})", row.cells.front(), a.instances));
    table.rows.push_back(std::move(row));
  }
  const auto add = [&](const char* group, const char* heading, const auto& value) {
    add_column(table, summary, group, heading, value);
  };
  const auto add_published = [&](const char* group, std::optional<double> PublishedFigures::* value) {
    add_published_column(table, summary, group, value);
  };
  if (summary.instances == 1) {
    add("", "degradation", [](const A& a) { return a.degradation.mean; });
    add_published("", &PublishedFigures::degradation);
    add("", "max stretch", [](const A& a) { return a.mean.max_stretch; });
    add_published("", &PublishedFigures::max_stretch);
    add("", "bound", [](const A& a) { return a.bound; });
    add("", "mean stretch", [](const A& a) { return a.mean.mean_stretch; });
    add_published("", &PublishedFigures::mean_stretch);
    add("", "mean wait (s)", [](const A& a) { return a.mean.mean_wait; });
    if (is_published(summary, &PublishedFigures::mean_turnaround)) {
      add("", "mean turnaround (s)", [](const A& a) { return a.mean.mean_turnaround; });
      add_published("", &PublishedFigures::mean_turnaround);
    }
  } else {
    const char* group = "degradation from bound";
    add(group, "avg", [](const A& a) { return a.degradation.mean; });
    add_ends(table, summary, group, [](const A& a) -> const auto& { return a.degradation_interval; });
    add(group, "std", [](const A& a) { return a.degradation.stddev; });
    add(group, "median", [](const A& a) { return a.degradation.median; });
    add(group, "p90", [](const A& a) { return a.degradation.p90; });
    add(group, "max", [](const A& a) { return a.degradation.max; });
    add_published(group, &PublishedFigures::degradation);
    if (summary.algorithms.size() > 1 && !summary.reference.empty()) {
      const char* above = "above the best";
      add(above, "avg", [](const A& a) { return a.difference.value_or(std::nan("")); });
      add_ends(table, summary, above, [](const A& a) -> const auto& { return a.difference_interval; });
    }
    const char* stretch = "mean stretch";
    add(stretch, "avg", [](const A& a) { return a.mean.mean_stretch; });
    add_ends(table, summary, stretch, [](const A& a) -> const auto& { return a.spread("mean_stretch").interval; });
    add(stretch, "median", [](const A& a) { return a.spread("mean_stretch").median; });
  }
  add("", "underutil.", [](const A& a) { return a.mean.underutilization; });
  add("per job", "pauses", [](const A& a) { return a.mean.pauses_per_job; });
  add("per job", "moves", [](const A& a) { return a.mean.moves_per_job; });
  add("", "GB/s", [](const A& a) { return a.traffic_gb_per_s; });
  const auto loses = [](const A& a) { return a.mean.work_lost > 0; };
  if (std::any_of(summary.algorithms.begin(), summary.algorithms.end(), loses)) {
    add("", "work lost", [](const A& a) { return a.mean.work_lost; });
  }
  if (!summary.published_source.empty()) table.notes.push_back(summary.published_source);
  if (!incomplete.empty()) {
    table.notes.push_back(fmt::format(
        "Not comparable, because they have results for only some of the {} instances (number in brackets): {}.",
        summary.instances, fmt::join(incomplete, ", ")));
  }
  return table;
}

Result<SummaryFormat> parse_summary_format(std::string_view name) {
  if (name == "text") return SummaryFormat::text;
  if (name == "markdown") return SummaryFormat::markdown;
  if (name == "csv") return SummaryFormat::csv;
  if (name == "json") return SummaryFormat::json;
  return usage_error(fmt::format("--format: '{}' is not a summary format; expected text, markdown, csv or json", name));
}

namespace {

// The line of group headings, each above its group's columns. Widens the first column of a group if the heading does
// not fit. Empty if there are no groups.
std::string group_headings(const ReportTable& table, base::TextTable& text) {
  const std::size_t columns = table.columns.size();
  std::string groups;
  std::size_t position = 2 + text.width(0);
  for (std::size_t c = 1; c < columns; ++c) {
    const std::string& group = table.columns[c].group;
    if (!group.empty() && group != table.columns[c - 1].group) {
      std::size_t span = 0;
      for (std::size_t d = c; d < columns && table.columns[d].group == group; ++d) {
        span += text.width(d) + (d > c ? 2 : 0);
      }
      if (span < group.size()) {
        text.widen(c, group.size() - span);
        span = group.size();
      }
      groups += std::string(position + 2 - groups.size(), ' ') + std::string(span - group.size(), ' ') + group;
    }
    position += 2 + text.width(c);
  }
  return groups.empty() ? groups : groups + '\n';
}

}  // namespace

std::string text_summary(const CampaignSummary& summary) {
  const ReportTable table = summary_table(summary);
  base::TextTable text;
  text.mark_rows();
  text.rule();
  for (const ReportTable::Column& column : table.columns) {
    text.column(column.heading, &column == &table.columns.front() ? base::Align::left : base::Align::right);
  }
  for (const ReportTable::Row& row : table.rows) text.row(row.cells, row.best);
  const std::string groups = group_headings(table, text);
  std::string out = caption(summary) + "\n\n" + groups + text.text() + '\n';

  const bool marked = std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) { return row.best; });
  if (marked) out += summary.instances == 1 ? "> lowest degradation\n" : "> lowest average degradation\n";
  for (const std::string& note : table.notes) out += wrapped(note, 0, kLegendWidth);
  for (const Term& term : report_terms()) {
    if (term.word == "offered load") continue;  // not a column of this table
    out += wrapped(fmt::format("{}: {}", term.word, term.meaning), 2, kLegendWidth);
  }
  // Not wrapped, so that command lines can be copied.
  const auto origin = summary.origin.described(kSourcesShown);
  if (!origin.empty()) out += '\n';
  for (const auto& [name, value] : origin) out += fmt::format("{:<20}  {}\n", name, base::printable(value));
  return out;
}

std::string markdown_summary(const CampaignSummary& summary) {
  const ReportTable table = summary_table(summary);
  std::string out = caption(summary) + "\n\n|";
  for (const ReportTable::Column& column : table.columns) {
    const std::string group = column.group == "degradation from bound" ? "degradation" : column.group;
    // Markdown has no headings across columns: "degradation avg", "pauses per job".
    if (group.empty()) {
      out += fmt::format(" {} |", column.heading);
    } else {
      out += group == "per job" ? fmt::format(" {} {} |", column.heading, group)
                                : fmt::format(" {} {} |", group, column.heading);
    }
  }
  out += "\n|---|";
  for (std::size_t c = 1; c < table.columns.size(); ++c) out += "---:|";
  out += '\n';
  for (const ReportTable::Row& row : table.rows) {
    out += '|';
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::string cell = c == 0 ? markdown_escaped(row.cells[c]) : row.cells[c];
      out += row.best && c == table.best_column ? fmt::format(" **{}** |", cell) : fmt::format(" {} |", cell);
    }
    out += '\n';
  }
  for (const std::string& note : table.notes) out += '\n' + markdown_escaped(note) + '\n';
  out += '\n';
  for (const Term& term : report_terms()) out += fmt::format("- *{}*: {}\n", term.word, term.meaning);
  for (const auto& [name, value] : summary.origin.described(kSourcesShown)) {
    out += fmt::format("- *{}*: `{}`\n", name, base::printable(value));
  }
  return out;
}

namespace {

// A figure of an algorithm. CSV calls it GROUP_NAME, JSON puts the figures of a group into an object. NaN: unknown.
struct Figure {
  std::string_view group;  // empty: none
  std::string_view name;
  double (*of)(const AlgorithmSummary& a);
};

double low(const std::optional<Interval>& interval) { return interval ? interval->low : std::nan(""); }
double high(const std::optional<Interval>& interval) { return interval ? interval->high : std::nan(""); }

std::span<const Figure> figures() {
  using A = AlgorithmSummary;
  static constexpr Figure all[] = {
      {"degradation", "mean", [](const A& a) { return a.degradation.mean; }},
      {"degradation", "std", [](const A& a) { return a.degradation.stddev; }},
      {"degradation", "median", [](const A& a) { return a.degradation.median; }},
      {"degradation", "p90", [](const A& a) { return a.degradation.p90; }},
      {"degradation", "max", [](const A& a) { return a.degradation.max; }},
      {"", "max_stretch_mean", [](const A& a) { return a.mean.max_stretch; }},
      {"", "bound_mean", [](const A& a) { return a.bound; }},
      {"", "mean_stretch", [](const A& a) { return a.mean.mean_stretch; }},
      {"", "mean_wait_s", [](const A& a) { return a.mean.mean_wait; }},
      {"", "underutilization", [](const A& a) { return a.mean.underutilization; }},
      {"", "pauses_per_job", [](const A& a) { return a.mean.pauses_per_job; }},
      {"", "moves_per_job", [](const A& a) { return a.mean.moves_per_job; }},
      {"", "traffic_gb_per_s", [](const A& a) { return a.traffic_gb_per_s; }},
      {"", "degradation_ls1_mean", [](const A& a) { return a.degradation_ls1; }},
      {"", "degradation_from_best_mean", [](const A& a) { return a.degradation_from_best; }},
      {"stretch", "p50", [](const A& a) { return a.mean.stretch_p50; }},
      {"stretch", "p90", [](const A& a) { return a.mean.stretch_p90; }},
      {"stretch", "p95", [](const A& a) { return a.mean.stretch_p95; }},
      {"stretch", "p99", [](const A& a) { return a.mean.stretch_p99; }},
      {"", "pauses", [](const A& a) { return a.mean.pauses; }},
      {"", "moves", [](const A& a) { return a.mean.moves; }},
      {"", "response_by_width_s", [](const A& a) { return a.mean.response_by_width; }},
      {"", "slowdown60_by_width", [](const A& a) { return a.mean.slowdown60_by_width; }},
      {"", "loss_of_capacity", [](const A& a) { return a.mean.loss_of_capacity; }},
      {"", "work_lost", [](const A& a) { return a.mean.work_lost; }},
      {"", "losses_per_job", [](const A& a) { return a.mean.losses_per_job; }},
      {"degradation", "low", [](const A& a) { return low(a.degradation_interval); }},
      {"degradation", "high", [](const A& a) { return high(a.degradation_interval); }},
      {"difference", "mean", [](const A& a) { return a.difference.value_or(std::nan("")); }},
      {"difference", "low", [](const A& a) { return low(a.difference_interval); }},
      {"difference", "high", [](const A& a) { return high(a.difference_interval); }},
      {"", "degradation_published", [](const A& a) { return a.published.degradation.value_or(std::nan("")); }},
      {"", "max_stretch_published", [](const A& a) { return a.published.max_stretch.value_or(std::nan("")); }},
      {"", "mean_stretch_published", [](const A& a) { return a.published.mean_stretch.value_or(std::nan("")); }},
      {"", "mean_turnaround_s", [](const A& a) { return a.mean.mean_turnaround; }},
      {"", "mean_turnaround_published_s",
       [](const A& a) { return a.published.mean_turnaround.value_or(std::nan("")); }},
  };
  return all;
}

}  // namespace

std::string csv_summary(const CampaignSummary& summary) {
  std::string out = "algorithm,instances,complete";
  for (const Figure& figure : figures()) {
    out += fmt::format(",{}{}{}", figure.group, figure.group.empty() ? "" : "_", figure.name);
  }
  for (const AveragedFigure& figure : averaged_figures()) {
    out += fmt::format(",{0}_median,{0}_low,{0}_high", figure.name);
  }
  std::string origin;
  for (const OriginColumn& column : origin_columns()) {
    out += fmt::format(",{}", column.name);
    const std::string values = fmt::format("{}", fmt::join(summary.origin.distinct(column.field), "; "));
    origin += "," + csv_field(base::printable(values));
  }
  out += '\n';
  for (const AlgorithmSummary& a : summary.algorithms) {
    out += fmt::format("{},{},{}", csv_field(base::printable(a.algorithm)), a.instances, a.complete ? 1 : 0);
    for (const Figure& figure : figures()) out += ',' + csv_number(figure.of(a));
    for (const AverageSpread& spread : a.spreads) {
      for (const double value : {spread.median, low(spread.interval), high(spread.interval)}) {
        out += ',' + csv_number(value);
      }
    }
    out += origin + '\n';
  }
  return out;
}

std::string json_summary(const CampaignSummary& summary) {
  using nlohmann::ordered_json;
  ordered_json algorithms = ordered_json::array();
  for (const AlgorithmSummary& a : summary.algorithms) {
    ordered_json& object = algorithms.emplace_back(ordered_json{{"algorithm", base::printable(a.algorithm)},
                                                                {"instances", a.instances},
                                                                {"complete", a.complete},
                                                                {"best", summary.is_best(a)}});
    for (const Figure& figure : figures()) {
      ordered_json& place = figure.group.empty() ? object : object[std::string(figure.group)];
      place[std::string(figure.name)] = figure.of(a);  // NaN becomes null
    }
    for (std::size_t f = 0; f < a.spreads.size(); ++f) {
      const AverageSpread& spread = a.spreads[f];
      object["spread"][std::string(averaged_figures()[f].name)] = {
          {"median", spread.median}, {"low", low(spread.interval)}, {"high", high(spread.interval)}};
    }
  }
  const ordered_json document{{"instances", summary.instances},
                              {"jobs", summary.jobs},
                              {"load", {{"min", summary.load_min}, {"max", summary.load_max}}},
                              {"algorithms", algorithms},
                              {"origin", origin_json(summary.origin)}};
  return document.dump(2) + '\n';
}

std::string render_summary(const CampaignSummary& summary, SummaryFormat format) {
  switch (format) {
    case SummaryFormat::text:
      return text_summary(summary);
    case SummaryFormat::markdown:
      return markdown_summary(summary);
    case SummaryFormat::csv:
      return csv_summary(summary);
    case SummaryFormat::json:
      return json_summary(summary);
  }
  return text_summary(summary);
}

}  // namespace dfrs::sim
