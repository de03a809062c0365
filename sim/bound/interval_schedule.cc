// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/interval_schedule.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace dfrs::sim {
namespace {

/// A unit of stretch gives any set of jobs at least the smallest rate x size among them, so undone work of this
/// fraction of that moves the bound by no more than this.
constexpr double kStretchTolerance = 1e-11;

/// A unit of stretch gives a set of jobs at most the platform's speed x the largest size among them, so an overload of
/// this fraction of that moves the bound by at least this.
constexpr double kPlainStep = 1e-6;

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

/// Converts reference-node seconds to integers.
class Scale {
 public:
  explicit Scale(double factor) : factor_(factor) {}
  std::int64_t nearest(double amount) const { return std::llround(amount * factor_); }
  std::int64_t below(double amount) const { return static_cast<std::int64_t>(amount * factor_); }

 private:
  double factor_;
};

/// Maps `largest` into 2^59 .. 2^60.
double scale_factor(double largest) { return std::exp2(std::floor(60 - std::log2(largest))); }

}  // namespace

IntervalSchedule::IntervalSchedule(const CongestedPart& part, double cpu) : part_(part), cpu_(cpu) {
  double total = 0;
  double smallest = std::numeric_limits<double>::infinity();
  Seconds largest_size = 0;
  for (const CongestedJob& job : part) {
    total += job.work;
    smallest = std::min(smallest, job.rate * job.size);
    largest_size = std::max(largest_size, job.size);
  }
  make_windows();
  factor_ = scale_factor(std::max(total, cpu * instants_.back()));
  const Scale scale(factor_);
  tolerance_ = scale.nearest(kStretchTolerance * smallest);
  plain_overload_ = scale.nearest(std::min(kPlainStep * cpu * largest_size, total));
}

void IntervalSchedule::make_windows() {
  instants_.reserve(2 * part_.size());
  for (const CongestedJob& job : part_) {
    instants_.push_back(job.begin);
    instants_.push_back(job.end);
  }
  std::sort(instants_.begin(), instants_.end());
  instants_.erase(std::unique(instants_.begin(), instants_.end()), instants_.end());
  const auto index = [&](Seconds at) {
    return static_cast<std::uint32_t>(std::lower_bound(instants_.begin(), instants_.end(), at) - instants_.begin());
  };
  jobs_.reserve(part_.size());
  for (const CongestedJob& job : part_) jobs_.push_back({index(job.begin), index(job.end), 0, 0, 0, 0});
}

void IntervalSchedule::make_shares() {
  std::size_t shares = 0;
  for (JobState& job : jobs_) {
    job.shares = shares;
    shares += job.end - job.begin;
  }
  shares_.resize(shares);
  alive_.reserve(shares);
  intervals_.resize(instants_.size() - 1);
}

// The data of alive jobs is contiguous, because the loop over it dominates the time for a long log.
template <bool kKeepShares>
IntervalSchedule::Amount IntervalSchedule::run_urgent_first() {
  const Scale scale(factor_);
  struct Alive {
    std::uint32_t end;
    std::uint32_t job;
    double rate;
    Amount undone;
    // Cumulative work that the job's rate allows from instant 0; its differences are limits that add up exactly.
    Amount allowed_by_end;
    Amount allowed_so_far;
    Amount limit;  // in this interval
    Amount done;
  };
  std::vector<Alive> alive;  // by deadline, latest first, so that jobs leave at the end
  Amount platform_so_far = scale.nearest(cpu_ * instants_.front());
  Amount undone = 0;  // of jobs past their deadline
  const auto leave = [&](const Alive& job) {
    undone += job.undone;
    if constexpr (kKeepShares) jobs_[job.job].undone = job.undone;
  };
  std::uint32_t next = 0;
  const auto intervals = static_cast<std::uint32_t>(instants_.size() - 1);
  for (std::uint32_t i = 0; i < intervals; ++i) {
    for (; !alive.empty() && alive.back().end <= i; alive.pop_back()) leave(alive.back());
    for (; next < jobs_.size() && jobs_[next].begin <= i; ++next) {
      const CongestedJob& job = part_[next];
      const auto place = std::lower_bound(alive.begin(), alive.end(), jobs_[next].end,
                                          [](const Alive& a, std::uint32_t end) { return a.end > end; });
      alive.insert(place, {jobs_[next].end, next, job.rate, scale.below(job.work), scale.nearest(job.rate * job.end),
                           scale.nearest(job.rate * job.begin), 0, 0});
    }
    const Amount platform = scale.nearest(cpu_ * instants_[i + 1]);
    Amount spare = platform - platform_so_far;
    platform_so_far = platform;
    for (auto j = alive.rbegin(); j != alive.rend(); ++j) {
      const Amount allowed = scale.nearest(j->rate * instants_[i + 1]);
      j->limit = allowed - j->allowed_so_far;
      j->allowed_so_far = allowed;
      const Amount urgent = j->undone - (j->allowed_by_end - allowed);
      j->done = std::min(std::clamp<Amount>(urgent, 0, j->limit), spare);
      spare -= j->done;
      j->undone -= j->done;
    }
    for (auto j = alive.rbegin(); spare > 0 && j != alive.rend(); ++j) {
      const Amount more = std::min({j->limit - j->done, j->undone, spare});
      j->done += more;
      spare -= more;
      j->undone -= more;
    }
    if constexpr (kKeepShares) {
      intervals_[i] = {alive_.size(), alive_.size() + alive.size(), spare, 0, 0};
      for (auto j = alive.rbegin(); j != alive.rend(); ++j) {
        share(j->job, i) = {j->limit, j->done};
        alive_.push_back(j->job);
      }
    } else if (undone > tolerance_) {
      break;
    }
  }
  for (const Alive& job : alive) leave(job);
  return undone;
}

IntervalSchedule::Amount IntervalSchedule::undone() const {
  Amount total = 0;
  for (const JobState& job : jobs_) total += job.undone;
  return total;
}

std::vector<std::uint32_t> IntervalSchedule::overloaded_jobs() {
  std::vector<std::uint32_t> overloaded;
  // Usually no work has to move. Then the shares, which take most of the memory and time, are not needed.
  if (run_urgent_first<false>() <= tolerance_) return overloaded;
  make_shares();
  run_urgent_first<true>();
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
    // Jobs that reach no spare time already use all the time in their windows that the platform and their rates allow.
    // While others can still move, only a clear overload ends the search: one from rounding could hide a real one
    // elsewhere.
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

// Computes the number of moves from a job's work to spare time. A job can move work into an interval up to its limit
// there; an interval makes room by moving a job that has work in it.
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
