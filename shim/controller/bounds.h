// SPDX-License-Identifier: GPL-2.0-or-later
// Bounds of what a snapshot may say, within which the controller's arithmetic is exact.
#pragma once

#include <cstdint>

#include "policy/core/units.h"

namespace dfrs::shim {

/// Whether a clock could show this, at any time from 1970 to the year 5138. Not for NaN.
inline bool is_instant(Seconds time) { return time >= 0 && time <= 1e11; }

/// MiB of a task: more counts as this, an exbibyte, for which no node has room.
inline constexpr std::uint64_t kMostTaskMemory = std::uint64_t{1} << 40;
/// Tasks of a job. A job of more may not start: the policy places tasks one by one while slurmctld waits, and a start
/// counts those of a node in 16 bits.
inline constexpr std::uint32_t kMostTasks = 65'535;
inline constexpr const char* kTooManyTasks =
    "it asks for more than 65,535 tasks; with a fixed number of nodes (--nodes) the tasks of a node count as one";
/// MiB of a node: more counts as this.
inline constexpr std::uint64_t kMostNodeMemory = kMostTaskMemory - 1;

}  // namespace dfrs::shim
