// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/story/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/counted.h"

namespace dfrs::record {
namespace {

// "3 other jobs" with the number of one of them.
std::string those_who_gave_way(const Why& why) {
  const auto count = static_cast<std::size_t>(why.limit);
  const JobId other = why.other.value_or(0);
  if (count <= 1) return fmt::format("job {} gave way to it", other);
  return fmt::format("{} gave way to it, job {} last", base::counted(count, "job"), other);
}

std::string where(const StoryEvent& event, const StoryNames& names) {
  if (event.nodes.empty()) return base::counted(event.node_count, "node");
  std::string text = event.node_count == 1 ? "node" : "nodes";
  const std::size_t shown = std::min(event.nodes.size(), kNodesNamed);
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& [n, tasks] = event.nodes[k];
    text += fmt::format("{}{}{}", k == 0 ? " " : ", ", names.node(n), tasks > 1 ? fmt::format(":{}", tasks) : "");
  }
  if (event.node_count > shown) text += fmt::format(" and {} more", event.node_count - shown);
  return text;
}

// Of other resources than memory only the number in the trace is known.
std::string amount_of(std::size_t rigid) {
  return rigid == kMemory ? std::string("memory") : fmt::format("of resource {}", rigid);
}

std::string placed(std::string_view verb, JobId job, const StoryEvent& event, const StoryNames& names) {
  std::string text = fmt::format("Job {} {} on {}", job, verb, where(event, names));
  if (event.yield > 0) text += fmt::format(" at a yield of {:.3g}", event.yield);
  if (event.crowd) text += fmt::format(" ({})", crowd_words(*event.crowd, names));
  return text;
}

}  // namespace

std::string room_words(const FreeRoom& room, std::uint32_t tasks) {
  const std::string of = fmt::format("room for {} of {}", room.tasks, base::counted(tasks, "task"));
  std::vector<std::string> missing;
  const auto add = [&](std::size_t nodes, const char* one, const char* many, const std::string& what) {
    if (nodes != 0) missing.push_back(fmt::format("{} {} {}", nodes, nodes == 1 ? one : many, what));
  };
  for (std::size_t d = 0; d < room.short_of.size(); ++d) {
    add(room.short_of[d], "has", "have", fmt::format("too little {} left for one", amount_of(d)));
  }
  add(room.exclusive, "is", "are", "kept from it by exclusive use");
  add(room.unusable, "is", "are", "not usable");
  const std::string nodes = base::counted(room.eligible, "node");
  if (missing.empty()) return fmt::format("{} on the {} that it may use", of, nodes);
  std::string text = fmt::format("{}; of {} that it may use, ", of, nodes);
  for (std::size_t k = 0; k < missing.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == missing.size() ? " and " : ", ") + missing[k];
  }
  return text;
}

std::string crowd_words(const Crowd& crowd, const StoryNames& names) {
  std::string with;
  for (std::size_t k = 0; k < crowd.with.size(); ++k) with += fmt::format("{}{}", k == 0 ? "" : ", ", crowd.with[k]);
  if (crowd.others > crowd.with.size()) with += fmt::format(" and {} more", crowd.others - crowd.with.size());
  const std::string load = fmt::format("node {} has a capacity of {:.3g} and CPU needs of {:.3g}",
                                       names.node(crowd.node), crowd.capacity, crowd.load);
  if (crowd.others == 0) return load;
  return fmt::format("{}, shared with {} {}", load, crowd.others == 1 ? "job" : "jobs", with);
}

std::string clause(const Why& why, const StoryNames& names) {
  const JobId other = why.other.value_or(0);
  switch (why.kind) {
    case ReasonKind::room:
      return "there is room for it";
    case ReasonKind::made_room:
      return those_who_gave_way(why) + (why.value > 0 ? fmt::format("; its urgency is {:.3g}", why.value) : "");
    case ReasonKind::own_room:
      return fmt::format("where there was room it would have got {:.2f} of the CPU it needs; {}", why.value,
                         those_who_gave_way(why));
    case ReasonKind::first:
      return "it is the first in the queue, and its nodes are free";
    case ReasonKind::backfill:
      return why.value < kNever
                 ? fmt::format(
                       "it does not delay job {}, the first in the queue, whose nodes are expected to be free at {}",
                       other, names.time(why.value))
                 : fmt::format("it does not delay job {}, the first in the queue", other);
    case ReasonKind::planned_now:
      return "the time of its planned start has come";
    case ReasonKind::gave_way:
    case ReasonKind::moved_away: {
      const char* const rest = why.kind == ReasonKind::moved_away ? "; there is room for it elsewhere" : "";
      if (std::isfinite(why.limit)) {
        return fmt::format(
            "job {} takes its room: a pause costs {:.3g} here, and job {} is urgent enough for up to {:.3g}{}", other,
            why.value, other, why.limit, rest);
      }
      return fmt::format("job {} takes its room, and its priority of {:.3g} is the lowest that makes enough{}", other,
                         why.value, rest);
    }
    case ReasonKind::move_pays:
      return fmt::format("the move is expected to gain {:.0f} CPU-seconds, and pays from {:.0f}", why.value, why.limit);
    case ReasonKind::repacked:
      return fmt::format("a repack of all jobs, for a yield of {:.2f}", why.value);
    case ReasonKind::repacked_stretch:
      return why.value > 0 ? fmt::format("a repack of all jobs, for a stretch of at most {:.3g}", 1 / why.value)
                           : std::string("a repack of all jobs");
    case ReasonKind::left_out:
      return fmt::format("the jobs do not all fit; {} of lowest priority {} left out, this one with {:.3g}",
                         base::counted(static_cast<std::size_t>(why.limit), "job"), why.limit == 1 ? "is" : "are",
                         why.value);
    case ReasonKind::no_room:
      return "there is no room for all of its tasks";
    case ReasonKind::outweighed:
      return fmt::format(
          "job {} would be the cheapest to pause for it, at a cost of {:.3g}, and its urgency allows for less than "
          "{:.3g}",
          other, why.value, why.limit);
    case ReasonKind::none_to_pause:
      return "there is no room for all of its tasks, and the jobs that may be paused for it would not make enough";
    case ReasonKind::behind:
      return fmt::format("it is behind job {} in the queue{}", other,
                         why.value < kNever
                             ? fmt::format(", whose nodes are expected to be free at {}", names.time(why.value))
                             : std::string());
    case ReasonKind::reserved:
      if (!(why.value < kNever)) return "it is the first in the queue, and too few nodes are free";
      return fmt::format("it is the first in the queue, and its nodes are expected to be free at {}",
                         names.time(why.value));
    case ReasonKind::planned:
      return why.value < kNever ? fmt::format("its start is planned at {}", names.time(why.value))
                                : std::string("it never fits the plan");
    case ReasonKind::next_try:
      return fmt::format("there is no room for all of its tasks; it is tried again at {}", names.time(why.value));
    case ReasonKind::next_tick:
      return why.value < kNever ? fmt::format("jobs are placed at ticks, the next at {}", names.time(why.value))
                                : std::string("jobs are placed at ticks");
  }
  return {};
}

std::string totals_words(JobId job, const Totals& totals, const StoryNames& names) {
  const bool ended = totals.phase == Totals::Phase::ended;
  std::vector<std::string> parts;
  if (!totals.started) parts.push_back(fmt::format("waited {:.0f} s to start", totals.waited));
  if (totals.ran > 0 || totals.phase == Totals::Phase::runs)
    parts.push_back(fmt::format("ran for {:.0f} s", totals.ran));
  if (totals.pauses > 0) {
    parts.push_back(fmt::format("was paused {} for {:.0f} s", base::counted(totals.pauses, "time"), totals.paused));
  } else if (totals.paused > 0 || totals.phase == Totals::Phase::paused) {
    parts.push_back(fmt::format("was paused for {:.0f} s", totals.paused));
  }
  if (totals.moves > 0) parts.push_back(fmt::format("was moved {}", base::counted(totals.moves, "time")));
  std::string text = !totals.started ? ended ? "In all" : "So far" : "Since " + names.time(totals.begin);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    text += k == 0 ? fmt::format(", job {} ", job) : k + 1 == parts.size() ? " and " : ", ";
    text += parts[k];
  }
  return text + ".";
}

std::string sentence(JobId job, const StoryEvent& event, const Story& story, const StoryNames& names) {
  std::string text;
  switch (event.kind) {
    case StoryKind::submitted:
      text = fmt::format("Job {} is submitted with {}", job, base::counted(story.tasks, "task"));
      if (event.until > event.at) {
        text += fmt::format(", and may start {:.0f} s later: licences, limits or conditions kept it back",
                            event.until - event.at);
      }
      break;
    case StoryKind::waits:
      text = fmt::format("Job {} waits", job);
      break;
    case StoryKind::started:
      text = placed("starts", job, event, names);
      break;
    case StoryKind::resumed:
      text = placed("resumes", job, event, names);
      break;
    case StoryKind::moved:
      text = placed("moves: it continues", job, event, names);
      break;
    case StoryKind::paused:
      text = fmt::format("Job {} is paused", job);
      break;
    case StoryKind::slowed:
    case StoryKind::sped_up:
      text = fmt::format("Job {} {} from a yield of {:.3g} to {:.3g}", job,
                         event.kind == StoryKind::slowed ? "slows down" : "speeds up", event.before, event.yield);
      if (event.crowd) text += ": " + crowd_words(*event.crowd, names);
      break;
    case StoryKind::completed:
      text = fmt::format("Job {} has completed", job);
      break;
  }
  if (event.why) text += ": " + clause(*event.why, names);
  if (event.room) text += fmt::format(" ({})", room_words(*event.room, story.tasks));
  if (event.newest) text += fmt::format("; at {}: {}", names.time(event.until), clause(*event.newest, names));
  return text + ".";
}

}  // namespace dfrs::record
