// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/config_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace dfrs::shim {
namespace {

void check_partitions_given(ConfigDraft& draft) {
  // A line that could not be read may be the Partitions line.
  if (draft.whole_file.seen.contains("Partitions") || !draft.all_lines_read) return;
  draft.add_error(0, "Partitions", "is missing: name the partitions that dfrs shall manage, such as Partitions=dfrs");
}

void check_ports_differ(ConfigDraft& draft) {
  const Config& config = draft.config;
  if (config.agent_port.number != config.control_port || config.agent_port.after_slurmd) return;
  const std::size_t agent_line = draft.good_lines["AgentPort"];  // 0: not given
  const std::size_t control_line = draft.good_lines["ControlPort"];
  draft.add_error(std::max(agent_line, control_line), control_line > agent_line ? "ControlPort" : "AgentPort",
                  fmt::format("AgentPort and ControlPort are both {}: on a host with slurmctld and a node agent they "
                              "would clash; choose another port for one of them",
                              config.control_port));
}

void check_sections_are_managed(ConfigDraft& draft) {
  std::vector<std::string> managed;
  for (const PartitionConfig& partition : draft.config.partitions) managed.push_back(partition.name);
  if (managed.empty()) return;
  for (const auto& [name, section] : draft.partitions) {
    if (draft.config.partition(name) != nullptr) continue;
    draft.add_error(section.line, "PartitionName",
                    fmt::format("'{}' is not one of Partitions={}: its settings would have no effect{}", name,
                                fmt::join(managed, ","), suggestion(name, managed)));
  }
}

void check_pauses_agree(ConfigDraft& draft, const ConfigDraft::Section& section) {
  const GivenPauseRules& given = section.pausing;
  if (!given.by_word) return;
  const char* const wanted = given.by_word->word();
  const char* const got = given.over({}).word();
  if (std::string_view(wanted) == got) return;
  // Suspended jobs keep their work, too.
  if (std::string_view(wanted) == "kept" && std::string_view(got) == "suspended") return;
  draft.add_error(
      section.seen.at("Pauses"), "Pauses",
      fmt::format("'{}' contradicts PauseBy or LostWork, by which pauses are '{}': leave out the one or the "
                  "other",
                  wanted, got));
}

// PauseBy=checkpoint, for the whole file or a partition, needs a folder, and agents that do the work.
void check_checkpoints(ConfigDraft& draft) {
  const auto line_of = [](const ConfigDraft::Section& section) {
    const auto seen = section.seen.find("PauseBy");
    return section.pausing.checkpoint.value_or(false) && seen != section.seen.end() ? seen->second : 0;
  };
  std::size_t line = line_of(draft.whole_file);
  for (const auto& [name, section] : draft.partitions) line = line == 0 ? line_of(section) : line;
  if (line == 0) return;
  if (!draft.config.checkpoint_folder && !draft.whole_file.seen.contains("CheckpointFolder")) {
    draft.add_error(line, "PauseBy",
                    "'checkpoint' needs a folder for the images: add CheckpointFolder=/a/folder/on/all/nodes");
  }
  if (!draft.config.enforce_quotas) {
    draft.add_error(line, "PauseBy",
                    "'checkpoint' needs the node agents, which QuotaMode=off turns off: leave out the one or the "
                    "other");
  }
}

void set_pause_rules(ConfigDraft& draft) {
  Config& config = draft.config;
  config.pausing = draft.whole_file.pausing.over(PauseRules{});
  for (PartitionConfig& partition : config.partitions) {
    const auto own = draft.partitions.find(partition.name);
    partition.pausing = own == draft.partitions.end() ? config.pausing : own->second.pausing.over(config.pausing);
  }
}

}  // namespace

std::string ConfigError::text() const {
  std::string where = line == 0 ? file : fmt::format("{}:{}", file, line);
  return key.empty() ? fmt::format("{}: {}", where, message) : fmt::format("{}: {}: {}", where, key, message);
}

void ConfigDraft::add_error(std::size_t line, std::string_view key, std::string message) {
  errors.push_back({file, line, std::string(key), std::move(message), false});
}

tl::expected<Config, ConfigErrors> finish(ConfigDraft draft) {
  check_partitions_given(draft);
  check_ports_differ(draft);
  check_sections_are_managed(draft);
  check_checkpoints(draft);
  check_pauses_agree(draft, draft.whole_file);
  for (const auto& [name, section] : draft.partitions) check_pauses_agree(draft, section);
  if (draft.errors.empty()) {
    set_pause_rules(draft);
    return std::move(draft.config);
  }
  std::stable_sort(draft.errors.begin(), draft.errors.end(), [](const ConfigError& a, const ConfigError& b) {
    return (a.line == 0 ? ~std::size_t{0} : a.line) < (b.line == 0 ? ~std::size_t{0} : b.line);
  });
  return tl::unexpected<ConfigErrors>(std::move(draft.errors));
}

}  // namespace dfrs::shim
