// SPDX-License-Identifier: GPL-2.0-or-later
// How far predictions of run times are off, at the submissions of a log.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/batch/predict/prediction_rule.h"
#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

struct PredictionError {
  double mean = 0;           ///< of |predicted - run time|, s
  double median_factor = 1;  ///< of predicted / run time, both at least 1 s
  double within_twice = 0;   ///< share of jobs predicted within a factor of 2
  double too_short = 0;      ///< share of jobs that outlive their prediction
};

/// One per rule. The jobs run under EASY with shortest requests first, so that all predictors learn from the same ends
/// at the same times. Errors: those of simulate().
Result<std::vector<PredictionError>> prediction_errors(const Instance& instance, std::span<const PredictionRule> rules);

}  // namespace dfrs::sim
