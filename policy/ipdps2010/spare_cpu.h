// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU that yields leave unused on overloaded nodes, and how to give it to jobs. Both heuristics of IPDPS 2010 use
// it.
#pragma once

#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"

namespace dfrs::ipdps2010 {

/// Sets `left` to what `yields` leave of each node's capacity, by index into contention.nodes(). Amounts up to
/// kCpuTolerance of the capacity are rounding and count as 0. O(places).
void spare_cpu(const CpuContention& contention, std::span<const double> yields, std::vector<double>& left);

/// By how much the job's yield can rise until it is 1 or one of the job's nodes is full. O(places of the job).
double possible_raise(const CpuContention& contention, const CpuContention::Job& job, std::span<const double> left,
                      double yield);

/// Raises `yield` by `more` and takes the CPU for that from `left`. O(places of the job).
void raise_yield(const CpuContention& contention, const CpuContention::Job& job, double more, std::span<double> left,
                 double& yield);

}  // namespace dfrs::ipdps2010
