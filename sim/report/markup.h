// SPDX-License-Identifier: GPL-2.0-or-later
// Escapes text for HTML and Markdown, lists names, and wraps lines.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/html.h"

namespace dfrs::sim {

using base::html_escaped;
using base::html_text;

/// html_text() of a name, with possible line breaks at its slashes for narrow columns.
std::string html_breakable(std::string_view name);

/// `text` with a backslash before Markdown's special characters. Names of algorithms contain "*".
std::string markdown_escaped(std::string_view text);

/// "a, b and c"; of more than five names the first five: "a, b, c, d, e and 2 more".
std::string first_names(std::span<const std::string> names);

/// `text` wrapped between words into lines of at most `width` columns if words allow. Indents the lines after the first
/// and ends with a newline.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace dfrs::sim
