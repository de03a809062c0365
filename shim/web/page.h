// SPDX-License-Identifier: GPL-2.0-or-later
// The page of dfrsctl web, made from shim/web/page/ at build time.
#pragma once

#include <string_view>

namespace dfrs::shim::web {

/// One HTML page with its style and script, which loads nothing else but the stream of events.
std::string_view page_text();

}  // namespace dfrs::shim::web
