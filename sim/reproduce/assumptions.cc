// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "policy/rr7659/options.h"
#include "sim/metrics/bootstrap.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/cost_counts.h"
#include "sim/reproduce/lublin_set.h"

namespace dfrs::sim {
namespace {

using Figures = std::array<double, 6>;
constexpr std::array<const char*, 6> kFigures{"pmtn GB/s", "mig GB/s",  "pmtn /hour",
                                              "mig /hour", "pmtn /job", "mig /job"};
constexpr std::array<double, 3> kLoads{0.7, 0.8, 0.9};
constexpr double kNear = 0.1;
constexpr double kLeastRatio = 0.01;  // a measured 0 must not make a mean 0

// What is simulated. All but the first change decisions or workloads.
enum class Variant : std::size_t {
  plain,
  merged,
  free,
  long_penalty,
  short_period,
  floor,
  batch_jobs,
  typeless,
  ties,
  fill
};
constexpr std::size_t kVariants = 10;

// How runs become one figure.
enum class Averaging { mean, median, pooled, above_07, submissions, small_nodes };

struct Assumption {
  std::string_view name;
  Variant variant;
  Counting counting;
  Averaging averaging;
  std::string_view says;
};

constexpr std::array kAssumptions{
    Assumption{"none", Variant::plain, Counting::job, Averaging::mean, "as in table3"},
    Assumption{"task", Variant::plain, Counting::task, Averaging::mean, "each task counts, not each job"},
    Assumption{"node", Variant::plain, Counting::node, Averaging::mean, "each node that a job leaves or enters counts"},
    Assumption{"move-pauses", Variant::plain, Counting::moves_are_pauses, Averaging::mean,
               "a move counts as a pause too"},
    Assumption{"resumes", Variant::plain, Counting::resumes, Averaging::mean, "resumes count like pauses"},
    Assumption{"instant", Variant::plain, Counting::instant, Averaging::mean,
               "only what an instant changes as a whole counts"},
    Assumption{"held", Variant::plain, Counting::held, Averaging::mean,
               "each decision that leaves a job without nodes pauses it"},
    Assumption{"in-order", Variant::plain, Counting::in_order, Averaging::mean, "moved memory: tasks in node order"},
    Assumption{"whole-job", Variant::plain, Counting::whole_job, Averaging::mean, "moved memory: all tasks of the job"},
    Assumption{"median", Variant::plain, Counting::job, Averaging::median, "medians, not averages"},
    Assumption{"pooled", Variant::plain, Counting::job, Averaging::pooled, "sums over all traces, then one quotient"},
    Assumption{"above-0.7", Variant::plain, Counting::job, Averaging::above_07,
               "loads above 0.7 only, as a caption says"},
    Assumption{"submissions", Variant::plain, Counting::job, Averaging::submissions,
               "hours and seconds up to the last submission"},
    Assumption{"8GB", Variant::plain, Counting::job, Averaging::small_nodes,
               "nodes of 8 GB, as in a footnote, instead of 10"},
    Assumption{"merged", Variant::merged, Counting::job, Averaging::mean, "one decision for each instant"},
    Assumption{"free", Variant::free, Counting::job, Averaging::mean, "no penalty"},
    Assumption{"penalty-450", Variant::long_penalty, Counting::job, Averaging::mean, "a penalty of 450 s"},
    Assumption{"period-450", Variant::short_period, Counting::job, Averaging::mean, "a period of 450 s"},
    Assumption{"floor", Variant::floor, Counting::job, Averaging::mean,
               "priorities count at least 30 s of flow time, or without it where the paper has it"},
    Assumption{"ties", Variant::ties, Counting::job, Averaging::mean,
               "MCB8 takes equal jobs by priority, not by submission (/TIES=PRIORITY)"},
    Assumption{"fill", Variant::fill, Counting::job, Averaging::mean,
               "the same, and \"*\" also acts after a periodic repack (/TIES=PRIORITY/FILL)"},
    Assumption{"fill-resumes", Variant::fill, Counting::resumes, Averaging::mean,
               "the same, and resumes count like pauses"},
    Assumption{"batch-jobs", Variant::batch_jobs, Counting::job, Averaging::mean, "workloads of batch jobs only"},
    Assumption{"typeless", Variant::typeless, Counting::job, Averaging::mean, "workloads of the model's one-type set"},
};

std::string cells_of(const CostStudy& study) { return study.part + "-cells"; }

struct Outcome {
  std::array<CostCount, kCountings> counts;
  Seconds makespan = 0;
  Seconds submissions = 0;
  double jobs = 0;
  bool above_07 = false;
};

Result<std::vector<Instance>> instances_of(Variant variant, const CostStudy& study, std::uint64_t seed) {
  LublinOptions lublin;
  if (variant == Variant::batch_jobs) lublin.mix = LublinMix::kBatch;
  if (variant == Variant::typeless) lublin.mix = LublinMix::kTypeless;
  std::vector<Instance> all;
  for (const double load : kLoads) {
    Result<std::vector<Instance>> set = lublin_set(lublin, seed, study.instances, load);
    if (!set) return set;
    all.insert(all.end(), std::make_move_iterator(set->begin()), std::make_move_iterator(set->end()));
  }
  return all;
}

SimOptions options_of(Variant variant, const CostStudy& study) {
  constexpr Seconds kFloor = 30;
  SimOptions sim;
  Seconds& floor = sim.engine.of<DfrsOptions>().priority_floor;
  floor = study.priority_floor;
  if (variant == Variant::merged) sim.events_apart = false;
  if (variant == Variant::free) sim.penalty = 0;
  if (variant == Variant::long_penalty) sim.penalty = 450;
  if (variant == Variant::short_period) sim.engine.of<DfrsOptions>().period = 450;
  if (variant == Variant::floor) floor = floor > 0 ? 1e-6 : kFloor;
  return sim;
}

// The algorithm under the variant's rules, which do not concern every algorithm.
Algorithm algorithm_of(Variant variant, std::string_view name) {
  std::vector<std::string> suffixes;
  if (variant == Variant::fill) suffixes.emplace_back("/TIES=PRIORITY/FILL");
  if (variant == Variant::fill || variant == Variant::ties) suffixes.emplace_back("/TIES=PRIORITY");
  for (const std::string& suffix : suffixes) {
    if (const auto found = parse_algorithm(std::string(name) + suffix)) return *found;
  }
  return *parse_algorithm(name);
}

Result<Outcome> run_one(const Instance& instance, const Algorithm& algorithm, SimOptions sim) {
  CostCounter counter;
  const RunOutcome run = simulate(instance, algorithm, sim, &counter);
  if (!run) return tl::unexpected(run.error());
  counter.finish();
  Outcome outcome;
  for (std::size_t k = 0; k < kCountings; ++k) outcome.counts[k] = counter.count(static_cast<Counting>(k));
  outcome.makespan = measure(instance, *run).makespan;
  outcome.submissions = instance.jobs.back().submit - instance.jobs.front().submit;
  outcome.jobs = static_cast<double>(instance.jobs.size());
  return outcome;
}

// All simulations: by variant, algorithm and instance.
class Simulated {
 public:
  explicit Simulated(const CostStudy& study) : algorithms_(study.targets.size()) {}

  Result<void> run(const CostStudy& study, const ReproduceOptions& options) {
    std::vector<std::vector<Instance>> sets;
    std::vector<SimOptions> sims;
    for (std::size_t v = 0; v < kVariants; ++v) {
      const auto variant = static_cast<Variant>(v);
      Result<std::vector<Instance>> set = instances_of(variant, study, options.seed);
      if (!set) return tl::unexpected(std::move(set).error());
      sets.push_back(*std::move(set));
      sims.push_back(options_of(variant, study));
    }
    each_ = sets.front().size();
    outcomes_.resize(kVariants * algorithms_ * each_);
    const auto simulate_one = [&](std::size_t k) {
      const std::size_t variant = k / (algorithms_ * each_);
      const std::size_t instance = k % each_;
      const std::string_view name = study.targets[k / each_ % algorithms_].algorithm;
      return run_one(sets[variant][instance], algorithm_of(static_cast<Variant>(variant), name), sims[variant])
          .map([&](const Outcome& outcome) {
            outcomes_[k] = outcome;
            outcomes_[k].above_07 = instance >= study.instances;
          });
    };
    return try_parallel_for(outcomes_.size(), options.threads, simulate_one, options.progress);
  }

  std::span<const Outcome> of(Variant variant, std::size_t algorithm) const {
    const std::size_t first = (static_cast<std::size_t>(variant) * algorithms_ + algorithm) * each_;
    return std::span(outcomes_).subspan(first, each_);
  }

 private:
  std::size_t algorithms_;
  std::size_t each_ = 0;
  std::vector<Outcome> outcomes_;
};

// The six figures of sums over runs.
Figures figures_of(const CostCount& count, Seconds span, double jobs) {
  constexpr double kMibPerGb = 1024;
  constexpr double kHour = 3600;
  return {count.paused_mib / kMibPerGb / span,
          count.moved_mib / kMibPerGb / span,
          count.pauses / span * kHour,
          count.moves / span * kHour,
          count.pauses / jobs,
          count.moves / jobs};
}

// The outcomes at `places` as one figure each.
Figures average(std::span<const Outcome> outcomes, std::span<const std::size_t> places, const Assumption& how) {
  std::array<std::vector<double>, 6> values;
  CostCount sum;
  Seconds span = 0;
  double jobs = 0;
  for (const std::size_t place : places) {
    const Outcome& one = outcomes[place];
    if (how.averaging == Averaging::above_07 && !one.above_07) continue;
    const CostCount& count = one.counts[static_cast<std::size_t>(how.counting)];
    const Seconds length = how.averaging == Averaging::submissions ? one.submissions : one.makespan;
    const Figures figures = figures_of(count, length, one.jobs);
    for (std::size_t k = 0; k < figures.size(); ++k) values[k].push_back(figures[k]);
    sum.pauses += count.pauses, sum.moves += count.moves;
    sum.paused_mib += count.paused_mib, sum.moved_mib += count.moved_mib;
    span += length;
    jobs += one.jobs;
  }
  if (how.averaging == Averaging::pooled) return figures_of(sum, span, jobs);
  Figures result{};
  for (std::size_t k = 0; k < result.size(); ++k) {
    const Summary s = summarize(values[k]);
    result[k] = how.averaging == Averaging::median ? s.median : s.mean;
    if (how.averaging == Averaging::small_nodes && k < 2) result[k] *= 0.8;
  }
  return result;
}

// How one assumption fits: the logarithms of measured / published, where something other than 0 is published.
class Fit {
 public:
  void add(std::size_t figure, double measured, double published) {
    if (std::isnan(published) || published == 0) return;
    const double ratio = measured / published;
    logs_[figure].push_back(std::log(std::max(ratio, kLeastRatio)));
    if (std::abs(ratio - 1) <= kNear) ++near_;
  }

  std::size_t near() const { return near_; }
  std::size_t cells() const { return all().size(); }
  /// The geometric mean of the ratios, and their median.
  double mean(std::size_t figure) const { return std::exp(summary(figure).mean); }
  double median(std::size_t figure) const { return std::exp(summary(figure).median); }
  /// By what factor, either way, ours typically differs: root mean square and median.
  double factor() const {
    double squares = 0;
    for (const double log : all()) squares += log * log;
    return std::exp(std::sqrt(squares / static_cast<double>(std::max<std::size_t>(cells(), 1))));
  }
  double median_factor() const {
    std::vector<double> sizes = all();
    for (double& log : sizes) log = std::abs(log);
    return sizes.empty() ? 1 : std::exp(summarize(sizes).median);
  }

 private:
  Summary summary(std::size_t figure) const { return logs_[figure].empty() ? Summary{} : summarize(logs_[figure]); }
  std::vector<double> all() const {
    std::vector<double> logs;
    for (const std::vector<double>& some : logs_) logs.insert(logs.end(), some.begin(), some.end());
    return logs;
  }

  std::array<std::vector<double>, 6> logs_;
  std::size_t near_ = 0;
};

// An assumption's fit over the instances at `places`.
Fit fit_of(const CostStudy& study, const Simulated& simulated, const Assumption& assumption,
           std::span<const std::size_t> places) {
  Fit fit;
  for (std::size_t a = 0; a < study.targets.size(); ++a) {
    const Figures ours = average(simulated.of(assumption.variant, a), places, assumption);
    for (std::size_t k = 0; k < ours.size(); ++k) fit.add(k, ours[k], study.targets[a].published[k]);
  }
  return fit;
}

// What other draws of the traces would give; each has its three loads.
struct Redrawn {
  std::array<std::vector<double>, 6> means;
  std::vector<double> factors;
};

Redrawn redraw(const CostStudy& study, const Simulated& simulated, const Assumption& assumption) {
  Redrawn redrawn;
  std::vector<std::size_t> places;
  for_each_resample(study.instances, [&](std::span<const std::uint32_t> traces) {
    places.clear();
    for (std::size_t load = 0; load < kLoads.size(); ++load) {
      for (const std::uint32_t trace : traces) places.push_back(load * study.instances + trace);
    }
    const Fit fit = fit_of(study, simulated, assumption, places);
    for (std::size_t k = 0; k < kFigures.size(); ++k) redrawn.means[k].push_back(fit.mean(k));
    redrawn.factors.push_back(fit.factor());
  });
  return redrawn;
}

// In how many of 100 draws the assumption is typically nearer to the published figures than `none`, on the same traces.
double percent_nearer(const Redrawn& assumption, const Redrawn& none) {
  double nearer = 0;
  for (std::size_t r = 0; r < none.factors.size(); ++r) {
    if (assumption.factors[r] < none.factors[r]) nearer += 1;
    if (assumption.factors[r] == none.factors[r]) nearer += 0.5;
  }
  return 100 * nearer / static_cast<double>(none.factors.size());
}

void add_cells(const CostStudy& study, const Simulated& simulated, const Assumption& assumption,
               std::span<const std::size_t> places, ReproductionReport& report) {
  for (std::size_t a = 0; a < study.targets.size(); ++a) {
    const CostTarget& target = study.targets[a];
    const std::span<const Outcome> outcomes = simulated.of(assumption.variant, a);
    const Figures ours = average(outcomes, places, assumption);
    for (std::size_t k = 0; k < ours.size(); ++k) {
      const double published = target.published[k];
      Comparison cell{cells_of(study),
                      fmt::format("{}: {}", assumption.name, target.algorithm),
                      kFigures[k],
                      std::isnan(published) ? std::nullopt : std::optional(published),
                      ours[k],
                      {},
                      std::string(target.algorithm)};
      if (assumption.averaging != Averaging::mean) {
        report.add(std::move(cell));
        continue;
      }
      std::vector<double> values;
      for (const std::size_t place : places) {
        const Outcome& one = outcomes[place];
        const CostCount& count = one.counts[static_cast<std::size_t>(assumption.counting)];
        values.push_back(figures_of(count, one.makespan, one.jobs)[k]);
      }
      report.add_mean(std::move(cell), values, study.instances);
    }
  }
}

}  // namespace

Result<void> test_cost_assumptions(const CostStudy& study, const ReproduceOptions& options,
                                   ReproductionReport& report) {
  Simulated simulated(study);
  if (auto ran = simulated.run(study, options); !ran) return ran;
  const bool wants_cells = options.wants(cells_of(study));
  std::vector<std::size_t> places(study.instances * kLoads.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const bool drawn = study.instances > 1;
  Redrawn none;  // of the first assumption
  std::size_t published_cells = 0;
  for (const Assumption& assumption : kAssumptions) {
    const std::string row(assumption.name);
    const Fit fit = fit_of(study, simulated, assumption, places);
    const Redrawn redrawn = drawn ? redraw(study, simulated, assumption) : Redrawn{};
    published_cells = fit.cells();
    for (std::size_t k = 0; k < kFigures.size(); ++k) {
      Comparison cell{study.part, row, kFigures[k], std::nullopt, fit.mean(k)};
      if (drawn) cell.spread = MeanSpread{study.instances, fit.median(k), percentile_interval(redrawn.means[k])};
      report.add(std::move(cell));
    }
    report.add({study.part, row, "cells within 10 %", std::nullopt, static_cast<double>(fit.near())});
    Comparison factor{study.part, row, "typical factor", std::nullopt, fit.factor()};
    if (drawn) factor.spread = MeanSpread{study.instances, fit.median_factor(), percentile_interval(redrawn.factors)};
    report.add(std::move(factor));
    if (&assumption == &kAssumptions.front()) {
      none = redrawn;
    } else if (drawn) {
      report.add({study.part, row, "nearer than none, % of draws", std::nullopt, percent_nearer(redrawn, none)});
    }
    report.note(study.part, fmt::format("{}: {}.", assumption.name, assumption.says));
    if (wants_cells) add_cells(study, simulated, assumption, places, report);
  }
  report.note(
      study.part,
      fmt::format(
          "{} published averages that are not 0; {} traces at three loads. Figures are geometric means of measured "
          "/ published over the algorithms, with the median of these quotients; the typical factor is the root "
          "mean square of their logarithms, with the median of their sizes. Intervals are percentiles of {} "
          "draws of the traces, the same for all assumptions.",
          published_cells, study.instances, kBootstrapResamples));
  return {};
}

}  // namespace dfrs::sim
