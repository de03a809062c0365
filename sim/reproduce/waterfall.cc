// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/waterfall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/markup.h"
#include "sim/report/svg.h"

namespace dfrs::sim {
namespace {

constexpr double kWidth = 820;
constexpr double kLeft = 64;
constexpr double kTop = 24;
constexpr double kBottom = 244;  // of the bars; labels hang below
constexpr double kHeight = 350;
constexpr double kTurn = 28;  // degrees, of the labels

// Values on a logarithmic scale, from a power of ten to a power of ten.
struct Scale {
  double least, greatest;  // powers
  double y(double value) const { return kBottom - (std::log10(value) - least) / (greatest - least) * (kBottom - kTop); }
};

std::string short_number(double value) {
  return value < 10    ? fmt::format("{:.2f}", value)
         : value < 100 ? fmt::format("{:.1f}", value)
                       : fmt::format("{:.0f}", value);
}

}  // namespace

std::string waterfall_svg(const ComparisonTable& table) {
  std::vector<double> values;
  for (const ComparisonTable::Row& row : table.rows) values.push_back(row.cells.front()->measured);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const Scale scale{std::floor(std::log10(*least)),
                    std::max(std::ceil(std::log10(*greatest)), std::floor(std::log10(*least)) + 1)};
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\" fill=\"currentColor\">\n<title>{}</title>\n",
      kWidth, kHeight, html_escaped(table.title));
  for (double power = scale.least; power <= scale.greatest; ++power) {
    const double y = scale.y(std::pow(10, power));
    svg += fmt::format(
        "<path d=\"M{} {:.1f}H{}\" stroke=\"#999999\" stroke-width=\".5\"/><text x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{:g}</text>\n",
        kLeft, y, kWidth - 10, kLeft - 6, y + 4, std::pow(10, power));
  }
  const double step = (kWidth - kLeft - 10) / static_cast<double>(values.size());
  const double bar = 0.7 * step;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double x = kLeft + step * static_cast<double>(k) + 0.15 * step;
    const std::size_t from = table.plot->leads_from[k];
    const double start = from == k ? kBottom : scale.y(values[from]);
    const double end = scale.y(values[k]);
    const bool better = from != k && values[k] < values[from];
    const std::string_view colour = kChartColours[from == k ? 7 : better ? 2 : 1];
    if (from != k) {
      const double right = kLeft + step * static_cast<double>(from) + 0.85 * step;
      svg += fmt::format(
          "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"currentColor\" stroke-width=\".7\" "
          "stroke-dasharray=\"3 3\"/>\n",
          right, start, x);
    }
    // A step without effect is still to be seen.
    const double top = std::min(start, end);
    const double height = std::max(1.5, std::abs(start - end));
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>"
        "<text transform=\"translate({:.1f} {}) rotate({})\" font-size=\"11\">{}</text>\n",
        x, top, bar, height, colour, x + bar / 2, better ? top + height + 13 : top - 4, short_number(values[k]),
        x + bar / 3, kBottom + 16, kTurn, html_escaped(table.rows[k].name));
  }
  svg += fmt::format("<text transform=\"translate(14 {}) rotate(-90)\">{}</text>\n</svg>", kBottom - 20,
                     html_escaped(table.plot->y_label));
  return svg;
}

}  // namespace dfrs::sim
