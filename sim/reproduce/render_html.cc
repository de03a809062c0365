// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "sim/report/html_style.h"
#include "sim/report/markup.h"
#include "sim/reproduce/render.h"

namespace dfrs::sim {
namespace {

std::string cells_of(const ComparisonTable::Column& column, const std::optional<Comparison>& cell) {
  std::string out =
      fmt::format("<td>{}</td>", cell ? html_text(figure_text(*cell, column) + spread_text(*cell, column)) : "");
  if (!column.published) return out;
  const bool published = cell && cell->published;
  out += fmt::format("<td class=\"soft\">{}</td>", published ? figure_text(*cell->published, column.decimals) : "");
  return out + fmt::format("<td>{}</td>", cell && cell->ratio() ? ratio_text(*cell->ratio()) : "");
}

std::string html_table(const ComparisonTable& table) {
  std::string groups;
  std::string headings;
  const bool published = table.published();
  for (const ComparisonTable::Column& column : table.columns) {
    if (!published) {
      groups += fmt::format("<th scope=\"col\">{}</th>", html_breakable(column.heading));
      continue;
    }
    groups += fmt::format("<th scope=\"colgroup\" class=\"group\" colspan=\"{}\">{}</th>", column.published ? 3 : 1,
                          html_breakable(column.heading));
    headings += "<th scope=\"col\">ours</th>";
    if (column.published) headings += "<th scope=\"col\">paper</th><th scope=\"col\">ratio</th>";
  }
  std::string out = fmt::format("<div class=\"wide\"><table>\n<thead>\n<tr><th scope=\"col\"{}>{}</th>{}</tr>\n",
                                published ? " rowspan=\"2\"" : "", html_text(table.corner), groups);
  if (published) out += fmt::format("<tr>{}</tr>\n", headings);
  out += "</thead>\n<tbody>\n";
  for (const ComparisonTable::Row& row : table.rows) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html_breakable(row.name));
    for (std::size_t c = 0; c < row.cells.size(); ++c) out += cells_of(table.columns[c], row.cells[c]);
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

std::string section_of(const ComparisonTable& table, const tl::expected<PartCharts, std::string>& charts) {
  std::string out =
      fmt::format("<section id=\"{0}\">\n<h2>{0}: {1}</h2>\n", html_text(table.part), html_text(table.title));
  bool drawn = false;
  if (charts) {
    for (const auto& [part, chart] : *charts) {
      if (part != table.part) continue;
      drawn = true;
      out += fmt::format("<figure>\n<figcaption>{}</figcaption>\n<div class=\"wide\">{}</div>\n</figure>\n",
                         html_text(chart.caption), chart.svg);
    }
  }
  if (!table.rows.empty()) {
    out +=
        drawn ? "<details>\n<summary>The figures</summary>\n" + html_table(table) + "</details>\n" : html_table(table);
  }
  if (table.notes.empty()) return out + "</section>\n";
  out += "<ul>\n";
  for (const std::string& note : table.notes) out += fmt::format("<li>{}</li>\n", html_text(note));
  return out + "</ul>\n</section>\n";
}

}  // namespace

std::string html_comparison(std::span<const ComparisonTable> tables, const RunDescription& run,
                            const tl::expected<PartCharts, std::string>& charts) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "{2}</header>\n<main>\n",
      html_text(run.paper), kReportStyle,
      any_published(tables) ? "<p class=\"soft\">ours: measured by this run; paper: the published figure, empty where "
                              "there is none or it cannot be read; ratio: ours/paper.</p>\n"
                            : "");
  if (!run.overview.empty()) out += fmt::format("<p class=\"lead\">{}</p>\n", html_text(run.overview));
  if (!charts) {
    out += fmt::format(
        "<p class=\"notice\">This report has no figures drawn: {}. They are drawn by gnuplot; install it (Debian: "
        "apt-get install gnuplot-nox) and write the report again.</p>\n",
        html_text(charts.error()));
  }
  if (any_spread(tables)) out += fmt::format("<p class=\"soft\">{}</p>\n", html_text(kSpreadLegend));
  for (const ComparisonTable& table : tables) out += section_of(table, charts);
  const auto made = what_made(run);
  if (!run.notes.empty() || !made.empty()) {
    out += "<section>\n<h2>The run</h2>\n";
    for (const std::string& note : run.notes) out += fmt::format("<p>{}</p>\n", html_text(note));
    for (const auto& [name, value] : made) {
      out += fmt::format("<p class=\"soft\">{}: <code>{}</code></p>\n", html_text(name), html_text(value));
    }
    out += "</section>\n";
  }
  return out + "</main>\n<footer class=\"soft\"><p>Written by dfrs-sim.</p></footer>\n</body>\n</html>\n";
}

}  // namespace dfrs::sim
