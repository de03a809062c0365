// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/engine_setup.h"

#include <fmt/format.h>

#include "policy/core/registry.h"
#include "record/json_text.h"

namespace dfrs::record {
namespace {

void append_value(std::string& line, const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) {
    append_flag(line, *flag);
  } else {
    append_number(line, std::get<double>(value));
  }
}

void append_options(std::string& line, const EngineOptions& options) {
  line += '{';
  for (const OptionTable* table : option_tables()) {
    if (line.back() != '{') line += ',';
    append_text(line, table->name);
    line += ":{";
    for (const OptionField& field : table->fields) {
      if (line.back() != '{') line += ',';
      append_text(line, field.name);
      line += ':';
      append_value(line, field.get(options));
    }
    line += '}';
  }
  line += '}';
}

void append_host(std::string& line, const HostRules& host) {
  // A structured binding: a new rule does not compile until it is written here.
  const auto& [penalty, swap_rate, restart, pauses, min_progress, max_lost_runs, swap, requeue_kept] = host;
  line += "{\"penalty\":";
  append_number(line, penalty);
  line += ",\"swap_rate\":";
  append_number(line, swap_rate);
  if (restart > 0) {
    line += ",\"restart\":";
    append_number(line, restart);
  }
  line += ",\"pauses\":";
  append_text(line, world_text(pauses));
  if (swap.limited()) {
    line += ",\"swap\":";
    append_text(line, swap_text(swap));
  }
  line += ",\"min_progress\":";
  append_number(line, min_progress);
  line += ",\"max_lost_runs\":";
  append_integer(line, max_lost_runs);
  if (requeue_kept) line += ",\"requeue_kept\":true";
  line += '}';
}

}  // namespace

EngineSetup EngineSetup::of(const Algorithm& algorithm, const EngineOptions& options,
                            const std::optional<HostRules>& host) {
  return {algorithm.name, options, host};
}

std::string header_line(const EngineSetup& setup, std::string_view version) {
  std::string line = fmt::format("{{\"dfrs-record\":{},\"version\":", kRecordFormat);
  append_text(line, version);
  line += ",\"algorithm\":";
  append_text(line, setup.algorithm);
  line += ",\"options\":";
  append_options(line, setup.options);
  if (setup.host) {
    line += ",\"host\":";
    append_host(line, *setup.host);
  }
  line += '}';
  return line;
}

}  // namespace dfrs::record
