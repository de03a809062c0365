// SPDX-License-Identifier: GPL-2.0-or-later
// A fake slurmctld with the sched plugin in it: nodes, jobs, clean-ups after runs, requeues with their begin time,
// credentials by the second, time limits, users who interfere. It drives a controller through its C entries as the
// plugin does, lets jobs progress under the quotas of the node agents, and records violations of the rules.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shim/controller.h"
#include "shim/controller/abi.h"
#include "tests/oracle/dice.h"
#include "tests/shim/fake_agents.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {

struct FakeNode {
  std::string name;
  std::uint32_t cpus = 4;
  std::uint64_t memory = 4000;
  std::uint32_t foreign_cpus = 0;
  std::uint64_t foreign_memory = 0;
  bool usable = true;
};

enum class FakeState { pending, running, suspended, requeuing, ending, done };
enum class FakeEnd { none, completed, cancelled, timeout, failed };

struct FakeJob {
  // What its user asks for.
  std::uint32_t id = 0;
  std::uint32_t user = 1000;
  std::uint32_t flags = DFRS_JOB_BATCH | DFRS_JOB_MAY_REQUEUE;
  std::uint32_t tasks = 1;
  std::uint32_t cpus_per_task = 1;
  std::uint64_t memory = 500;  // a task
  std::uint32_t time_limit = UINT32_MAX;
  double work = 10;        // s at yield 1
  double needs = 1;        // of the CPUs that it asks for, at full speed
  double preparation = 0;  // s; of its nodes at each start, by PrologSlurmctld
  std::uint32_t priority = 1000, qos_priority = 0;
  double fair_share = -1;
  std::string name = "job", partition = "dfrs", comment;
  bool held = false;
  std::uint32_t array_tasks = 1;  // of a record that stands for an array
  std::vector<std::uint64_t> eligible;

  // Slurm's.
  FakeState state = FakeState::pending;
  FakeEnd end = FakeEnd::none;
  std::uint32_t restarts = 0;
  std::int64_t submit = 0;
  std::int64_t begin_time = 0;
  std::int64_t start_time = 0, end_time = 0;
  std::uint32_t steps = 0;  // created by its sruns in this run
  bool user_suspended = false;
  double clean_at = 0;                                      // requeuing, ending: when its nodes are clean
  std::vector<std::pair<std::uint32_t, std::uint16_t>> at;  // node and tasks
  std::int64_t revoked = 0;                                 // second of the last revocation of its credentials
  std::vector<std::uint32_t> revoked_on;
  double ran_before_suspend = 0;  // wall clock, for Slurm's end time
  double launch_at = 0;           // running: configuring until then; 0: launched

  // The true state.
  double progress = 0;              // of the work
  double run_progress = 0;          // of this run
  double image_progress = 0;        // of the image from which its next run begins
  std::uint64_t image_attempt = 0;  // that made it; 0: there is none
  std::uint32_t restores = 0;       // runs that began from an image
  std::uint64_t dump_seen = 0;      // the last attempt whose agents were told to write
  double stopped_since = 0;         // for a checkpoint; 0: it is not
  double finished_at = 0;
  std::uint32_t requeues_by_us = 0, suspends = 0, starts = 0;
  double first_start = 0;

  bool memory_given_back = false;  // suspended by us
  bool lost = false;               // runs in Slurm's records only: its node does not have it

  bool holds_memory() const {
    return state == FakeState::running || (state == FakeState::suspended && !memory_given_back);
  }
};

struct FakeOptions {
  double epilog = 0.3;             // s from the end of a run until its nodes are clean
  double kill_wait = 0;            // s more for a run that is ended by force
  bool told_again = false;         // nodes were down: slurmctld repeats a run's end to them just before they are clean
  double round = 0.01;             // s between rounds that follow from results
  double limit_check = 1;          // s between looks at time limits (30 in Slurm: less gives more chances to be early)
  std::uint32_t busy_percent = 0;  // starts and resumes that are busy for no reason
  std::uint32_t race_percent = 0;  // rounds in which something happens between snapshot and apply
};

class FakeSlurm {
 public:
  /// `conf`: the text of dfrs.conf.
  FakeSlurm(std::uint64_t seed, std::string conf, const FakeOptions& options = {});
  ~FakeSlurm();

  std::vector<FakeNode> nodes;
  std::map<std::uint32_t, FakeJob> jobs;
  FakeAgents agents;
  /// Rules that were violated, for people; a test expects none at its end.
  std::vector<std::string> violations;
  std::vector<std::string> log;
  /// Operations asked for so far, by kind, and results that were not DONE.
  std::map<int, int> asked, undone;
  /// Called for each START before it is carried out; a code other than DONE is the answer.
  std::function<dfrs_result_code(const FakeJob&, std::string& reason)> on_start;
  /// The same for every operation.
  std::function<dfrs_result_code(const FakeJob&, const dfrs_operation&)> on_operation;
  FakeOptions options;

  double now() const { return now_; }
  std::uint32_t submit(FakeJob job);
  FakeJob& job(std::uint32_t id) { return jobs.at(id); }
  void add_nodes(int count, std::uint32_t cpus, std::uint64_t memory);
  void nodes_changed() { ++generation_; }

  // ---- users and faults ----
  void cancel(std::uint32_t id);
  void user_suspend(std::uint32_t id);
  bool user_resume(std::uint32_t id);
  void user_requeue(std::uint32_t id);
  void fail_node(std::uint32_t node);

  /// One round of the plugin's thread. False: step failed.
  bool round();
  /// Lets time pass until `until`, with rounds as the plugin makes them.
  void run_until(double until);
  void run_for(double seconds) { run_until(now_ + seconds); }
  /// Until all jobs are done, at most for so long.
  bool run_to_end(double most);
  /// slurmctld ends and starts again: by SIGTERM (state saved) or by kill -9.
  void restart_controller(bool saved);
  bool reconfigure(const std::string& conf, std::string* error = nullptr);

  dfrs_controller* controller() { return controller_; }
  ControllerStatus status() { return host_of(*controller_).controller().status(); }
  ObservedPast past() { return host_of(*controller_).controller().past(); }
  JobStatus job_status(std::uint32_t id);
  std::string explain(std::uint32_t id);
  const sim::TemporaryFolder& folder() const { return folder_; }
  void start_controller();
  void stop_controller();
  std::uint64_t used_memory(std::size_t node) const;
  bool completing(std::uint32_t node) const;

 private:
  void take_snapshot();
  void advance(double to);
  void apply_one(const dfrs_operation& op, dfrs_result& result);
  using Placement = std::vector<std::pair<std::uint32_t, std::uint16_t>>;  // nodes and tasks there
  void start(FakeJob& job, const dfrs_operation& op, dfrs_result& result);
  bool may_start(FakeJob& job, const dfrs_operation& op, dfrs_result& result);
  Placement place_as_slurm_does(const FakeJob& job, const dfrs_operation& op) const;
  Placement placement_of(const FakeJob& job, const dfrs_operation& op);
  bool nodes_are_ready(const FakeJob& job, const Placement& at, dfrs_result& result);
  FakeJob& split_task(FakeJob& array);
  void end_run(FakeJob& job, FakeState state, double extra);
  void requeue_run(FakeJob& job);
  void take_images(FakeJob& job);
  bool stopped_somewhere(const FakeJob& job) const;
  void begin_run(FakeJob& job);
  void check_checkpoint(FakeJob& job);
  double rate(const FakeJob& job) const;
  bool fits(const FakeJob& job, const std::vector<std::pair<std::uint32_t, std::uint16_t>>& at) const;
  void finish(FakeJob& job, FakeEnd end);
  std::string holders(const FakeJob& job) const;
  void check();
  void check_launch(std::uint32_t id);
  void violation(const std::string& text);
  double next_event() const;

  sim::TemporaryFolder folder_;
  oracle::Dice dice_;
  dfrs_controller* controller_ = nullptr;
  double now_ = 1.7e9;
  double wake_at_ = 0;
  double next_limit_check_ = 0;
  std::uint32_t next_id_ = 1;
  std::uint64_t generation_ = 1;
  bool event_ = false;
  bool raced_ = false;  // something has happened since the snapshot

  dfrs_snapshot snapshot_{};
  std::vector<dfrs_node> snapshot_nodes_;
  std::vector<dfrs_job> snapshot_jobs_;
  std::deque<std::vector<std::uint32_t>> node_lists_;
  std::deque<std::vector<std::uint16_t>> task_lists_;
};

}  // namespace dfrs::shim
