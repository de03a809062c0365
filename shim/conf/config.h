// SPDX-License-Identifier: GPL-2.0-or-later
// The values of dfrs.conf, all checked. settings.h has the table by which they are read and printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/core/units.h"

namespace dfrs::shim {

/// Ways of pausing a job that are allowed.
struct PauseRules {
  bool suspend = true;            ///< PauseBy has "suspend": stopped on its nodes, its memory may go to swap
  bool requeue = true;            ///< PauseBy has "requeue": ended and started again later
  bool accept_lost_work = false;  ///< LostWork=accept: also requeue jobs that declare no checkpoints
  bool checkpoint = false;        ///< PauseBy has "checkpoint": marked jobs are dumped, ended and restored later

  bool none() const { return !suspend && !requeue && !checkpoint; }
  /// What pauses do by these rules, as Pauses= says it: "kept", "suspended" (and nothing else), "none", "lost" or
  /// "mixed" (only jobs with checkpoints are paused); "kept or lost" if PauseBy and LostWork allow both for one job.
  const char* word() const {
    if (none()) return "none";
    if (!suspend) return requeue && accept_lost_work ? "lost" : "mixed";
    if (!requeue && !checkpoint) return "suspended";
    return requeue && accept_lost_work ? "kept or lost" : "kept";
  }
  friend bool operator==(const PauseRules&, const PauseRules&) = default;
};

/// A managed partition.
struct PartitionConfig {
  std::string name;    ///< exactly as in slurm.conf
  PauseRules pausing;  ///< the partition's own, or the global ones

  friend bool operator==(const PartitionConfig&, const PartitionConfig&) = default;
};

/// Where the node agents listen.
struct AgentPort {
  bool after_slurmd = false;  ///< "slurmd+N": the node's slurmd port plus `number`
  std::uint16_t number = 6821;

  /// The port of the agent beside a slurmd on `slurmd_port`; 0 if there is no such port (above 65535).
  std::uint16_t of(std::uint16_t slurmd_port) const {
    const std::uint32_t port = after_slurmd ? std::uint32_t{slurmd_port} + number : number;
    return port <= 65535 ? static_cast<std::uint16_t>(port) : std::uint16_t{0};
  }
  friend bool operator==(const AgentPort&, const AgentPort&) = default;
};

/// Where the weights of jobs come from (shim/controller/weights.h).
enum class WeightRule : std::uint8_t { none, priority, qos, fair_share };

/// Whether slurmctld saves a job before it launches it; `automatic`: where saves are quick (plugin/saving.h).
enum class SaveBeforeLaunch : std::uint8_t { automatic, yes, no };

/// The defaults are those of dfrs.conf. Members are in the order of etc/dfrs.conf.example; the ranges are
/// those of settings.cc.
struct Config {
  Algorithm algorithm;                      ///< Algorithm
  Seconds period = 600;                     ///< Period, 0.001 .. 1e9
  std::vector<PartitionConfig> partitions;  ///< Partitions; at least one, all different, in the order of the file
  PauseRules pausing;                       ///< PauseBy, LostWork: of partitions without rules of their own
  std::string checkpoint_mark = "dfrs:checkpoint";  ///< CheckpointMark; a word, not empty
  std::string criu_mark = "dfrs:criu";              ///< CriuMark; a word, not empty
  std::optional<std::string> checkpoint_folder;     ///< CheckpointFolder; absolute, set if a PauseBy has checkpoint
  bool checkpoint_folder_shared = true;             ///< CheckpointFolderShared
  std::optional<double> checkpoint_rate;            ///< CheckpointRate, 0.001 .. 1e9 MiB/s; none: measured
  Seconds checkpoint_timeout = 300;                 ///< CheckpointTimeout, 1 .. 86,400
  Seconds min_progress = 60;                        ///< MinProgress, 0 .. 1e9 s of virtual time
  std::uint32_t max_lost_runs = 3;                  ///< MaxLostRuns, 0 .. 1e6
  bool suspend_needs_swap = true;                   ///< SuspendNeedsSwap
  std::optional<double> swap_rate;                  ///< SwapRate, 0.001 .. 1e9 MiB/s; none: measured
  std::optional<Seconds> restart_cost;              ///< RestartCost, 0 .. 1e9; none: measured
  WeightRule weight = WeightRule::none;             ///< Weight
  bool charge_by_yield = true;                      ///< ChargeBy=yield
  bool measure_cpu_need = false;                    ///< CpuNeed=measured
  double cpu_need_floor = 0.1;                      ///< CpuNeedFloor, 0.01 .. 1, of what the job asked for
  bool enforce_quotas = true;                       ///< QuotaMode=enforce
  AgentPort agent_port;                             ///< AgentPort
  std::string control_address = "0.0.0.0";          ///< ControlAddress; a numeric address
  std::uint16_t control_port = 6822;                ///< ControlPort, 1 .. 65535
  double control_requests = 120;                    ///< ControlRequests, 1 .. 1e6 a minute and user
  double control_repacks = 6;                       ///< ControlRepacks, 0.1 .. 1e6 a minute and user
  bool control_metrics = true;                      ///< ControlMetrics
  std::uint32_t quota_wait_ms = 100;                ///< QuotaWait, 0 .. 10,000
  Seconds comment_interval = 10;                    ///< CommentInterval, 0 (never) .. 86,400
  SaveBeforeLaunch save_before_launch = SaveBeforeLaunch::automatic;  ///< SaveBeforeLaunch
  bool stock_backfill = true;                                         ///< StockBackfill
  std::optional<std::string> record_file;                             ///< RecordFile; absolute

  /// The defaults; partitions are still to be filled in.
  Config();
  /// The managed partition of that name (Slurm compares exactly), or null.
  const PartitionConfig* partition(std::string_view name) const;
};

/// The algorithm of a dfrs.conf that names none.
inline constexpr const char* kDefaultAlgorithm = "Triage";

/// All settings, defaults included, in the syntax of dfrs.conf. parse_config() turns the text into an equal Config.
std::string format_config(const Config& config);

}  // namespace dfrs::shim
