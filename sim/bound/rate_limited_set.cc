// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/rate_limited_set.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

namespace dfrs::sim {
namespace {

/// Steps smaller than this, relative to the stretch, are rounding errors.
constexpr double kStretchTolerance = 1e-13;

}  // namespace

RateLimitedSet::RateLimitedSet(std::span<const BoundJob> jobs, double cpu) : jobs_(jobs), cpu_(cpu) {
  deadlines_.reserve(jobs.size());
}

// Sums in long double: F is compared with a sum of many large terms, and the difference may be down to one small job's
// deadline.
RateLimitedSet::Point RateLimitedSet::at(double stretch) {
  const Seconds origin = jobs_.front().release;
  Point point;
  deadlines_.clear();
  for (const BoundJob& job : jobs_) {
    point.missing += job.work;
    deadlines_.push_back({job.release - origin + stretch * job.size, job.size, job.rate});
  }
  // Just above S, the larger of two jobs with equal deadlines has the later one, and equal releases come before both.
  std::sort(deadlines_.begin(), deadlines_.end(),
            [](const Deadline& a, const Deadline& b) { return std::tie(a.at, a.size) < std::tie(b.at, b.size); });
  const auto usable = [&](long double rate) { return std::min<long double>(cpu_, rate); };
  long double rate = 0;
  Seconds now = 0;
  auto job = jobs_.begin();
  for (const Deadline& deadline : deadlines_) {
    for (; job != jobs_.end() && job->release - origin <= deadline.at; ++job) {
      point.missing -= usable(rate) * (job->release - origin - now);
      now = job->release - origin;
      rate += job->rate;
    }
    point.missing -= usable(rate) * (deadline.at - now);
    now = deadline.at;
    const long double rate_after = rate - deadline.rate;
    point.slope += (usable(rate) - usable(rate_after)) * deadline.size;
    rate = rate_after;
  }
  return point;
}

double RateLimitedSet::stretch_from(double stretch) {
  double low = stretch;
  Point below = at(low);
  if (below.missing <= 0) return low;
  // At this stretch one job's window alone holds all the work.
  long double work = 0;
  for (const BoundJob& job : jobs_) work += job.work;
  double high = std::numeric_limits<double>::infinity();
  for (const BoundJob& job : jobs_)
    high = std::min(high, static_cast<double>(work / (std::min(cpu_, job.rate) * job.size)));
  if (high <= low) return low;
  Point above = at(high);
  const auto exact = [](const Point& point, double where) {
    return std::fabs(point.missing) <= kStretchTolerance * where * point.slope;
  };
  if (exact(above, high)) return high;

  // Newton's step from below is exact if no deadlines swap on the way; otherwise try the secant, then halving.
  enum class Step { newton, secant, halve } step = Step::newton;
  while (high - low > kStretchTolerance * low) {
    double middle = low + (high - low) / 2;
    const double width = high - low;
    if (step == Step::newton && below.slope > 0)
      middle = low + static_cast<double>(below.missing / below.slope);
    else if (step == Step::secant)
      middle = low + static_cast<double>(width * (below.missing / (below.missing - above.missing)));
    if (!(middle > low && middle < high)) {
      if (step == Step::newton && middle <= low) break;  // the step is below the precision of a double
      middle = low + width / 2;
    }
    if (middle <= low || middle >= high) break;
    const Point point = at(middle);
    if (exact(point, middle)) return middle;
    if (point.missing > 0) {
      low = middle;
      below = point;
      step = step == Step::newton || high - low <= width / 2 ? Step::newton : Step::halve;
    } else {
      high = middle;
      above = point;
      step = step == Step::newton ? Step::secant : high - low <= width / 2 ? Step::newton : Step::halve;
    }
  }
  return low;
}

}  // namespace dfrs::sim
