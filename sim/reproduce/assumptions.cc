// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "policy/rr7659/options.h"
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

Figures average(std::span<const Outcome> outcomes, Counting counting, Averaging averaging) {
  const auto count_of = [&](const Outcome& one) { return one.counts[static_cast<std::size_t>(counting)]; };
  std::array<std::vector<double>, 6> values;
  CostCount sum;
  Seconds span = 0;
  double jobs = 0;
  for (const Outcome& one : outcomes) {
    if (averaging == Averaging::above_07 && !one.above_07) continue;
    const CostCount& count = count_of(one);
    const Seconds length = averaging == Averaging::submissions ? one.submissions : one.makespan;
    const Figures figures = figures_of(count, length, one.jobs);
    for (std::size_t k = 0; k < figures.size(); ++k) values[k].push_back(figures[k]);
    sum.pauses += count.pauses, sum.moves += count.moves;
    sum.paused_mib += count.paused_mib, sum.moved_mib += count.moved_mib;
    span += length;
    jobs += one.jobs;
  }
  if (averaging == Averaging::pooled) return figures_of(sum, span, jobs);
  Figures result{};
  for (std::size_t k = 0; k < result.size(); ++k) {
    const Summary s = summarize(values[k]);
    result[k] = averaging == Averaging::median ? s.median : s.mean;
    if (averaging == Averaging::small_nodes && k < 2) result[k] *= 0.8;
  }
  return result;
}

// How one assumption fits.
struct Fit {
  std::array<double, 6> log_sum{};
  std::array<std::size_t, 6> cells{};
  double squares = 0;
  std::size_t near = 0;

  void add(std::size_t figure, double measured, double published) {
    if (std::isnan(published) || published == 0) return;
    const double ratio = measured / published;
    const double log = std::log(std::max(ratio, kLeastRatio));
    log_sum[figure] += log;
    squares += log * log;
    ++cells[figure];
    if (std::abs(ratio - 1) <= kNear) ++near;
  }
};

}  // namespace

Result<void> test_cost_assumptions(const CostStudy& study, const ReproduceOptions& options,
                                   ReproductionReport& report) {
  Simulated simulated(study);
  if (auto ran = simulated.run(study, options); !ran) return ran;
  const std::string cells = study.part + "-cells";
  const bool wants_cells = options.wants(cells);
  std::size_t published_cells = 0;
  for (const Assumption& assumption : kAssumptions) {
    Fit fit;
    for (std::size_t a = 0; a < study.targets.size(); ++a) {
      const CostTarget& target = study.targets[a];
      const Figures ours = average(simulated.of(assumption.variant, a), assumption.counting, assumption.averaging);
      for (std::size_t k = 0; k < ours.size(); ++k) {
        fit.add(k, ours[k], target.published[k]);
        if (!wants_cells) continue;
        const bool readable = !std::isnan(target.published[k]);
        report.add({cells,
                    fmt::format("{}: {}", assumption.name, target.algorithm),
                    kFigures[k],
                    readable ? std::optional(target.published[k]) : std::nullopt,
                    ours[k],
                    {},
                    std::string(target.algorithm)});
      }
    }
    const std::string row(assumption.name);
    std::size_t count = 0;
    for (std::size_t k = 0; k < kFigures.size(); ++k) {
      count += fit.cells[k];
      report.add({study.part, row, kFigures[k], std::nullopt,
                  std::exp(fit.log_sum[k] / static_cast<double>(std::max<std::size_t>(fit.cells[k], 1)))});
    }
    report.add({study.part, row, "cells within 10 %", std::nullopt, static_cast<double>(fit.near)});
    report.add({study.part, row, "typical factor", std::nullopt,
                std::exp(std::sqrt(fit.squares / static_cast<double>(std::max<std::size_t>(count, 1))))});
    report.note(study.part, fmt::format("{}: {}.", assumption.name, assumption.says));
    published_cells = count;
  }
  report.note(study.part, fmt::format("{} published averages that are not 0; {} traces at three loads. Figures are "
                                      "geometric means of measured / published over the algorithms; the typical "
                                      "factor is the root mean square of the logarithms of these quotients.",
                                      published_cells, study.instances));
  return {};
}

}  // namespace dfrs::sim
