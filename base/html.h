// SPDX-License-Identifier: GPL-2.0-or-later
// Escapes text for HTML.
#pragma once

#include <string>
#include <string_view>

namespace dfrs::base {

/// `text` with &, <, >, " and ' as entities: for content and attributes of HTML and SVG.
std::string html_escaped(std::string_view text);

/// Printable `text`, escaped: for text from users and files.
std::string html_text(std::string_view text);

}  // namespace dfrs::base
