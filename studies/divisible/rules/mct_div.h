// SPDX-License-Identifier: GPL-2.0-or-later
// Other readings of MCT-DIV (readings.h): rules that divide a job once and for all. The project's own reading is in
// list_rules.h.
#pragma once

#include <deque>
#include <vector>

#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// MctDivReading::fixed: first come, first served; a job starts on the clusters with its databank that are idle, at
/// least one, and keeps to them.
class FixedMctDiv final : public Scheduler {
 public:
  void decide(const View& view, Decision& decision) override;

 private:
  static constexpr JobIndex kIdle = ~JobIndex{0};
  std::vector<JobIndex> runs_;  // by cluster
  std::vector<JobIndex> waiting_;
};

/// MctDivReading::even: every cluster with the databank gets a part in proportion to its power, at the end of its
/// queue.
class EvenMctDiv final : public Scheduler {
 public:
  void decide(const View& view, Decision& decision) override;

 private:
  struct Part {
    JobIndex job = 0;
    Seconds end = 0;
  };
  std::vector<std::deque<Part>> queues_;  // by cluster
  std::vector<Seconds> ready_;            // by cluster: when its queue is done
};

}  // namespace dfrs::divisible
