// SPDX-License-Identifier: GPL-2.0-or-later
// Values that options take: numbers within bounds, and penalties.
#pragma once

#include <cstdint>
#include <string>

#include "base/command_line.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

/// Accepts a penalty: seconds, or memory/RATE or memory/RATE+SECONDS.
base::Rule penalty_rule();
/// Sets the penalty that penalty_rule() accepted, and what policies expect.
void set_penalty(const std::string& text, SimOptions& options);
/// The penalty as an option's value: "300", "memory/100" or "memory/100+5"; and as words: "300 s", "memory at
/// 100 MiB/s" or "memory at 100 MiB/s and 5 s".
std::string penalty_text(const SimOptions& options);
std::string penalty_words(const SimOptions& options);

/// Accepts a size of swap: MiB of each node, or a part of its memory.
base::Rule swap_size();
/// "2048 MiB a node", "as much as memory", "0.5 of memory" or "unlimited".
std::string swap_words(const record::SwapSize& swap);

/// Accepts finite numbers from `least` to `most`. base::in_range() lets nan pass.
base::Rule number_in(double least, double most);

/// Accepts whole numbers from `least` to `most`. CLI11 reads -1 for an unsigned option as 2^64 - 1.
base::Rule whole_number_in(std::uint64_t least, std::uint64_t most);

}  // namespace dfrs::sim
