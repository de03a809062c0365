// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/harm_orders.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "policy/core/compare.h"

namespace dfrs::triage {
namespace {

// To build orders takes as long as about ten searches without them.
constexpr int kWorthwhile = 10;
// To keep orders that nobody uses costs time in each call.
constexpr std::uint64_t kCallsUnused = 20;

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
  } else if ((table.looked_at += table.nodes.stale.nodes().size()) > context.state.node_count()) {
    repair(context, losses, table);
  }
  return &table.nodes;
}

void HarmOrders::build(const DecisionContext& context, ResidentLosses& losses, Table& table) {
  const std::size_t count = context.state.node_count();
  Nodes& nodes = table.nodes;
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
    table.seen[n] = seen_now(context, losses, n);
    const RigidAmount memory = state.rigid_free(n)[kMemory];
    if (cpu_fits(load, 1)) {
      with_cpu_left_.push_back({0, 0, tie(state, n), memory, n});
    } else {
      overloaded_.push_back({load, losses.at(context, n, 1 / load, 0, kNever).loss, tie(state, n), memory, n});
    }
  }
  nodes.by_tie.replace(nodes.stale, with_cpu_left_, merged_);
  nodes.by_load.replace(nodes.stale, overloaded_, merged_);
  nodes.by_loss.replace(nodes.stale, overloaded_, merged_);
  with_cpu_left_.clear();
  overloaded_.clear();
  nodes.stale.clear();
  table.looked_at = 0;
}

void HarmOrders::Order::clear() {
  entries_.clear();
  most_.clear();
}

void HarmOrders::Order::replace(const DistinctNodes& stale, std::vector<Entry>& fresh, std::vector<Entry>& scratch) {
  const auto before = [key = key_](const Entry& a, const Entry& b) {
    return std::tuple(a.*key, a.loss, a.load, a.tie, a.node) < std::tuple(b.*key, b.loss, b.load, b.tie, b.node);
  };
  std::erase_if(entries_, [&](const Entry& entry) { return stale.contains(entry.node); });
  std::sort(fresh.begin(), fresh.end(), before);
  scratch.clear();
  std::merge(entries_.begin(), entries_.end(), fresh.begin(), fresh.end(), std::back_inserter(scratch), before);
  entries_.swap(scratch);
  most_.assign((entries_.size() + kBlock - 1) / kBlock, std::numeric_limits<RigidAmount>::min());
  for (std::size_t k = 0; k < entries_.size(); ++k) most_[k / kBlock] = std::max(most_[k / kBlock], entries_[k].memory);
}

std::size_t HarmOrders::Order::next(std::size_t k, RigidAmount least) const {
  while (k < entries_.size()) {
    const std::size_t end = std::min((k / kBlock + 1) * kBlock, entries_.size());
    if (most_[k / kBlock] < least) {
      k = end;
      continue;
    }
    for (; k < end; ++k) {
      if (entries_[k].memory >= least) return k;
    }
  }
  return k;
}

// The first behind `k` that is not the same in the order.
template <typename Same>
std::size_t HarmOrders::Order::behind(std::size_t k, Same&& same) const {
  const Entry& entry = entries_[k];
  if (++k == entries_.size() || !same(entry, entries_[k])) return k;  // where needs are many, no two are the same
  const auto from = entries_.begin() + static_cast<std::ptrdiff_t>(k);
  const auto end = std::partition_point(from, entries_.end(), [&](const Entry& other) { return same(entry, other); });
  return static_cast<std::size_t>(end - entries_.begin());
}

std::size_t HarmOrders::Order::next_key(std::size_t k) const {
  return behind(k, [key = key_](const Entry& a, const Entry& b) { return a.*key == b.*key; });
}

std::size_t HarmOrders::Order::next_unlike(std::size_t k) const {
  return behind(k, [](const Entry& a, const Entry& b) { return a.load == b.load && a.loss == b.loss; });
}

}  // namespace dfrs::triage
