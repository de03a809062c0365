// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/rr7659_experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "policy/rr7659/options.h"
#include "sim/reproduce/lublin_set.h"
#include "sim/workload/load.h"

namespace dfrs::sim::rr7659 {
namespace {

// The binary digits of k, mirrored at the binary point.
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

std::string_view name_of(Set set) {
  constexpr std::array<std::string_view, kSets.size()> kNames{"HPC2N", "unscaled", "loads to 0.6", "loads from 0.7"};
  return kNames[static_cast<std::size_t>(set)];
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

Experiments::Experiments(const ReproduceOptions& options, Assumed assumed)
    : options_(options), assumed_(std::move(assumed)), plan_(options, "rr7659") {}

CampaignOptions Experiments::campaign(Seconds period) const {
  CampaignOptions options;
  options.sim = assumed_.sim;
  options.sim.engine.of<DfrsOptions>().period = period;
  return options;
}

const std::string& Experiments::log() const {
  if (!log_) log_ = find_log(options_, kLog);
  return *log_;
}

void Experiments::need(Set set, std::string_view algorithm, Seconds period) {
  if (!has(set)) return;
  plan_.need({std::string(name_of(set)), size(set), [this, set] { return instances(set); }},
             assumed_.algorithm(algorithm), campaign(period));
}

std::span<const ResultRow> Experiments::rows(Set set, std::string_view algorithm, Seconds period) const {
  return plan_.rows(name_of(set), assumed_.algorithm(algorithm), campaign(period));
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

Result<std::vector<Instance>> Experiments::instances(Set set) const {
  std::vector<Instance> all;
  if (set == Set::hpc2n) {
    LoadOptions options;
    options.annotation = SwfAnnotation::kMemory;
    options.weeks = true;
    Result<Loaded> loaded = load_instances(log(), options);
    if (!loaded) return tl::unexpected(std::move(loaded).error());
    std::vector<Instance>& all_weeks = loaded->instances;
    if (all_weeks.size() != kWeeks) {
      return input_error(fmt::format("{}: has {} weeks with jobs, expected {}: is it the log {}?", log(),
                                     all_weeks.size(), kWeeks, kLog));
    }
    for (const std::size_t week : spread(weeks(), kWeeks)) all.push_back(std::move(all_weeks[week]));
    return all;
  }
  LublinOptions lublin;
  lublin.memory_mib = assumed_.memory_mib;
  if (set == Set::unscaled) return lublin_set(lublin, options_.seed, traces());
  for (const double load : loads_of(set)) {
    Result<std::vector<Instance>> scaled = lublin_set(lublin, options_.seed, traces(), load);
    if (!scaled) return scaled;
    all.insert(all.end(), std::make_move_iterator(scaled->begin()), std::make_move_iterator(scaled->end()));
  }
  return all;
}

}  // namespace dfrs::sim::rr7659
