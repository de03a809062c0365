// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>

#include "sim/reproduce/reproduction.h"
#include "sim/reproduce/rr5724.h"

namespace dfrs::sim {

// One line each: declared in front, listed below.

std::span<const Reproduction> all_reproductions() {
  static const std::array kAll{
      kRr5724,
  };
  return kAll;
}

std::optional<double> Comparison::ratio() const {
  if (!published || *published == 0) return std::nullopt;
  return measured / *published;
}

bool ReproduceOptions::wants(std::string_view part) const {
  return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
}

}  // namespace dfrs::sim
