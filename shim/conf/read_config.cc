// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/read_config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "base/files.h"
#include "policy/core/nearest_name.h"
#include "shim/conf/settings.h"

namespace dfrs::shim {
namespace {

constexpr std::size_t kMaxMark = 64;
constexpr std::size_t kMaxPartitions = 10000;

// What a partition says of pausing, and what the whole file does; empty: not said.
struct PauseKeys {
  std::optional<bool> suspend;
  std::optional<bool> requeue;
  std::optional<bool> accept_lost_work;

  PauseRules over(const PauseRules& defaults) const {
    return {suspend.value_or(defaults.suspend), requeue.value_or(defaults.requeue),
            accept_lost_work.value_or(defaults.accept_lost_work)};
  }
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

// ", did you mean 'x'?" where something valid is near, else the valid ones.
std::string advice(std::string_view word, const std::vector<std::string>& valid) {
  const std::string_view nearest = nearest_name(word, valid);
  if (!nearest.empty() && edit_distance(word, nearest) <= std::max<std::size_t>(1, nearest.size() / 3)) {
    return fmt::format("; did you mean '{}'?", nearest);
  }
  return fmt::format("; expected {}", fmt::join(valid, ", "));
}

std::string why_no_solver(const Algorithm& algorithm) {
  const std::string name = algorithm_name(algorithm);
  const auto* dfrs = std::get_if<DfrsAlgorithm>(&algorithm);
  if (dfrs == nullptr) {
    return fmt::format(
        "{} needs a solver of linear programs, which is not loaded into slurmctld since it could end it; "
        "take an algorithm that does without (dfrs-sim simulates this one, too)",
        name);
  }
  DfrsAlgorithm other = *dfrs;
  other.objective = other.objective == DfrsAlgorithm::Objective::avg_yield ? DfrsAlgorithm::Objective::min_yield
                                                                           : DfrsAlgorithm::Objective::max_stretch;
  return fmt::format(
      "{} needs a solver of linear programs for OPT=AVG, which is not loaded into slurmctld since it "
      "could end it; take {} instead (dfrs-sim simulates both)",
      name, algorithm_name(other));
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  tl::expected<Config, ConfigErrors> run(std::string_view text) {
    const Settings settings = parse_settings(text);
    for (const SyntaxError& e : settings.errors) add_error(e.line, "", e.message);
    for (const Setting& setting : settings.list) take(setting);
    finish(settings.errors.empty());
    if (errors_.empty()) return std::move(config_);
    std::stable_sort(errors_.begin(), errors_.end(), [](const ConfigError& a, const ConfigError& b) {
      return (a.line == 0 ? ~std::size_t{0} : a.line) < (b.line == 0 ? ~std::size_t{0} : b.line);
    });
    return tl::unexpected<ConfigErrors>(std::move(errors_));
  }

 private:
  using Take = void (Reader::*)(const Setting&);
  struct Key {
    const char* name;
    Take take;
    bool of_partition;  // may also stand on a PartitionName line
  };
  static const std::vector<Key>& keys() {
    static const std::vector<Key> kKeys = {
        {"Algorithm", &Reader::take_algorithm, false},
        {"Period", &Reader::take_period, false},
        {"Partitions", &Reader::take_partitions, false},
        {"PauseBy", &Reader::take_pause_by, true},
        {"LostWork", &Reader::take_lost_work, true},
        {"CheckpointMark", &Reader::take_checkpoint_mark, false},
        {"MinProgress", &Reader::take_min_progress, false},
        {"MaxLostRuns", &Reader::take_max_lost_runs, false},
        {"SuspendNeedsSwap", &Reader::take_suspend_needs_swap, false},
        {"SwapRate", &Reader::take_swap_rate, false},
        {"RestartCost", &Reader::take_restart_cost, false},
        {"Weight", &Reader::take_weight, false},
        {"CpuNeed", &Reader::take_cpu_need, false},
        {"CpuNeedFloor", &Reader::take_cpu_need_floor, false},
        {"QuotaMode", &Reader::take_quota_mode, false},
        {"AgentPort", &Reader::take_agent_port, false},
        {"ControlPort", &Reader::take_control_port, false},
        {"QuotaWait", &Reader::take_quota_wait, false},
        {"CommentInterval", &Reader::take_comment_interval, false},
        {"StockBackfill", &Reader::take_stock_backfill, false},
        {"RecordFile", &Reader::take_record_file, false},
    };
    return kKeys;
  }
  static std::vector<std::string> key_names(bool of_partition_only) {
    std::vector<std::string> names;
    for (const Key& key : keys()) {
      if (!of_partition_only || key.of_partition) names.emplace_back(key.name);
    }
    if (!of_partition_only) names.emplace_back("PartitionName");
    return names;
  }

  void add_error(std::size_t line, std::string_view key, std::string message) {
    errors_.push_back({file_, line, std::string(key), std::move(message), false});
  }
  void add_error(const Setting& setting, std::string message) {
    add_error(setting.line, setting.key, std::move(message));
  }

  // A line with PartitionName is about that partition up to its end; all other settings are of the whole file.
  void take(const Setting& setting) {
    if (setting.first) partition_ = nullptr;
    const std::string lower = lower_case(setting.key);
    if (lower == "partitionname") {
      begin_partition(setting);
      return;
    }
    const auto key =
        std::find_if(keys().begin(), keys().end(), [&](const Key& k) { return lower_case(k.name) == lower; });
    if (key == keys().end()) {
      add_error(setting, "unknown key" + advice(setting.key, key_names(partition_ != nullptr)));
      return;
    }
    if (partition_ != nullptr && !key->of_partition) {
      add_error(setting, fmt::format("is a setting of the whole file, not of one partition: give it a line of its own "
                                     "(partitions have {})",
                                     fmt::join(key_names(true), " and ")));
      return;
    }
    auto& seen = partition_ != nullptr ? partition_->seen : seen_;
    const auto [earlier, is_new] = seen.emplace(lower, setting.line);
    if (!is_new) {
      add_error(setting, fmt::format("is given twice, first in line {}: keep one of them", earlier->second));
      return;
    }
    if (setting.value.empty()) {
      add_error(setting, "has no value; leave the line out for the default");
      return;
    }
    Setting named = setting;
    named.key = key->name;
    (this->*key->take)(named);
  }

  void begin_partition(const Setting& setting) {
    partition_ = &ignored_partition_;
    ignored_partition_ = {};
    if (!setting.first) {
      add_error(setting, "must be the first on its line");
      return;
    }
    if (setting.value.empty()) {
      add_error(setting, "has no value: name one of the partitions of Partitions=");
      return;
    }
    const auto [place, is_new] = rules_.try_emplace(setting.value);
    if (!is_new) {
      add_error(setting, fmt::format("partition '{}' has a line already, line {}: put all its settings there",
                                     setting.value, place->second.line));
      return;
    }
    partition_ = &place->second;
    partition_->line = setting.line;
  }

  PauseKeys& pause_keys() { return partition_ != nullptr ? partition_->pausing : pausing_; }

  // ---- values

  std::optional<double> number(const Setting& setting, double least, double most, const char* unit) {
    double value = 0;
    const char* end = setting.value.data() + setting.value.size();
    const auto [stop, code] = std::from_chars(setting.value.data(), end, value);
    if (code == std::errc{} && stop == end && std::isfinite(value) && value >= least && value <= most) return value;
    add_error(setting, fmt::format("'{}' is not a number of {} from {} to {}", setting.value, unit, least, most));
    return {};
  }

  std::optional<std::uint32_t> whole(const Setting& setting, std::uint32_t least, std::uint32_t most,
                                     const char* what) {
    std::uint32_t value = 0;
    const char* end = setting.value.data() + setting.value.size();
    const auto [stop, code] = std::from_chars(setting.value.data(), end, value);
    if (code == std::errc{} && stop == end && value >= least && value <= most) return value;
    add_error(setting, fmt::format("'{}' is not {} from {} to {}", setting.value, what, least, most));
    return {};
  }

  // Index in `words`, of any case.
  std::optional<std::size_t> one_of(const Setting& setting, std::string_view value,
                                    const std::vector<std::string>& words) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (lower_case(value) == words[k]) return k;
    }
    add_error(setting, fmt::format("'{}' is not a value it takes{}", value, advice(value, words)));
    return {};
  }

  void yes_no(const Setting& setting, bool& target) {
    if (const auto index = one_of(setting, setting.value, {"yes", "no"})) target = *index == 0;
  }

  void number_or_measured(const Setting& setting, double least, const char* unit, std::optional<double>& target) {
    if (lower_case(setting.value) == "measured") {
      target.reset();
      return;
    }
    if (const auto value = number(setting, least, 1e9, unit)) target = *value;
  }

  // ---- keys

  void take_algorithm(const Setting& setting) {
    const auto algorithm = parse_algorithm(setting.value);
    if (!algorithm) {
      add_error(setting, algorithm.error().message + " (`dfrs-sim list` shows all names)");
      return;
    }
    if (traits_of(*algorithm).needs_lp_solver) {
      add_error(setting, why_no_solver(*algorithm));
      return;
    }
    config_.algorithm = *algorithm;
  }

  void take_period(const Setting& setting) {
    if (const auto value = number(setting, 1e-3, 1e9, "seconds")) config_.period = *value;
  }

  void take_partitions(const Setting& setting) {
    std::map<std::string, bool> seen;
    const std::vector<std::string> names = split(setting.value);
    if (names.size() > kMaxPartitions) {
      add_error(setting, fmt::format("more than {} partitions", kMaxPartitions));
      return;
    }
    for (const std::string& name : names) {
      if (name.empty()) {
        add_error(setting, fmt::format("an empty name in '{}': expected names of partitions with commas between them",
                                       setting.value));
      } else if (lower_case(name) == "default") {
        add_error(setting, "DEFAULT is no partition: in slurm.conf it holds the settings that others begin with");
      } else if (name.find_first_of(" \t") != std::string::npos) {
        add_error(setting, fmt::format("'{}' has a blank in it, a partition's name has none", name));
      } else if (!seen.emplace(name, true).second) {
        add_error(setting, fmt::format("'{}' is named twice", name));
      } else {
        config_.partitions.push_back({name, {}});
      }
    }
  }

  void take_pause_by(const Setting& setting) {
    bool suspend = false;
    bool requeue = false;
    bool none = false;
    const std::vector<std::string> words = split(setting.value);
    for (const std::string& word : words) {
      const auto way = one_of(setting, word, {"suspend", "requeue", "none"});
      if (!way) return;
      bool& flag = *way == 0 ? suspend : *way == 1 ? requeue : none;
      if (flag) {
        add_error(setting, fmt::format("'{}' is named twice", lower_case(word)));
        return;
      }
      flag = true;
    }
    if (none && words.size() > 1) {
      add_error(setting, "'none' stands alone: it allows no way of pausing");
      return;
    }
    pause_keys().suspend = suspend;
    pause_keys().requeue = requeue;
  }

  void take_lost_work(const Setting& setting) {
    if (const auto index = one_of(setting, setting.value, {"refuse", "accept"})) {
      pause_keys().accept_lost_work = *index == 1;
    }
  }

  void take_checkpoint_mark(const Setting& setting) {
    if (setting.value.size() > kMaxMark || setting.value.find_first_of(" \t,") != std::string::npos) {
      add_error(setting, fmt::format("'{}' is not one word of at most {} characters without blanks and commas",
                                     setting.value.substr(0, kMaxMark + 1), kMaxMark));
      return;
    }
    config_.checkpoint_mark = setting.value;
  }

  void take_min_progress(const Setting& setting) {
    if (const auto value = number(setting, 0, 1e9, "seconds of virtual time")) config_.min_progress = *value;
  }
  void take_max_lost_runs(const Setting& setting) {
    if (const auto value = whole(setting, 0, 1'000'000, "a number of runs")) config_.max_lost_runs = *value;
  }
  void take_suspend_needs_swap(const Setting& setting) { yes_no(setting, config_.suspend_needs_swap); }
  void take_swap_rate(const Setting& setting) {
    number_or_measured(setting, 1e-3, "MiB per second", config_.swap_rate);
  }
  void take_restart_cost(const Setting& setting) { number_or_measured(setting, 0, "seconds", config_.restart_cost); }
  void take_weight(const Setting& setting) {
    if (const auto index = one_of(setting, setting.value, {"none", "priority", "qos", "fairshare"})) {
      config_.weight = static_cast<WeightRule>(*index);
    }
  }
  void take_cpu_need(const Setting& setting) {
    if (const auto index = one_of(setting, setting.value, {"asked", "measured"})) {
      config_.measure_cpu_need = *index == 1;
    }
  }
  void take_cpu_need_floor(const Setting& setting) {
    if (const auto value = number(setting, 0.01, 1, "the CPU asked for")) config_.cpu_need_floor = *value;
  }
  void take_quota_mode(const Setting& setting) {
    if (const auto index = one_of(setting, setting.value, {"enforce", "off"})) config_.enforce_quotas = *index == 0;
  }

  void take_agent_port(const Setting& setting) {
    constexpr std::string_view kAfter = "slurmd+";
    Setting port = setting;
    const bool after = lower_case(setting.value).starts_with(kAfter);
    if (after) port.value.erase(0, kAfter.size());
    const auto value =
        whole(port, 1, 65535, after ? "a distance to slurmd's port, slurmd+N with N" : "a port, or slurmd+N,");
    if (!value) return;
    config_.agent_port = {after, static_cast<std::uint16_t>(*value)};
    agent_port_line_ = setting.line;
  }
  void take_control_port(const Setting& setting) {
    if (const auto value = whole(setting, 1, 65535, "a port")) {
      config_.control_port = static_cast<std::uint16_t>(*value);
      control_port_line_ = setting.line;
    }
  }
  void take_quota_wait(const Setting& setting) {
    if (const auto value = whole(setting, 0, 10'000, "a number of milliseconds")) config_.quota_wait_ms = *value;
  }
  void take_comment_interval(const Setting& setting) {
    if (const auto value = number(setting, 0, 86'400, "seconds")) config_.comment_interval = *value;
  }
  void take_stock_backfill(const Setting& setting) { yes_no(setting, config_.stock_backfill); }
  void take_record_file(const Setting& setting) {
    if (setting.value.front() != '/') {
      add_error(setting,
                fmt::format("'{}' is not an absolute path: slurmctld's working folder is not yours", setting.value));
      return;
    }
    config_.record_file = setting.value;
  }

  // ---- what hangs on several keys

  void finish(bool whole_file_read) {
    config_.pausing = pausing_.over(PauseRules{});
    // A line that could not be read may have been the one that is missed.
    if (seen_.find("partitions") == seen_.end() && whole_file_read) {
      add_error(0, "Partitions", "is missing: name the partitions that dfrs shall manage, such as Partitions=dfrs");
    }
    if (config_.agent_port.number == config_.control_port && !config_.agent_port.after_slurmd) {
      add_error(std::max(agent_port_line_, control_port_line_),
                control_port_line_ > agent_port_line_ ? "ControlPort" : "AgentPort",
                fmt::format("AgentPort and ControlPort are both {}: on a host with slurmctld and a node agent they "
                            "would clash; take another for one of them",
                            config_.control_port));
    }
    for (PartitionConfig& partition : config_.partitions) {
      const auto rules = rules_.find(partition.name);
      partition.pausing = rules == rules_.end() ? config_.pausing : rules->second.pausing.over(config_.pausing);
    }
    std::vector<std::string> managed;
    for (const PartitionConfig& partition : config_.partitions) managed.push_back(partition.name);
    for (const auto& [name, rules] : rules_) {
      if (config_.partition(name) != nullptr || managed.empty()) continue;
      add_error(rules.line, "PartitionName",
                fmt::format("'{}' is not one of Partitions={}, so that its settings would mean nothing{}", name,
                            fmt::join(managed, ","), advice(name, managed)));
    }
  }

  struct PartitionLine {
    std::size_t line = 0;
    PauseKeys pausing;
    std::map<std::string, std::size_t> seen;
  };

  const std::string& file_;
  Config config_;
  ConfigErrors errors_;
  PauseKeys pausing_;
  std::map<std::string, std::size_t> seen_;  // keys of the whole file: line
  std::map<std::string, PartitionLine> rules_;
  PartitionLine ignored_partition_;     // of a PartitionName that was refused: its settings are still checked
  PartitionLine* partition_ = nullptr;  // whose line this is
  std::size_t agent_port_line_ = 0;
  std::size_t control_port_line_ = 0;
};

}  // namespace

std::string ConfigError::text() const {
  std::string where = line == 0 ? file : fmt::format("{}:{}", file, line);
  return key.empty() ? fmt::format("{}: {}", where, message) : fmt::format("{}: {}: {}", where, key, message);
}

tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::string& file) {
  return Reader(file).run(text);
}

tl::expected<Config, ConfigErrors> read_config(const std::string& path) {
  const auto fail = [&](std::string message) {
    return tl::unexpected<ConfigErrors>(ConfigErrors{ConfigError{path, 0, "", std::move(message), true}});
  };
  // Not blocking: slurmctld must not hang on a pipe that nobody writes to.
  const base::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return fail("is not a regular file");
  const auto text = base::read_all(fd.get(), kMaxConfigBytes);
  if (!text && text.error() == EFBIG) {
    return fail(fmt::format("is larger than {} bytes: not a dfrs.conf", kMaxConfigBytes));
  }
  if (!text) return fail(fmt::format("cannot be read: {}", std::strerror(text.error())));
  return parse_config(*text, path);
}

}  // namespace dfrs::shim
