// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/predict/learner.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dfrs {
namespace {

constexpr double kRate = 5000;
constexpr double kRegularisation = 4e9;

}  // namespace

Seconds RunTimeLearner::predict(const Submission& job) {
  const Features x = features_of(job);
  seen_[job.job] = x;
  const double expected = std::floor(std::abs(value(x)));
  return std::min(job.request, std::isfinite(expected) ? std::max(1.0, expected) : job.request);
}

void RunTimeLearner::started(const Submission& job, Seconds now) {
  users_[job.user].running.push_back({job.job, job.tasks, now});
}

void RunTimeLearner::completed(const Submission& job, Seconds run_time, Seconds now) {
  User& user = users_[job.user];
  std::erase_if(user.running, [&](const Running& running) { return running.job == job.job; });
  user.last = {run_time, user.last[0], user.last[1]};
  ++user.ended;
  user.run_times += run_time;
  user.tasks += job.tasks;
  user.last_end = now;
  const auto seen = seen_.find(job.job);
  if (seen == seen_.end()) return;
  learn(seen->second, run_time, 1 + std::log(std::max(run_time, 1.0) * job.tasks));
  seen_.erase(seen);
}

void RunTimeLearner::forget_present() {
  seen_.clear();
  for (auto& [number, user] : users_) user.running.clear();
}

RunTimeLearner::Features RunTimeLearner::features_of(const Submission& job) {
  Features x{};
  const User& user = users_[job.user];
  x[0] = 1;
  fill_history(user, job, x);
  fill_present(user, job, x);
  const auto angle = [&](Seconds cycle) { return 2 * std::numbers::pi * std::fmod(job.submit, cycle) / cycle; };
  constexpr Seconds kDay = 24 * 3600;
  x[14] = std::cos(angle(kDay));
  x[15] = std::sin(angle(kDay));
  x[16] = std::cos(angle(7 * kDay));
  x[17] = std::sin(angle(7 * kDay));
  x[18] = job.tasks;
  std::size_t next = kBase;
  for (std::size_t a = 1; a <= kPaired; ++a) {
    for (std::size_t b = a + 1; b <= kPaired; ++b) x[next++] = x[a] * x[b];
  }
  for (std::size_t a = 1; a < kBase; ++a) x[next++] = x[a] * x[a];
  return x;
}

// What the user's last three jobs took, the request, means, and the time since the last end. A missing run time is the
// request.
void RunTimeLearner::fill_history(const User& user, const Submission& job, Features& x) {
  for (std::size_t k = 0; k < 3; ++k) x[1 + k] = k < user.ended ? std::min(job.request, user.last[k]) : job.request;
  x[4] = job.request;
  x[5] = user.ended >= 2 ? (x[1] + x[2]) / 2 : x[1];
  x[6] = user.ended >= 3 ? (x[1] + x[2] + x[3]) / 3 : x[5];
  if (user.ended == 0) return;
  const auto ended = static_cast<double>(user.ended);
  x[7] = user.run_times / ended;
  x[8] = std::max(0.0, job.submit - user.last_end);
  x[9] = job.tasks / (user.tasks / ended);
}

// The user's running jobs: nodes, sum of the times so far, number, longest time so far.
void RunTimeLearner::fill_present(const User& user, const Submission& job, Features& x) {
  for (const Running& running : user.running) {
    const Seconds so_far = std::max(0.0, job.submit - running.start);
    x[10] += running.tasks;
    x[11] += so_far;
    x[12] += 1;
    x[13] = std::max(x[13], so_far);
  }
}

double RunTimeLearner::value(const Features& x) const {
  double sum = 0;
  for (std::size_t k = 0; k < kFeatures; ++k) sum += weights_[k] * x[k];
  return sum;
}

void RunTimeLearner::learn(const Features& x, Seconds run_time, double weight) {
  for (std::size_t k = 0; k < kFeatures; ++k) {
    const double size = std::abs(x[k]);
    if (size > scale_[k]) {
      weights_[k] *= scale_[k] / size;
      scale_[k] = size;
    }
    norm_ += x[k] * x[k] / (scale_[k] * scale_[k]);
  }
  const double error = value(x) - run_time;
  // Of the loss, by the predicted value.
  const double slope = error > 0 ? 2 * weight * error : error < 0 ? -weight : 0;
  for (std::size_t k = 0; k < kFeatures; ++k) {
    const double gradient = slope * x[k] + kRegularisation * weights_[k];
    gradients_[k] += gradient * gradient;
    weights_[k] -= kRate * gradient / (std::sqrt(norm_ * gradients_[k] / steps_) * scale_[k]);
  }
  steps_ += 2;
}

}  // namespace dfrs
