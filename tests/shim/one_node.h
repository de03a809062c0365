// SPDX-License-Identifier: GPL-2.0-or-later
// The smallest cluster on which jobs compete: one node of four CPUs, and jobs that ask for all of them.
#pragma once

#include <string>

#include "tests/shim/fake_slurm.h"

namespace dfrs::shim {

/// With `memory` MiB; by default there is room for one job of 800, which a younger one has paused if that is allowed.
struct OneNode {
  explicit OneNode(const std::string& conf, std::uint64_t memory = 1000, const FakeOptions& options = {})
      : slurm(1, conf, options) {
    slurm.add_nodes(1, 4, memory);
    slurm.start_controller();
  }
  FakeSlurm slurm;
};

/// A dfrs.conf in which pauses need no swap, with these further lines.
inline std::string one_node_conf(const std::string& more, const std::string& algorithm = "GreedyP*/OPT=MIN") {
  return "Algorithm=" + algorithm + "\nPeriod=30\nPartitions=dfrs\nCommentInterval=10\nSuspendNeedsSwap=no\n" + more;
}

inline FakeJob job_of(std::uint64_t memory, double work) {
  FakeJob job;
  job.cpus_per_task = 4;
  job.memory = memory;
  job.work = work;
  return job;
}

}  // namespace dfrs::shim
