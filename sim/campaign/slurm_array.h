// SPDX-License-Identifier: GPL-2.0-or-later
// Job arrays of Slurm, through its commands: submitting them and asking what is left.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/errors.h"

namespace dfrs::sim {

/// A job array whose task I, from 1, runs the simulations on line I of a file.
struct SlurmArray {
  std::string name;  ///< of the job
  std::size_t tasks = 1;
  std::size_t at_once = 0;           ///< the most tasks running at a time; 0: no limit
  unsigned cpus = 1;                 ///< per task
  std::string partition;             ///< empty: the default one
  std::string time;                  ///< time limit per task in sbatch's format; empty: the partition's
  std::vector<std::string> options;  ///< additional sbatch options, such as --mem=2G
  std::string folder;                ///< absolute; holds plan, task-I.log and part-I.db; see check_slurm_folder
  std::vector<std::string> command;  ///< of a task, without its simulations, its store and its sources
  std::vector<std::string> sources;
};

inline constexpr std::string_view kPlanFile = "plan";
std::string task_log(const SlurmArray& array, std::size_t task);
std::string task_store(const SlurmArray& array, std::size_t task);

/// Errors: kExitUsage for a folder whose name has a '%', which Slurm expands in log names, or quotes or backslashes,
/// which Slurm interprets in options.
Result<void> check_slurm_folder(const std::string& folder);
/// Errors: kExitUsage for sbatch options with which the array could not be followed (another name, cluster or array).
Result<void> check_sbatch_options(const std::vector<std::string>& options);

/// A self-contained batch script. Tasks whose node fails are requeued.
std::string array_script(const SlurmArray& array);

/// Submits the script of `array` with sbatch and returns the job number. Errors: kExitSlurm with sbatch's message.
Result<std::string> submit_array(const SlurmArray& array, const std::string& script);

/// Tasks of an array that have not ended.
struct SlurmQueue {
  std::size_t running = 0;  ///< or completing
  std::size_t waiting = 0;
  std::string reason;  ///< why they wait; empty if no task waits
  bool held = false;   ///< some are held until a user releases them
};
/// Asks squeue for the tasks of jobs of this name. Nothing, with the reason in `trouble`, if squeue fails: slurmctld
/// may be away for a while. Errors: kExitSlurm if there is no squeue, or if it fails for good ("fatal", as without a
/// configuration).
Result<std::optional<SlurmQueue>> slurm_queue(const std::string& name, std::string& trouble);

}  // namespace dfrs::sim
