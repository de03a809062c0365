// SPDX-License-Identifier: GPL-2.0-or-later
// Triage's parts and parameters. Every parameter is in seconds, a ratio or a count. docs/reference/triage.md explains
// the reason for each and the effect of changing it.
#pragma once

#include "policy/core/units.h"
#include "policy/core/view.h"

namespace dfrs {

struct TriageParts {
  enum class Placement {
    load,  ///< the least loaded nodes (policy/rr7659/greedy.h)
    harm,  ///< where the job and the residents lose least (policy/triage/harm_placer.h)
  };
  enum class Yields {
    equal,   ///< max-min fair (policy/yield/max_min.h)
    urgent,  ///< max-min fair by weights that grow with stretch and shrink with progress (policy/triage/weights.h)
  };
  enum class Moves {
    none,
    few,   ///< long-running jobs, at most 5 at a time, if the CPU gained outweighs the penalty
    gain,  ///< younger jobs, too, at most 20 at a time, if the gain is at least TriageOptions::move_gain penalties
  };
  Placement placement = Placement::harm;
  Yields yields = Yields::urgent;
  Moves moves = Moves::gain;
  bool pauses = true;  ///< false: no running job is paused for another

  friend bool operator==(const TriageParts&, const TriageParts&) = default;
};

struct TriageOptions {
  /// The expected cost of a pause or a move, in seconds, if the job's view does not give it. >= 0, finite. Scaled by
  /// time_scale, like all of Triage's times.
  Seconds penalty = 300;
  /// Factor for all of Triage's times. 0.01 suits a cluster where a second stands for 100: a job of 0.1 s then counts
  /// like one of 10 s. > 0, finite.
  double time_scale = 1;

  // The values below follow from the reasons given, not from fitting. Names can override them (policy/triage/family.cc)
  // so that anyone can study their effect. All are >= 0 and finite; margins and periods are > 0.

  /// PATIENCE: seconds that a job that never ran is assumed to have waited already. The job may be as short as kShort,
  /// so it should press its case before its stretch is bad: after another wait of this length its urgency has doubled.
  Seconds patience = 60;
  /// HOLD: protects running jobs, in seconds, by the wait that a pause is likely to bring with it. It also keeps two
  /// jobs from displacing each other in turns. A job as wide as the cluster has half of it.
  Seconds hold = 750;
  /// PAUSED: how many times as urgent as its victim a paused job must be, since it costs a penalty itself. A job that
  /// never ran must only be more urgent.
  double margin_paused = 1.2;
  /// ROOM: a job that never ran and would get less than this share of its CPU need asks for room of its own. Its
  /// urgency for that is 1 / share, the stretch it is heading for; it displaces others if that at least doubles its
  /// share.
  double elbow_room = 0.75;
  /// RETURN: a paused job whose share would be below this stays paused until its urgency exceeds 1 / share: it would
  /// pay a penalty, and crowd others, for little progress. One that is displaced and finds its own nodes free again
  /// returns.
  double crowded_return = 0.75;
  /// OWN: how many times a unit of CPU lost by the new job counts, compared with one lost by a resident. The job's own
  /// loss lasts as long as the job; residents come and go, and get back most of their loss when the load changes.
  double own_loss = 20;
  /// STRETCH, AGE: weights of the yields grow with the first power of the stretch so far and fall with the second power
  /// of the progress. Multiples of 0.5, at most 8.
  double stretch_power = 2;
  double age_power = 0.5;
  /// WIDTH: weights grow with this power of the number of tasks. A wide job runs at the yield of its worst node, so the
  /// more nodes it has the likelier it is held back. Multiples of 0.25, at most 2.
  double width_power = 0.25;
  /// PERIOD: seconds between the moves of MOVE=GAIN. A job needs a third of it as progress for a move, since younger
  /// jobs may end before the move pays.
  Seconds move_period = 300;
  /// PAYS: what such a move must gain, in penalties.
  double move_gain = 3;
  /// LOSS: how many times as badly off a job must be as a job whose run is ended for it would be afterwards, where a
  /// pause loses the run. Doubled with each run lost.
  double loss_margin = 2;
  /// AGED: a run is ended only for a job that has waited for a part of its progress: progress / AGED. That bounds what
  /// a wait may cost.
  double loss_age = 24;
  /// CROWD, SHARE, PROBE: shares of the memory that cannot be taken back without loss (policy/triage/memory_shares.h).
  double crowd = 8;
  double share = 3;
  Seconds probe = 18000;
  /// TIED: when the mapping changes, yields are computed again for the jobs that share an overloaded node with the
  /// change, then for the jobs that share one with those, and so on, up to this many jobs. On a large, full cluster
  /// that chain reaches all jobs, changes each of them slightly, and would make decisions slower the larger the cluster
  /// is.
  double tied = 300;
  /// TRIED: a new job that would be crowded has at most this many running jobs tried, the cheapest first, for room of
  /// its own. On a large, full cluster thousands could go, and hardly any of them leaves a node where the job would
  /// fare better.
  double tried = 300;
};

/// The expected cost of a pause of this job, in seconds.
inline Seconds expected_penalty(const JobView& job, const TriageOptions& options) {
  return job.penalty >= 0 ? job.penalty : options.penalty * options.time_scale;
}

/// The expected cost of a move, in seconds: that of a pause unless the view gives another.
inline Seconds expected_move_penalty(const JobView& job, const TriageOptions& options) {
  return job.move_penalty >= 0 ? job.move_penalty : expected_penalty(job, options);
}

}  // namespace dfrs
