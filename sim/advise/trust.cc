// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/advise/figures.h"
#include "sim/workload/licences.h"

namespace dfrs::sim {
namespace {

using namespace figures;

constexpr std::size_t kFewJobs = 500;  // with fewer, percentiles and maxima say little

// GPUs, or whatever a trace has besides memory.
bool others_held(const AdviceInput& input) {
  return std::any_of(input.samples.begin(), input.samples.end(),
                     [](const Instance& sample) { return sample.platform.rigid_dims > 1; });
}

}  // namespace

void write_trust(Page& page, const AdviceInput& input, const StudyRun& today, std::vector<std::string> items) {
  page.heading("How far to trust this");
  if (today.all.jobs < kFewJobs) {
    items.push_back(fmt::format("{} are few: percentiles and worst cases of other weeks can differ clearly.",
                                jobs_of(today.all.jobs)));
  }
  if (!input.memory_modelled) {
    items.push_back(
        "Memory is not known, so every job fits at once: DFRS looks better here than it would be. Give "
        "accounting with ReqMem or AllocTRES, and --memory.");
  }
  items.push_back(
      "EASY here is not your slurm.conf: priorities, fair share, reservations, QOS limits and dependencies are "
      "not simulated, neither under EASY nor under DFRS. The real waits of users may differ.");
  items.push_back(
      "A job with half the CPU makes half the progress; contention for caches, memory bandwidth, network and "
      "storage is not modelled.");
  items.push_back(input.kinds.empty()
                      ? "All nodes are assumed to be equal, and GPUs are ignored."
                      : "The kinds of nodes come from their names and from what jobs had of them. A job may use any "
                        "node where it fits, whatever its partition; it holds its GPUs while it runs, as Slurm gives "
                        "them.");
  if (others_held(input)) {
    items.push_back(
        "A job with GPUs is never moved, because Slurm places it, but it may be paused: suspended, it keeps its GPUs "
        "and its nodes; requeued, it gives them back. Here DFRS knows which GPUs are free; on the cluster it learns "
        "that when Slurm finds none for a job.");
  }
  items.push_back(fmt::format(
      "With Pauses=suspended the cluster is assumed to have {}{}. A job is suspended only where its nodes have "
      "swap free for it, as on the cluster; what Slurm lets a job have of it (ConstrainSwapSpace) is not simulated. "
      "A job that restarts from a checkpoint is taken to lose nothing since it wrote that.",
      swap_taken(input), input.memory_modelled ? " (--swap)" : ""));
  if (!input.licences.empty()) {
    items.push_back(
        fmt::format("The cluster is assumed to have these licences: {}. A job gets its licences in the order of "
                    "submission, before any policy places it, and keeps them while it is paused.",
                    licences_text(input.licences)));
  }
  items.push_back("Jobs arrive at their recorded times, however they are served.");
  page.list(std::move(items));
}

}  // namespace dfrs::sim
