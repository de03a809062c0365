// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/rr7659_experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "policy/algorithm.h"
#include "sim/campaign/campaign.h"
#include "sim/campaign/store.h"
#include "sim/errors.h"
#include "sim/workload/load.h"
#include "sim/workload/lublin.h"
#include "sim/workload/scale.h"

namespace dfrs::sim::rr7659 {
namespace {

// The digits of k in base 2, mirrored at the point.
double mirrored(std::size_t k) {
  double value = 0;
  for (double digit = 0.5; k != 0; k >>= 1, digit /= 2) {
    if ((k & 1) != 0) value += digit;
  }
  return value;
}

std::span<const double> loads_of(Set set) {
  return set == Set::scaled_low ? std::span<const double>(kLowLoads) : std::span<const double>(kHighLoads);
}

}  // namespace

std::vector<std::size_t> spread(std::size_t count, std::size_t total) {
  std::vector<bool> taken(total);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; chosen.size() < std::min(count, total); ++k) {
    const auto week = static_cast<std::size_t>(mirrored(k) * static_cast<double>(total));
    if (taken[week]) continue;
    taken[week] = true;
    chosen.push_back(week);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Experiments::Experiments(const ReproduceOptions& options) : options_(options), log_(find_log(options, kLog)) {}

Experiments::Key Experiments::key(Set set, std::string_view algorithm, Seconds period) const {
  const bool periodic =
      algorithm.find("/per") != std::string_view::npos || algorithm.find("/stretch-per") != std::string_view::npos;
  return {set, periodic ? period : kPeriod, std::string(algorithm)};
}

void Experiments::need(Set set, std::string_view algorithm, Seconds period) {
  if (has(set)) rows_[key(set, algorithm, period)];
}

std::span<const ResultRow> Experiments::rows(Set set, std::string_view algorithm, Seconds period) const {
  return rows_.at(key(set, algorithm, period));
}

std::vector<double> Experiments::values(std::span<const Set> sets, std::string_view algorithm, Seconds period,
                                        double (*value)(const ResultRow&)) const {
  std::vector<double> all;
  for (const Set set : sets) {
    for (const ResultRow& row : rows(set, algorithm, period)) all.push_back(value(row));
  }
  return all;
}

std::size_t Experiments::traces() const { return options_.instances == 0 ? kTraces : options_.instances; }
std::size_t Experiments::weeks() const {
  return options_.instances == 0 ? kWeeks : std::min(options_.instances, kWeeks);
}

std::size_t Experiments::size(Set set) const {
  if (set == Set::hpc2n) return weeks();
  return set == Set::unscaled ? traces() : traces() * loads_of(set).size();
}

std::string Experiments::describe(Set set) const {
  const std::uint64_t last = options_.seed + traces() - 1;
  switch (set) {
    case Set::hpc2n:
      if (!has(set)) return missing_log(options_, kLog);
      return weeks() == kWeeks ? fmt::format("HPC2N: all {} weeks.", kWeeks)
                               : fmt::format("HPC2N: {} of {} weeks, spread evenly over the log.", weeks(), kWeeks);
    case Set::unscaled:
      return fmt::format("Unscaled: {} Lublin traces of our own seeds {} to {}; the paper had {} others.", traces(),
                         options_.seed, last, kTraces);
    case Set::scaled_low:
      return fmt::format(
          "Scaled: the {} traces of seeds {} to {}, each at the nine loads 0.1 to 0.9; the paper had {} "
          "others.",
          traces(), options_.seed, last, kTraces);
    case Set::scaled_high:
      return fmt::format(
          "Scaled: the {} traces of seeds {} to {}, each at the loads 0.7, 0.8 and 0.9; the paper had {} "
          "others.",
          traces(), options_.seed, last, kTraces);
  }
  return {};
}

std::vector<Instance> Experiments::instances(Set set) const {
  std::vector<Instance> all;
  if (set == Set::hpc2n) {
    LoadOptions options;
    options.annotation = SwfAnnotation::kMemory;
    options.weeks = true;
    std::vector<Instance> log = load_instances(log_, options).instances;
    if (log.size() != kWeeks) {
      throw InputError(
          fmt::format("{}: has {} weeks with jobs, expected {}: is it the log {}?", log_, log.size(), kWeeks, kLog));
    }
    for (const std::size_t week : spread(weeks(), kWeeks)) all.push_back(std::move(log[week]));
    return all;
  }
  std::vector<Instance> generated;
  for (std::size_t k = 0; k < traces(); ++k) {
    LublinOptions options;
    options.seed = options_.seed + k;
    generated.push_back(lublin_instance(options));
  }
  if (set == Set::unscaled) return generated;
  for (const double load : loads_of(set)) {
    for (const Instance& instance : generated) all.push_back(scaled_to_load(instance, load));
  }
  return all;
}

void Experiments::run() {
  std::size_t total = 0;
  for (const auto& [key, rows] : rows_) total += size(std::get<Set>(key));
  std::optional<ResultStore> store;
  if (!options_.output.empty()) {
    const std::vector<StoreFact> facts{{"command", "reproduce rr7659"}};
    store.emplace((std::filesystem::path(options_.output) / "rr7659.db").string(), facts);
  }
  std::size_t before = 0;
  CampaignOptions options;
  options.threads = options_.threads;
  options.store = store ? &*store : nullptr;
  if (options_.progress) {
    options.progress = [&](std::size_t done, std::size_t) { options_.progress(before + done, total); };
  }
  // Keys of one set and period are neighbours: a campaign each.
  std::vector<Instance> of_set;
  for (auto begin = rows_.begin(); begin != rows_.end();) {
    const auto& [set, period, first] = begin->first;
    if (begin == rows_.begin() || std::get<Set>(std::prev(begin)->first) != set) of_set = instances(set);
    auto end = begin;
    std::vector<Algorithm> algorithms;
    for (; end != rows_.end() && std::get<Set>(end->first) == set && std::get<Seconds>(end->first) == period; ++end) {
      tl::expected<Algorithm, Error> algorithm = parse_algorithm(std::get<std::string>(end->first));
      if (!algorithm) throw std::logic_error(algorithm.error().message);
      algorithms.push_back(*std::move(algorithm));
    }
    options.sim.engine.dfrs.period = period;
    std::vector<ResultRow> rows = run_campaign(of_set, algorithms, options);
    before += rows.size();
    std::size_t column = 0;
    for (auto at = begin; at != end; ++at, ++column) {
      for (std::size_t k = column; k < rows.size(); k += algorithms.size()) at->second.push_back(std::move(rows[k]));
    }
    begin = end;
  }
}

}  // namespace dfrs::sim::rr7659
