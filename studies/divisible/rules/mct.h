// SPDX-License-Identifier: GPL-2.0-or-later
// MCT, the rule of GriPPS (RR-5724, section 5.3): each job runs on one processor, chosen when it arrives.
#pragma once

#include <deque>
#include <vector>

#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// Minimum completion time: an arriving job joins the queue of the processor on which it completes first; ties go to
/// the lowest cluster and processor. The choice is final.
class Mct final : public Scheduler {
 public:
  void decide(const View& view, Decision& decision) override;

 private:
  struct Processor {
    Seconds ready = 0;  // when its queue is done
    std::deque<JobIndex> queue;
  };
  std::vector<std::vector<Processor>> processors_;  // by cluster
};

}  // namespace dfrs::divisible
