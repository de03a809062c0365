// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/predictions.h"

#include <algorithm>
#include <cmath>

namespace dfrs::oracle {

Seconds plain_prediction(const PredictionRule& rule, const sim::Job& job, const std::vector<const sim::Job*>& ended) {
  using By = PredictionRule::By;
  std::vector<Seconds> users, alike;  // run times, latest first
  for (auto earlier = ended.rbegin(); earlier != ended.rend(); ++earlier) {
    if ((*earlier)->user != job.user) continue;
    users.push_back((*earlier)->run_time);
    if ((*earlier)->tasks == job.tasks && (*earlier)->estimate == job.estimate) alike.push_back((*earlier)->run_time);
  }
  if (rule.by == By::twice) return 2 * job.estimate;
  if (rule.by == By::tsafrir && users.size() >= 2) {
    return std::min(job.estimate, std::floor((users[0] + users[1]) / 2));
  }
  if (rule.by != By::mean && rule.by != By::quantile) return job.estimate;
  std::vector<Seconds>& from = alike.empty() ? users : alike;
  if (from.size() > 50) from.resize(50);
  if (from.empty()) return job.estimate;
  if (rule.by == By::mean) {
    Seconds sum = 0;
    for (const Seconds run_time : from) sum += run_time;
    return std::min(job.estimate, sum / static_cast<double>(from.size()));
  }
  std::sort(from.begin(), from.end());
  // The least that at least so many percent do not exceed.
  std::size_t k = 0;
  while ((k + 1) * 100 < rule.percent * from.size()) ++k;
  return std::min(job.estimate, from[k]);
}

Seconds plain_correction(const PredictionRule& rule, Seconds first, Seconds ran, Seconds request) {
  Seconds expected = request;
  if (rule.correct == PredictionRule::Correct::steps) {
    const double minutes[] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000};
    const auto* step = std::find_if(std::begin(minutes), std::end(minutes),
                                    [&](double more) { return first + more * 60 > ran + 1e-6; });
    if (step != std::end(minutes)) expected = first + *step * 60;
  } else if (rule.correct == PredictionRule::Correct::twice) {
    expected = std::max(1.0, first);
    while (expected <= ran + 1e-6 && expected < request) expected = 2 * expected;
  }
  return std::min(expected, request);
}

}  // namespace dfrs::oracle
