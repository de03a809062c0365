// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/step_lines.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace dfrs::shim {
namespace {

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

bool same(const VirtualClock& a, const VirtualClock& b) {
  return same(a.base, b.base) && same(a.since, b.since) && same(a.rate, b.rate);
}

bool same(const JobFlags& a, const JobFlags& b) {
  return a.may_not_pause == b.may_not_pause && a.may_not_move == b.may_not_move && a.exclusive == b.exclusive;
}

bool same(const NodeView& a, const NodeView& b) {
  return same(a.spec.cpu, b.spec.cpu) && a.spec.rigid == b.spec.rigid && a.usable == b.usable;
}

// The shortest text that reads back as the same double; JSON has no infinities.
void number(std::string& line, double value) {
  if (!std::isfinite(value)) {
    line += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  if (value == 0) {  // "-0" would be read as the integer 0
    line += std::signbit(value) ? "-0.0" : "0";
    return;
  }
  char buffer[32];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

template <typename Integer>
void integer(std::string& line, Integer value) {
  char buffer[24];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void text(std::string& line, std::string_view value) {
  line += nlohmann::json(std::string(value)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// Amounts up to the last that is not 0; at least memory.
void rigid(std::string& line, const RigidVector& amounts) {
  std::size_t count = amounts.size();
  while (count > 1 && amounts[count - 1] == 0) --count;
  line += '[';
  for (std::size_t k = 0; k < count; ++k) {
    if (k != 0) line += ',';
    integer(line, amounts[k]);
  }
  line += ']';
}

void indices(std::string& line, std::span<const NodeIndex> list) {
  line += '[';
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (k != 0) line += ',';
    integer(line, list[k]);
  }
  line += ']';
}

// "0-3,7": the nodes of a set below `nodes`.
void node_runs(std::string& line, const NodeSet& set, std::size_t nodes) {
  line += '"';
  bool any = false;
  for (std::size_t n = 0; n < nodes; ++n) {
    if (!set.contains(static_cast<NodeIndex>(n))) continue;
    const std::size_t first = n;
    while (n + 1 < nodes && set.contains(static_cast<NodeIndex>(n + 1))) ++n;
    if (any) line += ',';
    any = true;
    integer(line, first);
    if (n == first) continue;
    line += '-';
    integer(line, n);
  }
  line += '"';
}

const char* name_of(JobState state) {
  switch (state) {
    case JobState::absent:
      return "absent";
    case JobState::waiting:
      return "waiting";
    case JobState::running:
      return "running";
    case JobState::paused:
      return "paused";
  }
  return "?";
}

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::completed:
      return "completed";
    case EventKind::submitted:
      return "submitted";
    case EventKind::resync:
      return "resync";
    case EventKind::changed:
      return "changed";
  }
  return "?";
}

const char* name_of(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::pause:
      return "pause";
    case DecisionKind::migrate:
      return "migrate";
    case DecisionKind::resume:
      return "resume";
    case DecisionKind::start:
      return "start";
  }
  return "?";
}

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_algorithm:
      return "bad_algorithm";
    case ErrorCode::bad_option:
      return "bad_option";
    case ErrorCode::bad_view:
      return "bad_view";
    case ErrorCode::bad_decision:
      return "bad_decision";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::internal:
      return "internal";
  }
  return "?";
}

}  // namespace

EngineMake EngineMake::of(const Algorithm& algorithm, const EngineOptions& options) {
  return {algorithm_name(algorithm), options.dfrs.period,          options.dfrs.priority.flow_floor,
          options.dfrs.ticks_apart,  options.batch.pass_per_event, options.batch.pack_tasks};
}

EngineOptions EngineMake::options() const {
  EngineOptions options;
  options.dfrs.period = period;
  options.dfrs.priority.flow_floor = priority_floor;
  options.dfrs.ticks_apart = ticks_apart;
  options.batch.pass_per_event = pass_per_event;
  options.batch.pack_tasks = pack_tasks;
  return options;
}

std::string header_line(const EngineMake& make, std::string_view version) {
  std::string line = fmt::format("{{\"dfrs-record\":{},\"version\":", kRecordVersion);
  text(line, version);
  line += ",\"algorithm\":";
  text(line, make.algorithm);
  line += ",\"period\":";
  number(line, make.period);
  line += ",\"priority_floor\":";
  number(line, make.priority_floor);
  line += fmt::format(",\"ticks_apart\":{},\"pass_per_event\":{},\"pack_tasks\":{}}}", make.ticks_apart,
                      make.pass_per_event, make.pack_tasks);
  return line;
}

std::string outcome_text(const tl::expected<const Decisions*, Error>& outcome) {
  std::string line;
  if (!outcome) {
    line += "\"error\":{\"code\":\"";
    line += name_of(outcome.error().code);
    line += "\",\"message\":";
    text(line, outcome.error().message);
    line += '}';
    return line;
  }
  const Decisions& decisions = **outcome;
  line += "\"decisions\":{\"placements\":[";
  for (const Decision& decision : decisions.placements) {
    if (&decision != decisions.placements.data()) line += ',';
    line += "[\"";
    line += name_of(decision.kind);
    line += "\",";
    integer(line, decision.job);
    line += ',';
    indices(line, decisions.nodes_of(decision));
    line += ']';
  }
  line += "],\"yields\":[";
  for (const YieldChange& change : decisions.yields) {
    if (&change != decisions.yields.data()) line += ',';
    line += '[';
    integer(line, change.job);
    line += ',';
    number(line, change.yield);
    line += ']';
  }
  line += "],\"wake_at\":";
  number(line, decisions.wake_at);
  line += '}';
  return line;
}

void StepLines::reset() {
  rigid_dims_ = 0;
  estimates_ = 0;
  nodes_.clear();
  slots_.clear();
}

void StepLines::append(std::string& line, const ClusterView& view, const Estimates& estimates,
                       std::span<const Event> events, const tl::expected<const Decisions*, Error>& outcome) {
  line += "{\"t\":";
  number(line, view.now);
  if (view.rigid_dims != rigid_dims_) {
    rigid_dims_ = view.rigid_dims;
    line += ",\"rigid_dims\":";
    integer(line, rigid_dims_);
  }
  append_nodes(line, view);
  if (view.jobs.size() != slots_.size()) {
    slots_.resize(view.jobs.size());
    line += ",\"slots\":";
    integer(line, slots_.size());
  }
  if (estimates.run_time.size() != estimates_) {
    estimates_ = estimates.run_time.size();
    line += ",\"estimates\":";
    integer(line, estimates_);
  }
  bool any = false;
  for (JobSlot slot = 0; slot < view.jobs.size(); ++slot) {
    if (append_slot(line, slot, view, estimates, !any)) any = true;
  }
  if (any) line += ']';
  if (!events.empty()) {
    line += ",\"events\":[";
    for (std::size_t k = 0; k < events.size(); ++k) {
      line += k == 0 ? "[\"" : ",[\"";
      line += name_of(events[k].kind);
      line += '"';
      if (events[k].kind != EventKind::resync) {
        line += ',';
        integer(line, events[k].job);
      }
      line += ']';
    }
    line += ']';
  }
  line += ',';
  line += outcome_text(outcome);
  line += '}';
}

void StepLines::append_nodes(std::string& line, const ClusterView& view) {
  const bool all = view.nodes.size() != nodes_.size();
  if (all) {
    nodes_.assign(view.nodes.begin(), view.nodes.end());
    line += ",\"node_count\":";
    integer(line, nodes_.size());
    // What a set of eligible nodes says hangs on how many nodes there are.
    for (Slot& slot : slots_) slot.eligible.reset();
  }
  bool any = false;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    if (!all && same(view.nodes[n], nodes_[n])) continue;
    // A run of nodes that change to the same.
    const std::size_t first = n;
    nodes_[n] = view.nodes[n];
    while (n + 1 < view.nodes.size() && same(view.nodes[n + 1], view.nodes[first]) &&
           (all || !same(view.nodes[n + 1], nodes_[n + 1]))) {
      ++n;
      nodes_[n] = view.nodes[n];
    }
    line += any ? ",[" : ",\"nodes\":[[";
    any = true;
    integer(line, first);
    line += ',';
    integer(line, n - first + 1);
    line += ',';
    number(line, nodes_[n].spec.cpu);
    line += ',';
    rigid(line, nodes_[n].spec.rigid);
    line += nodes_[n].usable ? ",true]" : ",false]";
  }
  if (any) line += ']';
}

bool StepLines::append_slot(std::string& line, JobSlot slot, const ClusterView& view, const Estimates& estimates,
                            bool first) {
  const JobView& job = view.jobs[slot];
  Slot& said = slots_[slot];
  JobView& old = said.view;
  bool open = false;
  const auto member = [&](const char* name) {
    if (!open) {
      line += first ? ",\"jobs\":[{\"slot\":" : ",{\"slot\":";
      integer(line, slot);
      open = true;
    }
    line += ",\"";
    line += name;
    line += "\":";
  };
  if (job.id != old.id) {
    member("id");
    integer(line, job.id);
  }
  if (job.state != old.state) {
    member("state");
    line += '"';
    line += name_of(job.state);
    line += '"';
  }
  if (!same(job.flags, old.flags)) {
    member("flags");
    std::string flags;
    if (job.flags.may_not_pause) flags += ",\"may_not_pause\"";
    if (job.flags.may_not_move) flags += ",\"may_not_move\"";
    if (job.flags.exclusive) flags += ",\"exclusive\"";
    if (!flags.empty()) flags.erase(0, 1);
    line += '[' + flags + ']';
  }
  if (job.tasks != old.tasks) {
    member("tasks");
    integer(line, job.tasks);
  }
  if (!same(job.cpu_need, old.cpu_need)) {
    member("cpu_need");
    number(line, job.cpu_need);
  }
  if (job.rigid != old.rigid) {
    member("rigid");
    rigid(line, job.rigid);
  }
  if (!same(job.submit, old.submit)) {
    member("submit");
    number(line, job.submit);
  }
  if (!same(job.weight, old.weight)) {
    member("weight");
    number(line, job.weight);
  }
  if (!same(job.penalty, old.penalty) || !same(job.move_penalty, old.move_penalty)) {
    member("penalty");
    line += '[';
    number(line, job.penalty);
    line += ',';
    number(line, job.move_penalty);
    line += ']';
  }
  if (job.eligible == nullptr) {
    if (said.restricted) {
      member("eligible");
      line += "null";
      said.restricted = false;
      said.eligible.reset();
    }
  } else if (const auto words = job.eligible->words();
             !said.restricted || !said.eligible ||
             !std::equal(words.begin(), words.end(), said.eligible->begin(), said.eligible->end())) {
    member("eligible");
    node_runs(line, *job.eligible, view.nodes.size());
    said.restricted = true;
    said.eligible.emplace(words.begin(), words.end());
  }
  if (!same(job.clock, old.clock)) {
    member("clock");
    line += '[';
    number(line, job.clock.base);
    line += ',';
    number(line, job.clock.since);
    line += ',';
    number(line, job.clock.rate);
    line += ']';
  }
  if (!same(job.yield, old.yield)) {
    member("yield");
    number(line, job.yield);
  }
  if (!std::equal(job.nodes.begin(), job.nodes.end(), said.nodes.begin(), said.nodes.end())) {
    member("nodes");
    indices(line, job.nodes);
    said.nodes.assign(job.nodes.begin(), job.nodes.end());
  }
  if (slot < estimates.run_time.size() && !(said.estimate && same(*said.estimate, estimates.run_time[slot]))) {
    member("estimate");
    number(line, estimates.run_time[slot]);
    said.estimate = estimates.run_time[slot];
  }
  if (!open) return false;
  line += '}';
  old = job;
  old.eligible = nullptr;
  old.nodes = {};
  return true;
}

}  // namespace dfrs::shim
