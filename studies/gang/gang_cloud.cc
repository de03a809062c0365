// SPDX-License-Identifier: GPL-2.0-or-later
// Gang scheduling on a cloud (Moschakis and Karatza, ISCC 2011): table I and the figures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/metrics/bootstrap.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/cell_count.h"
#include "sim/reproduce/reproduction.h"
#include "studies/gang/gang_cloud_published.h"
#include "studies/gang/gang_cloud_readings.h"
#include "studies/gang/host/experiment.h"
#include "studies/gang/reading_fit.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kReplications = 30;
constexpr std::uint64_t kGangs = 100'000;        // per replication
constexpr std::uint64_t kReadingGangs = 20'000;  // of a replication, for each reading
constexpr std::array kQ{0.25, 0.5, 0.75};

constexpr std::array kParts{
    ReproductionPart{"table1", "cost-performance efficiency (CPE) of LJFS against AFCFS"},
    ReproductionPart{"figure2a-q25", "response time (time units), q = 0.25"},
    ReproductionPart{"figure2a-q50", "response time (time units), q = 0.50"},
    ReproductionPart{"figure2a-q75", "response time (time units), q = 0.75"},
    ReproductionPart{"figure2b-q25", "bounded slowdown, q = 0.25"},
    ReproductionPart{"figure2b-q50", "bounded slowdown, q = 0.50"},
    ReproductionPart{"figure2b-q75", "bounded slowdown, q = 0.75"},
    ReproductionPart{"figure3-q25", "gangs migrated, of 100,000, q = 0.25"},
    ReproductionPart{"figure3-q50", "gangs migrated, of 100,000, q = 0.50"},
    ReproductionPart{"figure3-q75", "gangs migrated, of 100,000, q = 0.75"},
    ReproductionPart{"lease-q25", "lease time of all machines (time units), the basis of table I, q = 0.25"},
    ReproductionPart{"lease-q50", "lease time of all machines (time units), the basis of table I, q = 0.50"},
    ReproductionPart{"lease-q75", "lease time of all machines (time units), the basis of table I, q = 0.75"},
    ReproductionPart{"readings", "table I by what is assumed where the paper is open (only if named)"},
};

// The metric of each figure, whose parts are PREFIX-q25, -q50 and -q75.
struct Series {
  const char* prefix;
  const char* label;
  double (*value)(const GangMetrics&);
};
constexpr std::array kSeries{
    Series{"figure2a", "response time", [](const GangMetrics& m) { return m.mean_response; }},
    Series{"figure2b", "bounded slowdown", [](const GangMetrics& m) { return m.mean_bounded_slowdown; }},
    Series{"figure3", "migrations", [](const GangMetrics& m) { return static_cast<double>(m.migrations); }},
    Series{"lease", "lease time", [](const GangMetrics& m) { return m.lease_time; }},
};

// A column of table I.
using Published = double GangCloudLine::*;
struct Column {
  const char* name;
  gang::Migration migration;
  double x_factor;
  Published published;
};
constexpr std::array kColumns{
    Column{"FF-10", gang::Migration::first_fit, 10, &GangCloudLine::ff10},
    Column{"BF-10", gang::Migration::best_fit, 10, &GangCloudLine::bf10},
    Column{"FF-20", gang::Migration::first_fit, 20, &GangCloudLine::ff20},
    Column{"BF-20", gang::Migration::best_fit, 20, &GangCloudLine::bf20},
};

// The runs of one cell of table I.
struct Cell {
  const GangCloudLine* line;
  const Column* column;
  std::size_t afcfs;  // index into the experiments; LJFS follows
};

std::string part_name(const char* prefix, double q) { return fmt::format("{}-q{:.0f}", prefix, q * 100); }

bool wants_q(const ReproduceOptions& options, double q) {
  return options.wants("table1") || std::any_of(kSeries.begin(), kSeries.end(),
                                                [&](const Series& s) { return options.wants(part_name(s.prefix, q)); });
}

using Results = std::vector<std::vector<GangMetrics>>;

void report_table(std::span<const Cell> cells, const Results& results, const CpeReading& reading,
                  ReproductionReport& report) {
  double widest = 0;
  std::size_t covered = 0;
  std::size_t near = 0;
  std::vector<double> differences;
  for (const Cell& cell : cells) {
    const double published = cell.line->*cell.column->published;
    const ConfidenceInterval cpe = cost_performance(results[cell.afcfs], results[cell.afcfs + 1], reading);
    Comparison shown{"table1", fmt::format("q={} lambda={}", cell.line->q, cell.line->lambda), cell.column->name,
                     published, cpe.mean};
    shown.spread = spread_of(paired_cost_performance(results[cell.afcfs], results[cell.afcfs + 1], reading));
    report.add(std::move(shown));
    differences.push_back(cpe.mean - published);
    near += std::abs(differences.back()) <= kPaperPrecision ? 1 : 0;
    widest = std::max(widest, cpe.half_width);
    if (std::abs(cpe.mean - published) <= cpe.half_width) ++covered;
  }
  const ConfidenceInterval shift = confidence_interval(differences);
  const CellCount count = count_cells(report.cells());
  report.note("table1", fmt::format("Of {} published cells, {} are within 10 %, and {} within ±{}, which is what the "
                                    "paper's precision of 5 % in each of four means allows. Ours are {:.3f} ± {:.3f} "
                                    "higher on average: chance explains single cells, not that.",
                                    count.published, count.agree, near, kPaperPrecision, shift.mean, shift.half_width));
  if (std::isinf(widest)) return;
  report.note("table1",
              fmt::format("Half of the 95 % confidence interval of the measured CPE is at most {:.4f}; {} of the "
                          "{} published figures lie inside the interval.",
                          widest, covered, cells.size()));
}

void report_series(const Series& series, double q, std::span<const Cell> cells, const Results& results,
                   ReproductionReport& report) {
  const std::string part = part_name(series.prefix, q);
  double widest = 0;
  for (const Cell& cell : cells) {
    if (cell.line->q != q) continue;
    for (std::size_t scheduler : {0, 1}) {
      const std::vector<GangMetrics>& runs = results[cell.afcfs + scheduler];
      const ConfidenceInterval i = interval_of(runs, series.value);
      std::vector<double> values;
      for (const GangMetrics& run : runs) values.push_back(series.value(run));
      report.add_mean({part, fmt::format("{}", cell.line->lambda),
                       fmt::format("{} {}", scheduler == 0 ? "AFCFS" : "LJFS", cell.column->name), std::nullopt},
                      values);
      widest = std::max(widest, i.relative());
    }
  }
  report.plot({part, "arrival rate lambda", series.label});
  report.note(part, "The paper draws this without giving values; only measured values are shown.");
  if (std::isfinite(widest)) {
    report.note(part,
                fmt::format("Half of the 95 % confidence interval is at most {:.1f} % of its mean (the paper: less "
                            "than 5 %).",
                            100 * widest));
  }
}

// The cells of table I and their experiments: AFCFS, then LJFS.
struct Plan {
  std::vector<GangExperiment> experiments;
  std::vector<Cell> cells;

  void add(const GangCloudLine& line, const GangCloudAssumed& assumed, std::uint64_t gangs) {
    for (const Column& column : kColumns) {
      cells.push_back({&line, &column, experiments.size()});
      for (const gang::Scheduler scheduler : {gang::Scheduler::afcfs, gang::Scheduler::ljfs}) {
        experiments.push_back(assumed.of(line.q, line.lambda, scheduler, column.migration, column.x_factor));
        experiments.back().options.jobs = gangs;
      }
    }
  }
};

// The CPE of each cell with the replications at `places`.
std::vector<double> cells_of(const Plan& plan, const Results& results, const CpeReading& reading,
                             std::span<const std::uint32_t> places) {
  std::vector<double> all;
  std::vector<GangMetrics> afcfs(places.size());
  std::vector<GangMetrics> ljfs(places.size());
  for (const Cell& cell : plan.cells) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      afcfs[k] = results[cell.afcfs][places[k]];
      ljfs[k] = results[cell.afcfs + 1][places[k]];
    }
    all.push_back(mean_cost_performance(afcfs, ljfs, reading));
  }
  return all;
}

// A row of the part "readings", with intervals over other draws of the replications if there are several.
void report_reading(const std::string& name, const CpeReading& reading, const Plan& plan, const Results& results,
                    ReproductionReport& report) {
  std::vector<double> published;
  for (const Cell& cell : plan.cells) published.push_back(cell.line->*cell.column->published);
  std::vector<std::uint32_t> each(results.front().size());
  std::iota(each.begin(), each.end(), 0U);
  const std::vector<double> ours = cells_of(plan, results, reading, each);
  const ReadingFit fit = reading_fit(ours, published);
  std::vector<double> means;
  std::vector<double> distances;
  std::vector<double> correlations;
  if (each.size() > 1) {
    for_each_resample(each.size(), [&](std::span<const std::uint32_t> places) {
      const ReadingFit drawn = reading_fit(cells_of(plan, results, reading, places), published);
      means.push_back(drawn.ours.mean);
      distances.push_back(drawn.distance);
      correlations.push_back(drawn.correlation);
    });
  }
  const auto add = [&](std::string column, std::optional<double> paper, double value,
                       const std::vector<double>& drawn = {}) {
    Comparison cell{"readings", name, std::move(column), paper, value};
    if (!drawn.empty()) cell.spread = MeanSpread{each.size(), summarize(drawn).median, percentile_interval(drawn)};
    report.add(std::move(cell));
  };
  const Summary theirs = summarize(published);
  add("mean CPE", theirs.mean, fit.ours.mean, means);
  add("SD", theirs.stddev, fit.ours.stddev);
  add(fmt::format("same sign, of {}", ours.size()), std::nullopt, static_cast<double>(fit.signs));
  add("within 10 %", std::nullopt, static_cast<double>(fit.agree));
  add("within ±0.1", std::nullopt, static_cast<double>(fit.near));
  add("root mean square difference", std::nullopt, fit.distance, distances);
  add("correlation", std::nullopt, fit.correlation, correlations);
}

// Readings of CPE alone share the simulations of the model as the commands run it.
Result<void> report_readings(const ReplicationOptions& replication, ReproductionReport& report) {
  std::vector<std::vector<std::string>> readings{{}};
  for (const ReproductionPart& reading : gang_cloud_readings()) readings.push_back({std::string(reading.name)});
  readings.push_back({"queue-waiting", "threshold-2"});  // the nearest two together
  Results shared;
  for (const std::vector<std::string>& assume : readings) {
    const std::string name = fmt::format("{}", fmt::join(assume, ","));
    const Result<GangCloudAssumed> assumed = gang_cloud_assumed(assume);
    if (!assumed) return tl::unexpected(assumed.error());
    Plan plan;
    for (const GangCloudLine& line : kGangCloudTable1) plan.add(line, *assumed, kReadingGangs);
    const bool own = name.empty() || assumed->cpe == CpeReading{};
    const Result<Results> results = own ? replicate(plan.experiments, replication) : shared;
    if (!results) return tl::unexpected(results.error());
    if (name.empty()) shared = *results;
    report_reading(name.empty() ? "as the commands run" : name, assumed->cpe, plan, *results, report);
    if (name.empty() || assumed->cpe.growth) continue;
    CpeReading growth = assumed->cpe;
    growth.growth = true;
    report_reading("growth," + name, growth, plan, *results, report);
  }
  for (const ReproductionPart& reading : gang_cloud_readings()) {
    report.note("readings", fmt::format("{}: {}.", reading.name, reading.title));
  }
  report.note("readings", fmt::format("Intervals are percentiles of {} draws of the replications, with their median.",
                                      kBootstrapResamples));
  report.note("readings",
              fmt::format("{} x {} gangs for each cell and scheduler.", replication.replications, kReadingGangs));
  report.note(
      "readings",
      "The paper knows each of the four means in a CPE to within 5 %, which makes a CPE uncertain by up to 0.1.");
  return {};
}

Result<void> run(const ReproduceOptions& options, ReproductionReport& report) {
  const Result<GangCloudAssumed> assumed = gang_cloud_assumed(options.assume);
  if (!assumed) return tl::unexpected(assumed.error());
  const bool readings = !options.parts.empty() && options.wants("readings");
  Plan plan;
  for (const GangCloudLine& line : kGangCloudTable1) {
    if (wants_q(options, line.q)) plan.add(line, *assumed, kGangs);
  }
  ReplicationOptions replication;
  replication.replications = options.instances == 0 ? kReplications : options.instances;
  replication.seed = options.seed;
  replication.threads = options.threads;
  replication.progress = options.progress;
  const Result<Results> results = replicate(plan.experiments, replication);
  if (!results) return tl::unexpected(results.error());
  const std::vector<Cell>& cells = plan.cells;

  if (options.wants("table1")) report_table(cells, *results, assumed->cpe, report);
  for (const Series& series : kSeries) {
    for (double q : kQ) {
      if (options.wants(part_name(series.prefix, q))) report_series(series, q, cells, *results, report);
    }
  }
  if (readings) {
    ReplicationOptions few = replication;
    few.replications = options.instances == 0 ? 1 : options.instances;
    if (auto shown = report_readings(few, report); !shown) return shown;
  }
  report.note(
      "", fmt::format("{} replications of {} gangs for each configuration; the paper has {} of this length. It does "
                      "not give its load threshold, which is {} here.",
                      replication.replications, kGangs, kReplications, gang::Options{}.load_threshold));
  return {};
}

}  // namespace

extern const Reproduction kGangCloud;
const Reproduction kGangCloud{
    "gang-cloud",
    "Moschakis and Karatza, Performance and Cost evaluation of Gang Scheduling in a Cloud Computing System with Job "
    "Migrations and Starvation Handling, ISCC 2011",
    kParts, run, gang_cloud_readings()};

}  // namespace dfrs::sim
