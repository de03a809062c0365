// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/recommendation.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/advise/figures.h"

namespace dfrs::sim {
namespace {

using figures::percent;

// By what they demand of a site: sharing CPUs; also pausing; also moving and repacking.
constexpr const char* kShares = "Greedy*/OPT=MIN";
constexpr const char* kPauses = "GreedyP*/OPT=MIN";
constexpr const char* kRepacks = "GreedyPM*/per/OPT=MIN/MINVT=600";
constexpr const char* kTriage = "Triage";
constexpr const char* kLimits = "Triage/LIMITS";  // for jobs that are never paused

constexpr double kHardlyBetter = 1.1;          // a smaller gain is not worth a change
constexpr double kMuchWorse = 2;               // of the job that is served worst
constexpr double kCheckpointsAsGuessed = 0.5;  // of the jobs

// The part of the jobs that are marked as restarting from a checkpoint; nothing if no job has a mark.
std::optional<double> marked_part(const std::vector<Instance>& samples) {
  double jobs = 0, restart = 0;
  bool any = false;
  for (const Instance& sample : samples) {
    for (const Job& job : sample.jobs) {
      ++jobs;
      any = any || job.pauses.has_value();
      restart += job.pauses == PauseEffect::kept ? 1 : 0;
    }
  }
  if (!any) return std::nullopt;
  return restart / jobs;
}

std::vector<SiteWorld> worlds_of(const AdviceInput& input) {
  const auto marked = input.checkpoints ? std::nullopt : marked_part(input.samples);
  const double part = input.checkpoints.value_or(kCheckpointsAsGuessed);
  const SiteWorld mixed = marked ? SiteWorld{"mixed",
                                             {1, PauseEffect::none, 1, true},
                                             fmt::format("checkpoints in the {} of the jobs that are marked {}",
                                                         percent(*marked), kCheckpointMark),
                                             "checkpoints",
                                             input.restart_cost}
                                 : SiteWorld{"mixed",
                                             {part, PauseEffect::none, 1, false},
                                             fmt::format("checkpoints in {} of the jobs", percent(part)),
                                             "checkpoints",
                                             input.restart_cost};
  return {{"suspended", kSuspended, swap_taken(input), "suspended", {}, input.swap},
          {"kept", kKept, "checkpoints in all jobs", "work kept", input.restart_cost},
          mixed,
          {"none", kNone, "nothing", "no pauses", {}},
          {"lost", kLost, "jobs that can be run again", "work lost", input.restart_cost}};
}

const SiteWorld& world_of_site(const std::vector<SiteWorld>& worlds, const AdviceInput& input) {
  return *std::find_if(worlds.begin(), worlds.end(),
                       [&](const SiteWorld& world) { return world.word == input.pauses; });
}

}  // namespace

std::string swap_taken(const AdviceInput& input) {
  constexpr double kMibPerGib = 1024;
  if (!input.memory_modelled || !input.swap.limited()) return "swap for the jobs that are suspended";
  const std::vector<NodeSpec>& nodes = input.samples.front().platform.nodes;
  const auto [least, most] = std::minmax_element(nodes.begin(), nodes.end(), [](const NodeSpec& a, const NodeSpec& b) {
    return a.rigid[kMemory] < b.rigid[kMemory];
  });
  const auto gib = [&](const NodeSpec& node) {
    return figures::number(static_cast<double>(input.swap.on(node.rigid[kMemory])) / kMibPerGib);
  };
  const std::string size = gib(*least) == gib(*most) ? gib(*least) : fmt::format("{} to {}", gib(*least), gib(*most));
  std::string text = fmt::format("{} GiB of swap on each node", size);
  if (input.swap.of == record::SwapSize::Of::memory && input.swap.amount == 1) text += ", as much as memory";
  return text;
}

Result<std::vector<Trial>> trials_of(const AdviceInput& input) {
  std::vector<Trial> trials{{kToday, kKept, &input.samples}, {kShares, kKept, &input.samples}};
  std::vector<std::string> candidates{kPauses, kRepacks, kTriage};
  for (const std::string& name : input.candidates) {
    const auto algorithm = parse_algorithm(name);
    if (!algorithm) return usage_error(algorithm.error().message);
    const std::string canonical = algorithm_name(*algorithm);
    const bool known = canonical == kShares || canonical == kToday ||
                       std::find(candidates.begin(), candidates.end(), canonical) != candidates.end();
    if (needs_estimates(*algorithm) && !is_triage(canonical)) {
      return usage_error(
          fmt::format("{} is not a candidate, because it plans with time limits; give a policy that does not, "
                      "such as {}",
                      canonical, kRepacks));
    }
    if (!known) candidates.push_back(canonical);
  }
  const std::vector<SiteWorld> worlds = worlds_of(input);
  for (const std::string& name : candidates) {
    for (const SiteWorld& world : worlds)
      trials.push_back({name, world.pauses, &input.samples, world.restart, world.swap});
  }
  if (std::find(candidates.begin(), candidates.end(), kLimits) == candidates.end()) {
    trials.push_back({kLimits, kNone, &input.samples});
  }
  return trials;
}

bool is_triage(std::string_view algorithm) { return algorithm.starts_with(kTriage); }

bool both_ways(const StudyRun& run) { return run.algorithm != kToday && run.algorithm != kShares; }

std::string short_name(std::string_view algorithm) {
  if (algorithm == kToday) return "EASY";
  std::string name(algorithm);
  if (const std::size_t at = name.find("/OPT=MIN"); at != std::string::npos) name.erase(at, 8);
  return name;
}

double score(const StudyRun& run) { return run.all.p99_stretch; }

bool clearly_above(double a, double b) { return a > b * kHardlyBetter; }

namespace {

// About as good for 99 % of the jobs and no worse on average, and the job that is served worst fares far better.
bool spares_one_job(const StudyRun& run, const StudyRun& other) {
  return !clearly_above(score(run), score(other)) && run.all.mean_stretch <= other.all.mean_stretch &&
         run.all.max_stretch * kMuchWorse < other.all.max_stretch;
}

}  // namespace

Recommendation::Recommendation(const AdviceInput& input, std::vector<StudyRun> runs)
    : runs_(std::move(runs)), worlds_(worlds_of(input)), world_(world_of_site(worlds_, input)) {
  best_ = choose(world_.pauses);
  lost_ = choose(kLost);
}

const StudyRun* Recommendation::choose(const PauseWorld& pauses, Among among) const {
  const StudyRun* best = nullptr;
  for (std::size_t k = 1; k < runs_.size(); ++k) {
    const StudyRun& run = runs_[k];
    // A policy that pauses nothing loses nothing.
    if (run.pauses != pauses && run.algorithm != kShares) continue;
    if (among != Among::all && is_triage(run.algorithm) != (among == Among::triage)) continue;
    if (best == nullptr || score(run) * kHardlyBetter < score(*best) || spares_one_job(run, *best)) best = &run;
  }
  return best;
}

bool Recommendation::pays(const StudyRun& run) const { return score(today()) / score(run) > kHardlyBetter; }

Trial Recommendation::recommended(const std::vector<Instance>& samples) const {
  return {best_->algorithm, world_.pauses, &samples, world_.restart, world_.swap};
}

}  // namespace dfrs::sim
