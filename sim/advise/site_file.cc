// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/site_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "sim/advise/figures.h"

namespace dfrs::sim {
namespace {

using namespace figures;

constexpr double kMibPerGib = 1024;

std::string swap_sentence(const AdviceInput& input, const StudyRun& best) {
  return fmt::format(
      "Suspended jobs need swap on their nodes, as much as the memory of the jobs paused at a time{}. Where a node "
      "has too little, a job keeps running: with less swap the result is between this policy and one without pauses.",
      input.memory_modelled ? fmt::format(": here, at most {} GiB on a node", number(best.most_paused_mib / kMibPerGib))
                            : "");
}

std::string checkpoints_sentence() {
  return fmt::format(
      "Every job has to restart from a checkpoint of its own, and its user says so by --comment={}. A job without "
      "one is suspended if its nodes have swap, and then goes on there only (as with Pauses=suspended); else it "
      "keeps its nodes.",
      kCheckpointMark);
}

}  // namespace

std::string pauses_setting(const Recommendation& recommendation) {
  return both_ways(recommendation.best()) ? recommendation.world().word : "none";
}

std::string site_file(const AdviceInput& input, const Recommendation& recommendation) {
  const StudyRun& best = recommendation.best();
  std::string partition = input.facts ? input.facts->partition : std::string();
  const bool plain = !partition.empty() && std::all_of(partition.begin(), partition.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
  if (!plain) partition = "dfrs";
  std::string out = fmt::format(
      "# dfrs.conf to start with; all other settings have defaults (dfrs.conf.example)\n"
      "Partitions={}\nAlgorithm={}\n",
      partition, best.algorithm);
  if (best.algorithm.find("per") != std::string::npos) out += fmt::format("Period={:.0f}\n", input.study.period);
  const std::string pauses = pauses_setting(recommendation);
  if (pauses == "none") return out + "Pauses=none\n";
  if (pauses == "suspended") {
    out += "# Jobs are suspended to the swap of their nodes: no work is lost, and no job moves.\n";
  } else if (pauses == "kept") {
    out += "# Jobs are suspended to swap, or requeued if they restart from their own checkpoint: no work is lost.\n";
  } else if (pauses == "mixed") {
    out += "# Jobs that restart from their own checkpoint are requeued; no other job is paused.\n";
  } else {
    out += "# Jobs are requeued, and those without a checkpoint start over.\n";
  }
  out += fmt::format("Pauses={}\n", pauses);
  out += fmt::format("MinProgress={:.0f}\nMaxLostRuns={}\n", input.study.lost_work.min_progress,
                     input.study.lost_work.max_lost_runs);
  return out;
}

std::string comments_on(const AdviceInput& input) {
  std::string out;
  for (const auto& [name, value] : input.made) {
    if (!name.ends_with(" options")) out += fmt::format("# {}: {}\n", name, base::printable(value));
  }
  return out;
}

void write_settings(Page& page, const AdviceInput& input, const Recommendation& recommendation) {
  const StudyRun& lost = recommendation.best_if_lost();
  page.heading("Settings to start with");
  page.blocks.emplace_back(PageCode{site_file(input, recommendation)});
  std::vector<std::string> items;
  items.push_back(
      "Check it with dfrs-check-config, and begin with one partition over a few nodes, for users who know about "
      "it. The administrator's guide has the steps, and how to go back.");
  const std::string pauses = pauses_setting(recommendation);
  if (pauses == "none") {
    items.push_back("This pauses and moves nothing: it needs only the node agents for CPU quotas.");
  } else if (pauses == "mixed") {
    items.push_back(fmt::format("Users whose jobs restart from a checkpoint say so by --comment={}.", kCheckpointMark));
  } else if (pauses == "lost") {
    items.push_back(
        "Users whose jobs must not be run twice submit them by sbatch --no-requeue: these are neither paused nor "
        "moved.");
  } else {
    items.push_back(pauses == "suspended" ? swap_sentence(input, recommendation.best()) : checkpoints_sentence());
    if (recommendation.pays(lost) && lost.lost_share < kMuchLostWork && both_ways(lost)) {
      items.push_back(
          fmt::format("For a partition whose jobs are short or cheap to repeat, Pauses=lost is an option: "
                      "{} of all work would be lost.",
                      percent(lost.lost_share)));
    }
  }
  page.list(std::move(items));
}

}  // namespace dfrs::sim
