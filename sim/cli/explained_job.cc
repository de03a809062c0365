// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/explained_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/story/json.h"
#include "sim/errors.h"
#include "sim/timeline/told.h"

namespace dfrs::sim {
namespace {

const record::Story& story_of(JobId job, const record::Stories& stories) {
  const record::Story* const story = stories.find(job);
  if (story == nullptr) throw InputError(fmt::format("--explain {}: no step shows a job with this number", job));
  return *story;
}

}  // namespace

ExplainedJob::ExplainedJob(JobId job, const Instance& instance) : stories_(record::Stories::of(job)) {
  const std::vector<Job>& jobs = instance.jobs;
  if (std::any_of(jobs.begin(), jobs.end(), [&](const Job& one) { return one.id == job; })) return;
  if (jobs.empty()) throw UsageError(fmt::format("--explain {}: {} has no jobs", job, instance.name));
  const auto [least, most] =
      std::minmax_element(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.id < b.id; });
  throw UsageError(fmt::format("--explain {}: {} has no job with this number; its jobs have numbers from {} to {}", job,
                               instance.name, least->id, most->id));
}

std::string explanation_text(JobId job, const record::Stories& stories) {
  const record::Story& story = story_of(job, stories);
  const record::StoryNames names = plain_names();
  std::size_t width = 0;
  for (const record::StoryEvent& event : story.events) width = std::max(width, names.time(event.at).size());
  std::string text;
  for (const record::StoryEvent& event : story.events) {
    text += fmt::format("{:>{}}  {}\n", names.time(event.at), width, record::sentence(job, event, story, names));
  }
  return text + record::totals_words(job, story.totals.until(stories.now()), names) + '\n';
}

nlohmann::ordered_json explanation_json(JobId job, const record::Stories& stories) {
  const record::Story& story = story_of(job, stories);
  const record::StoryNames names = plain_names();
  return {{"job", job},
          {"summary", record::totals_json(job, story.totals.until(stories.now()), names)},
          {"events", record::story_json(job, story, names)}};
}

}  // namespace dfrs::sim
