// SPDX-License-Identifier: GPL-2.0-or-later
// Rigid resources: amounts that may never be exceeded (memory first). CPU is the one fluid resource and is a double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dfrs {

/// An amount of a rigid resource. Memory is in MiB.
using RigidAmount = std::int64_t;

/// How many rigid resources a cluster may have. Raising this is all it takes to add one: no algorithm names memory.
inline constexpr std::size_t kMaxRigid = 3;

/// The rigid resource that every cluster has.
inline constexpr std::size_t kMemory = 0;

/// One amount per rigid resource; those a cluster does not use are 0.
using RigidVector = std::array<RigidAmount, kMaxRigid>;

/// Calls `use` with the number of rigid resources in use; where that is 1, memory alone, as nearly everywhere, as a
/// constant: what loops over them within a loop over nodes is then no loop.
template <typename Use>
decltype(auto) with_dims(std::size_t dims, Use&& use) {
  return dims == 1 ? use(std::integral_constant<std::size_t, 1>{}) : use(dims);
}

/// A node's capacities. `cpu` is relative to the reference node of the workload: a homogeneous cluster has 1.0
/// everywhere, a node twice as fast 2.0. Range: cpu > 0, rigid >= 0.
struct NodeSpec {
  double cpu = 1.0;
  RigidVector rigid{};

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

}  // namespace dfrs
