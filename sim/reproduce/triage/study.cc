// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/triage/study.h"

#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "policy/algorithm.h"
#include "sim/campaign/campaign.h"
#include "sim/campaign/parallel.h"
#include "sim/campaign/store.h"

namespace dfrs::sim::triage_study {

SimOptions sim_options(const Setting& setting) {
  SimOptions options;
  options.penalty = setting.penalty;
  options.engine.triage.penalty = setting.expected < 0 ? setting.penalty : setting.expected;
  options.engine.dfrs.period = setting.period;
  options.discover_needs = setting.discover_needs;
  options.engine.batch.pack_tasks = setting.pack_tasks;
  return options;
}

// Settings that make no difference to the algorithm are the usual ones: nothing is simulated twice.
Study::Key Study::key(const InstanceSet& set, std::string_view algorithm, Setting setting) {
  const bool periodic = algorithm.find("/per") != std::string_view::npos ||
                        algorithm.find("/stretch-per") != std::string_view::npos;
  if (!periodic) setting.period = Setting{}.period;
  if (!algorithm.starts_with("Triage") || setting.expected == setting.penalty) setting.expected = Setting{}.expected;
  return {set.name, setting, std::string(algorithm)};
}

void Study::need(const InstanceSet& set, std::string_view algorithm, const Setting& setting) {
  sets_.emplace(set.name, set);
  rows_[key(set, algorithm, setting)];
}

std::span<const ResultRow> Study::rows(const InstanceSet& set, std::string_view algorithm,
                                       const Setting& setting) const {
  return rows_.at(key(set, algorithm, setting));
}

void Study::need_losses(const InstanceSet& set) {
  sets_.emplace(set.name, set);
  losses_[set.name];
}

void Study::run() {
  std::size_t total = 0;
  for (const auto& [key, rows] : rows_) total += sets_.at(std::get<0>(key)).size;
  for (const auto& [set, losses] : losses_) total += sets_.at(set).size;
  std::optional<ResultStore> store;
  if (!options_.output.empty()) {
    const std::vector<StoreFact> facts{{"command", "reproduce triage"}};
    store.emplace((std::filesystem::path(options_.output) / "triage.db").string(), facts);
  }
  std::size_t before = 0;
  CampaignOptions options;
  options.threads = options_.threads;
  options.store = store ? &*store : nullptr;
  if (options_.progress) {
    options.progress = [&](std::size_t done, std::size_t) { options_.progress(before + done, total); };
  }
  // Keys of one set and setting are neighbours: a campaign each.
  std::vector<Instance> of_set;
  for (auto begin = rows_.begin(); begin != rows_.end();) {
    const auto& [set, setting, first] = begin->first;
    if (begin == rows_.begin() || std::get<0>(std::prev(begin)->first) != set) of_set = sets_.at(set).make();
    auto end = begin;
    std::vector<Algorithm> algorithms;
    for (; end != rows_.end() && std::get<0>(end->first) == set && std::get<1>(end->first) == setting; ++end) {
      tl::expected<Algorithm, Error> algorithm = parse_algorithm(std::get<2>(end->first));
      if (!algorithm) throw std::logic_error(algorithm.error().message);
      algorithms.push_back(*std::move(algorithm));
    }
    options.sim = sim_options(setting);
    std::vector<ResultRow> rows = run_campaign(of_set, algorithms, options);
    before += rows.size();
    std::size_t column = 0;
    for (auto at = begin; at != end; ++at, ++column) {
      for (std::size_t k = column; k < rows.size(); k += algorithms.size()) at->second.push_back(std::move(rows[k]));
    }
    begin = end;
  }
  for (auto& [set, losses] : losses_) {
    const std::vector<Instance> instances = sets_.at(set).make();
    losses.resize(instances.size());
    std::mutex mutex;
    std::size_t done = 0;
    parallel_for(instances.size(), options_.threads, [&](std::size_t k) {
      losses[k] = losses_of(instances[k], kTriage, sim_options({}));
      const std::lock_guard lock(mutex);
      ++done;
      if (options.progress) options.progress(done, instances.size());
    });
    before += instances.size();
  }
}

}  // namespace dfrs::sim::triage_study
