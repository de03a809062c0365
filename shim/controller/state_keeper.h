// SPDX-License-Identifier: GPL-2.0-or-later
// What must survive slurmctld: when it has to be written, and what of the last file no snapshot has shown yet.
#pragma once

#include "shim/controller/job_table.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

class StateWriter;

class StateKeeper {
 public:
  /// `saved`: what the state file said. `writer` may be null: then nothing is kept.
  StateKeeper(SavedState saved, StateWriter* writer) : saved_(std::move(saved)), writer_(writer) {}

  /// Of the file; the observer takes jobs out of it.
  SavedState& saved() { return saved_; }
  Totals& totals() { return saved_.totals; }
  const Totals& totals() const { return saved_.totals; }

  /// Something that the file holds has changed.
  void mark_changed() { changed_ = true; }
  /// The same, and it must be written in this step.
  void mark_urgent() { changed_ = urgent_ = true; }
  /// Hands the state to the writer if it has changed, at most once per kStateInterval unless it is urgent. O(jobs).
  void save_if_due(const JobTable& jobs, bool quotas_in_force, Seconds now);
  /// When a change that waits is to be written; kNever: there is none.
  Seconds due_at(Seconds now) const;

 private:
  SavedState saved_;
  StateWriter* writer_;
  bool changed_ = true;
  bool urgent_ = false;
  Seconds written_at_ = 0;
};

}  // namespace dfrs::shim
