// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "policy/core/nearest_name.h"

namespace dfrs::shim {
namespace {

using Strings = std::vector<std::string>;

// What is shown of a value in a message.
std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

const Strings kStates = {"absent", "waiting", "running", "paused"};
const Strings kFlags = {"may_not_pause", "may_not_move", "exclusive"};
const Strings kEvents = {"completed", "submitted", "resync", "changed"};
const Strings kDecisions = {"pause", "migrate", "resume", "start"};
const Strings kErrors = {"bad_algorithm", "bad_option", "bad_view", "bad_decision", "out_of_memory", "internal"};
const Strings kHeader = {"dfrs-record",    "version",     "algorithm",      "period",
                         "priority_floor", "ticks_apart", "pass_per_event", "pack_tasks"};
const Strings kStep = {"t",         "rigid_dims", "node_count", "nodes",     "slots",
                       "estimates", "jobs",       "events",     "decisions", "error"};
const Strings kJob = {"slot",     "id",    "state", "flags", "tasks",    "cpu_need", "rigid",  "submit",
                      "eligible", "clock", "yield", "nodes", "estimate", "weight",   "penalty"};

}  // namespace

RecordReader::RecordReader(std::unique_ptr<LineSource> lines, std::string name)
    : lines_(std::move(lines)), name_(std::move(name)) {}
RecordReader::~RecordReader() = default;

void RecordReader::fail(const std::string& what) const {
  throw RecordError(fmt::format("{}:{}: {}", name_, line_, what));
}

bool RecordReader::next() {
  new_engine_ = false;
  while (lines_->next(text_)) {
    ++line_;
    const Json object = Json::parse(text_, nullptr, false);
    if (object.is_discarded() || !object.is_object()) fail("not a JSON object");
    if (object.contains("dfrs-record")) {
      read_header(object);
      new_engine_ = true;
      continue;
    }
    if (!begun_) fail("expected the first line of a record, {\"dfrs-record\":1,...}");
    read_step(object);
    return true;
  }
  // Nothing but a cut line, or nothing at all.
  if (!begun_) {
    line_ = 1;
    fail("no record: expected a first line {\"dfrs-record\":1,...}");
  }
  return false;
}

tl::expected<const Decisions*, Error> RecordReader::outcome() const {
  if (decided_) return &decisions_;
  return tl::unexpected<Error>(error_);
}

void RecordReader::read_header(const Json& object) {
  const std::uint64_t version = whole(object["dfrs-record"], std::numeric_limits<std::uint32_t>::max(), "dfrs-record");
  if (version != kRecordVersion) {
    fail(fmt::format("a record of format {}; this program reads format {}", version, kRecordVersion));
  }
  check_members(object, kHeader, "the header");
  version_ = text(member(object, "version", "the header"), "version");
  make_.algorithm = text(member(object, "algorithm", "the header"), "algorithm");
  if (const auto algorithm = parse_algorithm(make_.algorithm); !algorithm) {
    fail(fmt::format("algorithm: {}", algorithm.error().message));
  }
  make_.period = finite(member(object, "period", "the header"), "period");
  if (!(make_.period > 0)) fail("period: expected a number above 0");
  make_.priority_floor = finite(member(object, "priority_floor", "the header"), "priority_floor");
  make_.ticks_apart = flag(member(object, "ticks_apart", "the header"), "ticks_apart");
  make_.pass_per_event = flag(member(object, "pass_per_event", "the header"), "pass_per_event");
  make_.pack_tasks = flag(member(object, "pack_tasks", "the header"), "pack_tasks");
  begun_ = true;
  has_dims_ = false;
  nodes_.clear();
  views_.clear();
  placements_.clear();
  eligible_.clear();
  estimates_.clear();
}

void RecordReader::read_step(const Json& object) {
  check_members(object, kStep, "a step");
  now_ = finite(member(object, "t", "a step"), "t");
  if (object.contains("rigid_dims")) {
    rigid_dims_ = whole(object["rigid_dims"], kMaxRigid, "rigid_dims");
    if (rigid_dims_ == 0) fail("rigid_dims: expected at least 1");
    has_dims_ = true;
  }
  if (!has_dims_) fail("the first step of an engine has no rigid_dims");
  read_nodes(object);
  read_jobs(object);
  events_.clear();
  if (object.contains("events")) read_events(object["events"]);
  decided_ = object.contains("decisions");
  if (decided_ == object.contains("error")) fail("expected either decisions or error");
  if (decided_) {
    read_decisions(object["decisions"]);
  } else {
    read_error(object["error"]);
  }
}

void RecordReader::read_nodes(const Json& object) {
  const bool all = object.contains("node_count");
  std::vector<bool> told;
  if (all) {
    nodes_.assign(whole(object["node_count"], kMaxRecordNodes, "node_count"), NodeView{});
    told.resize(nodes_.size());
  }
  if (object.contains("nodes")) {
    for (const Json& run : list(object["nodes"], 0, nodes_.size(), "nodes")) {
      list(run, 5, 5, "a run of nodes");
      const std::uint64_t first = whole(run[0], nodes_.size(), "the first of a run of nodes");
      const std::uint64_t count = whole(run[1], nodes_.size() - first, "the length of a run of nodes");
      NodeView node;
      node.spec.cpu = finite(run[2], "CPU of a node");
      if (!(node.spec.cpu >= 0)) fail("CPU of a node: expected at least 0");
      node.spec.rigid = rigid(run[3]);
      node.usable = flag(run[4], "usable");
      for (std::uint64_t n = first; n < first + count; ++n) {
        nodes_[n] = node;
        if (all) told[n] = true;
      }
    }
  }
  if (all && std::find(told.begin(), told.end(), false) != told.end()) {
    fail("nodes: node_count is given, so each of the nodes must be");
  }
}

void RecordReader::read_jobs(const Json& object) {
  if (object.contains("slots")) {
    const std::uint64_t slots = whole(object["slots"], kMaxRecordSlots, "slots");
    views_.resize(slots);
    placements_.resize(slots);
    eligible_.resize(slots);
  }
  if (object.contains("estimates")) {
    estimates_.resize(whole(object["estimates"], views_.size(), "estimates"));
  }
  if (object.contains("jobs")) {
    for (const Json& job : list(object["jobs"], 0, views_.size(), "jobs")) read_job(job);
  }
  // A change of the nodes may have made a job wrong that has not changed itself.
  for (std::size_t slot = 0; slot < views_.size(); ++slot) {
    views_[slot].nodes = placements_[slot];
    check_job(slot);
  }
}

void RecordReader::read_job(const Json& object) {
  if (!object.is_object()) fail(fmt::format("jobs: {} is not an object", shown(object)));
  check_members(object, kJob, "a job");
  const Json& index = member(object, "slot", "a job");
  if (views_.empty()) fail("jobs: there are no slots");
  const std::size_t slot = whole(index, views_.size() - 1, "slot");
  JobView& job = views_[slot];
  for (const auto& [name, value] : object.items()) {
    if (name == "id") {
      job.id = whole(value, std::numeric_limits<std::uint64_t>::max(), "id");
    } else if (name == "state") {
      const std::string state = text(value, "state");
      const auto at = std::find(kStates.begin(), kStates.end(), state);
      if (at == kStates.end())
        fail(fmt::format("state: unknown '{}'; did you mean '{}'?", state, nearest_name(state, kStates)));
      job.state = static_cast<JobState>(at - kStates.begin());
    } else if (name == "flags") {
      job.flags = {};
      for (const Json& word : list(value, 0, kFlags.size(), "flags")) {
        const std::string one = text(word, "flags");
        if (one == kFlags[0]) {
          job.flags.may_not_pause = true;
        } else if (one == kFlags[1]) {
          job.flags.may_not_move = true;
        } else if (one == kFlags[2]) {
          job.flags.exclusive = true;
        } else {
          fail(fmt::format("flags: unknown '{}'; did you mean '{}'?", one, nearest_name(one, kFlags)));
        }
      }
    } else if (name == "tasks") {
      job.tasks = static_cast<std::uint32_t>(whole(value, kMaxRecordTasks, "tasks"));
      if (job.tasks == 0) fail("tasks: expected at least 1");
    } else if (name == "cpu_need") {
      job.cpu_need = finite(value, "cpu_need");
      if (!(job.cpu_need > 0)) fail("cpu_need: expected a number above 0");
    } else if (name == "rigid") {
      job.rigid = rigid(value);
    } else if (name == "submit") {
      job.submit = finite(value, "submit");
    } else if (name == "weight") {
      job.weight = finite(value, "weight");
      if (!(job.weight > 0)) fail("weight: expected a number above 0");
    } else if (name == "penalty") {
      list(value, 2, 2, "penalty");
      job.penalty = finite(value[0], "penalty");
      job.move_penalty = finite(value[1], "penalty");
    } else if (name == "eligible") {
      read_eligible(value, slot);
    } else if (name == "clock") {
      list(value, 3, 3, "clock");
      job.clock = {finite(value[0], "clock"), finite(value[1], "clock"), finite(value[2], "clock")};
    } else if (name == "yield") {
      job.yield = finite(value, "yield");
    } else if (name == "nodes") {
      placements_[slot] = node_list(value, "nodes of a job");
    } else if (name == "estimate") {
      if (slot >= estimates_.size()) fail("estimate: this slot has none, see estimates");
      estimates_[slot] = number(value, "estimate");
    }
  }
}

// "0-3,7"; null: every node.
void RecordReader::read_eligible(const Json& value, std::size_t slot) {
  views_[slot].eligible = nullptr;
  if (value.is_null()) {
    eligible_[slot].reset();
    return;
  }
  const std::string runs = text(value, "eligible");
  auto set = std::make_unique<NodeSet>(nodes_.size());
  const char* at = runs.data();
  const char* const end = at + runs.size();
  const auto index = [&] {
    std::uint32_t node = 0;
    const auto [stop, code] = std::from_chars(at, end, node);
    if (code != std::errc{} || node >= nodes_.size()) {
      fail(fmt::format("eligible: expected indices of nodes below {} such as \"0-3,7\"", nodes_.size()));
    }
    at = stop;
    return node;
  };
  while (at != end) {
    const std::uint32_t first = index();
    std::uint32_t last = first;
    if (at != end && *at == '-') {
      ++at;
      last = index();
    }
    for (std::uint32_t n = first; n <= last; ++n) set->insert(n);
    if (at == end) break;
    if (*at != ',' || ++at == end) fail("eligible: expected indices of nodes such as \"0-3,7\"");
  }
  eligible_[slot] = std::move(set);
  views_[slot].eligible = eligible_[slot].get();
}

// What the engine takes for granted of a view.
void RecordReader::check_job(std::size_t slot) const {
  const JobView& job = views_[slot];
  for (const NodeIndex node : job.nodes) {
    if (node >= nodes_.size()) fail(fmt::format("job {} is on node {}, and there are {}", job.id, node, nodes_.size()));
  }
  if (!std::is_sorted(job.nodes.begin(), job.nodes.end())) fail(fmt::format("job {}: its nodes do not ascend", job.id));
  const bool placed = !job.nodes.empty();
  if (job.state == JobState::running ? job.nodes.size() != job.tasks : placed && job.nodes.size() != job.tasks) {
    fail(fmt::format("job {} is {} with {} tasks on {} nodes: expected a node for each task", job.id,
                     kStates[static_cast<std::size_t>(job.state)], job.tasks, job.nodes.size()));
  }
}

void RecordReader::read_events(const Json& events) {
  for (const Json& event : list(events, 0, 3 * kMaxRecordSlots, "events")) {
    list(event, 1, 2, "an event");
    const std::string kind = text(event[0], "an event");
    const auto at = std::find(kEvents.begin(), kEvents.end(), kind);
    if (at == kEvents.end())
      fail(fmt::format("events: unknown '{}'; did you mean '{}'?", kind, nearest_name(kind, kEvents)));
    Event read{static_cast<EventKind>(at - kEvents.begin()), kNoSlot};
    if ((event.size() == 2) != (read.kind != EventKind::resync)) {
      fail(fmt::format("events: {} has {}", shown(event),
                       event.size() == 2 ? "a slot, which it should not" : "no slot"));
    }
    if (event.size() == 2) {
      if (views_.empty()) fail("events: there are no slots");
      read.job = static_cast<JobSlot>(whole(event[1], views_.size() - 1, "the slot of an event"));
    }
    events_.push_back(read);
  }
}

void RecordReader::read_decisions(const Json& object) {
  static const Strings kMembers = {"placements", "yields", "wake_at"};
  if (!object.is_object()) fail("decisions: expected an object");
  check_members(object, kMembers, "decisions");
  decisions_.clear();
  if (views_.empty() && (!object.contains("placements") || !object["placements"].empty())) {
    fail("decisions: there are no slots to decide upon");
  }
  for (const Json& one : list(member(object, "placements", "decisions"), 0, views_.size(), "placements")) {
    list(one, 3, 3, "a decision");
    const std::string kind = text(one[0], "a decision");
    const auto at = std::find(kDecisions.begin(), kDecisions.end(), kind);
    if (at == kDecisions.end()) {
      fail(fmt::format("decisions: unknown '{}'; did you mean '{}'?", kind, nearest_name(kind, kDecisions)));
    }
    const std::vector<NodeIndex> nodes = node_list(one[2], "nodes of a decision");
    Decision decision;
    decision.kind = static_cast<DecisionKind>(at - kDecisions.begin());
    decision.job = static_cast<JobSlot>(whole(one[1], views_.size() - 1, "the slot of a decision"));
    decision.first = static_cast<std::uint32_t>(decisions_.nodes.size());
    decision.count = static_cast<std::uint32_t>(nodes.size());
    decisions_.nodes.insert(decisions_.nodes.end(), nodes.begin(), nodes.end());
    decisions_.placements.push_back(decision);
  }
  for (const Json& one : list(member(object, "yields", "decisions"), 0, views_.size(), "yields")) {
    list(one, 2, 2, "a yield");
    decisions_.yields.push_back(
        {static_cast<JobSlot>(whole(one[0], views_.size() - 1, "the slot of a yield")), number(one[1], "a yield")});
  }
  decisions_.wake_at = number(member(object, "wake_at", "decisions"), "wake_at");
}

void RecordReader::read_error(const Json& object) {
  static const Strings kMembers = {"code", "message"};
  if (!object.is_object()) fail("error: expected an object");
  check_members(object, kMembers, "error");
  const std::string code = text(member(object, "code", "error"), "code");
  const auto at = std::find(kErrors.begin(), kErrors.end(), code);
  if (at == kErrors.end())
    fail(fmt::format("error: unknown code '{}'; did you mean '{}'?", code, nearest_name(code, kErrors)));
  error_ = {static_cast<ErrorCode>(at - kErrors.begin()), text(member(object, "message", "error"), "message")};
}

// ---- values ----

void RecordReader::check_members(const Json& object, std::span<const std::string> known, const char* what) const {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fail(fmt::format("{}: unknown member {}; did you mean \"{}\"?", what, shown(name), nearest_name(name, known)));
  }
}

const nlohmann::json& RecordReader::member(const Json& object, const char* name, const char* what) const {
  const auto at = object.find(name);
  if (at == object.end()) fail(fmt::format("{} has no \"{}\"", what, name));
  return *at;
}

double RecordReader::number(const Json& value, const char* what) const {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  fail(fmt::format("{}: {} is not a number", what, shown(value)));
}

double RecordReader::finite(const Json& value, const char* what) const {
  const double read = number(value, what);
  if (!std::isfinite(read)) fail(fmt::format("{}: {} is not a finite number", what, shown(value)));
  return read;
}

std::uint64_t RecordReader::whole(const Json& value, std::uint64_t most, const char* what) const {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    fail(fmt::format("{}: {} is not a whole number from 0 to {}", what, shown(value), most));
  }
  return value.get<std::uint64_t>();
}

bool RecordReader::flag(const Json& value, const char* what) const {
  if (!value.is_boolean()) fail(fmt::format("{}: {} is neither true nor false", what, shown(value)));
  return value.get<bool>();
}

std::string RecordReader::text(const Json& value, const char* what) const {
  if (!value.is_string()) fail(fmt::format("{}: {} is not a string", what, shown(value)));
  return value.get<std::string>();
}

const nlohmann::json& RecordReader::list(const Json& value, std::size_t least, std::size_t most,
                                         const char* what) const {
  if (!value.is_array() || value.size() < least || value.size() > most) {
    fail(least == most ? fmt::format("{}: {} is not a list of {}", what, shown(value), least)
                       : fmt::format("{}: {} is not a list of {} to {}", what, shown(value), least, most));
  }
  return value;
}

RigidVector RecordReader::rigid(const Json& value) const {
  RigidVector amounts{};
  list(value, 1, amounts.size(), "rigid amounts");
  for (std::size_t k = 0; k < value.size(); ++k) {
    amounts[k] = static_cast<RigidAmount>(whole(value[k], 1'000'000'000'000, "a rigid amount"));
  }
  return amounts;
}

std::vector<NodeIndex> RecordReader::node_list(const Json& value, const char* what) const {
  std::vector<NodeIndex> nodes;
  for (const Json& node : list(value, 0, kMaxRecordTasks, what)) {
    if (nodes_.empty()) fail(fmt::format("{}: there are no nodes", what));
    nodes.push_back(static_cast<NodeIndex>(whole(node, nodes_.size() - 1, what)));
  }
  return nodes;
}

}  // namespace dfrs::shim
