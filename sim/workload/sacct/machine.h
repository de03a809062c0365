// SPDX-License-Identifier: GPL-2.0-or-later
// The cluster that its accounting shows: how many nodes, of which kinds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/core/resources.h"
#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/workload/sacct/reader.h"

namespace dfrs::sim {

struct NodeShape {
  int nodes = 0;               ///< 0: not known
  int cores = 0;               ///< CPUs of a node as Slurm counts them
  RigidAmount memory_mib = 0;  ///< of a node; 0: not modelled
};

/// Nodes whose names differ only in numbers, such as gpu01 and gpu02.
struct NodeKind {
  std::string name;  ///< with # for each number: "gpu#"
  NodeShape shape;
  RigidAmount gpus = 0;

  friend bool operator==(const NodeKind& a, const NodeKind& b) {
    return a.name == b.name && a.shape.nodes == b.shape.nodes && a.shape.cores == b.shape.cores &&
           a.shape.memory_mib == b.shape.memory_mib && a.gpus == b.gpus;
  }
};

/// The cluster to simulate.
struct Machine {
  NodeShape shape;              ///< with several kinds: all nodes, and the largest amounts
  std::vector<NodeKind> kinds;  ///< empty: all nodes are equal and have no GPUs

  Platform platform() const;
  std::int64_t cpus() const;  ///< of all nodes
};

/// Index of GPUs among the rigid resources of a machine with kinds.
inline constexpr std::size_t kGpus = 1;

/// The smallest cluster consistent with the jobs: nodes counted by their names in NodeList, cores and memory from the
/// jobs with the most of each per node. 0 where the accounting does not tell. A heterogeneous cluster appears to
/// consist of its largest nodes.
NodeShape infer_shape(const SacctLog& log);

/// The kinds of nodes, by the names in NodeList: CPUs, memory and GPUs are the most that a job had on a node, over the
/// jobs that ran on this kind alone; CPUs and memory also what jobs of one node had there at once, up to the most that
/// a job had on a node of any kind. Kinds with the same GPUs whose CPUs and memory are within a quarter of each other
/// count as one. Empty if that leaves one kind without GPUs, or if names tell nothing (kMostKinds). O(jobs + names).
std::vector<NodeKind> infer_kinds(const SacctLog& log);
inline constexpr std::size_t kMostKinds = 16;

/// `given`, completed by infer_shape; nothing given: by infer_kinds, too. Errors: kExitUsage for values out of range,
/// or if neither `given` nor the accounting has the number of nodes.
Result<Machine> machine_of(const SacctLog& log, const NodeShape& given);

/// The machine of these kinds, of which there is one at least.
Machine machine_of_kinds(std::vector<NodeKind> kinds);

/// What machine_of had to infer, as a sentence for users; empty if nothing. Errors: those of machine_of.
Result<std::string> describe_guess(const SacctLog& log, const NodeShape& given);

/// "4 nodes gpu# of 64 CPUs, 512000 MiB and 4 GPUs"
std::string describe_kind(const NodeKind& kind);

}  // namespace dfrs::sim
