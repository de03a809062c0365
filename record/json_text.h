// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the JSON of records: compact, with exact numbers.
#pragma once

#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "policy/core/resources.h"
#include "policy/core/units.h"

namespace dfrs::record {

/// The shortest text that reads back as the same double. JSON has no infinities and no NaN: they become strings.
void append_number(std::string& line, double value);
void append_text(std::string& line, std::string_view value);
/// Leaves out trailing zeros, but never the first amount, memory.
void append_rigid(std::string& line, const RigidVector& amounts);
void append_indices(std::string& line, std::span<const NodeIndex> list);

template <typename Integer>
void append_integer(std::string& line, Integer value) {
  char buffer[24];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

inline void append_flag(std::string& line, bool value) { line += value ? "true" : "false"; }

}  // namespace dfrs::record
