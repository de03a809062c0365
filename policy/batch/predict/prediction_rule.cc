// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/predict/prediction_rule.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "policy/batch/predict/history.h"
#include "policy/batch/predict/learner.h"
#include "policy/core/registry.h"

namespace dfrs {
namespace {

using By = PredictionRule::By;
using Correct = PredictionRule::Correct;

// By value of By; that of a quantile is made from its percentage.
constexpr std::array<std::string_view, 6> kBy{"request", "double", "tsafrir", "mean", "", "sc15"};
constexpr std::array<std::string_view, 3> kCorrect{"request", "steps", "double"};

// The additions of the SC'15 simulator to the first prediction.
constexpr std::array<Seconds, 11> kSteps{60,       5 * 60,    15 * 60,   30 * 60,   3600,      2 * 3600,
                                         5 * 3600, 10 * 3600, 20 * 3600, 50 * 3600, 100 * 3600};

class TwiceTheRequest final : public Predictor {
 public:
  Seconds predict(const Submission& job) override { return 2 * job.request; }
  void completed(const Submission&, Seconds, Seconds) override {}
};

}  // namespace

bool set_predictor(PredictionRule& rule, std::string_view name) {
  for (std::size_t k = 0; k < kBy.size(); ++k) {
    if (kBy[k].empty() || !same_name(name, kBy[k])) continue;
    rule.by = static_cast<By>(k);
    return true;
  }
  if (name.empty() || (name.front() != 'q' && name.front() != 'Q')) return false;
  std::uint32_t percent = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), percent);
  if (error != std::errc() || end != name.data() + name.size() || percent < 1 || percent > 99) return false;
  rule.by = By::quantile;
  rule.percent = percent;
  return true;
}

bool set_correction(PredictionRule& rule, std::string_view name) {
  for (std::size_t k = 0; k < kCorrect.size(); ++k) {
    if (!same_name(name, kCorrect[k])) continue;
    rule.correct = static_cast<Correct>(k);
    return true;
  }
  return false;
}

std::string predictor_name(const PredictionRule& rule) {
  if (rule.by == By::quantile) return "q" + std::to_string(rule.percent);
  return std::string(kBy[static_cast<std::size_t>(rule.by)]);
}

std::string_view correction_name(const PredictionRule& rule) {
  return kCorrect[static_cast<std::size_t>(rule.correct)];
}

std::unique_ptr<Predictor> make_predictor(const PredictionRule& rule) {
  switch (rule.by) {
    case By::request:
      break;
    case By::twice:
      return std::make_unique<TwiceTheRequest>();
    case By::tsafrir:
      return std::make_unique<LastTwo>();
    case By::mean:
      return std::make_unique<LikeJobs>();
    case By::quantile:
      return std::make_unique<LikeJobs>(rule.percent);
    case By::learner:
      return std::make_unique<RunTimeLearner>();
  }
  return nullptr;
}

Seconds corrected(Correct rule, Seconds first, Seconds ran, Seconds request) {
  if (rule == Correct::steps) {
    for (const Seconds step : kSteps) {
      if (first + step > ran) return std::min(first + step, request);
    }
  }
  if (rule == Correct::twice) {
    Seconds longer = std::max(first, 1.0);
    while (longer <= ran && longer < request) longer *= 2;
    return std::min(longer, request);
  }
  return request;
}

}  // namespace dfrs
