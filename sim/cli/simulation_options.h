// SPDX-License-Identifier: GPL-2.0-or-later
// The options about how instances are simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/command_line.h"
#include "sim/cli/workload_options.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

/// How instances are simulated.
class SimulationOptions {
 public:
  void add(const base::Command& app);
  /// Call this before what follows. Chooses what --batch-nodes auto means for these instances, and says on standard
  /// error if that is `packed`.
  void fit(std::span<const Instance> instances, const SourceFacts& facts);
  SimOptions sim() const;
  PauseWorld world() const;
  record::SwapSize swap() const;
  Seconds stretch_floor() const { return stretch_floor_; }
  /// The most jobs in the system at once; 0: no fixed limit.
  std::size_t most_jobs() const;
  /// Whether a run in which jobs pile up and are moved about without end is ended: unless --most-jobs says otherwise.
  bool ends_pile_ups() const { return most_jobs_.empty(); }
  /// A description for reports: "penalty 300 s, period 600 s, ...".
  std::string describe() const;
  /// All options as on a command line, defaults included.
  std::string text() const;

 private:
  bool packs() const { return batch_nodes_ == "packed"; }

  std::optional<base::Command> app_;
  std::string penalty_ = "300";
  Seconds period_ = 600;
  Seconds stretch_floor_ = 10;
  bool discover_needs_ = false;
  double need_floor_ = NeedRule{}.floor;
  Seconds priority_floor_ = 0;
  std::string instants_ = "apart";
  std::string passes_ = "instant";
  std::string batch_nodes_ = "auto";  // never after fit()
  std::string pauses_ = "kept";
  std::string swap_ = "unlimited";
  Seconds min_progress_ = 60;
  std::uint32_t max_lost_runs_ = 3;
  bool requeue_kept_ = false;
  std::string most_jobs_;
};

}  // namespace dfrs::sim
