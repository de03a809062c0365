// SPDX-License-Identifier: GPL-2.0-or-later
// The fields of a record in the Standard Workload Format and the comments of its header: what both readers of a log
// share (parse_swf and SwfStream).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "sim/workload/swf.h"

namespace dfrs::sim {

inline constexpr std::size_t kSwfFields = 18;
using SwfValues = std::array<double, kSwfFields>;  ///< of a line's fields, in their order

/// The value of a field, counted from 0. Errors: what is wrong with the word, for people.
tl::expected<double, std::string> parse_swf_field(std::string_view word, std::size_t field);

/// The values of a line. Errors: what is wrong with it, for people. O(line).
tl::expected<SwfValues, std::string> parse_swf_line(std::string_view line);

/// Sets all of the record but its line's number.
void fill_record(const SwfValues& values, SwfRecord& record);

/// Adds a comment, without its ';', to the header if it has the form "Name: value".
void parse_swf_comment(std::string_view comment, SwfHeader& header);

/// Lines of status 2 to 4 are parts of a job that was swapped out; the job's own line sums them up (SWF 2.2).
inline bool is_part_of_job(const SwfRecord& record) { return record.status >= 2 && record.status <= 4; }

}  // namespace dfrs::sim
