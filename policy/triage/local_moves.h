// SPDX-License-Identifier: GPL-2.0-or-later
// Moves: now and then a job that shares its CPU is put where it, or those it leaves, run faster.
#pragma once

#include <vector>

#include "policy/triage/options.h"
#include "policy/triage/placer.h"
#include "policy/triage/yields.h"

namespace dfrs::triage {

struct MoveRule {
  Seconds period = 0;    ///< between rounds
  std::size_t most = 0;  ///< jobs tried in a round
  Seconds progress = 0;  ///< that a job must have: younger ones may end before the move has paid
  double gain = 0;       ///< CPU gained over the job's expected rest, in penalties

  static MoveRule of(TriageParts::Moves moves, const TriageOptions& options) {
    MoveRule rule = moves == TriageParts::Moves::few
                        ? MoveRule{600, 5, 600, 1}
                        : MoveRule{options.move_period, 20, options.move_period, options.move_gain};
    rule.period *= options.time_scale;
    rule.progress *= options.time_scale;
    return rule;
  }
};

/// A job that found no better place is not tried again before its progress, and with it what a move may gain, has grown
/// by this factor.
inline constexpr double kTryAgain = 1.1;

class LocalMoves {
 public:
  LocalMoves(TriageParts::Moves moves, const TriageOptions& options) : rule_(MoveRule::of(moves, options)) {}

  /// Tries running jobs that get less CPU than they need, those that lack most first: each is taken out and placed
  /// again. The move is kept if the CPU gained by all jobs together, over the time the job is expected to run on (as
  /// long as it ran), exceeds `gain` times what the penalty costs. `yields` are those of the mapping, and of the new
  /// one afterwards. True if a job was moved. O(jobs log jobs + most x (placement + yields of those tied to the job)).
  bool run(DecisionContext& context, Placer& placer, Yields& yields);

  const MoveRule& rule() const { return rule_; }

 private:
  struct Candidate {
    float lack = 0;  ///< coarse, so that rounding decides no tie
    JobSlot job = kNoSlot;
  };
  // A job that found no better place, and its progress then.
  struct Tried {
    JobId id = 0;
    Seconds progress = -1;
  };
  MoveRule rule_;
  std::vector<Candidate> candidates_;
  std::vector<Tried> tried_;  // by slot
  std::vector<NodeIndex> old_nodes_;
  std::vector<NodeIndex> new_nodes_;
};

}  // namespace dfrs::triage
