// SPDX-License-Identifier: GPL-2.0-or-later
// The interface between the dispatcher and its host.
#pragma once

#include <optional>
#include <vector>

#include "policy/core/units.h"
#include "studies/gang/rules/machine_set.h"

namespace dfrs::gang {

/// What happened. The host chooses slots and may reuse one when its gang has finished; the dispatcher chooses request
/// numbers and may reuse one when its machines are ready.
struct Event {
  enum class Kind {
    arrived,   ///< a gang came
    finished,  ///< all tasks of a running gang ended
    ready,     ///< the machines of a request are set up
  };
  Kind kind = Kind::arrived;
  JobSlot job = kNoSlot;     ///< arrived, finished
  std::uint32_t tasks = 0;   ///< arrived: 1 .. machine limit
  Seconds execution = 0;     ///< arrived: how long it will run, >= 0; the X-factor needs it
  MachineIndex request = 0;  ///< ready: Lease::request

  static Event arrived(JobSlot job, std::uint32_t tasks, Seconds execution) {
    return {Kind::arrived, job, tasks, execution, 0};
  }
  static Event finished(JobSlot job) { return {Kind::finished, job, 0, 0, 0}; }
  static Event ready(MachineIndex request) { return {Kind::ready, kNoSlot, 0, 0, request}; }
};

/// Machines to lease and set up. The host reports when they are ready.
struct Lease {
  MachineIndex request = 0;  ///< its lowest machine, unique among pending requests
  MachineSet machines;
};

/// A gang's tasks enter the queues of these machines.
struct Dispatch {
  JobSlot job = kNoSlot;
  MachineSet machines;
};

/// A waiting gang's tasks move from the queues of `from` to the heads of the queues of `to`, which has equally many
/// machines. Neither includes machines where tasks stay.
struct Move {
  JobSlot job = kNoSlot;
  MachineSet from;
  MachineSet to;
  bool starved = false;  ///< not bounded by the monitor
};

/// A gang starts on the machines where its tasks wait.
struct Start {
  enum class Route {
    normal,    ///< by AFCFS or LJFS
    migrated,  ///< it was migrated before
    starved,   ///< from the queue of starved gangs, on the machines it was dispatched to
  };
  JobSlot job = kNoSlot;
  Route route = Route::normal;
};

/// Carry these out in this order: dispatches, moves, starts, lease, release.
struct Decisions {
  std::vector<Dispatch> dispatches;
  std::vector<Move> moves;
  std::vector<Start> starts;
  std::optional<Lease> lease;
  MachineSet released;

  void clear() {
    dispatches.clear();
    moves.clear();
    starts.clear();
    lease.reset();
    released = {};
  }
};

}  // namespace dfrs::gang
