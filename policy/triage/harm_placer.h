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

#include "policy/rr7659/greedy.h"
#include "policy/triage/placer.h"

namespace dfrs::triage {

/// Residents with less than this times the new job's progress are as likely as not to end first.
inline constexpr double kYoung = 2;

class HarmPlacer final : public Placer {
 public:
  void begin(const DecisionContext& context) override;
  /// O(nodes x (residents + tasks of the job) + tasks of residents that lose by it); mostly residents are looked at of
  /// those nodes alone where the job itself loses no more than the least that a node costs in all.
  std::span<const NodeIndex> find(const DecisionContext& context, JobSlot job) override;

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

  /// What a resident may lose.
  struct Resident {
    double yield = 1;
    double counts = 0;          ///< weight x CPU need of all tasks
    std::uint64_t counted = 0;  ///< mark_ if its loss has been
  };
  /// The best candidate so far.
  struct Choice {
    Candidate* candidate = nullptr;
    double cost = 0;
    double tie = 0;
  };

  bool collect(const DecisionContext& context, const JobView& job);
  void enter(const ClusterState& state, const JobView& job, NodeIndex n, std::uint32_t room);
  Choice choose(const DecisionContext& context);
  bool consider(const DecisionContext& context, Candidate& candidate, Choice& best);
  double own_loss(const Candidate& c) const;
  void know_residents(const DecisionContext& context);
  /// The yield of a job that is where it was is known. Others, put somewhere in this call, count as sharing their nodes
  /// equally with the jobs that are there by now.
  void expect_yields(const DecisionContext& context);
  /// What residents lose by one more task there whose loss has not been counted yet, >= 0; negative if with `own` it is
  /// more than `most`.
  double loss_of_residents(const DecisionContext& context, const Candidate& candidate, double own, double most) const;
  /// Residents of the node are counted: wherever else they are they lose nothing more.
  void count_residents(const DecisionContext& context, NodeIndex n);
  static double tie(const Candidate& candidate);

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> candidate_of_;  // by node; meaningful where candidates_ there is of the node
  std::uint64_t room_total_ = 0;
  std::vector<double> load_after_;   // by candidate: with one more task; never where no more has room
  std::vector<Resident> residents_;  // by slot; of this call, once some job may lose
  bool residents_known_ = false;
  bool expected_ = false;  // whether yields of those who have been placed have been
  std::uint64_t mark_ = 0;
  double own_counts_ = 0;  // what a unit of the job's yield does, own_loss included
  double own_share_ = 1;
  std::vector<NodeIndex> nodes_;
  Greedy former_;
  Seconds young_ = 0;
};

}  // namespace dfrs::triage
