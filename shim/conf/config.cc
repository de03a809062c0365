// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/config.h"

#include <fmt/format.h>

namespace dfrs::shim {
namespace {

std::string pause_by(const PauseRules& rules) {
  if (rules.none()) return "none";
  if (rules.suspend && rules.requeue) return "suspend,requeue";
  return rules.suspend ? "suspend" : "requeue";
}

const char* lost_work(const PauseRules& rules) { return rules.accept_lost_work ? "accept" : "refuse"; }

const char* weight(WeightRule rule) {
  switch (rule) {
    case WeightRule::none:
      return "none";
    case WeightRule::priority:
      return "priority";
    case WeightRule::qos:
      return "qos";
    case WeightRule::fair_share:
      return "fairshare";
  }
  return "?";
}

std::string number_or_measured(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "measured";
}

const char* yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

Config::Config() : algorithm(*parse_algorithm(kDefaultAlgorithm)) {}

const PartitionConfig* Config::partition(std::string_view name) const {
  for (const PartitionConfig& partition : partitions) {
    if (partition.name == name) return &partition;
  }
  return nullptr;
}

std::string format_config(const Config& config) {
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    // The characters that mean something to the parser.
    const char* quote = value.find_first_of(" \t#\\") != std::string::npos ? "\"" : "";
    fmt::format_to(std::back_inserter(text), "{0}={1}{2}{1}\n", key, quote, value);
  };
  line("Algorithm", algorithm_name(config.algorithm));
  line("Period", fmt::format("{}", config.period));
  std::string names;
  for (const PartitionConfig& partition : config.partitions) names += (names.empty() ? "" : ",") + partition.name;
  line("Partitions", names);
  line("PauseBy", pause_by(config.pausing));
  line("LostWork", lost_work(config.pausing));
  line("CheckpointMark", config.checkpoint_mark);
  line("MinProgress", fmt::format("{}", config.min_progress));
  line("MaxLostRuns", fmt::format("{}", config.max_lost_runs));
  line("SuspendNeedsSwap", yes_no(config.suspend_needs_swap));
  line("SwapRate", number_or_measured(config.swap_rate));
  line("RestartCost", number_or_measured(config.restart_cost));
  line("Weight", weight(config.weight));
  line("CpuNeed", config.measure_cpu_need ? "measured" : "asked");
  line("CpuNeedFloor", fmt::format("{}", config.cpu_need_floor));
  line("QuotaMode", config.enforce_quotas ? "enforce" : "off");
  line("AgentPort", fmt::format("{}{}", config.agent_port.after_slurmd ? "slurmd+" : "", config.agent_port.number));
  line("ControlPort", fmt::format("{}", config.control_port));
  line("QuotaWait", fmt::format("{}", config.quota_wait_ms));
  line("CommentInterval", fmt::format("{}", config.comment_interval));
  line("StockBackfill", yes_no(config.stock_backfill));
  if (!config.record_file.empty()) line("RecordFile", config.record_file);
  for (const PartitionConfig& partition : config.partitions) {
    if (partition.pausing == config.pausing) continue;
    fmt::format_to(std::back_inserter(text), "PartitionName={} PauseBy={} LostWork={}\n", partition.name,
                   pause_by(partition.pausing), lost_work(partition.pausing));
  }
  return text;
}

}  // namespace dfrs::shim
