// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU time of the calling thread, which other processes do not disturb as they do wall time.
#pragma once

#include <ctime>

namespace dfrs::sim {

inline double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace dfrs::sim
