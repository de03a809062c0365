// SPDX-License-Identifier: GPL-2.0-or-later
// The paper's dispatcher (DVM) for gang scheduling on leased machines. It applies the rules of this folder to events.
//
// At every event, the machines of a finished gang become idle, or new machines are ready and the gangs held for them
// are dispatched, or an arriving gang is dispatched or held (provisioning.h). Then follows a scheduling cycle:
//   1. Gangs that migrated in the previous cycle start.
//   2. Gangs that have become starved enter the queue of starved gangs, in the order of becoming so. Each starts where
//      it is, or migrates if it fits the idle machines. One that can do neither reserves the idle machines
//      (StarvedOrder::reserve).
//   3. If no starved gang is left, AFCFS or LJFS starts gangs. If it starts none, the monitor may let one migrate.
// Finally, idle machines with empty queues are released, unless a gang is held, a migrated gang is about to start, or a
// starved one waits, which may be about to migrate.
#pragma once

#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/error.h"
#include "studies/gang/rules/decision.h"
#include "studies/gang/rules/migration.h"
#include "studies/gang/rules/options.h"
#include "studies/gang/rules/provisioning.h"
#include "studies/gang/rules/waiting_gang.h"

namespace dfrs::gang {

class Dispatcher {
 public:
  /// Machines 0 .. machine_minimum - 1 are ready from the start. Errors: bad_option.
  static tl::expected<Dispatcher, Error> create(const Options& options);

  /// The decisions are valid until the next call. Times must not decrease. Errors: bad_view, which leaves the
  /// dispatcher unchanged. O(waiting gangs + machines).
  tl::expected<const Decisions*, Error> step(Seconds now, const Event& event);

  /// Leased machines, including those being set up.
  const MachineSet& leased() const { return leased_; }

 private:
  enum class State : std::uint8_t { absent, held, waiting, running };
  struct Gang {
    State state = State::absent;
    std::uint32_t tasks = 0;
    Seconds starves_at = kNever;
    MachineSet machines;  // if running
  };
  struct Held {
    JobSlot job;
    bool requested;  // machines were leased for it but are not ready yet
    MachineIndex request;
  };

  explicit Dispatcher(const Options& options);

  /// Error: the event contradicts those before.
  tl::expected<void, Error> check(Seconds now, const Event& event) const;
  void arrive(const Event& event, Seconds now);
  void finish(JobSlot job);
  void machines_ready(MachineIndex request);
  void lease(MachineIndex& request, std::uint32_t count);
  void dispatch(JobSlot job);
  void dispatch_held();
  void cycle(Seconds now);
  void start_migrated();
  void find_starved(Seconds now);
  void schedule_starved();
  void schedule();
  void start(const WaitingGang& gang, Start::Route route);
  void migrate(WaitingGang gang, bool starved);
  void release();

  Options options_;
  MigrationMonitor monitor_;
  ReleasePause release_pause_;
  Seconds now_;
  std::vector<Gang> gangs_;            // by slot
  std::vector<Held> held_;             // in order of arrival
  std::vector<WaitingGang> waiting_;   // in order of dispatch
  std::vector<WaitingGang> starved_;   // in the order of becoming starved
  std::vector<WaitingGang> migrated_;  // they start in the next cycle
  MachineSet leased_;
  MachineSet ready_;                            // set up
  MachineSet idle_;                             // ready, without a running task, and not reserved for migrated_
  std::vector<MachineSet> requested_;           // by request: machines being set up
  std::vector<std::uint32_t> length_;           // by machine: waiting tasks
  std::vector<std::uint32_t> dispatch_length_;  // by machine: what Options::queue_length counts
  std::uint64_t waiting_tasks_ = 0;
  Decisions decisions_;
  std::vector<std::size_t> chosen_;
};

}  // namespace dfrs::gang
