// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/shared_nodes.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "policy/batch/estimated_end.h"
#include "policy/core/compare.h"
#include "policy/core/registry.h"
#include "policy/yield/yield_changes.h"

namespace dfrs {
namespace {

// How many tasks that need `cpu` fit into the `free` part of a node's `capacity`, with the tolerance of cpu_fits. A
// node that is slower than a task needs takes one task, if it is empty.
std::uint32_t by_cpu(double free, double capacity, double cpu, std::uint32_t most) {
  if (cpu_exceeds(cpu, capacity)) return cpu_fits(capacity, free) ? std::min(most, 1u) : 0;
  const double room = free + capacity * kCpuTolerance;
  if (room < cpu) return 0;  // most nodes of a busy cluster, without a division
  return static_cast<std::uint32_t>(std::min(room / cpu, static_cast<double>(most)));
}

std::uint32_t by_rigid(const RigidVector& free, const RigidVector& need, std::size_t dims, std::uint32_t most) {
  RigidAmount count = most;
  for (std::size_t d = 0; d < dims; ++d) {
    if (need[d] > 0) count = std::min(count, std::max<RigidAmount>(0, free[d]) / need[d]);
  }
  return static_cast<std::uint32_t>(count);
}

constexpr auto sooner = [](const auto& a, const auto& b) { return a.end < b.end; };

void take(double& cpu, RigidVector& rigid, const JobView& job, std::size_t dims, std::int64_t tasks) {
  cpu -= job.cpu_need * static_cast<double>(tasks);
  for (std::size_t d = 0; d < dims; ++d) rigid[d] -= job.rigid[d] * tasks;
}

}  // namespace

void SharedNodesPolicy::decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                               ClusterState& state, Outcome& outcome) {
  if (has_event(events, EventKind::resync)) {
    reset(view, estimates, state, options_.pass_per_event ? events : std::span<const Event>());
    pass(view, state, outcome);
    for (const Event& event : events) {
      if (!options_.pass_per_event || event.kind != EventKind::submitted) continue;
      submit(view, estimates, event.job);
      pass(view, state, outcome);
    }
    share_cpu(view, state, outcome);
    return;
  }
  correct_outlived(view);
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) {
      complete(view, event.job);
    } else {
      submit(view, estimates, event.job);
    }
    if (options_.pass_per_event) pass(view, state, outcome);
  }
  if (!options_.pass_per_event && !events.empty()) pass(view, state, outcome);
  share_cpu(view, state, outcome);
}

// The yields of all jobs where CPU is oversubscribed.
void SharedNodesPolicy::share_cpu(const ClusterView& view, const ClusterState& state, Outcome& outcome) {
  if (jobs_a_core_ == 1) return;
  contention_.build(state, view);
  yields_.resize(contention_.jobs().size());
  max_min_.solve(contention_, yields_);
  append_yield_changes(contention_, yields_, view, state, outcome);
}

// Jobs that `later` submits are left out: with a pass per event, they have passes of their own.
void SharedNodesPolicy::reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state,
                              std::span<const Event> later) {
  std::vector<bool> comes(view.jobs.size(), false);
  for (const Event& event : later) {
    if (event.kind == EventKind::submitted) comes[event.job] = true;
  }
  queue_.clear();
  running_.clear();
  forecast_.reset();
  for (const JobSlot job : state.active()) {
    if (state.placed(job)) {
      running_.push_back(resumed(view, estimates, job));
    } else if (!comes[job]) {
      submit(view, estimates, job);
    }
  }
  std::stable_sort(running_.begin(), running_.end(), sooner);
}

void SharedNodesPolicy::submit(const ClusterView& view, const Estimates& estimates, JobSlot job) {
  queue_.push_back({forecast_.submitted(view, estimates, job), job});
}

// A job that already runs at a resync.
SharedNodesPolicy::Running SharedNodesPolicy::resumed(const ClusterView& view, const Estimates& estimates,
                                                      JobSlot job) {
  if (!forecast_.predicts()) return {estimated_end(view, estimates, job), estimates.run_time[job], job};
  const Seconds ran = view.jobs[job].virtual_time(view.now);
  Seconds expected = forecast_.submitted(view, estimates, job);
  forecast_.started(job, view.now - ran);
  if (expected <= ran) expected = forecast_.outlived(job, ran);
  return {view.now + std::max(0.0, expected - ran), expected, job};
}

// Corrects the predictions of running jobs that have outlived them. One that shares its CPU may only be late.
void SharedNodesPolicy::correct_outlived(const ClusterView& view) {
  constexpr Seconds kRounding = 1e-6;
  if (!forecast_.predicts()) return;
  bool corrected = false;
  for (Running& running : running_) {
    if (running.end > view.now) break;
    const JobView& spec = view.jobs[running.job];
    if (spec.state != JobState::running) continue;  // it ends now
    const Seconds ran = spec.virtual_time(view.now);
    if (jobs_a_core_ > 1 && ran + kRounding < running.expected) continue;
    running.expected = forecast_.outlived(running.job, ran);
    running.end = view.now + std::max(0.0, running.expected - ran);
    corrected = true;
  }
  if (corrected) std::stable_sort(running_.begin(), running_.end(), sooner);
}

void SharedNodesPolicy::complete(const ClusterView& view, JobSlot job) {
  forecast_.completed(view, job);
  if (std::erase_if(running_, [&](const Running& r) { return r.job == job; }) == 0) {
    std::erase_if(queue_, [&](const Waiting& w) { return w.job == job; });  // cancelled while it waited
  }
}

void SharedNodesPolicy::pass(const ClusterView& view, ClusterState& state, Outcome& outcome) {
  refused_.clear();
  refused_beside_.clear();
  sort_queue(view, state, 0, algorithm_.head);
  std::size_t head = 0;
  while (head < queue_.size() && fits(state, view.jobs[queue_[head].job], false)) {
    state.explain({ReasonKind::first, queue_[head].job});
    start(view, state, outcome, queue_[head]);
    ++head;
  }
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head));
  const bool backfills = algorithm_.backfill != BatchAlgorithm::Backfill::none && queue_.size() >= 2;
  if (queue_.empty() || (!backfills && !state.explains())) return;

  const Seconds shadow = reserve(view, state, view.jobs[queue_.front().job]);
  if (state.explains()) explain_waiting(state, shadow);
  if (!backfills) return;
  if (algorithm_.others != algorithm_.head) sort_queue(view, state, 1, algorithm_.others);
  std::size_t kept = 1;
  for (std::size_t k = 1; k < queue_.size(); ++k) {
    const Waiting waiting = queue_[k];
    const JobView& job = view.jobs[waiting.job];
    const bool in_time = view.now + waiting.estimate <= shadow;
    if (fits(state, job, !in_time)) {
      state.explain({ReasonKind::backfill, waiting.job, queue_.front().job, shadow});
      start(view, state, outcome, waiting);
      if (!in_time) {
        for (const NodeIndex n : nodes_) take(later_[n].cpu, later_[n].rigid, job, state.rigid_dims(), 1);
      }
    } else {
      queue_[kept++] = waiting;
    }
  }
  queue_.resize(kept);
}

// Sorts the queue from there on. Without other orders it always is in the order of submission.
void SharedNodesPolicy::sort_queue(const ClusterView& view, const ClusterState& state, std::size_t from,
                                   QueueRank rank) {
  if (algorithm_.ranked()) sort_by_rank(queue_, from, rank, view, state, sorting_);
}

// Of all jobs that wait now; those that start in this pass say so afterwards.
void SharedNodesPolicy::explain_waiting(const ClusterState& state, Seconds shadow) const {
  const JobSlot head = queue_.front().job;
  state.explain({ReasonKind::reserved, head, kNoSlot, shadow});
  for (std::size_t k = 1; k < queue_.size(); ++k) state.explain({ReasonKind::behind, queue_[k].job, head, shadow});
}

Seconds SharedNodesPolicy::reserve(const ClusterView& view, const ClusterState& state, const JobView& head) {
  const std::size_t dims = state.rigid_dims();
  const auto nodes = static_cast<NodeIndex>(state.node_count());
  const auto room = [&](NodeIndex n) -> std::uint32_t {
    if (!state.usable(n) || (head.eligible != nullptr && !head.eligible->contains(n))) return 0;
    const std::uint32_t most = by_cpu(later_[n].cpu, most_cpu(state, n), head.cpu_need, head.tasks);
    return by_rigid(later_[n].rigid, head.rigid, dims, most);
  };
  later_.resize(nodes);
  released_.assign(nodes, 0);
  std::uint64_t open = 0;
  for (NodeIndex n = 0; n < nodes; ++n) {
    later_[n] = {most_cpu(state, n) - state.cpu_load(n), state.rigid_free(n)};
    open += room(n);
  }
  Seconds shadow = kNever;
  for (const Running& running : running_) {
    if (open >= head.tasks && running.end > shadow) break;
    const JobView& job = view.jobs[running.job];
    for (const NodeIndex n : state.nodes_of(running.job)) {
      open -= room(n);
      take(later_[n].cpu, later_[n].rigid, job, dims, -1);
      released_[n] = 1;
      open += room(n);
    }
    // What ends at the same time as the last that is needed is free then, too.
    if (open >= head.tasks && shadow == kNever) shadow = std::max(running.end, view.now);
  }
  if (open < head.tasks) return kNever;  // it can never run on these nodes, and must not block others
  // Reserve nodes that others hold now before free ones, which are left to jobs that can start.
  std::uint32_t left = head.tasks;
  for (const bool released : {true, false}) {
    for (NodeIndex n = 0; n < nodes && left > 0; ++n) {
      if ((released_[n] != 0) != released) continue;
      const std::uint32_t here = std::min(left, room(n));
      take(later_[n].cpu, later_[n].rigid, head, dims, here);
      left -= here;
    }
  }
  return shadow;
}

bool SharedNodesPolicy::fits(const ClusterState& state, const JobView& job, bool beside) {
  if (refused_.cover(job) || (beside && refused_beside_.cover(job))) return false;
  // The highest level first: what does not fit there fits nowhere.
  if (!fits_at(state, job, beside, jobs_a_core_)) {
    (beside ? refused_beside_ : refused_).add(job, static_cast<std::uint32_t>(nodes_.size()));
    return false;
  }
  if (jobs_a_core_ == 1) return true;
  for (std::uint32_t level = 1; !fits_at(state, job, beside, level);) ++level;
  return true;
}

bool SharedNodesPolicy::fits_at(const ClusterState& state, const JobView& job, bool beside, std::uint32_t level) {
  nodes_.clear();
  const std::size_t dims = state.rigid_dims();
  for (NodeIndex n = 0; n < static_cast<NodeIndex>(state.node_count()) && nodes_.size() < job.tasks; ++n) {
    const double capacity = state.cpu_capacity(n) * level;
    const auto left = static_cast<std::uint32_t>(job.tasks - nodes_.size());
    std::uint32_t here = by_cpu(capacity - state.cpu_load(n), capacity, job.cpu_need, left);
    if (here == 0) continue;
    here = std::min(here, state.room_for(job, n));
    if (beside && here > 0) {
      here = by_cpu(later_[n].cpu, most_cpu(state, n), job.cpu_need, here);
      here = by_rigid(later_[n].rigid, job.rigid, dims, here);
    }
    nodes_.insert(nodes_.end(), here, n);
  }
  return nodes_.size() == job.tasks;
}

void SharedNodesPolicy::start(const ClusterView& view, ClusterState& state, Outcome& outcome, const Waiting& waiting) {
  state.place(waiting.job, view.jobs[waiting.job], nodes_);
  // No node is overloaded, except by a single task that needs a faster one.
  double yield = 1;
  for (const NodeIndex n : nodes_) {
    if (cpu_exceeds(state.cpu_load(n), state.cpu_capacity(n))) {
      yield = std::min(yield, state.cpu_capacity(n) / state.cpu_load(n));
    }
  }
  if (jobs_a_core_ == 1) {
    outcome.yields->push_back({waiting.job, yield});
  } else {
    yield = 1;  // share_cpu() sets it, and it changes
  }
  forecast_.started(waiting.job, view.now);
  const Running entry{view.now + waiting.estimate / yield, waiting.estimate, waiting.job};
  running_.insert(std::upper_bound(running_.begin(), running_.end(), entry, sooner), entry);
}

namespace {

using Backfill = BatchAlgorithm::Backfill;

constexpr std::uint32_t kMostJobs = 16;

Algorithm shared(const BatchAlgorithm& algorithm, std::uint32_t jobs_a_core = 1) {
  PolicyTraits traits;
  traits.shares_nodes = false;  // a job waits until its CPU is free, or with more jobs a core its part of it
  traits.submissions_apart = false;
  std::string name = algorithm.backfill == Backfill::none ? "FCFS/shared" : "EASY/shared";
  std::string description = jobs_a_core == 1
                                ? "parts of nodes, no CPU shared, "
                                : "parts of nodes, up to " + std::to_string(jobs_a_core) + " jobs a core, ";
  if (jobs_a_core != 1) name += "/jobs=" + std::to_string(jobs_a_core);
  description += algorithm.backfill != Backfill::none ? "later jobs jump ahead if they do not delay the first"
                 : algorithm.ranked()                 ? "strictly in order"
                                                      : "strictly in order of submission";
  add_batch_parts(algorithm, name, description);
  return {std::move(name), std::move(description), traits,
          MakeBatch([algorithm, jobs_a_core](const EngineOptions& options) {
            return std::make_unique<SharedNodesPolicy>(algorithm, options.of<BatchOptions>(), jobs_a_core);
          })};
}

std::vector<Algorithm> list() {
  const BatchAlgorithm easy{Backfill::easy};
  BatchAlgorithm sjf = easy;
  sjf.others = QueueRank::sjf;
  BatchAlgorithm saf = easy;
  saf.head = saf.others = QueueRank::saf;
  BatchAlgorithm tsafrir = sjf;
  set_predictor(tsafrir.prediction, "tsafrir");
  return {shared({Backfill::none}), shared(easy), shared(easy, 2), shared(easy, 4), shared(sjf),
          shared(tsafrir),          shared(saf)};
}

tl::expected<void, std::string> read_jobs(std::string_view value, std::uint32_t& jobs) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), jobs);
  if (error == std::errc() && end == value.data() + value.size() && jobs >= 1 && jobs <= kMostJobs) return {};
  return wrong("jobs takes a number from 1 to " + std::to_string(kMostJobs));
}

// FCFS/shared and EASY/shared with [/jobs=K][/head=ORDER][/backfill=ORDER][/predict=PREDICTOR[/correct=RULE]].
NameMatch parse(std::string_view name) {
  constexpr std::string_view kJobs = "jobs=";
  for (const Backfill rule : {Backfill::none, Backfill::easy}) {
    const std::string_view prefix = rule == Backfill::none ? "FCFS/shared/" : "EASY/shared/";
    if (!name_starts_with(name, prefix)) continue;
    BatchAlgorithm algorithm{rule};
    std::uint32_t jobs = 1;
    for (std::string_view rest = name.substr(prefix.size());;) {
      const std::size_t end = rest.find('/');
      const std::string_view part = rest.substr(0, end);
      const auto read =
          name_starts_with(part, kJobs) ? read_jobs(part.substr(kJobs.size()), jobs) : read_batch_part(part, algorithm);
      if (!read) return tl::unexpected(read.error());
      if (end == std::string_view::npos) break;
      rest = rest.substr(end + 1);
    }
    if (const auto fine = check_batch_parts(algorithm); !fine) return tl::unexpected(fine.error());
    return Algorithm{shared(algorithm, jobs)};
  }
  return std::nullopt;
}

}  // namespace

extern const PolicyFamily shared_nodes_family{"shared", "Batch scheduling on shared nodes, as in most Slurm clusters",
                                              list, parse};

}  // namespace dfrs
