// SPDX-License-Identifier: GPL-2.0-or-later
// Recycles the node lists of jobs that have ended, so that a log of hundreds of thousands of jobs allocates only as
// many lists as jobs run at a time.
#pragma once

#include <utility>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

class NodeLists {
 public:
  /// Takes over the list's storage and leaves the list empty.
  void recycle(std::vector<NodeIndex>& list) {
    if (list.capacity() == 0) return;
    list.clear();
    spare_.push_back(std::exchange(list, {}));
  }
  /// Gives a list without storage that of a recycled one, if there is any.
  void reuse_for(std::vector<NodeIndex>& list) {
    if (list.capacity() != 0 || spare_.empty()) return;
    list = std::move(spare_.back());
    spare_.pop_back();
  }

 private:
  std::vector<std::vector<NodeIndex>> spare_;
};

}  // namespace dfrs
