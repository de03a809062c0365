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
  /// O(nodes x (residents + tasks of the job) + tasks of residents that lose by it).
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
    double others = -1;  ///< what residents lose by one more task; negative: to be found
  };

  void collect(const Call& call, const JobView& job);
  /// The yield of a job that is where it was is known. Others, put somewhere in this call, count as sharing their nodes
  /// equally with whoever is there by now.
  void expect_yields(const Call& call);
  double yield_of(const Call& call, JobSlot resident) const;
  /// What residents lose by one more task there whose loss has not been counted yet, >= 0.
  double loss_of_residents(const Call& call, const Candidate& candidate) const;
  /// Residents of the node are counted: wherever else they are they lose nothing more.
  void count_residents(const Call& call, NodeIndex n);
  static double tie(const Candidate& candidate);

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> candidate_of_;  // by node; meaningful where candidates_ there is of the node
  std::uint64_t room_total_ = 0;
  std::vector<double> expected_;          // by slot
  std::vector<std::uint64_t> is_expected_;  // by slot: mark_ if the yield is the expected one
  std::vector<std::uint64_t> counted_;    // by slot: mark_ if the job's loss has been counted
  std::uint64_t mark_ = 0;
  std::vector<NodeIndex> nodes_;
  Greedy former_;
  Seconds young_ = 0;
};

}  // namespace dfrs::triage
