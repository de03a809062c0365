// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/html.h"

#include "base/utf8.h"

namespace dfrs::base {

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

std::string html_text(std::string_view text) { return html_escaped(printable(text)); }

}  // namespace dfrs::base
