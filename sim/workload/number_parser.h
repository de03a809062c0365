// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of trace files: std::from_chars with a fast path for the short numbers that fill most logs.
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
  const char* at = word.data();
  const char* const end = at + word.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  if (at != end && end - at <= 15) {
    // Digits, perhaps with a point among or behind them. Up to 15 digits and the power of ten below are exact as
    // doubles, so that their quotient is the double nearest to the number, as from_chars has it.
    constexpr double kPower[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    const auto digits = [&](std::int64_t& whole) {
      while (at != end && static_cast<unsigned char>(*at - '0') < 10) whole = whole * 10 + (*at++ - '0');
    };
    std::int64_t whole = 0;
    const char* const first = at;
    digits(whole);
    if (at == end) {
      value = static_cast<double>(negative ? -whole : whole);
      return NumberStatus::kOk;
    }
    if (*at == '.' && at != first) {
      const char* const fraction = ++at;
      digits(whole);
      if (at == end) {
        value = static_cast<double>(whole) / kPower[end - fraction];
        if (negative) value = -value;
        return NumberStatus::kOk;
      }
    }
  }
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc::result_out_of_range) return NumberStatus::kOutOfRange;
  if (error != std::errc() || stop != end || !std::isfinite(value)) return NumberStatus::kNotANumber;
  return std::abs(value) <= kMaxTraceNumber ? NumberStatus::kOk : NumberStatus::kOutOfRange;
}

}  // namespace dfrs::sim
