// SPDX-License-Identifier: GPL-2.0-or-later
// What Slurm shows of a job: the last snapshot, updated by the operations carried out since.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/core/view.h"
#include "shim/controller.h"
#include "shim/controller/comment_tag.h"

namespace dfrs::shim {

/// Written by job_observation.h and results.h.
struct JobFacts {
  // Read in most passes over all jobs.
  dfrs_job_phase phase = DFRS_JOB_BLOCKED;
  std::uint32_t flags = 0;  ///< dfrs_job_flag
  std::uint32_t tasks = 1;
  std::uint32_t cpus_per_task = 1;
  std::uint64_t memory_per_task = 0;      ///< MiB
  std::uint32_t time_limit = UINT32_MAX;  ///< minutes
  std::uint32_t steps = 0;                ///< created by sruns in this run
  std::int64_t end_time = 0;
  std::vector<NodeIndex> nodes;  ///< of each task, ascending; empty unless running or suspended

  std::uint64_t snapshot = 0;   ///< number of the last snapshot that showed the job
  bool tied_to_images = false;  ///< its next run is to begin from images that other nodes do not have
  bool exclusive = false;       ///< its flag when it got its nodes
  bool keeps_memory = true;     ///< while suspended by its user: Slurm keeps its memory, unless we freed it before
  std::int64_t begin_time = 0;
  std::uint32_t priority = 0;  ///< Slurm's
  std::uint32_t qos_priority = 0;
  double fair_share = -1;  ///< below 0: not known
  std::string name, partition, blocked_reason;
  TaggedComment comment;

  std::vector<NodeIndex> last_nodes;         ///< of the last run
  std::vector<std::uint64_t> eligible_mask;  ///< nodes that it may use, as in the snapshot; empty: all
  NodeSet eligible_nodes;                    ///< the same for the policy
  NodeSet image_nodes;                       ///< tied_to_images: those that have them, if it may use them

  bool has(dfrs_job_flag flag) const { return (flags & flag) != 0; }
  /// Nodes that it may use; null: all of them.
  const NodeSet* usable_nodes() const {
    return tied_to_images ? &image_nodes : eligible_mask.empty() ? nullptr : &eligible_nodes;
  }
  bool may_use(NodeIndex node) const {
    const NodeSet* const usable = usable_nodes();
    return usable == nullptr || usable->contains(node);
  }
};

}  // namespace dfrs::shim
