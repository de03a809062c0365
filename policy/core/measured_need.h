// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU that a job needs, found out by watching what it uses. For hosts: they show it as JobView::cpu_need and say so
// with EventKind::changed. Pure: no clock, samples are handed in. All CPU here is in parts of what the job asked for.
//
// - A job that leaves some of its quota unused shows its need: what it uses, and some headroom for its peaks. A greater
//   need than was known counts at once, a smaller one little by little, so that a job that pauses to read or write
//   keeps its CPU.
// - A job that uses up its quota hides its need. Where the quota was all that it was thought to need, that was wrong:
//   the estimate is raised by a factor, with each sample, until some is left unused. Where the quota was less, because
//   others share the node, nothing is known against the estimate, but it grows old: it rises too, by that factor in
//   half of `memory`, twice as fast as it would fall.
// - Never below the floor, so that a job that slept can begin again, nor above 1.
#pragma once

#include <algorithm>

#include "policy/core/units.h"

namespace dfrs {

struct NeedRule {
  double floor = 0.1;      ///< least need, (0, 1]
  double headroom = 1.25;  ///< need per use, >= 1
  double used_up = 0.9;    ///< a job that uses so much of its quota may have been held back by it; x headroom > 1
  double rise = 2;         ///< factor per sample while the quota that it was thought to need holds it back, > 1
  Seconds memory = 60;     ///< how long ago use still counts, roughly; > 0
  double step = 0.1;       ///< relative changes below this are not reported
};

class MeasuredNeed {
 public:
  /// Over `length` s (> 0; nothing is learnt otherwise) the job used `used` of a quota of `quota` (> 0; of 1 or more:
  /// it was not held back). True if need() has changed. O(1).
  bool sample(double used, double quota, Seconds length, const NeedRule& rule);
  /// What policies are to count with: 1 at first, all that was asked for.
  double need() const { return reported_; }
  /// A new beginning.
  void forget() { level_ = reported_ = 1; }

 private:
  double level_ = 1;
  double reported_ = 1;
};

inline bool MeasuredNeed::sample(double used, double quota, Seconds length, const NeedRule& rule) {
  if (!(length > 0) || !(quota > 0) || !(used >= 0)) return false;
  const double age = length / (length + rule.memory);  // weight of this sample beside all before it
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
