// SPDX-License-Identifier: GPL-2.0-or-later
// Triage's parts and parameters. Every parameter is in seconds, a ratio or a count; docs/reference/triage.md gives the
// reason for each and what happens when it is changed.
#pragma once

#include "policy/core/units.h"
#include "policy/core/view.h"

namespace dfrs {

struct TriageParts {
  enum class Placement {
    load,  ///< the least loaded nodes (policy/rr7659/greedy.h)
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
  /// All of Triage's times are multiplied by it: 0.01 on a cluster where a second stands for 100, so that a job of 0.1
  /// s is what one of 10 s is elsewhere. > 0, finite.
  double time_scale = 1;

  // What follows is fixed by the reasons given, not by fitting; names take it (policy/triage/family.cc) so that anyone
  // can see what it does. All >= 0 and finite.

  /// PATIENCE: what a job that never ran is thought to have waited already. It may be as short as kShort and cannot be
  /// told from a long one, so its case is put before it is bad: after as long a wait again its urgency has doubled.
  Seconds patience = 40;
  /// HOLD: what keeps a running job. A pause costs it the penalty when it comes back, and as much is asked for in
  /// advance, so that two jobs do not displace each other in turns.
  Seconds hold = 300;
  /// NEW, PAUSED: how much more urgent a job must be than the one it displaces: one that never ran; one that ran
  /// already, which pays a penalty, too.
  double margin_new = 1;
  double margin_paused = 1.35;
  /// ROOM: a job that never ran and would get less than this share of its CPU asks for room of its own: with the
  /// urgency 1 / share, since that is the stretch it is heading for, it displaces others if its share is then at least
  /// doubled.
  double elbow_room = 0.5;
  /// OWN: a unit of CPU lost to the job that is placed counts so much more than one lost to a resident. The job's own
  /// loss lasts as long as the job does; residents come and go, and what they lose is mostly given back when the load
  /// changes.
  double own_loss = 20;
  /// YOUNG: residents with less than twice the new job's progress are as likely as not to end first, and have much to
  /// lose in stretch: theirs counts so much more. 1: no difference is made, since none was measured.
  double young_loss = 1;
  /// STRETCH, AGE: weights of the yields grow with this power of the stretch so far, and fall with this one of the
  /// progress. Multiples of 0.5, at most 8.
  double stretch_power = 2;
  double age_power = 0.5;
  /// PERIOD: of the moves of MOVE=GAIN; and the progress that a job must have for one, since younger ones may end
  /// before it has paid.
  Seconds move_period = 300;
  /// PAYS: what such a move must gain, in penalties.
  double move_gain = 2;
  /// TIED: a change of the mapping has others' yields found again: first of those who share an overloaded node with it,
  /// then of those who share one with these, and so on as long as it is no more than so many jobs. On a large cluster
  /// that is full it would be all jobs, each by a little, and a decision would take the longer the larger it is.
  double tied = 1000;
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
