// SPDX-License-Identifier: GPL-2.0-or-later
// Fake node agents: they apply desired states at once while they are reachable, and report what the test sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// How an agent makes checkpoints. Everything but the images is lost when it restarts.
struct FakeCheckpoints {
  // What the test sets.
  double pre_dump_takes = 0;                                      // s; 0: there is none
  double freeze_takes = 0.1, dump_takes = 2, resume_takes = 0.1;  // s
  std::uint64_t bytes = 200 << 20;                                // of an image
  std::uint32_t programs = 1;                                     // of each job on the node
  bool fail_freeze = false, fail_dump = false, hang = false;      // hang: nothing that is ordered is ever done
  bool no_restore = false;                                        // a run starts over without a word
  bool fail_restore = false;                                      // a run starts over, and the agent says so
  std::map<std::uint32_t, std::string> unable;                    // by job: why

  bool hung = false;  // a moment ago

  struct Job {
    bool stopped = false;
    CheckpointReport said;
    std::optional<CheckpointState> next;  // under way
    double next_at = 0;
  };
  std::map<std::uint32_t, Job> jobs;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CheckpointReport> images;  // by job and run, complete ones
};

/// Any thread, as NodeAgents requires.
class FakeAgents final : public NodeAgents {
 public:
  struct Node {
    AgentAddress address;
    bool reachable = true;
    std::vector<JobQuota> desired;
    std::vector<JobQuota> applied;
    std::uint64_t swap_total = 0;
    std::uint64_t swap_free = 0;
    std::map<std::uint32_t, std::uint64_t> swapped;        // MiB by job
    std::map<std::uint32_t, std::uint64_t> swap_left;      // MiB by job; of those that are limited
    std::map<std::uint32_t, double> cpu_seconds;           // by job
    std::map<std::uint32_t, double> measured_cpu_seconds;  // as it was at the last measurement
    std::uint64_t states = 0;                              // desired states received
    FakeCheckpoints checkpoints;
  };

  void set_agents(std::span<const AgentAddress> agents) override {
    const std::lock_guard lock(mutex_);
    std::map<std::string, Node> by_name;
    for (Node& node : nodes_) by_name.emplace(node.address.node, std::move(node));
    nodes_.assign(agents.size(), {});
    for (std::size_t n = 0; n < agents.size(); ++n) {
      if (auto it = by_name.find(agents[n].node); it != by_name.end()) nodes_[n] = std::move(it->second);
      nodes_[n].address = agents[n];
      if (nodes_[n].swap_total == 0) nodes_[n].swap_total = nodes_[n].swap_free = swap_of_new_nodes_;
    }
  }
  void set_desired(std::size_t node, std::span<const JobQuota> jobs) override {
    const std::lock_guard lock(mutex_);
    nodes_.at(node).desired.assign(jobs.begin(), jobs.end());
    ++nodes_[node].states;
    apply(nodes_[node]);
  }
  bool wait(std::span<const std::size_t> nodes, std::uint32_t) override {
    const std::lock_guard lock(mutex_);
    bool all = true;
    for (std::size_t n : nodes) all = all && nodes_.at(n).applied == nodes_[n].desired;
    return all;
  }
  NodeReport report(std::size_t node) const override {
    const std::lock_guard lock(mutex_);
    NodeReport report;
    if (node >= nodes_.size()) return report;
    const Node& n = nodes_[node];
    report.reachable = n.reachable;
    report.current = n.applied == n.desired;
    report.age = n.reachable ? 0 : std::numeric_limits<double>::infinity();
    report.measured_age = n.reachable ? now_ - measured_at_ : report.age;
    if (!n.reachable) report.last_request = tl::unexpected<std::string>("connection refused");
    report.swap_total_mib = n.swap_total;
    report.swap_free_mib = n.swap_free;
    std::map<std::uint32_t, JobUse> uses;
    for (const auto& [id, mib] : n.swapped) uses[id].swap_mib = mib;
    for (const auto& [id, seconds] : n.measured_cpu_seconds) uses[id].cpu_seconds = seconds;
    for (const auto& [id, mib] : n.swap_left) uses[id].swap_left_mib = mib;
    for (const auto& [id, job] : n.checkpoints.jobs) {
      if (job.said.attempt != 0 || marked(n, id)) uses[id].checkpoint = job.said;
    }
    for (auto& [id, use] : uses) {
      use.job_id = id;
      report.jobs.push_back(use);
    }
    return report;
  }

  // ---- for tests ----
  /// Time passes; checkpoints move on.
  void set_time(double now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
    if (now >= measured_at_ + measure_each_) {
      measured_at_ = now;
      for (Node& node : nodes_) node.measured_cpu_seconds = node.cpu_seconds;
    }
    for (Node& node : nodes_) {
      // Orders that came meanwhile are still in force.
      if (std::exchange(node.checkpoints.hung, node.checkpoints.hang) && !node.checkpoints.hang) apply(node);
      for (auto& [id, job] : node.checkpoints.jobs) {
        if (job.next && now >= job.next_at) finish_step(node, id, job);
      }
    }
  }
  /// When the next checkpoint moves on; infinity: none does.
  double next_time() const {
    const std::lock_guard lock(mutex_);
    double next = std::numeric_limits<double>::infinity();
    for (const Node& node : nodes_) {
      for (const auto& [id, job] : node.checkpoints.jobs) {
        if (job.next) next = std::min(next, job.next_at);
      }
    }
    return next;
  }
  /// Whether an agent has stopped processes of the job for a checkpoint.
  bool stopped(std::size_t node, std::uint32_t id) const {
    const std::lock_guard lock(mutex_);
    if (node >= nodes_.size()) return false;
    const auto found = nodes_[node].checkpoints.jobs.find(id);
    return found != nodes_[node].checkpoints.jobs.end() && found->second.stopped;
  }
  bool has_image(std::size_t node, std::uint32_t id, std::uint32_t run) const {
    const std::lock_guard lock(mutex_);
    return node < nodes_.size() && nodes_[node].checkpoints.images.contains({id, run});
  }
  /// The run has ended: nothing of it is left on the node but its image.
  void end_run(std::size_t node, std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    if (node < nodes_.size()) nodes_[node].checkpoints.jobs.erase(id);
  }
  /// A run begins on the node: from the image of `attempt`, or, if 0, from the program's beginning.
  void begin_run(std::size_t node, std::uint32_t id, std::uint64_t attempt) {
    const std::lock_guard lock(mutex_);
    if (node >= nodes_.size()) return;
    FakeCheckpoints& all = nodes_[node].checkpoints;
    FakeCheckpoints::Job& job = all.jobs[id] = {};
    if (attempt != 0) {
      const bool fails = all.fail_restore || all.no_restore;
      job.said = {attempt, fails ? CheckpointState::kFailed : CheckpointState::kRestored, fails ? "no such image" : "",
                  all.bytes, 0.5};
      if (all.no_restore) job.said = {};
    }
    note_able(all, id, job);
  }
  /// The agent restarts: processes that it has stopped go on, and it knows nothing of what was ordered.
  void restart_agent(std::size_t n) {
    const std::lock_guard lock(mutex_);
    if (n >= nodes_.size()) return;
    FakeCheckpoints& all = nodes_[n].checkpoints;
    for (auto& [id, job] : all.jobs) {
      job = {};
      note_able(all, id, job);
    }
    apply(nodes_[n]);
  }
  void set_swap(std::uint64_t mib) {
    const std::lock_guard lock(mutex_);
    swap_of_new_nodes_ = mib;
    for (Node& node : nodes_) node.swap_total = node.swap_free = mib;
  }
  void set_reachable(std::size_t node, bool reachable) {
    const std::lock_guard lock(mutex_);
    if (node >= nodes_.size()) return;
    nodes_[node].reachable = reachable;
    apply(nodes_[node]);
  }
  /// Agents measure use at these times apart, and say the same until the next time. 0: always.
  void measure_each(double seconds) {
    const std::lock_guard lock(mutex_);
    measure_each_ = seconds;
  }
  /// Adds CPU time that a job has used on a node.
  void use_cpu(std::size_t node, std::uint32_t job, double seconds) {
    const std::lock_guard lock(mutex_);
    if (node >= nodes_.size()) return;
    nodes_[node].cpu_seconds[job] += seconds;
    if (measure_each_ == 0) nodes_[node].measured_cpu_seconds = nodes_[node].cpu_seconds;
  }
  /// The quota of a job that is in force on a node; null: none.
  const JobQuota* applied(std::size_t node, std::uint32_t job) const {
    if (node >= nodes_.size()) return nullptr;
    for (const JobQuota& quota : nodes_[node].applied) {
      if (quota.job_id == job) return &quota;
    }
    return nullptr;
  }
  Node& node(std::size_t n) { return nodes_.at(n); }
  std::size_t size() const { return nodes_.size(); }

 private:
  void apply(Node& node) {
    if (!node.reachable) return;
    node.applied = node.desired;
    for (const JobQuota& quota : node.applied) {
      FakeCheckpoints::Job& job = node.checkpoints.jobs[quota.job_id];
      note_able(node.checkpoints, quota.job_id, job);
      if (quota.checkpoint && !node.checkpoints.hang) obey(node, *quota.checkpoint, job);
    }
  }

  static bool marked(const Node& node, std::uint32_t id) {
    return std::any_of(node.applied.begin(), node.applied.end(),
                       [&](const JobQuota& quota) { return quota.job_id == id && quota.checkpointable; });
  }

  // The dry check.
  static void note_able(const FakeCheckpoints& all, std::uint32_t id, FakeCheckpoints::Job& job) {
    if (job.said.attempt != 0) return;
    const auto why = all.unable.find(id);
    job.said.state = why == all.unable.end() ? CheckpointState::kAble : CheckpointState::kUnable;
    job.said.reason = why == all.unable.end() ? "" : why->second;
    job.said.bytes = all.bytes;
  }

  void obey(Node& node, const CheckpointOrder& order, FakeCheckpoints::Job& job) const {
    using enum CheckpointState;
    const FakeCheckpoints& all = node.checkpoints;
    const bool known = job.said.attempt == order.attempt;
    const auto begin = [&](CheckpointState state, double takes) {
      if (job.next == state && known) return;
      job.next = state;
      job.next_at = now_ + takes;
    };
    switch (order.phase) {
      case CheckpointPhase::kFreeze:
        if (known && job.said.state == kPreDumping && !job.next)
          return begin(all.fail_freeze ? kFailed : kFrozen, all.pre_dump_takes);
        if (known || order.attempt < job.said.attempt || job.next == kFrozen || job.next == kFailed) return;
        if (all.pre_dump_takes > 0) return begin(kPreDumping, 0);
        return begin(all.fail_freeze ? kFailed : kFrozen, all.freeze_takes);
      case CheckpointPhase::kDump:
        if (!known || job.said.state == kDumped || job.said.state == kFailed || job.next) {
          if (!known && !job.next) begin(kFailed, 0);  // its processes are not stopped: this would be no cut
          return;
        }
        return begin(all.fail_dump ? kFailed : kDumped, all.dump_takes);
      case CheckpointPhase::kResume:
        if (known && job.said.state == kResumed && !job.stopped) return;
        return begin(kResumed, all.resume_takes);
    }
  }

  void finish_step(Node& node, std::uint32_t id, FakeCheckpoints::Job& job) const {
    using enum CheckpointState;
    const CheckpointState state = *std::exchange(job.next, std::nullopt);
    const JobQuota* quota = nullptr;
    for (const JobQuota& each : node.applied) {
      if (each.job_id == id) quota = &each;
    }
    if (quota == nullptr || !quota->checkpoint) return;
    job.said = {quota->checkpoint->attempt,
                state,
                state == kFailed ? "criu says no" : "",
                node.checkpoints.bytes,
                node.checkpoints.dump_takes,
                node.checkpoints.programs};
    job.stopped = state == kFrozen || state == kDumped;
    if (state == kDumped) node.checkpoints.images[{id, quota->checkpoint->restarts}] = job.said;
    if (!job.stopped) node.checkpoints.images.erase({id, quota->checkpoint->restarts});
    obey(node, *quota->checkpoint, job);  // it may have changed meanwhile
  }

  mutable std::mutex mutex_;
  std::vector<Node> nodes_;
  std::uint64_t swap_of_new_nodes_ = 0;
  double now_ = 0;
  double measure_each_ = 0;  // s
  double measured_at_ = 0;
};

/// Passes calls on: a test's agents outlive its controllers.
class AgentsByReference final : public NodeAgents {
 public:
  explicit AgentsByReference(NodeAgents& agents) : agents_(agents) {}
  void set_agents(std::span<const AgentAddress> agents) override { agents_.set_agents(agents); }
  void set_desired(std::size_t node, std::span<const JobQuota> jobs) override { agents_.set_desired(node, jobs); }
  bool wait(std::span<const std::size_t> nodes, std::uint32_t wait_ms) override { return agents_.wait(nodes, wait_ms); }
  NodeReport report(std::size_t node) const override { return agents_.report(node); }

 private:
  NodeAgents& agents_;
};

}  // namespace dfrs::shim
