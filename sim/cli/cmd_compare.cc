// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim compare: several algorithms on several instances.
#include <memory>

#include "sim/cli/campaign_command.h"
#include "sim/cli/command.h"
#include "sim/errors.h"

namespace dfrs::sim {
namespace {

struct CompareCommand {
  WorkloadOptions workload;
  SimulationOptions simulation;
  std::vector<std::string> algorithms;
  unsigned threads = 0;
  CampaignOutputs outputs;

  void run() {
    const std::vector<Algorithm> chosen = parse_algorithms(algorithms.empty() ? recommended_algorithms() : algorithms);
    const std::vector<Instance> instances = workload.load();
    outputs.report_options.subtitle = "Workload: " + workload.sources().front();
    if (workload.sources().size() > 1) {
      outputs.report_options.subtitle += " and " + std::to_string(workload.sources().size() - 1) + " more";
    }
    outputs.report_options.settings = report_settings(simulation);
    print(run_and_report(instances, chosen, simulation, threads, outputs));
  }
};

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "several algorithms on several traces: table, results, report");
  auto options = std::make_shared<CompareCommand>();
  options->workload.add(*command, WorkloadOptions::Sources::several);
  command->add_option("-a,--algorithm", options->algorithms,
                      "algorithms, separated by commas or given by several -a; also sets, see `dfrs-sim list` (default: FCFS, "
                      "EASY and the best DFRS algorithms of the papers)");
  command->add_option("-o,--output", options->outputs.results, "write a row per simulation to this CSV file");
  command->add_option("--report", options->outputs.report, "write a report to this HTML file");
  command->add_option("--store", options->outputs.store,
                      "keep results in this file as they come: a run that was broken off goes on from there, further "
                      "algorithms may be added, and several processes of this machine may work on it together");
  command->add_option("--format", options->outputs.format, "of the table printed")
      ->check(CLI::IsMember({"text", "markdown", "csv", "json"}))
      ->capture_default_str();
  command->add_option("-j,--threads", options->threads, "threads (default: one per processor)")
      ->check(CLI::Range(1, 1024));
  options->simulation.add(*command);
  command->callback([options] { options->run(); });
}

}  // namespace dfrs::sim
