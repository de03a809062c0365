// SPDX-License-Identifier: GPL-2.0-or-later
// A short document of headings, paragraphs, lists and tables, as text for a terminal, Markdown and HTML.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dfrs::sim {

struct PageHeading {
  std::string text;
};
/// `lead`: the paragraph for readers in a hurry.
struct PageParagraph {
  std::string text;
  bool lead = false;
};
struct PageList {
  std::vector<std::string> items;
};
/// All rows have as many cells as there are headings. Numbers are already formatted.
struct PageTable {
  std::string caption;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
  std::size_t best = ~std::size_t{0};  ///< index of a row to mark
};
/// Lines to copy verbatim.
struct PageCode {
  std::string text;
};
/// A picture. Text and Markdown leave it out.
struct PageChart {
  std::string title;
  std::string caption;
  std::string svg;  ///< an <svg> element, as embedded_svg() makes it
};
/// An HTML document with scripts of its own, shown within the page. Text and Markdown leave it out.
struct PageFrame {
  std::string title;
  std::string caption;
  std::string document;
};
using PageBlock = std::variant<PageHeading, PageParagraph, PageList, PageTable, PageCode, PageChart, PageFrame>;

struct Page {
  std::string title;
  std::string subtitle;
  std::vector<PageBlock> blocks;

  void heading(std::string text) { blocks.emplace_back(PageHeading{std::move(text)}); }
  void paragraph(std::string text, bool lead = false) { blocks.emplace_back(PageParagraph{std::move(text), lead}); }
  /// Nothing without items.
  void list(std::vector<std::string> items) {
    if (!items.empty()) blocks.emplace_back(PageList{std::move(items)});
  }
};

/// Texts are made printable (base::printable) and escaped for the format. Text is wrapped at 100 columns; tables and
/// code are not.
std::string text_page(const Page& page);
std::string markdown_page(const Page& page);
/// A complete, self-contained HTML document.
std::string html_page(const Page& page);

}  // namespace dfrs::sim
