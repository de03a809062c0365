// SPDX-License-Identifier: GPL-2.0-or-later
// A random load with faults for the controller, against the fake slurmctld, which checks the invariants at every step:
// memory, exclusive use, keys, begin times, credentials, quotas, time limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/dice.h"
#include "tests/shim/fake_slurm.h"

namespace dfrs::shim {

struct Trouble {
  bool users = false;        // cancel, suspend, resume, requeue
  bool nodes = false;        // fail and come back; foreign jobs
  bool controller = false;   // restarts, reconfigure
  bool agents = false;       // unreachable for a while
  bool weights = false;      // priorities change, under Triage, which uses them
  bool checkpoints = false;  // jobs are checkpointed, and that fails in all ways
};

/// The steps of a load: a job is submitted, or there is trouble, and time passes.
struct Steps {
  std::vector<oracle::Dice::Draws> draws;        ///< of each, as the whole load ran
  std::optional<std::vector<std::size_t>> kept;  ///< only these, ascending; nothing: all, whose draws are noted
};

class RandomLoad {
 public:
  /// steps: null, or outlives it.
  RandomLoad(std::uint64_t seed, const Trouble& trouble, Steps* steps = nullptr);

  /// What went wrong; empty: nothing.
  std::string run();

  std::uint64_t restores() const;
  /// Since the last start of the controller.
  std::uint64_t failed_checkpoints() { return slurm_->status().checkpoints.failed; }
  const FakeSlurm& slurm() const { return *slurm_; }
  /// What was done, a line each.
  const std::string& story() const { return story_; }

 private:
  bool begin_step();
  std::string run_steps();
  std::string check_end();
  std::string fail(const std::string& what);
  void submit();
  std::uint32_t any_job();
  void make_trouble();
  void trouble_by_user(std::uint32_t id);
  void trouble_of_nodes();
  void trouble_of_controller();
  void make_checkpoints_fail();
  void heal();
  std::string check_clocks();
  void tell(const std::string& what);

  const std::uint64_t seed_;
  oracle::Dice dice_;
  Trouble trouble_;
  Steps* steps_;
  std::size_t step_ = 0;
  bool swap_ = false;
  bool clocks_run_on_ = false;  // a job may have run although its clock in the controller stood still
  std::string conf_;
  std::string story_;
  std::unique_ptr<FakeSlurm> slurm_;
};

/// The shortest part of this load's steps for which `wrong` says something, and what it says. O(200 loads).
struct Shortest {
  std::vector<std::size_t> kept;
  std::string what;
  std::string story;
};
using Wrong = std::string (*)(RandomLoad& load);
Shortest shortest(std::uint64_t seed, const Trouble& trouble, Wrong wrong);

}  // namespace dfrs::shim
