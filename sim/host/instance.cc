// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/instance.h"

namespace dfrs::sim {

Platform Platform::homogeneous(std::size_t count, RigidAmount memory) {
  Platform platform;
  NodeSpec node;
  node.rigid[kMemory] = memory;
  platform.nodes.assign(count, node);
  return platform;
}

double Platform::total_cpu() const {
  double total = 0;
  for (const NodeSpec& node : nodes) total += node.cpu;
  return total;
}

}  // namespace dfrs::sim
