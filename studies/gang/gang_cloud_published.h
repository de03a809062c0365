// SPDX-License-Identifier: GPL-2.0-or-later
// Published values of I. A. Moschakis, H. D. Karatza: Performance and Cost evaluation of Gang Scheduling in a Cloud
// Computing System with Job Migrations and Starvation Handling, ISCC 2011.
#pragma once

#include <array>

namespace dfrs::sim {

/// A line of table I: CPE of LJFS against AFCFS, negative if AFCFS is better.
struct GangCloudLine {
  double q;
  double lambda;
  double ff10;  ///< first fit, X-factor 10
  double bf10;
  double ff20;
  double bf20;
};

inline constexpr std::size_t kGangCloudLines = 12;
extern const std::array<GangCloudLine, kGangCloudLines> kGangCloudTable1;

}  // namespace dfrs::sim
