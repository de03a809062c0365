// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim compare: several algorithms on several instances.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "sim/cli/campaign_command.h"
#include "sim/cli/command.h"
#include "sim/errors.h"
#include "sim/io/input_source.h"

namespace dfrs::sim {
namespace {

// A file's name that means the same on another machine.
std::string whole_name(const std::string& source) {
  if (source == "-") throw UsageError("--slurm: the nodes cannot read this standard input; give a file that they see");
  if (is_url(source)) return source;
  return std::filesystem::absolute(source).lexically_normal().string();
}

struct CompareCommand {
  WorkloadOptions workload;
  SimulationOptions simulation;
  std::vector<std::string> algorithms;
  unsigned threads = 0;
  std::string only;
  CampaignOutputs outputs;
  bool times = false, no_submit = false, no_wait = false;
  const CLI::App* parsed = nullptr;
  std::vector<const CLI::Option*> here;  ///< options that are not for the tasks of a job array

  void run() {
    const std::vector<Algorithm> chosen = parse_algorithms(algorithms.empty() ? recommended_algorithms() : algorithms);
    if (!outputs.slurm.folder.empty()) {
      outputs.slurm.submit = !no_submit;
      outputs.slurm.wait = !no_wait;
      outputs.slurm.command = task_command();
      for (const std::string& source : workload.sources()) outputs.slurm.sources.push_back(whole_name(source));
    }
    const std::vector<Instance> instances = workload.load();
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
    print(run_and_report(instances, chosen, simulation, threads, outputs));
  }

  // This command again, as it was given, with names that do not depend on where it runs.
  std::vector<std::string> task_command() const {
    std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "compare"};
    for (const CLI::Option* option : parsed->get_options()) {
      if (option->count() == 0 || std::find(here.begin(), here.end(), option) != here.end()) continue;
      if (option->get_positional() || option->get_lnames().empty()) continue;  // below
      const std::string name = "--" + option->get_lnames().front();
      if (option->get_items_expected_max() == 0) {
        words.push_back(name);
        continue;
      }
      for (const std::string& value : option->results()) {
        words.push_back(name + "=" + (name == "--ca-file" ? whole_name(value) : value));
      }
    }
    words.push_back(fmt::format("--threads={}", std::max(1U, threads)));
    return words;
  }
};

void add_slurm(CLI::App& command, CompareCommand& options) {
  const std::string group = "On a Slurm cluster";
  SlurmOptions& slurm = options.outputs.slurm;
  CLI::Option* folder = command.add_option(
      "--slurm", slurm.folder,
      "simulate in a job array on the nodes of this machine's Slurm cluster, wait for it and put the results together. "
      "FOLDER keeps them and must be shared with the nodes, as must this program and the sources. What is missing when "
      "the array has ended is submitted again; after an interruption the same command goes on");
  folder->type_name("FOLDER")->group(group);
  const auto add = [&](CLI::Option* option) {
    option->group(group)->needs(folder);
    options.here.push_back(option);
    return option;
  };
  add(command.add_option("--tasks", slurm.tasks, "divide what is missing among so many tasks of the array"))
      ->check(whole_number_in(1, 4'000'000))
      ->capture_default_str();
  add(command.add_option("--at-once", slurm.at_once,
                         "tasks running at the same time (default: as many as there is room for)"))
      ->check(whole_number_in(1, 4'000'000));
  add(command.add_option("--partition", slurm.partition, "partition to submit to (default: the cluster's default)"));
  add(command.add_option("--time", slurm.time, "time limit of a task, as sbatch takes it (default: the partition's)"));
  add(command.add_option("--sbatch", slurm.sbatch,
                         "a further option of sbatch, as in --sbatch=--mem=2G; may be repeated"))
      ->allow_extra_args(false);
  add(command.add_flag("--no-submit", options.no_submit,
                       "write the batch script and say where it is; ask nothing of Slurm"));
  add(command.add_flag("--no-wait", options.no_wait, "submit and return; the same command later goes on"));
  options.here.push_back(folder);
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "several algorithms on several traces: table, results, report");
  auto options = std::make_shared<CompareCommand>();
  options->parsed = command;
  options->workload.add(*command, WorkloadOptions::Sources::several);
  command->add_option(
      "-a,--algorithm", options->algorithms,
      "algorithms, separated by commas or given by several -a; also sets, see `dfrs-sim list` (default: FCFS, "
      "EASY and the best DFRS algorithms of the papers)");
  CLI::Option* results =
      command->add_option("-o,--output", options->outputs.results, "write a row per simulation to this CSV file");
  CLI::Option* report = command->add_option("--report", options->outputs.report, "write a report to this HTML file");
  CLI::Option* times = command->add_flag("--times", options->times,
                                         "with --output: a column cpu_seconds more, the CPU time that each simulation "
                                         "took; without it equal campaigns give equal files, to the byte");
  CLI::Option* store = command->add_option(
      "--store", options->outputs.store,
      "keep each result in this file as soon as it is there: an interrupted run continues from it, further "
      "algorithms can be added, and several processes on this machine can share the work");
  CLI::Option* only = command->add_option(
      "--only", options->only,
      "a part of the campaign: with --store, only the simulations of these numbers, as in 0-13,25 (from 0, all "
      "algorithms of the first source first); one process at a time may have the store, which may be in a shared "
      "folder");
  only->needs(store)->excludes(results)->excludes(report);
  CLI::Option* format = command->add_option("--format", options->outputs.format, "of the table printed");
  format->check(CLI::IsMember({"text", "markdown", "csv", "json"}))->capture_default_str();
  CLI::Option* threads = command->add_option(
      "-j,--threads", options->threads, "threads (default: one per processor; with --slurm CPUs of a task, default 1)");
  threads->check(CLI::Range(1, 1024));
  options->simulation.add(*command);
  options->here = {results, report, times, store, only, format, threads};
  add_slurm(*command, *options);
  for (CLI::Option* other : {store, only}) command->get_option("--slurm")->excludes(other);
  command->callback([options] { options->run(); });
}

}  // namespace dfrs::sim
