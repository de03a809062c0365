// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of text for terminals.
#pragma once

#include <string>
#include <vector>

#include "base/utf8.h"

namespace dfrs::base {

/// Rows under headings. Each column is as wide as its widest cell; two blanks separate columns; no line ends with
/// blanks. Cells are shown as they are: pass text from outside through printable() first.
class TextTable {
 public:
  /// Adds a column. All columns come before the first row.
  void column(std::string heading, Align align = Align::left);
  /// Adds a row, with a cell for each column.
  void row(std::vector<std::string> cells, bool marked = false);

  /// Makes room for "> " before the marked rows.
  void mark_rows() { marks_ = true; }
  /// Draws a line under the headings.
  void rule() { rule_ = true; }

  /// Width of a column, given the rows so far.
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

/// `line` without trailing blanks.
std::string trimmed_right(std::string line);

}  // namespace dfrs::base
