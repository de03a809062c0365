// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/read_config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "base/files.h"
#include "shim/conf/key_values.h"
#include "shim/conf/settings.h"

namespace dfrs::shim {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  tl::expected<Config, ConfigErrors> run(std::string_view text) {
    const KeyValues found = parse_key_values(text);
    for (const SyntaxError& e : found.errors) add_error(e.line, "", e.message);
    for (const KeyValue& pair : found.pairs) take(pair);
    finish(found.errors.empty());
    if (errors_.empty()) return std::move(config_);
    std::stable_sort(errors_.begin(), errors_.end(), [](const ConfigError& a, const ConfigError& b) {
      return (a.line == 0 ? ~std::size_t{0} : a.line) < (b.line == 0 ? ~std::size_t{0} : b.line);
    });
    return tl::unexpected<ConfigErrors>(std::move(errors_));
  }

 private:
  // Names of the keys that may stand on a partition's line, or of all keys.
  static std::vector<std::string> key_names(bool of_partition) {
    std::vector<std::string> names;
    for (const Setting& setting : settings()) {
      if (!of_partition || setting.place == Setting::Place::file_or_partition) names.push_back(setting.name);
    }
    return names;
  }

  void add_error(std::size_t line, std::string_view key, std::string message) {
    errors_.push_back({file_, line, std::string(key), std::move(message), false});
  }
  void add_error(const KeyValue& pair, std::string message) { add_error(pair.line, pair.key, std::move(message)); }

  // A line that starts with PartitionName holds settings of that partition; all other lines hold those of the file.
  void take(const KeyValue& pair) {
    if (pair.starts_line) partition_ = nullptr;
    const Setting* const setting = find_setting(pair.key);
    if (setting == nullptr)
      return add_error(pair, "unknown key" + suggestion(pair.key, key_names(partition_ != nullptr)));
    if (setting->place == Setting::Place::starts_partition) return begin_partition(pair);
    if (partition_ != nullptr && setting->place == Setting::Place::file) {
      return add_error(pair, fmt::format("is a setting of the whole file, not of one partition: give it a line of its "
                                         "own (partitions have {})",
                                         fmt::join(key_names(true), " and ")));
    }
    const auto [earlier, is_new] = section().seen.emplace(setting->name, pair.line);
    if (!is_new)
      return add_error(pair, fmt::format("is given twice, first in line {}: keep one of them", earlier->second));
    if (pair.value.empty()) return add_error(pair, "has no value; leave the line out for the default");
    if (const auto done = setting->read(pair.value, {config_, section().pausing}); done) {
      good_lines_[setting->name] = pair.line;
    } else {
      for (const std::string& message : done.error()) add_error(pair.line, setting->name, message);
    }
  }

  void begin_partition(const KeyValue& pair) {
    partition_ = &ignored_partition_;
    ignored_partition_ = {};
    if (!pair.starts_line) return add_error(pair, "must be the first on its line");
    if (pair.value.empty()) return add_error(pair, "has no value: name one of the partitions of Partitions=");
    const auto [place, is_new] = partitions_.try_emplace(pair.value);
    if (!is_new) {
      return add_error(pair, fmt::format("partition '{}' has a line already, line {}: put all its settings there",
                                         pair.value, place->second.line));
    }
    partition_ = &place->second;
    partition_->line = pair.line;
  }

  // ---- checks across keys

  void finish(bool whole_file_read) {
    // A line that could not be read may be the Partitions line.
    if (!whole_file_.seen.contains("Partitions") && whole_file_read) {
      add_error(0, "Partitions", "is missing: name the partitions that dfrs shall manage, such as Partitions=dfrs");
    }
    if (config_.agent_port.number == config_.control_port && !config_.agent_port.after_slurmd) {
      const std::size_t agent_line = good_lines_["AgentPort"];
      const std::size_t control_line = good_lines_["ControlPort"];
      add_error(std::max(agent_line, control_line), control_line > agent_line ? "ControlPort" : "AgentPort",
                fmt::format("AgentPort and ControlPort are both {}: on a host with slurmctld and a node agent they "
                            "would clash; choose another port for one of them",
                            config_.control_port));
    }
    config_.pausing = whole_file_.pausing.over(PauseRules{});
    std::vector<std::string> managed;
    for (PartitionConfig& partition : config_.partitions) {
      managed.push_back(partition.name);
      const auto own = partitions_.find(partition.name);
      partition.pausing = own == partitions_.end() ? config_.pausing : own->second.pausing.over(config_.pausing);
    }
    for (const auto& [name, section] : partitions_) {
      if (config_.partition(name) != nullptr || managed.empty()) continue;
      add_error(section.line, "PartitionName",
                fmt::format("'{}' is not one of Partitions={}: its settings would have no effect{}", name,
                            fmt::join(managed, ","), suggestion(name, managed)));
    }
  }

  // The settings of the whole file, or those of one partition.
  struct Section {
    std::size_t line = 0;                     // of PartitionName
    std::map<std::string, std::size_t> seen;  // setting: line
    GivenPauseRules pausing;
  };
  Section& section() { return partition_ != nullptr ? *partition_ : whole_file_; }

  const std::string& file_;
  Config config_;
  ConfigErrors errors_;
  Section whole_file_;
  std::map<std::string, Section> partitions_;
  Section ignored_partition_;                      // of a refused PartitionName: its settings are still checked
  Section* partition_ = nullptr;                   // whose line is being read; null: the whole file's
  std::map<std::string, std::size_t> good_lines_;  // settings whose values were accepted: line; 0: not given
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
  // Non-blocking: slurmctld must not wait for a pipe without a writer.
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
