// SPDX-License-Identifier: GPL-2.0-or-later
// IPDPS 2010: tables I and II and figure 1, as degradation from the best of its nine algorithms.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/campaign/campaign.h"
#include "sim/campaign/degradation.h"
#include "sim/reproduce/ipdps2010_published.h"
#include "sim/reproduce/reproduction.h"
#include "sim/workload/load.h"
#include "sim/workload/lublin.h"
#include "sim/workload/scale.h"

namespace dfrs::sim {
namespace {

using namespace ipdps2010;

constexpr std::array<ReproductionPart, 5> kParts{
    {{"table1", "degradation from the best algorithm, penalty 5 minutes"},
     {"table2", "costs of pausing and moving, scaled workloads of load 0.7 and more, penalty 5 minutes"},
     {"figure1a", "average degradation against load, no penalty"},
     {"figure1a-text", "what section V says of figure 1 (a): averages over all loads, no penalty"},
     {"figure1b", "average degradation against load, penalty 5 minutes"}}};

constexpr std::size_t kPapersInstances = 100;
constexpr Seconds kPenalty = 300;
constexpr Seconds kBound = 30;  // in stretch and priority (sections II.B and III.A)
constexpr int kLoads = 9;       // 0.1 .. 0.9
constexpr int kHighLoads = 7;   // from 0.7 on: table II
constexpr std::string_view kLog = "HPC2N-2002-2.1-cln";

double load_of(int step) { return step / 10.0; }

// Rows of one campaign by algorithm, in the order of the instances.
struct Results {
  std::map<std::string, std::vector<double>, std::less<>> degradation;
  std::map<std::string, std::vector<Metrics>, std::less<>> metrics;

  void add(const std::vector<ResultRow>& rows) {
    const std::vector<double> from_best = degradation_from_best(rows);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      degradation[rows[k].algorithm].push_back(from_best[k]);
      metrics[rows[k].algorithm].push_back(rows[k].metrics);
    }
  }
};

class Run {
 public:
  Run(const ReproduceOptions& options, ReproductionReport& report) : options_(options), report_(report) {
    for (const Degradation& row : kTable1) algorithms_.push_back(parse_algorithm(row.algorithm).value());
  }

  void run() {
    plan();
    if (without_penalty_) run_scaled(0, 1);
    if (from_load_ <= kLoads) run_scaled(kPenalty, from_load_);
    if (options_.wants("table1")) table1();
    if (options_.wants("table2")) table2();
    figures();
  }

 private:
  std::size_t count() const { return options_.instances == 0 ? kPapersInstances : options_.instances; }

  void plan() {
    without_penalty_ = options_.wants("figure1a") || options_.wants("figure1a-text");
    if (options_.wants("table1") || options_.wants("figure1b")) {
      from_load_ = 1;
    } else if (options_.wants("table2")) {
      from_load_ = kHighLoads;
    }
    std::size_t instances = (without_penalty_ ? kLoads * count() : 0);
    instances += static_cast<std::size_t>(kLoads + 1 - from_load_) * count();
    if (options_.wants("table1")) {
      load_weeks();
      instances += count() + weeks_.size();
    }
    total_ = instances * algorithms_.size();
    if (count() != kPapersInstances) {
      report_.note("", fmt::format("{} synthetic workloads stand for the paper's {}.", count(), kPapersInstances));
    }
  }

  void load_weeks() {
    const std::string path = find_log(options_, kLog);
    if (path.empty()) return;
    LoadOptions load;
    load.annotation = SwfAnnotation::kMemory;
    load.weeks = true;
    std::vector<Instance> weeks = std::move(load_instances(path, load).instances);
    const std::size_t all = weeks.size();
    if (options_.instances == 0 || options_.instances >= all) {
      weeks_ = std::move(weeks);
      return;
    }
    // Weeks at equal distances: the log changes in the course of its years.
    for (std::size_t k = 0; k < options_.instances; ++k) weeks_.push_back(weeks[k * all / options_.instances]);
    report_.note("table1", fmt::format("{} weeks of HPC2N at equal distances stand for all {}.", weeks_.size(), all));
  }

  std::vector<Instance> synthetic() const {
    std::vector<Instance> instances;
    for (std::size_t k = 0; k < count(); ++k) {
      LublinOptions lublin;
      lublin.seed = options_.seed + k;
      instances.push_back(lublin_instance(lublin));
    }
    return instances;
  }

  std::vector<ResultRow> campaign(std::span<const Instance> instances, Seconds penalty) {
    CampaignOptions campaign;
    campaign.sim.penalty = penalty;
    campaign.sim.engine.dfrs.priority.flow_floor = kBound;
    campaign.stretch_floor = kBound;
    campaign.threads = options_.threads;
    if (options_.progress) {
      campaign.progress = [this](std::size_t done, std::size_t) { options_.progress(done_ + done, total_); };
    }
    std::vector<ResultRow> rows = run_campaign(instances, algorithms_, campaign);
    done_ += rows.size();
    return rows;
  }

  void run_scaled(Seconds penalty, int from_load) {
    const std::vector<Instance> unscaled = synthetic();
    for (int step = from_load; step <= kLoads; ++step) {
      std::vector<Instance> scaled;
      for (const Instance& instance : unscaled) scaled.push_back(scaled_to_load(instance, load_of(step)));
      (penalty > 0 ? with_penalty_ : no_penalty_)[step].add(campaign(scaled, penalty));
    }
  }

  void add_spread(std::string_view algorithm, std::string_view set, const Spread& published, const Summary& ours) {
    const auto add = [&](std::string_view what, double paper, double measured) {
      report_.add({"table1", std::string(algorithm), fmt::format("{} {}", set, what), paper, measured});
    };
    add("avg", published.average, ours.mean);
    add("std", published.deviation, ours.stddev);
    add("max", published.most, ours.max);
  }

  void table1() {
    Results unscaled, hpc2n;
    unscaled.add(campaign(synthetic(), kPenalty));
    if (!weeks_.empty()) hpc2n.add(campaign(weeks_, kPenalty));
    for (const Degradation& row : kTable1) {
      std::vector<double> scaled;
      for (const auto& [step, results] : with_penalty_) {
        const std::vector<double>& values = results.degradation.find(row.algorithm)->second;
        scaled.insert(scaled.end(), values.begin(), values.end());
      }
      add_spread(row.algorithm, "scaled", row.scaled, summarize(scaled));
      add_spread(row.algorithm, "unscaled", row.unscaled, summarize(unscaled.degradation.find(row.algorithm)->second));
      if (weeks_.empty()) continue;
      add_spread(row.algorithm, "HPC2N", row.hpc2n, summarize(hpc2n.degradation.find(row.algorithm)->second));
    }
    if (weeks_.empty()) report_.note("table1", missing_log(options_, kLog));
  }

  void table2() {
    struct Column {
      std::string_view name;
      Cost Costs::*published;
      double Metrics::*ours;
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
        for (const auto& [step, results] : with_penalty_) {
          if (step < kHighLoads) continue;
          for (const Metrics& m : results.metrics.find(row.algorithm)->second) values.push_back(m.*column.ours);
        }
        const Summary ours = summarize(values);
        const Cost& paper = row.*column.published;
        const auto add = [&](std::string_view what, double published, double measured) {
          report_.add(
              {"table2", std::string(row.algorithm), fmt::format("{} {}", column.name, what), published, measured});
        };
        add("avg", paper.average, ours.mean);
        add("max", paper.most, ours.max);
      }
    }
  }

  using ByLoad = std::map<int, Results>;

  static double average(const ByLoad& results, int step, std::string_view algorithm) {
    return summarize(results.at(step).degradation.find(algorithm)->second).mean;
  }

  void figure(const char* part, const ByLoad& results) {
    for (int step = 1; step <= kLoads; ++step) {
      for (const Degradation& row : kTable1) {
        report_.add({part, fmt::format("{:.1f}", load_of(step)), std::string(row.algorithm), std::nullopt,
                     average(results, step, row.algorithm)});
      }
    }
    report_.plot({part, "load", "average degradation from the best", false, true});
    report_.note(part, "The paper draws these curves without giving their figures.");
  }

  void figures() {
    if (options_.wants("figure1a")) figure("figure1a", no_penalty_);
    if (options_.wants("figure1a-text")) {
      const auto mean = [&](std::string_view algorithm) {
        double sum = 0;
        for (int step = 1; step <= kLoads; ++step) sum += average(no_penalty_, step, algorithm);
        return sum / kLoads;
      };
      const auto add = [&](const char* row, double published, double measured) {
        report_.add({"figure1a-text", row, "value", published, measured});
      };
      add("DYNMCB8", kDynmcb8WithoutPenalty, mean("DYNMCB8"));
      add("EASY / GREEDY-PMTN", kEasyOverGreedyPmtn, mean("EASY") / mean("GREEDY-PMTN"));
      add("GREEDY-PMTN / DYNMCB8-PER", kGreedyPmtnOverDynmcb8Per, mean("GREEDY-PMTN") / mean("DYNMCB8-PER"));
    }
    if (options_.wants("figure1b")) figure("figure1b", with_penalty_);
  }

  const ReproduceOptions& options_;
  ReproductionReport& report_;
  std::vector<Algorithm> algorithms_;
  std::vector<Instance> weeks_;
  bool without_penalty_ = false;
  int from_load_ = kLoads + 1;  // of the runs with a penalty; beyond the last: none
  ByLoad no_penalty_, with_penalty_;
  std::size_t done_ = 0, total_ = 0;
};

void run(const ReproduceOptions& options, ReproductionReport& report) { Run(options, report).run(); }

}  // namespace

extern const Reproduction kIpdps2010{
    "ipdps2010", "Stillwell, Vivien, Casanova: Dynamic Fractional Resource Scheduling for HPC Workloads, 2010", kParts,
    run};

}  // namespace dfrs::sim
