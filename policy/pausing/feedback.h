// SPDX-License-Identifier: GPL-2.0-or-later
// Queues by attained service, with pauses, on whole nodes: jobs begin in the first queue and drop to the next when what
// they have received passes its threshold. Earlier queues go first; within a queue, the order of submission. No run
// times are known.
//
// - LAS: service is nodes x progress, the discretised two-dimensional least attained service of Tiresias (Gu et al.,
//   NSDI 2019, section 3.2). Thresholds 1, 2 and 5 times `first`, as in the authors' simulator, whose first is 3600
//   node seconds; jobs are not promoted, the default there.
// - MLF: service is progress, as in multi-level feedback of operating systems (Corbato, Merwin-Daggett and Daley 1962):
//   each queue grants twice the time of the one before.
#pragma once

#include <cstddef>
#include <vector>

#include "policy/pausing/seats.h"

namespace dfrs {

struct FeedbackRule {
  bool by_nodes = true;    ///< LAS; false: MLF
  std::size_t queues = 2;  ///< 2 .. 4
  Seconds first = 3600;    ///< threshold of the first queue, > 0

  /// From where on a job belongs to queue k + 1, k < queues - 1.
  Seconds threshold(std::size_t k) const;
  /// Queue of a job with this service.
  std::size_t queue_of(Seconds service) const;
};

class FeedbackPolicy final : public NonClairvoyantPolicy {
 public:
  explicit FeedbackPolicy(const FeedbackRule& rule) : rule_(rule) {}
  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  Seconds service(const JobView& job, Seconds now) const {
    return job.virtual_time(now) * (rule_.by_nodes ? job.tasks : 1);
  }
  Seconds next_drop(const ClusterView& view, const ClusterState& state) const;

  struct Ranked {
    std::size_t queue;
    JobSlot job;
  };
  FeedbackRule rule_;
  Seats seats_;
  std::vector<Ranked> ranked_;
  std::vector<JobSlot> order_;
};

}  // namespace dfrs
