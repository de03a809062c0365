// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/deadlines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dfrs::divisible {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kSource = 0;
constexpr std::uint32_t kSink = 1;
constexpr std::uint32_t kFirstTask = 2;

// Work in units: the total is at most 2^58 units, so that a unit is far below the rounding error of doubles.
constexpr int kUnitBits = 58;
// Costs: the most expensive unit of work costs 2^30; leaving one undone costs more than any detour of others.
constexpr double kDearest = 1 << 30;
constexpr std::int64_t kUndoneCost = std::int64_t{1} << 42;

// The network of an objective: source -> task -> (databank, interval) -> (site, interval) -> sink.
class TimedNetwork {
 public:
  TimedNetwork(const Platform& platform, std::span<const Task> tasks, double objective)
      : platform_(platform), tasks_(tasks) {
    for (const Task& task : tasks) {
      epochs_.push_back(task.release);
      epochs_.push_back(task.deadline(objective));
      total_ += task.work;
    }
    std::sort(epochs_.begin(), epochs_.end());
    epochs_.erase(std::unique(epochs_.begin(), epochs_.end()), epochs_.end());
    int exponent = 0;
    std::frexp(total_, &exponent);
    unit_ = kUnitBits - exponent;
    for (const Task& task : tasks) supply_.push_back(std::llround(std::ldexp(task.work, unit_)));
    for (const std::int64_t supply : supply_) all_ += supply;
    windows_.reserve(tasks.size());
    for (const Task& task : tasks) {
      windows_.push_back({index_of(task.release), index_of(task.deadline(objective))});
    }
  }

  // `cost(task, interval)`: of a unit of work; `undone`: add arcs for work that does not fit.
  template <class Cost>
  void build(const Cost& cost, bool undone) {
    const std::size_t intervals = epochs_.size() - 1;
    pool_.assign(intervals * platform_.databanks(), kNone);
    site_.assign(intervals * platform_.sites().size(), kNone);
    net_.clear();
    net_.source = kSource;
    net_.sink = kSink;
    net_.nodes = kFirstTask + static_cast<std::uint32_t>(tasks_.size());
    for (std::uint32_t k = 0; k < tasks_.size(); ++k) {
      net_.arc(kSource, kFirstTask + k, supply_[k]);
      if (undone) net_.arc(kFirstTask + k, kSink, supply_[k], kUndoneCost);
    }
    first_task_arc_ = net_.arcs.size();
    for (std::uint32_t k = 0; k < tasks_.size(); ++k) {
      for (std::uint32_t t = windows_[k].begin; t < windows_[k].end; ++t) {
        std::uint32_t& pool = pool_[t * platform_.databanks() + tasks_[k].databank];
        if (pool == kNone) pool = net_.nodes++;
        net_.arc(kFirstTask + k, pool, supply_[k], cost(k, t));
      }
    }
    first_pool_arc_ = net_.arcs.size();
    for (std::uint32_t t = 0; t < intervals; ++t) {
      for (DatabankIndex d = 0; d < platform_.databanks(); ++d) {
        const std::uint32_t pool = pool_[t * platform_.databanks() + d];
        if (pool == kNone) continue;
        for (const std::uint32_t s : platform_.sites_of(d)) {
          std::uint32_t& site = site_[t * platform_.sites().size() + s];
          if (site == kNone) site = net_.nodes++;
          net_.arc(pool, site, all_);
        }
      }
    }
    for (std::uint32_t t = 0; t < intervals; ++t) {
      for (std::uint32_t s = 0; s < platform_.sites().size(); ++s) {
        const std::uint32_t site = site_[t * platform_.sites().size() + s];
        if (site != kNone) net_.arc(site, kSink, room(s, t));
      }
    }
  }

  const FlowNetwork& network() const { return net_; }
  std::int64_t all() const { return all_; }
  const std::vector<Seconds>& epochs() const { return epochs_; }

  // Rounding error of capacities and work in the cut, in units.
  std::int64_t rounding(const std::vector<char>& source_side) const {
    std::int64_t units = 0;
    for (std::uint32_t k = 0; k < tasks_.size(); ++k) units += source_side[kFirstTask + k] != 0 ? 1 : 0;
    for (const std::uint32_t site : site_) units += site != kNone && source_side[site] != 0 ? 1 : 0;
    return units;
  }
  double work(std::int64_t units) const { return std::ldexp(static_cast<double>(units), -unit_); }

  // The tasks that a cut separates from the sink.
  std::vector<Task> critical(const std::vector<char>& source_side) const {
    std::vector<Task> set;
    for (std::uint32_t k = 0; k < tasks_.size(); ++k) {
      if (source_side[kFirstTask + k] != 0) set.push_back(tasks_[k]);
    }
    return set;
  }

  // Translates a flow: in each interval, distributes what enters a databank's node by task over what leaves it by site.
  Allocation allocation(const std::vector<std::int64_t>& flow) const {
    Allocation result;
    result.epochs = epochs_;
    const std::size_t intervals = epochs_.size() - 1;
    struct Amount {
      std::uint32_t who;
      std::int64_t units;
    };
    std::vector<std::vector<Amount>> in(pool_.size());
    std::size_t arc = first_task_arc_;
    for (std::uint32_t k = 0; k < tasks_.size(); ++k) {
      for (std::uint32_t t = windows_[k].begin; t < windows_[k].end; ++t, ++arc) {
        if (flow[arc] > 0) in[t * platform_.databanks() + tasks_[k].databank].push_back({k, flow[arc]});
      }
    }
    arc = first_pool_arc_;
    for (std::uint32_t t = 0; t < intervals; ++t) {
      for (DatabankIndex d = 0; d < platform_.databanks(); ++d) {
        const std::size_t pool = t * platform_.databanks() + d;
        if (pool_[pool] == kNone) continue;
        std::size_t next = 0;
        for (const std::uint32_t s : platform_.sites_of(d)) {
          for (std::int64_t out = flow[arc++]; out > 0 && next < in[pool].size();) {
            Amount& amount = in[pool][next];
            const std::int64_t part = std::min(out, amount.units);
            result.parts.push_back({t, s, amount.who, work(part)});
            out -= part;
            amount.units -= part;
            if (amount.units == 0) ++next;
          }
        }
      }
    }
    return result;
  }

 private:
  struct Window {
    std::uint32_t begin, end;
  };

  std::uint32_t index_of(Seconds epoch) const {
    return static_cast<std::uint32_t>(std::lower_bound(epochs_.begin(), epochs_.end(), epoch) - epochs_.begin());
  }
  std::int64_t room(std::uint32_t site, std::uint32_t interval) const {
    const double work = platform_.sites()[site].power * (epochs_[interval + 1] - epochs_[interval]);
    return work >= total_ ? all_ : static_cast<std::int64_t>(std::floor(std::ldexp(work, unit_)));
  }

  const Platform& platform_;
  std::span<const Task> tasks_;
  std::vector<Seconds> epochs_;
  std::vector<Window> windows_;
  std::vector<std::int64_t> supply_;
  std::int64_t all_ = 0;
  double total_ = 0;
  int unit_ = 0;                            // a unit is 2^-unit_
  std::vector<std::uint32_t> pool_, site_;  // nodes by interval and databank, by interval and site
  std::size_t first_task_arc_ = 0, first_pool_arc_ = 0;
  FlowNetwork net_;
};

constexpr auto kFree = [](std::uint32_t, std::uint32_t) { return std::int64_t{0}; };

// Compares the work that fits for a set of tasks between their release dates and deadlines with the work there is.
class WorkRoom {
 public:
  WorkRoom(const Platform& platform, std::span<const Task> set) : platform_(platform), set_(set) {
    for (const Task& task : set) work_ += task.work;
  }

  bool enough(double objective) {
    events_.clear();
    for (const Task& task : set_) {
      const Seconds deadline = task.deadline(objective);
      if (deadline <= task.release) return false;
      events_.push_back({task.release, task.databank, true});
      events_.push_back({deadline, task.databank, false});
    }
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
    waiting_.assign(platform_.databanks(), 0);
    busy_.assign(platform_.sites().size(), 0);
    double room = 0;
    double power = 0;
    Seconds since = events_.front().at;
    for (const Event& event : events_) {
      if (event.at > since) {
        room += power * (event.at - since);
        since = event.at;
      }
      std::int32_t& waiting = waiting_[event.databank];
      waiting += event.begins ? 1 : -1;
      if (event.begins ? waiting != 1 : waiting != 0) continue;
      for (const std::uint32_t s : platform_.sites_of(event.databank)) busy_[s] += event.begins ? 1 : -1;
      power = 0;  // recomputed each time, so that rounding errors do not accumulate
      for (std::size_t s = 0; s < busy_.size(); ++s) power += busy_[s] > 0 ? platform_.sites()[s].power : 0.0;
    }
    return room >= work_ * (1 - kWorkTolerance);
  }

 private:
  struct Event {
    Seconds at;
    DatabankIndex databank;
    bool begins;
  };

  const Platform& platform_;
  std::span<const Task> set_;
  double work_ = 0;
  std::vector<Event> events_;
  std::vector<std::int32_t> waiting_, busy_;
};

// The least objective > low that gives a set enough room; `low` does not. Room grows with the objective.
double least_with_room(WorkRoom& room, double low) {
  double high = low * 2;
  while (!room.enough(high)) {
    low = high;
    high *= 2;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) return high;
    (room.enough(middle) ? high : low) = middle;
  }
}

}  // namespace

double min_objective(const Platform& platform, std::span<const Task> tasks, double at_least, FlowSolver& solver) {
  double objective = at_least;
  for (const Task& task : tasks) {
    const Seconds alone = task.work / platform.reach(task.databank);
    objective = std::max(objective, (task.release + alone - task.origin) * task.weight);
  }
  if (tasks.empty()) return objective;
  std::vector<std::int64_t> flow;
  std::vector<char> source_side;
  for (;;) {
    TimedNetwork timed(platform, tasks, objective);
    timed.build(kFree, false);
    const std::int64_t missing = timed.all() - solver.max_flow(timed.network(), flow, source_side);
    if (missing <= timed.rounding(source_side)) return objective;
    const std::vector<Task> critical = timed.critical(source_side);
    WorkRoom room(platform, critical);
    if (room.enough(objective)) return objective;  // late only by rounding error
    objective = least_with_room(room, objective);
  }
}

Allocation allocate(const Platform& platform, std::span<const Task> tasks, double objective, FlowSolver& solver) {
  if (tasks.empty()) return {};
  TimedNetwork timed(platform, tasks, objective);
  timed.build(kFree, false);
  std::vector<std::int64_t> flow;
  std::vector<char> source_side;
  solver.max_flow(timed.network(), flow, source_side);
  return timed.allocation(flow);
}

Allocation allocate_early(const Platform& platform, std::span<const Task> tasks, std::span<const double> sizes,
                          double objective, FlowSolver& solver) {
  if (tasks.empty()) return {};
  TimedNetwork timed(platform, tasks, objective);
  const std::vector<Seconds>& epochs = timed.epochs();
  // Counted from the first instant, which shifts all costs of a job equally.
  const auto cost = [&](std::uint32_t k, std::uint32_t t) {
    return ((epochs[t] - epochs[0]) + (epochs[t + 1] - epochs[0])) / 2 / sizes[k];
  };
  const double least_size = *std::min_element(sizes.begin(), sizes.end());
  const double scale = kDearest / ((epochs.back() - epochs.front()) / least_size);
  timed.build([&](std::uint32_t k, std::uint32_t t) { return std::llround(cost(k, t) * scale); }, true);
  std::vector<std::int64_t> flow;
  if (!solver.min_cost_flow(timed.network(), timed.all(), flow))
    return {};  // cannot happen, because all work may stay undone
  return timed.allocation(flow);
}

}  // namespace dfrs::divisible
