// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/host/elastic_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/host/completion_queue.h"
#include "studies/gang/rules/dispatcher.h"

namespace dfrs::sim {
namespace {

// The line of least squares through points that come in the order of `x`; Welford's updates.
class Rise {
 public:
  void add(double x, double y) {
    if (n_ == 0) first_ = x;
    last_ = x;
    n_ += 1;
    const double dx = x - mean_x_;
    mean_x_ += dx / n_;
    mean_y_ += (y - mean_y_) / n_;
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
  }
  // How much the line rises from the first x to the last, relative to the mean of y.
  double over_mean() const { return xx_ > 0 && mean_y_ != 0 ? xy_ / xx_ * (last_ - first_) / mean_y_ : 0; }

 private:
  double n_ = 0;
  double first_ = 0;
  double last_ = 0;
  double mean_x_ = 0;
  double mean_y_ = 0;
  double xx_ = 0;
  double xy_ = 0;
};

using gang::Event;
using gang::MachineIndex;
using gang::MachineSet;

class Run {
 public:
  Run(const ElasticOptions& options, gang::Dispatcher dispatcher, SetupDelays& setups, GangObserver* observer)
      : options_(options),
        dispatcher_(std::move(dispatcher)),
        setups_(setups),
        observer_(observer),
        limit_(options.policy.machine_limit),
        queue_(2 * std::size_t{limit_}),
        runs_on_(limit_, kNoSlot),
        leased_at_(limit_, 0),
        ready_at_(limit_, 0) {
    metrics_.most_machines = options.policy.machine_minimum;
    metrics_.leases = options.policy.machine_minimum;
  }

  Result<GangMetrics> run(GangSource& gangs) {
    std::optional<GangJob> next = gangs.next();
    while (metrics_.finished < options_.jobs) {
      const Seconds arrival = next ? next->arrival : kNever;
      if (queue_.empty() && !next) break;
      if (queue_.next_time() <= arrival) {
        now_ = queue_.next_time();
        const JobSlot key = queue_.next_job();
        queue_.remove(key);
        if (key < limit_) {
          finish(std::exchange(runs_on_[key], kNoSlot));
        } else {
          step(Event::ready(key - limit_), {});
        }
      } else {
        now_ = arrival;
        if (next->tasks > limit_) {
          return usage_error(
              fmt::format("a gang of {} tasks needs as many machines, but {} may be leased", next->tasks, limit_));
        }
        const JobSlot slot = free_slot();
        jobs_[slot] = {*next, {}, 0};
        step(Event::arrived(slot, next->tasks, next->execution), *next);
        next = gangs.next();
      }
      if (bug_) return error(kExitInternal, *std::move(bug_));
    }
    finish_metrics();
    return metrics_;
  }

 private:
  // A gang in the system.
  struct Present {
    GangJob job;
    MachineSet machines;
    Seconds start = 0;
  };

  JobSlot free_slot() {
    if (free_.empty()) {
      jobs_.emplace_back();
      return static_cast<JobSlot>(jobs_.size() - 1);
    }
    const JobSlot slot = free_.back();
    free_.pop_back();
    return slot;
  }

  void finish(JobSlot slot) {
    const Present gone = jobs_[slot];
    const Seconds response = now_ - gone.job.arrival;
    ++metrics_.finished;
    metrics_.mean_response += response;
    rise_.add(now_, response);
    metrics_.response_by_tasks += gone.job.tasks * response;
    finished_tasks_ += gone.job.tasks;
    metrics_.mean_wait += gone.start - gone.job.arrival;
    metrics_.mean_bounded_slowdown += gang_bounded_slowdown(response, gone.job.execution, options_.slowdown_floor);
    metrics_.busy_time += gone.job.tasks * gone.job.execution;
    metrics_.end = now_;
    free_.push_back(slot);
    step(Event::finished(slot), gone.job);
  }

  void step(const Event& event, const GangJob& job) {
    const auto answer = dispatcher_.step(now_, event);
    if (!answer) {
      bug_ = answer.error().message;
      return;
    }
    const gang::Decisions& decisions = **answer;
    for (const gang::Dispatch& d : decisions.dispatches) jobs_[d.job].machines = d.machines;
    for (const gang::Move& move : decisions.moves) {
      jobs_[move.job].machines = (jobs_[move.job].machines - move.from) | move.to;
      ++metrics_.migrations;
      if (move.starved) ++metrics_.starved_migrations;
      metrics_.migrated_tasks += move.to.size();
    }
    for (const gang::Start& start : decisions.starts) {
      Present& gang = jobs_[start.job];
      if (start.route == gang::Start::Route::starved) ++metrics_.starved_starts;
      gang.start = now_;
      // A running gang is identified by its lowest machine, which is unique.
      const MachineIndex key = gang.machines.first();
      runs_on_[key] = start.job;
      if (start.route == gang::Start::Route::migrated) gang.job.execution += options_.migration_cost;
      queue_.set(key, now_ + gang.job.execution);
    }
    if (event.kind == Event::Kind::arrived && decisions.dispatches.empty()) ++metrics_.held;
    decisions.released.for_each([&](MachineIndex m) { pay(m, now_); });
    if (observer_ != nullptr) observer_->on_event(now_, event, job, decisions);
    if (decisions.lease) lease(*decisions.lease);
  }

  void pay(MachineIndex m, Seconds end) {
    const Seconds leased = end - leased_at_[m];
    metrics_.lease_time += leased;
    metrics_.lease_from_ready += std::max(end - ready_at_[m], 0.0);
    metrics_.lease_whole_units += std::ceil(leased);
  }

  void lease(const gang::Lease& lease) {
    const Seconds delay = setups_.next();
    lease.machines.for_each([&](MachineIndex m) {
      leased_at_[m] = now_;
      ready_at_[m] = now_ + delay;
    });
    metrics_.leases += lease.machines.size();
    metrics_.most_machines = std::max(metrics_.most_machines, dispatcher_.leased().size());
    queue_.set(limit_ + lease.request, now_ + delay);
    if (observer_ != nullptr) observer_->on_setup(now_, lease, delay);
  }

  void finish_metrics() {
    if (metrics_.finished == 0) return;
    const auto n = static_cast<double>(metrics_.finished);
    metrics_.mean_response /= n;
    metrics_.response_rise = rise_.over_mean();
    metrics_.mean_wait /= n;
    metrics_.mean_bounded_slowdown /= n;
    metrics_.response_by_tasks /= finished_tasks_;
    dispatcher_.leased().for_each([&](MachineIndex m) { pay(m, metrics_.end); });
    // Gangs still running at the end were busy until then.
    for (const JobSlot slot : runs_on_) {
      if (slot != kNoSlot) metrics_.busy_time += jobs_[slot].job.tasks * (metrics_.end - jobs_[slot].start);
    }
  }

  ElasticOptions options_;
  gang::Dispatcher dispatcher_;
  SetupDelays& setups_;
  GangObserver* observer_;
  MachineIndex limit_;
  Seconds now_ = 0;
  CompletionQueue queue_;         // gangs by their lowest machine; requests by limit_ + their number
  std::vector<JobSlot> runs_on_;  // by the lowest machine of a running gang
  std::vector<Seconds> leased_at_;
  std::vector<Seconds> ready_at_;
  std::vector<Present> jobs_;  // by slot
  std::vector<JobSlot> free_;
  double finished_tasks_ = 0;
  Rise rise_;
  GangMetrics metrics_;
  std::optional<std::string> bug_;  // in a rule: ends the run
};

}  // namespace

double gang_bounded_slowdown(Seconds response, Seconds execution, Seconds floor) {
  return std::max(response / std::max(execution, floor), 1.0);
}

Result<GangMetrics> simulate_gangs(GangSource& gangs, SetupDelays& setups, const ElasticOptions& options,
                                   GangObserver* observer) {
  auto dispatcher = gang::Dispatcher::create(options.policy);
  if (!dispatcher) return usage_error(dispatcher.error().message);
  return Run(options, std::move(*dispatcher), setups, observer).run(gangs);
}

}  // namespace dfrs::sim
