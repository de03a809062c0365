// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/markup.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kNamesShown = 5;

}  // namespace

std::string html_breakable(std::string_view name) {
  std::string out;
  for (char c : html_text(name)) {
    if (c == '/') out += "<wbr>";
    out += c;
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

std::string first_names(std::span<const std::string> names) {
  const std::size_t shown = std::min(names.size(), kNamesShown);
  std::string out;
  for (std::size_t k = 0; k < shown; ++k) {
    const bool last = k > 0 && k + 1 == names.size();
    out += (k == 0 ? "" : last ? " and " : ", ") + names[k];
  }
  return names.size() > shown ? out + fmt::format(" and {} more", names.size() - shown) : out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (column > 0 && column + 1 + base::display_width(word) > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += base::display_width(word);
  }
  return out + '\n';
}

}  // namespace dfrs::sim
