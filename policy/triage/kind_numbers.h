// SPDX-License-Identifier: GPL-2.0-or-later
// Small numbers for kinds of jobs, from 0. A kind keeps its number from one call to the next, and each job remembers
// that of its own, so that it is found at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::triage {

template <typename Kind, typename Hash = std::hash<Kind>>
class KindNumbers {
 public:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// The number of the job's kind, which may be new. O(1) on average.
  std::uint32_t number(JobSlot job, const Kind& kind) {
    const std::uint32_t known = find(job, kind);
    if (known != kUnknown) return known;
    const auto fresh = static_cast<std::uint32_t>(kinds_.size());
    kinds_.push_back(kind);
    number_of_.emplace(kind, fresh);
    return last_[job] = fresh;
  }
  /// The same; kUnknown if no job has had that kind.
  std::uint32_t find(JobSlot job, const Kind& kind) const {
    if (job >= last_.size()) last_.resize(std::size_t{job} + 1, kUnknown);
    std::uint32_t& number = last_[job];
    if (number != kUnknown && kinds_[number] == kind) return number;
    const auto known = number_of_.find(kind);
    return number = known == number_of_.end() ? kUnknown : known->second;
  }
  std::size_t size() const { return kinds_.size(); }
  /// Forgets all kinds if there are many more of them than that many jobs could have. O(1) else.
  void forget_beyond(std::size_t jobs) {
    constexpr std::size_t kSpare = 1024;
    if (kinds_.size() <= jobs + kSpare) return;
    number_of_.clear();
    kinds_.clear();
    last_.clear();
  }

 private:
  std::unordered_map<Kind, std::uint32_t, Hash> number_of_;
  std::vector<Kind> kinds_;                  // by number
  mutable std::vector<std::uint32_t> last_;  // by slot: what find() gave last
};

}  // namespace dfrs::triage
