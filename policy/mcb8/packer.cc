// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/packer.h"

#include <algorithm>
#include <utility>

#include "policy/core/compare.h"

namespace dfrs {
namespace {

// With more sets of eligible nodes than this, finding out which nodes are alike costs more than it saves.
constexpr std::size_t kMostSets = 16;

template <std::size_t D>
void subtract(Amounts& from, const Amounts& amounts) {
  for (std::size_t d = 0; d < D; ++d) from[d] -= amounts[d];
}

void add(Amounts& to, const Amounts& amounts, double times) {
  for (std::size_t d = 0; d < to.size(); ++d) to[d] += amounts[d] * times;
}

Amounts capacity(const ClusterState& state, NodeIndex n) {
  Amounts amounts{state.cpu_capacity(n)};
  for (std::size_t d = 0; d < state.rigid_dims(); ++d) {
    amounts[1 + d] = static_cast<double>(state.rigid_capacity(n)[d]);
  }
  return amounts;
}

// Sorts larger keys first, ties by index, which is submission order. Keys arrive by index.
template <typename Key>
void sort_keys(std::vector<Key>& keys) {
  const auto larger = [](const Key& a, const Key& b) { return a.key != b.key ? a.key > b.key : a.item < b.item; };
  // Often all keys are equal.
  if (!std::is_sorted(keys.begin(), keys.end(), larger)) std::sort(keys.begin(), keys.end(), larger);
}

// Sorts the lists by the room left in their dimension, most first; the CPU list wins ties.
template <std::size_t D>
void prefer(const Amounts& left, const Amounts& whole, std::array<std::uint32_t, D>& lists) {
  const auto open = [&](std::size_t d) { return whole[d] > 0 ? left[d] / whole[d] : 0.0; };
  if constexpr (D == 2) {  // a shortcut for the usual case
    lists[0] = open(1) > open(0) ? 1 : 0;
    lists[1] = 1 - lists[0];
  } else {
    std::array<double, D> by_list;
    for (std::uint32_t k = 0; k < D; ++k) {  // insertion sort, stable
      by_list[k] = open(k);
      std::size_t at = k;
      for (; at > 0 && by_list[lists[at - 1]] < by_list[k]; --at) lists[at] = lists[at - 1];
      lists[at] = k;
    }
  }
}

}  // namespace

void Packer::Record::clear() {
  nodes.clear();
  shares.clear();
  items.clear();
  items_from.clear();
}

void Packer::prepare(const ClusterState& state, std::vector<Item>& items) {
  state_ = &state;
  items_ = &items;
  dims_ = 1 + state.rigid_dims();
  sets_.clear();
  nodes_matter_ = false;
  for (const Item& item : items) {
    const JobView& spec = *item.spec;
    nodes_matter_ = nodes_matter_ || spec.eligible != nullptr || spec.flags.exclusive;
    if (spec.eligible == nullptr || sets_.size() > kMostSets) continue;
    if (std::find(sets_.begin(), sets_.end(), spec.eligible) == sets_.end()) sets_.push_back(spec.eligible);
  }
  measure_nodes();
  measure_items();
  sorted_ = false;
  lists_.resize(dims_);
}

void Packer::measure_nodes() {
  const ClusterState& state = *state_;
  const auto nodes = static_cast<NodeIndex>(state.node_count());
  runs_.clear();
  total_ = {};
  Amounts largest{};
  if (state.homogeneous() && sets_.empty() && nodes != 0) {
    largest = capacity(state, 0);
    runs_.push_back({0, nodes, largest});
    add(total_, largest, nodes);
  } else {
    for (NodeIndex n = 0; n < nodes; ++n) {
      if (!state.usable(n)) continue;
      const Amounts whole = capacity(state, n);
      add(total_, whole, 1);
      for (std::size_t d = 0; d < dims_; ++d) largest[d] = std::max(largest[d], whole[d]);
      const bool as_before = !runs_.empty() && runs_.back().end == n && runs_.back().whole == whole &&
                             sets_.size() <= kMostSets &&
                             std::all_of(sets_.begin(), sets_.end(),
                                         [&](const NodeSet* set) { return set->contains(n - 1) == set->contains(n); });
      if (as_before) {
        ++runs_.back().end;
      } else {
        runs_.push_back({n, n + 1, whole});
      }
    }
  }
  cpu_reference_ = largest[0];
  for (std::size_t d = 1; d < dims_; ++d) rigid_scale_[d - 1] = largest[d] > 0 ? 1.0 / largest[d] : 0.0;
}

void Packer::measure_items() {
  const auto count = static_cast<std::uint32_t>(items_->size());
  single_.resize(count);
  pins_.clear();
  movable_.clear();
  tasks_total_ = 0;
  needed_ = {};
  for (std::uint32_t k = 0; k < count; ++k) {
    Item& item = (*items_)[k];
    const JobView& spec = *item.spec;
    Group& own = single_[k] = Group{};
    own.required[0] = spec.cpu_need;
    own.tasks = spec.tasks;
    own.count = 1;
    own.list = 1;
    for (std::size_t d = 0; d + 1 < dims_; ++d) {
      own.required[1 + d] = static_cast<double>(spec.rigid[d]);
      const double share = own.required[1 + d] * rigid_scale_[d];
      if (share > own.share) {
        own.share = share;
        own.list = static_cast<std::uint32_t>(1 + d);
      }
    }
    item.excluded = false;
    add(needed_, own.required, static_cast<double>(tasks_on_usable(item)));
    if (item.pinned) {
      for (NodeIndex n : item.nodes) pins_.push_back({n, k});
    } else {
      movable_.push_back(k);
      tasks_total_ += spec.tasks;
    }
  }
  std::sort(pins_.begin(), pins_.end(),
            [](const Pin& a, const Pin& b) { return a.node != b.node ? a.node < b.node : a.item < b.item; });
}

void Packer::sort_items() {
  // In a burst, most jobs have been left out by now for lack of memory.
  std::erase_if(movable_, [&](std::uint32_t k) { return (*items_)[k].excluded; });
  const auto sort_by = [&](Order& order, auto&& key) {
    keys_.clear();
    for (std::uint32_t k : movable_) keys_.push_back({key(single_[k]), k});
    sort_keys(keys_);
    order.items.resize(keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) order.items[k] = keys_[k].item;
    group(order);
  };
  sort_by(by_share_, [](const Group& own) { return own.share; });
  sort_by(by_need_, [](const Group& own) { return own.required[0]; });
  sorted_ = true;
}

// Tasks that stay pinned on unusable nodes need no room on usable ones.
RigidAmount Packer::tasks_on_usable(const Item& item) const {
  RigidAmount tasks = item.spec->tasks;
  if (state_->homogeneous() || !item.pinned) return tasks;
  for (NodeIndex n : item.nodes) tasks -= state_->usable(n) ? 0 : 1;
  return tasks;
}

// Whether two items fit the same nodes, CPU aside.
bool Packer::alike_but_for_cpu(std::uint32_t a, std::uint32_t b) const {
  for (std::size_t d = 1; d < dims_; ++d) {
    if (single_[a].required[d] != single_[b].required[d]) return false;
  }
  if (!nodes_matter_) return true;
  const JobView& one = *(*items_)[a].spec;
  const JobView& other = *(*items_)[b].spec;
  return one.eligible == other.eligible && !one.flags.exclusive && !other.flags.exclusive;
}

void Packer::group(Order& order) {
  order.groups.clear();
  order.group_of.resize(items_->size());
  for (std::uint32_t at = 0; at < order.items.size(); ++at) {
    const std::uint32_t k = order.items[at];
    const std::uint32_t before = at != 0 ? order.items[at - 1] : k;
    if (at != 0 && single_[before].required[0] == single_[k].required[0] && alike_but_for_cpu(before, k)) {
      ++order.groups.back().count;
      order.groups.back().tasks += single_[k].tasks;
    } else {
      order.groups.push_back(single_[k]);
      order.groups.back().first = at;
    }
    order.group_of[k] = static_cast<std::uint32_t>(order.groups.size() - 1);
  }
}

void Packer::exclude(std::uint32_t k) {
  Item& item = (*items_)[k];
  item.excluded = true;
  add(needed_, single_[k].required, -static_cast<double>(tasks_on_usable(item)));
  if (item.pinned) return;
  tasks_total_ -= item.spec->tasks;
  if (!sorted_) return;
  by_need_.groups[by_need_.group_of[k]].tasks -= item.spec->tasks;
  by_share_.groups[by_share_.group_of[k]].tasks -= item.spec->tasks;
}

bool Packer::rigid_totals_fit() const {
  for (std::size_t d = 1; d < dims_; ++d) {
    if (needed_[d] > total_[d]) return false;
  }
  return true;
}

bool Packer::pack_scaled(double yield) {
  by_yield_ = true;
  yield_ = yield;
  left_ = needed_;
  left_[0] *= yield;
  return pack_all();
}

bool Packer::pack() {
  by_yield_ = false;
  left_ = needed_;
  left_[0] = 0;
  for (const Item& item : *items_) {
    if (!item.excluded) left_[0] += item.cpu * static_cast<double>(tasks_on_usable(item));
  }
  return pack_all();
}

bool Packer::pack_all() {
  room_left_ = total_;
  tasks_left_ = tasks_total_;
  // Most high yields fail here, before any packing.
  if (cannot_fit()) return false;
  if (!place_pinned()) return false;
  if (!sorted_) sort_items();
  build_lists();
  const bool packed = dims_ == 2 ? fill_nodes<2>() : dims_ == 3 ? fill_nodes<3>() : fill_nodes<4>();
  static_assert(kMaxDims == 4, "one instance of fill_nodes for each number of dimensions");
  if (packed) std::swap(record_, kept_);
  return packed;
}

bool Packer::place_pinned() {
  pinned_nodes_.clear();
  PinnedNode at;
  Amounts whole{};
  bool usable = false;
  const auto close_node = [&] {
    if (usable && !at.room.empty) pinned_nodes_.push_back(at);
  };
  for (std::size_t p = 0; p < pins_.size(); ++p) {
    const Pin& pin = pins_[p];
    const Item& item = (*items_)[pin.item];
    if (item.excluded) continue;
    if (at.room.empty || pin.node != at.node) {
      close_node();
      at.node = pin.node;
      whole = capacity(*state_, pin.node);
      at.room = FreeAmounts{whole};
      usable = state_->usable(pin.node);
    }
    Amounts required = single_[pin.item].required;
    required[0] = by_yield_ ? item.spec->cpu_need * yield_ : item.cpu;
    if (required[0] > at.room.left[0] + kCpuTolerance * whole[0]) return false;
    for (std::size_t d = 1; d < dims_; ++d) {
      if (required[d] > at.room.left[d]) return false;
    }
    if (nodes_matter_ && !accepts({0, 0, pin.item}, at.room, pin.node)) return false;
    subtract<kMaxDims>(at.room.left, required);
    at.room.empty = false;
    if (item.spec->flags.exclusive) at.room.exclusive = pin.item;
    if (!usable) continue;
    subtract<kMaxDims>(left_, required);
    subtract<kMaxDims>(room_left_, required);
  }
  close_node();
  return true;
}

void Packer::build_lists() {
  entries_.clear();
  record_.clear();
  const auto begin = [&](std::size_t list) {
    lists_[list].clear(dims_);
    base_[list] = static_cast<std::uint32_t>(entries_.size());
  };
  const auto items_of = [](const Order& order, const Group& group) {
    return std::span<const std::uint32_t>(order.items).subspan(group.first, group.count);
  };
  const auto cpu_of = [&](const Group& group, std::uint32_t item) {
    return by_yield_ ? group.required[0] * yield_ : (*items_)[item].cpu;
  };
  begin(0);
  if (by_yield_) {
    for (const Group& group : by_need_.groups) {
      const double cpu = cpu_of(group, kNobody);
      if (group.tasks != 0 && wants_cpu(cpu, group.share)) push(0, group, cpu, items_of(by_need_, group));
    }
  } else {
    keys_.clear();
    for (std::uint32_t k : movable_) {
      const Item& item = (*items_)[k];
      if (!item.excluded && wants_cpu(item.cpu, single_[k].share)) keys_.push_back({item.cpu, k});
    }
    sort_keys(keys_);
    for (const Key& key : keys_) push(0, single_[key.item], key.key, {&key.item, 1});
  }
  lists_[0].finish();
  for (std::size_t list = 1; list < dims_; ++list) {
    begin(list);
    const auto offer = [&](const Group& group, std::span<const std::uint32_t> items) {
      if (group.list != list || group.tasks == 0) return;
      const double cpu = cpu_of(group, items[0]);
      if (!wants_cpu(cpu, group.share)) push(list, group, cpu, items);
    };
    if (by_yield_) {
      for (const Group& group : by_share_.groups) offer(group, items_of(by_share_, group));
    } else {
      for (const std::uint32_t& k : by_share_.items) {
        if (!(*items_)[k].excluded) offer(single_[k], {&k, 1});
      }
    }
    lists_[list].finish();
  }
  record_.items_from.push_back(static_cast<std::uint32_t>(record_.items.size()));
}

void Packer::push(std::size_t list, const Group& group, double cpu, std::span<const std::uint32_t> items) {
  const bool first = entries_.size() == base_[list];
  if (!first && cpu == last_cpu_ && alike_but_for_cpu(entries_.back().item, items[0])) {
    entries_.back().left += group.tasks;
  } else {
    Amounts required = group.required;
    required[0] = last_cpu_ = cpu;
    lists_[list].push(required);
    entries_.push_back({group.tasks, 0, items[0]});
    record_.items_from.push_back(static_cast<std::uint32_t>(record_.items.size()));
  }
  record_.items.insert(record_.items.end(), items.begin(), items.end());
}

bool Packer::cannot_fit() const {
  for (std::size_t d = 1; d < dims_; ++d) {
    if (left_[d] > room_left_[d]) return true;
  }
  // These sums are added in a different order than the nodes' will be: leave a margin for rounding.
  return left_[0] > room_left_[0] + 1e-6 * (total_[0] + 1.0);
}

bool Packer::accepts(const Entry& entry, const FreeAmounts& room, NodeIndex n) const {
  const JobView& spec = *(*items_)[entry.item].spec;
  if (spec.eligible != nullptr && !spec.eligible->contains(n)) return false;
  // An exclusive job takes empty nodes, and then only its own tasks go there. Pinned jobs are placed first.
  if (room.empty) return true;
  return room.exclusive == (spec.flags.exclusive ? entry.item : kNobody);
}

template <std::size_t D>
bool Packer::fill_nodes() {
  filling_.steps.clear();
  std::size_t t = 0;
  for (const Run& run : runs_) {
    // The filling of another kind of nodes does not apply to these.
    if (!sets_.empty() || filling_whole_ != run.whole) filling_.steps.clear();
    filling_whole_ = run.whole;
    for (NodeIndex n = run.first; n < run.end;) {
      if (tasks_left_ == 0) return true;
      if (cannot_fit()) return false;
      const bool more = t < pinned_nodes_.size() && pinned_nodes_[t].node < run.end;
      if (more && pinned_nodes_[t].node == n) {
        pinned_filling_.steps.clear();
        fill<D>(pinned_filling_, pinned_nodes_[t].room, run.whole, n);
        n += commit<D>(pinned_filling_, pinned_nodes_[t++].room.left, n, 1);
      } else {
        fill<D>(filling_, FreeAmounts{run.whole}, run.whole, n);
        n += commit<D>(filling_, run.whole, n, (more ? pinned_nodes_[t].node : run.end) - n);
      }
    }
  }
  return tasks_left_ == 0;
}

template <std::size_t D>
void Packer::fill(Filling& filling, const FreeAmounts& begin, const Amounts& whole, NodeIndex n) {
  std::vector<Step>& steps = filling.steps;
  FreeAmounts room = begin;
  std::array<std::uint32_t, kMaxDims> cursor{};
  std::size_t kept = 0;
  for (; kept < steps.size(); ++kept) {
    Entry& entry = entries_[steps[kept].entry];
    if (entry.used == entry.left) break;
    ++entry.used;
  }
  if (kept == 0) {
    steps.clear();
    for (std::size_t list = 0; list < D; ++list) cursor[list] = static_cast<std::uint32_t>(lists_[list].head());
  } else if (kept == steps.size()) {
    return;
  } else {
    room.left = steps[kept].room;
    room.empty = false;
    const Entry& first = entries_[steps[0].entry];
    if (nodes_matter_ && (*items_)[first.item].spec->flags.exclusive) room.exclusive = first.item;
    cursor = steps[kept].cursor;
    steps.resize(kept);
  }
  const double tolerance = kCpuTolerance * whole[0];
  std::array<std::uint32_t, D> lists;
  for (;;) {
    prefer<D>(room.left, whole, lists);
    Amounts limits = room.left;
    limits[0] += tolerance;
    Entry* found = nullptr;
    std::uint32_t from = 0;
    for (std::size_t k = 0; k < D && found == nullptr; ++k) {
      from = lists[k];
      const FitList& list = lists_[from];
      std::size_t at = cursor[from];
      while ((at = list.first_fit<D>(at, limits)) != FitList::kNone) {
        Entry& entry = entries_[base_[from] + at];
        if (entry.used < entry.left && (!nodes_matter_ || accepts(entry, room, n))) {
          found = &entry;
          break;
        }
        ++at;
      }
      cursor[from] = static_cast<std::uint32_t>(found != nullptr ? at : list.size());
    }
    if (found == nullptr) break;
    const std::uint32_t at = cursor[from];
    steps.push_back({room.left, cursor, base_[from] + at, from});
    ++found->used;
    const double* required = lists_[from].required(at);
    for (std::size_t d = 0; d < D; ++d) room.left[d] -= required[d];
    room.empty = false;
    if (nodes_matter_ && (*items_)[found->item].spec->flags.exclusive) room.exclusive = found->item;
  }
  filling.rest = room.left;
}

template <std::size_t D>
std::uint32_t Packer::commit(Filling& filling, const Amounts& room, NodeIndex n, std::uint32_t span) {
  std::uint64_t nodes = span;
  for (const Step& step : filling.steps) {
    const Entry& entry = entries_[step.entry];
    if (nodes * entry.used > entry.left) nodes = entry.left / entry.used;
  }
  const auto times = static_cast<double>(nodes);
  for (std::size_t d = 0; d < D; ++d) room_left_[d] -= times * room[d];
  if (filling.steps.empty()) return span;
  for (std::size_t d = 0; d < D; ++d) left_[d] -= times * (room[d] - filling.rest[d]);
  for (const Step& step : filling.steps) {
    Entry& entry = entries_[step.entry];
    if (entry.used == 0) continue;  // an earlier step took from the same entry
    record_.shares.push_back({step.entry, static_cast<std::uint32_t>(entry.used)});
    entry.left -= nodes * entry.used;
    tasks_left_ -= nodes * entry.used;
    entry.used = 0;
    if (entry.left == 0) lists_[step.list].spend(step.entry - base_[step.list]);
  }
  record_.nodes.push_back({n, static_cast<std::uint32_t>(nodes), record_.shares.size()});
  return static_cast<std::uint32_t>(nodes);
}

void Packer::lay_out() {
  std::uint32_t offset = 0;
  std::uint32_t tasks = 0;
  for (const Item& item : *items_) tasks += item.excluded ? 0 : item.spec->tasks;
  result_.resize(tasks);
  for (Item& item : *items_) {
    if (!item.pinned || item.excluded) continue;
    item.first = offset;
    std::copy(item.nodes.begin(), item.nodes.end(), result_.begin() + offset);
    offset += item.spec->tasks;
  }
  const std::size_t entries = kept_.items_from.size() - 1;
  next_.resize(entries);
  for (std::size_t e = 0; e < entries; ++e) {
    next_[e] = offset;
    for (std::size_t k = kept_.items_from[e]; k < kept_.items_from[e + 1]; ++k) {
      Item& item = (*items_)[kept_.items[k]];
      if (item.excluded) continue;
      item.first = offset;
      offset += item.spec->tasks;
    }
  }
  std::size_t share = 0;
  for (const Record::Nodes& nodes : kept_.nodes) {
    for (; share < nodes.shares_end; ++share) {
      const Record::Share& took = kept_.shares[share];
      std::uint32_t& at = next_[took.entry];
      for (NodeIndex n = nodes.first; n < nodes.first + nodes.count; ++n) {
        for (std::uint32_t task = 0; task < took.tasks; ++task) result_[at++] = n;
      }
    }
  }
}

}  // namespace dfrs
