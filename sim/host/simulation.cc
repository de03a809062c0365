// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/core/node_lists.h"
#include "policy/rr7659/options.h"
#include "sim/errors.h"
#include "sim/host/completion_queue.h"

namespace dfrs::sim {
namespace {

// So many calls of the engine without a completion or a submission mean that none will come: pauses and moves eat all
// progress, which a period no longer than the penalty can bring about (RR-7659, section 6.4.2).
constexpr std::uint64_t kMaxBarrenSteps = 1'000'000;

class Simulation {
 public:
  Simulation(const Instance& instance, const Algorithm& algorithm, const SimOptions& options, StepObserver* observer)
      : instance_(instance), options_(options), observer_(observer) {
    EngineOptions engine_options = options.engine;
    engine_options.of<DfrsOptions>().ticks_apart = options.events_apart;
    one_by_one_ = options.events_apart && algorithm.traits.submissions_apart;
    auto engine = Engine::create(algorithm, engine_options);
    if (!engine) throw UsageError(engine.error().message);
    engine_ = std::move(*engine);

    nodes_.reserve(instance.platform.nodes.size());
    for (const NodeSpec& spec : instance.platform.nodes) nodes_.push_back({spec, true});
    discover_ = options.discover_needs && !needs_estimates(algorithm) &&
                std::any_of(instance.jobs.begin(), instance.jobs.end(), asks_too_much);
    asks_too_much_ = discover_;
    result_.jobs.reserve(instance.jobs.size());
    capacity_ = instance.platform.total_cpu();
    reuses_slots_ = observer == nullptr && !loses_work() && !discover_;
    if (!reuses_slots_) add_slots(instance.jobs.size());
  }

  RunResult run() {
    while (next_event()) {
      if (events_.empty() && now_ < wake_at_) continue;  // it was a look at needs that showed nothing new
      if (loses_work()) release_runs();
      const ClusterView view{now_, nodes_, views_, instance_.platform.rigid_dims};
      const auto decided = engine_->step(view, Estimates{run_times_, reserved_starts_}, events_);
      if (!decided) {
        throw Failure(kExitInternal, fmt::format("{}: at {} s: {}", instance_.name, now_, decided.error().message));
      }
      if (observer_ != nullptr) observer_->on_step(view, events_, **decided);
      apply(**decided);
      if (reuses_slots_) free_slots();
      ++result_.steps;
    }
    return std::move(result_);
  }

 private:
  // Advances to the next instant and gathers its events. False when all is done.
  bool next_event() {
    const std::vector<Job>& jobs = instance_.jobs;
    const Seconds arrival = arrived_ < jobs.size() ? jobs[arrived_].submit : kNever;
    const Seconds next = std::max(now_, std::min({arrival, completions_.next_time(), wake_at_, next_look_}));
    if (next == kNever) {
      if (in_system_ != 0) throw InputError(why_stuck());
      return false;
    }
    result_.demand += std::min(capacity_, demand_) * (next - now_);
    now_ = next;

    events_.clear();
    while (completions_.next_time() <= now_) complete(completions_.next_job());
    if (next_look_ <= now_) look_at_needs();
    while (arrived_ < jobs.size() && jobs[arrived_].submit <= now_ && !(one_by_one_ && !events_.empty())) {
      submit(arrived_++);
    }
    barren_steps_ = !events_.empty() ? 0 : now_ < wake_at_ ? barren_steps_ : barren_steps_ + 1;
    if (barren_steps_ > kMaxBarrenSteps) {
      throw InputError(
          fmt::format("{}: no job has completed in the {} scheduling events up to {} s: pauses and moves "
                      "eat all progress; a period well above the penalty helps",
                      instance_.name, kMaxBarrenSteps, now_));
    }
    return true;
  }

  // Nothing will happen any more, and jobs are left: the policy cannot run the first of them even on an empty cluster.
  std::string why_stuck() const {
    std::size_t first = instance_.jobs.size();
    for (JobSlot slot = 0; slot < views_.size(); ++slot) {
      if (views_[slot].state != JobState::absent) first = std::min<std::size_t>(first, hidden_[slot].index);
    }
    const Job& job = instance_.jobs[first];
    return fmt::format(
        "{}: {} jobs never start; the first of them, job {}, has {} tasks on a cluster of {} nodes. Batch policies "
        "take "
        "a node per task unless they pack tasks (--batch-nodes packed)",
        instance_.name, in_system_, job.id, job.tasks, nodes_.size());
  }

  // ---- slots
  //
  // A slot is used again when the call that was told of its job's end is over: what is kept by slot, here and in the
  // policy, is then as large as the jobs that are in the system at a time, and not as the log. Where the order of slots
  // can be seen - by observers, who know jobs by it, and in sums over what a call decides - a job's slot is its index.

  void add_slots(std::size_t count) {
    views_.resize(views_.size() + count);
    hidden_.resize(views_.size());
    run_times_.resize(views_.size());
    if (reserved_) reserved_starts_.resize(views_.size());
    if (asks_too_much_) work_.resize(views_.size());
    if (discover_) watched_.resize(views_.size());
  }

  JobSlot take_slot(std::size_t index) {
    if (!reuses_slots_) return static_cast<JobSlot>(index);
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<JobSlot>(views_.size()));
      add_slots(1);
    }
    const JobSlot slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  void free_slots() {
    for (const Event& event : events_) {
      if (event.kind == EventKind::completed) free_slots_.push_back(event.job);
    }
  }

  void submit(std::size_t index) {
    const Job& job = instance_.jobs[index];
    const JobSlot slot = take_slot(index);
    if (!asks_too_much_ && asks_too_much(job)) keep_work_apart();
    if (!reserved_ && job.reserved_start > job.submit) {
      reserved_ = true;
      reserved_starts_.resize(views_.size());
    }
    JobView& view = views_[slot] = JobView{};
    view.id = job.id;
    view.state = JobState::waiting;
    view.tasks = static_cast<std::uint32_t>(job.tasks);
    view.cpu_need = job.asked();
    view.rigid = job.rigid;
    view.submit = job.submit;
    view.weight = job.weight;
    result_.jobs.emplace_back();
    Hidden& hidden = hidden_[slot];
    hidden.index = static_cast<std::uint32_t>(index);
    hidden.run_time = job.run_time;
    hidden.cpu_need = job.cpu_need;
    run_times_[slot] = job.estimate;
    if (reserved_) reserved_starts_[slot] = job.reserved_start;
    if (asks_too_much_) work_[slot] = {};
    demand_ += job.cpu_need * view.tasks;
    ++in_system_;
    events_.push_back({EventKind::submitted, slot});
  }

  void complete(JobSlot job) {
    completions_.remove(job);
    JobView& view = views_[job];
    view.state = JobState::absent;
    view.flags = {};
    view.nodes = {};
    spare_.recycle(hidden_[job].nodes);
    demand_ -= hidden_[job].cpu_need * view.tasks;
    if (--in_system_ == 0) demand_ = 0;
    record_of(job).end = now_;
    events_.push_back({EventKind::completed, job});
  }

  JobRecord& record_of(JobSlot job) { return result_.jobs[hidden_[job].index]; }

  void apply(const Decisions& decisions) {
    for (const Decision& decision : decisions.placements) apply(decisions, decision);
    for (const YieldChange& change : decisions.yields) {
      JobView& view = views_[change.job];
      set_rate(view, change.yield);
      view.yield = change.yield;
      expect_end(change.job);
    }
    for (const Event& event : events_) {  // at the same yield of another need
      if (event.kind == EventKind::changed && views_[event.job].state == JobState::running) expect_end(event.job);
    }
    if (discover_) {
      for (const Decision& decision : decisions.placements) {
        if (decision.kind != DecisionKind::pause) watch(decision.job, std::max(now_, views_[decision.job].clock.since));
      }
    }
    wake_at_ = decisions.wake_at;
  }

  void apply(const Decisions& decisions, const Decision& decision) {
    JobView& view = views_[decision.job];
    JobRecord& record = record_of(decision.job);
    std::vector<NodeIndex>& placement = hidden_[decision.job].nodes;
    const std::span<const NodeIndex> nodes = decisions.nodes_of(decision);
    const auto memory = static_cast<double>(view.rigid[kMemory]);
    set_rate(view, 0);
    if (asks_too_much_) set_rate(work_[decision.job], 0);
    switch (decision.kind) {
      case DecisionKind::pause:
        view.state = JobState::paused;
        view.yield = 0;
        ++record.pauses;
        completions_.remove(decision.job);
        if (loses_work()) {
          lose_run(decision.job);
          view.flags = {};
        } else {
          result_.paused_mib += memory * view.tasks;
        }
        break;
      case DecisionKind::move:
        ++record.moves;
        if (loses_work()) {
          lose_run(decision.job);
          begin_run(decision.job);
        } else {
          view.clock.since = now_ + options_.penalty;
          result_.moved_mib += memory * moved_tasks(placement, nodes);
        }
        break;
      case DecisionKind::resume:
        view.state = JobState::running;
        if (loses_work()) {
          begin_run(decision.job);
          runs_.push_back(decision.job);
        } else {
          view.clock.since = now_ + options_.penalty;
        }
        break;
      case DecisionKind::start:
        view.state = JobState::running;
        record.start = now_;
        if (loses_work()) {
          begin_run(decision.job);
          runs_.push_back(decision.job);
        }
        break;
    }
    spare_.reuse_for(placement);
    placement.assign(nodes.begin(), nodes.end());
    view.nodes = placement;
  }

  bool loses_work() const { return options_.paused_work == PausedWork::kLost; }

  // A run that has just begun may not be ended until it has got somewhere, the last one that a job may have never.
  void begin_run(JobSlot job) {
    JobView& view = views_[job];
    view.penalty = 0;
    view.flags.may_not_pause = view.flags.may_not_move = true;
    if (record_of(job).lost_runs < options_.lost_work.max_lost_runs) young_runs_.push_back(job);
  }

  // Lets go of the runs that have got far enough, and says what ending them would cost.
  void release_runs() {
    std::erase_if(runs_, [&](JobSlot job) {
      JobView& view = views_[job];
      const bool runs = view.state == JobState::running;
      view.penalty = runs ? view.clock.at(now_) : 0;
      return !runs;
    });
    std::erase_if(young_runs_, [&](JobSlot job) {
      JobView& view = views_[job];
      if (view.state != JobState::running) return true;  // it has completed
      if (view.clock.at(now_) < options_.lost_work.min_progress) return false;
      view.flags = {};
      return true;
    });
  }

  void lose_run(JobSlot job) {
    JobView& view = views_[job];
    JobRecord& record = record_of(job);
    if (view.clock.base > 0) {
      ++record.lost_runs;
      record.lost_time += view.clock.base;
      result_.lost_work += work_of(job).base * hidden_[job].cpu_need * view.tasks;
    }
    view.clock.base = 0;
    work_of(job).base = 0;
  }

  // Brings the job's virtual time up to now and lets it go on at another rate; a penalty goes on to its end.
  void set_rate(JobView& view, double rate) { set_rate(view.clock, rate); }
  void set_rate(VirtualClock& clock, double rate) const {
    if (clock.since < now_) {
      clock.base = clock.at(now_);
      clock.since = now_;
    }
    clock.rate = rate;
  }

  static bool asks_too_much(const Job& job) { return job.asked() != job.cpu_need; }
  // From the first job on that asks for more CPU than it needs. All before did what their virtual time says.
  void keep_work_apart() {
    asks_too_much_ = true;
    work_.clear();
    for (const JobView& view : views_) work_.push_back(view.clock);
  }

  // What a job has done, where that is not its virtual time: a job that was given more CPU than it can use is at full
  // speed with less than all of it.
  VirtualClock& work_of(JobSlot job) { return asks_too_much_ ? work_[job] : views_[job].clock; }

  void expect_end(JobSlot job) {
    const JobView& view = views_[job];
    double speed = view.yield;
    VirtualClock& work = work_of(job);
    if (asks_too_much_) {
      speed = std::min(1.0, view.yield * view.cpu_need / hidden_[job].cpu_need);
      set_rate(work, speed);
      work.since = std::max(work.since, view.clock.since);  // a penalty is one of both
    }
    const Seconds left = std::max(0.0, hidden_[job].run_time - work.base);
    completions_.set(job, std::max(now_, work.since) + left / speed, hidden_[job].index);
  }

  // ---- needs (policy/core/measured_need.h)

  struct Watched {
    MeasuredNeed need;
    bool listed = false;
    Seconds since = 0;  // the last look, or the beginning of the run
    Seconds virtual_time = 0;
    Seconds work = 0;
  };

  void watch(JobSlot job, Seconds since) {
    Watched& watched = watched_[job];
    watched.since = since;
    watched.virtual_time = views_[job].clock.at(now_);
    watched.work = work_[job].at(now_);
    if (!watched.listed) watched_jobs_.push_back(job);
    watched.listed = true;
    if (next_look_ == kNever) next_look_ = now_ + options_.need_interval;
  }

  void look_at_needs() {
    std::erase_if(watched_jobs_, [&](JobSlot job) {
      JobView& view = views_[job];
      Watched& watched = watched_[job];
      if (view.state != JobState::running) {
        watched.listed = false;
        return true;
      }
      const Seconds length = now_ - watched.since;
      if (!(length > 0)) return false;  // it serves its penalty
      // As a node agent has it: CPU seconds used, and what the quotas came to.
      const double asked = instance_.jobs[hidden_[job].index].asked();
      const double used = (work_[job].at(now_) - watched.work) * hidden_[job].cpu_need / asked;
      const double given = (view.clock.at(now_) - watched.virtual_time) * view.cpu_need / asked;
      if (watched.need.sample(used / length, given / length, length, options_.need_rule)) {
        view.cpu_need = asked * watched.need.need();
        events_.push_back({EventKind::changed, job});
      }
      watch(job, now_);
      return false;
    });
    next_look_ = watched_jobs_.empty() ? kNever : now_ + options_.need_interval;
  }

  static double moved_tasks(std::span<const NodeIndex> before, std::span<const NodeIndex> after) {
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

  // What a job's view must not tell, and where it keeps its nodes.
  struct Hidden {
    std::uint32_t index = 0;  // in Instance::jobs
    Seconds run_time = 0;
    double cpu_need = 0;
    std::vector<NodeIndex> nodes;
  };

  const Instance& instance_;
  const SimOptions& options_;
  StepObserver* observer_;
  std::unique_ptr<Engine> engine_;
  std::vector<NodeView> nodes_;
  bool reuses_slots_ = false;
  std::vector<JobSlot> free_slots_;
  std::vector<JobView> views_;
  std::vector<Hidden> hidden_;
  NodeLists spare_;                       // of jobs that have completed
  std::vector<Seconds> run_times_;        // the users' estimates
  std::vector<Seconds> reserved_starts_;  // empty without advance reservations
  bool reserved_ = false;
  CompletionQueue completions_;
  bool one_by_one_ = false;
  std::vector<Event> events_;
  Seconds now_ = 0;
  Seconds wake_at_ = kNever;
  std::size_t arrived_ = 0;
  std::size_t in_system_ = 0;
  double capacity_ = 0;
  double demand_ = 0;
  std::vector<JobSlot> runs_;        // PausedWork::kLost: all that run
  std::vector<JobSlot> young_runs_;  // PausedWork::kLost: not yet at min_progress
  std::uint64_t barren_steps_ = 0;
  bool asks_too_much_ = false;      // some job asks for more CPU than it needs
  std::vector<VirtualClock> work_;  // if so: what jobs have done at full speed
  bool discover_ = false;
  std::vector<Watched> watched_;       // with discovery, by slot
  std::vector<JobSlot> watched_jobs_;  // those that ran at the last look, and those that began since
  Seconds next_look_ = kNever;
  RunResult result_;
};

}  // namespace

RunResult simulate(const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
                   StepObserver* observer) {
  return Simulation(instance, algorithm, options, observer).run();
}

}  // namespace dfrs::sim
