// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/prediction_errors.h"

#include <algorithm>
#include <cmath>

#include "sim/host/simulation.h"
#include "sim/metrics/metrics.h"

namespace dfrs::sim {
namespace {

// Shows the predictors what a batch policy would see of the run.
class Predictors final : public StepObserver {
 public:
  Predictors(const Instance& instance, std::span<const PredictionRule> rules) : instance_(instance) {
    for (const PredictionRule& rule : rules) predictors_.push_back(make_predictor(rule));
    predicted_.resize(rules.size(), std::vector<Seconds>(instance.jobs.size()));
  }

  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    for (const Event& event : events) {
      const Submission job = submission(event.job);
      if (event.kind == EventKind::completed) {
        for (auto& predictor : predictors_) {
          if (predictor) predictor->completed(job, view.jobs[event.job].virtual_time(view.now), view.now);
        }
      } else if (event.kind == EventKind::submitted) {
        for (std::size_t k = 0; k < predictors_.size(); ++k) {
          predicted_[k][event.job] = predictors_[k] ? predictors_[k]->predict(job) : job.request;
        }
      }
    }
    for (const Decision& decision : decisions.placements) {
      for (auto& predictor : predictors_) {
        if (predictor) predictor->started(submission(decision.job), view.now);
      }
    }
  }

  const std::vector<Seconds>& predicted(std::size_t rule) const { return predicted_[rule]; }

 private:
  // With an observer, slots are indices of jobs.
  Submission submission(JobSlot slot) const {
    const Job& job = instance_.jobs[slot];
    return {slot, job.user, static_cast<std::uint32_t>(job.tasks), job.estimate, job.submit};
  }

  const Instance& instance_;
  std::vector<std::unique_ptr<Predictor>> predictors_;
  std::vector<std::vector<Seconds>> predicted_;  // by rule and job
};

PredictionError error_of(const Instance& instance, const std::vector<Seconds>& predicted) {
  PredictionError error;
  std::vector<double> factors;
  const auto jobs = static_cast<double>(instance.jobs.size());
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
    const Seconds run_time = instance.jobs[k].run_time;
    const double factor = std::max(predicted[k], 1.0) / std::max(run_time, 1.0);
    factors.push_back(factor);
    error.mean += std::abs(predicted[k] - run_time) / jobs;
    error.within_twice += factor >= 0.5 && factor <= 2 ? 1 / jobs : 0;
    error.too_short += predicted[k] < run_time ? 1 / jobs : 0;
  }
  error.median_factor = take_nearest_rank(factors, 0.5);
  return error;
}

}  // namespace

Result<std::vector<PredictionError>> prediction_errors(const Instance& instance,
                                                       std::span<const PredictionRule> rules) {
  Predictors predictors(instance, rules);
  const RunOutcome run = simulate(instance, parse_algorithm("EASY/backfill=SJF").value(), {}, &predictors);
  if (!run) return tl::unexpected(run.error());
  std::vector<PredictionError> errors;
  for (std::size_t k = 0; k < rules.size(); ++k) errors.push_back(error_of(instance, predictors.predicted(k)));
  return errors;
}

}  // namespace dfrs::sim
