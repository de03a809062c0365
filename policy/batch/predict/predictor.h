// SPDX-License-Identifier: GPL-2.0-or-later
// Predictors of run times, for backfilling (Gaussier, Glesser, Reis and Trystram, SC 2015, section 4).
//
// A predictor sees submissions, starts and completions, and nothing else. None of these calls has a view or the
// estimates of the host, so the run time of a job that has not ended is out of its reach.
#pragma once

#include <cstdint>

#include "policy/core/units.h"

namespace dfrs {

/// What is known of a job when it is submitted.
struct Submission {
  JobSlot job = kNoSlot;    ///< tells jobs in the system apart; another job may have it after the completion
  std::uint32_t user = 0;   ///< JobView::user
  std::uint32_t tasks = 1;  ///< one node each
  Seconds request = 0;      ///< run time by the user's estimate, >= 0
  Seconds submit = 0;
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  /// The run time to expect of a job that is submitted now: >= 0, finite. A later call for the same job replaces the
  /// first.
  virtual Seconds predict(const Submission& job) = 0;
  /// A job that has been submitted starts.
  virtual void started(const Submission& /*job*/, Seconds /*now*/) {}
  /// A job that has started has ended.
  virtual void completed(const Submission& job, Seconds run_time, Seconds now) = 0;
  /// A job that has been submitted leaves without having started.
  virtual void cancelled(const Submission& /*job*/) {}
  /// Forgets the jobs in the system, but not what completed jobs have taught.
  virtual void forget_present() {}
};

}  // namespace dfrs
