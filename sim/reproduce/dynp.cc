// SPDX-License-Identifier: GPL-2.0-or-later
// `dfrs-sim reproduce dynp`: A. Streit, "A Self-Tuning Job Scheduler Family with Dynamic Policy Switching", JSSPP 2003.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "policy/batch/conservative.h"
#include "policy/dynp/dynp_policy.h"
#include "sim/campaign/parallel.h"
#include "sim/errors.h"
#include "sim/metrics/schedule_metrics.h"
#include "sim/reproduce/dynp_published.h"
#include "sim/reproduce/reproduction.h"
#include "sim/workload/load.h"
#include "sim/workload/streit.h"
#include "sim/workload/trace_analysis.h"

namespace dfrs::sim {
namespace {

namespace published = dynp_published;
using published::kSets;

// The sources of the paper's sets: an archive log, or the published properties.
constexpr std::array<std::string_view, kSets> kLogs{"CTC-SP2-1996-3.1-cln", "KTH-SP2-1996-2.1-cln", "", ""};

// The algorithms: those of table 4 in its order, then the others of figures 4 to 8.
constexpr std::size_t kAdvancedArtww = 1;
constexpr std::size_t kFcfs = 6;
constexpr std::size_t kSjf = 7;
constexpr std::size_t kLjf = 8;
constexpr std::size_t kBasic = 9;
constexpr std::size_t kAlgorithms = 10;
constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames{
    "simple ARTwW", "advanced ARTwW", "simple ART", "advanced ART", "simple MS",
    "advanced MS",  "FCFS",           "SJF",        "LJF",          "basic dynP"};

// Readings of what the paper does not say.
struct Assumed {
  bool shared_queue = false;  // the policies share one queue (DynpAlgorithm::shared_queue)
  bool loaded = false;        // job sets are stretched until they offer the published utilization
};

constexpr std::array<ReproductionPart, 2> kReadings{{
    {"queue",
     "FCFS, SJF and LJF share one queue: only the chosen policy sorts it, and FCFS is judged by it as it stands "
     "(/queue=shared)"},
    {"load", "job sets are stretched until they offer the utilization that table 4 has for the advanced decider"},
}};

Assumed assumed(const std::vector<std::string>& names) {
  const auto named = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  return {.shared_queue = named("queue"), .loaded = named("load")};
}

Algorithm algorithm(std::size_t index, bool shared_queue, DynpListener* listener) {
  if (index >= kFcfs && index <= kLjf) return named(ConservativeAlgorithm{kQueueOrders[index - kFcfs], false});
  DynpAlgorithm dynp;
  dynp.shared_queue = shared_queue;
  if (index == kBasic) {
    dynp.decider = DynpAlgorithm::Decider::basic;
  } else {
    constexpr std::array kQuality{ScheduleQuality::response_by_width, ScheduleQuality::response,
                                  ScheduleQuality::makespan};
    dynp.decider = index % 2 == 0 ? DynpAlgorithm::Decider::simple : DynpAlgorithm::Decider::advanced;
    dynp.quality = kQuality[index / 2];
  }
  return named(dynp, listener);
}

// A point of a table or figure.
struct Run {
  std::size_t set = 0;
  double shrink = 1;
  bool exact = false;
  std::size_t algorithm = 0;

  friend auto operator<=>(const Run&, const Run&) = default;
};

// Of one job set.
struct PointResult {
  ScheduleMetrics schedule;
  double run_time = 0;
  std::array<double, 3> started{};
  std::array<double, 3> switches{};
  std::array<double, kDeciderCases> cases{};
  double decisions = 0;
  double backlog = 0;
};

// Work over the capacity of the machine between the first and the last submission.
double offered_utilization(const Instance& set, double nodes) {
  double work = 0;
  Seconds last = 0;
  for (const Job& job : set.jobs) {
    work += job.run_time * static_cast<double>(job.tasks);
    last = std::max(last, job.submit);
  }
  return work / (nodes * (last - set.jobs.front().submit));
}

Result<PointResult> simulate_point(const JobSetModel& model, const Run& run, const Assumed& assumed,
                                   std::uint64_t seed) {
  JobSetOptions options;
  options.seed = seed;
  options.shrink = run.shrink;
  options.exact = run.exact;
  Result<Instance> made = job_set(model, options);
  if (made && assumed.loaded) {
    const double published = published::kTable4[run.set][1][kAdvancedArtww] / 100;
    options.shrink *= offered_utilization(*made, published::properties_of(run.set).machine_width) / published;
    made = job_set(model, options);
  }
  if (!made) return tl::unexpected(std::move(made).error());
  const Instance& instance = *made;
  DynpStatistics statistics;
  const RunOutcome outcome =
      simulate(instance, algorithm(run.algorithm, assumed.shared_queue, &statistics), SimOptions{});
  if (!outcome) return tl::unexpected(outcome.error());
  PointResult result;
  result.schedule = measure_schedule(instance, *outcome);
  for (const Job& job : instance.jobs) result.run_time += job.run_time / static_cast<double>(instance.jobs.size());
  for (const QueueOrder order : kQueueOrders) {
    const auto k = static_cast<std::size_t>(order);
    result.started[k] = static_cast<double>(statistics.started_by(order));
    result.switches[k] = static_cast<double>(statistics.switches_to(order));
  }
  for (std::size_t k = 0; k < kDeciderCases; ++k) {
    result.cases[k] = static_cast<double>(statistics.cases(static_cast<DeciderCase>(k)));
  }
  result.decisions = static_cast<double>(statistics.decisions());
  result.backlog = statistics.mean_backlog();
  return result;
}

// A figure: one metric over shrinking factors, with a diagram per job set.
enum class Metric { response, slowdown60, slowdown300, utilization };

struct Figure {
  std::string_view number;
  Metric metric;
  bool exact;
  std::vector<std::size_t> sets;
  std::vector<std::size_t> algorithms;
};

const std::vector<Figure>& figures() {
  static const std::vector<std::size_t> all{0, 1, 2, 3};
  static const std::vector<std::size_t> deciders{0, 1, 2, 3, 4, 5};
  static const std::vector<std::size_t> policies{kAdvancedArtww, kFcfs, kSjf, kLjf, kBasic};
  static const std::vector<std::size_t> without_basic{kAdvancedArtww, kFcfs, kSjf, kLjf};
  static const std::vector<Figure> list{
      {"figure2", Metric::response, false, all, deciders},     {"figure3", Metric::slowdown60, false, {0, 2}, deciders},
      {"figure4", Metric::response, false, all, policies},     {"figure5", Metric::slowdown60, false, all, policies},
      {"figure6", Metric::response, true, all, without_basic}, {"figure7", Metric::slowdown300, false, all, policies},
      {"figure8", Metric::utilization, false, all, policies},
  };
  return list;
}

// "figure4a": the first diagram of figure 4.
std::string part_name(const Figure& figure, std::size_t diagram) {
  return fmt::format("{}{}", figure.number, static_cast<char>('a' + diagram));
}

// Shrinking factors, counted in hundredths so that 0.7 is exactly 0.7.
std::vector<double> factors_of(std::size_t set) {
  constexpr std::array<std::pair<int, int>, kSets> kRange{{{100, 65}, {100, 60}, {80, 40}, {60, 30}}};
  std::vector<double> factors;
  for (int f = kRange[set].first; f >= kRange[set].second; f -= 5) factors.push_back(f / 100.0);
  return factors;
}

double value_of(const PointResult& result, Metric metric) {
  switch (metric) {
    case Metric::response:
      return result.schedule.response_by_width;
    case Metric::slowdown60:
      return result.schedule.slowdown60_by_width;
    case Metric::slowdown300:
      return result.schedule.slowdown300_by_width;
    case Metric::utilization:
      return 100 * result.schedule.utilization;
  }
  return 0;
}

const char* metric_label(Metric metric) {
  constexpr std::array<const char*, 4> kLabels{"ARTwW [s]", "SLDwW_60", "SLDwW_300", "UTIL [%]"};
  return kLabels[static_cast<std::size_t>(metric)];
}

class DynpReproduction {
 public:
  DynpReproduction(const ReproduceOptions& options, ReproductionReport& report)
      : options_(options), report_(report), assumed_(assumed(options.assume)) {}

  Result<void> run() {
    if (auto learnt = learn(); !learnt) return learnt;
    if (auto shown = table2(); !shown) return shown;
    if (auto shown = table3(); !shown) return shown;
    plan();
    if (auto simulated = simulate_all(); !simulated) return simulated;
    table4();
    table5();
    each_set();
    table6();
    draw_figures();
    return {};
  }

 private:
  // The paper has one set each. Its draws are unknown, and sets differ by more than algorithms do.
  static constexpr std::size_t kDrawnSets = 20;
  std::size_t job_sets() const { return options_.instances == 0 ? kDrawnSets : options_.instances; }
  static std::string set_name(std::size_t set) { return fmt::format("{}_syn", published::kMachines[set]); }

  // Learns the models of the four machines. Keeps the logs for table 2.
  Result<void> learn() {
    for (std::size_t set = 0; set < kSets; ++set) {
      const std::string path = kLogs[set].empty() ? std::string() : find_log(options_, kLogs[set]);
      if (path.empty()) {
        if (auto added = add_model(model_of(published::properties_of(set))); !added) return added;
        const std::string why = kLogs[set].empty() ? fmt::format("{}: no log of this machine of that year is public.",
                                                                 published::kMachines[set])
                                                   : missing_log(options_, kLogs[set]);
        report_.note("", fmt::format("{} Its job sets follow the properties in table 3 and the utilization in table 4, "
                                     "which tells how width and run time correlate.",
                                     why));
        continue;
      }
      LoadOptions load;
      load.swf.lenient = true;
      load.conventions.estimates = SwfEstimates::kTrace;
      load.processors.nodes = published::properties_of(set).machine_width;
      load.processors.lenient = true;
      load.name = published::kMachines[set];
      Result<Loaded> loaded = load_instances(path, load);
      if (!loaded) return tl::unexpected(std::move(loaded).error());
      logs_[set] = std::move(loaded->instances.front());
      if (auto added = add_model(learn_model(*logs_[set])); !added) return added;
      // The paper's own fit, because its job sets were made with it.
      models_.back().arrivals = published::properties_of(set).arrivals;
      report_.note("", fmt::format("{}_syn: jobs drawn from {}, Weibull parameters of table 2.",
                                   published::kMachines[set], kLogs[set]));
    }
    return {};
  }

  Result<void> add_model(Result<JobSetModel> model) {
    return std::move(model).map([&](JobSetModel&& learnt) { models_.push_back(std::move(learnt)); });
  }

  void add(std::string_view part, std::string row, std::string_view column, std::optional<double> figure,
           double measured) {
    report_.add({std::string(part), std::move(row), std::string(column), figure, measured});
  }

  template <typename Value>
  void add_mean(std::string_view part, std::string row, std::string_view column, std::optional<double> figure,
                const std::vector<PointResult>& sets, const Value& value) {
    std::vector<double> values;
    for (const PointResult& result : sets) values.push_back(value(result));
    report_.add_mean({std::string(part), std::move(row), std::string(column), figure}, values);
  }

  // In the order of published::kPropertyRows.
  static std::array<double, published::kProperties> properties(const TraceAnalysis& found) {
    return {static_cast<double>(found.jobs),
            static_cast<double>(found.max_width),
            static_cast<double>(found.machine_width),
            found.mean_width,
            found.estimate.mean,
            found.estimate.min,
            found.estimate.max,
            found.run_time.mean,
            found.run_time.min,
            found.run_time.max,
            static_cast<double>(found.overruns),
            found.interarrival.mean,
            found.interarrival.min,
            found.interarrival.max,
            found.arrivals.weibull.alpha,
            found.arrivals.weibull.beta};
  }

  Result<void> table2() {
    if (!options_.wants("table2")) return {};
    for (std::size_t set = 0; set < kSets; ++set) {
      if (!logs_[set]) continue;
      const Result<TraceAnalysis> found = analyse_trace(*logs_[set]);
      if (!found) return tl::unexpected(found.error());
      const std::array<double, published::kProperties> measured = properties(*found);
      for (std::size_t k = 0; k < published::kProperties; ++k) {
        const published::PropertyRow& row = published::kPropertyRows[k];
        add("table2", std::string(row.name), fmt::format("{}_trace", published::kMachines[set]), row.traces[set],
            measured[k]);
      }
    }
    report_.note("table2", "The archive's logs are cleaned versions of later years, with fewer jobs than Streit's.");
    return {};
  }

  Result<void> table3() {
    if (!options_.wants("table3")) return {};
    for (std::size_t set = 0; set < kSets; ++set) {
      std::array<std::vector<double>, published::kProperties> measured;
      for (std::size_t drawn = 0; drawn < job_sets(); ++drawn) {
        JobSetOptions whole;
        whole.seed = options_.seed + drawn;
        whole.kill = false;
        const Result<TraceAnalysis> found = job_set(models_[set], whole).and_then(analyse_trace);
        if (!found) return tl::unexpected(found.error());
        const std::array<double, published::kProperties> of_set = properties(*found);
        for (std::size_t k = 0; k < published::kProperties; ++k) measured[k].push_back(of_set[k]);
      }
      for (std::size_t k = 0; k < published::kProperties; ++k) {
        const published::PropertyRow& row = published::kPropertyRows[k];
        report_.add_mean({"table3", std::string(row.name), set_name(set), row.sets[set]}, measured[k]);
      }
    }
    report_.note("table3", "The paper's Weibull parameters are those of table 2.");
    return {};
  }

  // Collects the simulations that the requested parts need, each once.
  void plan() {
    const auto need = [&](const Run& run) { results_.try_emplace(run); };
    for (std::size_t set = 0; set < kSets; ++set) {
      for (const std::string_view part : {"table5", "table5-sets", "table6"}) {
        if (options_.wants(part)) need({set, 1, false, kAdvancedArtww});
      }
      if (options_.wants("table4")) {
        for (std::size_t k = 0; k < published::kColumns; ++k) need({set, 1, false, k});
      }
    }
    for (const Figure& figure : figures()) {
      for (std::size_t k = 0; k < figure.sets.size(); ++k) {
        if (!options_.wants(part_name(figure, k))) continue;
        for (const double factor : factors_of(figure.sets[k])) {
          for (const std::size_t a : figure.algorithms) need({figure.sets[k], factor, figure.exact, a});
        }
      }
    }
  }

  Result<void> simulate_all() {
    std::vector<std::pair<Run, std::size_t>> work;
    for (const auto& [run, result] : results_) {
      for (std::size_t k = 0; k < job_sets(); ++k) work.emplace_back(run, k);
    }
    std::vector<PointResult> found(work.size());
    const auto simulate_one = [&](std::size_t k) {
      const auto& [run, set] = work[k];
      return simulate_point(models_[run.set], run, assumed_, options_.seed + set).map([&](const PointResult& result) {
        found[k] = result;
      });
    };
    auto simulated = try_parallel_for(work.size(), options_.threads, simulate_one, options_.progress);
    if (!simulated) return simulated;
    for (std::size_t k = 0; k < work.size(); ++k) results_[work[k].first].push_back(found[k]);
    return {};
  }

  void table4() {
    if (!options_.wants("table4")) return;
    for (std::size_t set = 0; set < kSets; ++set) {
      for (std::size_t column = 0; column < published::kColumns; ++column) {
        const auto measured = [](const PointResult& r) {
          return std::array<double, published::kTable4Rows>{r.schedule.response_by_width,
                                                            100 * r.schedule.utilization,
                                                            r.schedule.loss_of_capacity,
                                                            r.started[1],
                                                            r.started[0],
                                                            r.started[2]};
        };
        for (std::size_t row = 0; row < published::kTable4Rows; ++row) {
          add_mean("table4", fmt::format("{}: {}", set_name(set), published::kTable4Names[row]),
                   published::kColumnNames[column], published::kTable4[set][row][column],
                   results_.at({set, 1, false, column}), [&](const PointResult& r) { return measured(r)[row]; });
        }
      }
    }
  }

  static std::array<double, 15> details(const PointResult& r) {
    const double tries = std::max(1.0, r.decisions);
    const double switched = r.switches[0] + r.switches[1] + r.switches[2];
    return {r.run_time,
            r.schedule.wait,
            r.schedule.response,
            r.schedule.response_by_width,
            100 * r.schedule.utilization,
            r.schedule.loss_of_capacity,
            r.started[1],
            r.started[0],
            r.started[2],
            r.decisions,
            100 * r.switches[1] / tries,
            100 * r.switches[0] / tries,
            100 * r.switches[2] / tries,
            100 * (tries - switched) / tries,
            r.backlog};
  }

  void table5() {
    const std::string part = "table5";
    if (!options_.wants(part)) return;
    for (std::size_t set = 0; set < kSets; ++set) {
      const std::vector<PointResult>& sets = results_.at({set, 1, false, kAdvancedArtww});
      for (std::size_t row = 0; row < published::kTable5.size(); ++row) {
        add_mean(part, std::string(published::kTable5[row].name), set_name(set), published::kTable5[row].value[set],
                 sets, [&](const PointResult& r) { return details(r)[row]; });
      }
    }
    report_.note(part,
                 "Run times are those of killed jobs; the paper's average is from before killing, as it equals that of "
                 "table 3.");
  }

  void each_set() {
    if (!options_.wants("table5-sets")) return;
    for (std::size_t set = 0; set < kSets; ++set) {
      const std::vector<PointResult>& sets = results_.at({set, 1, false, kAdvancedArtww});
      for (std::size_t k = 0; k < sets.size(); ++k) {
        const std::string seed = fmt::format("{}", options_.seed + k);
        add("table5-sets", seed, fmt::format("{} wait [s]", set_name(set)), {}, sets[k].schedule.wait);
        add("table5-sets", seed, fmt::format("{} UTIL [%]", set_name(set)), {}, 100 * sets[k].schedule.utilization);
      }
    }
    report_.note("table5-sets", "A row for each job set, by its seed.");
  }

  void table6() {
    const std::string part = "table6";
    if (!options_.wants(part)) return;
    using enum DeciderCase;
    // The cases of each line except the last three, which are sums.
    static const std::array<std::vector<DeciderCase>, 15> lines{{{k1},
                                                                 {k2, k7},
                                                                 {k3, k9},
                                                                 {k4b},
                                                                 {k4a},
                                                                 {k4c},
                                                                 {k6a},
                                                                 {k6b},
                                                                 {k6c},
                                                                 {k8a},
                                                                 {k8b},
                                                                 {k8c},
                                                                 {k10a},
                                                                 {k10b},
                                                                 {k10c}}};
    static const std::vector<DeciderCase> other_than_simple{k1, k6b, k8c, k10c};
    static const std::vector<DeciderCase> current{k1, k4b, k6a, k6b, k8a, k8c, k10b, k10c};
    for (std::size_t set = 0; set < kSets; ++set) {
      const auto measured = [&](const PointResult& r, std::size_t row) {
        if (row == lines.size()) return r.decisions;
        const std::vector<DeciderCase>& cases = row < lines.size()        ? lines[row]
                                                : row == lines.size() + 1 ? other_than_simple
                                                                          : current;
        double count = 0;
        for (const DeciderCase c : cases) count += r.cases[static_cast<std::size_t>(c)];
        return count;
      };
      for (std::size_t row = 0; row < published::kTable6.size(); ++row) {
        add_mean(part, std::string(published::kTable6[row].name), set_name(set), published::kTable6[row].value[set],
                 results_.at({set, 1, false, kAdvancedArtww}), [&](const PointResult& r) { return measured(r, row); });
      }
    }
    report_.note(part, "As in the paper, taking the current policy counts case 5 whatever the policy was.");
  }

  void draw_figures() {
    for (const Figure& figure : figures()) {
      for (std::size_t k = 0; k < figure.sets.size(); ++k) {
        const std::string part = part_name(figure, k);
        if (!options_.wants(part)) continue;
        const std::size_t set = figure.sets[k];
        for (const double factor : factors_of(set)) {
          for (const std::size_t a : figure.algorithms) {
            std::optional<double> figure_value;
            for (const published::FigurePoint& point : published::kFigurePoints) {
              if (point.part == part && point.factor == factor && a == kSjf) figure_value = point.value;
            }
            add_mean(part, fmt::format("{:.2f}", factor), kAlgorithmNames[a], figure_value,
                     results_.at({set, factor, figure.exact, a}),
                     [&](const PointResult& r) { return value_of(r, figure.metric); });
          }
        }
        report_.plot({part, "shrinking factor", metric_label(figure.metric)});
      }
    }
  }

  const ReproduceOptions& options_;
  ReproductionReport& report_;
  Assumed assumed_;
  std::array<std::optional<Instance>, kSets> logs_;
  std::vector<JobSetModel> models_;
  std::map<Run, std::vector<PointResult>> results_;  // a result per job set
};

Result<void> run(const ReproduceOptions& options, ReproductionReport& report) {
  return DynpReproduction(options, report).run();
}

constexpr std::array<ReproductionPart, 32> kParts{{
    {"table2", "properties of the traces"},
    {"table3", "properties of the synthetic job sets"},
    {"table4", "simple and advanced decider with ARTwW, ART and MS"},
    {"table5", "the advanced decider with ARTwW in detail"},
    {"table5-sets", "wait and utilization of each job set in table 5"},
    {"table6", "cases of the advanced decider with ARTwW"},
    {"figure2a", "ARTwW of the deciders, CTC_syn"},
    {"figure2b", "ARTwW of the deciders, KTH_syn"},
    {"figure2c", "ARTwW of the deciders, PC2_syn"},
    {"figure2d", "ARTwW of the deciders, SDSC_syn"},
    {"figure3a", "SLDwW_60 of the deciders, CTC_syn"},
    {"figure3b", "SLDwW_60 of the deciders, PC2_syn"},
    {"figure4a", "ARTwW beside FCFS, SJF, LJF and basic dynP, CTC_syn"},
    {"figure4b", "ARTwW beside FCFS, SJF, LJF and basic dynP, KTH_syn"},
    {"figure4c", "ARTwW beside FCFS, SJF, LJF and basic dynP, PC2_syn"},
    {"figure4d", "ARTwW beside FCFS, SJF, LJF and basic dynP, SDSC_syn"},
    {"figure5a", "SLDwW_60 beside FCFS, SJF, LJF and basic dynP, CTC_syn"},
    {"figure5b", "SLDwW_60 beside FCFS, SJF, LJF and basic dynP, KTH_syn"},
    {"figure5c", "SLDwW_60 beside FCFS, SJF, LJF and basic dynP, PC2_syn"},
    {"figure5d", "SLDwW_60 beside FCFS, SJF, LJF and basic dynP, SDSC_syn"},
    {"figure6a", "ARTwW with perfect estimates, CTC_syn"},
    {"figure6b", "ARTwW with perfect estimates, KTH_syn"},
    {"figure6c", "ARTwW with perfect estimates, PC2_syn"},
    {"figure6d", "ARTwW with perfect estimates, SDSC_syn"},
    {"figure7a", "SLDwW_300 beside FCFS, SJF, LJF and basic dynP, CTC_syn"},
    {"figure7b", "SLDwW_300 beside FCFS, SJF, LJF and basic dynP, KTH_syn"},
    {"figure7c", "SLDwW_300 beside FCFS, SJF, LJF and basic dynP, PC2_syn"},
    {"figure7d", "SLDwW_300 beside FCFS, SJF, LJF and basic dynP, SDSC_syn"},
    {"figure8a", "utilization beside FCFS, SJF, LJF and basic dynP, CTC_syn"},
    {"figure8b", "utilization beside FCFS, SJF, LJF and basic dynP, KTH_syn"},
    {"figure8c", "utilization beside FCFS, SJF, LJF and basic dynP, PC2_syn"},
    {"figure8d", "utilization beside FCFS, SJF, LJF and basic dynP, SDSC_syn"},
}};

}  // namespace

extern const Reproduction kDynp{
    "dynp", "A. Streit: A Self-Tuning Job Scheduler Family with Dynamic Policy Switching (JSSPP 2003)", kParts, run,
    kReadings};

}  // namespace dfrs::sim
