// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"
#include "sim/campaign/degradation.h"
#include "sim/metrics/metric_columns.h"

namespace dfrs::sim {
namespace {

constexpr double kSameMean = 1e-9;  // relative
constexpr double kLoadsDiffer = 0.05;
constexpr std::size_t kMaxFineGroups = 12;

// What was expected instead of a value; null: it is fine.
const char* wrong_unless_positive(double value) {
  return std::isfinite(value) && value > 0 ? nullptr : "a number above 0";
}
const char* wrong_if_negative(double value) {
  return std::isfinite(value) && value >= 0 ? nullptr : "a number, at least 0";
}

Result<void> check(const ResultRow& row) {
  const Metrics& m = row.metrics;
  struct Value {
    const char* name;
    double value;
    const char* (*wrong)(double);
  };
  for (const auto& [name, value, wrong] : {
           Value{"bound_divisible", row.bound_divisible, wrong_unless_positive},
           Value{"max_stretch", m.max_stretch, wrong_unless_positive},
           Value{"mean_stretch", m.mean_stretch, wrong_unless_positive},
           Value{"max_stretch / bound_divisible", row.degradation(), wrong_unless_positive},
           Value{"load", row.load, wrong_if_negative},
           Value{"mean_wait_s", m.mean_wait, wrong_if_negative},
           Value{"underutilization", m.underutilization, wrong_if_negative},
           Value{"pauses_per_job", m.pauses_per_job, wrong_if_negative},
           Value{"moves_per_job", m.moves_per_job, wrong_if_negative},
           Value{"pause_gb_per_s", m.pause_gb_per_s, wrong_if_negative},
           Value{"move_gb_per_s", m.move_gb_per_s, wrong_if_negative},
       }) {
    if (const char* const expected = wrong(value)) {
      return input_error(fmt::format("results of {} on instance {}: {} is {}, expected {}",
                                     base::printable(row.algorithm), base::printable(row.instance), name, value,
                                     expected));
    }
  }
  return {};
}

// A result, and its degradation from the best.
struct Placed {
  const ResultRow* row;
  double from_best;
};

AlgorithmSummary summarize_algorithm(const std::vector<Placed>& rows, std::size_t all_instances) {
  AlgorithmSummary s;
  s.algorithm = rows.front().row->algorithm;
  s.instances = rows.size();
  s.complete = rows.size() == all_instances;
  std::vector<double> degradations;
  const auto n = static_cast<double>(rows.size());
  for (const MetricColumn& metric : metric_columns()) s.mean.*metric.value = 0;
  for (const auto& [row, from_best] : rows) {
    const Metrics& m = row->metrics;
    degradations.push_back(row->degradation());
    for (const MetricColumn& metric : metric_columns()) s.mean.*metric.value += m.*metric.value / n;
    s.bound += row->bound_divisible / n;
    s.traffic_gb_per_s += (m.pause_gb_per_s + m.move_gb_per_s) / n;
    s.degradation_ls1 += row->degradation_ls1() / n;
    s.degradation_from_best += from_best / n;
  }
  s.degradation = summarize(degradations);
  return s;
}

// Sets the medians and intervals of averaged_figures().
void add_spreads(CampaignSummary& campaign, const std::unordered_map<std::string, std::vector<Placed>>& by_algorithm) {
  const std::span<const AveragedFigure> figures = averaged_figures();
  for (AlgorithmSummary& a : campaign.algorithms) {
    a.spreads.resize(figures.size());
    std::vector<std::vector<double>> series(figures.size());
    for (std::size_t f = 0; f < figures.size(); ++f) {
      std::vector<double> values;
      for (const Placed& placed : by_algorithm.at(a.algorithm)) {
        values.push_back(figures[f].of(*placed.row, placed.from_best));
      }
      if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) continue;
      a.spreads[f].median = summarize(values).median;
      series[f] = std::move(values);
    }
    const std::vector<std::optional<Interval>> intervals = bootstrap_means(series);
    for (std::size_t f = 0; f < figures.size(); ++f) a.spreads[f].interval = intervals[f];
  }
}

// Sets the intervals, and the differences from the best algorithm.
void add_intervals(CampaignSummary& campaign,
                   const std::unordered_map<std::string, std::vector<Placed>>& by_algorithm) {
  std::unordered_map<std::string, double> of_reference;
  for (const AlgorithmSummary& a : campaign.algorithms) {
    if (!campaign.is_best(a)) continue;
    campaign.reference = a.algorithm;
    for (const Placed& placed : by_algorithm.at(a.algorithm)) {
      of_reference.emplace(placed.row->instance, placed.row->degradation());
    }
    break;
  }
  const std::size_t count = campaign.algorithms.size();
  std::vector<std::vector<double>> series(2 * count);  // degradations, then differences
  for (std::size_t k = 0; k < count; ++k) {
    const std::string& name = campaign.algorithms[k].algorithm;
    for (const Placed& placed : by_algorithm.at(name)) {
      const double degradation = placed.row->degradation();
      series[k].push_back(degradation);
      const auto at = of_reference.find(placed.row->instance);
      if (at != of_reference.end()) series[count + k].push_back(degradation - at->second);
    }
  }
  const std::vector<std::optional<Interval>> intervals = bootstrap_means(series);
  for (std::size_t k = 0; k < count; ++k) {
    AlgorithmSummary& a = campaign.algorithms[k];
    a.degradation_interval = intervals[k];
    if (series[count + k].empty()) continue;
    a.difference = summarize(series[count + k]).mean;
    if (a.algorithm != campaign.reference) a.difference_interval = intervals[count + k];
  }
}

std::map<long, LoadGroup> grouped(const std::vector<ResultRow>& rows, double width) {
  std::map<long, LoadGroup> groups;
  std::set<std::string> seen;
  for (const ResultRow& row : rows) {
    if (!seen.insert(row.instance).second) continue;
    const long key = std::lround(row.load / width);
    groups[key].load = static_cast<double>(key) * width;
    groups[key].instances.push_back(row.instance);
  }
  return groups;
}

}  // namespace

std::span<const AveragedFigure> averaged_figures() {
  using R = ResultRow;
  static constexpr AveragedFigure all[] = {
      {"max_stretch", [](const R& row, double) { return row.metrics.max_stretch; }},
      {"bound", [](const R& row, double) { return row.bound_divisible; }},
      {"mean_stretch", [](const R& row, double) { return row.metrics.mean_stretch; }},
      {"mean_wait_s", [](const R& row, double) { return row.metrics.mean_wait; }},
      {"underutilization", [](const R& row, double) { return row.metrics.underutilization; }},
      {"pauses_per_job", [](const R& row, double) { return row.metrics.pauses_per_job; }},
      {"moves_per_job", [](const R& row, double) { return row.metrics.moves_per_job; }},
      {"traffic_gb_per_s", [](const R& row, double) { return row.metrics.pause_gb_per_s + row.metrics.move_gb_per_s; }},
      {"degradation_ls1", [](const R& row, double) { return row.degradation_ls1(); }},
      {"degradation_from_best", [](const R&, double from_best) { return from_best; }},
      {"stretch_p50", [](const R& row, double) { return row.metrics.stretch_p50; }},
      {"stretch_p90", [](const R& row, double) { return row.metrics.stretch_p90; }},
      {"stretch_p95", [](const R& row, double) { return row.metrics.stretch_p95; }},
      {"stretch_p99", [](const R& row, double) { return row.metrics.stretch_p99; }},
      {"pauses", [](const R& row, double) { return row.metrics.pauses; }},
      {"moves", [](const R& row, double) { return row.metrics.moves; }},
      {"response_by_width_s", [](const R& row, double) { return row.metrics.response_by_width; }},
      {"slowdown60_by_width", [](const R& row, double) { return row.metrics.slowdown60_by_width; }},
      {"loss_of_capacity", [](const R& row, double) { return row.metrics.loss_of_capacity; }},
      {"work_lost", [](const R& row, double) { return row.metrics.work_lost; }},
      {"losses_per_job", [](const R& row, double) { return row.metrics.losses_per_job; }},
  };
  return all;
}

const AverageSpread& AlgorithmSummary::spread(std::string_view name) const {
  const std::span<const AveragedFigure> figures = averaged_figures();
  const auto at = std::find_if(figures.begin(), figures.end(), [&](const auto& figure) { return figure.name == name; });
  return spreads.at(static_cast<std::size_t>(at - figures.begin()));
}

double CampaignSummary::best_degradation() const {
  double best = std::numeric_limits<double>::infinity();
  for (const AlgorithmSummary& a : algorithms) {
    if (a.complete) best = std::min(best, a.degradation.mean);
  }
  return best;
}

bool CampaignSummary::is_best(const AlgorithmSummary& algorithm) const {
  return algorithm.complete && algorithm.degradation.mean <= best_degradation() * (1 + kSameMean);
}

Result<CampaignSummary> summarize_campaign(const std::vector<ResultRow>& rows, const SummaryOptions& options) {
  if (rows.empty()) return input_error("no results to report; expected at least one algorithm on one instance");
  CampaignSummary campaign;
  campaign.origin = campaign_origin(rows);
  std::unordered_map<std::string, const ResultRow*> first_of_instance;
  std::unordered_map<std::string, std::vector<Placed>> by_algorithm;
  std::set<std::pair<std::string, std::string>> seen;
  campaign.load_min = rows.front().load;
  campaign.load_max = rows.front().load;
  campaign.jobs_min = rows.front().jobs;
  campaign.jobs_max = rows.front().jobs;
  for (const ResultRow& row : rows) {
    if (auto fine = check(row); !fine) return tl::unexpected(std::move(fine).error());
  }
  const std::vector<double> from_best = degradation_from_best(rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const ResultRow& row = rows[k];
    if (!seen.emplace(row.algorithm, row.instance).second) {
      return input_error(fmt::format(
          "two results of {} on instance {}; expected one each (report campaigns with different options apart)",
          base::printable(row.algorithm), base::printable(row.instance)));
    }
    const auto [at, is_new] = first_of_instance.emplace(row.instance, &row);
    const ResultRow& first = *at->second;
    if (row.jobs != first.jobs || row.bound_divisible != first.bound_divisible) {
      return input_error(fmt::format(
          "instance {} has {} jobs and bound {} in the results of {}, but {} and {} in those of {}; expected one "
          "instance per name (report campaigns with different instances apart)",
          base::printable(row.instance), first.jobs, first.bound_divisible, base::printable(first.algorithm), row.jobs,
          row.bound_divisible, base::printable(row.algorithm)));
    }
    by_algorithm[row.algorithm].push_back({&row, from_best[k]});
    campaign.load_min = std::min(campaign.load_min, row.load);
    campaign.load_max = std::max(campaign.load_max, row.load);
    campaign.jobs_min = std::min(campaign.jobs_min, row.jobs);
    campaign.jobs_max = std::max(campaign.jobs_max, row.jobs);
    if (is_new) campaign.jobs += row.jobs;
  }
  campaign.instances = first_of_instance.size();

  std::vector<std::string> names = options.algorithms;
  for (const std::string& name : algorithms_of(rows)) names.push_back(name);
  std::set<std::string> done;
  for (const std::string& name : names) {
    const auto at = by_algorithm.find(name);
    if (at == by_algorithm.end() || !done.insert(name).second) continue;
    campaign.algorithms.push_back(summarize_algorithm(at->second, campaign.instances));
  }
  if (options.order == SummaryOrder::by_degradation) {
    std::stable_sort(campaign.algorithms.begin(), campaign.algorithms.end(),
                     [](const AlgorithmSummary& a, const AlgorithmSummary& b) {
                       if (a.complete != b.complete) return a.complete;
                       return a.degradation.mean < b.degradation.mean;
                     });
  }
  add_spreads(campaign, by_algorithm);
  add_intervals(campaign, by_algorithm);
  return campaign;
}

bool loads_differ(const CampaignSummary& summary) { return summary.load_max - summary.load_min > kLoadsDiffer; }

std::vector<LoadGroup> load_groups(const std::vector<ResultRow>& rows, double* width) {
  double used = 0.01;
  std::map<long, LoadGroup> groups = grouped(rows, used);
  std::size_t instances = 0;
  for (const auto& [key, group] : groups) instances += group.instances.size();
  if (groups.size() > kMaxFineGroups || groups.size() * 2 > instances) {
    used = 0.1;
    groups = grouped(rows, used);
  }
  if (width != nullptr) *width = used;
  std::vector<LoadGroup> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

}  // namespace dfrs::sim
