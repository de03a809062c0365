// SPDX-License-Identifier: GPL-2.0-or-later
// The terms of a report, for the legend of tables and the glossary.
#pragma once

#include <string_view>
#include <vector>

namespace dfrs::sim {

struct Term {
  std::string_view word;
  std::string_view meaning;  ///< one or two sentences, plain text
};

/// In the order in which readers need them.
const std::vector<Term>& report_terms();

}  // namespace dfrs::sim
