// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/story/json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "policy/core/enum_names.h"

namespace dfrs::record {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 9> kEventNames{"submitted", "waits",  "started", "resumed",  "moved",
                                                      "paused",    "slowed", "sped_up", "completed"};

void put_number(Json& out, const char* name, double value) {
  out[name] = std::isfinite(value) ? Json(value) : Json(nullptr);  // JSON has no infinity
}

void put_why(Json& out, const Why& why) {
  if (why.other) out["other"] = *why.other;
  put_number(out, "value", why.value);
  put_number(out, "limit", why.limit);
}

Json event_json(JobId job, const StoryEvent& event, const Story& story, const StoryNames& names) {
  Json out{{"t", event.at}};
  if (event.until > event.at) out["until"] = event.until;
  out["event"] = kEventNames[static_cast<std::size_t>(event.kind)];
  if (event.why) {
    out["reason"] = enum_name(event.why->kind);
    put_why(out, *event.why);
  }
  if (event.newest) put_why(out["newest"], *event.newest);
  if (!event.nodes.empty()) {
    Json nodes = Json::object();
    for (const auto& [n, tasks] : event.nodes) nodes[names.node(n)] = tasks;
    out["nodes"] = std::move(nodes);
    if (event.node_count > event.nodes.size()) out["more_nodes"] = event.node_count - event.nodes.size();
  }
  if (event.yield > 0) out["yield"] = event.yield;
  if (event.room) {
    out["room_for_tasks"] = event.room->tasks;
    Json missing = Json::object();
    for (std::size_t d = 0; d < event.room->short_of.size(); ++d) {
      if (event.room->short_of[d] > 0)
        missing[d == kMemory ? "memory" : fmt::format("rigid {}", d)] = event.room->short_of[d];
    }
    if (event.room->exclusive > 0) missing["exclusive"] = event.room->exclusive;
    if (event.room->unusable > 0) missing["unusable"] = event.room->unusable;
    out["nodes_without_room"] = std::move(missing);
  }
  if (event.crowd) out["shared_with"] = event.crowd->with;
  out["text"] = sentence(job, event, story, names);
  return out;
}

}  // namespace

Json story_json(JobId job, const Story& story, const StoryNames& names) {
  Json events = Json::array();
  for (const StoryEvent& event : story.events) events.push_back(event_json(job, event, story, names));
  return events;
}

Json totals_json(JobId job, const Totals& totals, const StoryNames& names) {
  return {{"since", totals.begin},   {"ended", totals.phase == Totals::Phase::ended},
          {"waited", totals.waited}, {"ran", totals.ran},
          {"paused", totals.paused}, {"pauses", totals.pauses},
          {"moves", totals.moves},   {"text", totals_words(job, totals, names)}};
}

}  // namespace dfrs::record
