// SPDX-License-Identifier: GPL-2.0-or-later
// Gang scheduling on a cloud (Moschakis and Karatza, ISCC 2011): table I and the figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/reproduce/reproduction.h"
#include "studies/gang/gang_cloud_published.h"
#include "studies/gang/host/experiment.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kReplications = 30;
constexpr std::uint64_t kGangs = 100'000;  // per replication
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
struct Column {
  const char* name;
  gang::Migration migration;
  double x_factor;
  double GangCloudLine::* published;
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

void report_table(std::span<const Cell> cells, const Results& results, ReproductionReport& report) {
  double widest = 0;
  std::size_t covered = 0;
  for (const Cell& cell : cells) {
    const double published = cell.line->*cell.column->published;
    const ConfidenceInterval cpe = cost_performance(results[cell.afcfs], results[cell.afcfs + 1]);
    report.add({"table1", fmt::format("q={} lambda={}", cell.line->q, cell.line->lambda), cell.column->name, published,
                cpe.mean});
    widest = std::max(widest, cpe.half_width);
    if (std::abs(cpe.mean - published) <= cpe.half_width) ++covered;
  }
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
      const ConfidenceInterval i = interval_of(results[cell.afcfs + scheduler], series.value);
      report.add({part, fmt::format("{}", cell.line->lambda),
                  fmt::format("{} {}", scheduler == 0 ? "AFCFS" : "LJFS", cell.column->name), std::nullopt, i.mean});
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

void run(const ReproduceOptions& options, ReproductionReport& report) {
  std::vector<GangExperiment> experiments;
  std::vector<Cell> cells;
  for (const GangCloudLine& line : kGangCloudTable1) {
    if (!wants_q(options, line.q)) continue;
    for (const Column& column : kColumns) {
      cells.push_back({&line, &column, experiments.size()});
      for (const gang::Scheduler scheduler : {gang::Scheduler::afcfs, gang::Scheduler::ljfs}) {
        GangExperiment& e = experiments.emplace_back();
        e.workload.arrival_rate = line.lambda;
        e.workload.small_probability = line.q;
        e.options.jobs = kGangs;
        e.options.policy.scheduler = scheduler;
        e.options.policy.migration = column.migration;
        e.options.policy.starvation_threshold = column.x_factor;
      }
    }
  }
  ReplicationOptions replication;
  replication.replications = options.instances == 0 ? kReplications : options.instances;
  replication.seed = options.seed;
  replication.threads = options.threads;
  replication.progress = options.progress;
  const Results results = replicate(experiments, replication);

  if (options.wants("table1")) report_table(cells, results, report);
  for (const Series& series : kSeries) {
    for (double q : kQ) {
      if (options.wants(part_name(series.prefix, q))) report_series(series, q, cells, results, report);
    }
  }
  report.note(
      "", fmt::format("{} replications of {} gangs for each configuration; the paper has {} of this length. It does "
                      "not give its load threshold, which is {} here.",
                      replication.replications, kGangs, kReplications, gang::Options{}.load_threshold));
}

}  // namespace

extern const Reproduction kGangCloud;
const Reproduction kGangCloud{
    "gang-cloud",
    "Moschakis and Karatza, Performance and Cost evaluation of Gang Scheduling in a Cloud Computing System with Job "
    "Migrations and Starvation Handling, ISCC 2011",
    kParts, run};

}  // namespace dfrs::sim
