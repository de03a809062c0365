// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "policy/rr7659/options.h"

namespace dfrs::sim {
namespace {

// Bounds of the trace format (docs/reference/trace-format.md).
constexpr Seconds kMaxTime = 1e10;
constexpr double kMinNeed = 1e-6;
constexpr double kMaxNeed = 1e6;

// What is known about the job in a slot.
struct Follower {
  bool here = false;
  Job job;
  JobRecord record;
  bool started = false;
  bool from_before = false;  // was in the system when the record began
  bool tied = false;         // was to run on its nodes only when last shown as one with nodes that keeps its work
  bool found_swap = false;   // was first shown as one that is never paused, and later as one that keeps its work
  bool lost_swap = false;    // the other way round
  VirtualClock clock;        // as last shown
  JobState state = JobState::absent;
};

class Collector {
 public:
  explicit Collector(record::RecordReader& reader) : reader_(reader) {}

  Result<RecordedRun> run(const std::string& name) {
    bool first = true;
    for (;;) {
      const auto more = reader_.next();
      if (!more) return tl::unexpected(record_error(more.error()));
      if (!*more) break;
      step(first);
      first = false;
    }
    RecordedRun run;
    run.setup = reader_.setup();
    run.instance.name = name;
    return finish(run).map([&] { return std::move(run); });
  }

 private:
  void step(bool first) {
    const ClusterView view = reader_.view();
    take_nodes(view);
    bool resync = false;
    std::unordered_set<JobSlot> completed;
    std::unordered_set<JobSlot> submitted;
    for (const Event& event : reader_.events()) {
      resync = resync || event.kind == EventKind::resync;
      if (event.kind == EventKind::completed) completed.insert(event.job);
      if (event.kind == EventKind::submitted) submitted.insert(event.job);
    }
    slots_.resize(std::max(slots_.size(), view.jobs.size()));
    for (JobSlot slot = 0; slot < slots_.size(); ++slot) {
      Follower& follower = slots_[slot];
      const JobView* job = slot < view.jobs.size() ? &view.jobs[slot] : nullptr;
      const bool same = job != nullptr && job->id == follower.job.id;
      if (follower.here && (!same || job->state == JobState::absent)) {
        // A resync restarts the view, so jobs that ended before it have no completion event.
        const bool ended = completed.contains(slot) || (resync && follower.state == JobState::running);
        leave(follower, view.now, same ? job : nullptr, ended);
      }
      if (job == nullptr || job->state == JobState::absent) continue;
      if (!follower.here) arrive(follower, *job, first && !submitted.contains(slot));
      follow(follower, *job, slot, view.now);
    }
    const auto outcome = reader_.outcome();
    if (!outcome) return;
    for (const Decision& decision : (*outcome)->placements) {
      Follower& follower = slots_[decision.job];
      if (!follower.here) continue;
      if (decision.kind == DecisionKind::pause) ++follower.record.pauses;
      if (decision.kind == DecisionKind::move) ++follower.record.moves;
      if (decision.kind == DecisionKind::start && !follower.started) {
        follower.started = true;
        follower.record.start = view.now;
      }
    }
  }

  void take_nodes(const ClusterView& view) {
    rigid_dims_ = std::max(rigid_dims_, view.rigid_dims);
    nodes_.resize(std::max(nodes_.size(), view.nodes.size()), NodeSpec{0, {}});
    for (std::size_t n = 0; n < view.nodes.size(); ++n) {
      const NodeView& node = view.nodes[n];
      if (!node.usable) {
        nodes_change_ = nodes_change_ || nodes_[n].cpu > 0;
        continue;
      }
      NodeSpec& most = nodes_[n];
      const bool same = most.cpu == node.spec.cpu && most.rigid[kMemory] == node.spec.rigid[kMemory];
      if (most.cpu > 0 && !same) nodes_change_ = true;
      most.cpu = std::max(most.cpu, node.spec.cpu);
      for (std::size_t k = 0; k < kMaxRigid; ++k) most.rigid[k] = std::max(most.rigid[k], node.spec.rigid[k]);
    }
  }

  void arrive(Follower& follower, const JobView& job, bool from_before) {
    follower = {};
    follower.here = true;
    follower.from_before = from_before;
    follower.job.id = job.id;
    follower.job.submit = job.submit;
    if (job.state != JobState::waiting) {  // it started before the record began
      follower.started = true;
      follower.record.start = std::max(job.submit, std::min(job.clock.since, reader_.view().now));
    }
  }

  void follow(Follower& follower, const JobView& job, JobSlot slot, Seconds now) {
    follower.clock = job.clock;
    follower.state = job.state;
    follower.job.submit = std::min(job.submit, now);
    follower.job.tasks = static_cast<int>(job.tasks);
    follower.job.cpu_need = std::clamp(job.cpu_need, kMinNeed, kMaxNeed);
    // A job that keeps its GPUs while it is suspended is shown as one that needs no more of them (held_devices.h).
    RigidVector& needed = follower.job.rigid;
    needed[kMemory] = job.rigid[kMemory];
    for (std::size_t k = 0; k < kMaxRigid; ++k) needed[k] = std::max(needed[k], job.rigid[k]);
    follower.job.user = job.user;
    const auto estimates = reader_.estimates().run_time;
    follower.job.estimate = slot < estimates.size() ? estimates[slot] : kNever;
    if (job.state == JobState::running && !follower.started) {
      follower.started = true;
      follower.record.start = now;
    }
    if (job.eligible != nullptr) restricted_.insert(job.id);
    // Its mark is what the host said first: a job that has lost enough runs is not paused any more.
    if (!follower.job.pauses) follower.job.pauses = effect_of(job.pauses);
    if (job.state != JobState::waiting && job.pauses == Pauses::kept) follower.tied = job.flags.may_not_move;
    // A job that may be suspended may not always be paused: its nodes may lack swap.
    if (job.pauses == Pauses::kept && follower.job.pauses == PauseEffect::none) follower.found_swap = true;
    if (job.pauses == Pauses::none && follower.job.pauses == PauseEffect::kept) follower.lost_swap = true;
    const bool unexplained = follower.job.pauses == PauseEffect::kept && job.flags.may_not_pause && !follower.tied;
    if (unexplained || job.flags.exclusive) flagged_.insert(job.id);
    if (job.flags.may_not_pause || job.pauses == Pauses::none) hindered_.insert(job.id);
  }

  // Where swap is limited, the views of a simulation say of suspended jobs at times that they are never paused.
  static bool is_suspended(const Follower& follower, const record::EngineSetup& setup) {
    if (follower.tied || follower.found_swap || all_suspended(setup)) return true;
    if (!setup.host || !setup.host->pauses.some_suspended()) return false;
    return follower.lost_swap || (!setup.host->pauses.marked && follower.job.pauses == PauseEffect::none);
  }

  static PauseEffect effect_of(Pauses pauses) {
    return pauses == Pauses::lost ? PauseEffect::lost : pauses == Pauses::none ? PauseEffect::none : PauseEffect::kept;
  }

  // In a world where all jobs are suspended, some end before a view could show it.
  static bool all_suspended(const record::EngineSetup& setup) {
    return setup.host && setup.host->pauses == PauseWorld::all(PauseEffect::suspended);
  }

  void leave(Follower& follower, Seconds now, const JobView* shown, bool ended) {
    follower.here = false;
    Seconds progress = follower.clock.at(now);
    // The host may have stopped the clock at the true end of the job.
    if (shown != nullptr && shown->clock.at(now) >= follower.clock.base) progress = shown->clock.at(now);
    if (!ended || progress <= 0) {
      ++(ended ? never_ran_ : lost_sight_of_);
      return;
    }
    follower.job.run_time = std::min(progress, kMaxTime);
    if (!(follower.job.estimate <= kMaxTime) || follower.job.estimate < 0)
      follower.job.estimate = follower.job.run_time;
    follower.record.end = now;
    follower.record.start = std::clamp(follower.record.start, follower.job.submit, now);
    from_before_ += follower.from_before ? 1 : 0;
    jobs_.push_back(follower);
  }

  Result<void> finish(RecordedRun& run) {
    std::vector<std::string>& notes = run.notes;
    const auto note = [&](std::size_t count, const char* one, const char* many) {
      if (count != 0) notes.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
    };
    const auto still = static_cast<std::size_t>(
        std::count_if(slots_.begin(), slots_.end(), [](const Follower& follower) { return follower.here; }));
    if (jobs_.empty()) {
      return input_error(
          fmt::format("{}: no job completed within this record ({} were there at its end): there is nothing "
                      "to simulate",
                      run.instance.name, still));
    }
    note(still, "job that had not completed at the end of the record is left out",
         "jobs that had not completed at the end of the record are left out");
    note(never_ran_, "job that left without having run is left out", "jobs that left without having run are left out");
    note(lost_sight_of_, "job that left while it waited or was paused is left out",
         "jobs that left while they waited or were paused are left out");
    note(from_before_, "job was submitted before the record began", "jobs were submitted before the record began");
    note(restricted_.size(), "job could use some nodes only: simulated as if all were open to it",
         "jobs could use some nodes only: simulated as if all were open to them");
    note(flagged_.size(), "job could not be paused or moved, or had its nodes to itself: simulated without that",
         "jobs could not be paused or moved, or had their nodes to themselves: simulated without that");
    if (!run.setup.host) {  // a simulation's swap is known
      const auto lacked = std::count_if(jobs_.begin(), jobs_.end(), [&](const Follower& f) {
        return is_suspended(f, run.setup) && hindered_.contains(f.job.id);
      });
      note(static_cast<std::size_t>(lacked),
           "job could at times not be suspended: simulated with swap for it, unless --swap is given",
           "jobs could at times not be suspended: simulated with swap for them, unless --swap is given");
    }
    if (nodes_change_) notes.push_back("nodes came, went or changed: simulated with the most that each had");

    for (const NodeSpec& node : nodes_) {
      if (node.cpu > 0) run.instance.platform.nodes.push_back(node);
    }
    if (run.instance.platform.nodes.empty()) {
      return input_error(fmt::format("{}: no node was usable within this record", run.instance.name));
    }
    run.instance.platform.rigid_dims = rigid_dims_;
    double fastest = 0;
    for (const NodeSpec& node : run.instance.platform.nodes) fastest = std::max(fastest, node.cpu);

    std::stable_sort(jobs_.begin(), jobs_.end(), [](const Follower& a, const Follower& b) {
      return a.job.submit != b.job.submit ? a.job.submit < b.job.submit : a.job.id < b.job.id;
    });
    // Ticks fall on multiples of the period in the record's time; this origin keeps them there in the instance's.
    const Seconds period = run.setup.options.of<DfrsOptions>().period;
    run.origin = std::floor(jobs_.front().job.submit / period) * period;
    std::unordered_set<JobId> seen;
    JobId unused = 0;
    for (const Follower& follower : jobs_) unused = std::max(unused, follower.job.id + 1);
    std::size_t renamed = 0;
    for (Follower& follower : jobs_) {
      if (is_suspended(follower, run.setup)) follower.job.pauses = PauseEffect::suspended;
    }
    run.marked =
        std::any_of(jobs_.begin(), jobs_.end(), [](const Follower& f) { return f.job.pauses != PauseEffect::kept; });
    for (Follower& follower : jobs_) {
      Job job = follower.job;
      if (!run.marked) job.pauses.reset();
      if (!seen.insert(job.id).second) {
        job.id = unused++;
        ++renamed;
      }
      job.submit -= run.origin;
      job.cpu_need = std::min(job.cpu_need, fastest);
      JobRecord record = follower.record;
      record.start -= run.origin;
      record.end -= run.origin;
      run.instance.jobs.push_back(job);
      run.measured.jobs.push_back(record);
    }
    note(renamed, "job has a new number: its own was used twice", "jobs have new numbers: their own were used twice");
    return {};
  }

  record::RecordReader& reader_;
  std::vector<Follower> slots_;
  std::vector<Follower> jobs_;   // completed jobs
  std::vector<NodeSpec> nodes_;  // CPU 0: never usable
  std::size_t rigid_dims_ = 1;
  bool nodes_change_ = false;
  std::size_t never_ran_ = 0;
  std::size_t lost_sight_of_ = 0;
  std::size_t from_before_ = 0;
  std::unordered_set<JobId> restricted_;
  std::unordered_set<JobId> flagged_;
  std::unordered_set<JobId> hindered_;  // could not be paused at some time
};

}  // namespace

Result<RecordedRun> read_recorded_run(record::RecordReader& reader, const std::string& name) {
  return Collector(reader).run(name);
}

Result<record::RecordReader> open_record(const std::string& path) {
  return record::RecordReader::open(path).map_error(record_error);
}

Error record_error(const record::RecordError& error) {
  return {.code = error.unreadable ? kExitIo : kExitInput, .message = error.message};
}

}  // namespace dfrs::sim
