// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/advise/figures.h"
#include "sim/advise/verdict.h"
#include "sim/report/markup.h"

namespace dfrs::sim {
namespace {

using namespace figures;

// The tables with a row per policy leave the other worlds out.
bool in_tables(const Recommendation& recommendation, const StudyRun& run) {
  return !both_ways(run) || run.pauses == kSuspended || run.pauses == kLost ||
         run.pauses == recommendation.world().pauses;
}

std::vector<std::string> service_row(std::string name, const StudyRun& run) {
  const Service& s = run.all;
  return {std::move(name),         span(s.mean_wait),      span(s.p95_wait),       span(s.mean_delay),
          stretch(s.mean_stretch), stretch(s.p99_stretch), stretch(s.max_stretch), percent(run.utilization)};
}

std::string penalty(const StudyOptions& study) {
  if (!(study.swap_rate > 0)) return span(study.penalty);
  return fmt::format("the time to move its memory at {} MiB/s, out and in{}", study.swap_rate,
                     study.restart > 0 ? ", and " + span(study.restart) : "");
}

// Each once, in the order in which they were tried.
std::string published_names(const Recommendation& recommendation) {
  std::vector<std::string> names;
  for (const StudyRun& run : recommendation.runs()) {
    if (&run == &recommendation.today() || is_triage(run.algorithm)) continue;
    std::string name = short_name(run.algorithm);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return first_names(names);
}

}  // namespace

std::string row_name(const Recommendation& recommendation, const StudyRun& run) {
  std::string name = short_name(run.algorithm);
  if (!both_ways(run)) return name;
  for (const SiteWorld& world : recommendation.worlds()) {
    if (run.pauses == world.pauses) name += fmt::format(", {}", world.row);
  }
  return name;
}

void write_service(Page& page, const Recommendation& recommendation, const std::optional<StudyRun>& knowing) {
  const StudyRun& best = recommendation.best();
  page.heading("How jobs are served");
  PageTable table;
  table.caption =
      "EASY is backfilling on parts of nodes, planned with the jobs' time limits: about what Slurm does today. "
      "The marked row is the recommended policy.";
  table.headings = {"policy",       "mean wait",      "95 % wait below", "mean delay",
                    "mean stretch", "99 % are below", "worst stretch",   "busy"};
  for (const StudyRun& run : recommendation.runs()) {
    if (!in_tables(recommendation, run)) continue;
    if (&run == &best) table.best = table.rows.size();
    table.rows.push_back(service_row(row_name(recommendation, run), run));
  }
  if (knowing) table.rows.push_back(service_row(short_name(knowing->algorithm) + ", knowing CPU use", *knowing));
  page.blocks.emplace_back(std::move(table));
  if (knowing) {
    page.paragraph(
        "The last row is what the recommended policy could do if it knew how much CPU time each job really uses "
        "(TotalCPU), and its last column counts only that. All other rows assume that a job uses all its CPUs.");
  }
}

void write_classes(Page& page, const Recommendation& recommendation) {
  const StudyRun& best = recommendation.best();
  const StudyRun& today = recommendation.today();
  PageTable table;
  table.caption = "Mean stretch of jobs by run time, and in brackets the stretch that 95 % of them stay below";
  table.headings.push_back("policy");
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < kJobClasses.size(); ++c) {
    if (today.by_class[c].jobs == 0) continue;
    shown.push_back(c);
    table.headings.push_back(fmt::format("{} ({})", kJobClasses[c].name, jobs_of(today.by_class[c].jobs)));
  }
  for (const StudyRun& run : recommendation.runs()) {
    if (!in_tables(recommendation, run)) continue;
    if (&run == &best) table.best = table.rows.size();
    std::vector<std::string> row{row_name(recommendation, run)};
    for (const std::size_t c : shown) {
      const Service& s = run.by_class[c];
      row.push_back(fmt::format("{} ({})", stretch(s.mean_stretch), stretch(s.p95_stretch)));
    }
    table.rows.push_back(std::move(row));
  }
  page.blocks.emplace_back(std::move(table));
}

void write_costs(Page& page, const AdviceInput& input, const Recommendation& recommendation) {
  const std::vector<StudyRun>& runs = recommendation.runs();
  const StudyRun& best = recommendation.best();
  const SiteWorld& world = recommendation.world();
  page.heading("What it costs");
  PageTable table;
  table.caption =
      "Pauses and moves; the memory they write, on average and in the worst hour (as much again is read when "
      "jobs continue); lost work";
  table.headings = {"policy", "pauses per job", "most of one job", "moves per job"};
  const bool traffic = input.memory_modelled;
  if (traffic) table.headings.insert(table.headings.end(), {"memory", "worst hour"});
  if (traffic && input.bandwidth_gb_per_s > 0) {
    table.headings.push_back(fmt::format("of {} GB/s", input.bandwidth_gb_per_s));
  }
  table.headings.insert(table.headings.end(), {"work lost", "jobs that lose"});
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const StudyRun& run = runs[k];
    if (!in_tables(recommendation, run)) continue;
    if (&run == &best) table.best = table.rows.size();
    std::vector<std::string> row{row_name(recommendation, run), number(run.pauses_per_job),
                                 fmt::format("{:.0f}", run.most_pauses), number(run.moves_per_job)};
    const bool carries = run.pauses != kLost;
    if (traffic) {
      row.push_back(carries ? rate(run.gb_per_s) : "-");
      row.push_back(carries ? rate(run.peak_gb_per_s) : "-");
      if (input.bandwidth_gb_per_s > 0) {
        row.push_back(carries ? percent(run.peak_gb_per_s / input.bandwidth_gb_per_s) : "-");
      }
    }
    row.push_back(carries ? "-" : percent(run.lost_share));
    row.push_back(carries ? "-" : percent(run.jobs_losing));
    table.rows.push_back(std::move(row));
  }
  page.blocks.emplace_back(std::move(table));
  if (traffic && input.bandwidth_gb_per_s > 0 && best.peak_gb_per_s > input.bandwidth_gb_per_s) {
    page.paragraph(
        fmt::format("The recommended policy would need more than {} GB/s in its worst hour: pauses and moves would "
                    "take longer than the {} assumed for each here.",
                    input.bandwidth_gb_per_s, world.restart ? span(*world.restart) : penalty(input.study)));
  }
  page.paragraph(fmt::format(
      "With Pauses=suspended each pause delays a job by {}, and it goes on where it was. With kept, mixed "
      "and lost each pause and each move ends its run, which delays it by {} for its restart; a run is ended only "
      "after {} of progress. If work is lost, the job starts over, and no job loses more than {}.",
      penalty(input.study), span(input.restart_cost), span(input.study.lost_work.min_progress),
      counted(input.study.lost_work.max_lost_runs, "run", "runs")));
}

void write_choices(Page& page, const Recommendation& recommendation) {
  const std::vector<SiteWorld>& worlds = recommendation.worlds();
  page.heading("What you could let pauses do");
  PageTable table;
  table.caption =
      "For each, the best of the published policies tried (" + published_names(recommendation) +
      "; more with -a) and Triage. The recommended one has the better figure in the column '99 % are below'. Where "
      "they are about equal, it is the one that demands less, unless one job fares far worse under it.";
  table.headings = {"dfrs.conf",     "it takes",     "policy",         "recommended", "99 % are below",
                    "worst stretch", "mean stretch", "pauses per job", "work lost"};
  const auto add = [&](std::string setting, std::string takes, std::string chosen, const StudyRun& run) {
    table.rows.push_back({std::move(setting), std::move(takes), short_name(run.algorithm), std::move(chosen),
                          stretch(score(run)), stretch(run.all.max_stretch), stretch(run.all.mean_stretch),
                          number(run.pauses_per_job), run.lost_share > 0 ? percent(run.lost_share) : "-"});
  };
  std::vector<std::string> sentences;
  for (const SiteWorld& world : worlds) {
    const StudyRun* const best = recommendation.choose(world.pauses);
    for (const Recommendation::Among among : {Recommendation::Among::published, Recommendation::Among::triage}) {
      const StudyRun* const run = recommendation.choose(world.pauses, among);
      if (run == best && &world == &recommendation.world()) table.best = table.rows.size();
      add(fmt::format("Pauses={}", world.word), world.takes, run == best ? "yes" : "no", *run);
    }
    if (auto rival = rival_sentence(recommendation, world)) sentences.push_back(std::move(*rival));
  }
  add("without DFRS", "nothing", "-", recommendation.today());
  page.blocks.emplace_back(std::move(table));
  page.list(std::move(sentences));
  const bool marks =
      std::any_of(worlds.begin(), worlds.end(), [](const SiteWorld& world) { return world.pauses.marked; });
  page.paragraph(
      fmt::format("With Pauses=mixed the other jobs are never paused. Which jobs have checkpoints {}. --pauses "
                  "kept, mixed, none or lost makes this page for a site that chooses so.",
                  marks ? "their comments say" : "is drawn"));
}

}  // namespace dfrs::sim
