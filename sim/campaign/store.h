// SPDX-License-Identifier: GPL-2.0-or-later
// Results on disk as soon as they are there, so that an interrupted campaign continues where it was, and several
// processes of one machine may work on one campaign. The file is a SQLite database.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/bound/bound.h"
#include "sim/campaign/results.h"
#include "sim/campaign/sqlite.h"
#include "sim/campaign/worker_slot.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// What a store is for. Of two stores for the same purpose all facts are equal.
struct StoreFact {
  std::string name;   ///< as in "other NAME": "options", "instances"
  std::string value;  ///< a line, or several that are compared line by line
};

/// The facts of a campaign of `dfrs-sim compare`: options, and instances by name and fingerprint. Algorithms are none:
/// more of them may be added to a store later.
std::vector<StoreFact> campaign_facts(std::string_view settings, std::span<const Instance> instances,
                                      std::span<const std::string> fingerprints);

/// Which simulation. `settings` tells all options that its result depends on (campaign_settings).
struct SimulationKey {
  std::string_view fingerprint;  ///< of the instance
  std::string_view algorithm;    ///< canonical name
  std::string_view settings;
};

/// All members may be called from any thread. Errors of all: IoError where the file or its folder cannot be read and
/// written (or the disk is full), InputError where the file is damaged or is something else.
///
/// A result is in the file for good when finish() returns, as far as the process is concerned; the power failing, the
/// last ones may be lost and are then simulated again, but the store stays whole. Processes on several machines need a
/// store each; take_in() brings these together.
class ResultStore {
 public:
  enum class Access {
    shared,  ///< several processes; the file must be on a disk of this machine
    /// One process: a second one waits and then fails; the file may be in a folder that several machines share,
    /// if file locks work there.
    exclusive,
  };

  /// Opens the store or makes it. Beside `path` there will be path-workers (empty) and, while it is in use, path-wal
  /// and (shared) path-shm. Errors, besides those above: UsageError if the store was made for something else, saying
  /// what differs: the program's version or a fact. `patience`: how long to wait for another process.
  ResultStore(const std::string& path, std::span<const StoreFact> facts, Access access = Access::shared,
              std::chrono::milliseconds patience = Database::kPatience);
  /// Gives back what was claimed and not finished.
  ~ResultStore();

  enum class Claim {
    mine,       ///< nobody has done it or is at it; it is up to the caller now
    finished,   ///< find() has the result
    elsewhere,  ///< a living process is at it
  };

  std::optional<ResultRow> find(const SimulationKey& key);
  /// What a dead process had claimed becomes the caller's.
  Claim claim(const SimulationKey& key);
  /// The result comes in and the claim ends, in one step.
  void finish(const SimulationKey& key, const ResultRow& row);
  void release(const SimulationKey& key);

  /// Bounds are kept, too: they cost as much as a simulation.
  std::optional<StretchBounds> find_bounds(std::string_view fingerprint, Seconds stretch_floor);
  void put_bounds(std::string_view fingerprint, Seconds stretch_floor, const StretchBounds& bounds);

  /// All results and bounds of the store at `path` that are not here yet, in one step. That one must exist, be for the
  /// same purpose (`facts`) and not be in use; it stays as it is. Errors: as of opening it; nothing is waited for.
  void take_in(const std::string& path, std::span<const StoreFact> facts);

 private:
  void make_or_check(std::span<const StoreFact> facts);
  void check_facts(std::span<const StoreFact> facts);
  void check_program();
  std::int64_t settings_id(std::string_view settings);
  bool has(const SimulationKey& key, std::int64_t settings);
  Statement& statement(const std::string& sql);

  std::mutex mutex_;
  Database database_;
  WorkerSlot worker_;
  std::map<std::string, Statement> statements_;
  std::map<std::string, std::int64_t, std::less<>> settings_;
};

}  // namespace dfrs::sim
