// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "policy/batch/options.h"
#include "policy/rr7659/options.h"
#include "policy/triage/options.h"
#include "sim/bound/bound.h"
#include "sim/campaign/fingerprint.h"
#include "sim/campaign/parallel.h"
#include "sim/campaign/store.h"
#include "sim/host/cpu_clock.h"
#include "sim/workload/scale.h"

namespace dfrs::sim {
namespace {

Result<ResultRow> simulate_row(const Instance& instance, const Algorithm& algorithm, const StretchBounds& bounds,
                               const CampaignOptions& options) {
  const double start = thread_cpu_seconds();
  // A store keeps the times: a later command may ask for them.
  const Watch watch{.policy_times = options.policy_times || options.store != nullptr,
                    .most_jobs = options.most_jobs,
                    .ends_pile_ups = options.ends_pile_ups,
                    .warn = options.warn};
  ResultRow row;
  const RunOutcome run = simulate(instance, algorithm, options.sim, watch);
  row.cpu_seconds = thread_cpu_seconds() - start;
  if (run) {
    row.policy_call_mean = run->mean_policy_call();
    row.policy_call_longest = run->longest_policy_call;
    row.metrics = measure(instance, *run, options.stretch_floor);
  } else if (run.error().ran_away) {
    set_ran_away(row);
  } else {
    return tl::unexpected(run.error());
  }
  row.instance = instance.name;
  row.algorithm = algorithm_name(algorithm);
  row.jobs = instance.jobs.size();
  row.load = offered_load(instance).value_or(0);  // without one, all jobs come at once
  row.bound_divisible = bounds.divisible;
  row.bound_ls1 = bounds.ls1;
  return row;
}

// One call of run_campaign. Simulations are numbered from 0, instances outermost.
class Run {
 public:
  Run(std::span<const Instance> instances, std::span<const Algorithm> algorithms, const CampaignOptions& options)
      : instances_(instances), algorithms_(algorithms), options_(options), rows_(instances.size() * algorithms.size()) {
    for (const Algorithm& algorithm : algorithms) names_.push_back(algorithm_name(algorithm));
    const std::string described = options.described.empty() ? campaign_settings(options) : options.described;
    for (const Instance& instance : instances) origins_.push_back(origin_of(instance, described));
  }

  /// Fills in the rows with these numbers.
  Result<void> simulate_all(std::vector<std::size_t> open) {
    total_ = open.size();
    if (options_.store != nullptr) {
      identify();
      auto missing = without(open, [&](std::size_t k) { return found(k); });
      if (!missing) return tl::unexpected(std::move(missing).error());
      open = *std::move(missing);
    }
    if (auto bounds = find_bounds(open); !bounds) return bounds;
    if (options_.store != nullptr) return share(std::move(open));
    return each(open.size(), [&](std::size_t k) { return simulate_and_keep(open[k]); });
  }

  std::vector<std::size_t> all() const {
    std::vector<std::size_t> numbers(rows_.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  Result<std::vector<std::size_t>> missing() {
    identify();
    return without(all(), [&](std::size_t k) {
      return options_.store->find(key(k)).map([](const std::optional<ResultRow>& row) { return row.has_value(); });
    });
  }

  std::vector<ResultRow> take_rows() { return std::move(rows_); }

 private:
  const Instance& instance(std::size_t k) const { return instances_[k / algorithms_.size()]; }
  SimulationKey key(std::size_t k) const {
    return {fingerprints_[k / algorithms_.size()], names_[k % algorithms_.size()], settings_};
  }
  Result<void> each(std::size_t count, const std::function<Result<void>(std::size_t)>& work) const {
    return try_parallel_for(count, options_.threads, work);
  }

  template <typename Done>
  static Result<std::vector<std::size_t>> without(const std::vector<std::size_t>& numbers, const Done& done) {
    std::vector<std::size_t> left;
    for (const std::size_t k : numbers) {
      const Result<bool> is_done = done(k);
      if (!is_done) return tl::unexpected(is_done.error());
      if (!*is_done) left.push_back(k);
    }
    return left;
  }

  void identify() {
    settings_ = campaign_settings(options_);
    fingerprints_.resize(instances_.size());
    parallel_for(instances_.size(), options_.threads,
                 [&](std::size_t k) { fingerprints_[k] = fingerprint(instances_[k]); });
  }

  void count_one() {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    options_.progress(++done_, total_);
  }

  Result<bool> found(std::size_t k) {
    return options_.store->find(key(k)).map([&](std::optional<ResultRow> row) {
      if (!row) return false;
      // The stored result may come from another instance with the same jobs.
      row->instance = instance(k).name;
      row->origin = origins_[k / algorithms_.size()];
      rows_[k] = std::move(*row);
      count_one();
      return true;
    });
  }

  Result<void> simulate_and_keep(std::size_t k) {
    return simulate_row(instance(k), algorithms_[k % algorithms_.size()], bounds_[k / algorithms_.size()], options_)
        .map([&](ResultRow row) {
          rows_[k] = std::move(row);
          rows_[k].origin = origins_[k / algorithms_.size()];
          count_one();
        });
  }

  // Computes the bounds of the instances with open simulations.
  Result<void> find_bounds(const std::vector<std::size_t>& open) {
    std::vector<std::size_t> needed;
    for (std::size_t k : open) {
      const std::size_t of = k / algorithms_.size();
      if (needed.empty() || needed.back() != of) needed.push_back(of);
    }
    bounds_.resize(instances_.size());
    return each(needed.size(), [&](std::size_t n) { return find_bound(needed[n]); });
  }

  Result<void> find_bound(std::size_t k) {
    if (options_.store != nullptr) {
      const auto kept = options_.store->find_bounds(fingerprints_[k], options_.stretch_floor);
      if (!kept) return tl::unexpected(kept.error());
      if (*kept) {
        bounds_[k] = **kept;
        return {};
      }
    }
    const Result<StretchBounds> computed = stretch_lower_bounds(instances_[k], BoundOptions{options_.stretch_floor});
    if (!computed) return tl::unexpected(computed.error());
    bounds_[k] = *computed;
    if (options_.store == nullptr) return {};
    return options_.store->put_bounds(fingerprints_[k], options_.stretch_floor, bounds_[k]);
  }

  // Simulates what no other process is working on, until all results are there.
  Result<void> share(std::vector<std::size_t> open) {
    auto pause = std::chrono::milliseconds(20);
    while (!open.empty()) {
      std::vector<std::size_t> elsewhere;
      const auto done = each(open.size(), [&](std::size_t n) -> Result<void> {
        const std::size_t k = open[n];
        const Result<ResultStore::Claim> claim = options_.store->claim(key(k));
        if (!claim) return tl::unexpected(claim.error());
        switch (*claim) {
          case ResultStore::Claim::mine:
            return simulate_claimed(k);
          case ResultStore::Claim::finished:
            return found(k).map([](bool) {});
          case ResultStore::Claim::elsewhere:
            break;
        }
        const std::lock_guard lock(mutex_);
        elsewhere.push_back(k);
        return {};
      });
      if (!done) return done;
      if (elsewhere.size() == open.size()) {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::milliseconds(500));
      }
      std::sort(elsewhere.begin(), elsewhere.end());
      open = std::move(elsewhere);
    }
    return {};
  }

  Result<void> simulate_claimed(std::size_t k) {
    if (auto simulated = simulate_and_keep(k); !simulated) {
      (void)options_.store->release(key(k));  // a failure of the simulation says more
      return simulated;
    }
    return options_.store->finish(key(k), rows_[k]);
  }

  std::span<const Instance> instances_;
  std::span<const Algorithm> algorithms_;
  const CampaignOptions& options_;
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<const ResultOrigin>> origins_;  // by instance
  std::vector<std::string> fingerprints_;                     // only with a store
  std::string settings_;
  std::vector<StretchBounds> bounds_;
  std::vector<ResultRow> rows_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

}  // namespace

std::string campaign_settings(const CampaignOptions& options) {
  // Binds every option, so that a new one fails to compile here until it is part of the settings.
  const auto& [penalty, events_apart, swap_rate, restart, pauses, swap, lost_work, devices_stay, discover_needs,
               need_rule, need_interval, engine] = options.sim;
  const auto& [need_floor, headroom, used_up, rise, memory, step] = need_rule;
  const auto& [min_progress, max_lost_runs, requeue_kept] = lost_work;
  // The rest of Triage's parameters are in the algorithm's name.
  const auto& [expected_penalty, time_scale, patience, hold, margin_paused, elbow_room, crowded_return, own_loss,
               stretch_power, age_power, width_power, move_period, move_gain, loss_margin, loss_age, crowd, share,
               probe, tied, tried] = engine.of<TriageOptions>();
  const auto& [period, flow_floor, ticks_apart] = engine.of<DfrsOptions>();
  const auto& [pass_per_event, pack_tasks] = engine.of<BatchOptions>();
  const auto apart = [](bool yes) { return yes ? "apart" : "merged"; };
  const std::string penalty_text = swap_rate <= 0 ? fmt::format("{} s", penalty)
                                   : restart > 0  ? fmt::format("memory at {} MiB/s and {} s", swap_rate, restart)
                                                  : fmt::format("memory at {} MiB/s", swap_rate);
  std::string pauses_text = fmt::format("paused work {}", world_text(pauses));
  if (pauses.some_lose()) {
    pauses_text += fmt::format(" (least progress {} s, most lost runs {})", min_progress, max_lost_runs);
  }
  if (requeue_kept) pauses_text += fmt::format(", requeued after {} s of progress", min_progress);
  if (devices_stay) pauses_text += ", jobs with devices never moved";
  if (swap.limited()) pauses_text += fmt::format(", swap {}", swap_text(swap));
  return fmt::format(
      "penalty {} (expected {} s x {}), period {} s, stretch floor {} s, priority floor {} s, events {}, ticks {}, "
      "batch passes per {}, "
      "batch nodes {}, {}{}{}",
      penalty_text, expected_penalty, time_scale, period, options.stretch_floor, flow_floor, apart(events_apart),
      apart(ticks_apart), pass_per_event ? "event" : "instant", pack_tasks ? "packed" : "task", pauses_text,
      discover_needs
          ? fmt::format(", needs measured each {} s (floor {}, headroom {}, used up {}, rise {}, memory {} s, step {})",
                        need_interval, need_floor, headroom, used_up, rise, memory, step)
          : "",
      options.most_jobs != 0   ? fmt::format(", at most {} jobs in the system", options.most_jobs)
      : !options.ends_pile_ups ? ", no limit of jobs in the system"
                               : "");
}

Result<std::vector<ResultRow>> run_campaign(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                                            const CampaignOptions& options) {
  Run run(instances, algorithms, options);
  return run.simulate_all(run.all()).map([&] { return run.take_rows(); });
}

Result<void> run_simulations(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                             const CampaignOptions& options, std::span<const std::size_t> numbers) {
  return Run(instances, algorithms, options).simulate_all({numbers.begin(), numbers.end()});
}

Result<std::vector<std::size_t>> missing_simulations(std::span<const Instance> instances,
                                                     std::span<const Algorithm> algorithms,
                                                     const CampaignOptions& options) {
  return Run(instances, algorithms, options).missing();
}

}  // namespace dfrs::sim
