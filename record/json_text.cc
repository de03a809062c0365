// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/json_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dfrs::record {

void append_number(std::string& line, double value) {
  if (!std::isfinite(value)) {
    line += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  if (value == 0) {  // "-0" would be read as the integer 0
    line += std::signbit(value) ? "-0.0" : "0";
    return;
  }
  char buffer[32];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void append_text(std::string& line, std::string_view value) {
  line += nlohmann::json(std::string(value)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

void append_rigid(std::string& line, const RigidVector& amounts) {
  std::size_t count = amounts.size();
  while (count > 1 && amounts[count - 1] == 0) --count;
  line += '[';
  for (std::size_t k = 0; k < count; ++k) {
    if (k != 0) line += ',';
    append_integer(line, amounts[k]);
  }
  line += ']';
}

void append_indices(std::string& line, std::span<const NodeIndex> list) {
  line += '[';
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (k != 0) line += ',';
    append_integer(line, list[k]);
  }
  line += ']';
}

}  // namespace dfrs::record
