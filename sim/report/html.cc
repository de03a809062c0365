// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/counted.h"
#include "policy/core/algorithm.h"
#include "sim/report/charts.h"
#include "sim/report/html_style.h"
#include "sim/report/markup.h"
#include "sim/report/table.h"
#include "sim/report/terms.h"
#include "sim/report/verdict.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kSourcesShown = 30;

std::string range_of(double low, double high) {
  return high - low < 0.005 ? fmt::format("{:.2f}", low) : fmt::format("{:.2f} to {:.2f}", low, high);
}

// For those who see only the top of the page.
std::string what_was_compared(const CampaignSummary& summary) {
  std::string jobs = base::counted(summary.jobs, "job");
  if (summary.instances > 1) {
    jobs += summary.jobs_min == summary.jobs_max
                ? fmt::format(" in all ({} each)", summary.jobs_min)
                : fmt::format(" in all ({} to {} each)", summary.jobs_min, summary.jobs_max);
  }
  std::vector<std::string> names;
  for (const AlgorithmSummary& a : summary.algorithms) names.push_back(a.algorithm);
  return fmt::format("<p>{} on {} with {}: {}. Offered load {}.</p>\n",
                     base::counted(summary.algorithms.size(), "algorithm"),
                     base::counted(summary.instances, "instance"), jobs, html_breakable(first_names(names)),
                     range_of(summary.load_min, summary.load_max));
}

std::string origin_section(const CampaignSummary& summary, const ReportOptions& options) {
  std::string out = "<section>\n<h2>How it was compared</h2>\n";
  std::vector<std::pair<std::string, std::string>> settings = options.settings;
  for (auto& line : summary.origin.described(kSourcesShown)) settings.push_back(std::move(line));
  if (!settings.empty()) {
    out += "<div class=\"wide\"><table class=\"settings\">\n<caption>What made these results</caption>\n<tbody>\n";
    for (const auto& [name, value] : settings) {
      out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_text(name), html_text(value));
    }
    out += "</tbody>\n</table></div>\n";
  }
  std::string described;
  for (const AlgorithmSummary& a : summary.algorithms) {
    const auto algorithm = parse_algorithm(a.algorithm);
    described += fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", html_breakable(a.algorithm),
                             algorithm ? html_text(algorithm->description) : "not known to this version");
  }
  return out + "<details>\n<summary>What the algorithms do</summary>\n<dl>\n" + described +
         "</dl>\n</details>\n</section>\n";
}

std::string verdict_section(const std::vector<ResultRow>& rows, const CampaignSummary& summary) {
  const std::vector<std::string> sentences = verdict(rows, summary);
  std::string out = "<section>\n<h2>Verdict</h2>\n";
  if (!sentences.empty()) out += fmt::format("<p class=\"lead\">{}</p>\n", html_text(sentences.front()));
  if (sentences.size() > 1) {
    out += "<ul>\n";
    for (std::size_t k = 1; k < sentences.size(); ++k) out += fmt::format("<li>{}</li>\n", html_text(sentences[k]));
    out += "</ul>\n";
  }
  return out + "</section>\n";
}

std::string table_section(const CampaignSummary& summary) {
  const ReportTable table = summary_table(summary);
  const auto group = [&](std::size_t c) -> const std::string& { return table.columns[c].group; };
  std::string groups;
  std::string headings;
  for (std::size_t c = 0; c < table.columns.size();) {
    std::size_t end = c + 1;
    if (group(c).empty()) {
      groups += fmt::format("<th scope=\"col\" rowspan=\"2\">{}</th>", html_text(table.columns[c].heading));
    } else {
      while (end < table.columns.size() && group(end) == group(c)) ++end;
      groups +=
          fmt::format("<th scope=\"colgroup\" class=\"group\" colspan=\"{}\">{}</th>", end - c, html_text(group(c)));
      for (std::size_t d = c; d < end; ++d) {
        headings += fmt::format("<th scope=\"col\">{}</th>", html_text(table.columns[d].heading));
      }
    }
    c = end;
  }
  std::string out = "<section>\n<h2>Summary</h2>\n<div class=\"wide\"><table>\n<caption>";
  out += summary.instances == 1 ? "Results on the instance" : "Averages over the instances";
  if (summary.algorithms.size() > 1) out += "; the lowest degradation from bound is marked";
  out += fmt::format("</caption>\n<thead>\n<tr>{}</tr>\n<tr>{}</tr>\n</thead>\n<tbody>\n", groups, headings);
  for (const ReportTable::Row& row : table.rows) {
    out +=
        fmt::format("<tr{}><th scope=\"row\">{}</th>", row.best ? " class=\"best\"" : "", html_breakable(row.cells[0]));
    for (std::size_t c = 1; c < row.cells.size(); ++c) {
      out += fmt::format("<td{}>{}</td>", c == table.best_column ? " class=\"ranked\"" : "", html_text(row.cells[c]));
    }
    out += "</tr>\n";
  }
  out += "</tbody>\n</table></div>\n";
  for (const std::string& note : table.notes) out += fmt::format("<p class=\"notice\">{}</p>\n", html_text(note));
  return out + "</section>\n";
}

std::string charts_section(const std::vector<ResultRow>& rows, const CampaignSummary& summary,
                           const ReportOptions& options) {
  if (!options.charts) return {};
  std::string out = "<section>\n<h2>Charts</h2>\n";
  const auto charts = draw_charts(rows, summary, options.gnuplot);
  if (!charts) {
    return out + fmt::format(
                     "<p class=\"notice\">This report has no charts: {}. They are drawn by gnuplot; install it "
                     "(Debian: apt-get install gnuplot-nox) and write the report again.</p>\n</section>\n",
                     html_text(charts.error()));
  }
  for (const Chart& chart : *charts) {
    out += fmt::format("<figure>\n<h3>{}</h3>\n<figcaption>{}</figcaption>\n<div class=\"wide\">{}</div>\n</figure>\n",
                       html_text(chart.title), html_text(chart.caption), chart.svg);
  }
  return out + "</section>\n";
}

// Degradation of every algorithm on every instance.
std::string instances_section(const std::vector<ResultRow>& rows, const CampaignSummary& summary) {
  std::unordered_map<std::string, std::map<std::string, const ResultRow*>> by_instance;
  for (const ResultRow& row : rows) by_instance[row.instance][row.algorithm] = &row;
  std::string out = fmt::format(
      "<section>\n<h2>Per instance</h2>\n<details>\n<summary>Degradation from bound on {}</summary>\n"
      "<div class=\"wide\"><table class=\"matrix\">\n<thead>\n<tr><th scope=\"col\">instance</th>"
      "<th scope=\"col\">jobs</th><th scope=\"col\">load</th><th scope=\"col\">bound</th>",
      base::counted(summary.instances, "instance"));
  for (const AlgorithmSummary& a : summary.algorithms) {
    out += fmt::format("<th scope=\"col\">{}</th>", html_breakable(a.algorithm));
  }
  out += "</tr>\n</thead>\n<tbody>\n";
  for (const std::string& instance : instances_of(rows)) {
    const auto& results = by_instance.at(instance);
    const ResultRow& first = *results.begin()->second;
    double best = first.degradation();
    for (const auto& [name, row] : results) best = std::min(best, row->degradation());
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{:.2f}</td><td>{:.2f}</td>",
                       html_breakable(instance), first.jobs, first.load, first.bound_divisible);
    for (const AlgorithmSummary& a : summary.algorithms) {
      const auto at = results.find(a.algorithm);
      if (at == results.end()) {
        out += "<td>none</td>";
      } else {
        const double value = at->second->degradation();
        out += fmt::format("<td{}>{:.2f}</td>", value <= best && results.size() > 1 ? " class=\"best\"" : "", value);
      }
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n</details>\n</section>\n";
}

std::string glossary_section() {
  std::string out = "<section>\n<h2>Glossary</h2>\n<dl>\n";
  for (const Term& term : report_terms()) {
    out += fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", html_text(term.word), html_text(term.meaning));
  }
  return out + "</dl>\n</section>\n";
}

}  // namespace

Result<std::string> html_report(const std::vector<ResultRow>& rows, const ReportOptions& options) {
  const Result<CampaignSummary> summarized = summarize_campaign(rows, options.summary);
  if (!summarized) return tl::unexpected(summarized.error());
  const CampaignSummary& summary = *summarized;
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n",
      html_text(options.title), kReportStyle);
  if (!options.subtitle.empty()) out += fmt::format("<p class=\"soft\">{}</p>\n", html_text(options.subtitle));
  out += what_was_compared(summary) + "</header>\n<main>\n";
  out += verdict_section(rows, summary);
  out += table_section(summary);
  out += charts_section(rows, summary, options);
  out += origin_section(summary, options);
  out += instances_section(rows, summary);
  out += glossary_section();
  return out + "</main>\n<footer class=\"soft\"><p>Written by dfrs-sim.</p></footer>\n</body>\n</html>\n";
}

}  // namespace dfrs::sim
