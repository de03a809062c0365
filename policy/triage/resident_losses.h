// SPDX-License-Identifier: GPL-2.0-or-later
// What the jobs on a node lose by one more task there: the second part of placement by harm (harm_placer.h).
//
// On a large cluster many jobs are tried in one decision, and most nodes are the same for all of them and in the next
// decision. So losses are kept, by node and CPU need of the task, until a job comes to the node or leaves it, its load
// changes, or the yield of a job there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policy/triage/decision_context.h"

namespace dfrs::triage {

class ResidentLosses {
 public:
  /// Starts a call of the policy. `told`: load_changed() is called from now on before each search for all nodes whose
  /// load has changed since, so that only jobs there are looked at again. O(1).
  void begin(const DecisionContext& context, bool told = false);
  void load_changed(NodeIndex n) {
    if (told_) loads_.add(n);
  }
  /// Starts the search for a job that needs so much CPU for each task. O(1).
  void begin_search(double cpu_need) {
    cpu_need_ = cpu_need;
    ready_ = false;
  }

  /// Makes ready for at() in this search.
  void settle(const DecisionContext& context) {
    if (!ready_) prepare(context);
  }
  /// Where at() may say something else since forget_changes() although no job has come or left.
  std::span<const NodeIndex> changed_nodes() const { return others_.nodes(); }
  void forget_changes() { others_.clear(); }

  /// While this and its load are the same, at() says the same of a node, but for jobs that are counted.
  std::uint64_t version(const DecisionContext& context, NodeIndex n) const {
    return changed_[n] + context.residents.changes(n);
  }

  struct Loss {
    double loss = 0;
    bool whole = true;  ///< false: it is more than that, and more than was asked for
  };
  /// What one more task of the job costs the residents of the node that have not been counted in this search, >= 0.
  /// With the task each of them gets `share` of its need, if all share equally. A loss that exceeds `most` together
  /// with `own` is not computed to its end. O(1) if it is known, else O(residents); the first time in a search O(tasks
  /// of jobs placed in this call, or if it is told of nodes, of those there) besides, in a call O(jobs).
  Loss at(const DecisionContext& context, NodeIndex n, double share, double own, double most);

  /// The residents of the node are counted in this search: they lose nothing more on their other nodes. Calls
  /// `changed(node)` for these. at() must have been called in this search. O(residents + their tasks).
  template <typename Changed>
  void count(const DecisionContext& context, NodeIndex n, Changed&& changed) {
    for (JobSlot r : context.residents.on(n)) {
      if (residents_[r].counted == search_) continue;
      residents_[r].counted = search_;
      each_node(context.state.nodes_of(r), [&](NodeIndex m) {
        tied_[m] = search_;
        changed(m);
      });
    }
  }

 private:
  /// What a resident can lose.
  struct Resident {
    double yield = 1;
    double counts = 0;           ///< loss per unit of yield: weight x CPU need of all tasks
    std::uint64_t counted = 0;   ///< equal to search_ if its loss is counted already
    std::uint64_t placed = 0;    ///< equal to call_ if it has been placed in this call
    std::uint64_t expected = 0;  ///< the last search before which its yield was estimated
  };
  struct Known {
    double share = -1;  ///< the loss is that at this share
    double loss = 0;
    std::uint64_t version = 0;  ///< of the node
    bool whole = false;         ///< else it is at least this
  };
  /// Losses by node for tasks of one CPU need.
  struct Table {
    double cpu_need = -1;
    std::uint64_t used = 0;  ///< the last search that used it
    std::vector<Known> known;
  };
  // More needs than these take turns.
  static constexpr std::size_t kTables = 16;

  /// What the yields of jobs on a node are estimated from.
  struct Seen {
    double cpu_load = 0;
    std::uint64_t changes = 0;  ///< of its jobs
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  void prepare(const DecisionContext& context);
  void know_residents(const DecisionContext& context);
  void expect_yields(const DecisionContext& context);
  void expect_changed_yields(const DecisionContext& context);
  void expect_yield(const DecisionContext& context, JobSlot slot);
  void set_yield(const DecisionContext& context, JobSlot slot, double yield);
  void change_nodes_of(const DecisionContext& context, JobSlot slot);
  Table& table_of(double cpu_need, std::size_t nodes);

  std::vector<Resident> residents_;  // by slot; up to date once some job has been searched for in a call
  bool residents_known_ = false;
  std::array<Table, kTables> tables_;
  Table* table_ = nullptr;              // of this search
  std::vector<std::uint64_t> changed_;  // by node: how often yields of its jobs have changed
  DistinctNodes others_;                // where they have since forget_changes()
  bool told_ = false;                   // of nodes whose load changes: loads_
  DistinctNodes loads_;                 // since yields were estimated
  std::vector<Seen> seen_;              // by node, when they were last estimated
  std::size_t placed_seen_ = 0;         // jobs placed in this call that are marked as such
  std::vector<std::uint64_t> tied_;     // by node: the last search that counted a job of this node
  std::uint64_t search_ = 0;
  std::uint64_t call_ = 0;
  double cpu_need_ = 0;
  bool ready_ = false;             // for this search
  std::uint64_t expected_at_ = 0;  // version of the state for which yields are expected; 0: none in this call
};

}  // namespace dfrs::triage
