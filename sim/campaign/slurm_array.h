// SPDX-License-Identifier: GPL-2.0-or-later
// Job arrays of Slurm, through its commands: what is submitted, and what of it is still to come.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dfrs::sim {

/// A job array whose task I, from 1, does the simulations of line I of a file.
struct SlurmArray {
  std::string name;  ///< of the job
  std::size_t tasks = 1;
  std::size_t at_once = 0;           ///< tasks running at the same time; 0: as many as there is room for
  unsigned cpus = 1;                 ///< of a task
  std::string partition;             ///< empty: the default one
  std::string time;                  ///< limit of a task as sbatch takes it; empty: the partition's
  std::vector<std::string> options;  ///< more of sbatch's, as in --mem=2G
  std::string folder;  ///< absolute; of plan, logs (task-I.log) and stores (part-I.db); see check_slurm_folder
  std::vector<std::string> command;  ///< of a task, but for its simulations, its store and
  std::vector<std::string> sources;
};

inline constexpr std::string_view kPlanFile = "plan";
std::string task_log(const SlurmArray& array, std::size_t task);
std::string task_store(const SlurmArray& array, std::size_t task);

/// Slurm puts job numbers for '%' in names of logs, and its own marks around options are quotes and backslashes.
/// Errors: UsageError for a folder with such a name.
void check_slurm_folder(const std::string& folder);
/// Errors: UsageError for options of sbatch that would take the array out of our sight (another name, cluster or
/// array).
void check_sbatch_options(const std::vector<std::string>& options);

/// A batch script that is complete by itself. Tasks whose node dies are requeued.
std::string array_script(const SlurmArray& array);

/// Submits the script of `array` with sbatch; the job's number. Errors: SlurmError, saying what sbatch says.
std::string submit_array(const SlurmArray& array, const std::string& script);

/// Tasks of jobs of this name that have not ended.
struct SlurmQueue {
  std::size_t running = 0;  ///< or about to end
  std::size_t waiting = 0;
  std::string reason;  ///< why they wait; "" where none does
  bool held = false;   ///< some wait until somebody releases them
};
/// As squeue tells it; nothing where it cannot (`error` says why): slurmctld may be away for a while. Errors:
/// SlurmError where there is no squeue.
std::optional<SlurmQueue> slurm_queue(const std::string& name, std::string& error);

}  // namespace dfrs::sim
