// SPDX-License-Identifier: GPL-2.0-or-later
// What the controller wants of the node agents, and what they report. The real thing is shim/quota/ (HTTP, MUNGE);
// tests put their own in its place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dfrs::shim {

/// Where a node's agent listens.
struct AgentAddress {
  std::string node;  ///< Slurm's name of the node
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const AgentAddress&, const AgentAddress&) = default;
};

/// What one job is to get on one node.
struct JobQuota {
  std::uint32_t job_id = 0;
  double cpus = 0;         ///< of the node's CPUs as Slurm counts them: yield x tasks here x CPUs a task, > 0
  bool paused = false;     ///< suspended, and its memory may go to swap
  bool suspended = false;  ///< Slurm has it suspended: its processes are to stand still; true wherever paused is

  friend bool operator==(const JobQuota&, const JobQuota&) = default;
};

/// What an agent measured of a job on its node.
struct JobUse {
  std::uint32_t job_id = 0;
  /// Of the node's CPUs as Slurm counts them, as in JobQuota. Since the agent first saw it; only grows while that runs.
  double cpu_seconds = 0;
  std::uint64_t memory_mib = 0;  ///< resident
  std::uint64_t swap_mib = 0;
  /// How much more its control groups let it have in swap; none: no limit of theirs.
  std::optional<std::uint64_t> swap_left_mib{};
};

struct NodeReport {
  bool reachable = false;  ///< answered the last request
  bool current = false;    ///< has applied the newest desired state
  double age = 0;          ///< seconds since its last answer; infinity: never
  std::string error;       ///< of the last request that failed, for people
  std::uint64_t swap_total_mib = 0;
  std::uint64_t swap_free_mib = 0;
  std::vector<JobUse> jobs;
};

/// All calls may come from any thread and return at once, but for wait(). Nodes are named by their place in the list of
/// the last set_agents(); one that is not there is passed over, and its report is empty. No call reports an error: what
/// does not succeed is tried again, and shows in report().
class NodeAgents {
 public:
  virtual ~NodeAgents() = default;
  /// The agents there are, in the order of the snapshot's nodes. Those known keep their desired state.
  virtual void set_agents(std::span<const AgentAddress> agents) = 0;
  /// The whole desired state of a node; sent if it differs from the last.
  virtual void set_desired(std::size_t node, std::span<const JobQuota> jobs) = 0;
  /// Waits until the nodes named have applied their newest desired state, at most wait_ms. False: some have not.
  virtual bool wait(std::span<const std::size_t> nodes, std::uint32_t wait_ms) = 0;
  /// As the node's agent answered last.
  virtual NodeReport report(std::size_t node) const = 0;
};

}  // namespace dfrs::shim
