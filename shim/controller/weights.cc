// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/weights.h"

#include <algorithm>
#include <cmath>

namespace dfrs::shim {
namespace {

// 0 if the job has none.
double value_of(const Job& job, WeightRule rule) {
  switch (rule) {
    case WeightRule::none:
      return 0;
    case WeightRule::priority:
      return job.facts.priority;
    case WeightRule::qos:
      return 1.0 + job.facts.qos_priority;
    case WeightRule::fair_share:
      return job.facts.fair_share >= 0 ? std::max(job.facts.fair_share, kLeastFairShare) : 0;
  }
  return 0;
}

// To two digits, so that small changes of the mean do not change the weights of all jobs.
double rounded(double weight) {
  const double step = weight < 1 ? 0.01 : 0.1;
  return std::round(weight / step) * step;
}

}  // namespace

void set_weights(JobTable& jobs, WeightRule rule, Changes& changes) {
  double sum = 0;
  std::size_t count = 0;
  bool changed = false;
  jobs.each([&](Job& job) {
    const double value = job.facts.phase == DFRS_JOB_ENDING ? 0 : value_of(job, rule);
    if (value != job.policy.weight_source) {
      job.policy.weight_source = value;
      changed = true;
      changes.changed.push_back(&job);
    }
    if (!(value > 0)) return;
    sum += value;
    ++count;
  });
  if (!changed && count == 0) return;  // all weights are 1 as they were
  const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
  jobs.each([&](Job& job) {
    const double value = job.policy.weight_source;
    job.policy.weight = value > 0 ? rounded(std::clamp(value / mean, kLeastWeight, kMostWeight)) : 1;
  });
}

}  // namespace dfrs::shim
