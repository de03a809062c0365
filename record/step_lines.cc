// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/step_lines.h"

#include <algorithm>
#include <bit>

#include "policy/core/enum_names.h"
#include "record/json_text.h"

namespace dfrs::record {
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

// "0-3,7": the nodes of a set, of `nodes` in all.
void append_node_runs(std::string& line, const NodeSet& set, std::size_t nodes) {
  line += '"';
  bool any = false;
  for (std::size_t n = 0; n < nodes; ++n) {
    if (!set.contains(static_cast<NodeIndex>(n))) continue;
    const std::size_t first = n;
    while (n + 1 < nodes && set.contains(static_cast<NodeIndex>(n + 1))) ++n;
    if (any) line += ',';
    any = true;
    append_integer(line, first);
    if (n == first) continue;
    line += '-';
    append_integer(line, n);
  }
  line += '"';
}

template <class Enum>
void append_name(std::string& line, Enum value) {
  line += '"';
  line += enum_name(value);
  line += '"';
}

void append_flags(std::string& line, const JobFlags& flags) {
  char before = '[';
  const auto flag = [&](bool set, std::string_view name) {
    if (!set) return;
    line += before;
    append_text(line, name);
    before = ',';
  };
  const auto& [may_not_pause, may_not_move, exclusive] = flags;
  flag(may_not_pause, "may_not_pause");
  flag(may_not_move, "may_not_move");
  flag(exclusive, "exclusive");
  if (before == '[') line += before;
  line += ']';
}

}  // namespace

std::string outcome_text(const tl::expected<const Decisions*, Error>& outcome) {
  std::string line;
  if (!outcome) {
    line += "\"error\":{\"code\":";
    append_name(line, outcome.error().code);
    line += ",\"message\":";
    append_text(line, outcome.error().message);
    line += '}';
    return line;
  }
  const Decisions& decisions = **outcome;
  line += "\"decisions\":{\"placements\":[";
  for (const Decision& decision : decisions.placements) {
    if (&decision != decisions.placements.data()) line += ',';
    line += '[';
    append_name(line, decision.kind);
    line += ',';
    append_integer(line, decision.job);
    line += ',';
    append_indices(line, decisions.nodes_of(decision));
    line += ']';
  }
  line += "],\"yields\":[";
  for (const YieldChange& change : decisions.yields) {
    if (&change != decisions.yields.data()) line += ',';
    line += '[';
    append_integer(line, change.job);
    line += ',';
    append_number(line, change.yield);
    line += ']';
  }
  line += "],\"wake_at\":";
  append_number(line, decisions.wake_at);
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
  append_number(line, view.now);
  if (view.rigid_dims != rigid_dims_) {
    rigid_dims_ = view.rigid_dims;
    line += ",\"rigid_dims\":";
    append_integer(line, rigid_dims_);
  }
  append_nodes(line, view);
  if (view.jobs.size() != slots_.size()) {
    slots_.resize(view.jobs.size());
    line += ",\"slots\":";
    append_integer(line, slots_.size());
  }
  if (estimates.run_time.size() != estimates_) {
    estimates_ = estimates.run_time.size();
    line += ",\"estimates\":";
    append_integer(line, estimates_);
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
      line += enum_name(events[k].kind);
      line += '"';
      if (events[k].kind != EventKind::resync) {
        line += ',';
        append_integer(line, events[k].job);
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
    append_integer(line, nodes_.size());
    // The text of a set of eligible nodes depends on how many nodes there are.
    for (Slot& slot : slots_) slot.eligible.reset();
  }
  bool any = false;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    if (!all && same(view.nodes[n], nodes_[n])) continue;
    // A run of nodes that change to the same value.
    const std::size_t first = n;
    nodes_[n] = view.nodes[n];
    while (n + 1 < view.nodes.size() && same(view.nodes[n + 1], view.nodes[first]) &&
           (all || !same(view.nodes[n + 1], nodes_[n + 1]))) {
      ++n;
      nodes_[n] = view.nodes[n];
    }
    line += any ? ",[" : ",\"nodes\":[[";
    any = true;
    append_integer(line, first);
    line += ',';
    append_integer(line, n - first + 1);
    line += ',';
    append_number(line, nodes_[n].spec.cpu);
    line += ',';
    append_rigid(line, nodes_[n].spec.rigid);
    line += nodes_[n].usable ? ",true]" : ",false]";
  }
  if (any) line += ']';
}

// Writes the object of one slot, which its first member opens.
class StepLines::SlotText {
 public:
  SlotText(std::string& line, JobSlot slot, bool first) : line_(line), slot_(slot), first_(first) {}

  /// Starts a member. Its value is to be appended to the result.
  std::string& member(std::string_view name) {
    if (!open_) {
      line_ += first_ ? ",\"jobs\":[{\"slot\":" : ",{\"slot\":";
      append_integer(line_, slot_);
      open_ = true;
    }
    line_ += ",\"";
    line_ += name;
    line_ += "\":";
    return line_;
  }
  void number(std::string_view name, double now, double before) {
    if (!same(now, before)) append_number(member(name), now);
  }
  template <class Integer>
  void integer(std::string_view name, Integer now, Integer before) {
    if (now != before) append_integer(member(name), now);
  }
  /// A list of numbers.
  void numbers(std::string_view name, std::initializer_list<double> values) {
    char before = '[';
    std::string& line = member(name);
    for (const double value : values) {
      line += before;
      append_number(line, value);
      before = ',';
    }
    line += ']';
  }
  /// Whether anything was written.
  bool close() {
    if (open_) line_ += '}';
    return open_;
  }

 private:
  std::string& line_;
  JobSlot slot_;
  bool first_;
  bool open_ = false;
};

void StepLines::append_eligible(SlotText& text, Slot& said, const NodeSet* eligible, std::size_t nodes) {
  if (eligible == nullptr) {
    if (!said.restricted) return;
    text.member("eligible") += "null";
    said.restricted = false;
    said.eligible.reset();
    return;
  }
  const auto words = eligible->words();
  if (said.restricted && said.eligible &&
      std::equal(words.begin(), words.end(), said.eligible->begin(), said.eligible->end())) {
    return;
  }
  append_node_runs(text.member("eligible"), *eligible, nodes);
  said.restricted = true;
  said.eligible.emplace(words.begin(), words.end());
}

bool StepLines::append_slot(std::string& line, JobSlot slot, const ClusterView& view, const Estimates& estimates,
                            bool first) {
  const JobView& job = view.jobs[slot];
  // A structured binding: a new member does not compile until it is written here.
  const auto& [id, state, flags, pauses, lost_runs, longest_run, tasks, cpu_need, rigid, submit, user, weight, penalty,
               move_penalty, eligible, clock, yield, nodes] = job;
  Slot& said = slots_[slot];
  JobView& old = said.view;
  SlotText text(line, slot, first);
  text.integer("id", id, old.id);
  if (state != old.state) append_name(text.member("state"), state);
  if (!same(flags, old.flags)) append_flags(text.member("flags"), flags);
  if (pauses != old.pauses) append_name(text.member("pauses"), pauses);
  text.integer("lost_runs", lost_runs, old.lost_runs);
  text.number("longest_run", longest_run, old.longest_run);
  text.integer("tasks", tasks, old.tasks);
  text.number("cpu_need", cpu_need, old.cpu_need);
  if (rigid != old.rigid) append_rigid(text.member("rigid"), rigid);
  text.number("submit", submit, old.submit);
  text.integer("user", user, old.user);
  text.number("weight", weight, old.weight);
  if (!same(penalty, old.penalty) || !same(move_penalty, old.move_penalty)) {
    text.numbers("penalty", {penalty, move_penalty});
  }
  append_eligible(text, said, eligible, view.nodes.size());
  if (!same(clock, old.clock)) text.numbers("clock", {clock.base, clock.since, clock.rate});
  text.number("yield", yield, old.yield);
  if (!std::equal(nodes.begin(), nodes.end(), said.nodes.begin(), said.nodes.end())) {
    append_indices(text.member("nodes"), nodes);
    said.nodes.assign(nodes.begin(), nodes.end());
  }
  if (slot < estimates.run_time.size() && !(said.estimate && same(*said.estimate, estimates.run_time[slot]))) {
    append_number(text.member("estimate"), estimates.run_time[slot]);
    said.estimate = estimates.run_time[slot];
  }
  if (!text.close()) return false;
  old = job;
  old.eligible = nullptr;
  old.nodes = {};
  return true;
}

}  // namespace dfrs::record
