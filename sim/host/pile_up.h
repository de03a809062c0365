// SPDX-License-Identifier: GPL-2.0-or-later
// Tells a simulation that runs away from one with a long queue. Under a policy that pauses nothing, each job starts
// once: however long the queue gets, the run ends soon after the last submission. It is otherwise where the jobs that
// pile up are paused and moved again and again: each decision takes longer, penalties eat the progress, and the queue
// grows for hours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dfrs::sim {

class PileUpGuard {
 public:
  static constexpr std::size_t kMany = 5'000;          ///< jobs in the system; then twice as many, and so on
  static constexpr std::uint64_t kChangesPerJob = 50;  ///< that a job which comes may cause

  enum class Finding {
    usual,
    many,      ///< more jobs than ever, twice as many as at the last such finding
    runs_away  ///< and while they doubled, each that came caused more changes than it may
  };

  /// A job was submitted: so many are in the system now, so many have ended, and there were so many starts, pauses,
  /// moves and resumes since the beginning.
  Finding judge(std::size_t jobs, std::size_t ended, std::uint64_t changes);

  /// While the jobs doubled: the changes for each job that came. Of the last finding but `usual`.
  double changes_per_job() const { return changes_per_job_; }

 private:
  std::size_t many_ = kMany;
  std::size_t before_ = 0;     // jobs that had come when there last were half as many, and the queue grew
  std::uint64_t changes_ = 0;  // then
  double changes_per_job_ = 0;
};

}  // namespace dfrs::sim
