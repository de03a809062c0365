// SPDX-License-Identifier: GPL-2.0-or-later
// How much swap the nodes of a simulated cluster have, as options and records spell it.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "policy/core/resources.h"

namespace dfrs::record {

struct SwapSize {
  enum class Of { unlimited, node, memory };
  Of of = Of::unlimited;
  double amount = 0;  ///< MiB of each node, or a part of each node's memory; 0 if unlimited

  bool limited() const { return of != Of::unlimited; }
  /// MiB of a node with this much memory, rounded down. Only where it is limited.
  RigidAmount on(RigidAmount memory) const;

  friend bool operator==(const SwapSize&, const SwapSize&) = default;
};

/// The grammar, for help texts and messages.
inline constexpr std::string_view kSwapSizes = "unlimited, a whole number of MiB, or memory[:PART]";

/// "unlimited", "2048", "memory" or "memory:0.5". Parses back to an equal size.
std::string swap_text(const SwapSize& swap);
/// Reads a size. Error: a message that says what was expected.
tl::expected<SwapSize, std::string> parse_swap(std::string_view text);

}  // namespace dfrs::record
