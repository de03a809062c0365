// SPDX-License-Identifier: GPL-2.0-or-later
// Rigid resources, memory above all: their capacities are never exceeded. CPU is the one fluid resource, and a double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dfrs {

/// An amount of a rigid resource. Memory is in MiB.
using RigidAmount = std::int64_t;

/// How many rigid resources a cluster may have. No algorithm names memory, so raising this is all it takes to add one.
inline constexpr std::size_t kMaxRigid = 3;

/// Index of memory, the rigid resource that every cluster has.
inline constexpr std::size_t kMemory = 0;

/// One amount per rigid resource; 0 for resources that the cluster does not use.
using RigidVector = std::array<RigidAmount, kMaxRigid>;

/// Calls `use` with the number of rigid resources in use. In the usual case, memory alone, it passes the constant 1, so
/// that the compiler removes inner loops over resources.
template <typename Use>
decltype(auto) with_dims(std::size_t dims, Use&& use) {
  return dims == 1 ? use(std::integral_constant<std::size_t, 1>{}) : use(dims);
}

/// A node's capacities. `cpu` is relative to the workload's reference node: 1.0 on all nodes of a homogeneous
/// cluster, 2.0 on a node that is twice as fast. Range: cpu > 0, rigid >= 0.
struct NodeSpec {
  double cpu = 1.0;
  RigidVector rigid{};

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

}  // namespace dfrs
