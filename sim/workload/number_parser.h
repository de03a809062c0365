// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of trace files, and the limits that all readers share.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace dfrs::sim {

enum class NumberStatus { kOk, kNotANumber, kOutOfRange };

/// Numbers beyond this are refused everywhere in traces: doubles are exact for integers up to here.
inline constexpr double kMaxTraceNumber = 9.0e15;
/// No trace lasts 300 years; a simulator that counts periods of some minutes must not be sent that far.
inline constexpr double kMaxTraceSeconds = 1.0e10;
inline constexpr std::int64_t kMaxTraceTasks = 1'000'000;
inline constexpr std::int64_t kMaxTraceNodes = 1'000'000;
/// With kMaxTraceTasks tasks the sum still fits in 64 bits.
inline constexpr std::int64_t kMaxTraceRigid = 1'000'000'000'000;

/// Reads all of `word` as a decimal integer with an optional '-'.
inline NumberStatus parse_integer(std::string_view word, std::int64_t& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) return NumberStatus::kOutOfRange;
  if (error != std::errc() || end != word.data() + word.size()) return NumberStatus::kNotANumber;
  return NumberStatus::kOk;
}

/// Reads all of `word` as a finite decimal number of magnitude up to kMaxTraceNumber; "nan" and "inf" are no numbers.
inline NumberStatus parse_number(std::string_view word, double& value) {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc::result_out_of_range) return NumberStatus::kOutOfRange;
  if (error != std::errc() || stop != end || !std::isfinite(value)) return NumberStatus::kNotANumber;
  value += 0.0;  // a negative zero is zero
  return std::abs(value) <= kMaxTraceNumber ? NumberStatus::kOk : NumberStatus::kOutOfRange;
}

}  // namespace dfrs::sim
