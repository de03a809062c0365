// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the reproduction and the parts that the user asks for.
#include <fmt/format.h>

#include <algorithm>

#include "policy/core/nearest_name.h"
#include "policy/core/registry.h"
#include "sim/metrics/by_trace.h"
#include "sim/metrics/metrics.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

std::optional<double> Comparison::ratio() const {
  if (!published || *published == 0) return std::nullopt;
  return measured / *published;
}

std::optional<MeanSpread> spread_of(std::span<const double> values, std::size_t traces) {
  const auto interval = bootstrap_mean(means_by_trace(values, traces == 0 ? values.size() : traces));
  if (!interval) return std::nullopt;
  return MeanSpread{values.size(), summarize(values).median, *interval};
}

void ReproductionReport::add_mean(Comparison cell, std::span<const double> values, std::size_t traces,
                                  const std::optional<AnotherDraw>& another) {
  cell.measured = summarize(values).mean;
  cell.spread = spread_of(values, traces);
  if (another) cell.another_draw = another->mean;
  add(std::move(cell));
}

void ReproductionReport::add_deviation(Comparison cell, std::span<const double> values,
                                       const std::optional<AnotherDraw>& another) {
  cell.measured = summarize(values).stddev;
  if (another) cell.another_draw = another->deviation;
  add(std::move(cell));
}

void ReproductionReport::add_maximum(Comparison cell, std::span<const double> values,
                                     const std::optional<AnotherDraw>& another) {
  cell.measured = summarize(values).max;
  if (another) cell.another_draw = another->maximum;
  add(std::move(cell));
}

void ReproductionReport::least_wins(std::string_view part, std::string_view column) {
  const Comparison* least = nullptr;
  bool alone = false;
  for (const Comparison& cell : cells_) {
    if (cell.table != part || cell.column != column || !cell.words.empty()) continue;
    if (cell.row.starts_with("yardstick/") || cell.row.starts_with("clairvoyant/")) continue;
    if (least != nullptr && cell.measured == least->measured) alone = false;
    if (least == nullptr || cell.measured < least->measured) least = &cell, alone = true;
  }
  if (alone) winners_.push_back({least->table, least->row});
}

bool ReproduceOptions::wants(std::string_view part) const {
  return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::string with_part(std::string_view algorithm, std::span<const std::string_view> parts) {
  for (const std::string_view part : parts) {
    std::string whole = std::string(algorithm) + std::string(part);
    if (parse_algorithm(whole)) return whole;
  }
  return std::string(algorithm);
}

Result<const Reproduction*> find_reproduction(std::string_view name, std::span<const Reproduction> from) {
  std::vector<std::string> names;
  for (const Reproduction& reproduction : from) {
    if (reproduction.name == name) return &reproduction;
    names.emplace_back(reproduction.name);
  }
  return usage_error(
      fmt::format("unknown reproduction '{}'; did you mean '{}'? (`dfrs-sim reproduce --list` shows all)", name,
                  nearest_name(name, names)));
}

Result<std::vector<std::string>> parse_parts(std::string_view text, const Reproduction& reproduction) {
  std::vector<std::string> names;
  for (const ReproductionPart& part : reproduction.parts) names.emplace_back(part.name);
  std::vector<std::string> chosen;
  const auto choose = [&](const std::string& name) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
  };
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    const std::string name(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (known) {
      choose(name);
    } else {
      for (const std::string& part : names) {
        if (!part.starts_with(name + '-')) continue;
        known = true;
        choose(part);
      }
    }
    if (!known) {
      return usage_error(
          fmt::format("--parts: {} has no part '{}'; did you mean '{}'? (`dfrs-sim reproduce {} --list` shows all)",
                      reproduction.name, name, nearest_name(name, names), reproduction.name));
    }
  }
  return chosen;
}

Result<std::vector<std::string>> parse_readings(std::string_view text, const Reproduction& reproduction) {
  std::vector<std::string> names;
  for (const ReproductionPart& reading : reproduction.readings) names.emplace_back(reading.name);
  std::vector<std::string> chosen;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    const std::string name(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (names.empty()) {
      return usage_error(fmt::format("--assume: {} has no readings to choose from", reproduction.name));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return usage_error(
          fmt::format("--assume: {} has no reading '{}'; did you mean '{}'? (`dfrs-sim reproduce {} --list` shows all)",
                      reproduction.name, name, nearest_name(name, names), reproduction.name));
    }
    chosen.push_back(name);
  }
  return chosen;
}

}  // namespace dfrs::sim
