// SPDX-License-Identifier: GPL-2.0-or-later
// What compare and demo have in common: simulate, print the table, write results and report.
#pragma once

#include <string>
#include <vector>

#include "sim/campaign/campaign.h"
#include "sim/cli/options.h"
#include "sim/cli/slurm_campaign.h"
#include "sim/report/html.h"

namespace dfrs::sim {

struct CampaignOutputs {
  std::string store;                        ///< file that keeps results as they come and is gone on from; empty: none
  std::string results;                      ///< CSV file, a row per simulation; empty: none
  std::string report;                       ///< HTML file; empty: none
  CpuSeconds times = CpuSeconds::left_out;  ///< of `results`
  std::string format = "text";              ///< of the summary on standard output
  ReportOptions report_options;
  SlurmOptions slurm;  ///< with a folder: where the simulations run, and their results are kept
};

/// Outputs are opened before the simulations begin: a path that cannot be written is known at once.
/// Returns the summary in words and numbers, which the caller prints; or what to do next, with jobs that are not waited
/// for.
std::string run_and_report(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                           const SimulationOptions& simulation, unsigned threads, const CampaignOutputs& outputs);

/// Some of the simulations alone, as CampaignOutputs::slurm has them done: `numbers` as of parse_selection. Their
/// results are in `store` then, which is nobody else's meanwhile.
void run_part(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
              const SimulationOptions& simulation, unsigned threads, const std::string& store,
              const std::string& numbers);

/// "settings" of a report.
std::vector<std::pair<std::string, std::string>> report_settings(const SimulationOptions& simulation);

}  // namespace dfrs::sim
