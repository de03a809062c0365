// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/timeline/told.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace dfrs::sim {
namespace {

// Traces count from 0, live records from 1970.
std::string instant(Seconds time) {
  constexpr Seconds kLive = 5e8;
  if (time < kLive) return fmt::format("{} s", std::round(100 * time) / 100);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(std::floor(time))));
}

// The page shows submission and end elsewhere.
bool worth_telling(const record::StoryEvent& event) {
  if (event.kind == record::StoryKind::submitted) return event.until > event.at;
  return event.kind != record::StoryKind::completed;
}

}  // namespace

record::StoryNames plain_names() {
  return {[](NodeIndex n) { return fmt::format("{}", n); }, instant};
}

std::vector<std::string> told_of(const record::Stories& stories, const timeline::Schedule& schedule) {
  const record::StoryNames names = plain_names();
  std::vector<std::string> told(schedule.jobs.size());
  for (std::size_t k = 0; k < told.size(); ++k) {
    const JobId job = schedule.jobs[k].id;
    const record::Story* const story = stories.find(job);
    if (story == nullptr) continue;
    for (const record::StoryEvent& event : story->events) {
      if (!worth_telling(event)) continue;
      told[k] += fmt::format("{}{}\t{}", told[k].empty() ? "" : "\n", std::round(1000 * event.at) / 1000,
                             record::sentence(job, event, *story, names));
    }
  }
  return told;
}

}  // namespace dfrs::sim
