// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/campaign_command.h"

#include <optional>

#include "sim/io/output_file.h"
#include "sim/report/table.h"

namespace dfrs::sim {

std::vector<std::pair<std::string, std::string>> report_settings(const SimulationOptions& simulation) {
  return {{"options", simulation.describe()}};
}

std::string run_and_report(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                           const SimulationOptions& simulation, unsigned threads, const CampaignOutputs& outputs) {
  const SummaryFormat format = parse_summary_format(outputs.format);
  std::optional<OutputFile> results;
  std::optional<OutputFile> report;
  if (!outputs.results.empty()) results.emplace(outputs.results);
  if (!outputs.report.empty()) report.emplace(outputs.report);

  CampaignOptions options;
  options.sim = simulation.sim();
  options.stretch_floor = simulation.stretch_floor();
  options.threads = threads;
  options.progress = terminal_progress("simulations");
  const std::vector<ResultRow> rows = run_campaign(instances, algorithms, options);

  if (results) {
    results->write(results_csv(rows));
    results->commit();
  }
  if (report) {
    report->write(html_report(rows, outputs.report_options));
    report->commit();
  }
  return render_summary(summarize_campaign(rows, outputs.report_options.summary), format);
}

}  // namespace dfrs::sim
