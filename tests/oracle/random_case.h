// SPDX-License-Identifier: GPL-2.0-or-later
// Random clusters in the middle of their life. Needs, CPU capacities and memory are dyadic fractions, so that sums are
// exact and ties are true ties.
#pragma once

#include <deque>
#include <vector>

#include "policy/core/view.h"
#include "tests/oracle/dice.h"
#include "tests/oracle/world.h"

namespace dfrs::oracle {

struct CaseOptions {
  int max_nodes = 6;
  int max_jobs = 10;
  int max_tasks = 4;
  bool general = false;  ///< unequal and unusable nodes, three rigid resources, flags, eligible sets
  bool waiting = true;   ///< some jobs are waiting or paused
};

/// Owns what a view refers to. Jobs are in submission order.
class SnapshotCase {
 public:
  SnapshotCase(Dice& dice, const CaseOptions& options);
  SnapshotCase(const SnapshotCase&) = delete;
  SnapshotCase& operator=(const SnapshotCase&) = delete;

  ClusterView view() const { return {now, nodes, jobs, dims}; }
  World world() const { return world_of(view(), order); }

  Seconds now = 0;
  std::size_t dims = 1;
  std::vector<NodeView> nodes;
  std::vector<JobView> jobs;
  std::vector<JobSlot> order;

 private:
  std::deque<NodeSet> sets_;
  std::deque<std::vector<NodeIndex>> placements_;
};

inline constexpr RigidAmount kNodeMemory = 1024;  ///< MiB of an ordinary node

/// Nodes: all alike (CPU 1, kNodeMemory), or in general ones of CPU 1/2, 1, 2 with 1/2, 1, 2 times the memory.
std::vector<NodeView> random_nodes(Dice& dice, int count, bool general, std::size_t dims);

/// Requirements (and in general flags) of a job that fits the nodes when it has them all for itself.
struct Requirements {
  std::uint32_t tasks = 1;
  double cpu_need = 1;
  RigidVector rigid{};
  JobFlags flags;
};
Requirements random_requirements(Dice& dice, int max_tasks, bool general, std::size_t dims);

/// A random set of nodes, not empty.
NodeSet random_set(Dice& dice, std::size_t nodes);

/// True if the job alone would find room on the usable nodes.
bool fits_alone(const World& world, JobSlot job);

}  // namespace dfrs::oracle
