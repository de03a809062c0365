// SPDX-License-Identifier: GPL-2.0-or-later
// Splits and parses lines of short numbers separated by spaces, which is most of a log. Finds field boundaries for many
// bytes at a time and converts up to eight digits in one step. A branch per character, which processors predict badly,
// would dominate the time to read a log.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "sim/workload/text_lines.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace dfrs::sim {

/// The fields of a line. It may refuse any line; use FieldSplitter for those. FieldSplitter gives the same fields for a
/// line that it takes, unless a field contains a tab or a carriage return, which no number does.
class SpacedFields {
 public:
  static constexpr std::size_t kMostBytes = 127;  ///< of a line
  /// Bytes read from the beginning of a line. Those after the line's terminator do not matter.
  static constexpr std::size_t kBytesRead = kMostBytes + 8;

  /// All lines must be parts of `text`.
  explicit SpacedFields(std::string_view text) : end_(text.data() + text.size()) {}

  /// Splits a line. False, without fields, if it is too long, too near the end of the text, or not followed by a blank
  /// or a newline.
  bool take(std::string_view line) {
    count_ = 0;
    if constexpr (std::endian::native != std::endian::little) return false;
    if (line.size() > kMostBytes || static_cast<std::size_t>(end_ - line.data()) < kBytesRead) return false;
    line_ = line.data();
    size_ = line.size();
    if (line_[size_] != '\n' && !is_blank(line_[size_])) return false;
    const Bits inside{first(size_), size_ < 64 ? 0 : first(size_ - 64)};
    const std::array<Bytes, 2> bytes{look_at_64(line_), look_at_64(line_ + 64)};
    const Bits taken{bytes[0].taken & inside[0], bytes[1].taken & inside[1]};
    const Bits digits{taken[0] & bytes[0].digits, taken[1] & bytes[1].digits};
    const Bits starts{taken[0] & ~(taken[0] << 1), taken[1] & ~(taken[1] << 1 | taken[0] >> 63)};
    const Bits signs{bytes[0].minus & starts[0], bytes[1].minus & starts[1]};
    strange_ = {taken[0] & ~digits[0] & ~signs[0], taken[1] & ~digits[1] & ~signs[1]};
    const Bits lone_signs = followed(signs, {~digits[0], ~digits[1]}, 1);
    const Bits twos = followed(taken, taken, 1);
    const Bits fours = followed(twos, twos, 2);
    const Bits nines = followed(followed(fours, fours, 4), taken, 8);
    odd_lengths_ = (lone_signs[0] | lone_signs[1] | nines[0] | nines[1]) != 0;
    note_starts(starts[0], 0);
    note_starts(starts[1], 64);
    return true;
  }
  /// Number of fields of the line.
  std::size_t count() const { return count_; }
  /// The first character of a field, and one past its last. end() takes O(length).
  const char* begin(std::size_t field) const { return line_ + start_[field]; }
  const char* end(std::size_t field) const { return std::find(begin(field), line_ + size_, ' '); }

  /// Parses the fields of one to eight digits, optionally after a '-', into `values`, which must have room for all
  /// fields of the line. Does not branch on their contents. Returns a bit set for every other field, the first field's
  /// lowest; their `values` are undefined.
  std::uint64_t short_integers(std::span<double> values) const {
#pragma GCC unroll 3
    for (std::size_t field = 0; field < count_; ++field) {
      const char* at = begin(field);
      const std::int64_t negative = *at == '-' ? 1 : 0;
      at += negative;
      std::uint64_t word = load(at);
      // Digits have a bit that blanks, newlines, '-' and '.' lack. Shifts the digits to the word's last bytes, with
      // zeros before them, and everything after them out.
      const int digit_bits = std::countr_zero(~word & 0x1010101010101010) & ~7;
      word = (word ^ 0x3030303030303030) << (-digit_bits & 63);
      // Pairs, then fours, then all.
      constexpr std::uint64_t kPairs = 0x000000ff000000ff;
      word = word * 10 + (word >> 8);
      word = ((word & kPairs) * 0x000f424000000064 + (word >> 16 & kPairs) * 0x0000271000000001) >> 32;
      values[field] = static_cast<double>((static_cast<std::int64_t>(word) ^ -negative) + negative);
    }
    return (strange_[0] | strange_[1]) == 0 && !odd_lengths_ ? 0 : others();
  }

 private:
  using Bits = std::array<std::uint64_t, 2>;  // a bit per byte of a line, the first byte's lowest

  // Bit sets over some bytes.
  struct Bytes {
    std::uint64_t taken;  // not a space
    std::uint64_t digits;
    std::uint64_t minus;
  };

  // The lowest `bits` bits set; all if `bits` >= 64.
  static std::uint64_t first(std::size_t bits) {
    return bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  }
  // The bits of `bits` with a bit of `others` `places` positions further on.
  static Bits followed(const Bits& bits, const Bits& others, unsigned places) {
    return {bits[0] & (others[0] >> places | others[1] << (64 - places)), bits[1] & others[1] >> places};
  }
  static Bytes look_at_64(const char* at) {
    const Bytes a = look_at(at);
    const Bytes b = look_at(at + 16);
    const Bytes c = look_at(at + 32);
    const Bytes d = look_at(at + 48);
    return {a.taken | b.taken << 16 | c.taken << 32 | d.taken << 48,
            a.digits | b.digits << 16 | c.digits << 32 | d.digits << 48,
            a.minus | b.minus << 16 | c.minus << 32 | d.minus << 48};
  }

  static std::uint64_t load(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
#ifdef __SSE2__
  static Bytes look_at(const char* block) {
    const auto bits = [](__m128i bytes) { return static_cast<std::uint64_t>(_mm_movemask_epi8(bytes)); };
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
    const __m128i above_zero = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    return {bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '))) ^ 0xffff,
            bits(_mm_cmpeq_epi8(_mm_min_epu8(above_zero, _mm_set1_epi8(9)), above_zero)),
            bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('-')))};
  }
#else
  static constexpr std::uint64_t kHighest = 0x8080808080808080;  // bit of every byte

  static Bytes look_at(const char* block) {
    const Bytes low = look_at(load(block));
    const Bytes high = look_at(load(block + 8));
    return {low.taken | high.taken << 8, low.digits | high.digits << 8, low.minus | high.minus << 8};
  }
  static Bytes look_at(std::uint64_t word) {
    const auto gathered = [](std::uint64_t highest) { return (highest & kHighest) * 0x0002040810204081 >> 56; };
    // The highest bit of each byte that is at least `least`, which is from 1 to 0x80.
    const auto from = [](std::uint64_t bytes, std::uint64_t least) {
      return ((bytes & ~kHighest) + (0x80 - least) * 0x0101010101010101) | bytes;
    };
    return {gathered(from(word ^ 0x2020202020202020, 1)), gathered(~from(word ^ 0x3030303030303030, 10)),
            gathered(~from(word ^ 0x2d2d2d2d2d2d2d2d, 1))};
  }
#endif
  // Adds fields that begin at these bytes. Writes eight at a time, perhaps some too many: the number of fields in half
  // a line varies, the number of eights hardly does, so the branch predicts well.
  void note_starts(std::uint64_t starts, unsigned from) {
    const auto more = static_cast<std::size_t>(std::popcount(starts));
    for (std::size_t k = 0; k < more; k += 8) {
      for (std::size_t i = 0; i < 8; ++i, starts &= starts - 1) {
        start_[count_ + k + i] = static_cast<std::uint8_t>(from + static_cast<unsigned>(std::countr_zero(starts)));
      }
    }
    count_ += more;
  }
  // The fields that are not short integers.
  std::uint64_t others() const {
    std::uint64_t found = 0;
    for (std::size_t field = 0; odd_lengths_ && field < count(); ++field) {
      const auto digits = static_cast<std::uint64_t>(end(field) - begin(field)) - (*begin(field) == '-' ? 1 : 0);
      found |= std::uint64_t{digits - 1 >= 8} << field;
    }
    std::size_t field = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::uint64_t rest = strange_[half]; rest != 0; rest &= rest - 1) {
        const std::size_t at = 64 * half + static_cast<std::size_t>(std::countr_zero(rest));
        while (field + 1 < count_ && start_[field + 1] <= at) ++field;
        found |= std::uint64_t{1} << field;
      }
    }
    return found;
  }

  const char* end_;  // of the text
  const char* line_ = nullptr;
  std::size_t size_ = 0;  // of the line
  std::size_t count_ = 0;
  std::array<std::uint8_t, (kMostBytes + 1) / 2 + 8> start_;  // of fields, from the line's beginning
  Bits strange_{};                                            // bytes that are neither a digit nor a leading '-'
  bool odd_lengths_ = false;  // some field is a lone '-' or may have more than eight digits
};

}  // namespace dfrs::sim
