// SPDX-License-Identifier: GPL-2.0-or-later
// Runs gnuplot, which draws the charts of reports, as a child process without a shell.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace dfrs::sim {

/// The full path of an executable in the folders of PATH; empty if there is none. Skips relative folders, because a
/// report must not run programs from the current folder.
std::string find_program(const std::string& name);

/// Runs gnuplot on `script` (its standard input) with the user's settings ignored and an environment of only PATH and
/// LC_ALL=C. `program`: full path; empty: find_program("gnuplot"). Returns its standard output. Errors, in one
/// sentence: not found, failed (with its first message), wrote nothing, or was killed after a minute. Script and output
/// go through unnamed temporary files, so neither side can block the other.
tl::expected<std::string, std::string> run_gnuplot(const std::string& script, const std::string& program = {});

}  // namespace dfrs::sim
