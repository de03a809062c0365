// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/shared.h"

#include <algorithm>
#include <cmath>

#include "tests/oracle/predictions.h"
#include "tests/oracle/yields.h"

namespace dfrs::oracle {
namespace {

constexpr double kSmall = 1e-9;

struct Free {
  double cpu;
  RigidAmount memory;
};

std::size_t at(int k) { return static_cast<std::size_t>(k); }

// How many tasks of the job a node with so much left takes.
int takes(const Free& free, const sim::Job& job) {
  int count = 0;
  while ((count + 1) * job.cpu_need <= free.cpu + kSmall && (count + 1) * job.rigid[kMemory] <= free.memory) ++count;
  return count;
}

struct Holding {
  int job;
  std::vector<std::size_t> nodes;  // one per task
};

void take(std::vector<Free>& free, const sim::Job& job, const std::vector<std::size_t>& nodes, int sign) {
  for (const std::size_t n : nodes) {
    free[n].cpu -= sign * job.cpu_need;
    free[n].memory -= sign * job.rigid[kMemory];
  }
}

// Nodes for all tasks, each filled before the next; empty if they do not fit. Each node must have room in all of
// `views`.
std::vector<std::size_t> find(const sim::Job& job, const std::vector<const std::vector<Free>*>& views) {
  std::vector<std::size_t> nodes;
  for (std::size_t n = 0; n < views.front()->size(); ++n) {
    int here = job.tasks - static_cast<int>(nodes.size());
    for (const std::vector<Free>* view : views) here = std::min(here, takes((*view)[n], job));
    nodes.insert(nodes.end(), at(here), n);
  }
  if (static_cast<int>(nodes.size()) < job.tasks) nodes.clear();
  return nodes;
}

class SharedMachine {
 public:
  SharedMachine(const sim::Instance& instance, const BatchAlgorithm& algorithm, int jobs_a_core)
      : instance_(instance), rule_(algorithm), jobs_a_core_(jobs_a_core) {
    result_.jobs.resize(instance.jobs.size());
    expects_.resize(instance.jobs.size());
  }

  Simulated run(bool pass_per_event) {
    std::size_t arrived = 0;
    for (;;) {
      Seconds next = arrived < instance_.jobs.size() ? instance_.jobs[arrived].submit : kNever;
      for (const Running& r : running_) next = std::min(next, end_of(r));
      if (next == kNever) return result_;
      for (Running& r : running_) r.done += (next - now_) * r.speed;
      now_ = next;
      for (Running& r : running_) {
        if (!rule_.prediction.predicts() || end_of(r) <= now_ || r.expected > now_) continue;
        const Seconds began = began_of(r);
        r.expected = began + plain_correction(rule_.prediction, expects_[at(r.held.job)], now_ - began,
                                              job(r.held.job).estimate);
      }
      std::vector<int> ended;
      for (const Running& r : running_) {
        if (end_of(r) <= now_) ended.push_back(r.held.job);
      }
      std::sort(ended.begin(), ended.end());
      for (const int k : ended) {
        std::erase_if(running_, [&](const Running& r) { return r.held.job == k; });
        result_.jobs[at(k)].end = now_;
        history_.push_back(&job(k));
      }
      // What jobs that end together leave is free for the first pass already.
      for (std::size_t k = 0; k < ended.size() && pass_per_event; ++k) pass();
      for (; arrived < instance_.jobs.size() && instance_.jobs[arrived].submit <= now_; ++arrived) {
        expects_[arrived] = plain_prediction(rule_.prediction, instance_.jobs[arrived], history_);
        queue_.push_back(static_cast<int>(arrived));
        if (pass_per_event) pass();
      }
      if (!pass_per_event) pass();
      if (jobs_a_core_ > 1) share_cpu();
    }
  }

 private:
  struct Running {
    Holding held;
    Seconds expected;  // end
    Seconds done = 0;
    double speed = 1;
    Seconds ends = kNever;  // where CPU is shared
  };
  const sim::Job& job(int k) const { return instance_.jobs[at(k)]; }
  Seconds began_of(const Running& r) const { return result_.jobs[at(r.held.job)].start; }
  Seconds end_of(const Running& r) const { return jobs_a_core_ > 1 ? r.ends : began_of(r) + job(r.held.job).run_time; }

  // All running jobs share the CPU of their nodes fairly.
  void share_cpu() {
    World world;
    for (const NodeSpec& node : instance_.platform.nodes) world.nodes.push_back({node, true});
    world.jobs.resize(instance_.jobs.size());
    for (const Running& r : running_) {
      WorldJob& one = world.jobs[at(r.held.job)];
      one.cpu_need = job(r.held.job).cpu_need;
      one.nodes.assign(r.held.nodes.begin(), r.held.nodes.end());
      world.order.push_back(static_cast<JobSlot>(r.held.job));
    }
    const std::vector<double> yields = max_min_yields(world);
    for (Running& r : running_) {
      r.speed = yields[at(r.held.job)];
      r.ends = now_ + (job(r.held.job).run_time - r.done) / r.speed;
    }
  }

  // Where the CPU needs on a node add up to at most `level` times its CPU.
  std::vector<Free> free_now(int level) const {
    std::vector<Free> free;
    for (const NodeSpec& node : instance_.platform.nodes) {
      free.push_back({static_cast<double>(level), node.rigid[kMemory]});
    }
    for (const Running& r : running_) take(free, job(r.held.job), r.held.nodes, 1);
    return free;
  }

  // Nodes with CPU of its own, else with CPU for two, and so on; beside the reservation, if there is one.
  std::vector<std::size_t> nodes_for(int k, const std::vector<Free>* later) const {
    for (int level = 1; level <= jobs_a_core_; ++level) {
      const std::vector<Free> free = free_now(level);
      std::vector<const std::vector<Free>*> views{&free};
      if (later != nullptr) views.push_back(later);
      const std::vector<std::size_t> nodes = find(job(k), views);
      if (!nodes.empty()) return nodes;
    }
    return {};
  }

  bool start_if(int k, const std::vector<std::size_t>& nodes) {
    if (nodes.empty()) return false;
    result_.jobs[at(k)].start = now_;
    running_.push_back({.held = {k, nodes}, .expected = now_ + expects_[at(k)]});
    return true;
  }

  void sort_from(std::ptrdiff_t from, QueueRank rank) {
    if (rule_.ranked()) {
      std::sort(queue_.begin() + from, queue_.end(), [&](int a, int b) {
        const double x = plain_rank(rank, job(a), expects_[at(a)], now_);
        const double y = plain_rank(rank, job(b), expects_[at(b)], now_);
        return x < y || (x == y && a < b);
      });
    }
  }

  void pass() {
    sort_from(0, rule_.head);
    while (!queue_.empty() && start_if(queue_.front(), nodes_for(queue_.front(), nullptr)))
      queue_.erase(queue_.begin());
    if (queue_.size() < 2 || rule_.backfill == BatchAlgorithm::Backfill::none) return;
    const sim::Job& head = job(queue_.front());
    std::vector<Seconds> times;
    for (const Running& r : running_) times.push_back(std::max(now_, r.expected));
    std::sort(times.begin(), times.end());
    Seconds shadow = kNever;
    std::vector<Free> later;  // beside the reservation
    for (const Seconds time : times) {
      later = free_now(jobs_a_core_);
      std::vector<bool> released(later.size(), false);
      for (const Running& r : running_) {
        if (std::max(now_, r.expected) > time) continue;
        take(later, job(r.held.job), r.held.nodes, -1);
        for (const std::size_t n : r.held.nodes) released[n] = true;
      }
      int room = 0;
      for (const Free& free : later) room += takes(free, head);
      if (room < head.tasks) continue;
      shadow = time;
      int left = head.tasks;
      for (const bool first : {true, false}) {
        for (std::size_t n = 0; n < later.size(); ++n) {
          if (released[n] != first) continue;
          const int here = std::min(left, takes(later[n], head));
          take(later, head, std::vector<std::size_t>(at(here), n), 1);
          left -= here;
        }
      }
      break;
    }
    sort_from(1, rule_.others);
    for (std::size_t q = 1; q < queue_.size();) {
      const int k = queue_[q];
      const bool in_time = now_ + expects_[at(k)] <= shadow;
      const std::vector<std::size_t> nodes = nodes_for(k, in_time ? nullptr : &later);
      if (!start_if(k, nodes)) {
        ++q;
        continue;
      }
      if (!in_time) take(later, job(k), nodes, 1);
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(q));
    }
  }

  const sim::Instance& instance_;
  BatchAlgorithm rule_;
  int jobs_a_core_;
  Simulated result_;
  Seconds now_ = 0;
  std::vector<Running> running_;
  std::vector<int> queue_;
  std::vector<const sim::Job*> history_;
  std::vector<Seconds> expects_;
};

// Placed jobs in order of submission; each has its nodes for good, so the rows follow.
class GangMachine {
 public:
  GangMachine(const sim::Instance& instance, std::size_t rows, Seconds slice)
      : instance_(instance), most_rows_(rows), slice_(slice) {
    result_.jobs.resize(instance.jobs.size());
    jobs_.resize(instance.jobs.size());
  }

  Simulated run() {
    std::size_t arrived = 0;
    for (;;) {
      Seconds next = arrived < jobs_.size() ? instance_.jobs[arrived].submit : kNever;
      for (const int k : present_) next = std::min(next, end_of(k));
      if (!present_.empty()) next = std::min(next, slice_end_);
      if (next == kNever) return result_;
      for (const int k : present_) jobs_[at(k)].done += (next - now_) * jobs_[at(k)].speed;
      std::vector<int> ended;
      for (const int k : present_) {
        if (end_of(k) <= next) ended.push_back(k);
      }
      now_ = next;
      bool event = !ended.empty();
      for (const int k : ended) {
        result_.jobs[at(k)].end = now_;
        std::erase(present_, k);
      }
      for (; arrived < jobs_.size() && instance_.jobs[arrived].submit <= now_; ++arrived) {
        present_.push_back(static_cast<int>(arrived));
        event = true;
      }
      decide(event);
      for (const int k : present_) {
        Job& job = jobs_[at(k)];
        job.ends = job.speed == 0 ? kNever : now_ + (spec(k).run_time - job.done) / job.speed;
      }
    }
  }

 private:
  struct Job {
    std::vector<std::size_t> nodes;  // empty: it waits
    double speed = 0;
    Seconds done = 0;
    Seconds ends = kNever;
  };
  const sim::Job& spec(int k) const { return instance_.jobs[at(k)]; }
  Seconds end_of(int k) const { return jobs_[at(k)].ends; }

  // Whether these jobs have all of their CPU side by side.
  bool side_by_side(const std::vector<int>& list) const {
    std::vector<double> used(instance_.platform.nodes.size(), 0.0);
    for (const int k : list) {
      for (const std::size_t n : jobs_[at(k)].nodes) used[n] += spec(k).cpu_need;
    }
    return std::all_of(used.begin(), used.end(), [](double u) { return u <= 1 + kSmall; });
  }

  std::vector<std::vector<int>> rows() const {
    std::vector<std::vector<int>> rows;
    for (const int k : present_) {
      if (jobs_[at(k)].nodes.empty()) continue;
      std::size_t r = 0;
      for (;; ++r) {
        std::vector<int> with = r < rows.size() ? rows[r] : std::vector<int>{};
        with.push_back(k);
        if (r < rows.size() && !side_by_side(with)) continue;
        if (r == rows.size()) rows.emplace_back();
        rows[r] = std::move(with);
        break;
      }
    }
    return rows;
  }

  void place_waiting(std::vector<std::vector<int>>& rows) {
    for (const int k : present_) {
      if (!jobs_[at(k)].nodes.empty()) continue;
      for (std::size_t r = 0; r < most_rows_ && jobs_[at(k)].nodes.empty(); ++r) {
        std::vector<Free> free;
        for (const NodeSpec& node : instance_.platform.nodes) free.push_back({1, node.rigid[kMemory]});
        for (const int other : present_) {  // memory beside all, CPU beside this row
          const bool here = r < rows.size() && std::count(rows[r].begin(), rows[r].end(), other) != 0;
          for (const std::size_t n : jobs_[at(other)].nodes) {
            free[n].memory -= spec(other).rigid[kMemory];
            if (here) free[n].cpu -= spec(other).cpu_need;
          }
        }
        jobs_[at(k)].nodes = find(spec(k), {&free});
        if (jobs_[at(k)].nodes.empty()) continue;
        if (rows.size() <= r) rows.resize(r + 1);
        rows[r].push_back(k);
        result_.jobs[at(k)].start = now_;
      }
    }
  }

  void decide(bool event) {
    std::vector<std::vector<int>> all = rows();
    if (event) place_waiting(all);
    if (now_ >= slice_end_) {
      ++turn_;
      slice_end_ = now_ + slice_;
    }
    if (!all.empty()) turn_ %= all.size();
    std::vector<int> running;
    bool suspended = false;
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (const int k : all[(turn_ + r) % all.size()]) {
        running.push_back(k);
        jobs_[at(k)].speed = 1;
        if (side_by_side(running)) continue;
        running.pop_back();
        jobs_[at(k)].speed = 1e-9;
        suspended = true;
      }
    }
    if (!suspended) slice_end_ = kNever;
    if (suspended && slice_end_ == kNever) slice_end_ = now_ + slice_;
  }

  const sim::Instance& instance_;
  std::size_t most_rows_;
  Seconds slice_;
  Simulated result_;
  std::vector<Job> jobs_;
  std::vector<int> present_;
  Seconds now_ = 0;
  std::size_t turn_ = 0;
  Seconds slice_end_ = kNever;
};

}  // namespace

Simulated simulate_shared_plainly(const sim::Instance& instance, const BatchAlgorithm& algorithm,
                                  const SimulatorOptions& options, int jobs_a_core) {
  return SharedMachine(instance, algorithm, jobs_a_core).run(options.pass_per_event);
}

Simulated simulate_gang_plainly(const sim::Instance& instance, std::size_t rows, Seconds slice) {
  return GangMachine(instance, rows, slice).run();
}

}  // namespace dfrs::oracle
