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

Simulated simulate_plainly(const sim::Instance& instance, const DfrsAlgorithm& algorithm,
                           const SimulatorOptions& options, const YieldLog* log) {
  const std::size_t count = instance.jobs.size();
  Simulated result;
  result.jobs.resize(count);
  World world;
  for (const NodeSpec& spec : instance.platform.nodes) world.nodes.push_back({spec, true});
  world.dims = instance.platform.rigid_dims;
  world.flow_floor = options.flow_floor;
  for (const sim::Job& from : instance.jobs) {
    WorldJob job;
    job.tasks = static_cast<std::uint32_t>(from.tasks);
    job.cpu_need = from.cpu_need;
    job.rigid = from.rigid;
    job.submit = from.submit;
    world.jobs.push_back(job);
  }
  std::vector<double> yield(count, 0.0);
  std::vector<Seconds> penalty_until(count, 0.0);
  // Virtual time is counted from the last change of the job's yield or nodes, not from instant to instant: so that two
  // jobs with one history have one priority, to the last bit.
  std::vector<double> base(count, 0.0);
  std::vector<Seconds> since(count, 0.0);
  const auto virtual_time = [&](JobSlot job, Seconds at) {
    const Seconds from = std::max(since[job], penalty_until[job]);
    return world.jobs[job].placed() && at > from ? base[job] + yield[job] * (at - from) : base[job];
  };
  std::size_t arrived = 0;
  std::size_t calls = 0;
  Seconds last_tick = -1;
  const bool periodic = algorithm.periodic != DfrsAlgorithm::Periodic::nothing;

  const auto completion = [&](JobSlot job) {
    if (!world.jobs[job].placed()) return kNever;
    const Seconds end =
        std::max(since[job], penalty_until[job]) + std::max(0.0, instance.jobs[job].run_time - base[job]) / yield[job];
    return std::max(world.now, end);
  };

  const auto call = [&](const Call& what) {
    const World before = world;
    const std::vector<double> old_yield = yield;
    decide(world, algorithm, what, options.period);
    for (JobSlot job : world.order) {
      WorldJob& now = world.jobs[job];
      const WorldJob& old = before.jobs[job];
      if (now.nodes == old.nodes) continue;
      if (!now.placed()) {
        now.state = JobState::paused;
        ++result.jobs[job].pauses;
      } else if (old.placed()) {
        ++result.jobs[job].moves;
        penalty_until[job] = world.now + options.penalty;
      } else if (old.state == JobState::paused) {
        penalty_until[job] = world.now + options.penalty;
        now.state = JobState::running;
      } else {
        result.jobs[job].start = world.now;
        now.state = JobState::running;
      }
    }
    if (log == nullptr) {
      yield = max_min_yields(world);
    } else {
      const YieldLog::Entry& entry = log->entries().at(calls);
      if (std::abs(entry.time - world.now) > 1e-6 * (1 + world.now)) throw std::logic_error("calls at other times");
      yield = entry.yields;
    }
    for (JobSlot job : world.order) {
      if (world.jobs[job].nodes == before.jobs[job].nodes && yield[job] == old_yield[job]) continue;
      base[job] = before.jobs[job].virtual_time;
      since[job] = world.now;
    }
    ++calls;
  };

  for (;;) {
    // The next instant.
    Seconds next = arrived < count ? instance.jobs[arrived].submit : kNever;
    std::vector<Seconds> ends(count, kNever);
    for (JobSlot job : world.order) next = std::min(next, ends[job] = completion(job));
    if (periodic && !world.order.empty()) {
      const bool now_due = is_tick_time(world.now, options.period) && last_tick != world.now;
      next = std::min(next, now_due ? world.now : tick_after(world.now, options.period));
    }
    if (next == kNever) break;
    // Work goes on until then.
    double demand = 0;
    for (JobSlot job : world.order) {
      demand += world.jobs[job].cpu_need * world.jobs[job].tasks;
      world.jobs[job].virtual_time = virtual_time(job, next);
    }
    result.demand += std::min(instance.platform.total_cpu(), demand) * (next - world.now);
    world.now = next;

    const bool was_in_use = !world.order.empty();
    Call what;
    for (JobSlot job = 0; job < count; ++job) {
      if (ends[job] > next) continue;
      what.freed = true;
      result.jobs[job].end = next;
      world.jobs[job].nodes.clear();
      world.jobs[job].state = JobState::absent;
      std::erase(world.order, job);
    }
    const auto arrives_now = [&] { return arrived < count && instance.jobs[arrived].submit <= next; };
    for (; arrives_now(); ++arrived) {
      // Apart: completions first, then one submission per call.
      if (options.events_apart && (what.freed || !what.submitted.empty())) break;
      const auto job = static_cast<JobSlot>(arrived);
      world.jobs[job].state = JobState::waiting;
      world.order.push_back(job);
      what.submitted.push_back(job);
    }
    const bool events = what.freed || !what.submitted.empty();
    const bool due =
        periodic && is_tick_time(next, options.period) && last_tick != next && (was_in_use || !what.submitted.empty());
    if (!options.events_apart) {
      what.tick = due;
    } else if (!events) {
      what.tick = due;
    }
    if (what.tick) last_tick = next;
    call(what);
    // The last job ended at a tick: the product is called once more, which changes nothing.
    if (due && !what.tick && world.order.empty() && !arrives_now()) ++calls;
  }
  return result;
}

namespace {

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

}  // namespace

Simulated simulate_plainly(const sim::Instance& instance, const BatchAlgorithm& algorithm,
                           const SimulatorOptions& options) {
  struct Running {
    std::size_t job;
    Seconds end;       // true one
    Seconds expected;  // by the estimate or the prediction
  };
  Simulated result;
  result.jobs.resize(instance.jobs.size());
  std::vector<Running> running;
  std::vector<std::size_t> queue;
  std::vector<const sim::Job*> history;                // jobs that have ended
  std::vector<Seconds> expects(instance.jobs.size());  // run times, as expected at the submission
  std::size_t arrived = 0;
  int free = static_cast<int>(instance.platform.nodes.size());
  Seconds now = 0;

  const auto tasks = [&](std::size_t job) { return instance.jobs[job].tasks; };
  const auto start = [&](std::size_t job) {
    free -= tasks(job);
    result.jobs[job].start = now;
    running.push_back({job, now + instance.jobs[job].run_time, now + expects[job]});
  };
  // Sorts the queue from there on.
  const auto rank_from = [&](std::size_t from, QueueRank rank) {
    if (!algorithm.ranked() || from >= queue.size()) return;
    std::sort(queue.begin() + static_cast<std::ptrdiff_t>(from), queue.end(), [&](std::size_t a, std::size_t b) {
      const double x = plain_rank(rank, instance.jobs[a], expects[a], now);
      const double y = plain_rank(rank, instance.jobs[b], expects[b], now);
      return x < y || (x == y && a < b);
    });
  };
  const auto pass = [&] {
    rank_from(0, algorithm.head);
    while (!queue.empty() && tasks(queue.front()) <= free) {
      start(queue.front());
      queue.erase(queue.begin());
    }
    if (queue.empty() || algorithm.backfill == BatchAlgorithm::Backfill::none) return;
    // When will the first have its nodes? Step through the times at which jobs should end.
    std::vector<Seconds> times{now};
    for (const Running& r : running) times.push_back(std::max(now, r.expected));
    std::sort(times.begin(), times.end());
    Seconds shadow = kNever;
    int extra = 0;
    for (Seconds t : times) {
      int open = free;
      for (const Running& r : running) open += std::max(now, r.expected) <= t ? tasks(r.job) : 0;
      if (open < tasks(queue.front())) continue;
      shadow = t;
      extra = open - tasks(queue.front());
      break;
    }
    rank_from(1, algorithm.others);
    for (std::size_t k = 1; k < queue.size();) {
      const std::size_t job = queue[k];
      const bool in_time = algorithm.backfill == BatchAlgorithm::Backfill::easy && now + expects[job] <= shadow;
      if (tasks(job) > free || !(in_time || tasks(job) <= extra)) {
        ++k;
        continue;
      }
      if (!in_time) extra -= tasks(job);
      start(job);
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(k));
    }
  };

  for (;;) {
    Seconds next = arrived < instance.jobs.size() ? instance.jobs[arrived].submit : kNever;
    for (const Running& r : running) next = std::min(next, r.end);
    if (next == kNever) break;
    now = next;
    // Jobs that go on longer than was expected of them.
    for (Running& r : running) {
      if (!algorithm.prediction.predicts() || r.end <= now || r.expected > now) continue;
      const Seconds began = result.jobs[r.job].start;
      r.expected =
          began + plain_correction(algorithm.prediction, expects[r.job], now - began, instance.jobs[r.job].estimate);
    }
    // Jobs that end, by number; then submissions.
    std::sort(running.begin(), running.end(), [](const Running& a, const Running& b) { return a.job < b.job; });
    std::vector<Running> ended;
    for (const Running& r : running) {
      if (r.end <= now) ended.push_back(r);
    }
    for (const Running& r : ended) {
      std::erase_if(running, [&](const Running& other) { return other.job == r.job; });
      free += tasks(r.job);
      result.jobs[r.job].end = now;
      history.push_back(&instance.jobs[r.job]);
      if (options.pass_per_event) pass();
    }
    for (; arrived < instance.jobs.size() && instance.jobs[arrived].submit <= now; ++arrived) {
      expects[arrived] = plain_prediction(algorithm.prediction, instance.jobs[arrived], history);
      queue.push_back(arrived);
      if (options.pass_per_event) pass();
    }
    if (!options.pass_per_event) pass();
  }
  return result;
}

}  // namespace dfrs::oracle
