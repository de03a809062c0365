// SPDX-License-Identifier: GPL-2.0-or-later
// What the controller sends to the node agents, and what they report. HttpNodeAgents implements it with HTTP; tests
// have implementations of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

/// Where a node's agent listens.
struct AgentAddress {
  std::string node;  ///< Slurm's name of the node
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const AgentAddress&, const AgentAddress&) = default;
};

/// What the agents of a job do next in an attempt to checkpoint it.
enum class CheckpointPhase : std::uint8_t {
  kFreeze,  ///< stop all of the job's processes on this node
  kDump,    ///< write the image of the stopped processes, which stay stopped: the requeue ends them
  kResume,  ///< give the attempt up and let the processes go on
};

/// What the controller wants of a job's agents in an attempt to checkpoint it.
struct CheckpointOrder {
  std::uint64_t attempt = 0;  ///< > 0; increases with each attempt of the job
  CheckpointPhase phase = CheckpointPhase::kFreeze;
  std::uint32_t restarts = 0;  ///< Slurm's count: the run of the job that is dumped
  std::uint32_t uid = 0;       ///< of the job's user
  std::string folder;          ///< for images, absolute: CheckpointFolder of dfrs.conf
  std::uint32_t programs = 0;  ///< dump: so many were stopped on all nodes; 0: not known

  friend bool operator==(const CheckpointOrder&, const CheckpointOrder&) = default;
};

/// How far a job's checkpoint has come on a node.
enum class CheckpointState : std::uint8_t {
  kAble,        ///< the dry check says that the job can be checkpointed
  kUnable,      ///< it cannot, for the reason given
  kFrozen,      ///< all of its processes here are stopped
  kDumped,      ///< the image is complete and on disk; the processes are still stopped
  kFailed,      ///< the attempt failed here; the processes are as they were before it
  kResumed,     ///< the attempt was given up; the processes go on
  kRestored,    ///< this run of the job began from an image
  kPreDumping,  ///< its memory is written while the processes still run; after that they are stopped
};

/// What an agent says about a job's checkpoint.
struct CheckpointReport {
  std::uint64_t attempt = 0;  ///< that of the order, or of the image that was restored; 0: of none (able, unable)
  CheckpointState state = CheckpointState::kAble;
  std::string reason;       ///< for people; empty: none
  std::uint64_t bytes = 0;  ///< of the image on this node; able: an estimate
  double seconds = 0;       ///< that the dump took; restored: that the restore took
  /// Frozen, dumped: programs under dfrs-run on this node; 0: none, or not known.
  std::uint32_t programs = 0;

  friend bool operator==(const CheckpointReport&, const CheckpointReport&) = default;
};

/// The quota of one job on one node.
struct JobQuota {
  std::uint32_t job_id = 0;
  double cpus = 0;         ///< of the node's CPUs as Slurm counts them: yield x tasks here x CPUs per task, > 0
  bool paused = false;     ///< suspended, and its memory may go to swap
  bool suspended = false;  ///< Slurm has suspended it: its processes must be stopped; implied by `paused`
  /// The user has marked the job as one that may be checkpointed: the agent checks whether it can be.
  bool checkpointable = false;
  std::optional<CheckpointOrder> checkpoint{};  ///< none: no attempt
  bool restoring = false;                       ///< this run is to begin from images

  friend bool operator==(const JobQuota&, const JobQuota&) = default;
};

/// What an agent measured of one job on its node.
struct JobUse {
  std::uint32_t job_id = 0;
  /// CPU time since the agent first saw the job, in the unit of JobQuota::cpus. Never decreases while the agent runs.
  double cpu_seconds = 0;
  std::uint64_t memory_mib = 0;  ///< resident
  std::uint64_t swap_mib = 0;
  /// How much more its control groups let it have in swap; none: no limit of theirs.
  std::optional<std::uint64_t> swap_left_mib{};
  std::optional<CheckpointReport> checkpoint{};  ///< none: nothing to say about it
};

struct NodeReport {
  bool reachable = false;   ///< answered the last request
  bool current = false;     ///< has applied the newest desired state
  double age = 0;           ///< seconds since its last answer; infinity: never
  double measured_age = 0;  ///< seconds since it measured what `jobs` says, at least `age`; infinity: never
  tl::expected<void, std::string> last_request;  ///< error: why it was not carried out completely, for people
  std::uint64_t swap_total_mib = 0;
  std::uint64_t swap_free_mib = 0;
  std::vector<JobUse> jobs;

  /// What it says of a job; null: nothing. O(jobs).
  const JobUse* use_of(std::uint32_t job_id) const {
    const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const JobUse& use) { return use.job_id == job_id; });
    return found == jobs.end() ? nullptr : &*found;
  }
};

/// Requests to agents since the start.
struct DeliveryCounters {
  std::uint64_t sent = 0;
  std::uint64_t applied = 0;  ///< answered with a report
  std::uint64_t failed = 0;   ///< no connection, timeout, invalid answer
  std::uint64_t refused = 0;  ///< one side refused the other's credential
  std::uint64_t stale = 0;    ///< the agent had a newer state
};

/// Any thread. All calls but wait() return at once. A node is given by its index in the list of the last set_agents();
/// other indices are ignored, and their reports are empty. Calls report no errors: what fails is retried, and report()
/// shows it.
class NodeAgents {
 public:
  virtual ~NodeAgents() = default;
  /// Sets the agents, in the order of the snapshot's nodes. Known ones keep their desired state.
  virtual void set_agents(std::span<const AgentAddress> agents) = 0;
  /// Sets the whole desired state of a node. It is sent if it differs from the last.
  virtual void set_desired(std::size_t node, std::span<const JobQuota> jobs) = 0;
  /// Waits, at most wait_ms, until these nodes have applied their newest desired state. False: some have not.
  virtual bool wait(std::span<const std::size_t> nodes, std::uint32_t wait_ms) = 0;
  /// Ends the wait between attempts at an agent that did not answer: its node has just come up.
  virtual void retry_now(std::size_t) {}
  /// The last answer of the node's agent.
  virtual NodeReport report(std::size_t node) const = 0;
  virtual DeliveryCounters counters() const { return {}; }
};

}  // namespace dfrs::shim
