// SPDX-License-Identifier: GPL-2.0-or-later
// Units and index types shared by the whole project.
#pragma once

#include <cstdint>
#include <limits>

namespace dfrs {

/// Instants and durations in seconds. Instants count from the host's own epoch (a trace's origin, the Unix epoch in a
/// live cluster); the policy core never asks for the time, it is handed `ClusterView::now`.
using Seconds = double;

inline constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

/// A job's name in the host (trace line number, Slurm job id).
using JobId = std::uint64_t;

/// Index of a job in `ClusterView::jobs`. A slot belongs to one job from its submission to its completion and may
/// then be used again.
using JobSlot = std::uint32_t;
inline constexpr JobSlot kNoSlot = std::numeric_limits<JobSlot>::max();

/// Index of a node in `ClusterView::nodes`.
using NodeIndex = std::uint32_t;

}  // namespace dfrs
