// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/settings.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "policy/core/nearest_name.h"
#include "policy/rr7659/algorithm.h"
#include "shim/conf/key_values.h"

namespace dfrs::shim {
namespace {

constexpr std::size_t kMaxMark = 64;
constexpr std::size_t kMaxPartitions = 10000;
// As long as the protocol of the node agents takes.
constexpr std::size_t kMaxCheckpointFolder = 512;

using Outcome = tl::expected<void, ValueErrors>;
template <typename Value>
using Parsed = tl::expected<Value, ValueErrors>;

tl::unexpected<ValueErrors> refused(std::string message) { return tl::unexpected(ValueErrors{std::move(message)}); }

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

// ---- kinds of values

/// `what` is a phrase such as "a number of seconds".
template <typename Number>
struct Range {
  const char* what;
  Number least;
  Number most;

  std::string text() const { return fmt::format("{} from {} to {}", what, least, most); }
};

template <typename Number>
Parsed<Number> parse(const std::string& value, const Range<Number>& range) {
  Number number{};
  const char* const end = value.data() + value.size();
  const auto [stop, code] = std::from_chars(value.data(), end, number);
  // Not a number compares false.
  if (code == std::errc{} && stop == end && number >= range.least && number <= range.most) return number;
  return refused(fmt::format("'{}' is not {}", value, range.text()));
}

// The index in `words`, in any case.
Parsed<std::size_t> parse_word(std::string_view value, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), lower_case(value));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  return refused(fmt::format("'{}' is not a valid value{}", value, suggestion(value, words)));
}

// A number within a range, kept in a member of Config.
template <typename Member, typename Number>
Setting number_setting(Setting about, Member Config::* target, Range<Number> range) {
  about.values = range.text();
  about.read = [=](const std::string& value, SettingTarget into) -> Outcome {
    return parse(value, range).map([&](Number number) { into.config.*target = static_cast<Member>(number); });
  };
  about.format = [=](const Config& config, const PauseRules&) { return fmt::format("{}", config.*target); };
  return about;
}

// A number, or "measured".
Setting measured_setting(Setting about, std::optional<double> Config::* target, Range<double> range) {
  about.values = "measured, or " + range.text();
  about.read = [=](const std::string& value, SettingTarget into) -> Outcome {
    if (lower_case(value) == "measured") {
      (into.config.*target).reset();
      return {};
    }
    const auto number = parse(value, range);
    if (!number) return refused(number.error().front() + ", nor 'measured'");
    into.config.*target = *number;
    return {};
  };
  about.format = [=](const Config& config, const PauseRules&) {
    return config.*target ? fmt::format("{}", *(config.*target)) : "measured";
  };
  return about;
}

// One of several words; the k-th means the k-th of `meanings`.
template <typename Value>
Setting word_setting(Setting about, Value Config::* target, std::vector<std::string> words,
                     std::vector<Value> meanings) {
  about.values = fmt::format("{}", fmt::join(words, ", "));
  about.read = [=](const std::string& value, SettingTarget into) -> Outcome {
    return parse_word(value, words).map([&](std::size_t k) { into.config.*target = meanings[k]; });
  };
  about.format = [=](const Config& config, const PauseRules&) {
    const auto found = std::find(meanings.begin(), meanings.end(), config.*target);
    return words.at(static_cast<std::size_t>(found - meanings.begin()));
  };
  return about;
}

Setting yes_no_setting(Setting about, bool Config::* target) {
  return word_setting<bool>(std::move(about), target, {"yes", "no"}, {true, false});
}

// ---- settings with a syntax of their own

Setting algorithm_setting(Setting about) {
  about.values = "a name as `dfrs-sim list` shows it, other than GANG and yardsticks";
  about.read = [](const std::string& value, SettingTarget into) -> Outcome {
    const auto algorithm = parse_algorithm(value);
    if (!algorithm) return refused(algorithm.error().message + " (`dfrs-sim list` shows all names)");
    if (const std::string_view why = algorithm->traits.only_simulated; !why.empty()) {
      return refused(fmt::format("{} runs in dfrs-sim only: {}", algorithm_name(*algorithm), why));
    }
    into.config.algorithm = *algorithm;
    return {};
  };
  about.format = [](const Config& config, const PauseRules&) { return algorithm_name(config.algorithm); };
  return about;
}

Outcome read_partitions(const std::string& value, SettingTarget into) {
  const std::vector<std::string> names = split(value);
  if (names.size() > kMaxPartitions) return refused(fmt::format("more than {} partitions", kMaxPartitions));
  ValueErrors errors;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) {
      errors.push_back(
          fmt::format("an empty name in '{}': expected names of partitions with commas between them", value));
    } else if (lower_case(name) == "default") {
      errors.emplace_back("DEFAULT is not a partition: in slurm.conf it holds the defaults of the partitions after it");
    } else if (name.find_first_of(" \t") != std::string::npos) {
      errors.push_back(fmt::format("'{}' contains a blank, which partition names cannot", name));
    } else if (!seen.insert(name).second) {
      errors.push_back(fmt::format("'{}' is named twice", name));
    } else {
      into.config.partitions.push_back({name, {}});
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return {};
}

Setting partitions_setting(Setting about) {
  about.required = true;
  about.values = "names of partitions with commas between them";
  about.read = read_partitions;
  about.format = [](const Config& config, const PauseRules&) {
    std::vector<std::string_view> names;
    for (const PartitionConfig& partition : config.partitions) names.push_back(partition.name);
    return fmt::format("{}", fmt::join(names, ","));
  };
  return about;
}

// One word for PauseBy and LostWork. Printed as these, so that there is one way to say it.
Setting pauses_setting(Setting about) {
  static const std::vector<std::pair<std::string, PauseRules>> kWords{{"kept", {true, true, false}},
                                                                      {"suspended", {true, false, false}},
                                                                      {"none", {false, false, false}},
                                                                      {"lost", {false, true, true}},
                                                                      {"mixed", {false, true, false}}};
  std::vector<std::string> words;
  for (const auto& [word, rules] : kWords) words.push_back(word);
  about.place = Setting::Place::file_or_partition;
  about.values = fmt::format("{}", fmt::join(words, ", "));
  about.read = [=](const std::string& value, SettingTarget into) -> Outcome {
    return parse_word(value, words).map([&](std::size_t k) { into.pausing.by_word = kWords[k].second; });
  };
  about.format = [](const Config&, const PauseRules&) { return std::nullopt; };
  return about;
}

Outcome read_pause_by(const std::string& value, SettingTarget into) {
  bool suspend = false;
  bool requeue = false;
  bool checkpoint = false;
  bool none = false;
  const std::array<bool*, 4> flags{&suspend, &requeue, &checkpoint, &none};
  const std::vector<std::string> words = split(value);
  for (const std::string& word : words) {
    const auto way = parse_word(word, {"suspend", "requeue", "checkpoint", "none"});
    if (!way) return tl::unexpected(way.error());
    bool& flag = *flags.at(*way);
    if (flag) return refused(fmt::format("'{}' is named twice", lower_case(word)));
    flag = true;
  }
  if (none && words.size() > 1)
    return refused("'none' cannot be combined with other ways: it allows no way of pausing");
  into.pausing.suspend = suspend;
  into.pausing.requeue = requeue;
  into.pausing.checkpoint = checkpoint;
  return {};
}

Setting pause_by_setting(Setting about) {
  about.place = Setting::Place::file_or_partition;
  about.values = "one or more of suspend, requeue and checkpoint with commas between them, or none";
  about.read = read_pause_by;
  about.format = [](const Config&, const PauseRules& rules) {
    std::vector<std::string_view> ways;
    if (rules.suspend) ways.emplace_back("suspend");
    if (rules.requeue) ways.emplace_back("requeue");
    if (rules.checkpoint) ways.emplace_back("checkpoint");
    return rules.none() ? "none" : fmt::format("{}", fmt::join(ways, ","));
  };
  return about;
}

Setting lost_work_setting(Setting about) {
  const std::vector<std::string> words{"refuse", "accept"};
  about.place = Setting::Place::file_or_partition;
  about.values = fmt::format("{}", fmt::join(words, ", "));
  about.read = [=](const std::string& value, SettingTarget into) -> Outcome {
    return parse_word(value, words).map([&](std::size_t k) { into.pausing.accept_lost_work = k == 1; });
  };
  about.format = [=](const Config&, const PauseRules& rules) { return words[rules.accept_lost_work ? 1 : 0]; };
  return about;
}

// A mark in a job's comment.
Setting mark_setting(Setting about, std::string Config::* target) {
  about.values = fmt::format("a word of at most {} characters, without blanks and commas", kMaxMark);
  about.read = [=](const std::string& value, SettingTarget into) -> Outcome {
    if (value.size() > kMaxMark || value.find_first_of(" \t,") != std::string::npos) {
      return refused(fmt::format("'{}' is not one word of at most {} characters without blanks and commas",
                                 value.substr(0, kMaxMark + 1), kMaxMark));
    }
    into.config.*target = value;
    return {};
  };
  about.format = [=](const Config& config, const PauseRules&) { return config.*target; };
  return about;
}

Setting checkpoint_folder_setting(Setting about) {
  about.values = fmt::format("an absolute path of at most {} characters", kMaxCheckpointFolder);
  about.read = [](const std::string& value, SettingTarget into) -> Outcome {
    const bool control = std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < ' '; });
    if (!value.starts_with('/') || value.size() > kMaxCheckpointFolder || control) {
      return refused(fmt::format("'{}' is not an absolute path of at most {} characters",
                                 control ? "..." : value.substr(0, kMaxMark), kMaxCheckpointFolder));
    }
    into.config.checkpoint_folder = value;
    return {};
  };
  about.format = [](const Config& config, const PauseRules&) { return config.checkpoint_folder; };
  return about;
}

Setting agent_port_setting(Setting about) {
  constexpr std::string_view kAfter = "slurmd+";
  constexpr Range<std::uint32_t> kPort{"a port", 1, 65535};
  about.values = fmt::format("{}, or slurmd+N: N above the port of the node's slurmd", kPort.text());
  about.read = [=](const std::string& value, SettingTarget into) -> Outcome {
    const bool after = lower_case(value).starts_with(kAfter);
    const auto number = parse(after ? value.substr(kAfter.size()) : value, kPort);
    if (!number) return refused(fmt::format("'{}' is not {}, nor slurmd+N with such an N", value, kPort.text()));
    into.config.agent_port = {after, static_cast<std::uint16_t>(*number)};
    return {};
  };
  about.format = [=](const Config& config, const PauseRules&) {
    return fmt::format("{}{}", config.agent_port.after_slurmd ? kAfter : "", config.agent_port.number);
  };
  return about;
}

Setting control_address_setting(Setting about) {
  about.values = "a numeric IPv4 or IPv6 address of slurmctld's host; 0.0.0.0 or :: for all";
  about.read = [](const std::string& value, SettingTarget into) -> Outcome {
    in6_addr address{};
    if (inet_pton(AF_INET, value.c_str(), &address) != 1 && inet_pton(AF_INET6, value.c_str(), &address) != 1)
      return refused(fmt::format("'{}' is not a numeric IPv4 or IPv6 address", value));
    into.config.control_address = value;
    return {};
  };
  about.format = [](const Config& config, const PauseRules&) { return config.control_address; };
  return about;
}

Setting record_file_setting(Setting about) {
  about.values = "an absolute path; compressed if it ends with .gz";
  about.read = [](const std::string& value, SettingTarget into) -> Outcome {
    if (!value.starts_with('/')) {
      return refused(
          fmt::format("'{}' is not an absolute path; slurmctld's working folder is not the one you are in", value));
    }
    into.config.record_file = value;
    return {};
  };
  about.format = [](const Config& config, const PauseRules&) { return config.record_file; };
  return about;
}

// Fields that a setting has by itself; the functions above add values, `read` and `format`.
Setting about(const char* name, const char* part, const char* meaning) {
  Setting setting;
  setting.name = name;
  setting.part = part;
  setting.meaning = meaning;
  return setting;
}

std::vector<Setting> all_settings() {
  using Real = Range<double>;
  using Whole = Range<std::uint32_t>;
  std::vector<Setting> all{
      algorithm_setting(
          about("Algorithm", "policy", "The algorithm that decides who runs where, when and at what yield.")),
      number_setting(about("Period", "policy", "Time between repacks, for algorithms with /per or /stretch-per."),
                     &Config::period, Real{"a number of seconds", 1e-3, 1e9}),
      partitions_setting(about("Partitions", "plugins",
                               "The partitions that dfrs manages, by their names in slurm.conf; all others keep "
                               "Slurm's own scheduling.")),
      pauses_setting(
          about("Pauses", "pausing",
                "What a pause may do to a job, in place of PauseBy and LostWork: it keeps its work (kept), also "
                "stays on its nodes (suspended), loses its work (lost), no job is paused (none), or only "
                "jobs with checkpoints are (mixed).")),
      pause_by_setting(about("PauseBy", "pausing",
                             "The ways of pausing a job that are allowed; dfrs takes the cheapest that the job and "
                             "its nodes allow.")),
      lost_work_setting(about("LostWork", "pausing",
                              "Whether a job that does not declare checkpoints of its own may be requeued, so that its "
                              "work is lost.")),
      mark_setting(about("CheckpointMark", "pausing",
                         "The word in a job's comment by which it declares that it continues from a "
                         "checkpoint of its own."),
                   &Config::checkpoint_mark),
      mark_setting(about("CriuMark", "pausing",
                         "The word in a job's comment by which its user lets PauseBy=checkpoint dump and restore it."),
                   &Config::criu_mark),
      checkpoint_folder_setting(about("CheckpointFolder", "pausing",
                                      "The folder for images of jobs, the same path on all nodes; jobs can move only "
                                      "if the nodes share it. PauseBy=checkpoint needs it.")),
      yes_no_setting(
          about("CheckpointFolderShared", "pausing",
                "Whether all nodes see the same files in CheckpointFolder. If not, only jobs on one node are "
                "checkpointed, they do not move, and continue only on that node."),
          &Config::checkpoint_folder_shared),
      number_setting(about("CheckpointTimeout", "pausing",
                           "How long it may take to dump a job on all its nodes; then the job continues where it is."),
                     &Config::checkpoint_timeout, Real{"a number of seconds", 1, 86'400}),
      number_setting(
          about("MinProgress", "pausing", "The virtual time that a run must gain before it may be requeued."),
          &Config::min_progress, Real{"a number of seconds of virtual time", 0, 1e9}),
      number_setting(about("MaxLostRuns", "pausing", "How many times a requeue may lose the work of one job."),
                     &Config::max_lost_runs, Whole{"a whole number of runs", 0, 1'000'000}),
      yes_no_setting(about("SuspendNeedsSwap", "pausing",
                           "Whether jobs are suspended only on nodes whose agents report enough free swap for them."),
                     &Config::suspend_needs_swap),
      measured_setting(about("SwapRate", "pause costs",
                             "The rate at which a node writes memory to swap and reads it back; while nothing has been "
                             "measured, 100."),
                       &Config::swap_rate, Real{"a number of MiB per second", 1e-3, 1e9}),
      measured_setting(about("CheckpointRate", "pause costs",
                             "The rate at which a node writes the image of a job, and reads it back; while nothing has "
                             "been measured, 100."),
                       &Config::checkpoint_rate, Real{"a number of MiB per second", 1e-3, 1e9}),
      measured_setting(about("RestartCost", "pause costs",
                             "The time that a requeue costs a job, its reading of a checkpoint included; while nothing "
                             "has been measured, 30."),
                       &Config::restart_cost, Real{"a number of seconds", 0, 1e9}),
      word_setting<WeightRule>(
          about("Weight", "weights", "Where the weights of jobs come from; only Triage uses them."), &Config::weight,
          {"none", "priority", "qos", "fairshare"},
          {WeightRule::none, WeightRule::priority, WeightRule::qos, WeightRule::fair_share}),
      word_setting<bool>(
          about("ChargeBy", "accounting",
                "Whether fair share and slurmdbd charge a job for the CPU that its yield gave it, or for "
                "all that Slurm has allocated to it."),
          &Config::charge_by_yield, {"yield", "allocation"}, {true, false}),
      word_setting<bool>(about("CpuNeed", "CPU needs",
                               "Whether a job's CPU need is what it asked for, or what node agents measure where that "
                               "is less."),
                         &Config::measure_cpu_need, {"asked", "measured"}, {false, true}),
      number_setting(about("CpuNeedFloor", "CPU needs", "The least CPU need that CpuNeed=measured gives a job."),
                     &Config::cpu_need_floor, Real{"a fraction of the CPU asked for,", 0.01, 1}),
      word_setting<bool>(about("QuotaMode", "quotas",
                               "Whether node agents enforce the CPU quotas that follow from yields, or jobs share "
                               "nodes as the kernel schedules them."),
                         &Config::enforce_quotas, {"enforce", "off"}, {true, false}),
      agent_port_setting(about("AgentPort", "quotas", "The port on which the node agents (dfrsd) listen.")),
      control_address_setting(
          about("ControlAddress", "dfrsctl", "The address of slurmctld's host on which dfrsctl gets its answers.")),
      number_setting(about("ControlPort", "dfrsctl", "The port on slurmctld's host on which dfrsctl gets its answers."),
                     &Config::control_port, Whole{"a port", 1, 65535}),
      number_setting(
          about("ControlRequests", "dfrsctl",
                "How many requests of dfrsctl a minute are answered to each user, half of them at once; root "
                "and SlurmUser have no limit."),
          &Config::control_requests, Real{"a number of requests a minute", 1, 1e6}),
      number_setting(
          about("ControlRepacks", "dfrsctl", "The same for `dfrsctl repack`, each of which costs as much as a repack."),
          &Config::control_repacks, Real{"a number of requests a minute", 0.1, 1e6}),
      yes_no_setting(
          about("ControlMetrics", "dfrsctl",
                "Whether ControlPort also gives metrics for Prometheus, at /metrics, to anyone who reaches it."),
          &Config::control_metrics),
      number_setting(about("QuotaWait", "quotas", "How long the start of a job waits for its quota to be in place."),
                     &Config::quota_wait_ms, Whole{"a whole number of milliseconds", 0, 10'000}),
      number_setting(about("CommentInterval", "job comments",
                           "Time between updates of a job's yield in its comment; 0 for never."),
                     &Config::comment_interval, Real{"a number of seconds", 0, 86'400}),
      word_setting<SaveBeforeLaunch>(
          about("SaveBeforeLaunch", "plugins",
                "Whether slurmctld saves its jobs before a job is launched, so that one that is killed forgets no job "
                "that runs; auto: unless saves take longer than 50 ms."),
          &Config::save_before_launch, {"auto", "yes", "no"},
          {SaveBeforeLaunch::automatic, SaveBeforeLaunch::yes, SaveBeforeLaunch::no}),
      yes_no_setting(about("StockBackfill", "plugins",
                           "Whether Slurm's own backfill runs beside dfrs, for the partitions that dfrs does not "
                           "manage."),
                     &Config::stock_backfill),
      record_file_setting(about("RecordFile", "record",
                                "The file in which decisions and their inputs are recorded for `dfrs-sim replay`; "
                                "none unless it is given.")),
  };
  Setting partition = about("PartitionName", "pausing",
                            "Starts a line with settings of one partition, which replace those of the whole file.");
  partition.place = Setting::Place::starts_partition;
  partition.values = "one of Partitions";
  partition.format = [](const Config&, const PauseRules&) { return std::nullopt; };
  all.push_back(std::move(partition));
  return all;
}

const char* place_name(Setting::Place place) {
  switch (place) {
    case Setting::Place::file:
      return "file";
    case Setting::Place::file_or_partition:
      return "file or partition";
    case Setting::Place::starts_partition:
      return "starts a partition's line";
  }
  return "?";
}

}  // namespace

PauseRules GivenPauseRules::over(const PauseRules& defaults) const {
  const PauseRules& usual = by_word ? *by_word : defaults;
  return {suspend.value_or(usual.suspend), requeue.value_or(usual.requeue),
          accept_lost_work.value_or(usual.accept_lost_work), checkpoint.value_or(usual.checkpoint)};
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = all_settings();
  return all;
}

const Setting* find_setting(std::string_view name) {
  const std::string wanted = lower_case(name);
  const auto found = std::find_if(settings().begin(), settings().end(),
                                  [&](const Setting& setting) { return lower_case(setting.name) == wanted; });
  return found == settings().end() ? nullptr : &*found;
}

std::string list_settings() {
  std::string text;
  for (const Setting& setting : settings()) {
    const auto value = setting.format(Config{}, PauseRules{});
    const std::string shown = setting.required ? "(required)" : value.value_or("(none)");
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t{}\n", setting.name, shown, setting.values,
                   place_name(setting.place), setting.part, setting.meaning);
  }
  return text;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& valid) {
  const std::string_view nearest = nearest_name(word, valid);
  if (!nearest.empty() && edit_distance(word, nearest) <= std::max<std::size_t>(1, nearest.size() / 3)) {
    return fmt::format("; did you mean '{}'?", nearest);
  }
  return fmt::format("; expected {}", fmt::join(valid, ", "));
}

}  // namespace dfrs::shim
