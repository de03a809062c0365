// SPDX-License-Identifier: GPL-2.0-or-later
// What a host shows the engine: the current state of the cluster and what happened since the last call.
//
// The types enforce non-clairvoyance. Nothing in ClusterView reveals a job's processing time or an estimate of it.
// Estimates travel in `Estimates`, which the engine passes to batch policies only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "policy/core/node_set.h"
#include "policy/core/resources.h"
#include "policy/core/units.h"

namespace dfrs {

enum class JobState : std::uint8_t {
  absent,   ///< the slot holds no job
  waiting,  ///< submitted, never started
  running,  ///< placed on nodes, perhaps serving a rescheduling penalty
  paused,   ///< ran before, holds no resources
};

/// What becomes of a job that is paused or moved once it runs. Known from its submission on, so that a policy can plan
/// with it; JobFlags say what is permitted at this moment.
enum class Pauses : std::uint8_t {
  kept,  ///< it goes on where it was, after the penalty
  lost,  ///< its run is lost: it begins again
  none,  ///< it is never paused or moved, as far as can be seen: suspended jobs also while they lack swap
};

/// What a live system may forbid or require for a job.
struct JobFlags {
  bool may_not_pause = false;  ///< once started it keeps running, although it may be moved
  bool may_not_move = false;   ///< it runs on its first nodes only, also after a pause
  bool exclusive = false;      ///< shares its nodes with no other job
};

/// Virtual time, the integral of the yield (RR-7659, section 4.1), as a function of time. From `since` on it grows at
/// `rate`, the current yield. Before that it stands still, because the job is paused or serves a penalty.
struct VirtualClock {
  Seconds base = 0;   ///< virtual time gained up to `since`
  Seconds since = 0;  ///< instant from which the clock runs
  double rate = 0;    ///< current yield, 0 .. 1

  Seconds at(Seconds now) const { return now > since ? base + rate * (now - since) : base; }
};

/// A job as a policy may know it.
struct JobView {
  JobId id = 0;
  JobState state = JobState::absent;
  JobFlags flags;
  Pauses pauses = Pauses::kept;       ///< lost: becomes none once the job has lost as many runs as the host allows
  std::uint32_t lost_runs = 0;        ///< runs whose work it has lost
  Seconds longest_run = 0;            ///< virtual time of the longest of them
  std::uint32_t tasks = 1;            ///< >= 1, all alike
  double cpu_need = 1.0;              ///< of one task, in reference nodes, > 0; changes only with EventKind::changed
  RigidVector rigid{};                ///< of one task; memory in MiB
  Seconds submit = 0;                 ///< instant of submission; ties keep the order of submission events
  std::uint32_t user = 0;             ///< whose job it is, as a number without a meaning; 0: not known
  double weight = 1;                  ///< set by the user or project: 2 asks for half the stretch of 1; > 0, finite
  Seconds penalty = -1;               ///< what a pause would cost this job, lost work included; negative: unknown
  Seconds move_penalty = -1;          ///< what a move would cost it; negative: as much as a pause
  const NodeSet* eligible = nullptr;  ///< nodes the job may use; null: all of them
  VirtualClock clock;                 ///< progress
  double yield = 0;                   ///< current yield, 0 unless running
  std::span<const NodeIndex> nodes;  ///< node of each task, ascending; empty unless running (may_not_move: also paused)

  Seconds flow_time(Seconds now) const { return std::max(0.0, now - submit); }
  Seconds virtual_time(Seconds now) const { return clock.at(now); }
};

struct NodeView {
  NodeSpec spec;
  bool usable = true;  ///< false: down, draining or reserved; nothing new is placed here
};

/// Does not change during a call. `jobs` is indexed by JobSlot.
struct ClusterView {
  Seconds now = 0;
  std::span<const NodeView> nodes;
  std::span<const JobView> jobs;
  std::size_t rigid_dims = 1;  ///< rigid resources in use, 1 .. kMaxRigid
};

/// What users say about times, by slot. For batch policies only.
struct Estimates {
  std::span<const Seconds> run_time;  ///< estimated run times
  /// Advance reservations: the instant at which a job asks to start. An instant that is not after the submission means
  /// no reservation, and so does a missing entry: the list may be shorter than the slots. Only policies that plan full
  /// schedules read it.
  std::span<const Seconds> reserved_start = {};
};

enum class EventKind : std::uint8_t {
  completed,  ///< the job ended or was cancelled; its resources are free
  submitted,  ///< the job is new in this slot, state waiting; or it still waits, and is offered again in its own call
  resync,     ///< the view is not what the engine's decisions would have led to: start over from the view
  changed,    ///< the job's measured CPU need or its weight is different; only for policies that share nodes
};

/// An event. The events of one instant come in this order: completions, changes, submissions in submission order
/// (simulation semantics, rule 5). A call without events is a wake-up that the engine asked for.
struct Event {
  EventKind kind = EventKind::resync;
  JobSlot job = kNoSlot;
};

/// Whether one of the events is of that kind. O(events).
inline bool has_event(std::span<const Event> events, EventKind kind) {
  return std::any_of(events.begin(), events.end(), [kind](const Event& event) { return event.kind == kind; });
}

}  // namespace dfrs
