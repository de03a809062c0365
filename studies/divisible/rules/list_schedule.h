// SPDX-License-Identifier: GPL-2.0-or-later
// From a list of jobs to shares: RR-5724, section 3.2.
#pragma once

#include <span>

#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// The first job of `order` gets every cluster that holds its databank, the next those that are left of its own, and so
/// on. Complete jobs are passed over, and clusters that `decision` has shares of already. O(jobs x clusters).
void list_schedule(const View& view, std::span<const JobIndex> order, Decision& decision);

/// Smith's ratio rule on what remains (SWRPT, section 4.2): least remaining / weight first, which for the stretch is
/// least remaining x size.
inline double swrpt_key(double remaining, double weight) { return remaining / weight; }

}  // namespace dfrs::divisible
