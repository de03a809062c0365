// SPDX-License-Identifier: GPL-2.0-or-later
// The part common to compare and demo: simulate, print the table, write results and report.
#pragma once

#include <string>
#include <vector>

#include "sim/campaign/campaign.h"
#include "sim/cli/simulation_options.h"
#include "sim/cli/slurm_campaign.h"
#include "sim/cli/workload_options.h"
#include "sim/report/html.h"

namespace dfrs::sim {

struct CampaignOutputs {
  std::vector<std::string> inputs;          ///< sources, which no output may replace
  std::string store;                        ///< file that keeps results so that a run can continue; empty: none
  std::string results;                      ///< CSV file, a row per simulation; empty: none
  std::string report;                       ///< HTML file; empty: none
  CpuSeconds times = CpuSeconds::left_out;  ///< of `results`
  std::string format = "text";              ///< of the summary on standard output
  ReportOptions report_options;
  SourceFacts facts;   ///< of the instances: whether published values apply to them
  SlurmOptions slurm;  ///< with a folder, simulations run on a Slurm cluster
};

/// What a terminal shows if Ctrl-C ends the command from here on.
void say_what_is_kept(const CampaignOutputs& outputs);

/// Opens outputs before the simulations begin, so that a path that cannot be written fails at once. Returns the text to
/// print: the summary, or what to do next if it does not wait for Slurm's jobs.
std::string run_and_report(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                           const SimulationOptions& simulation, unsigned threads, const CampaignOutputs& outputs);

/// Runs only some of the simulations, as a task of a Slurm job array does. `numbers`: see parse_selection. Puts the
/// results into `store`, which no other process can use meanwhile.
void run_part(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
              const SimulationOptions& simulation, unsigned threads, const std::string& store,
              const std::string& numbers);

/// The settings shown in a report.
std::vector<std::pair<std::string, std::string>> report_settings(const SimulationOptions& simulation);

}  // namespace dfrs::sim
