// SPDX-License-Identifier: GPL-2.0-or-later
// The page that tells an administrator whether DFRS would serve this cluster's jobs better, at what cost, and with
// which settings to start.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/advise/accounting_facts.h"
#include "sim/advise/study.h"
#include "sim/report/page.h"
#include "sim/workload/read_report.h"

namespace dfrs::sim {

struct AdviceInput {
  std::string source;
  std::size_t jobs_in_source = 0;  ///< that could be simulated
  Seconds length = 0;              ///< first to last submission in the source
  NodeShape shape;                 ///< cores 0: not known (a dfrs-trace)
  std::vector<NodeKind> kinds;     ///< empty: all nodes are equal and have no GPUs
  std::vector<Licence> licences;
  bool memory_modelled = true;
  std::vector<Instance> samples;      ///< jobs as a scheduler knows them: using all allocated CPUs
  std::vector<Instance> measured;     ///< the same with CPU needs as measured; empty: not known
  std::size_t samples_in_source = 1;  ///< `samples` is a selection of these
  bool pictures = false;              ///< charts and a timeline of the worst day; only HTML shows them
  /// The share of jobs that restart from a checkpoint, 0 .. 1; not given: those that are marked, or else half of them.
  std::optional<double> checkpoints;
  std::string pauses = "suspended";  ///< what the site wants a pause to do: suspended, kept, mixed, none or lost
  record::SwapSize swap{record::SwapSize::Of::memory, 1};  ///< of each node, where jobs are suspended
  Seconds restart_cost = 30;                               ///< of a job that is requeued (RestartCost)
  std::vector<std::string> candidates;                     ///< DFRS policies in addition to the usual ones
  double bandwidth_gb_per_s = 0;  ///< storage or network bandwidth for pauses and moves; 0: not given
  std::optional<AccountingFacts> facts;
  ReadReport report;               ///< what was left out
  std::vector<std::string> notes;  ///< additional notes for the section on trust
  /// Name and value of what made this: the program, the source, the options.
  std::vector<std::pair<std::string, std::string>> made;
  StudyOptions study;
};

struct Advice {
  Page page;
  std::string conf;  ///< the suggested dfrs.conf; the page has it without the comments on what made it
};

/// Runs all simulations. Errors: those of run_study.
Result<Advice> advise(const AdviceInput& input);

}  // namespace dfrs::sim
