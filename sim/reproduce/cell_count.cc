// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/cell_count.h"

#include <algorithm>
#include <cmath>

namespace dfrs::sim {

bool agrees(const Comparison& cell) {
  return cell.published && std::abs(cell.measured - *cell.published) <= kAgreement * std::abs(*cell.published);
}

CellCount count_cells(std::span<const Comparison> ours) {
  CellCount count;
  for (const Comparison& cell : ours) {
    if (!cell.published) continue;
    ++count.published;
    if (agrees(cell)) ++count.agree;
  }
  return count;
}

Result<CellCount> count_cells(std::span<const Comparison> ours, std::span<const Comparison> tested) {
  const auto same = [](const Comparison& a, const Comparison& b) {
    return a.table == b.table && a.row == b.row && a.column == b.column;
  };
  if (!std::equal(ours.begin(), ours.end(), tested.begin(), tested.end(), same)) {
    return error(kExitInternal, "readings differ in their cells");
  }
  CellCount count = count_cells(ours);
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (ours[k].published && !agrees(ours[k]) && agrees(tested[k])) ++count.explained;
  }
  return count;
}

}  // namespace dfrs::sim
