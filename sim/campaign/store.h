// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps results on disk as they come, so that an interrupted campaign can continue and several processes on one machine
// can share a campaign. The file is a SQLite database.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/bound/bound.h"
#include "sim/campaign/results.h"
#include "sim/campaign/sqlite.h"
#include "sim/campaign/worker_slot.h"
#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// Part of a store's purpose. Two stores have the same purpose if all facts are equal.
struct StoreFact {
  std::string name;   ///< as in "other NAME": "options", "instances"
  std::string value;  ///< one line, or several that are compared line by line
};

/// The facts of a campaign of `dfrs-sim compare`: options, and instances by name and fingerprint. Algorithms are not
/// facts, so that more can be added to a store later.
std::vector<StoreFact> campaign_facts(std::string_view settings, std::span<const Instance> instances,
                                      std::span<const std::string> fingerprints);

/// Identifies a simulation. `settings` holds all options that its result depends on (campaign_settings).
struct SimulationKey {
  std::string_view fingerprint;  ///< of the instance
  std::string_view algorithm;    ///< canonical name
  std::string_view settings;
};

/// Thread-safe. Errors of all members: kExitIo if the file or its folder cannot be read and written (or the
/// disk is full), kExitInput if the file is damaged or is something else.
///
/// Once finish() returns, a result survives the end of the process. A power failure may lose the last results, which
/// are then simulated again, but the store stays consistent. Processes on several machines need one store each;
/// take_in() merges them.
class ResultStore {
 public:
  enum class Access {
    shared,  ///< several processes; the file must be on a local disk
    /// One process; a second one waits and then fails. The file may be in a folder shared by several machines, if file
    /// locks work there.
    exclusive,
  };

  /// Opens or creates the store. Creates path-workers (empty) beside `path` and, while in use, path-wal and (shared)
  /// path-shm. Errors, besides those above: kExitUsage if the store has another purpose, naming the difference: the
  /// program's version or a fact. `patience`: how long to wait for another process.
  static Result<std::unique_ptr<ResultStore>> open(const std::string& path, std::span<const StoreFact> facts,
                                                   Access access = Access::shared,
                                                   std::chrono::milliseconds patience = Database::kPatience);
  /// Releases what was claimed but not finished.
  ~ResultStore();

  enum class Claim {
    mine,       ///< the caller must simulate it: it has no result and nobody else works on it
    finished,   ///< find() has the result
    elsewhere,  ///< a live process is working on it
  };

  Result<std::optional<ResultRow>> find(const SimulationKey& key);
  /// Takes over claims of dead processes.
  Result<Claim> claim(const SimulationKey& key);
  /// Stores the result and ends the claim, in one step.
  Result<void> finish(const SimulationKey& key, const ResultRow& row);
  Result<void> release(const SimulationKey& key);

  /// Bounds are stored, too, because they cost as much as a simulation.
  Result<std::optional<StretchBounds>> find_bounds(std::string_view fingerprint, Seconds stretch_floor);
  Result<void> put_bounds(std::string_view fingerprint, Seconds stretch_floor, const StretchBounds& bounds);

  /// Copies all results and bounds that are missing here from the store at `path`, in one step. That store must exist,
  /// have the same purpose (`facts`) and not be in use; it is not changed. Errors: those of opening it, without
  /// waiting.
  Result<void> take_in(const std::string& path, std::span<const StoreFact> facts);

 private:
  ResultStore(Database database, WorkerSlot worker) : database_(std::move(database)), worker_(std::move(worker)) {}
  Result<void> prepare(std::span<const StoreFact> facts, Access access);
  Result<void> make_or_check(std::span<const StoreFact> facts);
  Result<void> make(std::span<const StoreFact> facts);
  Result<void> check(std::span<const StoreFact> facts);
  Result<void> check_facts(std::span<const StoreFact> facts);
  Result<void> check_program();
  Result<std::int64_t> settings_id(std::string_view settings);
  Result<bool> has(const SimulationKey& key, std::int64_t settings);
  Result<std::int64_t> worker_on(const SimulationKey& key, std::int64_t settings);
  Result<Statement*> statement(const std::string& sql);
  Result<void> drop_claims();
  Result<void> copy_settings(Database& other);
  Result<void> copy_results(Database& other);
  Result<void> copy_bounds(Database& other);

  std::mutex mutex_;
  Database database_;
  WorkerSlot worker_;
  bool opened_ = false;  // nothing is written to a store that is refused
  std::map<std::string, Statement> statements_;
  std::map<std::string, std::int64_t, std::less<>> settings_;
};

}  // namespace dfrs::sim
