// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/campaign_command.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <unordered_set>

#include "sim/campaign/fingerprint.h"
#include "sim/campaign/selection.h"
#include "sim/campaign/store.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/report/table.h"
#include "sim/reproduce/rr7659_published.h"
#include "sim/reproduce/sc15_published.h"

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
  options.ends_pile_ups = simulation.ends_pile_ups();
  options.warn = warn_on_terminal;
  options.threads = threads;
  options.progress = terminal_progress("simulations");
  return options;
}

std::vector<StoreFact> facts_of(std::span<const Instance> instances, const CampaignOptions& options) {
  std::vector<std::string> fingerprints;
  for (const Instance& instance : instances) fingerprints.push_back(fingerprint(instance));
  return campaign_facts(campaign_settings(options), instances, fingerprints);
}

// True for the options of the papers, which are the defaults.
bool is_as_published(const CampaignOptions& options) {
  const SimulationOptions papers;
  CampaignOptions published;
  published.sim = papers.sim();
  published.stretch_floor = papers.stretch_floor();
  return campaign_settings(options) == campaign_settings(published);
}

// Sets RR-7659's values beside ours.
void add_rr7659(CampaignSummary& summary) {
  bool known = false;
  for (AlgorithmSummary& algorithm : summary.algorithms) {
    algorithm.published.degradation = rr7659::published_degradation(algorithm.algorithm, 0);
    known = known || algorithm.published.degradation.has_value();
  }
  if (!known) return;
  constexpr std::size_t kPublishedWeeks = 182;
  summary.published_source = "Published average: RR-7659, table 5, 182 weeks of HPC2N";
  if (summary.instances != kPublishedWeeks) {
    summary.published_source +=
        fmt::format("; only {} here, so the averages are of different weeks", summary.instances);
  }
  summary.published_source += '.';
}

// The same for SC'15.
void add_sc15(CampaignSummary& summary, const SourceFacts& facts, std::size_t nodes) {
  std::size_t their_jobs = 0;
  for (AlgorithmSummary& algorithm : summary.algorithms) {
    const auto theirs = sc15_published(facts.killed_log, nodes, algorithm.algorithm, facts.estimates);
    if (!theirs) continue;
    algorithm.published.mean_stretch = theirs->mean_slowdown;
    algorithm.published.max_stretch = theirs->max_slowdown;
    algorithm.published.mean_turnaround = theirs->mean_flow;
    their_jobs = theirs->jobs;
  }
  if (their_jobs == 0) return;
  summary.published_source = fmt::format(
      "Published: SC'15, for the {} jobs of their copy of this log that ran and have a requested time; `dfrs-sim "
      "reproduce sc15` takes the same ones.",
      their_jobs);
}

void add_published(CampaignSummary& summary, std::span<const Instance> instances, const SourceFacts& facts,
                   const CampaignOptions& options) {
  if (!is_as_published(options)) return;
  if (facts.papers_weeks) add_rr7659(summary);
  if (!facts.killed_log.empty() && instances.size() == 1) {
    add_sc15(summary, facts, instances.front().platform.nodes.size());
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
  const SummaryFormat format = or_throw(parse_summary_format(outputs.format));
  check_outputs_differ({{"--store", outputs.store}, {"--output", outputs.results}, {"--report", outputs.report}});
  check_inputs_kept(outputs.inputs,
                    {{"--store", outputs.store}, {"--output", outputs.results}, {"--report", outputs.report}});
  check_names_differ(instances);
  say_what_is_kept(outputs);
  std::optional<OutputFile> results;
  std::optional<OutputFile> report;
  if (!outputs.results.empty()) results.emplace(or_throw(OutputFile::create(outputs.results)));
  if (!outputs.report.empty()) report.emplace(or_throw(OutputFile::create(outputs.report)));

  CampaignOptions options = campaign_options(simulation, threads);
  options.policy_times = outputs.times == CpuSeconds::written;
  std::unique_ptr<ResultStore> store;
  std::optional<SlurmCampaign> slurm;
  if (!outputs.slurm.folder.empty()) {
    slurm.emplace(outputs.slurm, facts_of(instances, options));
    std::string next;
    if (!slurm->complete(instances, algorithms, options, next)) return next;
    options.store = &slurm->store();
    say_when_interrupted(kKeptInStore);
  } else if (!outputs.store.empty()) {
    store = or_throw(ResultStore::open(outputs.store, facts_of(instances, options)));
    options.store = store.get();
  }
  std::vector<ResultRow> rows = or_throw(run_campaign(instances, algorithms, options));

  if (results) or_throw(results->write(results_csv(rows, outputs.times)));
  const std::string away = take_ran_away(rows);
  ReportOptions shown = outputs.report_options;
  if (!away.empty()) {
    fmt::print(stderr, "{}\n", away);
    shown.settings.emplace_back("not finished", away);
    if (rows.empty()) {
      if (results) or_throw(results->commit());
      return {};
    }
  }
  if (report) or_throw(report->write(or_throw(html_report(rows, shown))));
  CampaignSummary figures = or_throw(summarize_campaign(rows, outputs.report_options.summary));
  add_published(figures, instances, outputs.facts, options);
  std::string summary = render_summary(figures, format);
  if (results) or_throw(results->commit());
  if (report) or_throw(report->commit());
  return summary;
}

void run_part(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
              const SimulationOptions& simulation, unsigned threads, const std::string& store,
              const std::string& numbers) {
  check_names_differ(instances);
  CampaignOptions options = campaign_options(simulation, threads);
  const auto part = or_throw(ResultStore::open(store, facts_of(instances, options), ResultStore::Access::exclusive));
  options.store = part.get();
  const std::size_t all = instances.size() * algorithms.size();
  or_throw(run_simulations(instances, algorithms, options, or_throw(parse_selection(numbers, all))));
}

}  // namespace dfrs::sim
