// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/backfill.h"

#include <algorithm>
#include <bit>

#include "policy/batch/estimated_end.h"
#include "policy/batch/whole_nodes.h"

namespace dfrs {
void BackfillPolicy::decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                            ClusterState& state, Outcome& outcome) {
  if (has_event(events, EventKind::resync)) {
    reset(view, estimates, state, events);
    pass(view, state, outcome);
    if (!options_.pass_per_event) return;
    for (const Event& event : events) {
      if (event.kind != EventKind::submitted) continue;
      submit(view, estimates, state, event.job);
      pass(view, state, outcome);
    }
    return;
  }
  for (NodeIndex n : state.changed_nodes()) set_idle(n, idle(state, n));
  correct_outlived(view);
  bool completions = false;
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) {
      complete(view, event.job);
      completions = true;
    } else {
      submit(view, estimates, state, event.job);
    }
    if (options_.pass_per_event) pass(view, state, outcome);
  }
  if (options_.pass_per_event || events.empty()) return;
  // As long as no job ends, the reservation and all refusals remain valid, and only new jobs need a look. There are two
  // exceptions. An overdue job moves the shadow time along with the clock. And with extra-only, a new pass may count
  // the extra nodes of a job that ends by the shadow time as free.
  if (!algorithm_.ranked() && !forecast_.predicts() && !completions && reservation_.valid &&
      reservation_.shadow > view.now && uniform_ && rule_ != BatchAlgorithm::Backfill::extra_only) {
    backfill(view, state, outcome);
  } else {
    pass(view, state, outcome);
  }
}

// With a pass per event, submissions that come with the resync are left to their own passes.
void BackfillPolicy::reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state,
                           std::span<const Event> events) {
  std::vector<bool> comes(view.jobs.size(), false);
  for (const Event& event : events) {
    if (event.kind == EventKind::submitted && options_.pass_per_event) comes[event.job] = true;
  }
  uniform_ = state.homogeneous();
  queue_.clear();
  front_ = 0;
  running_.clear();
  unseen_ = 0;
  reservation_.valid = false;
  free_ = 0;
  forecast_.reset();
  const auto nodes = static_cast<NodeIndex>(state.node_count());
  idle_.assign((nodes + 63) / 64, 0);
  for (NodeIndex n = 0; n < nodes; ++n) {
    free_ += state.usable(n) && idle(state, n) ? 1 : 0;
    set_idle(n, idle(state, n));
  }
  for (JobSlot job : state.active()) {
    if (state.placed(job)) {
      if (view.jobs[job].eligible != nullptr) uniform_ = false;
      running_.push_back({expected_end(view, estimates, job), job, distinct_nodes(state.nodes_of(job))});
    } else if (!comes[job]) {
      submit(view, estimates, state, job);
    }
  }
  std::stable_sort(running_.begin(), running_.end(), [](const Running& a, const Running& b) { return a.end < b.end; });
  std::reverse(running_.begin(), running_.end());
}

void BackfillPolicy::submit(const ClusterView& view, const Estimates& estimates, const ClusterState& state,
                            JobSlot job) {
  const JobView& spec = view.jobs[job];
  const Seconds expected = forecast_.submitted(view, estimates, job);
  queue_.push_back({expected, job, least_nodes(state, spec, uniform_, options_.pack_tasks)});
  if (!uniform_) return;
  // A job that does not suit every node makes nodes unequal until the next resync.
  uniform_ = suits_equal_nodes(state, spec);
  if (!uniform_) reservation_.valid = false;
}

// Of a running job after a resync.
Seconds BackfillPolicy::expected_end(const ClusterView& view, const Estimates& estimates, JobSlot job) {
  if (!forecast_.predicts()) return estimated_end(view, estimates, job);
  const Seconds ran = view.jobs[job].virtual_time(view.now);
  Seconds expected = forecast_.submitted(view, estimates, job);
  forecast_.started(job, view.now - ran);
  if (expected <= ran) expected = forecast_.outlived(job, ran);
  return view.now + std::max(0.0, expected - ran);
}

// Corrects the predictions of running jobs that have outlived them.
void BackfillPolicy::correct_outlived(const ClusterView& view) {
  if (!forecast_.predicts()) return;
  std::vector<Running> outlived;
  while (!running_.empty() && running_.back().end <= view.now) {
    outlived.push_back(running_.back());
    running_.pop_back();
  }
  for (Running& running : outlived) {
    const JobView& spec = view.jobs[running.job];
    if (spec.state == JobState::running) {  // others end now
      const Seconds ran = spec.virtual_time(view.now);
      running.end = view.now + std::max(0.0, forecast_.outlived(running.job, ran) - ran);
    }
    insert_running(running);
  }
}

void BackfillPolicy::complete(const ClusterView& view, JobSlot job) {
  forecast_.completed(view, job);
  const auto at = std::find_if(running_.rbegin(), running_.rend(), [&](const Running& r) { return r.job == job; });
  if (at != running_.rend()) {
    free_ += at->nodes;
    running_.erase(std::prev(at.base()));
  } else {  // cancelled while it waited
    const auto waiting = std::find_if(queue_.begin() + static_cast<std::ptrdiff_t>(front_), queue_.end(),
                                      [&](const Waiting& w) { return w.job == job; });
    if (waiting != queue_.end()) queue_.erase(waiting);
  }
  reservation_.valid = false;
  unseen_ = front_;
}

void BackfillPolicy::pass(const ClusterView& view, ClusterState& state, Outcome& outcome) {
  reservation_.valid = false;
  sort_queue(view, state, front_, algorithm_.head);
  while (front_ < queue_.size() && fits(view, state, queue_[front_], true)) {
    state.explain({ReasonKind::first, queue_[front_].job});
    start(view, state, outcome, queue_[front_]);
    ++front_;
  }
  // Erasing in bulk avoids moving a long queue for each job that leaves its front.
  if (2 * front_ >= queue_.size()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(front_));
    front_ = 0;
  }
  unseen_ = front_;
  if (queue_.empty()) return;
  if (rule_ != BatchAlgorithm::Backfill::none) reserve(view, state);
  if (algorithm_.others != algorithm_.head) sort_queue(view, state, front_ + 1, algorithm_.others);
  backfill(view, state, outcome);
}

// Sorts the queue from there on. Without other orders it always is in the order of submission.
void BackfillPolicy::sort_queue(const ClusterView& view, const ClusterState& state, std::size_t from, QueueRank rank) {
  if (algorithm_.ranked()) sort_by_rank(queue_, from, rank, view, state, sorting_);
}

void BackfillPolicy::backfill(const ClusterView& view, ClusterState& state, Outcome& outcome) {
  const std::size_t from = std::max(unseen_, front_ + 1);  // the first has the reservation
  if (state.explains()) explain_waiting(state);
  if (rule_ == BatchAlgorithm::Backfill::none || free_ == 0) {
    unseen_ = queue_.size();
    return;
  }
  const bool easy = rule_ == BatchAlgorithm::Backfill::easy;
  const auto ends_before_shadow = [&](const Waiting& w) {
    return easy && view.now + w.estimate <= reservation_.shadow;
  };
  // The next job that may start. Nearly all jobs stay, so a single branch per job is well predicted; a branch per
  // condition would not be.
  const auto candidate_from = [&](std::size_t k) {
    const std::uint64_t free = free_;
    const std::uint64_t beyond_shadow = uniform_ ? std::min(free_, reservation_.extra) : free_;
    while (k < queue_.size() && queue_[k].nodes > (ends_before_shadow(queue_[k]) ? free : beyond_shadow)) ++k;
    return k;
  };
  std::size_t kept = from;  // queue_[from .. kept) stay; entries from there to k have started or moved ahead
  std::size_t k = from;
  while (k < queue_.size() && free_ != 0) {
    const std::size_t next = candidate_from(k);
    if (kept != k) {
      std::copy(queue_.begin() + static_cast<std::ptrdiff_t>(k), queue_.begin() + static_cast<std::ptrdiff_t>(next),
                queue_.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    kept += next - k;
    k = next;
    if (k == queue_.size()) break;
    const Waiting w = queue_[k++];
    const bool before_shadow = ends_before_shadow(w);
    if (fits(view, state, w, before_shadow)) {
      state.explain({ReasonKind::backfill, w.job, queue_[front_].job, reservation_.shadow});
      start(view, state, outcome, w);
      if (uniform_ && !before_shadow) reservation_.extra -= w.nodes;
    } else {
      queue_[kept++] = w;
    }
  }
  if (kept != k)
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(kept), queue_.begin() + static_cast<std::ptrdiff_t>(k));
  unseen_ = queue_.size();
}

// Of all jobs that wait now; those that start in this pass say so afterwards.
void BackfillPolicy::explain_waiting(const ClusterState& state) const {
  const Seconds shadow = reservation_.valid ? reservation_.shadow : kNever;
  const JobSlot head = queue_[front_].job;
  state.explain({ReasonKind::reserved, head, kNoSlot, shadow});
  for (std::size_t k = front_ + 1; k < queue_.size(); ++k) {
    state.explain({ReasonKind::behind, queue_[k].job, head, shadow});
  }
}

void BackfillPolicy::reserve(const ClusterView& view, const ClusterState& state) {
  const Waiting& head = queue_[front_];
  reservation_.valid = true;
  reservation_.shadow = kNever;
  reservation_.extra = 0;
  if (uniform_) {
    reserve_by_count(view.now, head);
  } else {
    reserve_by_node(view, state, view.jobs[head.job]);
  }
}

void BackfillPolicy::reserve_by_count(Seconds now, const Waiting& head) {
  std::uint64_t open = free_;
  auto next = running_.rbegin();
  for (; next != running_.rend() && open < head.nodes; ++next) {
    open += next->nodes;
    reservation_.shadow = std::max(next->end, now);
  }
  if (open < head.nodes) {  // it can never run on these nodes, and must not block others
    reservation_.shadow = kNever;
    reservation_.extra = free_;
    return;
  }
  // Nodes of other jobs that end by the shadow time are free then, too.
  for (; next != running_.rend() && next->end <= reservation_.shadow; ++next) open += next->nodes;
  reservation_.extra = open - head.nodes;
}

void BackfillPolicy::reserve_by_node(const ClusterView& view, const ClusterState& state, const JobView& head) {
  reservation_.held.assign(state.node_count(), 0);
  const auto nodes = static_cast<NodeIndex>(state.node_count());
  // How many tasks of the head fit on idle nodes, and on nodes that will be idle.
  std::uint64_t open = 0;
  for (NodeIndex n = 0; n < nodes; ++n) open += idle(state, n) ? tasks_on(state, head, n, options_.pack_tasks) : 0;
  std::uint64_t needed = head.tasks;
  std::vector<NodeIndex> released;
  for (auto next = running_.rbegin(); next != running_.rend(); ++next) {
    if (open >= needed && next->end > reservation_.shadow) break;
    each_node(state.nodes_of(next->job), [&](NodeIndex n) {
      open += tasks_on(state, head, n, options_.pack_tasks);
      released.push_back(n);
    });
    if (open >= needed && reservation_.shadow == kNever) reservation_.shadow = std::max(next->end, view.now);
  }
  if (open < needed) {
    reservation_.shadow = kNever;
    return;
  }
  // Reserve busy nodes before idle ones, and idle ones from the end, where start() takes them last.
  const auto hold = [&](NodeIndex n) {
    const std::uint32_t tasks = tasks_on(state, head, n, options_.pack_tasks);
    if (needed == 0 || tasks == 0) return;
    reservation_.held[n] = 1;
    needed -= std::min<std::uint64_t>(needed, tasks);
  };
  for (NodeIndex n : released) hold(n);
  for (NodeIndex n = nodes; n-- > 0;) {
    if (idle(state, n)) hold(n);
  }
}

bool BackfillPolicy::fits(const ClusterView& view, const ClusterState& state, const Waiting& w, bool before_shadow) {
  if (w.nodes > free_) return false;
  const JobView& spec = view.jobs[w.job];
  if (room_.size() < spec.tasks) room_.resize(spec.tasks);
  nodes_ = std::span(room_).first(spec.tasks);
  std::uint32_t left = spec.tasks;
  NodeIndex* next = room_.data();
  // Equal nodes all take the same number of tasks, at least one of a job that suits every node.
  std::uint32_t tasks = uniform_ && options_.pack_tasks ? tasks_on(state, spec, 0, true) : 1;
  for (std::size_t word = 0; word < idle_.size() && left != 0; ++word) {
    for (std::uint64_t rest = idle_[word]; rest != 0 && left != 0; rest &= rest - 1) {
      const auto n = static_cast<NodeIndex>(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
      if (!uniform_) {
        if (!before_shadow && reservation_.held[n] != 0) continue;
        tasks = tasks_on(state, spec, n, options_.pack_tasks);
      }
      for (std::uint32_t k = std::min(tasks, left); k != 0; --k, --left) *next++ = n;
    }
  }
  return left == 0;
}

void BackfillPolicy::start(const ClusterView& view, ClusterState& state, Outcome& outcome, const Waiting& w) {
  const JobView& spec = view.jobs[w.job];
  state.place(w.job, spec, nodes_);
  for (NodeIndex n : nodes_) set_idle(n, false);
  const std::uint32_t taken = uniform_ ? w.nodes : distinct_nodes(nodes_);
  free_ -= taken;
  // A node of its own gives a task all it needs, unless it is slower than the reference node. Of equal nodes, the first
  // has the most tasks.
  const double yield = yield_alone(state, uniform_ ? nodes_.first(std::min<std::size_t>(1, nodes_.size())) : nodes_);
  outcome.yields->push_back({w.job, yield});
  forecast_.started(w.job, view.now);
  insert_running({view.now + w.estimate / yield, w.job, taken});
}

void BackfillPolicy::insert_running(const Running& entry) {
  // Among equal ends the job that started first is nearer to the vector's end. Most jobs are short and belong near the
  // end.
  running_.push_back(entry);
  std::size_t at = running_.size() - 1;
  for (; at > 0 && running_[at - 1].end <= entry.end; --at) running_[at] = running_[at - 1];
  running_[at] = entry;
}

}  // namespace dfrs
