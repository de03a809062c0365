// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "policy/core/engine.h"
#include "policy/core/enum_names.h"
#include "policy/core/node_runs.h"
#include "record/step_lines.h"

namespace dfrs::record {
namespace {

// "nodes 0 x3, 2": the nodes, with the number of tasks on each.
std::string nodes_text(std::span<const NodeIndex> nodes) {
  std::string text = nodes.size() == 1 ? " on node " : " on nodes ";
  const bool complete = all_node_runs(nodes, [&](NodeIndex n, std::uint32_t tasks) {
    if (n != nodes.front()) text += ", ";
    if (text.size() > 300) return false;
    text += tasks > 1 ? fmt::format("{} x{}", n, tasks) : fmt::format("{}", n);
    return true;
  });
  return complete ? text : text + "...";
}

std::string text_of(const Decisions& decisions, const Decision& decision) {
  const std::span<const NodeIndex> nodes = decisions.nodes_of(decision);
  return std::string(enum_name(decision.kind)) + (nodes.empty() ? std::string() : nodes_text(nodes));
}

// The decisions about a job: its placement and its yield. Empty if there are none.
std::string text_of(const Decisions& decisions, JobSlot job) {
  std::string text;
  for (const Decision& d : decisions.placements) {
    if (d.job == job) text += (text.empty() ? "" : "; ") + text_of(decisions, d);
  }
  for (const YieldChange& y : decisions.yields) {
    if (y.job == job) text += fmt::format("{}yield {}", text.empty() ? "" : "; ", y.yield);
  }
  return text;
}

// The first job about which the decisions differ; nullopt if only their order or the wake-up time does.
std::optional<JobSlot> first_difference(const Decisions& a, const Decisions& b) {
  std::vector<JobSlot> slots;
  for (const Decisions* decisions : {&a, &b}) {
    for (const Decision& decision : decisions->placements) slots.push_back(decision.job);
    for (const YieldChange& change : decisions->yields) slots.push_back(change.job);
  }
  for (const JobSlot slot : slots) {
    if (text_of(a, slot) != text_of(b, slot)) return slot;
  }
  return {};
}

std::string whole_text(const tl::expected<const Decisions*, Error>& outcome) {
  if (!outcome) return fmt::format("an error, {}", outcome.error().message);
  return fmt::format("{} placements, {} yields, next step at {}", (*outcome)->placements.size(),
                     (*outcome)->yields.size(), (*outcome)->wake_at);
}

void compare(const RecordReader& reader, const tl::expected<const Decisions*, Error>& replayed,
             ReplaySummary& summary) {
  const auto recorded = reader.outcome();
  if (outcome_text(recorded) == outcome_text(replayed)) return;
  ReplayDifference difference;
  difference.step = summary.steps;
  difference.line = reader.line();
  difference.now = reader.view().now;
  difference.recorded = whole_text(recorded);
  difference.replayed = whole_text(replayed);
  if (recorded && replayed) {
    if (const auto slot = first_difference(**recorded, **replayed)) {
      const auto said = [&](const Decisions& decisions) {
        const std::string text = text_of(decisions, *slot);
        return text.empty() ? std::string("nothing") : text;
      };
      difference.job = reader.view().jobs[*slot].id;
      difference.recorded = said(**recorded);
      difference.replayed = said(**replayed);
    }
  }
  if (difference.recorded == difference.replayed) difference.replayed = "the same in another order";
  summary.difference = std::move(difference);
}

void count(const RecordReader& reader, ReplaySummary& summary) {
  for (const Event& event : reader.events()) {
    if (event.kind != EventKind::resync) continue;
    ++summary.resyncs;
    break;
  }
  const auto outcome = reader.outcome();
  if (!outcome) {
    ++summary.errors;
    return;
  }
  for (const Decision& decision : (*outcome)->placements) {
    switch (decision.kind) {
      case DecisionKind::pause:
        ++summary.pauses;
        break;
      case DecisionKind::move:
        ++summary.moves;
        break;
      case DecisionKind::resume:
        ++summary.resumes;
        break;
      case DecisionKind::start:
        ++summary.starts;
        break;
    }
  }
  summary.yield_changes += (*outcome)->yields.size();
}

void count_engine(const RecordReader& reader, ReplaySummary& summary) {
  const EngineSetup& setup = reader.setup();
  ++summary.engines;
  summary.version = reader.version();
  summary.lacks_triage_options = summary.lacks_triage_options || setup.lacks_triage_options;
  auto& names = summary.algorithms;
  if (std::find(names.begin(), names.end(), setup.algorithm) == names.end()) names.push_back(setup.algorithm);
}

tl::expected<std::unique_ptr<Engine>, RecordError> make_engine(const EngineSetup& setup) {
  auto made = Engine::create(*parse_algorithm(setup.algorithm), setup.options);
  if (made) return std::move(*made);
  return tl::unexpected<RecordError>(
      RecordError{fmt::format("the engine of the record cannot be made: {}", made.error().message)});
}

// An error of the recording machine, which need not happen here. That host went on with a new engine.
bool failed_on_its_host(const RecordReader& reader) {
  const auto outcome = reader.outcome();
  return !outcome && (outcome.error().code == ErrorCode::out_of_memory || outcome.error().code == ErrorCode::internal);
}

}  // namespace

tl::expected<ReplaySummary, RecordError> replay(RecordReader& reader, Stories* stories) {
  ReplaySummary summary;
  std::unordered_set<JobId> jobs;
  std::unique_ptr<Engine> engine;
  for (;;) {
    const auto more = reader.next();
    if (!more) return tl::unexpected<RecordError>(more.error());
    if (!*more) break;
    const ClusterView view = reader.view();
    if (summary.steps++ == 0) summary.first = view.now;
    summary.last = view.now;
    if (reader.new_engine()) {
      count_engine(reader, summary);
      engine.reset();
    }
    for (const JobView& job : view.jobs) {
      if (job.state != JobState::absent) jobs.insert(job.id);
    }
    count(reader, summary);
    if (!engine) {
      auto made = make_engine(reader.setup());
      if (!made) return tl::unexpected<RecordError>(std::move(made.error()));
      engine = std::move(*made);
      engine->explain(stories != nullptr);
    }
    if (failed_on_its_host(reader)) {
      engine.reset();
      continue;
    }
    const auto replayed = engine->step(view, reader.estimates(), reader.events());
    if (stories != nullptr && replayed) stories->step(view, reader.events(), **replayed);
    compare(reader, replayed, summary);
    if (summary.difference) break;
  }
  summary.jobs = jobs.size();
  summary.cut_off = reader.cut_off();
  return summary;
}

}  // namespace dfrs::record
