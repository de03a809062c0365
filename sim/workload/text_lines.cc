// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/text_lines.h"

namespace dfrs::sim {

std::string excerpt(std::string_view word) {
  constexpr std::size_t kMost = 40;
  std::string shown(word.substr(0, kMost));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (word.size() > kMost) shown += "...";
  return shown;
}

}  // namespace dfrs::sim
