// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_table.h"
#include "sim/report/html_style.h"
#include "sim/report/markup.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kWidth = 100;

// base::printable(), line by line.
std::string printable_lines(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += base::printable(std::string_view(text).substr(at, end - at)) + '\n';
    at = end + 1;
  }
  return out;
}

struct TextWriter {
  std::string out;

  void operator()(const PageHeading& heading) {
    const std::string text = base::printable(heading.text);
    out += fmt::format("\n{}\n{}\n", text, std::string(base::display_width(text), '-'));
  }
  void operator()(const PageParagraph& paragraph) { out += '\n' + wrapped(base::printable(paragraph.text), 0, kWidth); }
  void operator()(const PageList& list) {
    out += '\n';
    for (const std::string& item : list.items) out += wrapped("- " + base::printable(item), 2, kWidth);
  }
  void operator()(const PageTable& table) {
    base::TextTable text;
    text.mark_rows();
    text.rule();
    for (std::size_t c = 0; c < table.headings.size(); ++c) {
      text.column(base::printable(table.headings[c]), c == 0 ? base::Align::left : base::Align::right);
    }
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      std::vector<std::string> cells;
      for (const std::string& cell : table.rows[r]) cells.push_back(base::printable(cell));
      text.row(std::move(cells), r == table.best);
    }
    out += '\n' + wrapped(base::printable(table.caption), 0, kWidth) + text.text();
  }
  void operator()(const PageCode& code) {
    out += '\n';
    std::string_view rest = code.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      out += "    " + base::printable(rest.substr(0, end)) + '\n';
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  void operator()(const PageChart&) {}
  void operator()(const PageFrame&) {}
};

std::string markdown_text(const std::string& text) { return markdown_escaped(base::printable(text)); }

struct MarkdownWriter {
  std::string out;

  void operator()(const PageHeading& heading) { out += "\n## " + markdown_text(heading.text) + '\n'; }
  void operator()(const PageParagraph& paragraph) {
    const std::string text = markdown_text(paragraph.text);
    out += paragraph.lead ? "\n**" + text + "**\n" : '\n' + text + '\n';
  }
  void operator()(const PageList& list) {
    out += '\n';
    for (const std::string& item : list.items) out += "- " + markdown_text(item) + '\n';
  }
  void operator()(const PageTable& table) {
    out += '\n' + markdown_text(table.caption) + "\n\n|";
    for (const std::string& heading : table.headings) out += ' ' + markdown_text(heading) + " |";
    out += "\n|---|";
    for (std::size_t c = 1; c < table.headings.size(); ++c) out += "---:|";
    out += '\n';
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      out += '|';
      for (const std::string& cell : table.rows[r]) {
        const std::string text = markdown_text(cell);
        out += r == table.best && !text.empty() ? " **" + text + "** |" : ' ' + text + " |";
      }
      out += '\n';
    }
  }
  void operator()(const PageCode& code) { out += "\n```\n" + printable_lines(code.text) + "```\n"; }
  void operator()(const PageChart&) {}
  void operator()(const PageFrame&) {}
};

// Keeps the view of a timeline in the page's address: a closed frame has none of its own that a link could name. The
// messages are those of timeline/page/view.js. Only the frame before the script is heard.
constexpr std::string_view kFrameView = R"js(<script>
(() => {
  const frame = document.currentScript.previousElementSibling;
  const tell = () => frame.contentWindow.postMessage({dfrsView: location.hash.slice(1)}, '*');
  addEventListener('message', ({source, data}) => {
    if (source !== frame.contentWindow) return;
    if (data?.dfrsAsks) tell();
    if (typeof data?.dfrsView === 'string') history.replaceState(null, '', '#' + new URLSearchParams(data.dfrsView));
  });
  addEventListener('hashchange', tell);
})();
</script>
)js";

std::string safe(std::string_view text) { return html_escaped(base::printable(text)); }

struct HtmlWriter {
  std::string out;

  void operator()(const PageHeading& heading) { out += fmt::format("<h2>{}</h2>\n", safe(heading.text)); }
  void operator()(const PageParagraph& paragraph) {
    out += fmt::format("<p{}>{}</p>\n", paragraph.lead ? " class=\"lead\"" : "", safe(paragraph.text));
  }
  void operator()(const PageList& list) {
    out += "<ul>\n";
    for (const std::string& item : list.items) out += fmt::format("<li>{}</li>\n", safe(item));
    out += "</ul>\n";
  }
  void operator()(const PageTable& table) {
    out += fmt::format("<div class=\"wide\"><table>\n<caption>{}</caption>\n<thead>\n<tr>", safe(table.caption));
    for (const std::string& heading : table.headings) out += fmt::format("<th scope=\"col\">{}</th>", safe(heading));
    out += "</tr>\n</thead>\n<tbody>\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      out += r == table.best ? "<tr class=\"best\">" : "<tr>";
      for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
        const std::string cell = safe(table.rows[r][c]);
        out += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", cell) : fmt::format("<td>{}</td>", cell);
      }
      out += "</tr>\n";
    }
    out += "</tbody>\n</table></div>\n";
  }
  void operator()(const PageCode& code) {
    out += "<div class=\"wide\"><pre>" + html_escaped(printable_lines(code.text)) + "</pre></div>\n";
  }
  void operator()(const PageChart& chart) {
    out += fmt::format("<h3>{}</h3>\n<figure>\n<figcaption>{}</figcaption>\n<div class=\"wide\">{}</div>\n</figure>\n",
                       safe(chart.title), safe(chart.caption), chart.svg);
  }
  void operator()(const PageFrame& frame) {
    out += fmt::format(
        "<h3>{0}</h3>\n<figure>\n<figcaption>{1}</figcaption>\n"
        "<iframe title=\"{0}\" sandbox=\"allow-scripts\" srcdoc=\"{2}\"></iframe>\n{3}</figure>\n",
        safe(frame.title), safe(frame.caption), html_escaped(frame.document), kFrameView);
  }
};

}  // namespace

std::string text_page(const Page& page) {
  const std::string title = base::printable(page.title);
  TextWriter writer;
  writer.out = title + '\n' + std::string(base::display_width(title), '=') + '\n';
  if (!page.subtitle.empty()) writer.out += wrapped(base::printable(page.subtitle), 0, kWidth);
  for (const PageBlock& block : page.blocks) std::visit(writer, block);
  return writer.out;
}

std::string markdown_page(const Page& page) {
  MarkdownWriter writer;
  writer.out = "# " + markdown_text(page.title) + '\n';
  if (!page.subtitle.empty()) writer.out += '\n' + markdown_text(page.subtitle) + '\n';
  for (const PageBlock& block : page.blocks) std::visit(writer, block);
  return writer.out;
}

std::string html_page(const Page& page) {
  HtmlWriter writer;
  writer.out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n",
      safe(page.title), kReportStyle);
  if (!page.subtitle.empty()) writer.out += fmt::format("<p class=\"soft\">{}</p>\n", safe(page.subtitle));
  writer.out += "</header>\n<main>\n";
  for (const PageBlock& block : page.blocks) std::visit(writer, block);
  return writer.out + "</main>\n<footer class=\"soft\"><p>Written by dfrs-sim.</p></footer>\n</body>\n</html>\n";
}

}  // namespace dfrs::sim
