// SPDX-License-Identifier: GPL-2.0-or-later
// Gang scheduling on leased machines as a whole: the paper's dispatcher (DVM), which applies the rules of this folder
// to what happens.
//
// At every event: the machines of a gang that ended are idle again, or new machines are ready and the gangs held for
// them are dispatched, or a gang that arrived is dispatched or held (provisioning.h). Then follows a scheduling cycle:
//   1. Gangs that migrated in the cycle before start.
//   2. Gangs that are starved by now enter the queue of starved gangs, in the order in which they became so. While
//      there are any, each starts where it is, or else migrates if it fits the idle machines; one that does neither
//      keeps the idle machines for itself (StarvedOrder::reserve).
//   3. If no gang is starved any longer, AFCFS or LJFS starts gangs. If it starts none, the monitor may let one
//   migrate.
// Last, machines that are idle with empty queues are released, if no gang is held, no migrated gang is to start and no
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
  /// Errors: bad_option. The minimum of machines (0 .. minimum - 1) is ready from the start.
  static tl::expected<Dispatcher, Error> create(const Options& options);

  /// The answer is valid until the next call. Times must not decrease. Errors: bad_view, after which the dispatcher is
  /// as before. O(waiting gangs + machines).
  tl::expected<const Decisions*, Error> step(Seconds now, const Event& event);

  /// Machines that are leased, being set up included.
  const MachineSet& leased() const { return leased_; }

 private:
  enum class State : std::uint8_t { absent, held, waiting, running };
  struct Gang {
    State state = State::absent;
    std::uint32_t tasks = 0;
    Seconds starves_at = kNever;
    MachineSet machines;  // if it runs
  };
  struct Held {
    JobSlot job;
    bool requested;  // machines were leased for it, and are not ready yet
    MachineIndex request;
  };

  explicit Dispatcher(const Options& options);

  std::optional<std::string> contradiction(Seconds now, const Event& event) const;
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
  std::vector<Held> held_;             // in the order of arrival
  std::vector<WaitingGang> waiting_;   // in the order of dispatch
  std::vector<WaitingGang> starved_;   // in the order they became so
  std::vector<WaitingGang> migrated_;  // they start in the next cycle
  MachineSet leased_;
  MachineSet ready_;                            // set up
  MachineSet idle_;                             // ready, without a running task, and not kept for migrated_
  std::vector<MachineSet> requested_;           // by request: machines being set up
  std::vector<std::uint32_t> length_;           // by machine: waiting tasks
  std::vector<std::uint32_t> dispatch_length_;  // by machine: what Options::queue_length counts
  std::uint64_t waiting_tasks_ = 0;
  Decisions decisions_;
  std::vector<std::size_t> chosen_;
};

}  // namespace dfrs::gang
