// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/nodes.h"

#include <algorithm>
#include <cstring>

#include "shim/controller/bounds.h"

namespace dfrs::shim {
namespace {

/// Capacities must be positive: our jobs on a node that foreign jobs fill share this fraction of a CPU.
constexpr double kLeastCpus = 0.01;

bool assign(std::string& text, const char* value) {
  if (value == nullptr) value = "";
  if (text == value) return false;
  text = value;
  return true;
}

NodeView view_of(const Node& node, std::uint32_t reference) {
  NodeView view;
  const double cpus = node.free_cpus();
  view.spec.cpu = std::max(cpus, kLeastCpus) / reference;
  view.spec.rigid[kMemory] = std::max<std::int64_t>(0, node.free_memory());
  view.usable = node.usable && cpus > 0;
  return view;
}

}  // namespace

Nodes::Changes Nodes::update(const dfrs_snapshot& snapshot) {
  Changes changes;
  changes.list = first_ || generation_ != snapshot.node_generation || nodes_.size() != snapshot.node_count;
  first_ = false;
  generation_ = snapshot.node_generation;
  nodes_.resize(snapshot.node_count);
  std::uint32_t reference = 1;
  for (std::size_t n = 0; n < snapshot.node_count; ++n) {
    const dfrs_node& seen = snapshot.nodes[n];
    Node& node = nodes_[n];
    // The generation should change with a name; be safe if it does not.
    if (assign(node.name, seen.name)) changes.list = true;
    if (assign(node.address, seen.address)) changes.addresses = true;
    if (node.slurmd_port != seen.slurmd_port) changes.addresses = true;
    node.slurmd_port = seen.slurmd_port;
    node.cpus = seen.cpus;
    node.memory = std::min(seen.memory, kMostNodeMemory);
    node.foreign_cpus = seen.foreign_cpus;
    node.foreign_memory = std::min(seen.foreign_memory, kMostNodeMemory);
    node.usable = seen.usable;
    node.completing = seen.completing;
    reference = std::max(reference, seen.cpus);
  }
  changes.addresses = changes.addresses || changes.list;
  other_reference_ = changes.list || reference != reference_cpus_;
  reference_cpus_ = reference;
  return changes;
}

bool Nodes::settle(std::span<const std::uint64_t> held) {
  bool changed = other_reference_;
  other_reference_ = false;
  views_.resize(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    nodes_[n].held_memory = held[n];
    const NodeView view = view_of(nodes_[n], reference_cpus_);
    if (view.spec != views_[n].spec || view.usable != views_[n].usable) changed = true;
    views_[n] = view;
  }
  return changed;
}

}  // namespace dfrs::shim
