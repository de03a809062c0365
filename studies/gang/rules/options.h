// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of gang scheduling on machines leased from a cloud.
//
// The rules in this folder are those of
//   I. A. Moschakis, H. D. Karatza: Performance and Cost evaluation of Gang Scheduling in a Cloud Computing System with
//   Job Migrations and Starvation Handling, ISCC 2011
// and section numbers refer to that paper. What it leaves open is an option here if the effect matters, and is listed
// in docs/reference/semantics.md.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::gang {

/// Which gang starts when machines are idle (section III.B).
enum class Scheduler {
  afcfs,  ///< adaptive first come, first served: the first gang whose machines are all idle
  ljfs,   ///< largest job first served: the largest of those
};

/// Which gang moves to idle machines when none can start where it is (section III.C).
enum class Migration { none, first_fit, best_fit };

/// What counts as the length of a machine's queue when tasks are dispatched (section III.A; the paper leaves it open).
enum class QueueLength {
  tasks,    ///< waiting tasks and the running one
  waiting,  ///< only waiting tasks
};

/// When the scheduling cycle that starts a migrated gang takes place (section III.C; the paper leaves it open).
enum class MigratedStart {
  next_event,  ///< at the next arrival, departure or machines that become ready
  at_once,     ///< right after the cycle that migrated it
};

/// What starved gangs behind the first may do (section III.D; the paper leaves it open).
enum class StarvedOrder {
  reserve,  ///< wait: idle machines are reserved for the first
  pass,     ///< start or migrate if they fit
};

struct Options {
  Scheduler scheduler = Scheduler::afcfs;
  Migration migration = Migration::first_fit;
  std::uint32_t machine_limit = 120;      ///< VM_max, 1 .. kMaxMachines
  std::uint32_t machine_minimum = 0;      ///< leased from the start and never released, 0 .. machine_limit
  std::uint32_t migration_interval = 10;  ///< S_n: normal starts before each migration
  /// X-factor at which a gang becomes starved, >= 1; infinity: no starvation handling.
  double starvation_threshold = 10;
  /// Average load factor above which machines are leased, >= 0; infinity: never because of load. The paper gives no
  /// value.
  double load_threshold = 1;
  std::uint32_t release_pause = 10;  ///< number of arrivals after machines become ready before any is released
  QueueLength queue_length = QueueLength::tasks;
  MigratedStart migrated_start = MigratedStart::next_event;
  StarvedOrder starved_order = StarvedOrder::reserve;
};

/// Error: what is wrong with the options.
tl::expected<void, std::string> check(const Options& options);

/// "AFCFS", "LJFS"; "none", "FF", "BF".
std::string_view name(Scheduler scheduler);
std::string_view name(Migration migration);

}  // namespace dfrs::gang
