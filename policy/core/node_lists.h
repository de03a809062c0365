// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of nodes that jobs leave behind, for the jobs that come after: a log of hundreds of thousands of jobs needs no
// more of them than jobs run at a time, and asks the allocator no more often.
#pragma once

#include <utility>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

class NodeLists {
 public:
  /// Takes over what the list has room for; it is empty then.
  void keep(std::vector<NodeIndex>& list) {
    if (list.capacity() == 0) return;
    list.clear();
    spare_.push_back(std::exchange(list, {}));
  }
  /// An empty list without room of its own gets that of a list kept before.
  void furnish(std::vector<NodeIndex>& list) {
    if (list.capacity() != 0 || spare_.empty()) return;
    list = std::move(spare_.back());
    spare_.pop_back();
  }

 private:
  std::vector<std::vector<NodeIndex>> spare_;
};

}  // namespace dfrs
