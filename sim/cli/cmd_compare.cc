// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim compare: several algorithms on several instances.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/counted.h"
#include "sim/campaign/origin.h"
#include "sim/cli/algorithm_choice.h"
#include "sim/cli/campaign_command.h"
#include "sim/cli/command.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/cli/simulation_options.h"
#include "sim/cli/workload_options.h"
#include "sim/errors.h"
#include "sim/io/input_source.h"
#include "sim/io/output_file.h"
#include "sim/timeline/collector.h"
#include "timeline/page.h"

namespace dfrs::sim {
namespace {

// A file name that is valid on another machine.
std::string whole_name(const std::string& source) {
  if (source == "-") throw UsageError("--slurm: the nodes cannot read standard input; give a file that they can read");
  if (is_url(source)) return source;
  return std::filesystem::absolute(source).lexically_normal().string();
}

constexpr const char* kFooter = R"(Columns of --output, a row per simulation:
  bound_divisible, bound_ls1        lower bounds on the maximum stretch of any schedule
  stretch_p50 ... stretch_p99       percentiles over the jobs of the instance, nearest rank
  pauses, moves                     how many in all; also per job, per hour, and the memory they write
  response_by_width_s               ARTwW of the dynP papers: mean turnaround, weighted by tasks
  slowdown60_by_width               SLDwW: turnaround / processing time, both at least 60 s, weighted by tasks
  loss_of_capacity                  LOC: share of node time without a task while some job had no nodes
  work_lost, losses_per_job         work of runs that --pauses lost ended, as a share of all work; such runs per job
  short_wait_s, short_wait_p95_s    waits of jobs of up to ten minutes of work: mean, 95th percentile
  user_fairness, worst_user_stretch Jain's index of the users' mean stretches, and the highest of these
  degradation_divisible, degradation_ls1, degradation_from_best
                                    maximum stretch over each bound, and over the lowest of the algorithms compared
An empty field means that an earlier version, which wrote the row, did not measure it. All metrics are empty if the
simulation ran away (--most-jobs): its algorithm is then left out of the summary, or of that instance. The summary
(--format csv, json) has the means over the instances. `published` in the table, and the summary's columns with that
word, are what a paper has for the figure beside it: RR-7659's average for HPC2N's weeks, and SC'15's figures for
KTH-SP2 (with --nodes 100) and CTC-SP2 under --kill-at-estimate, with either of --estimates. They appear only for those
logs as the archive has them, under the paper's options.)";

constexpr std::size_t kMostTimelines = 3;

struct CompareCommand {
  WorkloadOptions workload;
  SimulationOptions simulation;
  std::vector<std::string> algorithms;
  unsigned threads = 0;
  std::string only;
  CampaignOutputs outputs;
  std::string timeline;
  bool times = false, no_submit = false, no_wait = false;
  std::optional<base::Command> parsed;
  std::vector<base::Option> here;  ///< options not passed on to the tasks of a job array

  void run() {
    const std::vector<Algorithm> chosen = parse_algorithms(algorithms.empty() ? recommended_algorithms() : algorithms);
    if (!outputs.slurm.folder.empty()) {
      outputs.slurm.submit = !no_submit;
      outputs.slurm.wait = !no_wait;
      outputs.slurm.command = task_command();
      for (const std::string& source : workload.sources()) outputs.slurm.sources.push_back(whole_name(source));
    }
    outputs.inputs = workload.sources();
    if (only.empty()) say_what_is_kept(outputs);
    SourceFacts facts;
    const std::vector<Instance> instances = workload.load(facts);
    outputs.facts = facts;
    simulation.fit(instances, facts);
    if (!only.empty()) {
      run_part(instances, chosen, simulation, threads, outputs.store, only);
      return;
    }
    outputs.report_options.subtitle = "Workload: " + workload.sources().front();
    if (workload.sources().size() > 1) {
      outputs.report_options.subtitle += " and " + std::to_string(workload.sources().size() - 1) + " more";
    }
    outputs.report_options.settings = report_settings(simulation);
    outputs.times = times ? CpuSeconds::written : CpuSeconds::left_out;
    if (!timeline.empty()) check_timeline(instances, chosen);
    print(run_and_report(instances, chosen, simulation, threads, outputs));
    if (!timeline.empty()) write_timeline(instances.front(), chosen);
  }

  void check_timeline(const std::vector<Instance>& instances, const std::vector<Algorithm>& chosen) const {
    if (instances.size() != 1) {
      throw UsageError(
          fmt::format("--timeline shows one instance, not {}: choose with --instance or --take 1", instances.size()));
    }
    if (chosen.size() > kMostTimelines) {
      throw UsageError(fmt::format("--timeline shows at most {} algorithms above each other, not {}: choose with -a",
                                   kMostTimelines, chosen.size()));
    }
    check_outputs_differ({{"--output", outputs.results},
                          {"--report", outputs.report},
                          {"--store", outputs.store},
                          {"--timeline", timeline}});
    check_inputs_kept(workload.sources(), {{"--timeline", timeline}});
  }

  // Simulates again, because results do not keep schedules.
  void write_timeline(const Instance& instance, const std::vector<Algorithm>& chosen) const {
    std::vector<timeline::Schedule> schedules;
    std::string names;
    CampaignOrigin origin;
    origin.add(origin_of(instance, simulation.text()));
    for (const Algorithm& algorithm : chosen) {
      SimOptions options = simulation.sim();
      ScheduleCollector collector(algorithm_name(algorithm), true);
      or_throw(simulate(instance, algorithm, options,
                        Watch{.observer = &collector,
                              .explains = true,
                              .most_jobs = simulation.most_jobs(),
                              .ends_pile_ups = simulation.ends_pile_ups()}));
      schedules.push_back(collector.finish(instance));
      names += (names.empty() ? "" : ", ") + algorithm_name(algorithm);
      origin.algorithms.push_back(algorithm_name(algorithm));
    }
    or_throw(write_file(timeline,
                        timeline::timeline_page(
                            fmt::format("{} under {}", instance.name, names),
                            fmt::format("{} on {}; {}", base::counted(instance.jobs.size(), "job"),
                                        base::counted(instance.platform.nodes.size(), "node"), simulation.describe()),
                            schedules, origin.lines())));
  }

  // This command line for a task, with file names that are valid on any node.
  std::vector<std::string> task_command() const {
    std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "compare"};
    for (const base::Option& option : parsed->options()) {
      if (option.count() == 0 || std::find(here.begin(), here.end(), option) != here.end()) continue;
      if (option.is_positional() || option.long_names().empty()) continue;  // below
      const std::string name = "--" + option.long_names().front();
      if (!option.takes_value()) {
        words.push_back(name);
        continue;
      }
      for (const std::string& value : option.given_values()) {
        words.push_back(name + "=" + (name == "--ca-file" ? whole_name(value) : value));
      }
    }
    words.push_back(fmt::format("--threads={}", std::max(1U, threads)));
    return words;
  }
};

void add_slurm(const base::Command& command, CompareCommand& options) {
  const std::string group = "On a Slurm cluster";
  SlurmOptions& slurm = options.outputs.slurm;
  const base::Option folder = command.add_option(
      "--slurm", slurm.folder,
      "simulate in a job array on this machine's Slurm cluster, wait for it and collect the results in FOLDER. The "
      "nodes must see FOLDER, this program and the sources. Simulations still missing when the array has ended are "
      "submitted again. After an interruption, run the same command to continue");
  folder.type_name("FOLDER").group(group);
  const auto add = [&](const base::Option option) {
    option.group(group).needs(folder);
    options.here.push_back(option);
    return option;
  };
  add(command.add_option("--tasks", slurm.tasks, "number of array tasks to divide the missing simulations among"))
      .check(whole_number_in(1, 4'000'000))
      .capture_default();
  add(command.add_option("--at-once", slurm.at_once, "the most tasks running at a time (default: no limit)"))
      .check(whole_number_in(1, 4'000'000));
  add(command.add_option("--partition", slurm.partition, "partition to submit to (default: the cluster's default)"));
  add(command.add_option("--time", slurm.time, "time limit per task in sbatch's format (default: the partition's)"));
  add(command.add_option("--sbatch", slurm.sbatch,
                         "an additional option for sbatch, such as --sbatch=--mem=2G; may be repeated"))
      .one_value_each_time();
  add(command.add_flag("--no-submit", options.no_submit,
                       "write the batch script and print its path without calling Slurm"));
  add(command.add_flag("--no-wait", options.no_wait, "submit and return; run the same command later to continue"));
  options.here.push_back(folder);
}

}  // namespace

void add_compare(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("compare", "several algorithms on several traces: table, results, report");
  auto options = std::make_shared<CompareCommand>();
  options->parsed = command;
  options->workload.add(command, WorkloadOptions::Sources::several);
  command.add_option(
      "-a,--algorithm,--algorithms", options->algorithms,
      "algorithms or sets of them (see `dfrs-sim list`), separated by commas or in several -a (default: FCFS, "
      "EASY and the best DFRS algorithms of the papers)");
  const base::Option results =
      command.add_option("-o,--output", options->outputs.results, "write a row per simulation to this CSV file");
  const base::Option report =
      command.add_option("--report", options->outputs.report, "write a report to this HTML file");
  const base::Option timeline =
      command.add_option("--timeline", options->timeline,
                         "write a page to this HTML file: nodes and jobs over time under two or "
                         "three algorithms above each other, for one "
                         "instance");
  const base::Option times = command.add_flag(
      "--times", options->times,
      "with --output: add columns with the CPU time of each simulation and of its calls of the policy (cpu_seconds, "
      "policy_call_mean_s, policy_call_longest_s); without it, the same command writes the same file");
  const base::Option store = command.add_option(
      "--store", options->outputs.store,
      "store each result in this file as it comes: an interrupted run continues from it, more algorithms can "
      "be added, and several processes on this machine can share the work");
  const base::Option only = command.add_option(
      "--only", options->only,
      "with --store: run only the simulations with these numbers, such as 0-13,25 (from 0, all algorithms of the "
      "first source first); one process at a time can use the store, which may be in a shared folder");
  only.needs(store).excludes(results).excludes(report).excludes(timeline);
  const base::Option format = command.add_option("--format", options->outputs.format, "of the table printed");
  format.check(base::one_of({"text", "markdown", "csv", "json"})).capture_default();
  const base::Option threads = command.add_option(
      "-j,--threads", options->threads, "threads (default: one per processor; with --slurm: CPUs per task, default 1)");
  threads.check(base::in_range(1, 1024));
  options->simulation.add(command);
  command.footer(kFooter);
  options->here = {results, report, timeline, times, store, only, format, threads};
  add_slurm(command, *options);
  for (const base::Option other : {store, only, timeline}) command.option("--slurm").excludes(other);
  command.callback([options] { options->run(); });
}

}  // namespace dfrs::sim
