// SPDX-License-Identifier: GPL-2.0-or-later
// Estimates the CPU that a job needs from what it uses. Hosts show the result as JobView::cpu_need and announce changes
// with EventKind::changed. All CPU here is a fraction of what the job asked for. No clock is read: hosts pass samples.
//
// - A job that leaves part of its quota unused reveals its need: its use, plus headroom for peaks. A higher need counts
// at
//   once, a lower one gradually, so that a job keeps its CPU while it waits for I/O.
// - A job that uses up its quota hides its need. If the quota was the estimated need, the estimate is too low: each
// sample
//   raises it by a factor until part of the quota stays unused. If the quota was lower because others share the node,
//   the sample does not contradict the estimate, but the estimate ages: it rises by the same factor in half of
//   `memory`, twice as fast as it would fall.
// - The need stays between the floor, so that a job that slept can resume, and 1.
#pragma once

#include <algorithm>

#include "policy/core/units.h"

namespace dfrs {

struct NeedRule {
  double floor = 0.1;      ///< least need, (0, 1]
  double headroom = 1.25;  ///< need per unit of use, >= 1
  double used_up = 0.9;    ///< share of its quota above which a job may be held back by it; x headroom > 1
  double rise = 2;         ///< factor per sample while its estimated need holds a job back, > 1
  Seconds memory = 60;     ///< how long past use counts, roughly; > 0
  double step = 0.1;       ///< relative changes below this are not reported
};

class MeasuredNeed {
 public:
  /// Takes a sample: over `length` seconds the job used `used` of a quota of `quota`. A quota of 1 or more does not
  /// hold a job back. Samples with length <= 0, quota <= 0 or used < 0 are ignored. True if need() has changed. O(1).
  bool sample(double used, double quota, Seconds length, const NeedRule& rule);
  /// The need that policies should assume; at first 1, all that the job asked for.
  double need() const { return reported_; }
  /// Starts over.
  void forget() { level_ = reported_ = 1; }

 private:
  double level_ = 1;
  double reported_ = 1;
};

inline bool MeasuredNeed::sample(double used, double quota, Seconds length, const NeedRule& rule) {
  if (!(length > 0) || !(quota > 0) || !(used >= 0)) return false;
  const double age = length / (length + rule.memory);  // weight of this sample against all before it
  const bool held_back = quota < 1 && used >= rule.used_up * quota;
  if (held_back) {
    const bool refuted = quota >= rule.used_up * level_;
    level_ *= refuted ? rule.rise : 1 + 2 * length / rule.memory * (rule.rise - 1);
    level_ = std::max(level_, used);
  } else {
    const double shown = used * rule.headroom;
    level_ = shown >= level_ ? shown : level_ + age * (shown - level_);
  }
  level_ = std::clamp(level_, rule.floor, 1.0);
  const double far = rule.step * reported_;
  const bool at_an_end = level_ != reported_ && (level_ == 1 || level_ == rule.floor);
  if (!at_an_end && level_ <= reported_ + far && level_ >= reported_ - far) return false;
  reported_ = level_;
  return true;
}

}  // namespace dfrs
