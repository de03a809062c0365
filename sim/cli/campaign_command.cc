// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/campaign_command.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <unordered_set>

#include "sim/campaign/fingerprint.h"
#include "sim/campaign/selection.h"
#include "sim/campaign/store.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/report/table.h"
#include "sim/reproduce/rr7659_published.h"

namespace dfrs::sim {
namespace {

constexpr std::string_view kKeptInStore =
    "finished simulations are kept in the store; run the same command again to continue";

// Results are identified by the names of instances.
void check_names_differ(std::span<const Instance> instances) {
  std::unordered_set<std::string_view> seen;
  for (const Instance& instance : instances) {
    if (seen.insert(instance.name).second) continue;
    throw InputError(
        fmt::format("{}: two instances have this name and their results could not be told apart; rename "
                    "one of the logs, or the '; Name:' of a trace",
                    instance.name));
  }
}

CampaignOptions campaign_options(const SimulationOptions& simulation, unsigned threads) {
  CampaignOptions options;
  options.sim = simulation.sim();
  options.stretch_floor = simulation.stretch_floor();
  options.described = simulation.text();
  options.most_jobs = simulation.most_jobs();
  options.threads = threads;
  options.progress = terminal_progress("simulations");
  return options;
}

std::vector<StoreFact> facts_of(std::span<const Instance> instances, const CampaignOptions& options) {
  std::vector<std::string> fingerprints;
  for (const Instance& instance : instances) fingerprints.push_back(fingerprint(instance));
  return campaign_facts(campaign_settings(options), instances, fingerprints);
}

// Sets the paper's values beside ours if the simulations have its options, which are the defaults.
void add_published(CampaignSummary& summary, const CampaignOptions& options) {
  const SimulationOptions papers;
  CampaignOptions published;
  published.sim = papers.sim();
  published.stretch_floor = papers.stretch_floor();
  if (campaign_settings(options) != campaign_settings(published)) return;
  bool known = false;
  for (AlgorithmSummary& algorithm : summary.algorithms) {
    algorithm.published = rr7659::published_degradation(algorithm.algorithm, 0);
    known = known || algorithm.published.has_value();
  }
  if (!known) return;
  constexpr std::size_t kPublishedWeeks = 182;
  summary.published_source = "RR-7659, table 5, 182 weeks of HPC2N";
  if (summary.instances != kPublishedWeeks) {
    summary.published_source +=
        fmt::format("; only {} here, so the averages are of different weeks", summary.instances);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> report_settings(const SimulationOptions& simulation) {
  return {{"options", simulation.describe()}};
}

void say_what_is_kept(const CampaignOutputs& outputs) {
  say_when_interrupted(!outputs.slurm.folder.empty()
                           ? "Slurm's jobs continue; run the same command again to wait for them and collect results"
                       : outputs.store.empty()
                           ? "nothing is kept; with --store FILE, the same command continues where it was"
                           : kKeptInStore);
}

std::string run_and_report(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                           const SimulationOptions& simulation, unsigned threads, const CampaignOutputs& outputs) {
  const SummaryFormat format = parse_summary_format(outputs.format);
  check_outputs_differ({{"--store", outputs.store}, {"--output", outputs.results}, {"--report", outputs.report}});
  check_inputs_kept(outputs.inputs,
                    {{"--store", outputs.store}, {"--output", outputs.results}, {"--report", outputs.report}});
  check_names_differ(instances);
  say_what_is_kept(outputs);
  std::optional<OutputFile> results;
  std::optional<OutputFile> report;
  if (!outputs.results.empty()) results.emplace(outputs.results);
  if (!outputs.report.empty()) report.emplace(outputs.report);

  CampaignOptions options = campaign_options(simulation, threads);
  options.policy_times = outputs.times == CpuSeconds::written;
  std::optional<ResultStore> store;
  std::optional<SlurmCampaign> slurm;
  if (!outputs.slurm.folder.empty()) {
    slurm.emplace(outputs.slurm, facts_of(instances, options));
    std::string next;
    if (!slurm->complete(instances, algorithms, options, next)) return next;
    options.store = &slurm->store();
    say_when_interrupted(kKeptInStore);
  } else if (!outputs.store.empty()) {
    store.emplace(outputs.store, facts_of(instances, options));
    options.store = &*store;
  }
  std::vector<ResultRow> rows = run_campaign(instances, algorithms, options);

  if (results) results->write(results_csv(rows, outputs.times));
  const std::string away = take_ran_away(rows);
  ReportOptions shown = outputs.report_options;
  if (!away.empty()) {
    fmt::print(stderr, "{}\n", away);
    shown.settings.emplace_back("not finished", away);
    if (rows.empty()) {
      if (results) results->commit();
      return {};
    }
  }
  if (report) report->write(html_report(rows, shown));
  CampaignSummary figures = summarize_campaign(rows, outputs.report_options.summary);
  if (outputs.papers_weeks) add_published(figures, options);
  std::string summary = render_summary(figures, format);
  if (results) results->commit();
  if (report) report->commit();
  return summary;
}

void run_part(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
              const SimulationOptions& simulation, unsigned threads, const std::string& store,
              const std::string& numbers) {
  check_names_differ(instances);
  CampaignOptions options = campaign_options(simulation, threads);
  ResultStore part(store, facts_of(instances, options), ResultStore::Access::exclusive);
  options.store = &part;
  run_simulations(instances, algorithms, options, parse_selection(numbers, instances.size() * algorithms.size()));
}

}  // namespace dfrs::sim
