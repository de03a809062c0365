// SPDX-License-Identifier: GPL-2.0-or-later
// Runs independent work on several threads.
#pragma once

#include <cstddef>
#include <functional>

#include "sim/errors.h"

namespace dfrs::sim {

/// Called after each piece of work with the number done. May be empty; calls do not overlap.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Calls work(index) once for each index < count, on `threads` threads (0: one per processor), lowest index first.
/// After an exception no further work begins; the exception of the lowest failed index is rethrown when all threads
/// have ended.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress = {});

/// The same for work that may fail: after an error no further work begins; the error of the lowest failed index.
Result<void> try_parallel_for(std::size_t count, unsigned threads, const std::function<Result<void>(std::size_t)>& work,
                              const Progress& progress = {});

}  // namespace dfrs::sim
