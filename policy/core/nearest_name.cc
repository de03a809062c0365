// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/nearest_name.h"

#include <algorithm>
#include <vector>

namespace dfrs {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t up = row[j];
      row[j] = std::min({up + 1, row[j - 1] + 1, diagonal + (lower_case(a[i - 1]) == lower_case(b[j - 1]) ? 0 : 1)});
      diagonal = up;
    }
  }
  return row[b.size()];
}

// Among equals, letters left out are likelier than a letter replaced by another.
std::string_view nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string_view best;
  std::size_t best_distance = ~std::size_t{0};
  bool best_only_lacks = false;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool only_lacks = candidate.size() == name.size() + distance;
    if (distance > best_distance || (distance == best_distance && (best_only_lacks || !only_lacks))) continue;
    best_distance = distance;
    best_only_lacks = only_lacks;
    best = candidate;
  }
  return best;
}

}  // namespace dfrs
