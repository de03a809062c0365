// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/utf8.h"

#include <utf8proc.h>

namespace dfrs::base {
namespace {

struct Character {
  utf8proc_int32_t point = -1;  // -1: a byte that is not UTF-8
  std::size_t bytes = 1;
};

// The first character of `text`, which must not be empty.
Character first_of(std::string_view text) {
  Character c;
  const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                  static_cast<utf8proc_ssize_t>(text.size()), &c.point);
  if (bytes > 0) c.bytes = static_cast<std::size_t>(bytes);
  return c;
}

// Characters that control a terminal or the layout instead of showing something.
bool is_control(utf8proc_int32_t point) {
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_CC:  // controls
    case UTF8PROC_CATEGORY_ZL:  // line and paragraph separators
    case UTF8PROC_CATEGORY_ZP:
      return true;
    case UTF8PROC_CATEGORY_CF:  // directional marks and tags, but not the joiners that some scripts need
      return point != 0xAD && (point < 0x200B || point > 0x200D);
    default:
      return (point & 0xFFFE) == 0xFFFE;  // noncharacters
  }
}

std::size_t width_of(const Character& c) {
  if (c.point < 0 || is_control(c.point)) return 1;
  return static_cast<std::size_t>(utf8proc_charwidth(c.point));
}

}  // namespace

std::string printable(std::string_view text, std::string_view replacement) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_of(text);
    out += c.point < 0 || is_control(c.point) ? replacement : text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = first_of(text);
    width += width_of(c);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t own = display_width(text);
  const std::string blanks(own < width ? width - own : 0, ' ');
  return align == Align::right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string_view fitting(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Character c = first_of(text.substr(end));
    if (width_of(c) > width) break;
    width -= width_of(c);
    end += c.bytes;
  }
  return text.substr(0, end);
}

}  // namespace dfrs::base
