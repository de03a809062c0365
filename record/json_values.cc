// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/json_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "policy/core/nearest_name.h"

namespace dfrs::record {
namespace {

using Json = nlohmann::json;

const Json kNull;
const Json kNulls =
    Json::array({nullptr, nullptr, nullptr, nullptr, nullptr});  // as many as the longest list of fixed length has
const Json kEmptyList = Json::array();

}  // namespace

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

void JsonValues::check_members(const Json& object, std::span<const std::string> known, std::string_view what) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fail(fmt::format("{}: unknown member {}; did you mean \"{}\"?", what, shown(name), nearest_name(name, known)));
  }
}

const Json& JsonValues::member(const Json& object, const char* name, std::string_view what) {
  const auto at = object.find(name);
  if (at != object.end()) return *at;
  fail(fmt::format("{} has no \"{}\"", what, name));
  return kNull;
}

double JsonValues::number(const Json& value, std::string_view what) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  fail(fmt::format("{}: {} is not a number", what, shown(value)));
  return 0;
}

double JsonValues::finite(const Json& value, std::string_view what) {
  const double read = number(value, what);
  if (!std::isfinite(read)) fail(fmt::format("{}: {} is not a finite number", what, shown(value)));
  return read;
}

std::uint64_t JsonValues::whole(const Json& value, std::uint64_t most, std::string_view what) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= most) return value.get<std::uint64_t>();
  fail(fmt::format("{}: {} is not a whole number from 0 to {}", what, shown(value), most));
  return 0;
}

bool JsonValues::flag(const Json& value, std::string_view what) {
  if (value.is_boolean()) return value.get<bool>();
  fail(fmt::format("{}: {} is neither true nor false", what, shown(value)));
  return false;
}

std::string JsonValues::text(const Json& value, std::string_view what) {
  if (value.is_string()) return value.get<std::string>();
  fail(fmt::format("{}: {} is not a string", what, shown(value)));
  return {};
}

const Json& JsonValues::list(const Json& value, std::size_t least, std::size_t most, std::string_view what) {
  if (value.is_array() && value.size() >= least && value.size() <= most) return value;
  fail(least == most ? fmt::format("{}: {} is not a list of {}", what, shown(value), least)
                     : fmt::format("{}: {} is not a list of {} to {}", what, shown(value), least, most));
  return least == 0 ? kEmptyList : kNulls;
}

RigidVector JsonValues::rigid(const Json& value) {
  RigidVector amounts{};
  const Json& read = list(value, 1, amounts.size(), "rigid amounts");
  for (std::size_t k = 0; k < std::min(read.size(), amounts.size()); ++k) {
    amounts[k] = static_cast<RigidAmount>(whole(read[k], 1'000'000'000'000, "a rigid amount"));
  }
  return amounts;
}

std::size_t JsonValues::word(const std::string& given, std::span<const std::string> known, std::string_view unknown) {
  const auto at = std::find(known.begin(), known.end(), given);
  if (at != known.end()) return static_cast<std::size_t>(at - known.begin());
  fail(fmt::format("{} '{}'; did you mean '{}'?", unknown, given, nearest_name(given, known)));
  return 0;
}

}  // namespace dfrs::record
