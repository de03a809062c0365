// SPDX-License-Identifier: GPL-2.0-or-later
// Decides when the state is saved, and keeps the saved jobs that no snapshot has shown yet.
#pragma once

#include "shim/controller/job_table.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

class StateWriter;

class StateKeeper {
 public:
  /// `saved`: the content of the state file. `writer` null: nothing is saved.
  StateKeeper(SavedState saved, StateWriter* writer) : saved_(std::move(saved)), writer_(writer) {}

  /// The content of the file; the observer takes jobs out of it.
  SavedState& saved() { return saved_; }
  Totals& totals() { return saved_.totals; }
  const Totals& totals() const { return saved_.totals; }

  /// The file is out of date.
  void mark_changed() { changed_ = true; }
  /// The same, and it must be updated in this step.
  void mark_urgent() { changed_ = urgent_ = true; }
  /// Hands the state to the writer if it has changed, at most once per kStateInterval unless it is urgent. O(jobs).
  void save_if_due(const JobTable& jobs, bool quotas_in_force, Seconds now);
  /// When a pending change is due to be written; kNever: there is none.
  Seconds due_at(Seconds now) const;

 private:
  SavedState saved_;
  StateWriter* writer_;
  bool changed_ = true;
  bool urgent_ = false;
  Seconds written_at_ = 0;
};

}  // namespace dfrs::shim
