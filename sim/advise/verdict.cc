// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sim/advise/figures.h"
#include "sim/advise/site_file.h"

namespace dfrs::sim {
namespace {

using namespace figures;

std::string compared(const StudyRun& run, const StudyRun& today) {
  return fmt::format(
      "one job in a hundred takes more than {} times as long as it would alone, under EASY {} times; jobs "
      "wait {} on average until they start, under EASY {}",
      stretch(score(run)), stretch(score(today)), span(run.all.mean_wait), span(today.all.mean_wait));
}

// What sites ask first. Where the log does not say, the page does not just leave it out.
std::string efficiency(const AccountingFacts& facts) {
  if (facts.cpu_efficiency && facts.memory_used) {
    return fmt::format("Your jobs use {} of the CPU time and {} of the memory that they ask for (medians).",
                       percent(*facts.cpu_efficiency), percent(*facts.memory_used));
  }
  constexpr auto kOne =
      "Your jobs use {} of the {} that they ask for (median). The log does not say how much of the {} they use.";
  if (facts.cpu_efficiency) return fmt::format(kOne, percent(*facts.cpu_efficiency), "CPU time", "memory");
  if (facts.memory_used) return fmt::format(kOne, percent(*facts.memory_used), "memory", "CPU time");
  return "The log does not say how much CPU time and memory your jobs use.";
}

// Whether the site wants all jobs to keep their work.
bool keeps_work(const SiteWorld& world) { return world.pauses == kKept || world.pauses == kSuspended; }

std::string price(const StudyRun& run, bool memory_modelled) {
  if (!run.pauses_or_moves) return "no job is paused or moved; nodes' CPUs are shared";
  std::string text = fmt::format("a job is paused {} times on average", number(run.pauses_per_job));
  text += run.moves_per_job > 0 ? fmt::format(" and moved {} times", number(run.moves_per_job)) : " and never moved";
  if (run.pauses.others == PauseEffect::lost) {
    return text + fmt::format("; {} of all work is lost, and {} of the jobs lose some", percent(run.lost_share),
                              percent(run.jobs_losing));
  }
  if (memory_modelled) {
    text += fmt::format("; this carries {} of memory on average and {} in the worst hour", rate(run.gb_per_s),
                        rate(run.peak_gb_per_s));
  }
  return text;
}

std::string lost_sentence(const AdviceInput& input, const Recommendation& recommendation) {
  const StudyRun& best = recommendation.best();
  const StudyRun& lost = recommendation.best_if_lost();
  const std::vector<StudyRun>& runs = recommendation.runs();
  const auto same = std::find_if(runs.begin(), runs.end(), [&](const StudyRun& run) {
    return run.algorithm == best.algorithm && run.pauses == kLost;
  });
  std::string text = "If a paused job loses its work (requeued without a checkpoint): ";
  text += fmt::format("with the same policy one job in a hundred takes more than {} times as long, and {}. ",
                      stretch(score(*same)), price(*same, input.memory_modelled));
  if (!recommendation.pays(lost))
    return text + "No policy here is better than EASY for such jobs: make sure that they are not paused.";
  if (lost.algorithm != best.algorithm && clearly_above(score(*same), score(lost))) {
    return text +
           fmt::format("For such jobs {} is better: {} times.", short_name(lost.algorithm), stretch(score(lost)));
  }
  return text + (same->lost_share < kMuchLostWork ? "It would still be better than EASY."
                                                  : "Users would notice: make sure that such jobs are not paused.");
}

// The longest class that has jobs.
std::size_t last_class(const StudyRun& today) {
  std::size_t k = kJobClasses.size() - 1;
  while (k > 0 && today.by_class[k].jobs == 0) --k;
  return k;
}

}  // namespace

std::optional<std::string> rival_sentence(const Recommendation& recommendation, const SiteWorld& world) {
  const StudyRun& triage = *recommendation.choose(world.pauses, Recommendation::Among::triage);
  const StudyRun& published = *recommendation.choose(world.pauses, Recommendation::Among::published);
  const StudyRun& best = *recommendation.choose(world.pauses);
  const std::string with = fmt::format("With Pauses={} {} ", world.word, short_name(triage.algorithm));
  if (clearly_above(score(triage), score(published))) {
    const std::string rival = short_name(published.algorithm);
    const bool one_suffers = clearly_above(published.all.max_stretch, triage.all.max_stretch);
    return with +
           fmt::format(
               "loses: one job in a hundred takes more than {} times as long as it would alone, under {} {} times. "
               "Take Algorithm={}{}.",
               stretch(score(triage)), rival, stretch(score(published)), best.algorithm,
               one_suffers ? fmt::format("; but there the job that is served worst has a stretch of {}, under {} {}",
                                         stretch(published.all.max_stretch), short_name(triage.algorithm),
                                         stretch(triage.all.max_stretch))
                           : "");
  }
  if (!is_triage(best.algorithm)) return std::nullopt;  // about equal: the table says which demands less
  if (clearly_above(triage.all.max_stretch, published.all.max_stretch)) {
    return with + fmt::format("wins, but for the job that is served worst: a stretch of {}, under {} {}.",
                              stretch(triage.all.max_stretch), short_name(published.algorithm),
                              stretch(published.all.max_stretch));
  }
  return std::nullopt;
}

void write_verdict(Page& page, const AdviceInput& input, const Recommendation& recommendation) {
  const StudyRun& best = recommendation.best();
  const StudyRun& today = recommendation.today();
  const SiteWorld& world = recommendation.world();
  const bool work = recommendation.pays(best);
  if (work) {
    page.paragraph(fmt::format("DFRS would serve these jobs better. With {}: {}.", short_name(best.algorithm),
                               compared(best, today)),
                   true);
  } else {
    page.paragraph(
        fmt::format("DFRS would hardly serve these jobs better than backfilling does: with its best policy here, "
                    "{}, {}. There is little reason to change.",
                    short_name(best.algorithm), compared(best, today)),
        true);
  }
  std::vector<std::string> items{efficiency(input.facts.value_or(AccountingFacts{}))};
  const auto waits = [](const Service& then, const Service& now) {
    return fmt::format("start after {} on average, under EASY after {}; 95 % of them within {}, under EASY within {}.",
                       span(then.mean_wait), span(now.mean_wait), span(then.p95_wait), span(now.p95_wait));
  };
  if (const Service& now = today.by_class.front(); now.jobs > 0) {
    items.push_back(
        fmt::format("What users feel: jobs of {} {}", kJobClasses.front().name, waits(best.by_class.front(), now)));
  }
  if (const Service& now = today.interactive; now.jobs > 0) {
    items.push_back(fmt::format("Interactive users (salloc and srun, {}): their jobs {}", jobs_of(now.jobs),
                                waits(best.interactive, now)));
  }
  const std::size_t longest = last_class(today);
  const Service& long_now = today.by_class[longest];
  const Service& long_then = best.by_class[longest];
  const double difference = long_then.mean_delay - long_now.mean_delay;
  if (longest > 0 && long_now.jobs > 0 && std::abs(difference) >= 1) {
    items.push_back(
        fmt::format("{}: jobs that run {} end {} {} than under EASY on average. Over all jobs the mean delay is {}, "
                    "under EASY {}.",
                    difference > 0 ? "Who pays" : "Long jobs", kJobClasses[longest].name, span(std::abs(difference)),
                    difference > 0 ? "later" : "earlier", span(best.all.mean_delay), span(today.all.mean_delay)));
  }
  const bool site_gives = both_ways(best) && world.pauses != kNone;
  items.push_back(
      fmt::format("What it takes: {}{}.", site_gives ? world.takes + "; " : "", price(best, input.memory_modelled)));
  if (both_ways(best) && keeps_work(world)) items.push_back(lost_sentence(input, recommendation));
  if (auto rival = rival_sentence(recommendation, world)) items.push_back(std::move(*rival));
  items.push_back(fmt::format("{}: Algorithm={} and Pauses={}; the file is below.",
                              work ? "What to set" : "What to set if you try it all the same", best.algorithm,
                              pauses_setting(recommendation)));
  page.list(std::move(items));
}

}  // namespace dfrs::sim
