// SPDX-License-Identifier: GPL-2.0-or-later
// Global remapping: MCB8 with a binary search on the yield, and MCB8-stretch with a binary search on the inverse
// stretch (RR-7659, sections 4.3 and 4.7).
#pragma once

#include <vector>

#include "policy/mcb8/packer.h"
#include "policy/mcb8/priority.h"
#include "policy/mcb8/remap_limit.h"
#include "policy/mcb8/ties.h"

namespace dfrs {

/// The lowest yield that is tried, and the accuracy of the search (RR-7659, section 4.3).
inline constexpr double kYieldAccuracy = 0.01;
/// The accuracy of the search for the inverse stretch under /FINE: inverse stretches are near 0 where it matters.
inline constexpr double kFineAccuracy = 1e-4;

class Repack {
 public:
  explicit Repack(Ties ties = Ties::oldest) : ties_(ties) {}

  /// MCB8 over all jobs: applies the mapping for the highest yield Y in [0.01, 1] that is found by testing 0.01, 1,
  /// then bisecting. While 0.01 fails, the job of lowest priority is left out; jobs left out are paused or stay
  /// waiting. Returns Y, or 0 if nothing was changed (no jobs, or those that may not be paused do not fit). At most
  /// jobs + 9 packings.
  double max_yield(ClusterState& state, const ClusterView& view, const PriorityRule& rule, const RemapLimit& limit);

  /// What happens if a job would need more than full speed to meet a target.
  enum class OutOfReach {
    fails,       ///< the target fails (RR-7659, section 4.7)
    full_speed,  ///< the job runs at full speed, and the target applies to the others (IPDPS 2010, section III.B)
  };

  /// MCB8-stretch: the same search on s, the inverse of the largest stretch estimated for the next tick in `period`
  /// seconds. A job's CPU requirement is its need times yield_for_stretch(). Tests s = 0, then 1, then bisects to this
  /// accuracy. Returns s; negative if nothing was changed.
  double min_stretch(ClusterState& state, const ClusterView& view, const PriorityRule& rule, const RemapLimit& limit,
                     Seconds period, OutOfReach out_of_reach = OutOfReach::fails, double accuracy = kYieldAccuracy);

 private:
  void collect(const ClusterState& state, const ClusterView& view, const RemapLimit& limit);
  template <typename Pack>
  double search(const ClusterState& state, const ClusterView& view, const PriorityRule& rule, double lowest,
                double accuracy, Pack&& pack);
  bool drop_lowest(const ClusterState& state, const ClusterView& view, const PriorityRule& rule);
  void apply(ClusterState& state, const ClusterView& view);
  bool same_as_last(const ClusterState& state) const;
  void explain(const ClusterState& state, const ClusterView& view, const PriorityRule& rule, Reason reason) const;

  Ties ties_;
  Packer packer_;
  std::vector<Packer::Item> items_;
  std::vector<JobSlot> left_out_;
  struct RankedItem {
    RankedJob rank;
    std::uint32_t item;
  };
  // The items that may be left out: a heap with the lowest priority first, and after all of these the items without
  // progress. Their priority is infinite; they are in submission order, and the last one is left out first.
  std::vector<RankedItem> ranks_;
  std::vector<std::uint32_t> untried_;
  bool ranked_ = false;

  // The last max_yield() that left no job out. Its result depends only on the jobs and on which of them are pinned, so
  // a tick at which neither has changed need not search again.
  struct Last {
    bool valid = false;
    std::uint64_t version = 0;
    std::vector<bool> pinned;  // of each item
    double yield = 0;
  };
  Last last_;
};

/// The yield that a job needs until the next tick, T = `period` seconds from now, so that its estimated stretch then,
/// (flow + T) / (vt + yield T), is at most 1 / s (RR-7659, section 4.7). May exceed 1: the target is out of reach. At
/// least kYieldAccuracy, so that all placed jobs progress.
double yield_for_stretch(const JobView& job, Seconds now, Seconds period, double s);

}  // namespace dfrs
