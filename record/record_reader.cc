// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace dfrs::record {
namespace {

using Strings = std::vector<std::string>;

const Strings kFlags = {"may_not_pause", "may_not_move", "exclusive"};
const Strings kStep = {"t",         "rigid_dims", "node_count", "nodes",     "slots",
                       "estimates", "jobs",       "events",     "decisions", "error"};
const Strings kJob = {"slot",    "id",       "state",     "flags",       "tasks", "cpu_need", "rigid",
                      "submit",  "eligible", "clock",     "yield",       "nodes", "estimate", "weight",
                      "penalty", "pauses",   "lost_runs", "longest_run", "user"};

}  // namespace

tl::expected<RecordReader, RecordError> RecordReader::open(const std::string& path) {
  auto lines = open_lines(path);
  if (!lines) return tl::unexpected<RecordError>(std::move(lines.error()));
  return RecordReader(std::move(*lines), path);
}

tl::expected<bool, RecordError> RecordReader::next() {
  new_engine_ = false;
  has_step_ = false;
  while (!has_step_) {
    const auto line = lines_->next(text_);
    if (!line) return tl::unexpected<RecordError>(line.error());
    if (!*line) break;
    ++line_;
    read_line();
    if (const auto result = values_.take_result(); !result) {
      return tl::unexpected<RecordError>(RecordError{fmt::format("{}:{}: {}", name_, line_, result.error())});
    }
  }
  if (!begun_) {  // the file is empty, or has only a line that is cut off
    return tl::unexpected<RecordError>(RecordError{
        fmt::format("{}:1: no record: expected a first line {{\"dfrs-record\":{},...}}", name_, kRecordFormat)});
  }
  return has_step_;
}

void RecordReader::read_line() {
  const Json object = Json::parse(text_, nullptr, false);
  if (object.is_discarded() || !object.is_object()) return values_.fail("not a JSON object");
  if (object.contains("dfrs-record")) return begin_engine(object);
  if (!begun_) {
    return values_.fail(fmt::format("expected the first line of a record, {{\"dfrs-record\":{},...}}", kRecordFormat));
  }
  read_step(object);
  has_step_ = true;
}

tl::expected<const Decisions*, Error> RecordReader::outcome() const {
  if (decided_) return &decisions_;
  return tl::unexpected<Error>(error_);
}

void RecordReader::begin_engine(const Json& object) {
  header_ = read_header(values_, object);
  begun_ = true;
  new_engine_ = true;
  has_dims_ = false;
  nodes_.clear();
  views_.clear();
  placements_.clear();
  eligible_.clear();
  estimates_.clear();
}

void RecordReader::read_step(const Json& object) {
  values_.check_members(object, kStep, "a step");
  now_ = values_.finite(values_.member(object, "t", "a step"), "t");
  if (object.contains("rigid_dims")) {
    rigid_dims_ = values_.whole(object["rigid_dims"], kMaxRigid, "rigid_dims");
    if (rigid_dims_ == 0) values_.fail("rigid_dims: expected at least 1");
    has_dims_ = true;
  }
  if (!has_dims_) values_.fail("the first step of an engine has no rigid_dims");
  read_nodes(object);
  read_jobs(object);
  events_.clear();
  if (object.contains("events")) read_events(object["events"]);
  decided_ = object.contains("decisions");
  if (decided_ == object.contains("error")) return values_.fail("expected either decisions or error");
  if (decided_) {
    read_decisions(object["decisions"]);
  } else {
    read_error(object["error"]);
  }
}

void RecordReader::read_nodes(const Json& object) {
  const bool all = object.contains("node_count");
  std::vector<bool> given_nodes;
  if (all) {
    nodes_.assign(values_.whole(object["node_count"], kMaxRecordNodes, "node_count"), NodeView{});
    given_nodes.resize(nodes_.size());
  }
  if (object.contains("nodes")) {
    for (const Json& given : values_.list(object["nodes"], 0, nodes_.size(), "nodes")) {
      const Json& run = values_.list(given, 5, 5, "a run of nodes");
      const std::uint64_t first = values_.whole(run[0], nodes_.size(), "the first of a run of nodes");
      const std::uint64_t count = values_.whole(run[1], nodes_.size() - first, "the length of a run of nodes");
      NodeView node;
      node.spec.cpu = values_.finite(run[2], "CPU of a node");
      if (!(node.spec.cpu >= 0)) values_.fail("CPU of a node: expected at least 0");
      node.spec.rigid = values_.rigid(run[3]);
      node.usable = values_.flag(run[4], "usable");
      for (std::uint64_t n = first; n < first + count; ++n) {
        nodes_[n] = node;
        if (all) given_nodes[n] = true;
      }
    }
  }
  if (all && std::find(given_nodes.begin(), given_nodes.end(), false) != given_nodes.end()) {
    values_.fail("nodes: node_count is given, so each of the nodes must be");
  }
}

void RecordReader::read_jobs(const Json& object) {
  if (object.contains("slots")) {
    const std::uint64_t slots = values_.whole(object["slots"], kMaxRecordSlots, "slots");
    views_.resize(slots);
    placements_.resize(slots);
    eligible_.resize(slots);
  }
  if (object.contains("estimates")) {
    estimates_.resize(values_.whole(object["estimates"], views_.size(), "estimates"));
  }
  if (object.contains("jobs")) {
    for (const Json& job : values_.list(object["jobs"], 0, views_.size(), "jobs")) read_job(job);
  }
  // A change of the nodes may invalidate a job that has not changed itself.
  for (std::size_t slot = 0; slot < views_.size(); ++slot) {
    views_[slot].nodes = placements_[slot];
    check_job(slot);
  }
}

void RecordReader::read_job(const Json& object) {
  if (!object.is_object()) return values_.fail(fmt::format("jobs: {} is not an object", shown(object)));
  values_.check_members(object, kJob, "a job");
  const Json& index = values_.member(object, "slot", "a job");
  if (views_.empty()) return values_.fail("jobs: there are no slots");
  const std::size_t slot = values_.whole(index, views_.size() - 1, "slot");
  for (const auto& [name, value] : object.items()) {
    if (name == "eligible") {
      read_eligible(value, slot);
    } else if (name == "nodes") {
      placements_[slot] = node_list(value, "nodes of a job");
    } else if (name == "estimate") {
      if (slot >= estimates_.size()) return values_.fail("estimate: this slot has none, see estimates");
      estimates_[slot] = values_.number(value, "estimate");
    } else {
      read_member(name, value, views_[slot]);
    }
  }
}

void RecordReader::read_member(const std::string& name, const Json& value, JobView& job) {
  if (name == "id") {
    job.id = values_.whole(value, std::numeric_limits<std::uint64_t>::max(), "id");
  } else if (name == "state") {
    job.state = values_.enumerator<JobState>(values_.text(value, "state"), "state: unknown");
  } else if (name == "flags") {
    read_flags(value, job.flags);
  } else if (name == "pauses") {
    job.pauses = values_.enumerator<Pauses>(values_.text(value, "pauses"), "pauses: unknown");
  } else if (name == "lost_runs") {
    job.lost_runs =
        static_cast<std::uint32_t>(values_.whole(value, std::numeric_limits<std::uint32_t>::max(), "lost_runs"));
  } else if (name == "longest_run") {
    job.longest_run = values_.finite(value, "longest_run");
  } else if (name == "tasks") {
    job.tasks = static_cast<std::uint32_t>(values_.whole(value, kMaxRecordTasks, "tasks"));
    if (job.tasks == 0) values_.fail("tasks: expected at least 1");
  } else if (name == "cpu_need") {
    job.cpu_need = values_.finite(value, "cpu_need");
    if (!(job.cpu_need > 0)) values_.fail("cpu_need: expected a number above 0");
  } else if (name == "rigid") {
    job.rigid = values_.rigid(value);
  } else if (name == "submit") {
    job.submit = values_.finite(value, "submit");
  } else if (name == "user") {
    job.user = static_cast<std::uint32_t>(values_.whole(value, std::numeric_limits<std::uint32_t>::max(), "user"));
  } else if (name == "weight") {
    job.weight = values_.finite(value, "weight");
    if (!(job.weight > 0)) values_.fail("weight: expected a number above 0");
  } else if (name == "penalty") {
    const Json& costs = values_.list(value, 2, 2, "penalty");
    job.penalty = values_.finite(costs[0], "penalty");
    job.move_penalty = values_.finite(costs[1], "penalty");
  } else if (name == "clock") {
    const Json& clock = values_.list(value, 3, 3, "clock");
    job.clock = {values_.finite(clock[0], "clock"), values_.finite(clock[1], "clock"),
                 values_.finite(clock[2], "clock")};
  } else if (name == "yield") {
    job.yield = values_.finite(value, "yield");
  }
}

void RecordReader::read_flags(const Json& value, JobFlags& flags) {
  flags = {};
  bool* const by_name[] = {&flags.may_not_pause, &flags.may_not_move, &flags.exclusive};
  for (const Json& one : values_.list(value, 0, kFlags.size(), "flags")) {
    *by_name[values_.word(values_.text(one, "flags"), kFlags, "flags: unknown")] = true;
  }
}

// "0-3,7"; null: every node.
void RecordReader::read_eligible(const Json& value, std::size_t slot) {
  views_[slot].eligible = nullptr;
  if (value.is_null()) {
    eligible_[slot].reset();
    return;
  }
  const std::string runs = values_.text(value, "eligible");
  auto set = std::make_unique<NodeSet>(nodes_.size());
  const char* at = runs.data();
  const char* const end = at + runs.size();
  // Reads an index; false if there is none.
  const auto index = [&](std::uint32_t& node) {
    const auto [stop, code] = std::from_chars(at, end, node);
    at = stop;
    return code == std::errc{} && node < nodes_.size();
  };
  while (at != end) {
    std::uint32_t first = 0;
    bool good = index(first);
    std::uint32_t last = first;
    if (good && at != end && *at == '-') {
      ++at;
      good = index(last);
    }
    if (!good) {
      return values_.fail(fmt::format("eligible: expected indices of nodes below {} such as \"0-3,7\"", nodes_.size()));
    }
    for (std::uint32_t n = first; n <= last; ++n) set->insert(n);
    if (at == end) break;
    if (*at != ',' || ++at == end) return values_.fail("eligible: expected indices of nodes such as \"0-3,7\"");
  }
  eligible_[slot] = std::move(set);
  views_[slot].eligible = eligible_[slot].get();
}

// The invariants of a view that the engine relies on.
void RecordReader::check_job(std::size_t slot) {
  const JobView& job = views_[slot];
  for (const NodeIndex node : job.nodes) {
    if (node >= nodes_.size())
      values_.fail(fmt::format("job {} is on node {}, and there are {}", job.id, node, nodes_.size()));
  }
  if (!std::is_sorted(job.nodes.begin(), job.nodes.end()))
    values_.fail(fmt::format("job {}: its nodes do not ascend", job.id));
  const bool placed = !job.nodes.empty();
  if (job.state == JobState::running ? job.nodes.size() != job.tasks : placed && job.nodes.size() != job.tasks) {
    values_.fail(fmt::format("job {} is {} with {} tasks on {} nodes: expected a node for each task", job.id,
                             enum_name(job.state), job.tasks, job.nodes.size()));
  }
}

void RecordReader::read_events(const Json& events) {
  for (const Json& given : values_.list(events, 0, 3 * kMaxRecordSlots, "events")) {
    const Json& event = values_.list(given, 1, 2, "an event");
    Event read;
    read.kind = values_.enumerator<EventKind>(values_.text(event[0], "an event"), "events: unknown");
    if ((event.size() == 2) != (read.kind != EventKind::resync)) {
      values_.fail(fmt::format("events: {} has {}", shown(event),
                               event.size() == 2 ? "a slot, which it should not" : "no slot"));
    }
    if (event.size() == 2) {
      if (views_.empty()) return values_.fail("events: there are no slots");
      read.job = static_cast<JobSlot>(values_.whole(event[1], views_.size() - 1, "the slot of an event"));
    }
    events_.push_back(read);
  }
}

void RecordReader::read_decisions(const Json& object) {
  static const Strings kMembers = {"placements", "yields", "wake_at"};
  if (!object.is_object()) return values_.fail("decisions: expected an object");
  values_.check_members(object, kMembers, "decisions");
  decisions_.clear();
  if (views_.empty() && (!object.contains("placements") || !object["placements"].empty())) {
    return values_.fail("decisions: there are no slots to decide upon");
  }
  const Json& placements = values_.member(object, "placements", "decisions");
  for (const Json& given : values_.list(placements, 0, views_.size(), "placements")) {
    const Json& one = values_.list(given, 3, 3, "a decision");
    std::string kind = values_.text(one[0], "a decision");
    if (header_.format == 1 && kind == "migrate") kind = enum_name(DecisionKind::move);
    const std::vector<NodeIndex> nodes = node_list(one[2], "nodes of a decision");
    Decision decision;
    decision.kind = values_.enumerator<DecisionKind>(kind, "decisions: unknown");
    decision.job = static_cast<JobSlot>(values_.whole(one[1], views_.size() - 1, "the slot of a decision"));
    decision.first = static_cast<std::uint32_t>(decisions_.nodes.size());
    decision.count = static_cast<std::uint32_t>(nodes.size());
    decisions_.nodes.insert(decisions_.nodes.end(), nodes.begin(), nodes.end());
    decisions_.placements.push_back(decision);
  }
  for (const Json& given : values_.list(values_.member(object, "yields", "decisions"), 0, views_.size(), "yields")) {
    const Json& one = values_.list(given, 2, 2, "a yield");
    const auto job = static_cast<JobSlot>(values_.whole(one[0], views_.size() - 1, "the slot of a yield"));
    decisions_.yields.push_back({job, values_.number(one[1], "a yield")});
  }
  decisions_.wake_at = values_.number(values_.member(object, "wake_at", "decisions"), "wake_at");
}

void RecordReader::read_error(const Json& object) {
  static const Strings kMembers = {"code", "message"};
  if (!object.is_object()) return values_.fail("error: expected an object");
  values_.check_members(object, kMembers, "error");
  const std::string code = values_.text(values_.member(object, "code", "error"), "code");
  error_.code = values_.enumerator<ErrorCode>(code, "error: unknown code");
  error_.message = values_.text(values_.member(object, "message", "error"), "message");
}

std::vector<NodeIndex> RecordReader::node_list(const Json& value, const char* what) {
  std::vector<NodeIndex> nodes;
  for (const Json& node : values_.list(value, 0, kMaxRecordTasks, what)) {
    if (nodes_.empty()) {
      values_.fail(fmt::format("{}: there are no nodes", what));
      return {};
    }
    nodes.push_back(static_cast<NodeIndex>(values_.whole(node, nodes_.size() - 1, what)));
  }
  return nodes;
}

}  // namespace dfrs::record
