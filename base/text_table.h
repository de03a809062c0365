// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of text for terminals.
#pragma once

#include <string>
#include <vector>

#include "base/utf8.h"

namespace dfrs::base {

/// Rows under headings, each column as wide as its widest cell, two blanks between columns, none at the end of a line.
/// Cells are shown as they are: printable() is for the caller to ask for.
class TextTable {
 public:
  /// All columns come before the first row.
  void column(std::string heading, Align align = Align::left);
  /// A cell for each column.
  void row(std::vector<std::string> cells, bool marked = false);

  /// Room for "> " before the rows that are marked.
  void mark_rows() { marks_ = true; }
  /// A line under the headings.
  void rule() { rule_ = true; }

  /// Of a column, with all rows there are so far.
  std::size_t width(std::size_t column) const { return columns_[column].width; }
  void widen(std::size_t column, std::size_t by) { columns_[column].width += by; }

  std::string text() const;

 private:
  struct Column {
    std::string heading;
    Align align;
    std::size_t width;
  };
  struct Row {
    std::vector<std::string> cells;
    bool marked;
  };
  std::string line(const std::vector<std::string>& cells, bool marked) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  bool marks_ = false;
  bool rule_ = false;
};

/// Without blanks at the end.
std::string trimmed_right(std::string line);

}  // namespace dfrs::base
