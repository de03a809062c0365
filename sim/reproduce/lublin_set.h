// SPDX-License-Identifier: GPL-2.0-or-later
// Sets of generated workloads, which differ in their seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/errors.h"
#include "sim/workload/lublin.h"

namespace dfrs::sim {

/// `count` workloads of the seeds from `first`, as they are (`load` 0) or scaled to an offered load. Errors: those of
/// lublin_instance() and scaled_to_load().
Result<std::vector<Instance>> lublin_set(LublinOptions options, std::uint64_t first, std::size_t count,
                                         double load = 0);

}  // namespace dfrs::sim
