// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/packer.h"

#include <algorithm>
#include <limits>

#include "policy/compare.h"

namespace dfrs {
namespace {

// Requirements of entries without tasks left: they fit nowhere.
constexpr double kSpentCpu = std::numeric_limits<double>::infinity();
constexpr RigidAmount kSpentRigid = std::numeric_limits<RigidAmount>::max();

}  // namespace

void Packer::List::clear() {
  cpu.clear();
  rigid.clear();
  item.clear();
  cursor = spent = 0;
}

void Packer::List::push(double c, RigidAmount r, std::uint32_t k) {
  cpu.push_back(c);
  rigid.push_back(r);
  item.push_back(k);
}

void Packer::List::finish() {
  const std::size_t count = item.size();
  least_cpu.resize(count);
  least_rigid.resize(count);
  double c = kSpentCpu;
  RigidAmount r = kSpentRigid;
  for (std::size_t k = count; k-- > 0;) {
    least_cpu[k] = c = std::min(c, cpu[k]);
    least_rigid[k] = r = std::min(r, rigid[k]);
  }
}

void Packer::List::compact() {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < item.size(); ++k) {
    if (cpu[k] == kSpentCpu || rigid[k] == kSpentRigid) continue;
    cpu[kept] = cpu[k];
    rigid[kept] = rigid[k];
    item[kept] = item[k];
    ++kept;
  }
  cpu.resize(kept);
  rigid.resize(kept);
  item.resize(kept);
  spent = 0;
  finish();
}

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
  empty_room_.resize(nodes);
  for (NodeIndex n = 0; n < nodes; ++n) {
    empty_room_[n] = Room{state.cpu_capacity(n), state.rigid_capacity(n), 0, false};
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
  by_need_.clear();
  by_share_.clear();
  tasks_total_ = 0;
  rigid_needed_ = {};
  std::uint32_t offset = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    const JobView& spec = *items[k].spec;
    if (spec.eligible != nullptr || spec.flags.exclusive) plain_ = false;
    items[k].first = offset;
    items[k].excluded = false;
    offset += spec.tasks;
    tasks_total_ += spec.tasks;
    for (std::size_t d = 0; d < dims_; ++d) {
      rigid_needed_[d] += spec.rigid[d] * tasks_on_usable(items[k]);
      const double share = static_cast<double>(spec.rigid[d]) * rigid_scale_[d];
      if (share > share_[k]) {
        share_[k] = share;
        share_dim_[k] = static_cast<std::uint8_t>(d);
      }
    }
    by_need_.push_back({spec.cpu_need, k});
    by_share_.push_back({share_[k], k});
  }
  simple_ = plain_ && dims_ == 1;
  result_.resize(offset);
  // Ties by index, which is submission order.
  std::sort(by_need_.begin(), by_need_.end(), Key::larger);
  std::sort(by_share_.begin(), by_share_.end(), Key::larger);
  lists_.resize(1 + dims_);
}

// What stays pinned on an unusable node needs none of the room that the usable ones have.
RigidAmount Packer::tasks_on_usable(const Item& item) const {
  RigidAmount tasks = item.spec->tasks;
  if (state_->homogeneous() || !item.pinned) return tasks;
  for (NodeIndex n : item.nodes) tasks -= state_->usable(n) ? 0 : 1;
  return tasks;
}

void Packer::exclude(std::uint32_t k) {
  Item& item = (*items_)[k];
  item.excluded = true;
  tasks_total_ -= item.spec->tasks;
  for (std::size_t d = 0; d < dims_; ++d) rigid_needed_[d] -= item.spec->rigid[d] * tasks_on_usable(item);
}

bool Packer::rigid_totals_fit() const {
  for (std::size_t d = 0; d < dims_; ++d) {
    if (rigid_needed_[d] > rigid_total_[d]) return false;
  }
  return true;
}

bool Packer::pack(Change change) {
  const std::vector<Item>& items = *items_;
  const auto nodes = static_cast<NodeIndex>(empty_room_.size());
  left_.resize(items.size());
  tasks_left_ = tasks_total_;
  rigid_left_ = rigid_needed_;
  cpu_left_ = 0;
  cpu_room_left_ = cpu_total_;
  rigid_room_left_ = rigid_total_;
  for (std::size_t k = 0; k < items.size(); ++k) {
    left_[k] = items[k].excluded ? 0 : items[k].spec->tasks;
    cpu_left_ += items[k].cpu * left_[k];
  }
  // High yields mostly fail here, before anything is laid out.
  if (plain_ && hopeless()) return false;
  placed_.assign(items.size(), 0);
  room_ = empty_room_;
  touched_.assign(nodes, 0);
  steps_valid_ = false;
  if (!place_pinned()) return false;
  build_lists(change);

  for (NodeIndex n = 0; n < nodes && tasks_left_ != 0; ++n) {
    if (!plain_ && !state_->usable(n)) continue;
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
    if (!item.pinned || item.excluded) continue;
    for (NodeIndex n : item.nodes) {
      Room& room = room_[n];
      if (!fits(k, item.cpu, room, n)) return false;
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
    for (Key& key : by_need_) key.key = items[key.item].cpu;
    std::sort(by_need_.begin(), by_need_.end(), Key::larger);
  }
  for (List& list : lists_) list.clear();
  const auto wants_cpu = [&](std::uint32_t k) { return items[k].cpu / cpu_reference_ > share_[k]; };
  for (const Key& key : by_need_) {
    const std::uint32_t k = key.item;
    if (left_[k] != 0 && wants_cpu(k)) lists_[0].push(items[k].cpu, items[k].spec->rigid[0], k);
  }
  for (const Key& key : by_share_) {
    const std::uint32_t k = key.item;
    if (left_[k] == 0 || wants_cpu(k)) continue;
    lists_[1 + share_dim_[k]].push(items[k].cpu, items[k].spec->rigid[0], k);
  }
  for (List& list : lists_) list.finish();
}

bool Packer::hopeless() const {
  for (std::size_t d = 0; d < dims_; ++d) {
    if (rigid_left_[d] > rigid_room_left_[d]) return true;
  }
  // The sums were added in another order than the nodes' will be: leave rounding a margin.
  return cpu_left_ > cpu_room_left_ + 1e-6 * (cpu_total_ + 1.0);
}

// `cpu` is the item's, or infinite if it has no tasks left.
bool Packer::fits(std::uint32_t k, double cpu, const Room& room, NodeIndex n) const {
  if (cpu > room.cpu + kCpuTolerance * empty_room_[n].cpu) return false;
  const JobView& spec = *(*items_)[k].spec;
  for (std::size_t d = 0; d < dims_; ++d) {
    if (spec.rigid[d] > room.rigid[d]) return false;
  }
  if (plain_) return true;
  if (spec.eligible != nullptr && !spec.eligible->contains(n)) return false;
  // An exclusive job takes empty nodes and then only its own tasks; pinned ones were placed first.
  if (room.tasks == 0) return true;
  if (!spec.flags.exclusive) return !room.exclusive;
  return room.exclusive && placed_[k] != 0 && result_[(*items_)[k].first + placed_[k] - 1] == n;
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

// The entry of the first item from the cursor on that fits, or kNone. The cursor stays on it.
std::size_t Packer::find_next(List& list, const Room& room, NodeIndex n) const {
  const std::size_t count = list.item.size();
  std::size_t at = list.cursor;
  if (at >= count) return kNone;
  const double limit = room.cpu + kCpuTolerance * empty_room_[n].cpu;
  const RigidAmount free = room.rigid[0];
  const bool cpu_list = &list == lists_.data();
  for (;; ++at) {
    if (at < count && (list.least_cpu[at] > limit || list.least_rigid[at] > free)) at = count;
    if (!simple_) {
      while (at < count && !fits(list.item[at], list.cpu[at], room, n)) ++at;
    } else if (cpu_list) {
      // Sorted by CPU: one bisection passes over all that need too much of it.
      const auto from = list.cpu.begin() + static_cast<std::ptrdiff_t>(at);
      if (at<count&& * from> limit) {
        const auto to = std::partition_point(from, list.cpu.end(), [&](double c) { return c > limit; });
        at = static_cast<std::size_t>(to - list.cpu.begin());
      }
      const RigidAmount* rigid = list.rigid.data();
      while (at < count && rigid[at] > free) ++at;
    } else {
      const auto from = list.rigid.begin() + static_cast<std::ptrdiff_t>(at);
      if (at<count&& * from> free) {
        const auto to = std::partition_point(from, list.rigid.end(), [&](RigidAmount r) { return r > free; });
        at = static_cast<std::size_t>(to - list.rigid.begin());
      }
      const double* cpu = list.cpu.data();
      while (at < count && cpu[at] > limit) ++at;
    }
    if (at >= count || left_[list.item[at]] != 0) break;
    // Out of tasks. The dimension the list is sorted by stays as it is.
    if (simple_ && cpu_list) {
      list.rigid[at] = kSpentRigid;
    } else {
      list.cpu[at] = kSpentCpu;
    }
    ++list.spent;
  }
  list.cursor = at;
  return at < count ? at : kNone;
}

// Orders lists by the room left in their dimension, most first; the CPU list before others on ties.
std::size_t Packer::prefer(const Room& room, NodeIndex n) {
  const Room& whole = empty_room_[n];
  if (dims_ == 1 && whole.rigid[0] > 0) {  // the usual case, in short
    const bool memory = static_cast<double>(room.rigid[0]) / static_cast<double>(whole.rigid[0]) > room.cpu / whole.cpu;
    preference_[0] = memory ? 1 : 0;
    preference_[1] = memory ? 0 : 1;
    return 2;
  }
  std::array<double, kMaxRigid + 1> open{};
  open[0] = room.cpu / whole.cpu;
  for (std::size_t d = 0; d < dims_; ++d) {
    open[1 + d] = whole.rigid[d] > 0 ? static_cast<double>(room.rigid[d]) / static_cast<double>(whole.rigid[d]) : 0.0;
  }
  for (std::size_t k = 0; k <= dims_; ++k) {  // insertion sort, stable
    std::size_t at = k;
    for (; at > 0 && open[preference_[at - 1]] < open[k]; --at) preference_[at] = preference_[at - 1];
    preference_[at] = k;
  }
  return 1 + dims_;
}

void Packer::fill(NodeIndex n) {
  Room& room = room_[n];
  steps_.clear();
  for (List& list : lists_) {
    list.cursor = 0;
    if (2 * list.spent > list.item.size()) list.compact();
  }
  for (;;) {
    const std::size_t lists = prefer(room, n);
    std::size_t entry = kNone;
    List* list = nullptr;
    for (std::size_t k = 0; k < lists && entry == kNone; ++k) {
      list = &lists_[preference_[k]];
      entry = find_next(*list, room, n);
    }
    if (entry == kNone) break;
    const std::uint32_t item = list->item[entry];
    take(item, room, n, 1);
    const auto step = std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return s.item == item; });
    if (step == steps_.end()) {
      steps_.push_back({item, 1});
    } else {
      ++step->count;
    }
  }
  steps_valid_ = touched_[n] == 0 && !steps_.empty();
}

}  // namespace dfrs
