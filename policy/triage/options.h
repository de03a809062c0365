// SPDX-License-Identifier: GPL-2.0-or-later
// Triage's parts and parameters. Every parameter is in seconds, a ratio or a count; docs/triage.md gives the reason for
// each and what happens when it is changed.
#pragma once

#include "policy/units.h"
#include "policy/view.h"

namespace dfrs {

struct TriageParts {
  enum class Placement {
    load,  ///< the least loaded nodes (policy/greedy.h)
    harm,  ///< where the job and those who are there lose least (policy/triage/harm_placer.h)
  };
  enum class Yields {
    equal,   ///< max-min fair (policy/yield/max_min.h)
    urgent,  ///< max-min fair by weights that grow with stretch and shrink with progress (policy/triage/weights.h)
  };
  enum class Moves {
    none,
    few,   ///< long-running jobs, at most 5 at a time, where CPU is gained that outweighs the penalty
    gain,  ///< younger ones too, at most 20, where it outweighs the penalty twice
  };
  Placement placement = Placement::harm;
  Yields yields = Yields::urgent;
  Moves moves = Moves::gain;

  friend bool operator==(const TriageParts&, const TriageParts&) = default;
};

struct TriageOptions {
  /// What a pause or a move is expected to cost a job, where its view does not say. >= 0, finite. In units of
  /// time_scale, as all of Triage's own times are.
  Seconds penalty = 300;
  /// All of Triage's times are multiplied by it: 0.01 on a cluster where a second stands for 100, so that a job of 0.1 s
  /// is what one of 10 s is elsewhere. > 0, finite.
  double time_scale = 1;
};

/// What a pause of this job is expected to cost it.
inline Seconds expected_penalty(const JobView& job, const TriageOptions& options) {
  return job.penalty >= 0 ? job.penalty : options.penalty * options.time_scale;
}

/// What a move is: as much as a pause, where the view does not know better.
inline Seconds expected_move_penalty(const JobView& job, const TriageOptions& options) {
  return job.move_penalty >= 0 ? job.move_penalty : expected_penalty(job, options);
}

}  // namespace dfrs
