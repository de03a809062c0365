// SPDX-License-Identifier: GPL-2.0-or-later
// Placement by harm: each task goes where it costs the jobs on the cluster the least CPU.
//
// A node with CPU left costs nothing. On an overloaded node all jobs would share equally, ye = capacity / load. A job
// advances at the yield of its slowest task, so
// - a resident r that runs faster than ye slows down on all of its nodes. It loses (y_r - ye) times its total CPU need,
//   counted once, no matter how many nodes it shares with the new job;
// - the new job slows down on all of its nodes, too, if ye is below its worst share on the nodes chosen so far.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/rr7659/greedy.h"
#include "policy/triage/placer.h"

namespace dfrs::triage {

class HarmPlacer final : public Placer {
 public:
  void begin(const DecisionContext& context) override;
  /// O(nodes x (residents + tasks of the job) + tasks of residents that lose by it). Residents are mostly looked at
  /// only on nodes where the job's own loss does not exceed the total cost of the best node.
  std::span<const NodeIndex> find(const DecisionContext& context, JobSlot job, double least) override;

 private:
  struct Candidate {
    NodeIndex node = 0;
    std::uint32_t room = 0;
    std::uint32_t taken = 0;  ///< tasks of the new job that go there
    double load = 0;          ///< relative to the capacity, with these tasks
    double step = 0;          ///< load that one more task adds
    double spare = 0;         ///< rigid resources free besides these tasks, relative to the capacity
    double spare_step = 0;    ///< what one more task takes of them
    double others = -1;       ///< what residents lose by one more task; negative: not computed yet
  };

  /// What a resident can lose.
  struct Resident {
    double yield = 1;
    double counts = 0;          ///< loss per unit of yield: weight x CPU need of all tasks
    std::uint64_t counted = 0;  ///< equal to mark_ if its loss is counted already
  };
  /// The best candidate so far.
  struct Choice {
    Candidate* candidate = nullptr;
    double cost = 0;
    double tie = 0;
  };

  bool collect(const DecisionContext& context, JobSlot slot);
  void enter(const ClusterState& state, const JobView& job, NodeIndex n, std::uint32_t room);
  Choice choose(const DecisionContext& context);
  bool consider(const DecisionContext& context, Candidate& candidate, Choice& best);
  double own_loss(const Candidate& c) const;
  void know_residents(const DecisionContext& context);
  /// Estimates the yields of jobs placed in this call: they share their nodes equally with the jobs there. The yields
  /// of all other jobs are known.
  void expect_yields(const DecisionContext& context);
  /// What one more task there costs the residents whose loss is not counted yet, >= 0; negative if that plus `own`
  /// exceeds `most`.
  double loss_of_residents(const DecisionContext& context, const Candidate& candidate, double own, double most) const;
  /// Marks the residents of the node as counted: they lose nothing more on their other nodes.
  void count_residents(const DecisionContext& context, NodeIndex n);
  static double tie(const Candidate& candidate);

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> candidate_of_;  // by node: its index in candidates_, valid if that is of the node
  std::uint64_t room_total_ = 0;
  std::vector<double> load_after_;   // by candidate: its load with one more task; kNever where no more fit
  std::vector<Resident> residents_;  // by slot; filled in a call once some job may lose
  bool residents_known_ = false;     // residents_ is filled
  bool expected_ = false;            // expect_yields() has run for this job
  std::uint64_t mark_ = 0;           // changes with each job that is placed
  double own_counts_ = 0;            // what the job loses per unit of its yield, times own_loss
  double own_share_ = 1;             // the job's worst share on the nodes chosen so far
  std::vector<NodeIndex> nodes_;
  Greedy former_;
};

}  // namespace dfrs::triage
