// SPDX-License-Identifier: GPL-2.0-or-later
// The shortest part of a random load that still fails: delta debugging (Zeller, Hildebrandt 2002) over its steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace dfrs::oracle {

/// Leaves out ever smaller parts of the steps 0 .. count - 1 as long as what is left still fails. fails(kept): kept is
/// ascending. Of the result no single step can be left out, unless `runs` calls were not enough.
inline std::vector<std::size_t> shrink(std::size_t count, std::size_t runs,
                                       const std::function<bool(const std::vector<std::size_t>&)>& fails) {
  std::vector<std::size_t> kept(count);
  std::iota(kept.begin(), kept.end(), 0);
  std::size_t size = (count + 1) / 2;
  while (size > 0) {
    bool shorter = false;
    for (std::size_t first = 0; first < kept.size() && runs > 0; --runs) {
      std::vector<std::size_t> left = kept;
      const auto begin = left.begin() + static_cast<std::ptrdiff_t>(first);
      left.erase(begin, left.begin() + static_cast<std::ptrdiff_t>(std::min(first + size, kept.size())));
      if (fails(left)) {
        kept = std::move(left);
        shorter = true;
      } else {
        first += size;
      }
    }
    if (runs == 0) break;
    if (size == 1 && !shorter) break;
    size = size == 1 ? 1 : (size + 1) / 2;
  }
  return kept;
}

}  // namespace dfrs::oracle
