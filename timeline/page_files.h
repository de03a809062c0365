// SPDX-License-Identifier: GPL-2.0-or-later
// The files of the page and its libraries; embed.sh puts them into the program.
#pragma once

#include <string_view>

namespace dfrs::timeline {

extern const std::string_view kTimelineHtml;
extern const std::string_view kTimelineStyle;
extern const std::string_view kTimelineScripts;

}  // namespace dfrs::timeline
