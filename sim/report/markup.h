// SPDX-License-Identifier: GPL-2.0-or-later
// Text escaped for HTML and Markdown, or broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrs::sim {

/// `text` with &, <, >, " and ' as entities: for content and attributes of HTML and SVG.
std::string html_escaped(std::string_view text);

/// Printable `text`, escaped: for text of users and files.
std::string html_text(std::string_view text);

/// The same for a name that may break at its slashes, for narrow columns.
std::string html_breakable(std::string_view name);

/// `text` with a backslash before what Markdown would take as markup: names of algorithms hold "*".
std::string markdown_escaped(std::string_view text);

/// `text` broken between words into lines of `width` columns at most where words allow it, those after the first
/// indented; with a line break at its end.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace dfrs::sim
