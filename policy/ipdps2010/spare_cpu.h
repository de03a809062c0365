// SPDX-License-Identifier: GPL-2.0-or-later
// CPU that yields leave unused on overloaded nodes, and giving it away: what both heuristics of IPDPS 2010 do.
#pragma once

#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"

namespace dfrs::ipdps2010 {

/// What `yields` leave of each node's capacity, by index into contention.nodes(). Amounts below a billionth of the
/// capacity are rounding and count as nothing.
void spare_cpu(const CpuContention& contention, std::span<const double> yields, std::vector<double>& left);

/// By how much the job's yield can rise: to 1, or until one of its nodes is full.
double possible_raise(const CpuContention& contention, const CpuContention::Job& job, std::span<const double> left,
                      double yield);

/// Raises `yield` by `more` and takes the CPU for it from `left`.
void raise_yield(const CpuContention& contention, const CpuContention::Job& job, double more, std::span<double> left,
                 double& yield);

}  // namespace dfrs::ipdps2010
