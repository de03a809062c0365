// SPDX-License-Identifier: GPL-2.0-or-later
// Fake node agents: they apply desired states at once while they are reachable, and report what the test sets.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "shim/quota/node_agents.h"

namespace dfrs::shim {

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
    std::map<std::uint32_t, std::uint64_t> swapped;    // MiB by job
    std::map<std::uint32_t, std::uint64_t> swap_left;  // MiB by job; of those that are limited
    std::map<std::uint32_t, double> cpu_seconds;       // by job
    std::uint64_t states = 0;                          // desired states received
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
    if (!n.reachable) report.error = "connection refused";
    report.swap_total_mib = n.swap_total;
    report.swap_free_mib = n.swap_free;
    std::map<std::uint32_t, JobUse> uses;
    for (const auto& [id, mib] : n.swapped) uses[id].swap_mib = mib;
    for (const auto& [id, seconds] : n.cpu_seconds) uses[id].cpu_seconds = seconds;
    for (const auto& [id, mib] : n.swap_left) uses[id].swap_left_mib = mib;
    for (auto& [id, use] : uses) {
      use.job_id = id;
      report.jobs.push_back(use);
    }
    return report;
  }

  // ---- for tests ----
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
  /// Adds CPU time that a job has used on a node.
  void use_cpu(std::size_t node, std::uint32_t job, double seconds) {
    const std::lock_guard lock(mutex_);
    if (node < nodes_.size()) nodes_[node].cpu_seconds[job] += seconds;
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
  static void apply(Node& node) {
    if (node.reachable) node.applied = node.desired;
  }

  mutable std::mutex mutex_;
  std::vector<Node> nodes_;
  std::uint64_t swap_of_new_nodes_ = 0;
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
