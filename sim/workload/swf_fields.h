// SPDX-License-Identifier: GPL-2.0-or-later
// The fields of a record and the header comments in the Standard Workload Format, shared by both readers (parse_swf and
// SwfStream).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "sim/workload/swf.h"

namespace dfrs::sim {

inline constexpr std::size_t kSwfFields = 18;
using SwfValues = std::array<double, kSwfFields>;  ///< of a line's fields, in order

/// The value of field number `field`, from 0. Errors: what is wrong with the word, for users.
tl::expected<double, std::string> parse_swf_field(std::string_view word, std::size_t field);

/// The values of a line. Errors: what is wrong with it, for users. O(line).
tl::expected<SwfValues, std::string> parse_swf_line(std::string_view line);

/// Sets all of the record except its line number.
void fill_record(const SwfValues& values, SwfRecord& record);

/// Adds a comment, without its ';', to the header if it has the form "Name: value".
void parse_swf_comment(std::string_view comment, SwfHeader& header);

/// A line of status 2 to 4 is part of a job that was swapped out; the job has a line of its own with the totals (SWF
/// 2.2).
inline bool is_part_of_job(const SwfRecord& record) { return record.status >= 2 && record.status <= 4; }

}  // namespace dfrs::sim
