// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/interval_schedule.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace dfrs::sim {
namespace {

/// Each unit of the stretch gives every set of jobs at least the smallest rate x size of them: undone work up to this
/// part of it moves the bound by as little.
constexpr double kStretchTolerance = 1e-11;

/// Each unit of the stretch gives a set of jobs at most the platform's speed x the largest size of them: an overload of
/// this part of it moves the bound by at least as much.
constexpr double kPlainStep = 1e-6;

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

/// From reference-node seconds to integers.
class Scale {
 public:
  /// `largest` becomes 2^59 to 2^60.
  explicit Scale(double largest) : factor_(std::exp2(std::floor(60 - std::log2(largest)))) {}
  std::int64_t nearest(double amount) const { return std::llround(amount * factor_); }
  std::int64_t below(double amount) const { return static_cast<std::int64_t>(amount * factor_); }

 private:
  double factor_;
};

}  // namespace

IntervalSchedule::IntervalSchedule(const CongestedPart& part, double cpu) {
  make_windows(part);
  run_urgent_first(part, cpu);
}

void IntervalSchedule::make_windows(const CongestedPart& part) {
  instants_.reserve(2 * part.size());
  for (const CongestedJob& job : part) {
    instants_.push_back(job.begin);
    instants_.push_back(job.end);
  }
  std::sort(instants_.begin(), instants_.end());
  instants_.erase(std::unique(instants_.begin(), instants_.end()), instants_.end());
  const auto index = [&](Seconds at) {
    return static_cast<std::uint32_t>(std::lower_bound(instants_.begin(), instants_.end(), at) - instants_.begin());
  };
  std::size_t shares = 0;
  jobs_.reserve(part.size());
  for (const CongestedJob& job : part) {
    jobs_.push_back({index(job.begin), index(job.end), shares, 0, 0, 0});
    shares += jobs_.back().end - jobs_.back().begin;
  }
  shares_.resize(shares);
  alive_.reserve(shares);
  intervals_.resize(instants_.size() - 1);
}

void IntervalSchedule::run_urgent_first(const CongestedPart& part, double cpu) {
  double total = 0;
  double smallest = std::numeric_limits<double>::infinity();
  Seconds largest_size = 0;
  for (const CongestedJob& job : part) {
    total += job.work;
    smallest = std::min(smallest, job.rate * job.size);
    largest_size = std::max(largest_size, job.size);
  }
  const Scale scale(std::max(total, cpu * instants_.back()));
  tolerance_ = scale.nearest(kStretchTolerance * smallest);
  plain_overload_ = scale.nearest(std::min(kPlainStep * cpu * largest_size, total));

  // What a job's rate, or the platform, allows from instant 0 on: differences of it are limits that add up exactly.
  std::vector<Amount> allowed_by_end(part.size());
  std::vector<Amount> allowed_so_far(part.size());
  for (std::size_t j = 0; j < part.size(); ++j) {
    jobs_[j].undone = scale.below(part[j].work);
    allowed_by_end[j] = scale.nearest(part[j].rate * part[j].end);
    allowed_so_far[j] = scale.nearest(part[j].rate * part[j].begin);
  }
  Amount platform_so_far = scale.nearest(cpu * instants_.front());

  std::vector<std::uint32_t> alive;  // by deadline
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < intervals_.size(); ++i) {
    std::erase_if(alive, [&](std::uint32_t j) { return jobs_[j].end <= i; });
    for (; next < jobs_.size() && jobs_[next].begin <= i; ++next) {
      const auto place = std::upper_bound(alive.begin(), alive.end(), jobs_[next].end,
                                          [&](std::uint32_t end, std::uint32_t j) { return end < jobs_[j].end; });
      alive.insert(place, next);
    }
    const Amount platform = scale.nearest(cpu * instants_[i + 1]);
    Amount spare = platform - platform_so_far;
    platform_so_far = platform;
    for (const std::uint32_t j : alive) {
      const Amount allowed = scale.nearest(part[j].rate * instants_[i + 1]);
      Share& now = share(j, i);
      now.limit = allowed - allowed_so_far[j];
      allowed_so_far[j] = allowed;
      const Amount urgent = jobs_[j].undone - (allowed_by_end[j] - allowed);
      now.done = std::min(std::clamp<Amount>(urgent, 0, now.limit), spare);
      spare -= now.done;
      jobs_[j].undone -= now.done;
    }
    for (auto j = alive.begin(); spare > 0 && j != alive.end(); ++j) {
      Share& now = share(*j, i);
      const Amount more = std::min({now.limit - now.done, jobs_[*j].undone, spare});
      now.done += more;
      spare -= more;
      jobs_[*j].undone -= more;
    }
    intervals_[i] = {alive_.size(), alive_.size() + alive.size(), spare, 0, 0};
    alive_.insert(alive_.end(), alive.begin(), alive.end());
  }
}

IntervalSchedule::Amount IntervalSchedule::undone() const {
  Amount total = 0;
  for (const JobState& job : jobs_) total += job.undone;
  return total;
}

std::vector<std::uint32_t> IntervalSchedule::overloaded_jobs() {
  std::vector<std::uint32_t> overloaded;
  while (undone() > tolerance_) {
    measure_distances();
    Amount stuck = 0;
    bool movable = false;
    for (const JobState& job : jobs_) {
      if (job.distance == kUnreached)
        stuck += job.undone;
      else if (job.undone > 0)
        movable = true;
    }
    // Jobs that reach no spare time fill, together or at their rates, all the time in their windows. While others can
    // still move, only a plain overload ends the search: one by rounding could hide a real one elsewhere.
    if (stuck > (movable ? plain_overload_ : tolerance_)) {
      for (std::uint32_t j = 0; j < jobs_.size(); ++j)
        if (jobs_[j].distance == kUnreached) overloaded.push_back(j);
      break;
    }
    if (!movable) break;
    for (std::uint32_t j = 0; j < jobs_.size(); ++j)
      while (jobs_[j].undone > 0 && jobs_[j].distance != kUnreached && find_path(j)) apply_path();
  }
  return overloaded;
}

// Moves needed until a job's work ends in spare time: a job can move work into an interval up to its limit, an interval
// makes room by a move of a job that has some work done in it.
void IntervalSchedule::measure_distances() {
  interval_queue_.clear();
  job_queue_.clear();
  for (JobState& job : jobs_) {
    job.distance = kUnreached;
    job.candidate = job.begin;
  }
  for (std::uint32_t i = 0; i < intervals_.size(); ++i) {
    IntervalState& interval = intervals_[i];
    interval.distance = interval.spare > 0 ? 0 : kUnreached;
    interval.candidate = interval.alive;
    if (interval.spare > 0) interval_queue_.push_back(i);
  }
  for (std::uint32_t distance = 1; !interval_queue_.empty(); ++distance) {
    job_queue_.clear();
    for (const std::uint32_t i : interval_queue_) {
      for (std::size_t a = intervals_[i].alive; a < intervals_[i].alive_end; ++a) {
        const std::uint32_t j = alive_[a];
        if (jobs_[j].distance != kUnreached) continue;
        const Share& there = share(j, i);
        if (there.done == there.limit) continue;
        jobs_[j].distance = distance;
        job_queue_.push_back(j);
      }
    }
    interval_queue_.clear();
    for (const std::uint32_t j : job_queue_) {
      const Share* shares = &shares_[jobs_[j].shares];
      for (std::uint32_t i = jobs_[j].begin; i < jobs_[j].end; ++i, ++shares) {
        if (intervals_[i].distance != kUnreached || shares->done == 0) continue;
        intervals_[i].distance = distance;
        interval_queue_.push_back(i);
      }
    }
  }
}

bool IntervalSchedule::find_path(std::uint32_t start) {
  path_.clear();
  std::uint32_t job = start;
  for (bool at_job = true;;) {
    if (at_job) {
      JobState& from = jobs_[job];
      while (from.candidate < from.end && !(intervals_[from.candidate].distance + 1 == from.distance &&
                                            share(job, from.candidate).done < share(job, from.candidate).limit))
        ++from.candidate;
      at_job = false;
      if (from.candidate < from.end) {
        path_.push_back({job, from.candidate});
      } else {
        if (path_.empty()) return false;
        ++intervals_[path_.back().interval].candidate;
      }
      continue;
    }
    const Move last = path_.back();
    IntervalState& interval = intervals_[last.interval];
    if (interval.distance == 0 && interval.spare > 0) return true;
    if (interval.distance > 0) {
      while (interval.candidate < interval.alive_end &&
             !(jobs_[alive_[interval.candidate]].distance == interval.distance &&
               share(alive_[interval.candidate], last.interval).done > 0))
        ++interval.candidate;
    }
    at_job = true;
    if (interval.distance > 0 && interval.candidate < interval.alive_end) {
      job = alive_[interval.candidate];
    } else {
      job = last.job;
      ++jobs_[job].candidate;
      path_.pop_back();
    }
  }
}

void IntervalSchedule::apply_path() {
  Amount amount = std::min(jobs_[path_.front().job].undone, intervals_[path_.back().interval].spare);
  for (std::size_t m = 0; m < path_.size(); ++m) {
    const Share& into = share(path_[m].job, path_[m].interval);
    amount = std::min(amount, into.limit - into.done);
    if (m > 0) amount = std::min(amount, share(path_[m].job, path_[m - 1].interval).done);
  }
  jobs_[path_.front().job].undone -= amount;
  intervals_[path_.back().interval].spare -= amount;
  for (std::size_t m = 0; m < path_.size(); ++m) {
    share(path_[m].job, path_[m].interval).done += amount;
    if (m > 0) share(path_[m].job, path_[m - 1].interval).done -= amount;
  }
}

}  // namespace dfrs::sim
