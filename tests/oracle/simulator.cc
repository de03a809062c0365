// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/simulator.h"
#include "policy/batch/algorithm.h"
#include "policy/rr7659/algorithm.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/oracle/policy.h"
#include "tests/oracle/predictions.h"
#include "tests/oracle/yields.h"

namespace dfrs::oracle {

void YieldLog::on_step(const ClusterView& view, std::span<const Event>, const Decisions& decisions) {
  Entry entry{view.now, std::vector<double>(view.jobs.size(), 0.0)};
  for (std::size_t k = 0; k < view.jobs.size(); ++k) {
    if (view.jobs[k].state == JobState::running) entry.yields[k] = view.jobs[k].yield;
  }
  for (const Decision& d : decisions.placements) entry.yields[d.job] = 0;
  for (const YieldChange& change : decisions.yields) entry.yields[change.job] = change.yield;
  entries_.push_back(std::move(entry));
}

namespace {

class PlainDfrs {
 public:
  PlainDfrs(const sim::Instance& instance, const DfrsAlgorithm& algorithm, const SimulatorOptions& options,
            const YieldLog* log)
      : instance_(instance), algorithm_(algorithm), options_(options), log_(log) {
    result_.jobs.resize(count_);
    for (const NodeSpec& spec : instance.platform.nodes) world_.nodes.push_back({spec, true});
    world_.dims = instance.platform.rigid_dims;
    world_.flow_floor = options.flow_floor;
    for (const sim::Job& from : instance.jobs) {
      WorldJob job;
      job.tasks = static_cast<std::uint32_t>(from.tasks);
      job.cpu_need = from.cpu_need;
      job.rigid = from.rigid;
      job.submit = from.submit;
      world_.jobs.push_back(job);
    }
  }

  Simulated run() {
    for (;;) {
      std::vector<Seconds> ends(count_, kNever);
      const Seconds next = next_instant(ends);
      if (next == kNever) return result_;
      advance(next);
      events(ends);
    }
  }

 private:
  Seconds virtual_time(JobSlot job, Seconds at) const {
    const Seconds from = std::max(since_[job], penalty_until_[job]);
    return world_.jobs[job].placed() && at > from ? base_[job] + yield_[job] * (at - from) : base_[job];
  }
  Seconds completion(JobSlot job) const {
    if (!world_.jobs[job].placed()) return kNever;
    const Seconds end = std::max(since_[job], penalty_until_[job]) +
                        std::max(0.0, instance_.jobs[job].run_time - base_[job]) / yield_[job];
    return std::max(world_.now, end);
  }
  bool arrives_by(Seconds time) const { return arrived_ < count_ && instance_.jobs[arrived_].submit <= time; }

  Seconds next_instant(std::vector<Seconds>& ends) const {
    Seconds next = arrived_ < count_ ? instance_.jobs[arrived_].submit : kNever;
    for (JobSlot job : world_.order) next = std::min(next, ends[job] = completion(job));
    if (periodic_ && !world_.order.empty()) {
      const bool now_due = is_tick_time(world_.now, options_.period) && last_tick_ != world_.now;
      next = std::min(next, now_due ? world_.now : tick_after(world_.now, options_.period));
    }
    return next;
  }

  // Work goes on until then.
  void advance(Seconds next) {
    double demand = 0;
    for (JobSlot job : world_.order) {
      demand += world_.jobs[job].cpu_need * world_.jobs[job].tasks;
      world_.jobs[job].virtual_time = virtual_time(job, next);
    }
    result_.demand += std::min(instance_.platform.total_cpu(), demand) * (next - world_.now);
    world_.now = next;
  }

  void events(const std::vector<Seconds>& ends) {
    const Seconds now = world_.now;
    const bool was_in_use = !world_.order.empty();
    StepInput step;
    for (JobSlot job = 0; job < count_; ++job) {
      if (ends[job] > now) continue;
      step.freed = true;
      result_.jobs[job].end = now;
      world_.jobs[job].nodes.clear();
      world_.jobs[job].state = JobState::absent;
      std::erase(world_.order, job);
    }
    for (; arrives_by(now); ++arrived_) {
      // Apart: completions first, then one submission per call.
      if (options_.events_apart && (step.freed || !step.submitted.empty())) break;
      const auto job = static_cast<JobSlot>(arrived_);
      world_.jobs[job].state = JobState::waiting;
      world_.order.push_back(job);
      step.submitted.push_back(job);
    }
    const bool any = step.freed || !step.submitted.empty();
    const bool due =
        periodic_ && is_tick_time(now, options_.period) && last_tick_ != now && (was_in_use || !step.submitted.empty());
    if (!options_.events_apart || !any) step.tick = due;
    if (step.tick) last_tick_ = now;
    call(step);
    // The last job ended at a tick: the product is called once more, which changes nothing.
    if (due && !step.tick && world_.order.empty() && !arrives_by(now)) ++calls_;
  }

  void call(const StepInput& step) {
    const World before = world_;
    const std::vector<double> old_yield = yield_;
    decide(world_, algorithm_, step, options_.period);
    for (JobSlot job : world_.order) count_change(job, before.jobs[job]);
    if (log_ == nullptr) {
      yield_ = max_min_yields(world_);
    } else {
      const YieldLog::Entry& entry = log_->entries().at(calls_);
      if (std::abs(entry.time - world_.now) > 1e-6 * (1 + world_.now)) throw std::logic_error("calls at other times");
      yield_ = entry.yields;
    }
    for (JobSlot job : world_.order) {
      if (world_.jobs[job].nodes == before.jobs[job].nodes && yield_[job] == old_yield[job]) continue;
      base_[job] = before.jobs[job].virtual_time;
      since_[job] = world_.now;
    }
    ++calls_;
  }

  void count_change(JobSlot job, const WorldJob& old) {
    WorldJob& now = world_.jobs[job];
    if (now.nodes == old.nodes) return;
    if (!now.placed()) {
      now.state = JobState::paused;
      ++result_.jobs[job].pauses;
    } else if (old.placed()) {
      ++result_.jobs[job].moves;
      penalty_until_[job] = world_.now + options_.penalty;
    } else if (old.state == JobState::paused) {
      penalty_until_[job] = world_.now + options_.penalty;
      now.state = JobState::running;
    } else {
      result_.jobs[job].start = world_.now;
      now.state = JobState::running;
    }
  }

  const sim::Instance& instance_;
  const DfrsAlgorithm& algorithm_;
  const SimulatorOptions& options_;
  const YieldLog* log_;
  const std::size_t count_ = instance_.jobs.size();
  const bool periodic_ = algorithm_.periodic != DfrsAlgorithm::Periodic::nothing;
  Simulated result_;
  World world_;
  std::vector<double> yield_ = std::vector<double>(count_, 0.0);
  std::vector<Seconds> penalty_until_ = std::vector<Seconds>(count_, 0.0);
  // Virtual time is counted from the last change of the job's yield or nodes, not from instant to instant: so that two
  // jobs with one history have one priority, to the last bit.
  std::vector<double> base_ = std::vector<double>(count_, 0.0);
  std::vector<Seconds> since_ = std::vector<Seconds>(count_, 0.0);
  std::size_t arrived_ = 0;
  std::size_t calls_ = 0;
  Seconds last_tick_ = -1;
};

}  // namespace

Simulated simulate_plainly(const sim::Instance& instance, const DfrsAlgorithm& algorithm,
                           const SimulatorOptions& options, const YieldLog* log) {
  return PlainDfrs(instance, algorithm, options, log).run();
}

// The formulas as their papers print them, with the least values that policy/batch/queue_rank.h states.
double plain_rank(QueueRank rank, const sim::Job& job, Seconds expected, Seconds now) {
  const double requested = std::max(1.0, expected);
  const double submitted = std::max(1.0, job.submit);
  const double size = job.tasks;
  const double wait = std::max(0.0, now - job.submit);
  switch (rank) {
    case QueueRank::fcfs:
      return 0;
    case QueueRank::sjf:
      return requested;
    case QueueRank::ljf:
      return 0 - requested;
    case QueueRank::saf:
      return size * requested;
    case QueueRank::xf:
      return 0 - (wait + requested) / requested;
    case QueueRank::f1:
      return std::log10(requested) * size + 870 * std::log10(submitted);
    case QueueRank::f2:
      return std::sqrt(requested) * size + 25600 * std::log10(submitted);
    case QueueRank::f3:
      return requested * size + 6860000 * std::log10(submitted);
    case QueueRank::f4:
      return requested * std::sqrt(size) + 530000 * std::log10(submitted);
    case QueueRank::wfp3:
      return 0 - (wait / requested) * (wait / requested) * (wait / requested) * size;
    case QueueRank::unicef:
      return 0 - wait / (std::max(1.0, std::log2(size)) * requested);
  }
  return 0;
}

namespace {

class PlainBatch {
 public:
  PlainBatch(const sim::Instance& instance, const BatchAlgorithm& algorithm, const SimulatorOptions& options)
      : instance_(instance), algorithm_(algorithm), options_(options) {
    result_.jobs.resize(instance.jobs.size());
  }

  Simulated run() {
    for (;;) {
      Seconds next = arrived_ < instance_.jobs.size() ? instance_.jobs[arrived_].submit : kNever;
      for (const Running& r : running_) next = std::min(next, r.end);
      if (next == kNever) return result_;
      now_ = next;
      correct_predictions();
      end_jobs();
      for (; arrived_ < instance_.jobs.size() && instance_.jobs[arrived_].submit <= now_; ++arrived_) {
        expects_[arrived_] = plain_prediction(algorithm_.prediction, instance_.jobs[arrived_], history_);
        queue_.push_back(arrived_);
        if (options_.pass_per_event) pass();
      }
      if (!options_.pass_per_event) pass();
    }
  }

 private:
  struct Running {
    std::size_t job;
    Seconds end;       // true one
    Seconds expected;  // by the estimate or the prediction
  };

  int tasks(std::size_t job) const { return instance_.jobs[job].tasks; }

  // Jobs that go on longer than was expected of them.
  void correct_predictions() {
    for (Running& r : running_) {
      if (!algorithm_.prediction.predicts() || r.end <= now_ || r.expected > now_) continue;
      const Seconds began = result_.jobs[r.job].start;
      r.expected = began + plain_correction(algorithm_.prediction, expects_[r.job], now_ - began,
                                            instance_.jobs[r.job].estimate);
    }
  }

  // By number.
  void end_jobs() {
    std::sort(running_.begin(), running_.end(), [](const Running& a, const Running& b) { return a.job < b.job; });
    std::vector<Running> ended;
    for (const Running& r : running_) {
      if (r.end <= now_) ended.push_back(r);
    }
    for (const Running& r : ended) {
      std::erase_if(running_, [&](const Running& other) { return other.job == r.job; });
      free_ += tasks(r.job);
      result_.jobs[r.job].end = now_;
      history_.push_back(&instance_.jobs[r.job]);
      if (options_.pass_per_event) pass();
    }
  }

  void start(std::size_t job) {
    free_ -= tasks(job);
    result_.jobs[job].start = now_;
    running_.push_back({job, now_ + instance_.jobs[job].run_time, now_ + expects_[job]});
  }

  // Sorts the queue from there on.
  void rank_from(std::size_t from, QueueRank rank) {
    if (!algorithm_.ranked() || from >= queue_.size()) return;
    std::sort(queue_.begin() + static_cast<std::ptrdiff_t>(from), queue_.end(), [&](std::size_t a, std::size_t b) {
      const double x = plain_rank(rank, instance_.jobs[a], expects_[a], now_);
      const double y = plain_rank(rank, instance_.jobs[b], expects_[b], now_);
      return x < y || (x == y && a < b);
    });
  }

  void pass() {
    rank_from(0, algorithm_.head);
    while (!queue_.empty() && tasks(queue_.front()) <= free_) {
      start(queue_.front());
      queue_.erase(queue_.begin());
    }
    if (queue_.empty() || algorithm_.backfill == BatchAlgorithm::Backfill::none) return;
    // When will the first have its nodes? Step through the times at which jobs should end.
    std::vector<Seconds> times{now_};
    for (const Running& r : running_) times.push_back(std::max(now_, r.expected));
    std::sort(times.begin(), times.end());
    Seconds shadow = kNever;
    int extra = 0;
    for (Seconds t : times) {
      int open = free_;
      for (const Running& r : running_) open += std::max(now_, r.expected) <= t ? tasks(r.job) : 0;
      if (open < tasks(queue_.front())) continue;
      shadow = t;
      extra = open - tasks(queue_.front());
      break;
    }
    rank_from(1, algorithm_.others);
    for (std::size_t k = 1; k < queue_.size();) {
      const std::size_t job = queue_[k];
      const bool in_time = algorithm_.backfill == BatchAlgorithm::Backfill::easy && now_ + expects_[job] <= shadow;
      if (tasks(job) > free_ || !(in_time || tasks(job) <= extra)) {
        ++k;
        continue;
      }
      if (!in_time) extra -= tasks(job);
      start(job);
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  const sim::Instance& instance_;
  const BatchAlgorithm& algorithm_;
  const SimulatorOptions& options_;
  Simulated result_;
  std::vector<Running> running_;
  std::vector<std::size_t> queue_;
  std::vector<const sim::Job*> history_;                                        // jobs that have ended
  std::vector<Seconds> expects_ = std::vector<Seconds>(instance_.jobs.size());  // run times, as expected at submission
  std::size_t arrived_ = 0;
  int free_ = static_cast<int>(instance_.platform.nodes.size());
  Seconds now_ = 0;
};

}  // namespace

Simulated simulate_plainly(const sim::Instance& instance, const BatchAlgorithm& algorithm,
                           const SimulatorOptions& options) {
  return PlainBatch(instance, algorithm, options).run();
}

}  // namespace dfrs::oracle
