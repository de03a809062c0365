// SPDX-License-Identifier: GPL-2.0-or-later
// One run of gang scheduling on leased machines: the host of studies/gang/rules/dispatcher.h, with time.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/errors.h"
#include "studies/gang/host/workload.h"
#include "studies/gang/rules/decision.h"
#include "studies/gang/rules/options.h"

namespace dfrs::sim {

/// Observes a run, for checks and logs.
class GangObserver {
 public:
  virtual ~GangObserver() = default;
  /// Called after each event. `job`: the gang that arrived or finished; empty if machines became ready.
  virtual void on_event(Seconds now, const gang::Event& event, const GangJob& job,
                        const gang::Decisions& decisions) = 0;
  /// Called after on_event if machines are leased, with their setup time.
  virtual void on_setup(Seconds now, const gang::Lease& lease, Seconds delay) = 0;
};

struct ElasticOptions {
  gang::Options policy;
  /// The run ends when this many gangs have finished (section V.C: 100,000) or there are no more.
  std::uint64_t jobs = std::numeric_limits<std::uint64_t>::max();
  Seconds slowdown_floor = 1e-3;  ///< tau of the bounded slowdown, > 0
  Seconds migration_cost = 0;     ///< a migrated gang runs this much longer, >= 0; the paper has none
};

/// The paper's metrics (sections V.A, V.B) of one run, and figures that explain them. Means are over the finished
/// gangs.
struct GangMetrics {
  std::uint64_t finished = 0;
  double mean_response = 0;  ///< RT: departure - arrival
  /// How much the response time rises from the first departure to the last, by least squares, relative to its mean:
  /// about 0 in a steady state, 2 where it rises from nothing because the machines cannot keep up; 0 with fewer than
  /// two gangs.
  double response_rise = 0;
  double mean_bounded_slowdown = 0;      ///< BSLD: max(response / max(execution, tau), 1)
  double mean_wait = 0;                  ///< start - arrival
  std::uint64_t migrations = 0;          ///< gangs that migrated
  std::uint64_t starved_migrations = 0;  ///< of these, from the queue of starved gangs
  std::uint64_t migrated_tasks = 0;      ///< tasks that changed machines
  std::uint64_t starved_starts = 0;      ///< gangs that started from that queue without migrating
  double lease_time = 0;                 ///< LT: sum over machines from lease to release, or to the end
  double response_by_tasks = 0;          ///< mean response, weighted by tasks
  double lease_from_ready = 0;           ///< lease time without the setup of machines
  double lease_whole_units = 0;          ///< each lease rounded up to whole time units
  double busy_time = 0;                  ///< the part of it with a task running
  std::uint64_t leases = 0;              ///< machines leased, counting each lease
  std::uint64_t held = 0;                ///< gangs held in the dispatcher's queue
  std::uint32_t most_machines = 0;       ///< most machines leased at a time
  Seconds end = 0;                       ///< when the last of `finished` departed

  double utilization() const { return lease_time > 0 ? busy_time / lease_time : 0; }
  double mean_machines() const { return end > 0 ? lease_time / end : 0; }
};

/// Order of events at one instant: departures (lowest machine first), machines that become ready, the arrival.
/// O((waiting gangs + machines) x gangs). Errors: kExitUsage for invalid options, or for a gang with more tasks than
/// machines may be leased.
Result<GangMetrics> simulate_gangs(GangSource& gangs, SetupDelays& setups, const ElasticOptions& options,
                                   GangObserver* observer = nullptr);

/// Bounded slowdown of one gang (equation 5).
double gang_bounded_slowdown(Seconds response, Seconds execution, Seconds floor);

}  // namespace dfrs::sim
