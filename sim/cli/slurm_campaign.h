// SPDX-License-Identifier: GPL-2.0-or-later
// A campaign on the nodes of a Slurm cluster: what is missing is divided among the tasks of a job array, each with a
// store of its own, and brought together when they have ended.
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
  std::vector<std::string> command, sources;  ///< of a task: the same campaign, but for its simulations and store
};

class SlurmCampaign {
 public:
  /// Opens the folder, and what an earlier call has left there. Errors: as of ResultStore; UsageError for a folder
  /// whose name Slurm cannot take.
  SlurmCampaign(const SlurmOptions& options, std::vector<StoreFact> facts);

  /// Submits what is missing, waits for it and takes it in, again and again as long as it gets less. True when store()
  /// has everything; false if `options` say not to submit or not to wait. `next` then tells the user how it goes on.
  /// Jobs that an earlier call has submitted are waited for first. Errors: SlurmError; IncompleteError naming what is
  /// missing after all.
  bool complete(std::span<const Instance> instances, std::span<const Algorithm> algorithms, CampaignOptions campaign,
                std::string& next);

  ResultStore& store() { return store_; }

 private:
  SlurmArray write_run(std::span<const std::size_t> missing, unsigned threads);
  void take_in_parts();

  SlurmOptions options_;
  std::vector<StoreFact> facts_;
  std::string folder_;
  std::string name_;  // of its jobs
  ResultStore store_;
};

}  // namespace dfrs::sim
