// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/cell_count.h"

#include <cmath>

#include "sim/errors.h"

namespace dfrs::sim {

bool agrees(const Comparison& cell) {
  return cell.published && std::abs(cell.measured - *cell.published) <= kAgreement * std::abs(*cell.published);
}

CellCount count_cells(std::span<const Comparison> ours, std::span<const Comparison> tested) {
  const auto same = [](const Comparison& a, const Comparison& b) {
    return a.table == b.table && a.row == b.row && a.column == b.column;
  };
  if (!tested.empty() && tested.size() != ours.size()) throw Failure(kExitInternal, "readings differ in their cells");
  CellCount count;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (!tested.empty() && !same(ours[k], tested[k])) throw Failure(kExitInternal, "readings differ in their cells");
    if (!ours[k].published) continue;
    ++count.published;
    if (agrees(ours[k])) {
      ++count.agree;
    } else if (!tested.empty() && agrees(tested[k])) {
      ++count.explained;
    }
  }
  return count;
}

}  // namespace dfrs::sim
