// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/advice.h"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"
#include "sim/advise/charts.h"
#include "sim/advise/comparison.h"
#include "sim/advise/figures.h"
#include "sim/advise/recommendation.h"
#include "sim/advise/site_file.h"
#include "sim/advise/trust.h"
#include "sim/advise/verdict.h"
#include "sim/advise/worst_day.h"
#include "sim/advise/your_jobs.h"
#include "timeline/page.h"

namespace dfrs::sim {
namespace {

using namespace figures;

// Charts need gnuplot; where it is missing the page says so and is complete without them.
void write_pictures(Page& page, const AdviceInput& input, const Recommendation& recommendation,
                    const std::optional<WorstDay>& day, std::vector<std::string>& notes) {
  if (!input.pictures) return;
  const StudyRun& best = recommendation.best();
  std::vector<NamedRun> lines{{short_name(kToday), &recommendation.today()}, {row_name(recommendation, best), &best}};
  const StudyRun* none = recommendation.choose(kNone);
  if (both_ways(best) && recommendation.world().pauses != kNone) {
    lines.push_back({short_name(none->algorithm) + ", no pauses", none});
  }
  auto chart = waits_chart(lines);
  if (chart) {
    page.blocks.emplace_back(std::move(*chart));
  } else {
    notes.push_back("The page has no charts: " + chart.error() + '.');
  }
  if (!day) return;
  PageFrame frame;
  frame.title = "The day on which jobs wait most";
  frame.caption = fmt::format(
      "{} jobs wait on average on this day under EASY. Above, what EASY does; below, {}. Each bar is a job's share "
      "of a node. Zoom with the wheel, drag to pan, and click a job for its story.",
      number(day->waiting), short_name(best.algorithm));
  frame.document = timeline::timeline_page(frame.title, input.samples[day->sample].name, day->schedules);
  page.blocks.emplace_back(std::move(frame));
}

void write_words(Page& page, const StudyOptions& study) {
  page.heading("Words");
  page.list({"stretch: time from submission to end over the run time, both at least " + span(study.stretch_floor) +
                 "; 1 is a job that started at once and ran at full speed.",
             "wait: time from submission to the first start. delay: time from submission to end beyond the run time, "
             "whether from waiting, sharing CPUs, pauses or moves.",
             "policies: Greedy* starts jobs where memory is free and shares CPUs; GreedyP* also pauses jobs with much "
             "progress when a new one finds no memory; GreedyPM*/per also moves them, and repacks all jobs every " +
                 span(study.period) +
                 ". MINVT=600 leaves jobs with less than 600 s of progress where they are. Triage pauses and moves few "
                 "jobs, those that lose least by it; Triage/LIMITS also goes by time limits, where jobs are never "
                 "paused."});
}

// Not wrapped, so that the command line can be copied.
void write_made(Page& page, const AdviceInput& input) {
  std::string text;
  for (const auto& [name, value] : input.made) text += fmt::format("{:<20}  {}\n", name, base::printable(value));
  if (text.empty()) return;
  page.heading("How this page was made");
  page.blocks.emplace_back(PageCode{std::move(text)});
}

Advice write(const AdviceInput& input, const Recommendation& recommendation, const std::optional<StudyRun>& knowing,
             const std::optional<WorstDay>& day) {
  Advice advice;
  Page& page = advice.page;
  page.title = "What DFRS would do for your cluster";
  page.subtitle = fmt::format("{}: {}{}", input.source, jobs_of(input.jobs_in_source),
                              input.length > 0 ? " submitted within " + span(input.length) : "");
  advice.conf = comments_on(input) + site_file(input, recommendation);
  std::vector<std::string> notes = input.notes;
  write_verdict(page, input, recommendation);
  write_jobs(page, input, recommendation.today());
  write_service(page, recommendation, knowing);
  write_classes(page, recommendation);
  write_pictures(page, input, recommendation, day, notes);
  write_costs(page, input, recommendation);
  write_choices(page, recommendation);
  write_settings(page, input, recommendation);
  write_trust(page, input, recommendation.today(), std::move(notes));
  write_words(page, input.study);
  write_made(page, input);
  return advice;
}

}  // namespace

Result<Advice> advise(const AdviceInput& input) {
  auto runs =
      trials_of(input).and_then([&](const std::vector<Trial>& trials) { return run_study(trials, input.study); });
  if (!runs) return tl::unexpected(std::move(runs).error());
  const Recommendation recommendation(input, *std::move(runs));
  std::optional<StudyRun> knowing;
  if (!input.measured.empty()) {
    // Only for the recommended policy; the others change in the same way.
    StudyOptions quiet = input.study;
    quiet.progress = {};
    const auto run = run_study({recommendation.recommended(input.measured)}, quiet);
    if (!run) return tl::unexpected(run.error());
    knowing = run->front();
  }
  std::optional<WorstDay> day;
  if (input.pictures) {
    auto found = worst_day({{kToday, kKept, &input.samples}, recommendation.recommended(input.samples)}, input.study);
    if (!found) return tl::unexpected(std::move(found).error());
    day = *std::move(found);
  }
  return write(input, recommendation, knowing, day);
}

}  // namespace dfrs::sim
