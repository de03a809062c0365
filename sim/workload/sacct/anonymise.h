// SPDX-License-Identifier: GPL-2.0-or-later
// Accounting that may be handed on: sacct's output without names, with other numbers and on other dates.
#pragma once

#include <string>
#include <string_view>

namespace dfrs::sim {

/// The text with the same columns and rows, where
/// - users, groups, accounts, partitions, QOS, job names, nodes and the cluster are numbered in the order of their
///   appearance (user1, node2, ...), user and group ids likewise;
/// - job numbers count on from 1 at the least one of the text; arrays, components and steps stay what they are;
/// - all times are moved by the same whole number of weeks, so that the first submission is in the week from Monday,
///   2001-01-01 on;
/// - columns of free text (comments, command lines, folders, reasons) and all that this program does not know are
/// empty;
///   of TRES only cpu, mem, node, billing and gres/* are left.
/// What remains: how many users there are and which jobs are of the same one, the week's rhythm, sizes, run times and
/// states. Who knows when a certain job ran, or its exact size, can find it.
/// Rows that are malformed are left out. Errors: InputError if there is no header line. O(text).
std::string anonymise_sacct(std::string_view text, const std::string& source);

}  // namespace dfrs::sim
