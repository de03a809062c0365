// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <string>
#include <utility>

namespace dfrs::sim {

/// Columns at the end of a long CSV file whose values are the same for all rows. Only the first row has them, so that
/// the file stays small.
class ConstantColumns {
 public:
  ConstantColumns() = default;
  /// Names separated by commas, and their values.
  ConstantColumns(const std::string& names, const std::string& values)
      : heading_(',' + names), next_(',' + values), empty_(std::count(heading_.begin(), heading_.end(), ','), ',') {}

  const std::string& heading() const { return heading_; }
  /// For the next row.
  std::string row() { return std::exchange(next_, empty_); }

 private:
  std::string heading_;
  std::string next_;
  std::string empty_;
};

}  // namespace dfrs::sim
