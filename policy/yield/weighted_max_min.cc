// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/weighted_max_min.h"

#include <algorithm>

namespace dfrs {

namespace {

bool same_users(const Sharing& sharing, const Sharing::Node& a, const Sharing::Node& b) {
  if (a.count != b.count || a.capacity != b.capacity) return false;
  const std::span<const Sharing::User> of_a = sharing.users(a);
  const std::span<const Sharing::User> of_b = sharing.users(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [](const auto& x, const auto& y) { return x.job == y.job && x.need == y.need; });
}

}  // namespace

// The level of a node that fixes all its jobs.
double WeightedMaxMinYield::level_of_all(const Sharing& sharing, std::span<const double> weights,
                                         std::uint32_t n) const {
  const Sharing::Node& node = sharing.nodes()[n];
  double weight = 0;
  for (const Sharing::User& user : sharing.users(node)) weight += weights[user.job] * user.need;
  return node.capacity / weight;
}

void WeightedMaxMinYield::wait(std::uint32_t node, double level) {
  const auto entry = static_cast<std::uint32_t>(waits_.size());
  waits_.push_back({level, kNone});
  (first_wait_[node] == kNone ? first_wait_[node] : waits_[last_wait_[node]].next) = entry;
  last_wait_[node] = entry;
}

void WeightedMaxMinYield::solve(const Sharing& sharing, std::span<const double> weights, std::span<double> yields) {
  const std::size_t nodes = sharing.nodes().size();
  move_ = 0;
  node_mark_.assign(nodes, 0);
  job_mark_.assign(yields.size(), 0);
  former_at_.resize(yields.size());
  fixed_.assign(yields.size(), {0, kNone});
  waits_.clear();
  first_wait_.assign(nodes, kNone);
  last_wait_.resize(nodes);
  filling_.resize(yields.size());
  for (std::size_t job = 0; job < filling_.size(); ++job) filling_[job] = {weights[job], 0};
  queue_.restart();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    // A gang's nodes often hold the same: one of them stands for its neighbours.
    if (n > 0 && same_users(sharing, sharing.nodes()[n], sharing.nodes()[n - 1])) continue;
    const double level = level_of_all(sharing, weights, n);
    queue_.push({level, n});
    wait(n, level);
  }

  while (!queue_.empty()) {
    const auto [at_level, n] = queue_.pop();
    // Summed anew instead of kept by differences, which weights of different magnitude would spoil.
    const Sharing::Node& node = sharing.nodes()[n];
    double weight = 0;
    double capacity = node.capacity;
    for (const Sharing::User& user : sharing.users(node)) {
      Filling& job = filling_[user.job];
      if (at_level * job.open_weight >= 1) job = {0, 1};
      // One of them is 0: whether a job is open nobody could predict.
      weight += job.open_weight * user.need;
      capacity -= job.yield * user.need;
    }
    if (weight == 0) continue;  // all its jobs are fixed
    // A job fixed elsewhere took no more than its share here, so a node's level only rises: one that is out of date
    // waits for the new one.
    const double level = capacity / weight;
    if (level > at_level) {
      queue_.push({level, n});
      wait(n, level);
      continue;
    }
    for (const Sharing::User& user : sharing.users(node)) {
      Filling& job = filling_[user.job];
      if (job.open_weight == 0) continue;
      job = {0, at_level * job.open_weight};
      fixed_[user.job] = {at_level, n};
    }
  }
  for (std::size_t job = 0; job < yields.size(); ++job) {
    yields[job] = filling_[job].open_weight > 0 ? 1 : filling_[job].yield;
  }
}

// As solve(), for nodes at which something is otherwise. Until a node is stirred its past is what it was; from then on
// it is looked at again. A job that is fixed at another instant than before, or not at the instant when it used to be,
// stirs its other nodes at the first instant that differs.
bool WeightedMaxMinYield::follow_move(const Sharing& sharing, std::span<const double> weights, std::span<double> yields,
                                      std::size_t most) {
  ++move_;
  former_.clear();
  former_waits_.clear();
  due_.clear();
  waits_before_ = waits_.size();
  const auto nodes = static_cast<std::uint32_t>(sharing.nodes().size());
  for (std::uint32_t n : sharing.moved_on()) {
    const bool stands_for_others = first_wait_[n] != kNone;
    start_anew(sharing, weights, yields, n);
    if (!stands_for_others) continue;
    for (++n; n < nodes && (first_wait_[n] == kNone || node_mark_[n] == move_); ++n) {
      start_anew(sharing, weights, yields, n);
    }
  }

  while (!due_.empty()) {
    if (former_waits_.size() > most) {
      move_back(yields);
      return false;
    }
    std::pop_heap(due_.begin(), due_.end(), Due::Later{});
    const Due next = due_.back();
    due_.pop_back();
    if (!next.used_to_fix) {
      look(sharing, weights, yields, next);
      continue;
    }
    const auto see_to = [&](std::uint32_t job) {
      if (job_mark_[job] == move_ && fixed_[job].node == kNone && former_[former_at_[job]].fixed.node == next.node) {
        stir_others(sharing, yields, job, next);
      }
    };
    for (const Sharing::User& user : sharing.users(sharing.nodes()[next.node])) see_to(user.job);
    see_to(sharing.moved());
  }

  changes_.clear();
  for (const FormerFix& former : former_) {
    if (fixed_[former.job].node == kNone) yields[former.job] = 1;
    if (yields[former.job] != former.yield) changes_.push_back({former.job, former.yield});
  }
  return true;
}

void WeightedMaxMinYield::move_back(std::span<double> yields) {
  for (const FormerFix& former : former_) {
    fixed_[former.job] = former.fixed;
    yields[former.job] = former.yield;
  }
  for (const FormerWaits& former : former_waits_) first_wait_[former.node] = former.first;
  waits_.resize(waits_before_);
}

void WeightedMaxMinYield::push(const Due& due) {
  due_.push_back(due);
  std::push_heap(due_.begin(), due_.end(), Due::Later{});
}

// The job is not fixed any more, or not yet.
void WeightedMaxMinYield::open(std::uint32_t job, double yield) {
  if (job_mark_[job] == move_) return;
  job_mark_[job] = move_;
  former_at_[job] = static_cast<std::uint32_t>(former_.size());
  former_.push_back({job, fixed_[job], yield});
  fixed_[job].node = kNone;
}

void WeightedMaxMinYield::look(const Sharing& sharing, std::span<const double> weights, std::span<double> yields,
                               const Instant& at) {
  const Sharing::Node& node = sharing.nodes()[at.node];
  double weight = 0;
  double capacity = node.capacity;
  for (const Sharing::User& user : sharing.users(node)) {
    if (is_fixed(user.job, at)) {
      capacity -= yields[user.job] * user.need;
    } else if (at.level * weights[user.job] >= 1) {
      capacity -= user.need;
    } else {
      weight += weights[user.job] * user.need;
    }
  }
  if (weight == 0) return;
  const double level = capacity / weight;
  if (level > at.level) {
    wait(at.node, level);
    push({{level, at.node}, false});
    return;
  }
  for (const Sharing::User& user : sharing.users(node)) {
    const std::uint32_t job = user.job;
    if (is_fixed(job, at) || at.level * weights[job] >= 1) continue;
    open(job, yields[job]);
    fixed_[job] = at;
    yields[job] = std::min(1.0, at.level * weights[job]);
    if (former_[former_at_[job]].fixed != at) stir_others(sharing, yields, job, at);
  }
}

// Its jobs are others than before.
void WeightedMaxMinYield::start_anew(const Sharing& sharing, std::span<const double> weights, std::span<double> yields,
                                     std::uint32_t n) {
  if (node_mark_[n] == move_) return;
  node_mark_[n] = move_;
  former_waits_.push_back({n, first_wait_[n]});
  first_wait_[n] = kNone;
  const double level = level_of_all(sharing, weights, n);
  wait(n, level);
  push({{level, n}, false});
  open_jobs_of(sharing, yields, n);
}

// What the node did after that instant does not hold any more.
void WeightedMaxMinYield::stir(const Sharing& sharing, std::span<double> yields, std::uint32_t n, const Instant& from) {
  if (node_mark_[n] == move_) return;
  node_mark_[n] = move_;
  std::uint32_t entry = first_wait_[n];
  while (entry != kNone && !(from < Instant{waits_[entry].level, n})) entry = waits_[entry].next;
  if (entry == kNone) return;  // it had fixed all its jobs by then
  former_waits_.push_back({n, first_wait_[n]});
  std::uint32_t copied = first_wait_[n];
  first_wait_[n] = kNone;
  for (; copied != entry; copied = waits_[copied].next) wait(n, waits_[copied].level);
  const double level = waits_[entry].level;
  wait(n, level);
  push({{level, n}, false});
  open_jobs_of(sharing, yields, n);
}

void WeightedMaxMinYield::stir_others(const Sharing& sharing, std::span<double> yields, std::uint32_t job,
                                      const Instant& from) {
  for (const Sharing::Place& place : sharing.places(sharing.jobs()[job])) {
    if (place.node != from.node) stir(sharing, yields, place.node, from);
  }
}

// Those that the node used to fix are open until it, or another, fixes them.
void WeightedMaxMinYield::open_jobs_of(const Sharing& sharing, std::span<double> yields, std::uint32_t n) {
  double level = -1;
  const auto open_one = [&](std::uint32_t job) {
    if (fixed_[job].node != n || job_mark_[job] == move_) return;
    level = fixed_[job].level;
    open(job, yields[job]);
  };
  for (const Sharing::User& user : sharing.users(sharing.nodes()[n])) open_one(user.job);
  open_one(sharing.moved());
  if (level >= 0) push({{level, n}, true});
}

}  // namespace dfrs
