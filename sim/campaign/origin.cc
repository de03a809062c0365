// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/origin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/counted.h"
#include "dfrs-config.h"
#include "sim/campaign/results.h"

namespace dfrs::sim {
namespace {

std::string with_checksum(const ResultOrigin& origin) {
  return origin.sha256.empty() ? origin.source : fmt::format("{} (SHA-256 {})", origin.source, origin.sha256);
}

}  // namespace

std::span<const OriginColumn> origin_columns() {
  static constexpr std::array<OriginColumn, 5> columns{{
      {"program", &ResultOrigin::program},
      {"source", &ResultOrigin::source},
      {"source_sha256", &ResultOrigin::sha256},
      {"workload_options", &ResultOrigin::workload},
      {"simulation_options", &ResultOrigin::options},
  }};
  return columns;
}

std::string origin_headings() {
  std::string out;
  for (const OriginColumn& column : origin_columns()) out += (out.empty() ? "" : ",") + std::string(column.name);
  return out;
}

std::string origin_fields(const ResultOrigin& origin) {
  std::string out;
  for (const OriginColumn& column : origin_columns()) {
    if (&column != origin_columns().data()) out += ',';
    out += csv_field(origin.*column.field);
  }
  return out;
}

std::string program_version() { return fmt::format("dfrs-sim {} (results {})", PACKAGE_VERSION, kResultsVersion); }

std::shared_ptr<const ResultOrigin> origin_of(const Instance& instance, std::string_view options) {
  ResultOrigin origin;
  origin.program = program_version();
  if (instance.origin != nullptr) {
    // Binds every field, so that a new one fails to compile here until results have it.
    const auto& [source, sha256, workload] = *instance.origin;
    origin.source = source;
    origin.sha256 = sha256;
    origin.workload = workload;
  }
  origin.options = options;
  return std::make_shared<const ResultOrigin>(std::move(origin));
}

void CampaignOrigin::add(const std::shared_ptr<const ResultOrigin>& origin) {
  if (origin == nullptr || origin.get() == last_) return;
  last_ = origin.get();
  if (std::find(origins.begin(), origins.end(), *origin) == origins.end()) origins.push_back(*origin);
}

std::vector<std::string> CampaignOrigin::distinct(std::string ResultOrigin::* field) const {
  std::vector<std::string> values;
  for (const ResultOrigin& origin : origins) {
    if (std::find(values.begin(), values.end(), origin.*field) == values.end()) values.push_back(origin.*field);
  }
  return values;
}

std::vector<std::string> CampaignOrigin::commands() const {
  struct Group {
    const ResultOrigin* first;
    std::vector<std::string> sources;
  };
  std::vector<Group> groups;
  for (const ResultOrigin& origin : origins) {
    if (origin.source.empty()) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.first->workload == origin.workload && group.first->options == origin.options &&
             group.first->source.starts_with(kGenerated) == origin.source.starts_with(kGenerated);
    });
    Group& group = same == groups.end() ? groups.emplace_back(Group{&origin, {}}) : *same;
    if (std::find(group.sources.begin(), group.sources.end(), origin.source) == group.sources.end()) {
      group.sources.push_back(origin.source);
    }
  }
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    std::string line = "dfrs-sim " + command;
    if (group.sources.front().starts_with(kGenerated)) {
      line = fmt::format("({}) | {} -", fmt::join(group.sources, "; "), line);
    } else {
      for (const std::string& source : group.sources) line += " " + shell_word(source);
    }
    if (!algorithms.empty()) line += " -a " + shell_word(fmt::format("{}", fmt::join(algorithms, ",")));
    for (const std::string* options : {&group.first->workload, &group.first->options}) {
      if (!options->empty()) line += " " + *options;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> CampaignOrigin::described(std::size_t most) const {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) out.emplace_back(std::move(name), std::move(value));
  };
  for (const std::string& program : distinct(&ResultOrigin::program)) add("program", program);
  std::size_t shown = 0;
  for (const ResultOrigin& origin : origins) {
    if (origin.source.empty()) continue;
    if (shown++ < most) add("source", with_checksum(origin));
  }
  if (shown > most) add("more sources", fmt::format("{}, in the column source of the results", shown - most));
  for (const std::string& options : distinct(&ResultOrigin::workload)) add("workload options", options);
  for (const std::string& options : distinct(&ResultOrigin::options)) add("simulation options", options);
  for (const std::string& line : commands()) add("repeat with", line);
  return out;
}

std::string CampaignOrigin::lines() const {
  std::string text;
  for (const auto& [name, value] : described(origins.size())) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", name, value);
  }
  return text;
}

std::vector<std::string> trace_comments(const ResultOrigin& origin, std::string_view command) {
  CampaignOrigin one;
  one.command = command;
  one.origins = {origin};
  return {"Program: " + origin.program, "Source SHA-256: " + origin.sha256, "Made by: " + one.commands().front()};
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  return out + '\'';
}

}  // namespace dfrs::sim
