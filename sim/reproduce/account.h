// SPDX-License-Identifier: GPL-2.0-or-later
// How many published cells a reproduction meets.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

/// Published cells of a table, each counted once.
struct CellAccount {
  std::string table;
  std::size_t within = 0;       ///< within 10 % of the published value, or equal to it as printed
  std::size_t explained = 0;    ///< others that a variant meets so (Comparison::variant_of)
  std::size_t unexplained = 0;  ///< the rest

  std::size_t cells() const { return within + explained + unexplained; }
};

/// By table, in order of first appearance, without tables that have no published cells. O(cells log cells).
std::vector<CellAccount> account_of(std::span<const Comparison> cells);

/// Of all tables, as "all tables".
CellAccount account_of_all(std::span<const CellAccount> accounts);

/// A sentence per table, and one for all of them if there are several.
std::vector<std::string> account_sentences(std::span<const CellAccount> accounts);

}  // namespace dfrs::sim
