// SPDX-License-Identifier: GPL-2.0-or-later
// Turns a list of jobs into shares: RR-5724, section 3.2.
#pragma once

#include <span>

#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// The first job of `order` gets every cluster that holds its databank, the next gets what is left of its clusters, and
/// so on. Skips complete jobs, and clusters that already have shares in `decision`. O(jobs x clusters).
void list_schedule(const View& view, std::span<const JobIndex> order, Decision& decision);

/// Smith's ratio rule on remaining work (SWRPT, section 4.2): least remaining / weight first, which for the stretch is
/// least remaining x size.
inline double swrpt_key(double remaining, double weight) { return remaining / weight; }

}  // namespace dfrs::divisible
