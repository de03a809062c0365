// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/predict/forecast.h"

#include <algorithm>

namespace dfrs {

void Forecast::reset() {
  if (!predicts()) return;
  entries_.clear();
  predictor_->forget_present();
}

Seconds Forecast::submitted(const ClusterView& view, const Estimates& estimates, JobSlot job) {
  const Seconds request = estimates.run_time[job];
  if (!predicts()) return request;
  if (job >= entries_.size()) entries_.resize(std::max<std::size_t>(view.jobs.size(), job + 1));
  const JobView& spec = view.jobs[job];
  Entry& entry = entries_[job];
  entry.submission = {job, spec.user, spec.tasks, request, spec.submit};
  entry.first = predictor_->predict(entry.submission);
  entry.started = false;
  return entry.first;
}

void Forecast::started(JobSlot job, Seconds now) {
  if (!predicts()) return;
  entries_[job].started = true;
  predictor_->started(entries_[job].submission, now);
}

void Forecast::completed(const ClusterView& view, JobSlot job) {
  if (!predicts() || job >= entries_.size()) return;
  const Entry& entry = entries_[job];
  if (entry.started) {
    predictor_->completed(entry.submission, view.jobs[job].virtual_time(view.now), view.now);
  } else {
    predictor_->cancelled(entry.submission);
  }
}

Seconds Forecast::outlived(JobSlot job, Seconds ran) const {
  constexpr Seconds kRounding = 1e-6;
  const Entry& entry = entries_[job];
  return corrected(rule_.correct, entry.first, ran + kRounding, entry.submission.request);
}

}  // namespace dfrs
