// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/counted.h"
#include "policy/batch/options.h"
#include "policy/core/node_runs.h"
#include "policy/rr7659/options.h"
#include "sim/host/completion_queue.h"
#include "sim/host/cpu_clock.h"
#include "sim/host/held_devices.h"
#include "sim/host/idle_meter.h"
#include "sim/host/job_slots.h"
#include "sim/host/licence_gate.h"
#include "sim/host/lost_work.h"
#include "sim/host/need_discovery.h"
#include "sim/host/offers.h"
#include "sim/host/pile_up.h"
#include "sim/host/stall_guard.h"
#include "sim/host/suspension.h"
#include "sim/host/young_runs.h"

namespace dfrs::sim {
namespace {

// Integrates min(|P|, sum of the CPU needs of all jobs in the system) over time.
class DemandMeter {
 public:
  explicit DemandMeter(double capacity) : capacity_(capacity) {}
  void pass(Seconds length) { node_seconds_ += std::min(capacity_, open_) * length; }
  void add(double cpu) { open_ += cpu; }
  void remove(double cpu) { open_ -= cpu; }
  // Call this when no job is left, so that rounding errors do not accumulate.
  void clear() { open_ = 0; }
  double node_seconds() const { return node_seconds_; }

 private:
  double capacity_;
  double open_ = 0;
  double node_seconds_ = 0;
};

Result<std::unique_ptr<Engine>> make_engine(const Algorithm& algorithm, const SimOptions& options) {
  EngineOptions engine_options = options.engine;
  engine_options.of<DfrsOptions>().ticks_apart = options.events_apart;
  auto engine = Engine::create(algorithm, engine_options);
  if (!engine) return usage_error(engine.error().message);
  return std::move(*engine);
}

bool discovers_needs(const Instance& instance, const Algorithm& algorithm, const SimOptions& options) {
  return options.discover_needs && (!needs_estimates(algorithm) || algorithm.traits.shares_nodes) &&
         std::any_of(instance.jobs.begin(), instance.jobs.end(), JobProgress::asks_too_much);
}

// Number of tasks that changed nodes. Both lists are sorted.
double moved_tasks(std::span<const NodeIndex> before, std::span<const NodeIndex> after) {
  std::size_t common = 0;
  for (std::size_t b = 0, a = 0; b < before.size() && a < after.size();) {
    if (before[b] == after[a]) {
      ++common, ++b, ++a;
    } else {
      (before[b] < after[a] ? b : a)++;
    }
  }
  return static_cast<double>(after.size() - common);
}

// Whether a requeue may end the runs of some jobs.
bool some_requeued(const SimOptions& options) {
  const bool some_keep = options.pauses.marked || options.pauses.kept > 0;
  return options.pauses.some_lose() || (options.lost_work.requeue_kept && some_keep);
}

// Goes from event to event, shows the engine what has happened, and carries out its decisions.
class Simulation {
 public:
  Simulation(const Instance& instance, const Algorithm& algorithm, std::unique_ptr<Engine> engine,
             const SimOptions& options, const Watch& watch)
      : instance_(instance),
        options_(options),
        watch_(watch),
        engine_(std::move(engine)),
        one_by_one_(options.events_apart && algorithm.traits.submissions_apart),
        discovers_(discovers_needs(instance, algorithm, options)),
        slots_(instance, watch.observer == nullptr && !some_requeued(options) && !discovers_,
               algorithm.traits.knows_run_times),
        progress_(slots_),
        young_(options.lost_work.min_progress, slots_),
        gate_(instance),
        demand_(instance.platform.total_cpu()),
        idle_(instance.platform.nodes.size()) {
    engine_->explain(watch.explains);
    nodes_.reserve(instance.platform.nodes.size());
    for (const NodeSpec& spec : instance.platform.nodes) nodes_.push_back({spec, true});
    result_.jobs.reserve(instance.jobs.size());
    if (options.pauses.some_lose()) {
      lost_work_.emplace(options.lost_work, options.restart, slots_, progress_, young_, result_);
    }
    if (options.pauses.some_suspended()) suspension_.emplace(options.swap, instance.platform, slots_);
    // Batch policies pause nothing, so that for them nothing differs.
    const bool pauses = algorithm.traits.shares_nodes || !needs_estimates(algorithm);
    if (suspension_ && pauses && instance.platform.rigid_dims > 1) held_devices_.emplace(instance, slots_, nodes_);
    if (options.lost_work.requeue_kept && some_requeued(options) && algorithm.traits.pauses_for_arrivals) {
      offers_.emplace(slots_);
    }
    if (discovers_) {
      progress_.keep_work_apart();
      discovery_.emplace(instance, options.need_rule, options.need_interval, slots_, progress_);
    }
  }

  RunOutcome run() {
    while (next_event()) {
      if (watch_.completions && !events_.empty()) watch_.completions(completed_, instance_.jobs.size());
      if (events_.empty() && now_ < wake_at_) continue;  // a sample of CPU use that changed no need
      if (lost_work_) lost_work_->update(now_);
      young_.update(now_);
      if (held_devices_ && held_devices_->take_changed()) {
        events_.insert(events_.begin(), Event{EventKind::resync, kNoSlot});
      }
      if (suspension_) suspension_->update(now_);
      const ClusterView view{now_, nodes_, slots_.views(), instance_.platform.rigid_dims};
      const double begun = watch_.policy_times ? thread_cpu_seconds() : 0;
      const auto decided = engine_->step(view, slots_.estimates(), events_);
      if (watch_.policy_times) note_call(thread_cpu_seconds() - begun);
      if (!decided) {
        fail(kExitInternal, fmt::format("{}: at {} s: {}", instance_.name, now_, decided.error().message));
        break;
      }
      if (watch_.observer != nullptr) {
        watch_.observer->on_step(view, events_, **decided);
        if (const Error* const failure = watch_.observer->failure()) {
          error_ = RunError{*failure};
          break;
        }
      }
      apply(**decided);
      if (error_) break;
      if (offers_) offers_->plan(events_, young_.next_end(now_), now_);
      slots_.free_completed(events_);
      ++result_.steps;
    }
    if (error_) return tl::unexpected(*std::move(error_));
    result_.demand = demand_.node_seconds();
    result_.idle_while_waiting = idle_.node_seconds();
    return std::move(result_);
  }

 private:
  // Ends the run: the caller returns, and the loop of run() ends.
  void fail(ExitCode code, std::string message, bool ran_away = false) {
    error_ = RunError{{.code = code, .message = std::move(message)}, ran_away};
  }

  void note_call(double took) {
    result_.policy_seconds += took;
    result_.longest_policy_call = std::max(result_.longest_policy_call, took);
  }

  // Advances to the next instant and gathers its events. False when nothing is left to do, or after fail().
  bool next_event() {
    const std::vector<Job>& jobs = instance_.jobs;
    const Seconds arrival = !admitted_.empty() ? now_ : arrived_ < jobs.size() ? jobs[arrived_].submit : kNever;
    const Seconds next =
        std::max(now_, std::min({arrival, completions_.next_time(), wake_at_, next_look(), next_offer()}));
    if (next == kNever) {
      if (slots_.jobs_in_system() != 0) fail(kExitInput, never_starts_message());
      return false;
    }
    demand_.pass(next - now_);
    idle_.pass(next - now_, slots_.jobs_in_system());
    now_ = next;

    events_.clear();
    while (completions_.next_time() <= now_) complete(completions_.next_job());
    if (next_look() <= now_) discovery_->look(now_, events_);
    while (!error_ && !(one_by_one_ && !events_.empty())) {
      if (admitted_.empty()) {
        if (arrived_ == jobs.size() || jobs[arrived_].submit > now_) break;
        if (gate_.arrive(arrived_++)) submit(arrived_ - 1);
      } else {
        submit(admitted_.front());
        admitted_.erase(admitted_.begin());
      }
    }
    if (offers_ && events_.empty()) offer_again();
    check_progress();
    return !error_;
  }

  // Nodes that have changed are told first, in a call of their own.
  void offer_again() {
    if (next_offer() > now_) return;
    if (held_devices_ && held_devices_->take_changed()) {
      events_.push_back({EventKind::resync, kNoSlot});
    } else if (const JobSlot job = offers_->take(now_); job != kNoSlot) {
      events_.push_back({EventKind::submitted, job});
    }
  }
  Seconds next_offer() const { return offers_ ? offers_->next() : kNever; }

  Seconds next_look() const { return discovers_ ? discovery_->next_look() : kNever; }

  void check_progress() {
    if (!events_.empty()) {
      stall_.progress();
      return;
    }
    if (now_ < wake_at_ || !stall_.tick()) return;
    if (const auto fine = stall_.judge(stall_snapshot()); !fine) {
      fail(kExitInput, fmt::format("{}: {}", instance_.name, fine.error()));
    }
  }

  // O(slots).
  StallSnapshot stall_snapshot() {
    StallSnapshot seen;
    seen.now = now_;
    seen.jobs = slots_.jobs_in_system();
    seen.changes = changes_;
    for (JobSlot job = 0; job < slots_.views().size(); ++job) {
      const JobView& view = slots_.view(job);
      if (view.state == JobState::absent) continue;
      const Seconds done = progress_.done(job, now_);
      seen.done += done;
      seen.left += std::max(0.0, slots_.truth(job).run_time - done);
      if (view.state != JobState::running) continue;
      ++seen.running;
      seen.last_penalty = std::max(seen.last_penalty, view.clock.since);
    }
    return seen;
  }

  // No event is due but jobs are left: the policy cannot start the first of them even on an empty cluster.
  std::string never_starts_message() const {
    const Job& job = slots_.first_in_system();
    const bool packs = options_.engine.of<BatchOptions>().pack_tasks;
    return fmt::format(
        "{}: {}, job {}, has {} on a cluster of {}. Batch policies {}", instance_.name,
        slots_.jobs_in_system() == 1 ? std::string("1 job never starts")
                                     : fmt::format("{} jobs never start; the first of them", slots_.jobs_in_system()),
        job.id, base::counted(static_cast<std::size_t>(job.tasks), "task"), base::counted(nodes_.size(), "node"),
        packs ? "share no CPU, and all nodes together have too little for it"
              : "take a node per task unless they pack tasks (--batch-nodes packed)");
  }

  // "at 50 s 3 jobs are in the system"
  std::string jobs_now() const {
    return fmt::format("at {:.6g} s {} are in the system", now_, base::counted(slots_.jobs_in_system(), "job"));
  }

  std::string ran_away_message() const {
    return fmt::format(
        "{}: ran away: {}, more than the limit, after {} have ended and {} pauses, "
        "moves, starts and resumes. They come faster than they end; a longer period helps policies that repack",
        instance_.name, jobs_now(), completed_, changes_);
  }

  // Ends a run in which jobs pile up, or says that they do.
  void check_pile_up() {
    if (watch_.most_jobs != 0 && slots_.jobs_in_system() > watch_.most_jobs) {
      return fail(kExitInput, ran_away_message(), true);
    }
    const PileUpGuard::Finding finding = pile_up_.judge(slots_.jobs_in_system(), completed_, changes_);
    if (finding == PileUpGuard::Finding::usual) return;
    if (finding == PileUpGuard::Finding::runs_away && watch_.ends_pile_ups) {
      constexpr const char* kWhy =
          "{}: ran away: {}, and while they doubled there were {:.0f} pauses, moves, starts and resumes per job "
          "submitted. They come faster than they end; a longer period helps policies that repack, and --most-jobs none "
          "lets the run go on, for hours";
      return fail(kExitInput, fmt::format(kWhy, instance_.name, jobs_now(), pile_up_.changes_per_job()), true);
    }
    if (watch_.warn) {
      watch_.warn(fmt::format("{}: {}, after {} have ended; --most-jobs N ends a run in which jobs pile up",
                              instance_.name, jobs_now(), completed_));
    }
  }

  void submit(std::size_t index) {
    const Job& job = instance_.jobs[index];
    const JobSlot slot = slots_.submit(index);
    PauseEffect pauses = pauses_of(job, options_.pauses);
    if (pauses == PauseEffect::lost && options_.lost_work.max_lost_runs == 0) pauses = PauseEffect::none;
    slots_.set_pauses(slot, pauses);
    if (pauses == PauseEffect::suspended) suspension_->submit(slot);
    if (options_.devices_stay && holds_devices(job)) slots_.set_stays(slot);
    progress_.submit(slot, JobProgress::asks_too_much(job));
    if (result_.jobs.size() <= index) result_.jobs.resize(index + 1);
    demand_.add(job.cpu_need * job.tasks);
    events_.push_back({EventKind::submitted, slot});
    check_pile_up();
  }

  void complete(JobSlot job) {
    completions_.remove(job);
    idle_.leave(slots_.view(job).nodes);
    demand_.remove(slots_.truth(job).cpu_need * slots_.view(job).tasks);
    if (pauses(job) == PauseEffect::suspended) {
      suspension_->complete(job);
      if (held_devices_) held_devices_->complete(job);
    }
    slots_.complete(job);
    gate_.leave(slots_.truth(job).index, admitted_);
    if (slots_.jobs_in_system() == 0) demand_.clear();
    record_of(job).end = now_;
    ++completed_;
    events_.push_back({EventKind::completed, job});
  }

  JobRecord& record_of(JobSlot job) { return result_.jobs[slots_.truth(job).index]; }

  void apply(const Decisions& decisions) {
    for (const Decision& decision : decisions.placements) apply(decision, decisions.nodes_of(decision));
    for (const YieldChange& change : decisions.yields) {
      expect_end(change.job, progress_.set_yield(change.job, change.yield, now_));
    }
    for (const Event& event : events_) {  // at another need, the same yield is another speed
      if (event.kind == EventKind::changed && slots_.view(event.job).state == JobState::running) {
        expect_end(event.job, progress_.end_of(event.job, now_));
      }
    }
    if (discovers_) {
      for (const Decision& decision : decisions.placements) {
        if (decision.kind != DecisionKind::pause) discovery_->watch(decision.job, now_);
      }
    }
    wake_at_ = decisions.wake_at;
  }

  void apply(const Decision& decision, std::span<const NodeIndex> nodes) {
    ++changes_;
    progress_.stop(decision.job, now_);
    if (decision.kind == DecisionKind::pause || decision.kind == DecisionKind::move) {
      idle_.leave(slots_.view(decision.job).nodes);
    }
    if (decision.kind != DecisionKind::pause) idle_.place(nodes);
    switch (decision.kind) {
      case DecisionKind::pause:
        pause(decision.job);
        break;
      case DecisionKind::move:
        move(decision.job, nodes);
        break;
      case DecisionKind::resume:
        resume(decision.job);
        break;
      case DecisionKind::start:
        start(decision.job);
        break;
    }
    const PauseEffect effect = pauses(decision.job);
    // A suspended job goes on to show its nodes.
    if (decision.kind != DecisionKind::pause || effect != PauseEffect::suspended) slots_.place(decision.job, nodes);
    if (effect == PauseEffect::suspended) suspend(decision);
    if (options_.swap_rate > 0 && decision.kind != DecisionKind::pause && keeps_work(effect)) {
      slots_.view(decision.job).penalty = swap_time(slots_.view(decision.job));
    }
  }

  static bool keeps_work(PauseEffect effect) { return effect == PauseEffect::kept || effect == PauseEffect::suspended; }

  void suspend(const Decision& decision) {
    if (decision.kind == DecisionKind::start) {
      suspension_->start(decision.job);
      if (held_devices_) held_devices_->start(decision.job);
    }
    if (decision.kind == DecisionKind::pause && !suspension_->pause(decision.job)) {
      fail(kExitInternal,
           fmt::format("job {} is suspended where its nodes have no swap for it", slots_.view(decision.job).id));
    }
    if (decision.kind == DecisionKind::resume) suspension_->resume(decision.job);
  }

  PauseEffect pauses(JobSlot job) const { return slots_.truth(job).pauses; }
  bool is_requeued_with_its_work(JobSlot job) const {
    return options_.lost_work.requeue_kept && pauses(job) == PauseEffect::kept;
  }

  // To write the job's memory, to read it back and to start again; nodes work in parallel, so the one with most of it
  // decides.
  Seconds swap_time(const JobView& job) const {
    std::uint32_t most = 0;
    each_node_run(job.nodes, [&](NodeIndex, std::uint32_t tasks) { most = std::max(most, tasks); });
    return options_.restart + 2 * static_cast<double>(job.rigid[kMemory]) * most / options_.swap_rate;
  }

  void pause(JobSlot job) {
    JobView& view = slots_.view(job);
    view.state = JobState::paused;
    view.yield = 0;
    ++record_of(job).pauses;
    completions_.remove(job);
    if (pauses(job) == PauseEffect::lost) {
      lost_work_->end(job);
    } else {
      result_.paused_mib += static_cast<double>(view.rigid[kMemory]) * view.tasks;
    }
    if (pauses(job) != PauseEffect::suspended) view.flags = {};
  }

  void move(JobSlot job, std::span<const NodeIndex> nodes) {
    const JobView& view = slots_.view(job);
    ++record_of(job).moves;
    if (pauses(job) == PauseEffect::lost) {
      lost_work_->restart(job);
      stand_still(job, options_.restart);
    } else {
      serve_penalty(job);
      if (is_requeued_with_its_work(job)) young_.begin(job);
      result_.moved_mib += static_cast<double>(view.rigid[kMemory]) * moved_tasks(view.nodes, nodes);
    }
  }

  void resume(JobSlot job) {
    slots_.view(job).state = JobState::running;
    if (slots_.truth(job).stays) slots_.view(job).flags.may_not_move = true;
    if (pauses(job) == PauseEffect::lost) {
      lost_work_->begin(job);
      stand_still(job, options_.restart);
    } else {
      serve_penalty(job);
      if (is_requeued_with_its_work(job)) young_.begin(job);
    }
  }

  void start(JobSlot job) {
    slots_.view(job).state = JobState::running;
    record_of(job).start = now_;
    if (slots_.truth(job).stays) slots_.view(job).flags.may_not_move = true;
    if (pauses(job) == PauseEffect::lost) lost_work_->begin(job);
    if (is_requeued_with_its_work(job)) young_.begin(job);
    if (pauses(job) == PauseEffect::none) {
      JobFlags& flags = slots_.view(job).flags;
      flags.may_not_pause = flags.may_not_move = true;
    }
  }

  // With a swap rate the view has what leaving the present or last nodes costs.
  void serve_penalty(JobSlot job) {
    stand_still(job, options_.swap_rate > 0 ? slots_.view(job).penalty : options_.penalty);
  }

  void stand_still(JobSlot job, Seconds time) { slots_.view(job).clock.since = now_ + time; }

  void expect_end(JobSlot job, Seconds end) { completions_.set(job, end, slots_.truth(job).index); }

  const Instance& instance_;
  const SimOptions& options_;
  const Watch& watch_;
  std::unique_ptr<Engine> engine_;
  bool one_by_one_;  // each submission of an instant gets its own call
  bool discovers_;
  std::vector<NodeView> nodes_;
  JobSlots slots_;
  JobProgress progress_;
  YoungRuns young_;
  LicenceGate gate_;
  CompletionQueue completions_;
  DemandMeter demand_;
  IdleMeter idle_;
  StallGuard stall_;
  PileUpGuard pile_up_;
  std::uint64_t changes_ = 0;                // pauses, moves, starts and resumes
  std::optional<LostWork> lost_work_;        // if jobs may lose work
  std::optional<Suspension> suspension_;     // if jobs may be suspended
  std::optional<HeldDevices> held_devices_;  // if these may hold more than memory
  std::optional<Offers> offers_;             // if the policy pauses for arrivals, and runs may be too young
  std::optional<NeedDiscovery> discovery_;   // if discovers_
  std::vector<Event> events_;
  std::vector<std::size_t> admitted_;  // jobs that have got their licences, and are to be shown to the policy
  Seconds now_ = 0;
  Seconds wake_at_ = kNever;
  std::size_t arrived_ = 0;
  std::size_t completed_ = 0;
  RunResult result_;
  std::optional<RunError> error_;
};

}  // namespace

PauseEffect pauses_of(const Job& job, const PauseWorld& world) {
  if (world.marked) return job.pauses.value_or(world.others);
  if (world.kept >= 1) return PauseEffect::kept;  // no need to draw
  const bool kept =
      record::pause_draw(world.seed, job.id, static_cast<std::uint64_t>(job.tasks), job.run_time) < world.kept;
  return kept ? PauseEffect::kept : world.others;
}

RunOutcome simulate(const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
                    const Watch& watch) {
  const auto has_mark = [](const Job& job) { return job.pauses.has_value(); };
  if (options.pauses.marked && std::none_of(instance.jobs.begin(), instance.jobs.end(), has_mark)) {
    const std::string why = fmt::format(
        "{}: no job is marked, and --pauses {} goes by marks: give a dfrs-trace with '; Pauses: yes', "
        "accounting with Comment, or a part X to draw",
        instance.name, world_text(options.pauses));
    return tl::unexpected(RunError{{.code = kExitInput, .message = why}});
  }
  auto engine = make_engine(algorithm, options);
  if (!engine) return tl::unexpected(RunError{std::move(engine).error()});
  return Simulation(instance, algorithm, *std::move(engine), options, watch).run();
}

}  // namespace dfrs::sim
