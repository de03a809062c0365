// SPDX-License-Identifier: GPL-2.0-or-later
// The values of RR-7659's tables 2 to 10.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace dfrs::sim::rr7659 {

/// Degradation from bound. NaN where the text is damaged.
struct PublishedDegradation {
  std::string_view algorithm;
  std::array<double, 9> figures;  ///< avg., std., max; HPC2N (table 5), unscaled (table 6), scaled (table 7)
};

/// Pauses ("pmtn") and moves ("mig") on the scaled traces of load 0.7 or more. NaN where the text is damaged.
struct PublishedCosts {
  std::string_view algorithm;
  /// avg. and max of pauses, then of moves; GB/s (table 8), occurrences per hour (table 9), per job (table 10)
  std::array<double, 12> figures;
};

/// Normalized underutilization, average (table 4).
struct PublishedUnderutilization {
  std::string_view algorithm;
  std::array<double, 3> figures;  ///< HPC2N, unscaled, scaled
};

/// In the paper's order: FCFS, EASY and the 116 DFRS algorithms; the 116; the three of table 4.
std::span<const PublishedDegradation> published_degradations();
std::span<const PublishedCosts> published_costs();
std::span<const PublishedUnderutilization> published_underutilizations();

/// The algorithms of tables 2 and 3 (its 17 that pause or move), in their order.
std::span<const std::string_view> table2_rows();
std::span<const std::string_view> table3_rows();

/// A value by its position in the arrays above; nothing for an algorithm that is not in the paper, or where the text is
/// damaged.
std::optional<double> published_degradation(std::string_view algorithm, std::size_t figure);
/// 0 for batch algorithms such as FCFS and EASY.
std::optional<double> published_cost(std::string_view algorithm, std::size_t figure);

}  // namespace dfrs::sim::rr7659
