// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/pausing.h"

#include <algorithm>

namespace dfrs::oracle {
namespace {

class Machine {
 public:
  Machine(const sim::Instance& instance, const PlainPausing& rule, Seconds penalty)
      : instance_(instance), rule_(rule), penalty_(penalty), owner_(instance.platform.nodes.size(), -1) {
    jobs_.resize(instance.jobs.size());
    result_.jobs.resize(instance.jobs.size());
  }

  Simulated run() {
    for (;;) {
      Seconds next = arrived_ < jobs_.size() ? spec(arrived_).submit : kNever;
      for (const int k : present_) {
        if (!jobs_[at(k)].nodes.empty()) next = std::min({next, end_of(k), drop_of(k)});
      }
      if (next == kNever) return result_;
      now_ = std::max(now_, next);
      const std::vector<int> before = present_;
      for (const int k : before) {
        if (jobs_[at(k)].nodes.empty() || end_of(k) > now_) continue;
        result_.jobs[at(k)].end = now_;
        std::replace(owner_.begin(), owner_.end(), k, -1);
        std::erase(present_, k);
      }
      for (; arrived_ < jobs_.size() && spec(arrived_).submit <= now_; ++arrived_) {
        present_.push_back(static_cast<int>(arrived_));
      }
      decide();
    }
  }

 private:
  struct Job {
    std::vector<std::size_t> nodes;  // empty unless it runs
    Seconds gained = 0;              // progress up to `since`
    Seconds since = 0;               // from when it makes progress
    bool ran = false;
  };
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  const sim::Job& spec(std::size_t k) const { return instance_.jobs[k]; }
  Seconds progress(int k) const {
    const Job& job = jobs_[at(k)];
    return job.nodes.empty() || now_ <= job.since ? job.gained : job.gained + (now_ - job.since);
  }
  Seconds end_of(int k) const { return jobs_[at(k)].since + std::max(0.0, spec(at(k)).run_time - jobs_[at(k)].gained); }
  double width(int k) const { return rule_.by_nodes ? spec(at(k)).tasks : 1; }
  std::size_t queue_of(int k) const {
    std::size_t queue = 0;
    for (const Seconds t : rule_.thresholds) queue += progress(k) * width(k) >= t * (1 - 1e-9) ? 1 : 0;
    return queue;
  }
  // When the running job drops to the next queue.
  Seconds drop_of(int k) const {
    if (rule_.order != PlainPausing::Order::feedback || queue_of(k) == rule_.thresholds.size()) return kNever;
    return jobs_[at(k)].since + rule_.thresholds[queue_of(k)] / width(k) - jobs_[at(k)].gained;
  }
  double key(int k) const {
    if (rule_.order == PlainPausing::Order::feedback) return static_cast<double>(queue_of(k));
    const Seconds left = std::max(0.0, spec(at(k)).run_time - progress(k));
    return rule_.order == PlainPausing::Order::srpt ? left : left * spec(at(k)).run_time;
  }

  void decide() {
    std::vector<int> order = present_;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    const std::vector<int> owner_before = owner_;
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
      if (std::count(owner_.begin(), owner_.end(), order[turn]) == 0) seat(order, turn);
    }
    for (const int k : present_) {
      std::vector<std::size_t> nodes;
      for (std::size_t n = 0; n < owner_.size(); ++n) {
        if (owner_[n] == k) nodes.push_back(n);
      }
      Job& job = jobs_[at(k)];
      if (nodes == job.nodes) continue;
      SimulatedJob& seen = result_.jobs[at(k)];
      const Seconds gained = progress(k);
      if (nodes.empty()) {
        ++seen.pauses;
      } else if (!job.nodes.empty()) {
        ++seen.moves;
      } else if (!job.ran) {
        seen.start = now_;
      }
      job.gained = gained;
      job.since = now_ + (job.ran ? penalty_ : 0);
      job.ran = true;
      job.nodes = nodes;
    }
  }

  void seat(const std::vector<int>& order, std::size_t turn) {
    const auto needed = static_cast<std::ptrdiff_t>(spec(at(order[turn])).tasks);
    const auto free = [&] { return std::count(owner_.begin(), owner_.end(), -1); };
    const auto width_of = [&](int k) { return std::count(owner_.begin(), owner_.end(), k); };
    std::vector<int> go;  // last of the order first
    std::ptrdiff_t open = free();
    for (std::size_t k = order.size(); k-- > turn + 1 && open < needed;) {
      if (width_of(order[k]) == 0) continue;
      go.push_back(order[k]);
      open += width_of(order[k]);
    }
    if (open < needed) return;
    std::vector<int> stay;
    for (auto k = go.rbegin(); k != go.rend(); ++k) {
      if (open - width_of(*k) < needed) continue;
      open -= width_of(*k);
      stay.push_back(*k);
    }
    for (const int k : go) {
      if (std::count(stay.begin(), stay.end(), k) == 0) std::replace(owner_.begin(), owner_.end(), k, -1);
    }
    std::ptrdiff_t left = needed;
    for (int& owner : owner_) {
      if (owner != -1 || left == 0) continue;
      owner = order[turn];
      --left;
    }
  }

  const sim::Instance& instance_;
  const PlainPausing& rule_;
  Seconds penalty_;
  Seconds now_ = 0;
  std::size_t arrived_ = 0;
  std::vector<int> owner_;  // by node; -1: nobody
  std::vector<int> present_;
  std::vector<Job> jobs_;
  Simulated result_;
};

}  // namespace

Simulated simulate_plainly(const sim::Instance& instance, const PlainPausing& rule, Seconds penalty) {
  return Machine(instance, rule, penalty).run();
}

}  // namespace dfrs::oracle
