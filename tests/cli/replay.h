// SPDX-License-Identifier: GPL-2.0-or-later
// An independent reading of `dfrs-sim run --log`: carries out the logged decisions on the trace's machine, based only
// on the formats' documentation, and refuses what no machine could do.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace dfrs::sim {

struct ReplayedJob {
  // From the trace.
  double submit = 0;
  double run_time = 0;
  double cpu_need = 0;
  long long memory = 0;
  std::size_t tasks = 0;
  // What happened.
  double start = -1;
  double end = -1;
  unsigned pauses = 0;
  unsigned moves = 0;
};

struct ReplayedNode {
  double cpu = 1;
  long long memory = 0;
};

struct Replay {
  std::vector<ReplayedNode> nodes;
  std::map<std::int64_t, ReplayedJob> jobs;
};

struct ReplayError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Nodes and jobs of a dfrs-trace with one rigid resource.
Replay read_trace(const std::string& trace);

/// Replays `log` on `trace`. Errors: ReplayError at the first decision that puts more memory on a node than it has, a
/// yield outside (0, 1] or more CPU than a node has, a task on no node or on one that does not exist, a job that does
/// what its state does not allow, and a completion before or after the job's work is done (yields integrated over time,
/// `penalty` seconds without progress after each resume and move). `exclusive`: tasks must not share a node.
Replay replay(const std::string& trace, const std::string& log, double penalty = 300, bool exclusive = false);

}  // namespace dfrs::sim
