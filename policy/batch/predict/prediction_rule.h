// SPDX-License-Identifier: GPL-2.0-or-later
// How run times are predicted, and what follows when a job outlives its prediction: the names and their meaning.
//
//   request   the user's request                     double   twice the request
//   tsafrir   mean of the user's last two jobs (Tsafrir, Etsion and Feitelson 2007, section 3.1)
//   mean      mean of the last jobs of the same user, size and request
//   q1 .. q99 that percentile of them                sc15     the learner of SC 2015 (policy/batch/predict/learner.h)
//
// Corrections (SC 2015, section 4.4):
//
//   request   expect the request                     double   double the prediction until it is long enough
//   steps     the first prediction and 1 min, 5 min, 15 min, 30 min, 1 h, 2 h, 5 h, 10 h, 20 h, 50 h, 100 h
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "policy/batch/predict/predictor.h"

namespace dfrs {

struct PredictionRule {
  enum class By : std::uint8_t { request, twice, tsafrir, mean, quantile, learner };
  enum class Correct : std::uint8_t { request, steps, twice };
  By by = By::request;
  std::uint32_t percent = 50;  ///< of By::quantile, 1 .. 99
  Correct correct = Correct::request;

  /// Whether it is more than taking users at their word.
  bool predicts() const { return by != By::request; }
};

/// Sets the predictor or the correction by its name; case does not matter. False: there is none of that name.
bool set_predictor(PredictionRule& rule, std::string_view name);
bool set_correction(PredictionRule& rule, std::string_view name);
std::string predictor_name(const PredictionRule& rule);
std::string_view correction_name(const PredictionRule& rule);
inline constexpr std::string_view kPredictorNames = "request, double, tsafrir, mean, q1 to q99, sc15";
inline constexpr std::string_view kCorrectionNames = "request, steps, double";

/// The predictor; null if the rule takes users at their word.
std::unique_ptr<Predictor> make_predictor(const PredictionRule& rule);

/// The run time to expect of a job that has run for `ran` and was first expected to run for `first`: above `ran`, or
/// the request if even that has passed. At most the request.
Seconds corrected(PredictionRule::Correct rule, Seconds first, Seconds ran, Seconds request);

}  // namespace dfrs
