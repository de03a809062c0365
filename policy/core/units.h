// SPDX-License-Identifier: GPL-2.0-or-later
// Units and index types shared by the whole project.
#pragma once

#include <cstdint>
#include <limits>

namespace dfrs {

/// Instants and durations in seconds. Instants count from the host's epoch: the start of a trace, the Unix epoch on a
/// live cluster. The policy core reads no clock; hosts pass the time in `ClusterView::now`.
using Seconds = double;

inline constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

/// The host's identifier of a job: a line number in a trace, a Slurm job id.
using JobId = std::uint64_t;

/// Index of a job in `ClusterView::jobs`. A slot belongs to one job from its submission to its completion; after that
/// another job may use it.
using JobSlot = std::uint32_t;
inline constexpr JobSlot kNoSlot = std::numeric_limits<JobSlot>::max();

/// Index of a node in `ClusterView::nodes`.
using NodeIndex = std::uint32_t;

}  // namespace dfrs
