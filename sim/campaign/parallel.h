// SPDX-License-Identifier: GPL-2.0-or-later
// Runs independent work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace dfrs::sim {

/// Calls work(index) once for each index < count, on `threads` threads (0: one per processor), lowest index first.
/// After an exception no further work begins; the exception of the lowest failed index is rethrown when all threads
/// have ended.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace dfrs::sim
