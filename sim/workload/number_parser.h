// SPDX-License-Identifier: GPL-2.0-or-later
// Parses numbers of trace files; the limits that all readers share.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace dfrs::sim {

enum class NumberStatus { kOk, kNotANumber, kOutOfRange };

/// The largest magnitude of a number in a trace. Doubles are exact for integers up to here.
inline constexpr double kMaxTraceNumber = 9.0e15;
/// About 300 years. A simulation that steps through periods of minutes would never get further.
inline constexpr double kMaxTraceSeconds = 1.0e10;
inline constexpr std::int64_t kMaxTraceTasks = 1'000'000;
inline constexpr std::int64_t kMaxTraceNodes = 1'000'000;
/// The sum over kMaxTraceTasks tasks still fits in 64 bits.
inline constexpr std::int64_t kMaxTraceRigid = 1'000'000'000'000;

/// Parses all of `word` as a decimal integer with an optional '-'.
inline NumberStatus parse_integer(std::string_view word, std::int64_t& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) return NumberStatus::kOutOfRange;
  if (error != std::errc() || end != word.data() + word.size()) return NumberStatus::kNotANumber;
  return NumberStatus::kOk;
}

/// Parses all of `word` as a finite decimal number of magnitude up to kMaxTraceNumber; "nan" and "inf" are kNotANumber.
inline NumberStatus parse_number(std::string_view word, double& value) {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc::result_out_of_range) return NumberStatus::kOutOfRange;
  if (error != std::errc() || stop != end || !std::isfinite(value)) return NumberStatus::kNotANumber;
  value += 0.0;  // turns a negative zero into zero
  return std::abs(value) <= kMaxTraceNumber ? NumberStatus::kOk : NumberStatus::kOutOfRange;
}

}  // namespace dfrs::sim
