// SPDX-License-Identifier: GPL-2.0-or-later
// A short document of headings, paragraphs, lists and tables, as text for a terminal, Markdown and HTML.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace dfrs::sim {

struct PageHeading {
  std::string text;
};
/// `lead`: the one that a reader in a hurry reads.
struct PageParagraph {
  std::string text;
  bool lead = false;
};
struct PageList {
  std::vector<std::string> items;
};
/// All rows have as many cells as there are headings; numbers are formatted already.
struct PageTable {
  std::string caption;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
  std::size_t best = ~std::size_t{0};  ///< a row to mark
};
/// Lines to be copied as they are.
struct PageCode {
  std::string text;
};
using PageBlock = std::variant<PageHeading, PageParagraph, PageList, PageTable, PageCode>;

struct Page {
  std::string title;
  std::string subtitle;
  std::vector<PageBlock> blocks;
};

/// Texts may hold anything: they are made base::printable() and escaped for the format. Lines of text are wrapped at
/// 100 columns, tables and code are not.
std::string text_page(const Page& page);
std::string markdown_page(const Page& page);
/// A whole HTML document that needs nothing else.
std::string html_page(const Page& page);

}  // namespace dfrs::sim
