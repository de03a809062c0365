// SPDX-License-Identifier: GPL-2.0-or-later
// Tables 1 to 16 of RR-5724: degradation from the best schedule found for each instance.
#pragma once

#include <span>
#include <string_view>

namespace dfrs::sim {

struct Rr5724Figures {
  double mean = 0, deviation = 0, max = 0;
};

struct Rr5724Row {
  int table = 0;
  std::string_view algorithm;
  Rr5724Figures max_stretch, sum_stretch;
};

/// By table, algorithms in the paper's order. Bender98 is only in table 1, for platforms of 3 clusters.
std::span<const Rr5724Row> rr5724_published();

}  // namespace dfrs::sim
