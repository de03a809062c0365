// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/campaign_plan.h"

#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "policy/batch/algorithm.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/options.h"
#include "policy/triage/options.h"
#include "sim/campaign/store.h"

namespace dfrs::sim {
namespace {

bool has_period(const Algorithm& algorithm) {
  if (const auto dfrs = dfrs_algorithm(algorithm)) {
    return dfrs->periodic != DfrsAlgorithm::Periodic::nothing;
  }
  return !batch_algorithm(algorithm) && !algorithm.name.starts_with("Triage");
}

bool expects_penalty(const Algorithm& algorithm) { return !dfrs_algorithm(algorithm) && !batch_algorithm(algorithm); }

// Resets options without effect on the algorithm to their defaults, so that nothing is simulated twice.
CampaignOptions relevant(const Algorithm& algorithm, CampaignOptions options) {
  if (!has_period(algorithm)) options.sim.engine.of<DfrsOptions>().period = DfrsOptions{}.period;
  if (!expects_penalty(algorithm)) options.sim.engine.of<TriageOptions>().penalty = options.sim.penalty;
  return options;
}

}  // namespace

std::size_t CampaignPlan::number_of(std::string_view set) const { return numbers_.at(std::string(set)); }

void CampaignPlan::need(const PlannedSet& set, std::string_view algorithm, const CampaignOptions& options) {
  if (!numbers_.contains(set.name)) {
    numbers_.emplace(set.name, sets_.size());
    sets_.push_back(set);
  }
  Algorithm one = parse_algorithm(algorithm).value();
  CampaignOptions own = relevant(one, options);
  Key key(number_of(set.name), campaign_settings(own), algorithm);
  needs_.try_emplace(std::move(key), Need{std::move(one), std::move(own), {}});
}

std::span<const ResultRow> CampaignPlan::rows(std::string_view set, std::string_view algorithm,
                                              const CampaignOptions& options) const {
  const std::string settings = campaign_settings(relevant(parse_algorithm(algorithm).value(), options));
  return needs_.at(Key(number_of(set), settings, algorithm)).rows;
}

std::size_t CampaignPlan::size() const {
  std::size_t total = 0;
  for (const auto& [key, need] : needs_) total += sets_[std::get<0>(key)].size;
  return total;
}

Result<void> CampaignPlan::run(std::size_t others) {
  const std::size_t total = size() + others;
  std::unique_ptr<ResultStore> store;
  if (!options_.output.empty()) {
    const std::vector<StoreFact> facts{{"command", "reproduce " + reproduction_}};
    const std::filesystem::path path = std::filesystem::path(options_.output) / (reproduction_ + ".db");
    auto opened = ResultStore::open(path.string(), facts);
    if (!opened) return tl::unexpected(std::move(opened).error());
    store = *std::move(opened);
  }
  std::size_t before = 0;
  std::vector<Instance> instances;
  for (auto begin = needs_.begin(); begin != needs_.end();) {
    const auto& [set, settings, first] = begin->first;
    if (begin == needs_.begin() || std::get<0>(std::prev(begin)->first) != set) {
      Result<std::vector<Instance>> made = sets_[set].make();
      if (!made) return tl::unexpected(std::move(made).error());
      instances = *std::move(made);
    }
    auto end = begin;
    std::vector<Algorithm> algorithms;
    for (; end != needs_.end() && std::get<0>(end->first) == set && std::get<1>(end->first) == settings; ++end) {
      algorithms.push_back(end->second.algorithm);
    }
    CampaignOptions campaign = begin->second.options;
    campaign.threads = options_.threads;
    campaign.store = store.get();
    if (options_.progress) {
      campaign.progress = [&](std::size_t done, std::size_t) { options_.progress(before + done, total); };
    }
    Result<std::vector<ResultRow>> ran = run_campaign(instances, algorithms, campaign);
    if (!ran) return tl::unexpected(std::move(ran).error());
    std::vector<ResultRow>& rows = *ran;
    before += rows.size();
    std::size_t column = 0;
    for (; begin != end; ++begin, ++column) {
      for (std::size_t k = column; k < rows.size(); k += algorithms.size()) {
        begin->second.rows.push_back(std::move(rows[k]));
      }
    }
  }
  return {};
}

}  // namespace dfrs::sim
