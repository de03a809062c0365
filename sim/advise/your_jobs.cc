// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/your_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/advise/figures.h"

namespace dfrs::sim {
namespace {

using namespace figures;

void add_facts(const AccountingFacts& facts, std::vector<std::string>& items) {
  std::vector<std::string> shares;
  const auto add = [&](const std::optional<double>& share, std::string_view of) {
    if (share) shares.push_back(fmt::format("less than {} of {}", percent(*share), of));
  };
  add(facts.cpu_efficiency, "the CPU time they hold");
  add(facts.memory_used, "the memory they ask for");
  add(facts.limit_used, "their time limit");
  if (!shares.empty()) {
    if (shares.size() > 1) shares.back().insert(0, "and ");
    items.push_back(
        fmt::format("Half of the jobs use {}. DFRS shares idle CPUs, but never memory: requests closer to what jobs "
                    "use would make room for more of them.",
                    fmt::join(shares, ", ")));
  }
  if (facts.requeued_jobs > 0) {
    items.push_back(fmt::format("{} had been requeued; {:.1f} CPU hours of their first runs were lost.",
                                jobs_of(facts.requeued_jobs), facts.requeued_cpu_hours));
  }
}

}  // namespace

void write_jobs(Page& page, const AdviceInput& input, const StudyRun& today) {
  page.heading("Your jobs");
  std::vector<std::string> items;
  std::string kinds;
  for (const NodeKind& kind : input.kinds) kinds += (kinds.empty() ? "" : "; ") + describe_kind(kind);
  std::string machine =
      !kinds.empty()
          ? "Machine: " + kinds
          : fmt::format("Machine: {}", counted(static_cast<std::size_t>(input.shape.nodes), "node", "nodes"));
  if (input.shape.cores > 0 && kinds.empty())
    machine += fmt::format(" of {}", counted(static_cast<std::size_t>(input.shape.cores), "CPU", "CPUs"));
  if (input.memory_modelled && input.shape.memory_mib > 0 && kinds.empty())
    machine += fmt::format(" {} {} MiB", input.shape.cores > 0 ? "and" : "of", input.shape.memory_mib);
  items.push_back(machine + fmt::format(". Busy to {} under EASY, from the first submission to the last end.",
                                        percent(today.utilization)));
  std::size_t jobs = today.all.jobs;
  if (input.samples.size() < input.samples_in_source) {
    items.push_back(
        fmt::format("Simulated: {} of the {} weeks, evenly spread, {} in all; each begins with an empty "
                    "cluster.",
                    input.samples.size(), input.samples_in_source, jobs_of(jobs)));
  }
  if (input.facts) add_facts(*input.facts, items);
  if (input.report.skipped_count() > 0) {
    std::string reasons;
    for (const ReadNote& note : input.report.skipped) {
      reasons += fmt::format("{}{} ({})", reasons.empty() ? "" : "; ", note.reason, note.count);
    }
    items.push_back(fmt::format("Left out: {}.", reasons));
  }
  page.list(std::move(items));
}

}  // namespace dfrs::sim
