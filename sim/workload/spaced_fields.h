// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of short numbers between spaces, which is what logs are made of, read without a branch for each character:
// where fields begin and end is told for many bytes at a time, and up to eight digits become a number in one step.
// Branches on single characters, which nothing foretells, cost more than all else in reading a log.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace dfrs::sim {

/// Goes through the fields of a line. It may refuse any line, which is then for FieldSplitter; one that it takes has
/// the same fields there unless one of them has a tab or a carriage return in it, which no number has.
class SpacedFields {
 public:
  static constexpr std::size_t kMostBytes = 127;  ///< of a line

  /// Lines are parts of `text`: up to 16 bytes behind them are looked at, too.
  explicit SpacedFields(std::string_view text) : end_(text.data() + text.size()) {}

  /// Takes up a line. False if it is too long, or too near to the end of the text.
  bool take(std::string_view line) {
    if constexpr (std::endian::native != std::endian::little) return false;
    const auto behind = static_cast<std::size_t>(end_ - line.data()) - line.size();
    if (line.size() > kMostBytes || behind < kBlock) return false;
    std::array<std::uint64_t, 2> taken{};  // a bit per byte: it is no space
    for (std::size_t at = 0; at < line.size(); at += kBlock) taken[at / 64] |= not_spaces(line.data() + at) << at % 64;
    // What is behind the line does not count; a field that ends with it ends there.
    taken[line.size() / 64] &= (std::uint64_t{1} << line.size() % 64) - 1;
    edges_ = taken[0] ^ taken[0] << 1;
    later_edges_ = taken[1] ^ (taken[1] << 1 | taken[0] >> 63);
    from_ = line.data();
    return true;
  }
  /// The next field, as its first character and the one behind it; false if there is none.
  bool next(const char*& begin, const char*& end) { return next_edge(begin) && next_edge(end); }

  /// True, and the number in `value`, if a field is one to eight digits, perhaps with a '-' before them.
  static bool short_integer(const char* begin, const char* end, std::int64_t& value) {
    const std::int64_t negative = *begin == '-' ? 1 : 0;
    begin += negative;
    const auto digits = static_cast<std::uint64_t>(end - begin);
    if (digits - 1 >= 8) return false;
    // The digits become the word's last bytes; what is behind them is shifted out, and zeros come before them.
    std::uint64_t word = (load(begin) ^ 0x3030303030303030) << (64 - 8 * digits);
    if (((word | (word + 0x7676767676767676)) & kHighest) != 0) return false;  // some byte is more than 9
    // Pairs, then fours, then all.
    constexpr std::uint64_t kPairs = 0x000000ff000000ff;
    word = word * 10 + (word >> 8);
    word = ((word & kPairs) * 0x000f424000000064 + (word >> 16 & kPairs) * 0x0000271000000001) >> 32;
    value = (static_cast<std::int64_t>(word) ^ -negative) + negative;
    return true;
  }

 private:
  static constexpr std::size_t kBlock = 16;
  static constexpr std::uint64_t kHighest = 0x8080808080808080;  // bit of every byte

  static std::uint64_t load(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  // A bit for each byte of the block, the first byte's lowest.
  static std::uint64_t not_spaces(const char* block) {
#ifdef __SSE2__
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')))) ^ 0xffff;
#else
    return not_spaces(load(block)) | not_spaces(load(block + 8)) << 8;
  }
  static std::uint64_t not_spaces(std::uint64_t word) {
    const std::uint64_t off = word ^ 0x2020202020202020;
    const std::uint64_t not_zero = (((off & ~kHighest) + ~kHighest) | off) & kHighest;
    return not_zero * 0x0002040810204081 >> 56;  // the bits gathered
#endif
  }
  bool next_edge(const char*& at) {
    if (edges_ == 0) {
      edges_ = later_edges_;
      later_edges_ = 0;
      from_ += 64;
      if (edges_ == 0) return false;
    }
    at = from_ + std::countr_zero(edges_);
    edges_ &= edges_ - 1;
    return true;
  }

  const char* end_;             // of the text
  const char* from_ = nullptr;  // the byte of the lowest bit
  std::uint64_t edges_ = 0;     // beginnings and ends of fields, in turn
  std::uint64_t later_edges_ = 0;
};

}  // namespace dfrs::sim
