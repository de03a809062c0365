// SPDX-License-Identifier: GPL-2.0-or-later
// Occasional moves: a job that shares its CPU moves to nodes where it runs faster, or lets those it leaves run faster.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/triage/options.h"
#include "policy/triage/placer.h"
#include "policy/triage/yields.h"

namespace dfrs::triage {

struct MoveRule {
  Seconds period = 0;    ///< between rounds
  std::size_t most = 0;  ///< jobs tried per round
  Seconds progress = 0;  ///< that a job must have; younger jobs may end before the move pays
  double gain = 0;       ///< CPU that a move must gain over the job's expected rest, in penalties

  static MoveRule of(TriageParts::Moves moves, const TriageOptions& options) {
    MoveRule rule = moves == TriageParts::Moves::few
                        ? MoveRule{600, 5, 600, 1}
                        : MoveRule{options.move_period, 20, options.move_period / 3, options.move_gain};
    rule.period *= options.time_scale;
    rule.progress *= options.time_scale;
    return rule;
  }
};

/// A job that found no better nodes is tried again when its progress, and with it the possible gain, has grown by this
/// factor.
inline constexpr double kTryAgain = 1.1;

class LocalMoves {
 public:
  LocalMoves(TriageParts::Moves moves, const TriageOptions& options) : rule_(MoveRule::of(moves, options)) {}

  /// Tries running jobs that get less CPU than they need, those that lack most first. Each is removed and placed again;
  /// the move is kept if the CPU that all jobs together gain, over the job's expected remaining time (as long as it has
  /// run, or what is left of a known run time, then at least a period), exceeds `gain` times the cost of the penalty.
  /// `yields` must be those of the mapping, and are kept up to date. True if a job was moved. O(jobs + most x
  /// (placement + yields of the jobs tied to the moved one)).
  bool run(DecisionContext& context, Placer& placer, Yields& yields);

  const MoveRule& rule() const { return rule_; }

 private:
  struct Candidate {
    float lack = 0;        ///< coarse, so that rounding does not decide ties
    std::uint32_t at = 0;  ///< in submission order, which decides them
    JobSlot job = kNoSlot;
    static bool before(const Candidate& a, const Candidate& b) {
      return a.lack != b.lack ? a.lack > b.lack : a.at < b.at;
    }
  };
  // A job that found no better nodes, and its progress at that time.
  struct Tried {
    JobId id = 0;
    Seconds progress = -1;
  };
  MoveRule rule_;
  std::vector<Candidate> candidates_;
  std::vector<Tried> tried_;  // by slot
  std::vector<NodeIndex> old_nodes_;
};

}  // namespace dfrs::triage
