// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text_table.h"

#include <algorithm>
#include <utility>

namespace dfrs::base {
namespace {

constexpr std::size_t kGap = 2;

}  // namespace

void TextTable::column(std::string heading, Align align) {
  const std::size_t width = display_width(heading);
  columns_.push_back({std::move(heading), align, width});
}

void TextTable::row(std::vector<std::string> cells, bool marked) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    columns_[c].width = std::max(columns_[c].width, display_width(cells[c]));
  }
  rows_.push_back({std::move(cells), marked});
}

std::string TextTable::line(const std::vector<std::string>& cells, bool marked) const {
  std::string text = marks_ ? (marked ? "> " : "  ") : "";
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c != 0) text.append(kGap, ' ');
    text += padded(cells[c], columns_[c].width, columns_[c].align);
  }
  return trimmed_right(std::move(text)) + '\n';
}

std::string TextTable::text() const {
  std::vector<std::string> headings;
  std::size_t width = marks_ ? 2 : 0;
  for (const Column& column : columns_) {
    width += (headings.empty() ? 0 : kGap) + column.width;
    headings.push_back(column.heading);
  }
  std::string text = line(headings, false);
  if (rule_) text += std::string(width, '-') + '\n';
  for (const Row& row : rows_) text += line(row.cells, row.marked);
  return text;
}

std::string trimmed_right(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace dfrs::base
