// SPDX-License-Identifier: GPL-2.0-or-later
// Predictors by what the user's earlier jobs took.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "policy/batch/predict/predictor.h"

namespace dfrs {

/// The mean of the user's last two jobs to end, whatever they were; at most the request, and the request until two have
/// ended (Tsafrir, Etsion and Feitelson 2007, section 3.1). Whole seconds, as in the simulator of SC'15. O(1).
class LastTwo final : public Predictor {
 public:
  Seconds predict(const Submission& job) override;
  void completed(const Submission& job, Seconds run_time, Seconds now) override;

 private:
  struct User {
    std::array<Seconds, 2> last{};
    std::size_t ended = 0;
  };
  std::unordered_map<std::uint32_t, User> users_;
};

/// The mean, or a percentile (nearest rank), of the last kMost jobs with the same user, tasks and request; until one
/// has ended, of the user's last kMost jobs; else the request, and never more. O(kMost log kMost).
class LikeJobs final : public Predictor {
 public:
  static constexpr std::size_t kMost = 50;

  LikeJobs() = default;
  explicit LikeJobs(std::uint32_t percent) : percent_(percent) {}
  Seconds predict(const Submission& job) override;
  void completed(const Submission& job, Seconds run_time, Seconds now) override;

 private:
  struct Ring {
    std::vector<Seconds> run_times;
    std::size_t oldest = 0;
    void add(Seconds run_time);
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, Seconds>;
  Seconds value_of(const Ring& ring);

  std::uint32_t percent_ = 0;  // 0: the mean
  std::map<Key, Ring> alike_;
  std::unordered_map<std::uint32_t, Ring> users_;
  std::vector<Seconds> sorted_;
};

}  // namespace dfrs
