// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dfrs::sim {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  std::uint32_t first, last;
};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, std::uint32_t point) {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return r.first <= point && point <= r.last; });
}

// C0 and C1 controls, line and paragraph separators, directional marks and overrides, tags, no characters.
constexpr std::array<Range, 9> kActing{{{0x00, 0x1F},
                                        {0x7F, 0x9F},
                                        {0x061C, 0x061C},
                                        {0x200E, 0x200F},
                                        {0x2028, 0x202E},
                                        {0x2066, 0x2069},
                                        {0xFEFF, 0xFEFF},
                                        {0xFFFE, 0xFFFF},
                                        {0xE0000, 0xE007F}}};
constexpr std::array<Range, 6> kNoWidth{
    {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0x1F300, 0x1FAFF},
                                      {0x20000, 0x3FFFD}}};

struct Decoded {
  std::uint32_t point = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// The first character of a text that is not empty. Overlong forms, surrogates and points above 10FFFF are refused.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 && lead < 0xF8   ? 4
                            : lead >= 0xE0 && lead < 0xF0 ? 3
                            : lead >= 0xC0 && lead < 0xE0 ? 2
                                                          : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t point = lead & (0x7FU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return {};
    point = point << 6U | (byte(k) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[bytes] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {point, bytes};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Decoded c = decode(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    out += c.bytes == 0 || in(kActing, c.point) ? kReplacement : text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Decoded c = decode(text);
    if (c.bytes == 0 || !in(kNoWidth, c.point)) width += c.bytes != 0 && in(kWide, c.point) ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(c.bytes, 1));
  }
  return width;
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("\\`*_[]<>|&~#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (column > 0 && column + 1 + display_width(word) > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += display_width(word);
  }
  return out + '\n';
}

}  // namespace dfrs::sim
