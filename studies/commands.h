// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "base/command_line.h"

namespace dfrs::sim {

void add_divisible(const base::Command& app);
void add_gang(const base::Command& app);
/// The algorithms of the simulator and of the studies.
void add_list(const base::Command& app);

}  // namespace dfrs::sim
