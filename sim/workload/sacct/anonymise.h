// SPDX-License-Identifier: GPL-2.0-or-later
// Anonymises accounting so that it can be shared: sacct's output without names, with other numbers and dates.
#pragma once

#include <string>
#include <string_view>

#include "sim/errors.h"

namespace dfrs::sim {

/// The text with the same columns and rows, where
/// - users, groups, accounts, partitions, QOS, job names, nodes and the cluster are numbered in order of appearance
///   (user1, node2, ...), and so are user and group ids;
/// - job numbers are shifted so that the lowest is 1; arrays, components and steps stay the same;
/// - all times are shifted by the same whole number of weeks, so that the first submission falls in the week of Monday,
///   2001-01-01;
/// - columns of free text (comments, command lines, folders, reasons) and unknown columns are empty;
/// - TRES keep only cpu, mem, node, billing and gres/*.
/// What remains: the number of users and which jobs share a user, the weekly rhythm, sizes, run times and states.
/// Someone who knows when a certain job ran, or its exact size, can still find it. Malformed rows are left out. Errors:
/// kExitInput if there is no header line. O(text).
Result<std::string> anonymise_sacct(std::string_view text, const std::string& source);

}  // namespace dfrs::sim
