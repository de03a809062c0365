// SPDX-License-Identifier: GPL-2.0-or-later
// The expected run times of the jobs in the system, for policies that plan with them. Lets a predictor see what it may
// see, and corrects predictions that jobs outlive.
#pragma once

#include <memory>
#include <vector>

#include "policy/batch/predict/prediction_rule.h"
#include "policy/core/view.h"

namespace dfrs {

class Forecast {
 public:
  explicit Forecast(const PredictionRule& rule) : rule_(rule), predictor_(make_predictor(rule)) {}

  /// Whether expected run times are other than the users' estimates.
  bool predicts() const { return predictor_ != nullptr; }
  /// Starts over with the jobs of a view, which submitted() and started() then show. What has been learnt stays.
  void reset();
  /// The expected run time of a job that is submitted.
  Seconds submitted(const ClusterView& view, const Estimates& estimates, JobSlot job);
  void started(JobSlot job, Seconds now);
  /// The job ended or was cancelled; its view still shows how long it ran. At yield 1 that is its virtual time.
  void completed(const ClusterView& view, JobSlot job);
  /// The run time to expect of a job that has run for `ran`, as long as its prediction or longer.
  Seconds outlived(JobSlot job, Seconds ran) const;

 private:
  struct Entry {
    Submission submission;
    Seconds first = 0;  // prediction
    bool started = false;
  };
  PredictionRule rule_;
  std::unique_ptr<Predictor> predictor_;
  std::vector<Entry> entries_;  // by slot
};

}  // namespace dfrs
