// SPDX-License-Identifier: GPL-2.0-or-later
// Escapes text for HTML and Markdown, and wraps lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrs::sim {

/// `text` with &, <, >, " and ' as entities: for content and attributes of HTML and SVG.
std::string html_escaped(std::string_view text);

/// Printable `text`, escaped: for text from users and files.
std::string html_text(std::string_view text);

/// The same for a name, with possible line breaks at its slashes for narrow columns.
std::string html_breakable(std::string_view name);

/// `text` with a backslash before Markdown's special characters. Names of algorithms contain "*".
std::string markdown_escaped(std::string_view text);

/// `text` wrapped between words into lines of at most `width` columns if words allow. Indents the lines after the first
/// and ends with a newline.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace dfrs::sim
