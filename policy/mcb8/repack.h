// SPDX-License-Identifier: GPL-2.0-or-later
// Global remapping: MCB8 with a binary search on the yield, and MCB8-stretch with one on the inverse stretch
// (RR-7659, sections 4.3 and 4.7).
#pragma once

#include <vector>

#include "policy/mcb8/packer.h"
#include "policy/mcb8/priority.h"
#include "policy/mcb8/remap_limit.h"

namespace dfrs {

/// Lowest yield that is tried, and the accuracy of the search (RR-7659, section 4.3).
inline constexpr double kYieldAccuracy = 0.01;

class Repack {
 public:
  /// MCB8 over all jobs: the mapping for the highest yield Y in {0.01 .. 1} found by testing 0.01, 1, then bisection.
  /// Where 0.01 fails the lowest-priority job is left out and the search begins again; jobs left out are paused, or
  /// stay waiting. Returns the Y reached, 0 if nothing was changed (no jobs, or those that may not be paused do not
  /// fit). At most jobs + 9 packings.
  double max_yield(ClusterState& state, const ClusterView& view, const PriorityRule& rule, const RemapLimit& limit);

  /// What a target means for a job that would have to run faster than at full speed to meet it.
  enum class OutOfReach {
    fails,       ///< the target cannot be met (RR-7659, section 4.7)
    full_speed,  ///< the job gets full speed, and the target stands for the others (IPDPS 2010, section III.B)
  };

  /// MCB8-stretch: the same search on s, the inverse of the largest stretch estimated for the next tick, `period`
  /// seconds from now; a job's CPU requirement is its need times yield_for_stretch(). Tests s = 0, then 1, then bisects
  /// to 0.01. Returns the s reached; negative if nothing was changed.
  double min_stretch(ClusterState& state, const ClusterView& view, const PriorityRule& rule, const RemapLimit& limit,
                     Seconds period, OutOfReach out_of_reach = OutOfReach::fails);

 private:
  void collect(const ClusterState& state, const ClusterView& view, const RemapLimit& limit);
  template <typename Pack>
  double search(const ClusterState& state, const ClusterView& view, const PriorityRule& rule, double lowest,
                Pack&& pack);
  bool drop_lowest(const ClusterState& state, const ClusterView& view, const PriorityRule& rule);
  void apply(ClusterState& state, const ClusterView& view);
  bool same_as_last(const ClusterState& state) const;

  Packer packer_;
  std::vector<Packer::Item> items_;
  std::vector<JobSlot> left_out_;
  struct RankedItem {
    RankedJob rank;
    std::uint32_t item;
  };
  // Items that may be left out: a heap, the lowest priority first; and behind all of these those without progress,
  // of infinite priority, in submission order, of which the last is the lowest.
  std::vector<RankedItem> ranks_;
  std::vector<std::uint32_t> untried_;
  bool ranked_ = false;

  // The last max_yield() that left no job out: its outcome depends on nothing but the jobs and which of them are
  // pinned, so that a tick at which both are the same finds the same mapping and need not look for it.
  struct Last {
    bool valid = false;
    std::uint64_t version = 0;
    std::vector<bool> pinned;  // of each item
    double yield = 0;
  };
  Last last_;
};

/// The yield a job needs until the next tick for its estimated stretch (flow + T) / (vt + yield T) then to be at most
/// 1 / s (RR-7659, section 4.7). May exceed 1 (out of reach); at least kYieldAccuracy, so that placed jobs advance.
double yield_for_stretch(const JobView& job, Seconds now, Seconds period, double s);

}  // namespace dfrs
