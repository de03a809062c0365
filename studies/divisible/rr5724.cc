// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rr5724.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/io/output_file.h"
#include "sim/metrics/another_draw.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/cell_count.h"
#include "studies/divisible/rr5724_campaign.h"
#include "studies/divisible/rr5724_published.h"
#include "studies/divisible/rr5724_readings.h"

namespace dfrs::sim {
namespace {

using dfrs::divisible::Algorithm;
using divisible::GeneratorOptions;
using Cells = std::vector<Comparison>;

constexpr std::size_t kPaperInstances = 200;   // per configuration
constexpr std::size_t kReadingInstances = 20;  // per configuration and reading
constexpr std::size_t kTables = 16;

constexpr std::array<ReproductionPart, 19> kParts{{
    {"table1", "all 162 configurations"},
    {"table2", "3 sites"},
    {"table3", "10 sites"},
    {"table4", "20 sites"},
    {"table5", "workload density 0.75"},
    {"table6", "workload density 1.00"},
    {"table7", "workload density 1.25"},
    {"table8", "workload density 1.50"},
    {"table9", "workload density 2.00"},
    {"table10", "workload density 3.00"},
    {"table11", "3 databanks"},
    {"table12", "10 databanks"},
    {"table13", "20 databanks"},
    {"table14", "databank availability 30 %"},
    {"table15", "databank availability 60 %"},
    {"table16", "databank availability 90 %"},
    {"table2-loaded", "3 sites, ten times the requests: the density counts every processor of a site (only if named)"},
    {"readings", "cells within 10 % of the published ones, by what is assumed where the paper is open (only if named)"},
    {"cells", "all published cells: within 10 %, explained by the readings that fit, unexplained (only if named)"},
}};
constexpr std::size_t kLoaded = 16;
constexpr std::size_t kReadings = 17;
constexpr std::size_t kCells = 18;

// True if a configuration belongs to table kParts[part].
bool belongs(const GeneratorOptions& c, std::size_t part) {
  constexpr std::array<int, 3> kCounts{3, 10, 20};
  constexpr std::array<double, 6> kDensities{0.75, 1.0, 1.25, 1.5, 2.0, 3.0};
  constexpr std::array<double, 3> kAvailabilities{0.3, 0.6, 0.9};
  if (part == 0) return true;
  if (part == kLoaded) return c.clusters == 3;
  if (part < 4) return c.clusters == kCounts[part - 1];
  if (part < 10) return c.density == kDensities[part - 4];
  if (part < 13) return c.databanks == kCounts[part - 10];
  return c.availability == kAvailabilities[part - 13];
}

// The readings that the part "readings" compares: one at a time, then those that fit together. The load of
// density-shared takes too long; table2-loaded shows it.
std::vector<std::string> compared_readings() {
  std::vector<std::string> names{""};
  for (const ReproductionPart& reading : rr5724_readings()) {
    if (reading.name != "density-shared") names.emplace_back(reading.name);
  }
  return names;
}

std::size_t index_of(std::string_view algorithm) {
  const auto all = Rr5724Campaign::algorithms();
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](Algorithm a) { return algorithm_name(a) == algorithm; }) - all.begin());
}

// The published cells of a table. `intervals`: also ours of the means.
Cells cells_of(const Rr5724Campaign& campaign, std::size_t part, bool intervals) {
  Cells cells;
  const int table = part == kLoaded ? 2 : static_cast<int>(part) + 1;
  for (const Rr5724Row& row : rr5724_published()) {
    if (row.table != table) continue;
    const Rr5724Campaign::Degradation ours =
        campaign.degradation(index_of(row.algorithm), [&](const GeneratorOptions& c) { return belongs(c, part); });
    const auto add = [&](std::string_view column, std::optional<double> published, double measured,
                         std::optional<Interval> another_draw = {}) {
      Comparison cell{std::string(kParts[part].name), std::string(row.algorithm), std::string(column), published,
                      measured};
      cell.another_draw = another_draw;
      cells.push_back(std::move(cell));
    };
    const auto add_metric = [&](const char* metric, const Rr5724Figures& published, const std::vector<double>& values) {
      const Summary summary = summarize(values);
      add(fmt::format("{} mean", metric), published.mean, summary.mean);
      if (intervals) cells.back().spread = spread_of(values);
      std::optional<AnotherDraw> another;
      if (intervals) another = another_draw(values, 0);
      const auto of_another = [&](auto figure) { return another ? std::optional((*another).*figure) : std::nullopt; };
      add(fmt::format("{} SD", metric), published.deviation, summary.stddev, of_another(&AnotherDraw::deviation));
      add(fmt::format("{} max", metric), published.max, summary.max, of_another(&AnotherDraw::maximum));
    };
    add_metric("max-stretch", row.max_stretch, ours.max_stretch);
    add_metric("sum-stretch", row.sum_stretch, ours.sum_stretch);
  }
  return cells;
}

Cells cells_of_all(const Rr5724Campaign& campaign) {
  Cells all;
  for (std::size_t part = 0; part < kTables; ++part) {
    for (Comparison& cell : cells_of(campaign, part, false)) all.push_back(std::move(cell));
  }
  return all;
}

std::vector<Comparison> of_column(const Cells& cells, std::string_view column) {
  Cells chosen;
  for (const Comparison& cell : cells) {
    if (cell.column == column) chosen.push_back(cell);
  }
  return chosen;
}

constexpr std::array<std::string_view, 6> kColumns{"max-stretch mean", "max-stretch SD", "max-stretch max",
                                                   "sum-stretch mean", "sum-stretch SD", "sum-stretch max"};

// Campaigns run one after the other with one count of progress.
class Runner {
 public:
  Runner(const ReproduceOptions& options, std::size_t total) : options_(options), total_(total) {}

  Result<Rr5724Campaign> run(std::vector<GeneratorOptions> configurations, std::size_t instances,
                             const Result<Rr5724Assumed>& assumed) {
    if (!assumed) return tl::unexpected(assumed.error());
    Rr5724Campaign campaign(std::move(configurations), instances, options_.seed, *assumed);
    Progress progress;
    if (options_.progress) {
      progress = [&](std::size_t done, std::size_t) { options_.progress(done_ + done, total_); };
    }
    if (auto ran = campaign.run(options_.threads, progress); !ran) return tl::unexpected(std::move(ran).error());
    done_ += campaign.count();
    return campaign;
  }

 private:
  const ReproduceOptions& options_;
  std::size_t total_;
  std::size_t done_ = 0;
};

double farthest(const Cells& cells, std::string_view algorithm, std::string_view column) {
  double most = 0;
  for (const Comparison& cell : cells) {
    if (cell.row == algorithm && cell.column == column) most = std::max(most, std::abs(*cell.ratio() - 1));
  }
  return 100 * most;
}

// A row of the part "readings".
void report_reading(const std::string& name, const Cells& cells, ReproductionReport& report) {
  const std::string row = name.empty() ? "as the commands run" : name;
  const auto add = [&](std::string column, double value) {
    report.add({"readings", row, std::move(column), std::nullopt, value});
  };
  add(fmt::format("within 10 %, of {}", count_cells(cells).published), static_cast<double>(count_cells(cells).agree));
  for (const std::string_view column : {kColumns[0], kColumns[3]}) {
    const CellCount count = count_cells(of_column(cells, column));
    add(fmt::format("{}s, of {}", column, count.published), static_cast<double>(count.agree));
  }
  for (const std::string_view algorithm : {"MCT-DIV", "Bender02", "MCT", "Offline"}) {
    const std::string_view column = algorithm == "Offline" ? kColumns[3] : kColumns[0];
    for (const Comparison& cell : cells) {
      if (cell.table != "table1" || cell.row != algorithm || cell.column != column) continue;
      report.add({"readings", row, fmt::format("{} {}", algorithm, column), cell.published, cell.measured});
    }
    add(fmt::format("{}, farthest of 16 tables, %", algorithm), farthest(cells, algorithm, column));
  }
}

Result<void> report_cells(const Cells& ours, const Cells& fit, ReproductionReport& report) {
  const auto add = [&](std::string_view row, const CellCount& count) {
    const auto column = [&](const char* name, std::size_t value) {
      report.add({"cells", std::string(row), name, std::nullopt, static_cast<double>(value)});
    };
    column("published", count.published);
    column("within 10 %", count.agree);
    column("explained", count.explained);
    column("unexplained", count.unexplained());
  };
  for (const std::string_view column : kColumns) {
    const Result<CellCount> count = count_cells(of_column(ours, column), of_column(fit, column));
    if (!count) return tl::unexpected(count.error());
    add(column, *count);
  }
  const Result<CellCount> all = count_cells(ours, fit);
  if (!all) return tl::unexpected(all.error());
  add("all", *all);
  report.note(
      "cells",
      "Explained: not within 10 % as the commands run, but with --assume fit, one set of readings for all cells.");
  const auto excess = [](Cells cells) {
    std::erase_if(cells, [](const Comparison& cell) { return !cell.column.ends_with("mean") || *cell.published <= 1; });
    for (Comparison& cell : cells) *cell.published -= 1, cell.measured -= 1;
    return cells;
  };
  const Result<CellCount> strict = count_cells(excess(ours), excess(fit));
  if (!strict) return tl::unexpected(strict.error());
  report.note("cells",
              fmt::format("A degradation is at least 1. By what the means exceed it: {} cells, {} within 10 %, "
                          "{} explained, {} unexplained.",
                          strict->published, strict->agree, strict->explained, strict->unexplained()));
  return {};
}

void note_table(const Rr5724Campaign& campaign, std::size_t part, std::size_t instances, ReproductionReport& report) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < campaign.count(); ++k) count += belongs(campaign.configuration(k), part) ? 1 : 0;
  report.note(std::string(kParts[part].name),
              fmt::format("{} instances, {} of each configuration (the paper: {}); speeds of processors are not "
                          "published, ours are a choice; degradation is from the best of all algorithms on each "
                          "instance.",
                          count, instances, kPaperInstances));
  report.note(std::string(kParts[part].name),
              part == kLoaded
                  ? "The workload density counts all ten processors of a site: the density is the system's load."
                  : "The workload density counts one processor of a site, which is what the published figures fit.");
  if (part == 0) report.note("table1", "Bender98 only on platforms of 3 clusters, as published.");
}

Result<void> run(const ReproduceOptions& options, ReproductionReport& report) {
  const auto named = [&](std::size_t part) { return !options.parts.empty() && options.wants(kParts[part].name); };
  const std::size_t instances = options.instances == 0 ? kPaperInstances : options.instances;
  const std::size_t few = options.instances == 0 ? kReadingInstances : options.instances;
  const std::vector<GeneratorOptions> every = divisible::rr5724_configurations();
  std::vector<GeneratorOptions> wanted;
  std::vector<GeneratorOptions> wanted_loaded;
  for (const GeneratorOptions& c : every) {
    bool any = named(kCells);
    for (std::size_t part = 0; part < kTables; ++part) {
      any = any || (options.wants(kParts[part].name) && belongs(c, part));
    }
    if (any) wanted.push_back(c);
    if (named(kLoaded) && belongs(c, kLoaded)) wanted_loaded.push_back(c);
  }
  const std::vector<std::string> readings = named(kReadings) ? compared_readings() : std::vector<std::string>{};
  const std::size_t runs = wanted.size() + wanted_loaded.size() + (named(kCells) ? every.size() : 0);
  Runner runner(options, runs * instances + readings.size() * every.size() * few);

  Result<Rr5724Assumed> assumed = rr5724_assumed(options.assume);
  const Result<Rr5724Campaign> light = runner.run(wanted, instances, assumed);
  if (!light) return tl::unexpected(light.error());
  assumed->generator.reading = divisible::DensityReading::shared;  // all processors
  const Result<Rr5724Campaign> heavy = runner.run(wanted_loaded, instances, assumed);
  if (!heavy) return tl::unexpected(heavy.error());
  for (std::size_t part = 0; part <= kLoaded; ++part) {
    if (part == kLoaded ? !named(kLoaded) : !options.wants(kParts[part].name)) continue;
    const Rr5724Campaign& campaign = part == kLoaded ? *heavy : *light;
    for (Comparison& cell : cells_of(campaign, part, true)) report.add(std::move(cell));
    note_table(campaign, part, instances, report);
  }
  if (const CellCount count = count_cells(report.cells()); count.published > 0) {
    report.note("", fmt::format("Of {} published cells, {} are within 10 %.", count.published, count.agree));
  }
  for (const std::string& name : readings) {
    const std::vector<std::string> assume = name.empty() ? std::vector<std::string>{} : std::vector{name};
    const Result<Rr5724Campaign> campaign = runner.run(every, few, rr5724_assumed(assume));
    if (!campaign) return tl::unexpected(campaign.error());
    report_reading(name, cells_of_all(*campaign), report);
  }
  if (named(kReadings)) {
    report.note("readings", fmt::format("{} instances of each of {} configurations.", few, every.size()));
    for (const ReproductionPart& reading : rr5724_readings()) {
      report.note("readings", fmt::format("{}: {}.", reading.name, reading.title));
    }
  }
  if (named(kCells)) {
    const std::vector<std::string> fit{"fit"};
    const Result<Rr5724Campaign> fitted = runner.run(every, instances, rr5724_assumed(fit));
    if (!fitted) return tl::unexpected(fitted.error());
    if (auto shown = report_cells(cells_of_all(*light), cells_of_all(*fitted), report); !shown) return shown;
  }
  if (options.output.empty()) return {};
  const std::filesystem::path folder(options.output);
  Result<void> written;
  if (light->count() > 0) written = write_file((folder / "rr5724-instances.csv").string(), light->csv());
  if (!written || heavy->count() == 0) return written;
  return write_file((folder / "rr5724-loaded-instances.csv").string(), heavy->csv());
}

}  // namespace

const Reproduction kRr5724{
    "rr5724", "Legrand, Su, Vivien: Minimizing the stretch when scheduling flows of biological requests, 2005", kParts,
    run, rr5724_readings()};

}  // namespace dfrs::sim
