// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/packer.h"

#include <algorithm>
#include <array>

#include "policy/compare.h"

namespace dfrs {

void Packer::prepare(const ClusterState& state, std::vector<Item>& items) {
  state_ = &state;
  items_ = &items;
  dims_ = state.rigid_dims();
  plain_ = state.homogeneous();
  const auto nodes = static_cast<NodeIndex>(state.node_count());

  cpu_reference_ = 0;
  RigidVector largest{};
  cpu_total_ = 0;
  rigid_total_ = {};
  for (NodeIndex n = 0; n < nodes; ++n) {
    if (!state.usable(n)) continue;
    cpu_reference_ = std::max(cpu_reference_, state.cpu_capacity(n));
    cpu_total_ += state.cpu_capacity(n);
    for (std::size_t d = 0; d < dims_; ++d) {
      largest[d] = std::max(largest[d], state.rigid_capacity(n)[d]);
      rigid_total_[d] += state.rigid_capacity(n)[d];
    }
  }
  for (std::size_t d = 0; d < dims_; ++d) {
    rigid_scale_[d] = largest[d] > 0 ? 1.0 / static_cast<double>(largest[d]) : 0.0;
  }

  const std::size_t count = items.size();
  share_.assign(count, 0.0);
  share_dim_.assign(count, 0);
  std::uint32_t offset = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const JobView& spec = *items[k].spec;
    if (spec.eligible != nullptr || spec.flags.exclusive) plain_ = false;
    items[k].first = offset;
    offset += spec.tasks;
    for (std::size_t d = 0; d < dims_; ++d) {
      const double share = static_cast<double>(spec.rigid[d]) * rigid_scale_[d];
      if (share > share_[k]) {
        share_[k] = share;
        share_dim_[k] = static_cast<std::uint8_t>(d);
      }
    }
  }
  result_.resize(offset);

  by_need_.resize(count);
  by_share_.resize(count);
  for (std::uint32_t k = 0; k < count; ++k) by_need_[k] = by_share_[k] = k;
  // Ties by index, which is submission order.
  std::sort(by_need_.begin(), by_need_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double ca = items[a].spec->cpu_need;
    const double cb = items[b].spec->cpu_need;
    return ca != cb ? ca > cb : a < b;
  });
  std::sort(by_share_.begin(), by_share_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return share_[a] != share_[b] ? share_[a] > share_[b] : a < b; });
  lists_.resize(1 + dims_);
}

bool Packer::rigid_totals_fit() const {
  RigidVector needed{};
  for (const Item& item : *items_) {
    RigidAmount tasks = item.spec->tasks;
    // What stays on an unusable node needs none of the room the usable ones have.
    for (NodeIndex n : item.nodes) tasks -= item.pinned && !state_->usable(n) ? 1 : 0;
    for (std::size_t d = 0; d < dims_; ++d) needed[d] += item.spec->rigid[d] * tasks;
  }
  for (std::size_t d = 0; d < dims_; ++d) {
    if (needed[d] > rigid_total_[d]) return false;
  }
  return true;
}

bool Packer::pack(Change change) {
  const ClusterState& state = *state_;
  const auto nodes = static_cast<NodeIndex>(state.node_count());
  const std::size_t count = items_->size();
  left_.resize(count);
  placed_.assign(count, 0);
  room_.resize(nodes);
  touched_.assign(nodes, 0);
  steps_valid_ = false;
  tasks_left_ = 0;
  cpu_left_ = 0;
  rigid_left_ = {};
  cpu_room_left_ = cpu_total_;
  rigid_room_left_ = rigid_total_;
  for (NodeIndex n = 0; n < nodes; ++n) {
    room_[n] = Room{state.cpu_capacity(n), state.rigid_capacity(n), 0, false};
  }
  for (std::size_t k = 0; k < count; ++k) {
    const JobView& spec = *(*items_)[k].spec;
    left_[k] = spec.tasks;
    tasks_left_ += spec.tasks;
    cpu_left_ += (*items_)[k].cpu * spec.tasks;
    for (std::size_t d = 0; d < dims_; ++d) rigid_left_[d] += spec.rigid[d] * spec.tasks;
  }
  if (!place_pinned()) return false;
  build_lists(change);

  for (NodeIndex n = 0; n < nodes && tasks_left_ != 0; ++n) {
    if (!plain_ && !state.usable(n)) continue;
    if (hopeless()) return false;
    cpu_room_left_ -= room_[n].cpu;
    for (std::size_t d = 0; d < dims_; ++d) rigid_room_left_[d] -= room_[n].rigid[d];
    if (steps_valid_ && repeats(n)) {
      for (const Step& step : steps_) take(step.item, room_[n], n, step.count);
    } else {
      fill(n);
    }
  }
  return tasks_left_ == 0;
}

bool Packer::place_pinned() {
  for (std::uint32_t k = 0; k < items_->size(); ++k) {
    const Item& item = (*items_)[k];
    if (!item.pinned) continue;
    for (NodeIndex n : item.nodes) {
      Room& room = room_[n];
      if (!fits(item, room, n)) return false;
      if (state_->usable(n)) {
        cpu_room_left_ -= item.cpu;
        for (std::size_t d = 0; d < dims_; ++d) rigid_room_left_[d] -= item.spec->rigid[d];
      }
      take(k, room, n, 1);
      touched_[n] = 1;
    }
  }
  return true;
}

void Packer::build_lists(Change change) {
  const std::vector<Item>& items = *items_;
  if (change == Change::any) {
    std::sort(by_need_.begin(), by_need_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return items[a].cpu != items[b].cpu ? items[a].cpu > items[b].cpu : a < b;
    });
  }
  for (List& list : lists_) list.items.clear();
  for (std::uint32_t k : by_need_) {
    if (left_[k] != 0 && items[k].cpu / cpu_reference_ > share_[k]) lists_[0].items.push_back(k);
  }
  for (std::uint32_t k : by_share_) {
    if (left_[k] != 0 && !(items[k].cpu / cpu_reference_ > share_[k])) {
      lists_[1 + share_dim_[k]].items.push_back(k);
    }
  }
}

bool Packer::hopeless() const {
  for (std::size_t d = 0; d < dims_; ++d) {
    if (rigid_left_[d] > rigid_room_left_[d]) return true;
  }
  // The sums were added in another order than the nodes' will be: leave rounding a margin.
  return cpu_left_ > cpu_room_left_ + 1e-6 * (cpu_total_ + 1.0);
}

bool Packer::fits(const Item& item, const Room& room, NodeIndex n) const {
  for (std::size_t d = 0; d < dims_; ++d) {
    if (item.spec->rigid[d] > room.rigid[d]) return false;
  }
  const double capacity = state_->cpu_capacity(n);
  if (!cpu_fits(capacity - room.cpu + item.cpu, capacity)) return false;
  if (plain_) return true;
  if (item.spec->eligible != nullptr && !item.spec->eligible->contains(n)) return false;
  // An exclusive job takes empty nodes and then only its own tasks; pinned ones were placed first.
  if (room.tasks == 0) return true;
  if (!item.spec->flags.exclusive) return !room.exclusive;
  const auto k = static_cast<std::size_t>(&item - items_->data());
  return room.exclusive && placed_[k] != 0 && result_[item.first + placed_[k] - 1] == n;
}

void Packer::take(std::uint32_t k, Room& room, NodeIndex n, std::uint32_t count) {
  const Item& item = (*items_)[k];
  for (std::uint32_t c = 0; c < count; ++c) result_[item.first + placed_[k] + c] = n;
  placed_[k] += count;
  left_[k] -= count;
  tasks_left_ -= count;
  const double cpu = item.cpu * count;
  room.cpu -= cpu;
  cpu_left_ -= cpu;
  for (std::size_t d = 0; d < dims_; ++d) {
    room.rigid[d] -= item.spec->rigid[d] * count;
    rigid_left_[d] -= item.spec->rigid[d] * count;
  }
  room.tasks += count;
  if (item.spec->flags.exclusive) room.exclusive = true;
}

bool Packer::repeats(NodeIndex n) const {
  // Same capacities, nothing on it yet, and every job of the last filling has as many tasks left: each choice would
  // come out as before.
  if (!plain_ || touched_[n] != 0) return false;
  for (const Step& step : steps_) {
    if (left_[step.item] < step.count) return false;
  }
  return true;
}

void Packer::drop_exhausted(List& list) {
  std::erase_if(list.items, [&](std::uint32_t k) { return left_[k] == 0; });
  list.cursor = 0;
}

std::size_t Packer::next_from(List& list, const Room& room, NodeIndex n) const {
  while (list.cursor < list.items.size()) {
    const std::uint32_t k = list.items[list.cursor];
    if (left_[k] != 0 && fits((*items_)[k], room, n)) return k;
    ++list.cursor;
  }
  return items_->size();
}

void Packer::fill(NodeIndex n) {
  Room& room = room_[n];
  steps_.clear();
  for (List& list : lists_) drop_exhausted(list);
  const std::size_t none = items_->size();
  const double cpu_scale = 1.0 / state_->cpu_capacity(n);
  std::array<double, kMaxRigid> scale{};
  for (std::size_t d = 0; d < dims_; ++d) {
    const RigidAmount capacity = state_->rigid_capacity(n)[d];
    scale[d] = capacity > 0 ? 1.0 / static_cast<double>(capacity) : 0.0;
  }

  std::array<double, kMaxRigid + 1> open{};  // room left as a fraction of the node, by list
  std::array<std::size_t, kMaxRigid + 1> preference{};
  for (;;) {
    open[0] = room.cpu * cpu_scale;
    for (std::size_t d = 0; d < dims_; ++d) open[1 + d] = static_cast<double>(room.rigid[d]) * scale[d];
    // Most room first; the CPU list before others on ties (insertion sort is stable).
    for (std::size_t k = 0; k <= dims_; ++k) {
      std::size_t at = k;
      while (at > 0 && open[preference[at - 1]] < open[k]) {
        preference[at] = preference[at - 1];
        --at;
      }
      preference[at] = k;
    }
    std::size_t chosen = none;
    for (std::size_t k = 0; k <= dims_ && chosen == none; ++k) chosen = next_from(lists_[preference[k]], room, n);
    if (chosen == none) break;
    const auto item = static_cast<std::uint32_t>(chosen);
    take(item, room, n, 1);
    auto step = std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return s.item == item; });
    if (step == steps_.end()) {
      steps_.push_back({item, 1});
    } else {
      ++step->count;
    }
  }
  steps_valid_ = touched_[n] == 0 && !steps_.empty();
}

}  // namespace dfrs
