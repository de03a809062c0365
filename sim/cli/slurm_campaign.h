// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a campaign on a Slurm cluster: divides missing simulations among the tasks of a job array, each with its own
// store, and merges the stores when the tasks have ended.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/campaign/campaign.h"
#include "sim/campaign/slurm_array.h"
#include "sim/campaign/store.h"

namespace dfrs::sim {

struct SlurmOptions {
  std::string folder;  ///< shared by this machine and the nodes; empty: no Slurm
  std::size_t tasks = 32;
  std::size_t at_once = 0;
  std::string partition;
  std::string time;
  std::vector<std::string> sbatch;
  bool submit = true;
  bool wait = true;
  std::vector<std::string> command, sources;  ///< of a task: the same campaign, without its simulations and store
};

class SlurmCampaign {
 public:
  /// Opens the folder, with any results of an earlier call. Errors: those of ResultStore; UsageError for a folder name
  /// that Slurm cannot handle.
  SlurmCampaign(const SlurmOptions& options, std::vector<StoreFact> facts);

  /// Submits missing simulations, waits for them and merges their results, repeatedly as long as fewer are missing each
  /// time. First waits for jobs that an earlier call submitted. True when store() has everything; false if `options`
  /// say not to submit or not to wait, and `next` then tells the user how to continue. Errors: SlurmError;
  /// IncompleteError naming what is still missing.
  bool complete(std::span<const Instance> instances, std::span<const Algorithm> algorithms, CampaignOptions campaign,
                std::string& next);

  ResultStore& store() { return *store_; }

 private:
  SlurmArray write_run(std::span<const std::size_t> missing, unsigned threads);
  void take_in_parts();

  SlurmOptions options_;
  std::vector<StoreFact> facts_;
  std::string folder_;
  std::string name_;  // of its Slurm jobs
  std::unique_ptr<ResultStore> store_;
};

}  // namespace dfrs::sim
