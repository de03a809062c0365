// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/rate_limited_set.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

namespace dfrs::sim {
namespace {

/// Steps smaller than this, relative to the stretch, are rounding.
constexpr double kStretchTolerance = 1e-13;

}  // namespace

RateLimitedSet::RateLimitedSet(std::span<const BoundJob> jobs, double cpu) : jobs_(jobs), cpu_(cpu) {
  deadlines_.reserve(jobs.size());
}

// Sums in long double: F is compared with a sum of many large terms, and one small job's deadline may have to make up
// the difference.
RateLimitedSet::Point RateLimitedSet::at(double stretch) {
  const Seconds origin = jobs_.front().release;
  Point point;
  deadlines_.clear();
  for (const BoundJob& job : jobs_) {
    point.missing += job.work;
    deadlines_.push_back({job.release - origin + stretch * job.size, job.size, job.rate});
  }
  // Just above S, of equal deadlines the larger job's is later, and equal releases are earlier than all of them.
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
  // One job's time alone may be enough for all the work.
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

  // Newton's step from below is exact once no deadline changes places on the way; else the secant, else halves.
  enum class Step { newton, secant, halve } step = Step::newton;
  while (high - low > kStretchTolerance * low) {
    double middle = low + (high - low) / 2;
    const double width = high - low;
    if (step == Step::newton && below.slope > 0)
      middle = low + static_cast<double>(below.missing / below.slope);
    else if (step == Step::secant)
      middle = low + static_cast<double>(width * (below.missing / (below.missing - above.missing)));
    if (!(middle > low && middle < high)) {
      if (step == Step::newton && middle <= low) break;  // nothing left that a double could show
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
