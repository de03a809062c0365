// SPDX-License-Identifier: GPL-2.0-or-later
// The licences of a cluster, as far as its accounting shows them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/workload/sacct/reader.h"

namespace dfrs::sim {

/// The licences that jobs held, by name, ascending: as many as were held at once, at most. For names in `given` as many
/// as it says. O(jobs log jobs).
std::vector<Licence> licences_of(const SacctLog& log, std::span<const Licence> given);

/// What licences_of had to infer, as a sentence for users; empty if nothing.
std::string describe_licences(const SacctLog& log, std::span<const Licence> given);

}  // namespace dfrs::sim
