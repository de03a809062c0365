// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <CLI/CLI.hpp>

namespace dfrs::sim {

void add_divisible(CLI::App& app);
void add_gang(CLI::App& app);
/// The algorithms of the simulator and of the studies.
void add_list(CLI::App& app);

}  // namespace dfrs::sim
