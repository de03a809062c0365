// SPDX-License-Identifier: GPL-2.0-or-later
// The learner of SC'15 word by word. Each prediction counts the features in the list of all jobs, and repeats every
// step of learning from the first job on.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "policy/batch/predict/predictor.h"

namespace dfrs::oracle {

class PlainLearner {
 public:
  Seconds predict(const Submission& job);
  void started(const Submission& job, Seconds now);
  void completed(const Submission& job, Seconds run_time, Seconds now);

 private:
  struct PastJob {
    Submission what;
    std::vector<double> features;  // at its submission
    std::optional<Seconds> start;
    std::optional<Seconds> run_time;
    Seconds end = 0;
    std::size_t place = 0;  // among the ends
  };

  PastJob& find(const Submission& job);
  std::vector<const PastJob*> ended() const;
  std::vector<double> features_of(const Submission& job) const;
  std::vector<double> weights() const;

  std::vector<PastJob> jobs_;
  std::size_t ends_ = 0;
};

}  // namespace dfrs::oracle
