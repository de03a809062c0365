// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/simulation_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/counted.h"
#include "policy/batch/options.h"
#include "policy/rr7659/options.h"
#include "sim/cli/option_texts.h"
#include "sim/cli/option_values.h"
#include "sim/errors.h"
#include "sim/host/pile_up.h"

namespace dfrs::sim {
namespace {

constexpr std::string_view kNoLimit = "none";  // of --most-jobs

base::Rule limit_of_jobs() {
  const base::Rule number = whole_number_in(1, 1'000'000'000);
  return {[number](const std::string& text) { return text == kNoLimit ? std::string() : number(text); }, ""};
}

// What is wrong with a value of --pauses; empty: nothing.
std::string wrong_world(const std::string& text) {
  const auto world = record::parse_world(text);
  return world ? std::string() : world.error();
}

void add_pauses(const base::Command& app, std::string& world, std::string& swap) {
  const std::string group = kSimulationGroup;
  const base::Option pauses =
      app.add_option(
             "--pauses", world,
             fmt::format("what a pause or a move does to a job: {}. kept: it continues later; lost: it starts over; "
                         "none: it is never paused; suspended: it continues later, but only on its nodes, and its "
                         "memory is in their --swap meanwhile; mixed: a part X of the jobs is kept, drawn by SEED or "
                         "given by the trace's marks, and OTHERS says what happens to the rest (default: none)",
                         record::kPauseWorlds))
          .check(base::Rule(wrong_world, "WORLD"))
          .capture_default()
          .group(group);
  app.add_option(
         "--swap", swap,
         fmt::format("where --pauses suspends jobs: swap of each node, {}; a job is paused only where its nodes "
                     "have swap for it (default: no limit)",
                     record::kSwapSizes))
      .check(swap_size())
      .group(group);
  // The former words, which results of earlier versions have in their commands.
  app.add_option("--paused-work", world).check(base::one_of({"kept", "lost"})).excludes(pauses).group("");
}

}  // namespace

void SimulationOptions::add(const base::Command& app) {
  const std::string group = kSimulationGroup;
  app_ = app;
  app.add_option(
         "--penalty", penalty_,
         "seconds without progress after a resume or a move, or memory/RATE[+SECONDS]: the time to write the job's "
         "memory on a node and read it back at RATE MiB/s, and SECONDS for a restart, which jobs that lose their work "
         "pay, too")
      .check(penalty_rule())
      .capture_default()
      .group(group);
  app.add_option("--period", period_, "seconds between ticks of /per and /stretch-per")
      .check(number_in(1e-3, 1e9))
      .capture_default()
      .group(group);
  app.add_option("--stretch-floor", stretch_floor_, "b of the bounded stretch, seconds (IPDPS 2010: 30)")
      .check(number_in(1e-3, 1e9))
      .capture_default()
      .group(group);
  app.add_option("--priority-floor", priority_floor_, "minimum flow time in the priority, seconds (IPDPS 2010: 30)")
      .check(number_in(0, 1e9))
      .capture_default()
      .group(group);
  app.add_option(
         "--instants", instants_,
         "DFRS: decide on submissions and ticks of one instant 'apart', one after the other, so that a job that has "
         "just started pays for a pause or a move, or 'merged' into one decision")
      .check(base::one_of({"apart", "merged"}))
      .capture_default()
      .group(group);
  app.add_option("--batch-passes", passes_, "batch policies schedule once per 'instant' or after each 'event'")
      .check(base::one_of({"instant", "event"}))
      .capture_default()
      .group(group);
  app.add_option(
         "--batch-nodes", batch_nodes_,
         "batch policies use a node per 'task', as in RR-7659, or 'packed' nodes with as many tasks of a job as "
         "their CPU and memory hold; 'auto' is packed for logs with a task per processor and several processors a "
         "node, and where a job has more tasks than there are nodes, else task")
      .check(base::one_of({"auto", "task", "packed"}))
      .capture_default()
      .group(group);
  add_pauses(app, pauses_, swap_);
  app.add_flag("--discover-needs", discover_needs_,
               "measure how much of the requested CPU jobs use, and share CPU by that (CpuNeed=measured in dfrs.conf)")
      .group(group);
  app.add_option("--need-floor", need_floor_, "with --discover-needs: minimum need, as a fraction of the request")
      .check(number_in(0.01, 1))
      .capture_default()
      .group(group);
  app.add_option("--min-progress", min_progress_,
                 "where --pauses loses work: seconds of virtual time before a run may be ended")
      .check(number_in(0, 1e9))
      .capture_default()
      .group(group);
  app.add_flag(
         "--requeue-kept", requeue_kept_,
         "jobs that keep their work are requeued from a checkpoint of their own, as on live clusters: "
         "--min-progress holds for their runs, too, and a job for which none can be paused is tried again once a run "
         "has gained that")
      .group(group);
  app.add_option("--most-jobs", most_jobs_,
                 fmt::format("end a simulation as run away once more than N jobs are in the system; none: never, "
                             "however long it takes (default: beyond {} jobs, if while they doubled there were "
                             "more than {} starts, pauses, moves and resumes per job submitted)",
                             PileUpGuard::kMany, PileUpGuard::kChangesPerJob))
      .check(limit_of_jobs())
      .type_name("N")
      .group(group);
  app.add_option("--max-lost-runs", max_lost_runs_, "where --pauses loses work: the most runs that a job may lose")
      .check(whole_number_in(0, 1'000'000))
      .capture_default()
      .group(group);
}

void SimulationOptions::fit(std::span<const Instance> instances, const SourceFacts& facts) {
  if (batch_nodes_ != "auto") return;
  batch_nodes_ = "task";
  std::string why;
  if (facts.processors_per_node > 1) {
    why = fmt::format("a task per processor, up to {} processors a node", facts.processors_per_node);
  }
  for (std::size_t k = 0; k < instances.size() && why.empty(); ++k) {
    const std::size_t nodes = instances[k].platform.nodes.size();
    const auto wide = [&](const Job& job) { return static_cast<std::size_t>(job.tasks) > nodes; };
    const auto job = std::find_if(instances[k].jobs.begin(), instances[k].jobs.end(), wide);
    if (job == instances[k].jobs.end()) continue;
    why = fmt::format("{}: job {} has {} for {}", instances[k].name, job->id,
                      base::counted(static_cast<std::size_t>(job->tasks), "task"), base::counted(nodes, "node"));
  }
  if (why.empty()) return;
  batch_nodes_ = "packed";
  fmt::print(stderr, "batch policies pack tasks: {} (--batch-nodes packed)\n", why);
}

SimOptions SimulationOptions::sim() const {
  SimOptions options;
  set_penalty(penalty_, options);
  options.engine.of<DfrsOptions>().period = period_;
  options.engine.of<DfrsOptions>().priority_floor = priority_floor_;
  options.events_apart = instants_ == "apart";
  options.engine.of<BatchOptions>().pass_per_event = passes_ == "event";
  options.engine.of<BatchOptions>().pack_tasks = packs();
  options.pauses = world();
  options.swap = swap();
  if (options.swap.limited() && !options.pauses.some_suspended()) {
    throw UsageError(
        fmt::format("--swap {}: with --pauses {} no job is suspended, so that none needs swap; give --pauses suspended "
                    "or mixed:X/suspended, or no --swap",
                    swap_, world_text(options.pauses)));
  }
  options.discover_needs = discover_needs_;
  options.need_rule.floor = need_floor_;
  options.lost_work = {min_progress_, max_lost_runs_, requeue_kept_};
  return options;
}

// Already checked.
PauseWorld SimulationOptions::world() const { return record::parse_world(pauses_).value(); }
record::SwapSize SimulationOptions::swap() const { return record::parse_swap(swap_).value(); }

// Already checked.
std::size_t SimulationOptions::most_jobs() const {
  return most_jobs_.empty() || most_jobs_ == kNoLimit ? 0 : std::stoull(most_jobs_);
}

std::string SimulationOptions::text() const {
  const ResolvedOptions resolved{{"--batch-nodes", packs() ? "packed" : "task"}};
  if (app_) return options_text(*app_, kSimulationGroup, resolved);
  base::CommandLine defaults;
  SimulationOptions().add(defaults.command());
  return options_text(defaults.command(), kSimulationGroup, resolved);
}

std::string SimulationOptions::describe() const {
  std::string text =
      fmt::format("penalty {}, period {} s, stretch bounded at {} s, instants {}, batch passes per {}, batch nodes {}",
                  penalty_words(sim()), period_, stretch_floor_, instants_, passes_, packs() ? "packed" : "task");
  const PauseWorld pauses = world();
  if (pauses != PauseWorld{}) text += fmt::format(", pauses {}", world_text(pauses));
  if (swap().limited()) text += fmt::format(" (swap {})", swap_words(swap()));
  if (pauses.some_lose()) {
    text += fmt::format(" (lost after {} s of progress, at most {} times)", min_progress_, max_lost_runs_);
  }
  if (requeue_kept_) text += fmt::format(", kept jobs requeued after {} s of progress", min_progress_);
  if (discover_needs_) text += fmt::format(", CPU needs measured (floor {})", need_floor_);
  if (most_jobs() != 0) text += fmt::format(", at most {} jobs in the system", most_jobs());
  if (most_jobs_ == kNoLimit) text += ", no limit of jobs in the system";
  return text;
}

}  // namespace dfrs::sim
