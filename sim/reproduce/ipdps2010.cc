// SPDX-License-Identifier: GPL-2.0-or-later
// IPDPS 2010: tables I and II and figure 1, as degradation from the best of its nine algorithms.
#include <fmt/format.h>

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policy/rr7659/options.h"
#include "sim/campaign/degradation.h"
#include "sim/metrics/bootstrap.h"
#include "sim/metrics/by_trace.h"
#include "sim/reproduce/assumptions.h"
#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/ipdps2010_published.h"
#include "sim/reproduce/lublin_set.h"
#include "sim/reproduce/reproduction.h"
#include "sim/workload/load.h"

namespace dfrs::sim {
namespace {

using namespace ipdps2010;

constexpr std::array<ReproductionPart, 7> kParts{
    {{"table1", "degradation from the best algorithm, penalty 5 minutes"},
     {"table2", "costs of pausing and moving, scaled workloads of load 0.7 and more, penalty 5 minutes"},
     {"figure1a", "average degradation against load, no penalty"},
     {"figure1a-text", "what section V says of figure 1 (a): averages over all loads, no penalty"},
     {"figure1b", "average degradation against load, penalty 5 minutes"},
     {"table2-assumptions", "what could explain table II: other ways to count, average and decide"},
     {"table2-assumptions-cells", "each cell of table2-assumptions"}}};

constexpr std::array<ReproductionPart, 2> kReadings{
    {{"ties", "DYNMCB8 takes equal jobs by priority, not by submission (/TIES=PRIORITY)"},
     {"newest", "DYNMCB8 takes the newest of equal jobs first (/TIES=NEWEST)"}}};

constexpr std::size_t kPapersInstances = 100;
constexpr Seconds kPenalty = 300;
constexpr Seconds kBound = 30;  // in stretch and priority (sections II.B and III.A)
constexpr int kLoads = 9;       // 0.1 .. 0.9
constexpr int kHighLoads = 7;   // from 0.7 on: table II
constexpr std::string_view kLog = "HPC2N-2002-2.1-cln";

double load_of(int step) { return step / 10.0; }

CampaignOptions with_penalty(Seconds penalty) {
  CampaignOptions options;
  options.sim.penalty = penalty;
  options.sim.engine.of<DfrsOptions>().priority_floor = kBound;
  options.stretch_floor = kBound;
  return options;
}

// The paper's algorithms under a reading; of two, the last counts.
class Names {
 public:
  explicit Names(std::span<const std::string> assume) {
    for (const std::string& name : assume) parts_ = {name == "ties" ? "/TIES=PRIORITY" : "/TIES=NEWEST"};
  }
  std::string of(std::string_view algorithm) const { return with_part(algorithm, parts_); }

 private:
  std::vector<std::string_view> parts_;
};

// By algorithm, in the order of the set's instances.
using Degradations = std::map<std::string_view, std::vector<double>>;

// The paper's EASY may be this one (docs/results/ipdps2010.md).
constexpr std::string_view kExtraOnly = "EASY/extra-only";

// All nine algorithms on one set.
Degradations degradations(const CampaignPlan& plan, const Names& names, std::string_view set, Seconds penalty) {
  std::vector<ResultRow> all;
  for (const Degradation& row : kTable1) {
    const std::span<const ResultRow> rows = plan.rows(set, names.of(row.algorithm), with_penalty(penalty));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  const std::vector<double> from_best = degradation_from_best(all);
  const std::size_t each = all.size() / kTable1.size();
  Degradations by_algorithm;
  for (std::size_t a = 0; a < kTable1.size(); ++a) {
    const auto begin = from_best.begin() + static_cast<std::ptrdiff_t>(a * each);
    by_algorithm[kTable1[a].algorithm].assign(begin, begin + static_cast<std::ptrdiff_t>(each));
  }
  return by_algorithm;
}

// The same with EASY's variant, relative to the best of the nine.
Degradations degradations_and_variant(const CampaignPlan& plan, const Names& names, std::string_view set,
                                      Seconds penalty) {
  Degradations all = degradations(plan, names, set, penalty);
  const std::span<const ResultRow> easy = plan.rows(set, "EASY", with_penalty(penalty));
  const std::span<const ResultRow> variant = plan.rows(set, kExtraOnly, with_penalty(penalty));
  for (std::size_t k = 0; k < variant.size(); ++k) {
    const double best = easy[k].metrics.max_stretch / all.at("EASY")[k];
    all[kExtraOnly].push_back(variant[k].metrics.max_stretch / best);
  }
  return all;
}

class Run {
 public:
  Run(const ReproduceOptions& options, ReproductionReport& report)
      : options_(options), report_(report), names_(options.assume), plan_(options, "ipdps2010") {}

  Result<void> run() {
    if (auto planned = plan(); !planned) return planned;
    if (auto ran = plan_.run(); !ran) return ran;
    if (options_.wants("table1")) table1();
    if (options_.wants("table2")) table2();
    figures();
    if (options_.wants("table2-assumptions") || options_.wants("table2-assumptions-cells")) return assumptions();
    return {};
  }

 private:
  std::size_t count() const { return options_.instances == 0 ? kPapersInstances : options_.instances; }

  Result<void> plan() {
    if (options_.wants("figure1a") || options_.wants("figure1a-text")) need_scaled(0, 1);
    if (options_.wants("table1") || options_.wants("figure1b")) {
      need_scaled(kPenalty, 1);
    } else if (options_.wants("table2")) {
      need_scaled(kPenalty, kHighLoads);
    }
    if (options_.wants("table1")) {
      if (auto loaded = load_weeks(); !loaded) return loaded;
      need({"unscaled", count(), [this] { return lublin_set({}, options_.seed, count()); }}, kPenalty);
      if (!weeks_.empty()) need({"HPC2N", weeks_.size(), [this] { return weeks_; }}, kPenalty);
    }
    if (count() != kPapersInstances) {
      report_.note("", fmt::format("{} synthetic workloads stand for the paper's {}.", count(), kPapersInstances));
    }
    return {};
  }

  void need(const PlannedSet& set, Seconds penalty) {
    for (const Degradation& row : kTable1) plan_.need(set, names_.of(row.algorithm), with_penalty(penalty));
    if (penalty == kPenalty && options_.wants("table1")) plan_.need(set, kExtraOnly, with_penalty(penalty));
  }

  static std::string at_load(int step) { return fmt::format("load {:.1f}", load_of(step)); }

  void need_scaled(Seconds penalty, int from_load) {
    for (int step = from_load; step <= kLoads; ++step) {
      need({at_load(step), count(), [this, step] { return lublin_set({}, options_.seed, count(), load_of(step)); }},
           penalty);
    }
  }

  Result<void> load_weeks() {
    const std::string path = find_log(options_, kLog);
    if (path.empty()) return {};
    LoadOptions load;
    load.annotation = SwfAnnotation::kMemory;
    load.weeks = true;
    Result<Loaded> loaded = load_instances(path, load);
    if (!loaded) return tl::unexpected(std::move(loaded).error());
    std::vector<Instance>& weeks = loaded->instances;
    const std::size_t all = weeks.size();
    if (options_.instances == 0 || options_.instances >= all) {
      weeks_ = std::move(weeks);
      return {};
    }
    // Evenly spaced weeks, because the log changes over the years.
    for (std::size_t k = 0; k < options_.instances; ++k) weeks_.push_back(weeks[k * all / options_.instances]);
    report_.note("table1", fmt::format("{} weeks of HPC2N at equal distances stand for all {}.", weeks_.size(), all));
    return {};
  }

  void add_spread(std::string_view algorithm, std::string_view set, const Spread& published,
                  std::span<const double> values) {
    const char* variant_of = algorithm == kExtraOnly ? "EASY" : "";
    const auto cell = [&](std::string_view what, double paper) {
      return Comparison{"table1", std::string(algorithm), fmt::format("{} {}", set, what), paper, 0, {}, variant_of};
    };
    const std::size_t traces = set == "scaled" ? count() : 0;
    std::optional<AnotherDraw> another;
    if (set != "HPC2N") another = another_draw(values, traces);
    report_.add_mean(cell("avg", published.average), values, traces, another);
    report_.add_deviation(cell("std", published.deviation), values, another);
    report_.add_maximum(cell("max", published.most), values, another);
  }

  void table1() {
    Degradations scaled;
    for (int step = 1; step <= kLoads; ++step) {
      for (const auto& [algorithm, values] : degradations_and_variant(plan_, names_, at_load(step), kPenalty)) {
        scaled[algorithm].insert(scaled[algorithm].end(), values.begin(), values.end());
      }
    }
    const Degradations unscaled = degradations_and_variant(plan_, names_, "unscaled", kPenalty);
    Degradations hpc2n;
    if (!weeks_.empty()) hpc2n = degradations_and_variant(plan_, names_, "HPC2N", kPenalty);
    const auto add = [&](std::string_view algorithm, const Degradation& row) {
      add_spread(algorithm, "scaled", row.scaled, scaled.at(algorithm));
      add_spread(algorithm, "unscaled", row.unscaled, unscaled.at(algorithm));
      if (!weeks_.empty()) add_spread(algorithm, "HPC2N", row.hpc2n, hpc2n.at(algorithm));
    };
    for (const Degradation& row : kTable1) {
      add(row.algorithm, row);
      if (row.algorithm == "EASY") add(kExtraOnly, row);
    }
    if (weeks_.empty()) report_.note("table1", missing_log(options_, kLog));
  }

  void table2() {
    using Published = Cost Costs::*;
    using Ours = double Metrics::*;
    struct Column {
      std::string_view name;
      Published published;
      Ours ours;
    };
    static constexpr std::array<Column, 6> kColumns{
        {{"pauses GB/s", &Costs::pause_gb_per_s, &Metrics::pause_gb_per_s},
         {"moves GB/s", &Costs::move_gb_per_s, &Metrics::move_gb_per_s},
         {"pauses per hour", &Costs::pauses_per_hour, &Metrics::pauses_per_hour},
         {"moves per hour", &Costs::moves_per_hour, &Metrics::moves_per_hour},
         {"pauses per job", &Costs::pauses_per_job, &Metrics::pauses_per_job},
         {"moves per job", &Costs::moves_per_job, &Metrics::moves_per_job}}};
    for (const Costs& row : kTable2) {
      for (const Column& column : kColumns) {
        std::vector<double> values;
        for (int step = kHighLoads; step <= kLoads; ++step) {
          const auto rows = plan_.rows(at_load(step), names_.of(row.algorithm), with_penalty(kPenalty));
          for (const ResultRow& result : rows) values.push_back(result.metrics.*column.ours);
        }
        const Cost& paper = row.*column.published;
        const std::optional<AnotherDraw> another = another_draw(values, count());
        report_.add_mean({"table2", std::string(row.algorithm), fmt::format("{} avg", column.name), paper.average},
                         values, count(), another);
        report_.add_maximum({"table2", std::string(row.algorithm), fmt::format("{} max", column.name), paper.most},
                            values, another);
      }
    }
  }

  void figure(const char* part, Seconds penalty) {
    for (int step = 1; step <= kLoads; ++step) {
      const Degradations at = degradations(plan_, names_, at_load(step), penalty);
      for (const Degradation& row : kTable1) {
        report_.add_mean({part, fmt::format("{:.1f}", load_of(step)), std::string(row.algorithm), std::nullopt},
                         at.at(row.algorithm));
      }
    }
    report_.plot({part, "load", "average degradation from the best", false, true});
    report_.note(part, "The paper draws these curves without giving their values.");
  }

  // The quotient of two means over the same traces, each at all loads; the median is that of the traces' quotients.
  void add_ratio_of_means(Comparison cell, std::span<const double> over, std::span<const double> under) {
    const std::vector<double> above = means_by_trace(over, count());
    const std::vector<double> below = means_by_trace(under, count());
    cell.measured = summarize(above).mean / summarize(below).mean;
    if (count() > 1) {
      std::vector<double> drawn;
      for_each_resample(count(), [&](std::span<const std::uint32_t> places) {
        double top = 0;
        double bottom = 0;
        for (const std::uint32_t place : places) top += above[place], bottom += below[place];
        drawn.push_back(top / bottom);
      });
      std::vector<double> quotients;
      for (std::size_t k = 0; k < above.size(); ++k) quotients.push_back(above[k] / below[k]);
      cell.spread = MeanSpread{count(), summarize(quotients).median, percentile_interval(std::move(drawn))};
    }
    report_.add(std::move(cell));
  }

  void figures() {
    if (options_.wants("figure1a")) figure("figure1a", 0);
    if (options_.wants("figure1a-text")) {
      const auto of = [&](std::string_view algorithm) {
        std::vector<double> all;
        for (int step = 1; step <= kLoads; ++step) {
          const Degradations at = degradations(plan_, names_, at_load(step), 0);
          all.insert(all.end(), at.at(algorithm).begin(), at.at(algorithm).end());
        }
        return all;
      };
      const auto add_ratio = [&](const char* row, double published, const char* over, const char* under) {
        add_ratio_of_means({"figure1a-text", row, "value", published}, of(over), of(under));
      };
      report_.add_mean({"figure1a-text", "DYNMCB8", "value", kDynmcb8WithoutPenalty}, of("DYNMCB8"), count());
      add_ratio("EASY / GREEDY-PMTN", kEasyOverGreedyPmtn, "EASY", "GREEDY-PMTN");
      add_ratio("GREEDY-PMTN / DYNMCB8-PER", kGreedyPmtnOverDynmcb8Per, "GREEDY-PMTN", "DYNMCB8-PER");
    }
    if (options_.wants("figure1b")) figure("figure1b", kPenalty);
  }

  Result<void> assumptions() {
    CostStudy study;
    study.part = "table2-assumptions";
    study.priority_floor = kBound;
    study.instances = count();
    for (const Costs& row : kTable2) {
      study.targets.push_back({row.algorithm,
                               {row.pause_gb_per_s.average, row.move_gb_per_s.average, row.pauses_per_hour.average,
                                row.moves_per_hour.average, row.pauses_per_job.average, row.moves_per_job.average}});
    }
    return test_cost_assumptions(study, options_, report_);
  }

  const ReproduceOptions& options_;
  ReproductionReport& report_;
  Names names_;
  std::vector<Instance> weeks_;
  CampaignPlan plan_;
};

Result<void> run(const ReproduceOptions& options, ReproductionReport& report) { return Run(options, report).run(); }

}  // namespace

extern const Reproduction kIpdps2010{
    "ipdps2010", "Stillwell, Vivien, Casanova: Dynamic Fractional Resource Scheduling for HPC Workloads, 2010", kParts,
    run, kReadings};

}  // namespace dfrs::sim
