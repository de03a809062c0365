// SPDX-License-Identifier: GPL-2.0-or-later
// What a host shows the engine: the cluster as it stands, and what happened since the last call.
//
// Non-clairvoyance is a matter of types. Nothing in ClusterView tells a job's processing time or an estimate of it;
// estimates travel in `Estimates`, which the engine hands to batch policies alone.
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
  paused,   ///< ran before, holds nothing now
};

/// What the live system may forbid or demand for a job.
struct JobFlags {
  bool may_not_pause = false;  ///< once running it stays running (it may still be moved)
  bool may_not_move = false;   ///< once placed it keeps its nodes while it runs, and comes back to them after a pause
  bool exclusive = false;      ///< shares its nodes with no other job
};

/// Virtual time (RR-7659, section 4.1: the integral of the yield) as a function of time. It grows at `rate`, the
/// current yield, from `since` on, and stands still before (paused, or serving a penalty).
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
  std::uint32_t tasks = 1;            ///< >= 1, all alike
  double cpu_need = 1.0;              ///< of one task, in reference nodes, > 0; changes only with an event that says so
  RigidVector rigid{};                ///< of one task; memory in MiB
  Seconds submit = 0;                 ///< release date; ties keep the order of submission events
  double weight = 1;                  ///< of the user or the project: 2 asks for half the stretch of 1; > 0, finite
  Seconds penalty = -1;               ///< what a pause would cost this job, lost work included; negative: not known
  Seconds move_penalty = -1;          ///< what a move would; negative: as much as a pause
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

/// Immutable for the length of a call. `jobs` is indexed by JobSlot.
struct ClusterView {
  Seconds now = 0;
  std::span<const NodeView> nodes;
  std::span<const JobView> jobs;
  std::size_t rigid_dims = 1;  ///< rigid resources in use, 1 .. kMaxRigid
};

/// What users say about times, by slot, for batch policies only.
struct Estimates {
  std::span<const Seconds> run_time;  ///< estimates, in seconds
  /// Advance reservations: the start asked for; none where it is not after the submission. May be shorter than the
  /// slots, or empty: none for the others. Policies other than those that plan full schedules do not look at it.
  std::span<const Seconds> reserved_start = {};
};

enum class EventKind : std::uint8_t {
  completed,  ///< the job left (finished, cancelled); its resources are free
  submitted,  ///< the job is new in this slot, state waiting
  resync,     ///< the view differs from what the engine's decisions would have given: start again from the view
  changed,    ///< the job's CPU need (measured) or weight is another one now; for policies that share nodes alone
};

/// Events of one instant. Completions come first, then changes, then submissions in submission order (simulation
/// semantics, rule 5).
/// A call without events is a wake-up at the time the engine asked for.
struct Event {
  EventKind kind = EventKind::resync;
  JobSlot job = kNoSlot;
};

/// Whether one of the events is of that kind. O(events).
inline bool has_event(std::span<const Event> events, EventKind kind) {
  return std::any_of(events.begin(), events.end(), [kind](const Event& event) { return event.kind == kind; });
}

}  // namespace dfrs
