// SPDX-License-Identifier: GPL-2.0-or-later
// The node agent without its network: brings the node's control groups to the desired state, and measures use.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "shim/agent/cgroup/job_groups.h"
#include "shim/agent/page_out.h"
#include "shim/agent/run_folder.h"
#include "shim/agent/stop_guard.h"
#include "shim/quota/protocol.h"

namespace dfrs::shim {

enum class AgentLog { error, warning, info };

struct AgentOptions {
  std::string node;
  double cores_per_cpu = 1;                        ///< > 0; real cores per CPU of the node in Slurm
  std::int64_t base_period_us = kDefaultPeriodUs;  ///< kMinPeriodUs .. kMaxPeriodUs
  std::string proc = "/proc";
  StopGuardOptions stop_guard;
  /// Learns of each new desired state, and of the one that is continued at the start; may be empty.
  std::function<void(const std::vector<JobQuota>&)> desired;
  /// What a job's report says of its checkpoint; may be empty.
  std::function<std::optional<CheckpointReport>(std::uint32_t job)> checkpoint;
  std::function<void(AgentLog, const std::string&)> log;  ///< any thread
};

struct AgentCounters {
  std::uint64_t applied = 0;    ///< desired states
  std::uint64_t stale = 0;      ///< refused: repeated or out of order
  std::uint64_t malformed = 0;  ///< refused: invalid, or for another node
  std::uint64_t quota_writes = 0;
  std::uint64_t quota_errors = 0;
  std::uint64_t folder_errors = 0;  ///< errors of the run folder
  std::uint64_t groups_removed = 0;
  std::uint64_t continued = 0;  ///< jobs whose processes the agent continued: see stop_guard.h
  std::uint64_t stopped = 0;    ///< jobs whose processes the agent stopped
};

/// What a job uses and has used on this node.
struct JobMeasure {
  JobUse use;
  GroupUse group;
};

class Agent {
 public:
  /// Continues with the state that an earlier agent saved; logs an error if it cannot be read. `page_out_system` must
  /// outlive the agent.
  Agent(AgentOptions options, std::unique_ptr<JobGroups> groups, RunFolder run, PageOutSystem& page_out_system,
        PageOutOptions page_out_options = {});

  struct Stale {
    StateOrder have;
  };
  struct Malformed {
    std::string message;
  };
  using Refused = std::variant<Stale, Malformed>;
  /// Applies the state at once if it is newer than the one in force. What cannot be applied (a group that cannot be
  /// written) is among the report's errors, and tick() retries it. Any thread.
  tl::expected<AgentReport, Refused> apply(const DesiredState& state);
  /// Counts a request that was not a valid desired state. Any thread.
  void count_malformed();
  /// The last measurements. Any thread.
  AgentReport report() const;

  /// The agent's regular work: sets the quotas of new groups, corrects what others have changed, removes empty groups
  /// and measures use. One thread should call it about every second. O(groups + processes in them), each a few system
  /// calls.
  void tick();

  struct Metrics {
    std::string node;
    AgentCounters counters;
    PageOutCounters page_out;
    DesiredState desired;
    std::map<std::uint32_t, CpuMax> quotas;
    std::map<std::uint32_t, JobMeasure> jobs;
    std::size_t errors = 0;
    SwapSpace swap;
    double state_age = 0;  ///< s since a request last brought a state; infinity: none has
  };
  Metrics metrics() const;  ///< any thread
  const char* cgroup_version() const { return groups_->version(); }

 private:
  void reconcile();  // the functions from here to measure() hold mutex_
  void enforce(std::uint32_t job, const CpuMax& quota);
  void enforce_all();
  bool is_dumped(const JobQuota& job) const;
  void release(std::uint32_t job);
  void set_error(std::uint32_t job, const std::string& message);
  std::chrono::duration<double> state_age() const;  // since the last request; infinity: there was none
  void set_node_error(const tl::expected<void, std::string>& outcome);
  tl::expected<void, std::string> publish();
  AgentReport make_report() const;

  JobMeasure measure(std::uint32_t job);
  void log(AgentLog level, const std::string& message) const;

  const AgentOptions options_;
  const std::unique_ptr<JobGroups> groups_;

  mutable std::mutex mutex_;
  RunFolder run_;
  DesiredState desired_;
  std::map<std::uint32_t, CpuMax> quotas_;       // of desired_, in real cores
  std::map<std::uint32_t, std::string> errors_;  // by job; 0: of the node
  std::set<std::uint32_t> released_;             // no longer desired, but their quota could not be lifted yet
  std::set<std::uint32_t> empty_before_;         // undesired groups that had no task at the last tick
  std::map<std::uint32_t, JobMeasure> measured_;
  std::chrono::steady_clock::time_point measured_at_{};
  SwapSpace swap_;
  AgentCounters counters_;
  std::chrono::steady_clock::time_point applied_at_{};

  // Totals that outlive groups and processes. Only tick() uses them.
  struct Accumulated {
    double total = 0;
    double group_last = 0;
    std::map<pid_t, double> process_last;
  };
  std::map<std::uint32_t, Accumulated> accumulated_;
  StopGuard stop_guard_;

  std::unique_ptr<PageOut> page_out_;
};

}  // namespace dfrs::shim
