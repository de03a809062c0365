// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/study.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "policy/rr7659/options.h"
#include "policy/triage/options.h"
#include "sim/campaign/parallel.h"
#include "sim/metrics/metrics.h"

namespace dfrs::sim {
namespace {

constexpr Seconds kHour = 3600;
constexpr double kMibPerGb = 1024;

// Memory written by pauses and moves, in the hour that has most of it. It may begin at any time.
class WorstHour final : public StepObserver {
 public:
  void on_step(const ClusterView& view, std::span<const Event>, const Decisions& decisions) override {
    for (const Decision& decision : decisions.placements) {
      const JobView& job = view.jobs[decision.job];
      const auto memory = static_cast<double>(job.rigid[kMemory]);
      double tasks = 0;
      if (decision.kind == DecisionKind::pause) tasks = job.tasks;
      if (decision.kind == DecisionKind::move) tasks = moved(job.nodes, decisions.nodes_of(decision));
      if (tasks > 0) add(view.now, memory * tasks);
    }
  }
  double most_mib() const { return most_; }

 private:
  struct Write {
    Seconds at;
    double mib;
  };
  void add(Seconds now, double mib) {
    hour_.push_back({now, mib});
    in_hour_ += mib;
    for (; hour_.front().at <= now - kHour; hour_.pop_front()) in_hour_ -= hour_.front().mib;
    most_ = std::max(most_, in_hour_);
  }
  // Number of tasks that changed nodes. Both lists are sorted.
  static double moved(std::span<const NodeIndex> before, std::span<const NodeIndex> after) {
    std::vector<NodeIndex> common;
    std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(common));
    return static_cast<double>(after.size() - common.size());
  }
  std::deque<Write> hour_;  // of the last hour
  double in_hour_ = 0;      // their sum
  double most_ = 0;
};

// Memory of the paused jobs of each node, which live nodes hold in swap.
class PausedMemory final : public StepObserver {
 public:
  void on_step(const ClusterView& view, std::span<const Event>, const Decisions& decisions) override {
    mib_.resize(view.nodes.size());
    for (const Decision& decision : decisions.placements) {
      const JobView& job = view.jobs[decision.job];
      if (decision.kind == DecisionKind::pause && job.pauses == Pauses::kept) {
        const auto here = paused_.emplace(decision.job, std::vector<NodeIndex>(job.nodes.begin(), job.nodes.end()));
        add(here.first->second, static_cast<double>(job.rigid[kMemory]));
      } else if (const auto gone = paused_.find(decision.job); gone != paused_.end()) {
        add(gone->second, -static_cast<double>(job.rigid[kMemory]));
        paused_.erase(gone);
      }
    }
  }
  double most_mib() const { return most_; }

 private:
  void add(const std::vector<NodeIndex>& nodes, double memory) {
    for (const NodeIndex n : nodes) most_ = std::max(most_, mib_[n] += memory);
  }
  std::vector<double> mib_;
  std::unordered_map<JobSlot, std::vector<NodeIndex>> paused_;
  double most_ = 0;
};

// What pauses and moves ask of the nodes.
class Watcher final : public StepObserver {
 public:
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    worst_hour.on_step(view, events, decisions);
    paused.on_step(view, events, decisions);
  }
  WorstHour worst_hour;
  PausedMemory paused;
};

// As the live side has it: a job with a user at it is suspended at most, never requeued.
PauseEffect effect_on(const Job& job, const PauseWorld& world, const StudyOptions& options) {
  const PauseEffect effect = pauses_of(job, world);
  const bool requeued = effect == PauseEffect::kept || effect == PauseEffect::lost;
  return requeued && options.interactive.contains(job.id) ? PauseEffect::none : effect;
}

struct SampleRun {
  RunResult result;
  double most_mib_in_an_hour = 0;
  double most_paused_mib = 0;
};

// In the worst hour, or over all of a shorter run. Never below the average: writes far apart in a run of less than two
// hours may have no hour in common.
double peak_gb_per_s(const SampleRun& run, Seconds length) {
  if (!(length > 0)) return 0;
  const double average = (run.result.paused_mib + run.result.moved_mib) / length;
  return std::max(run.most_mib_in_an_hour / std::min(kHour, length), average) / kMibPerGb;
}

double nearest_rank(const std::vector<double>& sorted, double share) {
  const double at = std::ceil(share * static_cast<double>(sorted.size())) - 1;
  return sorted[static_cast<std::size_t>(std::max(0.0, at))];
}

// Accumulates the jobs of a class.
class Gather {
 public:
  void add(const Job& job, const JobRecord& record, Seconds floor) {
    stretch_.push_back(bounded_stretch(job, record, floor));
    wait_.push_back(record.start - job.submit);
    delay_ += std::max(0.0, record.end - job.submit - job.run_time);
  }
  Service service() {
    Service s;
    s.jobs = stretch_.size();
    if (s.jobs == 0) return s;
    const auto n = static_cast<double>(s.jobs);
    std::sort(stretch_.begin(), stretch_.end());
    std::sort(wait_.begin(), wait_.end());
    s.mean_stretch = s.mean_wait = 0;
    for (const double x : stretch_) s.mean_stretch += x / n;
    for (const double x : wait_) s.mean_wait += x / n;
    s.p95_stretch = nearest_rank(stretch_, 0.95);
    s.p99_stretch = nearest_rank(stretch_, 0.99);
    s.max_stretch = stretch_.back();
    s.p95_wait = nearest_rank(wait_, 0.95);
    for (std::size_t k = 0; k <= kWaitQuantiles; ++k) {
      s.wait_quantiles.push_back(nearest_rank(wait_, static_cast<double>(k) / kWaitQuantiles));
    }
    s.mean_delay = delay_ / n;
    return s;
  }

 private:
  std::vector<double> stretch_;
  std::vector<double> wait_;
  double delay_ = 0;
};

StudyRun put_together(const Trial& trial, std::span<const SampleRun> runs, const StudyOptions& options) {
  StudyRun out;
  out.pauses = trial.pauses;
  Gather all, interactive;
  std::array<Gather, kJobClasses.size()> by_class;
  double work = 0, capacity = 0, span = 0, pauses = 0, moves = 0, mib = 0, lost = 0, jobs = 0, losing = 0;
  for (std::size_t s = 0; s < runs.size(); ++s) {
    const Instance& sample = (*trial.samples)[s];
    const RunResult& run = runs[s].result;
    Seconds last = 0;
    for (std::size_t k = 0; k < sample.jobs.size(); ++k) {
      const Job& job = sample.jobs[k];
      const JobRecord& record = run.jobs[k];
      all.add(job, record, options.stretch_floor);
      by_class[job_class(job.run_time)].add(job, record, options.stretch_floor);
      if (options.interactive.contains(job.id)) interactive.add(job, record, options.stretch_floor);
      work += Instance::work(job);
      pauses += record.pauses;
      moves += record.moves;
      out.most_pauses = std::max(out.most_pauses, static_cast<double>(record.pauses));
      losing += record.lost_runs > 0 ? 1 : 0;
      last = std::max(last, record.end);
      ++jobs;
    }
    const Seconds length = sample.jobs.empty() ? 0 : last - sample.jobs.front().submit;
    span += length;
    capacity += length * sample.platform.total_cpu();
    mib += run.paused_mib + run.moved_mib;
    lost += run.lost_work;
    if (trial.pauses.others != PauseEffect::lost)
      out.peak_gb_per_s = std::max(out.peak_gb_per_s, peak_gb_per_s(runs[s], length));
    out.most_paused_mib = std::max(out.most_paused_mib, runs[s].most_paused_mib);
  }
  out.all = all.service();
  out.interactive = interactive.service();
  for (std::size_t c = 0; c < by_class.size(); ++c) out.by_class[c] = by_class[c].service();
  out.pauses_or_moves = pauses + moves > 0;
  if (capacity > 0) out.utilization = work / capacity;
  if (jobs > 0) {
    out.pauses_per_job = pauses / jobs;
    out.moves_per_job = moves / jobs;
    out.jobs_losing = losing / jobs;
  }
  if (span > 0) out.gb_per_s = mib / kMibPerGb / span;
  if (work > 0) out.lost_share = lost / work;
  return out;
}

}  // namespace

std::size_t job_class(Seconds run_time) {
  std::size_t k = 0;
  while (k + 1 < kJobClasses.size() && !(run_time < kJobClasses[k].below)) ++k;
  return k;
}

RunOutcome simulate_sample(const Instance& sample, const Algorithm& algorithm, const Trial& trial,
                           const StudyOptions& options, const Watch& watch) {
  SimOptions sim;
  sim.penalty = trial.restart.value_or(options.penalty);
  sim.engine.of<TriageOptions>().penalty = sim.penalty;
  sim.restart = trial.restart.value_or(options.restart);
  if (!trial.restart) sim.swap_rate = options.swap_rate;
  sim.pauses = trial.pauses;
  sim.swap = trial.swap;
  sim.devices_stay = true;
  sim.lost_work = options.lost_work;
  sim.lost_work.requeue_kept = trial.restart.has_value();
  sim.engine.of<DfrsOptions>().period = options.period;
  if (!trial.pauses.marked && options.interactive.empty()) {
    return simulate(sample, algorithm, sim, watch);
  }
  // Marks say all of it, also in a sample without a marked job.
  Instance marked = sample;
  for (Job& job : marked.jobs) job.pauses = effect_on(job, trial.pauses, options);
  sim.pauses = {1, trial.pauses.others, 1, true};
  return simulate(marked, algorithm, sim, watch);
}

Result<std::vector<StudyRun>> run_study(const std::vector<Trial>& trials, const StudyOptions& options) {
  std::vector<Algorithm> algorithms;
  std::vector<std::size_t> first;  // run of a trial's first sample
  std::vector<std::size_t> trial_of;
  for (const Trial& trial : trials) {
    auto algorithm = parse_algorithm(trial.algorithm);
    if (!algorithm) return usage_error(algorithm.error().message);
    algorithms.push_back(std::move(*algorithm));
    first.push_back(trial_of.size());
    trial_of.insert(trial_of.end(), trial.samples->size(), first.size() - 1);
  }
  std::vector<SampleRun> runs(trial_of.size());
  const auto simulate_one = [&](std::size_t k) -> Result<void> {
    const Trial& trial = trials[trial_of[k]];
    Watcher watcher;
    RunOutcome run = simulate_sample((*trial.samples)[k - first[trial_of[k]]], algorithms[trial_of[k]], trial, options,
                                     {.observer = &watcher});
    if (!run) return tl::unexpected(std::move(run).error());
    runs[k].result = *std::move(run);
    runs[k].most_mib_in_an_hour = watcher.worst_hour.most_mib();
    runs[k].most_paused_mib = watcher.paused.most_mib();
    return {};
  };
  const Result<void> simulated = try_parallel_for(runs.size(), options.threads, simulate_one, options.progress);
  if (!simulated) return tl::unexpected(simulated.error());
  std::vector<StudyRun> out;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    out.push_back(put_together(trials[t], std::span(runs).subspan(first[t], trials[t].samples->size()), options));
    out.back().algorithm = algorithm_name(algorithms[t]);
  }
  return out;
}

}  // namespace dfrs::sim
