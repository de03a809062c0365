// SPDX-License-Identifier: GPL-2.0-or-later
// Placement by harm: a task goes where it costs the jobs on the cluster the least CPU.
//
// On a node with CPU left it costs nothing. On an overloaded one all would share equally, ye = capacity / load. A gang
// advances at the yield of its slowest task, so
// - a resident r that runs faster than ye is slowed down everywhere: (y_r - ye) times its CPU need on all nodes,
//   counted once however many of its nodes are shared with the new job;
// - the new job is slowed down likewise, by what ye is below the worst share it has on nodes already chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/greedy.h"
#include "policy/triage/placer.h"

namespace dfrs::triage {

/// Residents with less than this times the new job's progress are as likely as not to end first.
inline constexpr double kYoung = 2;

class HarmPlacer final : public Placer {
 public:
  /// O(nodes + tasks x nodes of the cluster that are full x residents) in the worst case; O(nodes + tasks log nodes)
  /// while nodes with CPU left suffice.
  std::span<const NodeIndex> find(const Call& call, JobSlot job) override;

 private:
  struct Candidate {
    NodeIndex node = 0;
    std::uint32_t room = 0;
    std::uint32_t taken = 0;  ///< tasks of the new job that are to go there
    double load = 0;          ///< relative to the capacity, with these tasks
    double step = 0;          ///< what one more task adds
    double spare = 0;         ///< free rigid resources, relative to the capacity, with these tasks
    double spare_step = 0;
  };

  void collect(const Call& call, const JobView& job);
  /// The yield of a job that is where it was is known. Others, put somewhere in this call, count as sharing their nodes
  /// equally with whoever is there by now.
  void expect_yields(const Call& call);
  double yield_of(const Call& call, JobSlot resident) const;
  /// The cost of one more task there, >= 0; or, where it exceeds `enough`, something that does.
  double harm(const Call& call, const Candidate& candidate, const JobView& job, double own_share, double enough) const;
  static double tie(const Candidate& candidate);

  std::vector<Candidate> candidates_;
  std::uint64_t room_total_ = 0;
  std::vector<double> expected_;          // by slot
  std::vector<std::uint64_t> is_expected_;  // by slot: mark_ if the yield is the expected one
  std::vector<std::uint64_t> counted_;    // by slot: mark_ if the job's loss has been counted
  std::uint64_t mark_ = 0;
  std::vector<NodeIndex> nodes_;
  Greedy former_;
  double total_need_ = 0;
  Seconds young_ = 0;
};

}  // namespace dfrs::triage
