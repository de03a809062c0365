// SPDX-License-Identifier: GPL-2.0-or-later
// A snapshot of nodes only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "shim/controller/nodes.h"

namespace dfrs::shim {

struct NodeList {
  std::vector<dfrs_node> list;
  std::uint64_t generation = 1;

  /// Usable, without foreign jobs. Texts must outlive the list, as literals do.
  dfrs_node& add(const char* name, std::uint32_t cpus, std::uint64_t memory) {
    dfrs_node node{};
    node.name = node.address = name;
    node.slurmd_port = 6818;
    node.cpus = cpus;
    node.memory = memory;
    node.usable = true;
    list.push_back(node);
    return list.back();
  }
  dfrs_snapshot snapshot() const {
    dfrs_snapshot snapshot{};
    snapshot.now = 1.7e9;
    snapshot.node_generation = generation;
    snapshot.nodes = list.data();
    snapshot.node_count = list.size();
    return snapshot;
  }
  /// `nodes` after a step of the controller, without jobs suspended by scontrol.
  Nodes::Changes update(Nodes& nodes) const {
    const Nodes::Changes changes = nodes.update(snapshot());
    nodes.settle(std::vector<std::uint64_t>(list.size(), 0));
    return changes;
  }
};

}  // namespace dfrs::shim
