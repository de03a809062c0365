// SPDX-License-Identifier: GPL-2.0-or-later
// The progress bar on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/campaign/parallel.h"

namespace dfrs::sim {

/// "simulations  [=====>    ]  52 %  62 of 119  3.1/s  0:18 left". Without time left as long as nothing is done.
std::string progress_line(std::string_view what, std::size_t done, std::size_t total, double seconds);

/// A bar on standard error, drawn at most ten times a second and removed at the end, if that is a terminal; empty
/// otherwise. Calls must not overlap.
Progress terminal_progress(std::string what);

/// A line on standard error, in place of a bar that is there; from any thread.
void warn_on_terminal(const std::string& sentence);

/// What the user is told on a terminal when Ctrl-C ends the program: what is kept, and how to go on.
void say_when_interrupted(std::string_view sentence);

}  // namespace dfrs::sim
