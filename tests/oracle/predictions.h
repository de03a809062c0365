// SPDX-License-Identifier: GPL-2.0-or-later
// Predictors of run times word by word: each prediction is computed from the list of all jobs that have ended. That of
// the learner of SC'15 is tests/oracle/learner.h.
#pragma once

#include <vector>

#include "policy/batch/predict/prediction_rule.h"
#include "sim/host/instance.h"

namespace dfrs::oracle {

/// `ended`: the jobs that have ended, in the order of their ends.
Seconds plain_prediction(const PredictionRule& rule, const sim::Job& job, const std::vector<const sim::Job*>& ended);

/// What to expect of a job that has run for `ran`, which is as long as was expected.
Seconds plain_correction(const PredictionRule& rule, Seconds first, Seconds ran, Seconds request);

}  // namespace dfrs::oracle
