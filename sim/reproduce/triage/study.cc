// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/triage/study.h"

#include "policy/batch/options.h"
#include "policy/rr7659/options.h"
#include "policy/triage/options.h"
#include "sim/campaign/parallel.h"

namespace dfrs::sim::triage_study {

SimOptions sim_options(const Setting& setting) {
  SimOptions options;
  options.penalty = setting.penalty;
  options.engine.of<TriageOptions>().penalty = setting.expected < 0 ? setting.penalty : setting.expected;
  options.engine.of<DfrsOptions>().period = setting.period;
  options.discover_needs = setting.discover_needs;
  options.pauses = setting.pauses;
  options.swap = setting.swap;
  options.engine.of<BatchOptions>().pack_tasks = setting.pack_tasks;
  return options;
}

namespace {

CampaignOptions campaign(const Setting& setting) {
  CampaignOptions options;
  options.sim = sim_options(setting);
  return options;
}

}  // namespace

void Study::need(const InstanceSet& set, std::string_view algorithm, const Setting& setting) {
  plan_.need(set, algorithm, campaign(setting));
}

std::span<const ResultRow> Study::rows(const InstanceSet& set, std::string_view algorithm,
                                       const Setting& setting) const {
  return plan_.rows(set.name, algorithm, campaign(setting));
}

void Study::need_losses(const InstanceSet& set) { losses_on_.emplace(set.name, set); }

Result<void> Study::run() {
  std::size_t more = 0;
  for (const auto& [name, set] : losses_on_) more += set.size;
  if (auto ran = plan_.run(more); !ran) return ran;
  std::size_t done = plan_.size();
  const std::size_t total = done + more;
  for (const auto& [name, set] : losses_on_) {
    const Result<std::vector<Instance>> made = set.make();
    if (!made) return tl::unexpected(made.error());
    const std::vector<Instance>& instances = *made;
    std::vector<Losses>& losses = losses_[name];
    losses.resize(instances.size());
    Progress progress;
    if (options_.progress) progress = [&](std::size_t now, std::size_t) { options_.progress(done + now, total); };
    const auto simulate_one = [&](std::size_t k) {
      return losses_of(instances[k], kTriage, sim_options({})).map([&](Losses found) { losses[k] = std::move(found); });
    };
    if (auto ran = try_parallel_for(instances.size(), options_.threads, simulate_one, progress); !ran) return ran;
    done += instances.size();
  }
  return {};
}

}  // namespace dfrs::sim::triage_study
