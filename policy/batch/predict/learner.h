// SPDX-License-Identifier: GPL-2.0-or-later
// The learner of Gaussier, Glesser, Reis and Trystram (SC 2015, sections 4.2 and 4.3): online regression, linear in 18
// features of the job and its user, their squares and the products of pairs of the first 16, by normalised adaptive
// gradients (NAG: Ross, Mineiro and Langford, UAI 2013).
//
// The loss is their E-Loss: squared for a prediction that is too long, linear for one that is too short, weighted by
// 1 + log(run time x tasks). Learning rate 5000 and regularisation (L2, 4e9) are those of their published
// configurations.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "policy/batch/predict/predictor.h"

namespace dfrs {

class RunTimeLearner final : public Predictor {
 public:
  static constexpr std::size_t kBase = 19;  ///< a constant 1 and 18 features
  static constexpr std::size_t kPaired = 16;
  static constexpr std::size_t kFeatures = kBase + kPaired * (kPaired - 1) / 2 + (kBase - 1);
  using Features = std::array<double, kFeatures>;

  /// O(features + the user's running jobs).
  Seconds predict(const Submission& job) override;
  void started(const Submission& job, Seconds now) override;
  /// O(features).
  void completed(const Submission& job, Seconds run_time, Seconds now) override;
  void cancelled(const Submission& job) override { seen_.erase(job.job); }
  void forget_present() override;

 private:
  struct Running {
    JobSlot job;
    std::uint32_t tasks;
    Seconds start;
  };
  struct User {
    std::array<Seconds, 3> last{};  // run times, latest first
    std::size_t ended = 0;
    double run_times = 0;  // sums over the jobs that have ended
    double tasks = 0;
    Seconds last_end = 0;
    std::vector<Running> running;
  };

  Features features_of(const Submission& job);
  static void fill_history(const User& user, const Submission& job, Features& x);
  static void fill_present(const User& user, const Submission& job, Features& x);
  double value(const Features& x) const;
  void learn(const Features& x, Seconds run_time, double weight);

  std::unordered_map<std::uint32_t, User> users_;
  std::unordered_map<JobSlot, Features> seen_;  // of the jobs in the system, at their submission
  Features weights_{};
  Features scale_ = filled();      // the largest value of each feature so far
  Features gradients_ = filled();  // sums of squares
  double norm_ = kTiny;
  double steps_ = 1;

  static constexpr double kTiny = 1e-9;
  static constexpr Features filled() {
    Features x{};
    for (double& one : x) one = kTiny;
    return x;
  }
};

}  // namespace dfrs
