// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_orders.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "policy/core/compare.h"

namespace dfrs::triage {
namespace {

// To build orders takes as long as about ten searches without them.
constexpr int kWorthwhile = 10;
// To look at a stale node in each of some twenty searches takes as long as to repair its place, and a repair passes
// over all nodes.
constexpr std::size_t kLeastStale = 64;
constexpr std::size_t kStalePart = 64;

}  // namespace

void HarmOrders::changed(const DecisionContext& context, const ResidentLosses& losses, NodeIndex n) {
  const Seen now = seen_now(context, losses, n);
  for (Table& table : tables_) {
    if (!table.ordered || table.nodes.is_stale[n] != 0 || table.seen[n] == now) continue;
    table.nodes.is_stale[n] = 1;
    table.nodes.stale.push_back(n);
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
  if (!table.ordered) {
    if (++table.searches < kWorthwhile) return nullptr;
    build(context, losses, table);
  } else if (table.nodes.stale.size() > context.state.node_count() / kStalePart) {
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
  nodes.by_load.clear();
  nodes.by_loss.clear();
  nodes.is_stale.assign(count, 1);
  nodes.stale.resize(count);
  std::iota(nodes.stale.begin(), nodes.stale.end(), NodeIndex{0});
  most_capacity_ = 0;
  for (NodeIndex n = 0; n < count; ++n) most_capacity_ = std::max(most_capacity_, context.state.cpu_capacity(n));
  table.ordered = true;
  repair(context, losses, table);
}

void HarmOrders::repair(const DecisionContext& context, ResidentLosses& losses, Table& table) {
  const ClusterState& state = context.state;
  Nodes& nodes = table.nodes;
  const auto is_stale = [&](const Entry& entry) { return nodes.is_stale[entry.node] != 0; };
  std::erase_if(nodes.by_load, is_stale);
  std::erase_if(nodes.by_loss, is_stale);
  fresh_.clear();
  for (NodeIndex n : nodes.stale) {
    const double capacity = state.cpu_capacity(n);
    const double load = state.cpu_load(n) / capacity + table.cpu_need / capacity;
    nodes.load[n] = load;
    nodes.loss[n] = cpu_fits(load, 1) ? 0 : losses.at(context, n, 1 / load, 0, kNever).loss;
    nodes.is_stale[n] = 0;
    table.seen[n] = seen_now(context, losses, n);
    fresh_.push_back({load, n});
  }
  merge(nodes.by_load);
  fresh_.clear();
  for (NodeIndex n : nodes.stale) {
    if (!cpu_fits(nodes.load[n], 1)) fresh_.push_back({nodes.loss[n], n});
  }
  merge(nodes.by_loss);
  nodes.stale.clear();
  const auto crowded = std::partition_point(nodes.by_load.begin(), nodes.by_load.end(),
                                            [](const Entry& entry) { return cpu_fits(entry.key, 1); });
  nodes.first_crowded = static_cast<std::size_t>(crowded - nodes.by_load.begin());
}

// Brings the fresh nodes into the order.
void HarmOrders::merge(std::vector<Entry>& order) {
  const auto before = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  std::sort(fresh_.begin(), fresh_.end(), before);
  merged_.clear();
  std::merge(order.begin(), order.end(), fresh_.begin(), fresh_.end(), std::back_inserter(merged_), before);
  order.swap(merged_);
}

}  // namespace dfrs::triage
