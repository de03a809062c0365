// SPDX-License-Identifier: GPL-2.0-or-later
// Counts published cells by how they compare with ours.
#pragma once

#include <cstddef>
#include <span>

#include "sim/errors.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

/// A published figure counts as reproduced if ours is within this fraction of it.
inline constexpr double kAgreement = 0.1;

/// Whether ours agrees with a published figure; false without one. A published 0 agrees with 0 only.
bool agrees(const Comparison& cell);

struct CellCount {
  std::size_t published = 0;
  std::size_t agree = 0;      ///< as the commands run
  std::size_t explained = 0;  ///< of the others, those that agree under a tested reading

  std::size_t unexplained() const { return published - agree - explained; }
};

/// Counts the published cells of `ours`.
CellCount count_cells(std::span<const Comparison> ours);

/// The same beside `tested`: the same cells, in the same order, under a reading that was tested. Errors: kExitInternal
/// if the cells differ.
Result<CellCount> count_cells(std::span<const Comparison> ours, std::span<const Comparison> tested);

}  // namespace dfrs::sim
