// SPDX-License-Identifier: GPL-2.0-or-later
// The jobs in the simulated system, each in a slot: what policies may know about it, what only the simulator knows, and
// how far it has come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/node_lists.h"
#include "policy/core/view.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// What policies must not see: a job's true run time and CPU use.
struct TrueJob {
  std::uint32_t index = 0;  ///< in Instance::jobs
  PauseEffect pauses = PauseEffect::kept;
  Seconds run_time = 0;
  double cpu_need = 0;
  bool stays = false;  ///< it is not moved while it runs
};

class JobSlots {
 public:
  /// With `reuse`, a slot becomes free after the engine call that reports its job's end, so memory here and in the
  /// policy grows with the jobs in the system and not with the log. Otherwise a job's slot is its index, by which
  /// observers identify jobs.
  /// With `truth_as_estimates`, estimates are true run times whatever users said.
  JobSlots(const Instance& instance, bool reuse, bool truth_as_estimates = false);

  /// Puts a job of the instance into a slot. Call this in the order of the jobs. Amortised O(1).
  JobSlot submit(std::size_t index);
  /// Removes the job from the system. Its slot still shows it, with state absent. O(1).
  void complete(JobSlot job);
  /// Frees the slots of jobs that these events report as completed, if slots are reused.
  void free_completed(std::span<const Event> events);

  /// Sets the nodes of a job, ascending. O(tasks).
  void place(JobSlot job, std::span<const NodeIndex> nodes) {
    std::vector<NodeIndex>& list = nodes_[job];
    spare_.reuse_for(list);
    list.assign(nodes.begin(), nodes.end());
    views_[job].nodes = list;
  }

  /// What pauses do to a job, right after its submission.
  void set_pauses(JobSlot job, PauseEffect pauses) {
    truths_[job].pauses = pauses;
    views_[job].pauses = record::pauses_seen(pauses);
  }

  /// The job is not moved while it runs; once it has been requeued it may run anywhere.
  void set_stays(JobSlot job) { truths_[job].stays = true; }

  JobView& view(JobSlot job) { return views_[job]; }
  const std::vector<JobView>& views() const { return views_; }
  const TrueJob& truth(JobSlot job) const { return truths_[job]; }
  Estimates estimates() const { return {estimates_, reserved_starts_}; }
  std::size_t jobs_in_system() const { return in_system_; }
  /// The earliest submitted job in the system, which must not be empty. O(slots).
  const Job& first_in_system() const;

 private:
  void add_slots(std::size_t count);
  JobSlot take_slot(std::size_t index);

  const Instance& instance_;
  bool reuse_;
  bool truth_as_estimates_;
  std::vector<JobView> views_;
  std::vector<TrueJob> truths_;
  std::vector<std::vector<NodeIndex>> nodes_;
  std::vector<Seconds> estimates_;
  bool reservations_ = false;             // some job has an advance reservation
  std::vector<Seconds> reserved_starts_;  // empty unless reservations_
  std::vector<JobSlot> free_;
  NodeLists spare_;  // of jobs that have completed
  std::size_t in_system_ = 0;
};

/// Progress of jobs: their virtual time, which policies see, and their work, which determines when they end.
///
/// The two are the same as long as no job requests more CPU than it uses. A job that does reaches full speed before its
/// yield reaches 1; from the first such job on, work has separate clocks.
class JobProgress {
 public:
  explicit JobProgress(JobSlots& slots) : slots_(slots) {}

  /// True if the job requests more CPU than it uses.
  static bool asks_too_much(const Job& job) { return job.asked() != job.cpu_need; }
  /// Gives work separate clocks, which start at the jobs' virtual times. O(slots).
  void keep_work_apart() {
    apart_ = true;
    work_.clear();
    for (const JobView& view : slots_.views()) work_.push_back(view.clock);
  }

  /// Call this once the job has a slot. Amortised O(1).
  void submit(JobSlot job, bool too_much) {
    if (too_much && !apart_) keep_work_apart();
    if (!apart_) return;
    if (job >= work_.size()) work_.resize(job + 1);
    work_[job] = {};
  }

  /// Work done so far, in seconds at full speed.
  Seconds done(JobSlot job, Seconds now) { return work(job).at(now); }
  /// The job's work clock; the clock of its view unless work has separate clocks.
  VirtualClock& work(JobSlot job) { return apart_ ? work_[job] : slots_.view(job).clock; }

  /// Stops the job's progress.
  void stop(JobSlot job, Seconds now) {
    set_rate(slots_.view(job).clock, 0, now);
    if (apart_) set_rate(work_[job], 0, now);
  }
  /// Continues the job at another yield, and returns when it ends. A penalty in progress is served to its end.
  Seconds set_yield(JobSlot job, double yield, Seconds now) {
    JobView& view = slots_.view(job);
    set_rate(view.clock, yield, now);
    view.yield = yield;
    return end_of(job, now);
  }
  /// When the job ends at its present speed, which follows from its view's yield and need; infinite at speed 0. Sets
  /// the work clock to that speed.
  Seconds end_of(JobSlot job, Seconds now) {
    const JobView& view = slots_.view(job);
    const TrueJob& truth = slots_.truth(job);
    double speed = view.yield;
    VirtualClock& clock = work(job);
    if (apart_) {
      speed = std::min(1.0, view.yield * view.cpu_need / truth.cpu_need);
      set_rate(clock, speed, now);
      clock.since = std::max(clock.since, view.clock.since);  // a penalty delays both
    }
    const Seconds left = std::max(0.0, truth.run_time - clock.base);
    return std::max(now, clock.since) + left / speed;
  }

 private:
  // Advances the clock to now, then changes its rate.
  static void set_rate(VirtualClock& clock, double rate, Seconds now) {
    if (clock.since < now) {
      clock.base = clock.at(now);
      clock.since = now;
    }
    clock.rate = rate;
  }

  JobSlots& slots_;
  bool apart_ = false;
  std::vector<VirtualClock> work_;  // by slot, if apart_
};

}  // namespace dfrs::sim
