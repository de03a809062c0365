// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_orders.h"

#include <algorithm>
#include <iterator>

#include "policy/core/compare.h"

namespace dfrs::triage {
namespace {

// To build orders takes as long as about ten searches without them.
constexpr int kWorthwhile = 10;
// A repair passes over all nodes; until then each search looks at the stale ones.
constexpr std::size_t kStalePart = 32;
// To keep orders that nobody uses costs time in each call.
constexpr std::uint64_t kCallsUnused = 20;

bool before(const HarmOrders::Entry& a, const HarmOrders::Entry& b) {
  return a.key != b.key ? a.key < b.key : a.node < b.node;
}

}  // namespace

double HarmOrders::rigid_parts(const ClusterState& state, const RigidVector& amounts, NodeIndex n) {
  double sum = 0;
  for (std::size_t d = 0; d < state.rigid_dims(); ++d) {
    const auto whole = static_cast<double>(state.rigid_capacity(n)[d]);
    if (whole > 0) sum += static_cast<double>(amounts[d]) / whole;
  }
  return sum;
}

void HarmOrders::begin() {
  ++call_;
  for (Table& table : tables_) {
    if (!table.ordered || call_ - table.call <= kCallsUnused) continue;
    table.ordered = false;
    table.searches = 0;
  }
}

bool HarmOrders::any() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const Table& table) { return table.ordered; });
}

void HarmOrders::changed(const DecisionContext& context, const ResidentLosses& losses, NodeIndex n) {
  const Seen now = seen_now(context, losses, n);
  for (Table& table : tables_) {
    if (!table.ordered || table.nodes.stale.contains(n) || table.seen[n] == now) continue;
    table.nodes.stale.add(n);
  }
}

HarmOrders::Table& HarmOrders::table_of(double cpu_need) {
  Table* oldest = tables_.data();
  for (Table& table : tables_) {
    if (table.cpu_need == cpu_need) return table;
    if (table.used < oldest->used) oldest = &table;
  }
  oldest->cpu_need = cpu_need;
  oldest->searches = 0;
  oldest->ordered = false;
  return *oldest;
}

const HarmOrders::Nodes* HarmOrders::of(const DecisionContext& context, ResidentLosses& losses, double cpu_need) {
  Table& table = table_of(cpu_need);
  table.used = ++search_;
  table.call = call_;
  if (!table.ordered) {
    if (++table.searches < kWorthwhile) return nullptr;
    build(context, losses, table);
  } else if (table.nodes.stale.nodes().size() > context.state.node_count() / kStalePart) {
    repair(context, losses, table);
  }
  return &table.nodes;
}

void HarmOrders::build(const DecisionContext& context, ResidentLosses& losses, Table& table) {
  const std::size_t count = context.state.node_count();
  Nodes& nodes = table.nodes;
  nodes.load.resize(count);
  nodes.loss.resize(count);
  table.seen.resize(count);
  nodes.by_tie.clear();
  nodes.by_load.clear();
  nodes.by_loss.clear();
  nodes.stale.reset(count);
  for (NodeIndex n = 0; n < count; ++n) nodes.stale.add(n);
  table.ordered = true;
  repair(context, losses, table);
}

void HarmOrders::repair(const DecisionContext& context, ResidentLosses& losses, Table& table) {
  const ClusterState& state = context.state;
  Nodes& nodes = table.nodes;
  for (NodeIndex n : nodes.stale.nodes()) {
    const double capacity = state.cpu_capacity(n);
    const double load = state.cpu_load(n) / capacity + table.cpu_need / capacity;
    nodes.load[n] = load;
    table.seen[n] = seen_now(context, losses, n);
    if (cpu_fits(load, 1)) {
      by_tie_.push_back({tie(state, n), n});
      continue;
    }
    nodes.loss[n] = losses.at(context, n, 1 / load, 0, kNever).loss;
    by_load_.push_back({load, n});
    by_loss_.push_back({nodes.loss[n], n});
  }
  replace_stale(nodes, nodes.by_tie, by_tie_);
  replace_stale(nodes, nodes.by_load, by_load_);
  replace_stale(nodes, nodes.by_loss, by_loss_);
  nodes.stale.clear();
}

// Brings the fresh nodes into the order, and takes out the stale ones.
void HarmOrders::replace_stale(const Nodes& nodes, std::vector<Entry>& order, std::vector<Entry>& fresh) {
  std::erase_if(order, [&](const Entry& entry) { return nodes.stale.contains(entry.node); });
  std::sort(fresh.begin(), fresh.end(), before);
  merged_.clear();
  std::merge(order.begin(), order.end(), fresh.begin(), fresh.end(), std::back_inserter(merged_), before);
  order.swap(merged_);
  fresh.clear();
}

}  // namespace dfrs::triage
