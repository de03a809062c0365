// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "sim/advise/charts.h"
#include "sim/advise/figures.h"
#include "sim/advise/recommendation.h"
#include "sim/advise/worst_day.h"
#include "sim/workload/licences.h"
#include "timeline/page.h"

namespace dfrs::sim {
namespace {

using namespace figures;

constexpr double kMuchLostWork = 0.05;  // of all work
constexpr double kMibPerGib = 1024;
constexpr std::size_t kFewJobs = 500;  // with fewer, percentiles and maxima say little

// Writes the parts of the page from the figures.
class Writer {
 public:
  Writer(const AdviceInput& input, const Recommendation& recommendation, std::optional<StudyRun> knowing,
         std::optional<WorstDay> day)
      : in_(input), recommendation_(recommendation), knowing_(std::move(knowing)), day_(std::move(day)) {}

  Advice write() {
    Advice advice;
    Page& page = advice.page;
    page_ = &page;
    page.title = "What DFRS would do for your cluster";
    page.subtitle = fmt::format("{}: {}{}", in_.source, jobs_of(in_.jobs_in_source),
                                in_.length > 0 ? " submitted within " + span(in_.length) : "");
    const std::string settings_only = conf();
    advice.conf = comments() + settings_only;
    verdict();
    the_jobs();
    service();
    by_class();
    pictures();
    costs();
    choices();
    settings(settings_only);
    trust();
    words();
    made();
    return advice;
  }

 private:
  void heading(std::string text) { page_->blocks.emplace_back(PageHeading{std::move(text)}); }
  void paragraph(std::string text, bool lead = false) {
    page_->blocks.emplace_back(PageParagraph{std::move(text), lead});
  }
  void list(std::vector<std::string> items) {
    if (!items.empty()) page_->blocks.emplace_back(PageList{std::move(items)});
  }

  // The tables with a row per policy leave the other worlds out.
  bool in_tables(const StudyRun& run) const {
    return !both_ways(run) || run.pauses == kSuspended || run.pauses == kLost || run.pauses == world_.pauses;
  }
  std::string row_name(const StudyRun& run) const {
    std::string name = short_name(run.algorithm);
    if (!both_ways(run)) return name;
    for (const SiteWorld& world : worlds_) {
      if (run.pauses == world.pauses) name += fmt::format(", {}", world.row);
    }
    return name;
  }

  // How Triage fares beside the best published policy, where that is worth a sentence.
  std::optional<std::string> rival_sentence(const SiteWorld& world) const {
    const StudyRun& triage = *recommendation_.choose(world.pauses, Recommendation::Among::triage);
    const StudyRun& published = *recommendation_.choose(world.pauses, Recommendation::Among::published);
    const StudyRun& best = *recommendation_.choose(world.pauses);
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

  std::string compared(const StudyRun& run) const {
    return fmt::format(
        "one job in a hundred takes more than {} times as long as it would alone, under EASY {} times; jobs "
        "wait {} on average until they start, under EASY {}",
        stretch(score(run)), stretch(score(today_)), span(run.all.mean_wait), span(today_.all.mean_wait));
  }

  void verdict() {
    const bool work = recommendation_.pays(*best_);
    if (work) {
      paragraph(fmt::format("DFRS would serve these jobs better. With {}: {}.", short_name(best_->algorithm),
                            compared(*best_)),
                true);
    } else {
      paragraph(
          fmt::format("DFRS would hardly serve these jobs better than backfilling does: with its best policy here, "
                      "{}, {}. There is little reason to change.",
                      short_name(best_->algorithm), compared(*best_)),
          true);
    }
    std::vector<std::string> items;
    if (in_.facts && in_.facts->cpu_efficiency && in_.facts->memory_used) {
      items.push_back(fmt::format("Your jobs use {} of the CPU time and {} of the memory that they ask for (medians).",
                                  percent(*in_.facts->cpu_efficiency), percent(*in_.facts->memory_used)));
    }
    const auto waits = [](const Service& then, const Service& now) {
      return fmt::format(
          "start after {} on average, under EASY after {}; 95 % of them within {}, under EASY within {}.",
          span(then.mean_wait), span(now.mean_wait), span(then.p95_wait), span(now.p95_wait));
    };
    if (const Service& now = today_.by_class.front(); now.jobs > 0) {
      items.push_back(
          fmt::format("What users feel: jobs of {} {}", kJobClasses.front().name, waits(best_->by_class.front(), now)));
    }
    if (const Service& now = today_.interactive; now.jobs > 0) {
      items.push_back(fmt::format("Interactive users (salloc and srun, {}): their jobs {}", jobs_of(now.jobs),
                                  waits(best_->interactive, now)));
    }
    const std::size_t longest = last_class();
    const Service& long_now = today_.by_class[longest];
    const Service& long_then = best_->by_class[longest];
    const double difference = long_then.mean_delay - long_now.mean_delay;
    if (longest > 0 && long_now.jobs > 0 && std::abs(difference) >= 1) {
      items.push_back(
          fmt::format("{}: jobs that run {} end {} {} than under EASY on average. Over all jobs the mean delay is {}, "
                      "under EASY {}.",
                      difference > 0 ? "Who pays" : "Long jobs", kJobClasses[longest].name, span(std::abs(difference)),
                      difference > 0 ? "later" : "earlier", span(best_->all.mean_delay), span(today_.all.mean_delay)));
    }
    const bool site_gives = both_ways(*best_) && world_.pauses != kNone;
    items.push_back(fmt::format("What it takes: {}{}.", site_gives ? world_.takes + "; " : "", price(*best_)));
    if (both_ways(*best_) && keeps_work()) items.push_back(lost_sentence());
    if (auto rival = rival_sentence(world_)) items.push_back(std::move(*rival));
    items.push_back(fmt::format("{}: Algorithm={} and Pauses={}; the file is below.",
                                work ? "What to set" : "What to set if you try it all the same", best_->algorithm,
                                pauses_setting()));
    list(std::move(items));
  }

  // Whether the site wants all jobs to keep their work.
  bool keeps_work() const { return world_.pauses == kKept || world_.pauses == kSuspended; }

  std::string price(const StudyRun& run) const {
    if (!run.pauses_or_moves) return "no job is paused or moved; nodes' CPUs are shared";
    std::string text = fmt::format("a job is paused {} times on average", number(run.pauses_per_job));
    text += run.moves_per_job > 0 ? fmt::format(" and moved {} times", number(run.moves_per_job)) : " and never moved";
    if (run.pauses.others == PauseEffect::lost) {
      return text + fmt::format("; {} of all work is lost, and {} of the jobs lose some", percent(run.lost_share),
                                percent(run.jobs_losing));
    }
    if (in_.memory_modelled) {
      text += fmt::format("; this carries {} of memory on average and {} in the worst hour", rate(run.gb_per_s),
                          rate(run.peak_gb_per_s));
    }
    return text;
  }

  std::string lost_sentence() const {
    const auto same = std::find_if(runs_.begin(), runs_.end(), [&](const StudyRun& run) {
      return run.algorithm == best_->algorithm && run.pauses == kLost;
    });
    std::string text = "If a paused job loses its work (requeued without a checkpoint): ";
    text += fmt::format("with the same policy one job in a hundred takes more than {} times as long, and {}. ",
                        stretch(score(*same)), price(*same));
    if (!recommendation_.pays(*lost_))
      return text + "No policy here is better than EASY for such jobs: make sure that they are not paused.";
    if (lost_->algorithm != best_->algorithm && clearly_above(score(*same), score(*lost_))) {
      return text +
             fmt::format("For such jobs {} is better: {} times.", short_name(lost_->algorithm), stretch(score(*lost_)));
    }
    return text + (same->lost_share < kMuchLostWork ? "It would still be better than EASY."
                                                    : "Users would notice: make sure that such jobs are not paused.");
  }

  // GPUs, or whatever a trace has besides memory.
  bool others_held() const {
    return std::any_of(in_.samples.begin(), in_.samples.end(),
                       [](const Instance& sample) { return sample.platform.rigid_dims > 1; });
  }

  // The longest class that has jobs.
  std::size_t last_class() const {
    std::size_t k = kJobClasses.size() - 1;
    while (k > 0 && today_.by_class[k].jobs == 0) --k;
    return k;
  }

  void the_jobs() {
    heading("Your jobs");
    std::vector<std::string> items;
    std::string kinds;
    for (const NodeKind& kind : in_.kinds) kinds += (kinds.empty() ? "" : "; ") + describe_kind(kind);
    std::string machine =
        !kinds.empty()
            ? "Machine: " + kinds
            : fmt::format("Machine: {}", counted(static_cast<std::size_t>(in_.shape.nodes), "node", "nodes"));
    if (in_.shape.cores > 0 && kinds.empty())
      machine += fmt::format(" of {}", counted(static_cast<std::size_t>(in_.shape.cores), "CPU", "CPUs"));
    if (in_.memory_modelled && in_.shape.memory_mib > 0 && kinds.empty())
      machine += fmt::format(" {} {} MiB", in_.shape.cores > 0 ? "and" : "of", in_.shape.memory_mib);
    items.push_back(machine + fmt::format(". Busy to {} under EASY, from the first submission to the last end.",
                                          percent(today_.utilization)));
    std::size_t jobs = today_.all.jobs;
    if (in_.samples.size() < in_.samples_in_source) {
      items.push_back(
          fmt::format("Simulated: {} of the {} weeks, evenly spread, {} in all; each begins with an empty "
                      "cluster.",
                      in_.samples.size(), in_.samples_in_source, jobs_of(jobs)));
    }
    if (in_.facts) facts(*in_.facts, items);
    if (in_.report.skipped_count() > 0) {
      std::string reasons;
      for (const ReadNote& note : in_.report.skipped) {
        reasons += fmt::format("{}{} ({})", reasons.empty() ? "" : "; ", note.reason, note.count);
      }
      items.push_back(fmt::format("Left out: {}.", reasons));
    }
    list(std::move(items));
  }

  static void facts(const AccountingFacts& facts, std::vector<std::string>& items) {
    std::string text;
    if (facts.cpu_efficiency) {
      text +=
          fmt::format("half of the jobs use less than {} of the CPU time they hold", percent(*facts.cpu_efficiency));
    }
    if (facts.memory_used) {
      text += fmt::format("{}less than {} of the memory they ask for", text.empty() ? "half of the jobs use " : ", ",
                          percent(*facts.memory_used));
    }
    if (facts.limit_used) {
      text += fmt::format("{}less than {} of their time limit", text.empty() ? "half of the jobs use " : ", and ",
                          percent(*facts.limit_used));
    }
    if (!text.empty()) {
      text[0] = 'H';
      items.push_back(text +
                      ". DFRS shares idle CPUs, but never memory: requests closer to what jobs use would make "
                      "room for more of them.");
    }
    if (facts.requeued_jobs > 0) {
      items.push_back(fmt::format("{} had been requeued; {:.1f} CPU hours of their first runs were lost.",
                                  jobs_of(facts.requeued_jobs), facts.requeued_cpu_hours));
    }
  }

  void service() {
    heading("How jobs are served");
    PageTable table;
    table.caption =
        "EASY is backfilling on parts of nodes, planned with the jobs' time limits: about what Slurm does today. "
        "The marked row is the recommended policy.";
    table.headings = {"policy",       "mean wait",      "95 % wait below", "mean delay",
                      "mean stretch", "99 % are below", "worst stretch",   "busy"};
    for (const StudyRun& run : runs_) {
      if (!in_tables(run)) continue;
      if (&run == best_) table.best = table.rows.size();
      table.rows.push_back(service_row(row_name(run), run));
    }
    if (knowing_) table.rows.push_back(service_row(short_name(knowing_->algorithm) + ", knowing CPU use", *knowing_));
    page_->blocks.emplace_back(std::move(table));
    if (knowing_) {
      paragraph(
          "The last row is what the recommended policy could do if it knew how much CPU time each job really uses "
          "(TotalCPU), and its last column counts only that. All other rows assume that a job uses all its CPUs.");
    }
  }

  static std::vector<std::string> service_row(std::string name, const StudyRun& run) {
    const Service& s = run.all;
    return {std::move(name),         span(s.mean_wait),      span(s.p95_wait),       span(s.mean_delay),
            stretch(s.mean_stretch), stretch(s.p99_stretch), stretch(s.max_stretch), percent(run.utilization)};
  }

  void by_class() {
    PageTable table;
    table.caption = "Mean stretch of jobs by run time, and in brackets the stretch that 95 % of them stay below";
    table.headings.push_back("policy");
    std::vector<std::size_t> shown;
    for (std::size_t c = 0; c < kJobClasses.size(); ++c) {
      if (today_.by_class[c].jobs == 0) continue;
      shown.push_back(c);
      table.headings.push_back(fmt::format("{} ({})", kJobClasses[c].name, jobs_of(today_.by_class[c].jobs)));
    }
    for (const StudyRun& run : runs_) {
      if (!in_tables(run)) continue;
      if (&run == best_) table.best = table.rows.size();
      std::vector<std::string> row{row_name(run)};
      for (const std::size_t c : shown) {
        const Service& s = run.by_class[c];
        row.push_back(fmt::format("{} ({})", stretch(s.mean_stretch), stretch(s.p95_stretch)));
      }
      table.rows.push_back(std::move(row));
    }
    page_->blocks.emplace_back(std::move(table));
  }

  // Charts need gnuplot; where it is missing the page says so and is complete without them.
  void pictures() {
    if (!in_.pictures) return;
    std::vector<NamedRun> lines{{short_name(kToday), &today_}, {row_name(*best_), best_}};
    const StudyRun* none = recommendation_.choose(kNone);
    if (both_ways(*best_) && world_.pauses != kNone) {
      lines.push_back({short_name(none->algorithm) + ", no pauses", none});
    }
    auto chart = waits_chart(lines);
    if (chart) {
      page_->blocks.emplace_back(std::move(*chart));
    } else {
      no_charts_ = chart.error();
    }
    if (!day_) return;
    PageFrame frame;
    frame.title = "The day on which jobs wait most";
    frame.caption = fmt::format(
        "{} jobs wait on average on this day under EASY. Above, what EASY does; below, {}. Each bar is a job's share "
        "of a node. Zoom with the wheel, drag to pan, and click a job for its story.",
        number(day_->waiting), short_name(best_->algorithm));
    frame.document = timeline::timeline_page(frame.title, in_.samples[day_->sample].name, day_->schedules);
    page_->blocks.emplace_back(std::move(frame));
  }

  void costs() {
    heading("What it costs");
    PageTable table;
    table.caption =
        "Pauses and moves; the memory they write, on average and in the worst hour (as much again is read when "
        "jobs continue); lost work";
    table.headings = {"policy", "pauses per job", "most of one job", "moves per job"};
    const bool traffic = in_.memory_modelled;
    if (traffic) table.headings.insert(table.headings.end(), {"memory", "worst hour"});
    if (traffic && in_.bandwidth_gb_per_s > 0) {
      table.headings.push_back(fmt::format("of {} GB/s", in_.bandwidth_gb_per_s));
    }
    table.headings.insert(table.headings.end(), {"work lost", "jobs that lose"});
    for (std::size_t k = 1; k < runs_.size(); ++k) {
      const StudyRun& run = runs_[k];
      if (!in_tables(run)) continue;
      if (&run == best_) table.best = table.rows.size();
      std::vector<std::string> row{row_name(run), number(run.pauses_per_job), fmt::format("{:.0f}", run.most_pauses),
                                   number(run.moves_per_job)};
      const bool carries = run.pauses != kLost;
      if (traffic) {
        row.push_back(carries ? rate(run.gb_per_s) : "-");
        row.push_back(carries ? rate(run.peak_gb_per_s) : "-");
        if (in_.bandwidth_gb_per_s > 0) {
          row.push_back(carries ? percent(run.peak_gb_per_s / in_.bandwidth_gb_per_s) : "-");
        }
      }
      row.push_back(carries ? "-" : percent(run.lost_share));
      row.push_back(carries ? "-" : percent(run.jobs_losing));
      table.rows.push_back(std::move(row));
    }
    page_->blocks.emplace_back(std::move(table));
    if (traffic && in_.bandwidth_gb_per_s > 0 && best_->peak_gb_per_s > in_.bandwidth_gb_per_s) {
      paragraph(
          fmt::format("The recommended policy would need more than {} GB/s in its worst hour: pauses and moves would "
                      "take longer than the {} assumed for each here.",
                      in_.bandwidth_gb_per_s, world_.restart ? span(*world_.restart) : penalty()));
    }
    paragraph(fmt::format(
        "With Pauses=suspended each pause delays a job by {}, and it goes on where it was. With kept, mixed "
        "and lost each pause and each move ends its run, which delays it by {} for its restart; a run is ended only "
        "after {} of progress. If work is lost, the job starts over, and no job loses more than {}.",
        penalty(), span(in_.restart_cost), span(in_.study.lost_work.min_progress),
        counted(in_.study.lost_work.max_lost_runs, "run", "runs")));
  }

  void choices() {
    heading("What you could let pauses do");
    PageTable table;
    table.caption =
        "For each, the best published policy and Triage. The recommended one has the better figure in the column "
        "'99 % are below'. Where they are about equal, it is the one that demands less, unless one job fares far worse "
        "under it.";
    table.headings = {"dfrs.conf",     "it takes",     "policy",         "recommended", "99 % are below",
                      "worst stretch", "mean stretch", "pauses per job", "work lost"};
    const auto add = [&](std::string setting, std::string takes, std::string chosen, const StudyRun& run) {
      table.rows.push_back({std::move(setting), std::move(takes), short_name(run.algorithm), std::move(chosen),
                            stretch(score(run)), stretch(run.all.max_stretch), stretch(run.all.mean_stretch),
                            number(run.pauses_per_job), run.lost_share > 0 ? percent(run.lost_share) : "-"});
    };
    std::vector<std::string> sentences;
    for (const SiteWorld& world : worlds_) {
      const StudyRun* const best = recommendation_.choose(world.pauses);
      for (const Recommendation::Among among : {Recommendation::Among::published, Recommendation::Among::triage}) {
        const StudyRun* const run = recommendation_.choose(world.pauses, among);
        if (run == best && &world == &world_) table.best = table.rows.size();
        add(fmt::format("Pauses={}", world.word), world.takes, run == best ? "yes" : "no", *run);
      }
      if (auto rival = rival_sentence(world)) sentences.push_back(std::move(*rival));
    }
    add("without DFRS", "nothing", "-", today_);
    page_->blocks.emplace_back(std::move(table));
    list(std::move(sentences));
    const bool marks =
        std::any_of(worlds_.begin(), worlds_.end(), [](const SiteWorld& world) { return world.pauses.marked; });
    paragraph(
        fmt::format("With Pauses=mixed the other jobs are never paused. Which jobs have checkpoints {}. --pauses "
                    "kept, mixed, none or lost makes this page for a site that chooses so.",
                    marks ? "their comments say" : "is drawn"));
  }

  std::string penalty() const {
    if (!(in_.study.swap_rate > 0)) return span(in_.study.penalty);
    return fmt::format("the time to move its memory at {} MiB/s, out and in{}", in_.study.swap_rate,
                       in_.study.restart > 0 ? ", and " + span(in_.study.restart) : "");
  }

  // The options are also in the command.
  std::string comments() const {
    std::string out;
    for (const auto& [name, value] : in_.made) {
      if (!name.ends_with(" options")) out += fmt::format("# {}: {}\n", name, base::printable(value));
    }
    return out;
  }

  std::string pauses_setting() const { return both_ways(*best_) ? world_.word : "none"; }

  std::string conf() const {
    std::string partition = in_.facts ? in_.facts->partition : std::string();
    const bool plain = !partition.empty() && std::all_of(partition.begin(), partition.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
             c == '.';
    });
    if (!plain) partition = "dfrs";
    std::string out = fmt::format(
        "# dfrs.conf to start with; all other settings have defaults (dfrs.conf.example)\n"
        "Partitions={}\nAlgorithm={}\n",
        partition, best_->algorithm);
    if (best_->algorithm.find("per") != std::string::npos) out += fmt::format("Period={:.0f}\n", in_.study.period);
    const std::string pauses = pauses_setting();
    if (pauses == "none") return out + "Pauses=none\n";
    if (pauses == "suspended") {
      out += "# Jobs are suspended to the swap of their nodes: no work is lost, and no job moves.\n";
    } else if (pauses == "kept") {
      out += "# Jobs are suspended to swap, or requeued if they restart from their own checkpoint: no work is lost.\n";
    } else if (pauses == "mixed") {
      out += "# Jobs that restart from their own checkpoint are requeued; no other job is paused.\n";
    } else {
      out += "# Jobs are requeued, and those without a checkpoint start over.\n";
    }
    out += fmt::format("Pauses={}\n", pauses);
    out += fmt::format("MinProgress={:.0f}\nMaxLostRuns={}\n", in_.study.lost_work.min_progress,
                       in_.study.lost_work.max_lost_runs);
    return out;
  }

  void settings(const std::string& conf) {
    heading("Settings to start with");
    page_->blocks.emplace_back(PageCode{conf});
    std::vector<std::string> items;
    items.push_back(
        "Check it with dfrs-check-config, and begin with one partition over a few nodes, for users who know about "
        "it. The administrator's guide has the steps, and how to go back.");
    const std::string pauses = pauses_setting();
    if (pauses == "none") {
      items.push_back("This pauses and moves nothing: it needs only the node agents for CPU quotas.");
    } else if (pauses == "mixed") {
      items.push_back(
          fmt::format("Users whose jobs restart from a checkpoint say so by --comment={}.", kCheckpointMark));
    } else if (pauses == "lost") {
      items.push_back(
          "Users whose jobs must not be run twice submit them by sbatch --no-requeue: these are neither paused nor "
          "moved.");
    } else {
      items.push_back(pauses == "suspended" ? swap_sentence() : checkpoints_sentence());
      if (recommendation_.pays(*lost_) && lost_->lost_share < kMuchLostWork && both_ways(*lost_)) {
        items.push_back(
            fmt::format("For a partition whose jobs are short or cheap to repeat, Pauses=lost is an option: "
                        "{} of all work would be lost.",
                        percent(lost_->lost_share)));
      }
    }
    list(std::move(items));
  }

  std::string swap_sentence() const {
    return fmt::format(
        "Suspended jobs need swap on their nodes, as much as the memory of the jobs paused at a time{}. Where a node "
        "has too little, a job keeps running: with less swap the result is between this policy and one without pauses.",
        in_.memory_modelled
            ? fmt::format(": here, at most {} GiB on a node", number(best_->most_paused_mib / kMibPerGib))
            : "");
  }

  static std::string checkpoints_sentence() {
    return fmt::format(
        "Every job has to restart from a checkpoint of its own, and its user says so by --comment={}. A job without "
        "one is suspended if its nodes have swap, and then goes on there only (as with Pauses=suspended); else it "
        "keeps "
        "its nodes.",
        kCheckpointMark);
  }

  void trust() {
    heading("How far to trust this");
    std::vector<std::string> items = in_.notes;
    if (!no_charts_.empty()) items.push_back("The page has no charts: " + no_charts_ + '.');
    if (today_.all.jobs < kFewJobs) {
      items.push_back(fmt::format("{} are few: percentiles and worst cases of other weeks can differ clearly.",
                                  jobs_of(today_.all.jobs)));
    }
    if (!in_.memory_modelled) {
      items.push_back(
          "Memory is not known, so every job fits at once: DFRS looks better here than it would be. Give "
          "accounting with ReqMem or AllocTRES, and --memory.");
    }
    items.push_back(
        "EASY here is not your slurm.conf: priorities, fair share, reservations, QOS limits and dependencies are "
        "not simulated, neither under EASY nor under DFRS. The real waits of users may differ.");
    items.push_back(
        "A job with half the CPU makes half the progress; contention for caches, memory bandwidth, network and "
        "storage is not modelled.");
    items.push_back(in_.kinds.empty()
                        ? "All nodes are assumed to be equal, and GPUs are ignored."
                        : "The kinds of nodes come from their names and from what jobs had of them. A job may use any "
                          "node where it fits, whatever its partition; it holds its GPUs while it runs, as Slurm gives "
                          "them.");
    if (others_held()) {
      items.push_back(
          "A job with GPUs is never moved, because Slurm places it, but it may be paused: suspended, it keeps its GPUs "
          "and its nodes; requeued, it gives them back. Here DFRS knows which GPUs are free; on the cluster it learns "
          "that when Slurm finds none for a job.");
    }
    items.push_back(fmt::format(
        "With Pauses=suspended the cluster is assumed to have {}{}. A job is suspended only where its nodes have "
        "swap free for it, as on the cluster; what Slurm lets a job have of it (ConstrainSwapSpace) is not simulated. "
        "A job that restarts from a checkpoint is taken to lose nothing since it wrote that.",
        swap_taken(in_), in_.memory_modelled ? " (--swap)" : ""));
    if (!in_.licences.empty()) {
      items.push_back(
          fmt::format("The cluster is assumed to have these licences: {}. A job gets its licences in the order of "
                      "submission, before any policy places it, and keeps them while it is paused.",
                      licences_text(in_.licences)));
    }
    items.push_back("Jobs arrive at their recorded times, however they are served.");
    list(std::move(items));
  }

  void words() {
    heading("Words");
    list({"stretch: time from submission to end over the run time, both at least " + span(in_.study.stretch_floor) +
              "; 1 is a job that started at once and ran at full speed.",
          "wait: time from submission to the first start. delay: time from submission to end beyond the run time, "
          "whether from waiting, sharing CPUs, pauses or moves.",
          "policies: Greedy* starts jobs where memory is free and shares CPUs; GreedyP* also pauses jobs with much "
          "progress when a new one finds no memory; GreedyPM*/per also moves them, and repacks all jobs every " +
              span(in_.study.period) +
              ". MINVT=600 leaves jobs with less than 600 s of progress where they are. Triage pauses and moves few "
              "jobs, those that lose least by it; Triage/LIMITS also goes by time limits, where jobs are never "
              "paused."});
  }

  // Not wrapped, so that the command line can be copied.
  void made() {
    std::string text;
    for (const auto& [name, value] : in_.made) text += fmt::format("{:<20}  {}\n", name, base::printable(value));
    if (text.empty()) return;
    heading("How this page was made");
    page_->blocks.emplace_back(PageCode{std::move(text)});
  }

  const AdviceInput& in_;
  const Recommendation& recommendation_;
  std::optional<StudyRun> knowing_;
  std::optional<WorstDay> day_;
  const std::vector<StudyRun>& runs_ = recommendation_.runs();
  const StudyRun& today_ = recommendation_.today();
  const std::vector<SiteWorld>& worlds_ = recommendation_.worlds();
  const SiteWorld& world_ = recommendation_.world();
  const StudyRun* const best_ = &recommendation_.best();
  const StudyRun* const lost_ = &recommendation_.best_if_lost();
  std::string no_charts_;
  Page* page_ = nullptr;
};

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
  return Writer(input, recommendation, std::move(knowing), std::move(day)).write();
}

}  // namespace dfrs::sim
