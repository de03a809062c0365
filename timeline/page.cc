// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/page.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "base/html.h"
#include "timeline/encode.h"
#include "timeline/page_files.h"

namespace dfrs::timeline {
namespace {

std::string details_of(const std::string& made) {
  return "<details id=\"made\"><summary>How to repeat this</summary><pre>" + base::html_text(made) +
         "</pre></details>\n";
}

}  // namespace

std::string timeline_page(const std::string& title, const std::string& about, std::span<const Schedule> runs,
                          const std::string& made) {
  std::string data;
  for (const Schedule& run : runs) {
    data += "<script type=\"application/octet-stream\" class=\"run\">";
    data += compressed_base64(encode_schedule(run));
    data += "</script>\n";
    if (run.told.empty()) continue;
    data +=
        fmt::format("<script type=\"application/octet-stream\" class=\"told\" data-run=\"{}\">", &run - runs.data());
    data += compressed_base64(encode_told(run));
    data += "</script>\n";
  }
  const std::map<std::string_view, std::string> parts{{"TITLE", base::html_text(title)},
                                                      {"ABOUT", base::html_text(about)},
                                                      {"MADE", made.empty() ? std::string() : details_of(made)},
                                                      {"STYLE", std::string(kTimelineStyle)},
                                                      {"DATA", std::move(data)},
                                                      {"SCRIPTS", std::string(kTimelineScripts)}};
  std::string page;
  std::string_view rest = kTimelineHtml;
  for (;;) {
    const std::size_t begin = rest.find("@@");
    page += rest.substr(0, begin);
    if (begin == std::string_view::npos) return page;
    rest.remove_prefix(begin + 2);
    const std::size_t length = rest.find("@@");
    page += parts.at(rest.substr(0, length));
    rest.remove_prefix(length + 2);
  }
}

}  // namespace dfrs::timeline
