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
#include "policy/triage/harm_orders.h"
#include "policy/triage/placer.h"
#include "policy/triage/resident_losses.h"

namespace dfrs::triage {

class HarmPlacer final : public Placer {
 public:
  /// With fewer nodes a search looks at all of them: the orders would cost more than they save.
  static constexpr std::size_t kLarge = 5000;

  explicit HarmPlacer(std::size_t large = kLarge) : large_(large) {}
  void begin(const DecisionContext& context) override;
  void end(const DecisionContext& context) override;
  bool leaves_reserved() const override { return true; }
  /// O(nodes x (residents + tasks of the job) + tasks of residents that lose by it). Residents are mostly looked at
  /// only on nodes where the job's own loss does not exceed the total cost of the best node, and only once for many
  /// jobs (resident_losses.h); and for each further task only at nodes that may cost less than the best one. On a large
  /// cluster where most nodes have room, a search for one task mostly looks at a few hundred nodes (harm_orders.h).
  std::span<const NodeIndex> find(const DecisionContext& context, JobSlot job, double least) override;

  /// Whether the last search looked at few nodes because of their orders.
  bool used_orders() const { return orders_ != nullptr; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// The tasks of the job that go to one node.
  struct Taken {
    NodeIndex node = 0;
    std::uint32_t room = 0;  ///< tasks it has room for, these included
    std::uint32_t count = 0;
    double load = 0;        ///< relative to the capacity, with these tasks
    double spare = 0;       ///< parts of its rigid resources that are free, with these tasks
    double spare_step = 0;  ///< that one of these tasks takes
  };
  /// The best node so far.
  struct Choice {
    bool any = false;
    NodeIndex node = 0;
    double cost = 0;
    double tie = 0;
    bool beaten_by(double other_cost) const { return any && other_cost > cost; }
  };

  bool collect(const DecisionContext& context, JobSlot slot);
  bool use_orders(const DecisionContext& context, const JobView& job);
  void take_notes();
  void note_stale(const DecisionContext& context);
  void clear_candidates();
  void add_candidate(const DecisionContext& context, const JobView& job, NodeIndex n);
  bool is_candidate(NodeIndex n) const;
  std::size_t choose(const DecisionContext& context, const JobView& job);
  bool consider(const DecisionContext& context, std::size_t k, Choice& best);
  void consider_others(const DecisionContext& context, const JobView& job, Choice& best);
  bool is_other(const DecisionContext& context, const JobView& job, NodeIndex n) const;
  void enter(NodeIndex n, double cost, double tie, Choice& best);
  void take(const DecisionContext& context, const JobView& job, std::size_t k);
  void count_residents(const DecisionContext& context, const JobView& job, NodeIndex n);
  double own_loss(double load) const;
  double most_of_interest(const Choice& best) const;
  double tie(const ClusterState& state, std::size_t k);
  std::uint32_t room_at(const DecisionContext& context, const JobView& job, NodeIndex n) const;

  // By candidate: the nodes with room for a task. With orders_, those of them for which the orders do not hold.
  std::vector<NodeIndex> nodes_with_room_;
  std::vector<double> load_after_;       // relative to the capacity, with one more task; kNever where no more fit
  std::vector<double> least_cost_;       // it costs at least this less own_counts_ x (1 - own_share_); 0 is always true
  std::vector<double> tie_;              // kNever: not known
  std::vector<std::uint32_t> taken_at_;  // index in taken_ + 1; 0: it has no task
  std::vector<std::uint32_t> candidate_of_;  // by node, valid if that candidate is of the node
  NodeIndex lane_end_ = 0;                   // nodes from here on are not for this job
  std::size_t least_loaded_ = kNone;         // the candidate, before any was chosen
  std::size_t last_ = kNone;                 // the last that was chosen
  std::vector<Taken> taken_;
  bool beside_ = false;  // the job must leave reserved memory alone
  ResidentLosses losses_;
  const std::size_t large_;
  HarmOrders all_orders_;
  const HarmOrders::Nodes* orders_ = nullptr;  // of all other nodes, in this search; null: there are none
  std::size_t next_by_tie_ = 0;                // no node before this one in that order is a choice any more
  DistinctNodes noted_;                        // whose tasks have changed since take_notes()
  DistinctNodes changed_;                      // the same since note_stale(), noted before
  double own_counts_ = 0;                      // what the job loses per unit of its yield, times own_loss
  double own_share_ = 1;                       // the job's worst share on the nodes chosen so far
  std::vector<NodeIndex> nodes_;
  Greedy former_;
};

}  // namespace dfrs::triage
