// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "sim/report/markup.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kHalfLegend = 36;  // longest name, in characters, that leaves room for a second column

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string label_placeholder(std::size_t k, std::string_view name) {
  std::string label = fmt::format("Qz{}", k);
  const std::size_t width = base::display_width(base::printable(name));
  if (label.size() + 1 < width) label.append(width - label.size() - 1, 'x');
  return label + 'Z';
}

Legend legend_below(std::span<const std::string> names) {
  const bool wide = std::any_of(names.begin(), names.end(),
                                [](const std::string& name) { return base::display_width(name) > kHalfLegend; });
  const std::size_t columns = wide ? 1 : 2;
  return {fmt::format("set key outside below height 1.2 Left reverse maxcols {} samplen 3\n", columns),
          24 + 22 * static_cast<int>((names.size() + columns - 1) / columns)};
}

tl::expected<std::string, std::string> embedded_svg(std::string svg, const std::string& prefix,
                                                    const std::string& title, std::span<const std::string> names) {
  const std::size_t begin = svg.find("<svg");
  const std::size_t end = svg.rfind("</svg>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    return tl::make_unexpected(std::string("gnuplot wrote something that is not an SVG"));
  }
  svg = svg.substr(begin, end + 6 - begin);
  for (const char quote : {'"', '\''}) {
    replace_all(svg, fmt::format(" id={}", quote), fmt::format(" id={}{}-", quote, prefix));
    replace_all(svg, fmt::format("href={}#", quote), fmt::format("href={}#{}-", quote, prefix));
    replace_all(svg, fmt::format("{0}black{0}", quote), fmt::format("{0}currentColor{0}", quote));
  }
  replace_all(svg, "rgb(  0,   0,   0)", "currentColor");
  replace_all(svg, "url(#", fmt::format("url(#{}-", prefix));
  const std::size_t name = svg.find("<title>");
  const std::size_t name_end = svg.find("</title>");
  if (name != std::string::npos && name_end != std::string::npos) {
    svg.replace(name + 7, name_end - name - 7, html_escaped(title));
  }
  svg.insert(4, " role=\"img\"");
  for (std::size_t k = 0; k < names.size(); ++k) {
    replace_all(svg, label_placeholder(k, names[k]), html_escaped(base::printable(names[k])));
  }
  return svg;
}

}  // namespace dfrs::sim
