// SPDX-License-Identifier: GPL-2.0-or-later
// Triage's reference: which jobs start or continue, whom they displace, and what is reserved for those who wait.
#include <algorithm>

#include "tests/oracle/greedy.h"
#include "tests/oracle/triage.h"

namespace dfrs::oracle {

namespace {
constexpr double kRounding = 1e-9;
}  // namespace

bool TriageLockstep::admit() {
  std::set<JobSlot> put_out;
  bool changed = false;
  for (int round = 0; round < 50; ++round) {
    bool paused = false;
    if (admit_round(put_out, paused)) changed = true;
    if (!paused) break;
  }
  return changed;
}

// Memory as the job's tasks use it up: a k-th of an average node each if k of them fit into that.
double TriageLockstep::size_of(JobSlot job) const {
  RigidAmount node = 0;
  for (const NodeView& one : view_->nodes) node += one.spec.rigid[kMemory];
  node /= static_cast<RigidAmount>(view_->nodes.size());
  const JobView& spec = view_->jobs[job];
  const RigidAmount memory = spec.rigid[kMemory];
  if (memory == 0 || memory > node) return static_cast<double>(memory) * spec.tasks;
  RigidAmount fit = 0;
  while ((fit + 1) * memory <= node) ++fit;
  return static_cast<double>(node / fit) * spec.tasks;  // rounded down to MiB
}

// What the user of the job holds of memory that cannot be taken back without loss, in all and with as many tasks.
TriageLockstep::Held TriageLockstep::held(JobSlot job, const std::set<JobSlot>& counted) const {
  Held held;
  for (const NodeView& node : view_->nodes) held.whole += static_cast<double>(node.spec.rigid[kMemory]);
  for (JobSlot other : counted) {
    const JobView& o = view_->jobs[other];
    if (o.pauses == Pauses::kept) continue;
    const double size = size_of(other);
    held.all += size;
    if (o.user == 0 || o.user != view_->jobs[job].user) continue;
    held.user += size;
    if (o.tasks == view_->jobs[job].tasks) held.alike += size, held.any_alike = true;
    held.least_progress = std::min(held.least_progress, o.virtual_time(view_->now));
  }
  return held;
}

double TriageLockstep::urgency_by_share(JobSlot job, const std::set<JobSlot>& counted) const {
  const Held h = held(job, counted);
  const Pauses pauses = view_->jobs[job].pauses;
  if (knows() || pauses == Pauses::kept) return urgency(job);
  const Seconds least = 10 * options_.time_scale;
  const bool by_limit = !limit_.empty() && std::all_of(order_.begin(), order_.end(), [&](JobSlot one) {
    return view_->jobs[one].pauses == Pauses::none;
  });
  const double urgent = urgency(job) * (by_limit ? least / std::max(limit_[job], least) : 1);
  return h.whole > 0 ? urgent / (1 + options_.crowd * (h.alike / h.whole)) : urgent;
}

// Whether the job may never be paused, and its user, who is not alone, holds memory with jobs like it.
bool TriageLockstep::holds_alike(JobSlot job, const std::set<JobSlot>& counted) const {
  const JobView& spec = view_->jobs[job];
  if (knows() || spec.pauses != Pauses::none || spec.user == 0) return false;
  std::set<std::uint32_t> users;
  for (const JobView& one : view_->jobs) {
    if (one.state != JobState::absent) users.insert(one.user);
  }
  return users.size() > 1 && held(job, counted).any_alike;
}

bool TriageLockstep::may_start(JobSlot job, const std::set<JobSlot>& counted) const {
  if (!holds_alike(job, counted)) return true;
  const Held h = held(job, counted);
  if (!limit_.empty() && limit_[job] <= 3600 * options_.time_scale) return true;
  return h.user + size_of(job) <= options_.share * (h.whole - h.all - size_of(job));
}

bool TriageLockstep::may_probe(JobSlot job, const std::set<JobSlot>& counted) const {
  const Held h = held(job, counted);
  const double left = h.whole - h.all;
  const double others = 1 - kept_part();
  return size_of(job) <= 0.3 * left &&
         h.least_progress >= options_.probe * options_.time_scale * (size_of(job) / left) / (others * others * others);
}

// Tasks of the job that the node has memory for later.
std::uint32_t TriageLockstep::room_later(const Reserved& reserved, JobSlot job, NodeIndex n) const {
  const WorldJob& spec = world_.jobs[job];
  if (!world_.nodes[n].usable || (spec.eligible != nullptr && !spec.eligible->contains(n))) return 0;
  for (std::uint32_t tasks = 0;; ++tasks) {
    if (tasks == spec.tasks) return tasks;
    for (std::size_t d = 0; d < world_.dims; ++d) {
      if (spec.rigid[d] > 0 && (tasks + 1) * spec.rigid[d] > reserved.later[n][d]) return tasks;
    }
  }
}

// The job gets the memory that is free first if all who hold some keep it until their limits. Those who can be paused
// without loss hold none.
void TriageLockstep::reserve(JobSlot job) {
  const WorldJob& spec = world_.jobs[job];
  if (limit_.empty() || reserved_ || view_->jobs[job].pauses != Pauses::none) return;
  if (spec.flags.exclusive || !spec.home.empty()) return;
  const Seconds now = view_->now;
  std::map<Seconds, std::vector<JobSlot>> ends;
  Reserved reserved;
  for (const NodeView& node : world_.nodes) reserved.later.push_back(node.spec.rigid);
  for (JobSlot other : order_) {
    const WorldJob& holder = world_.jobs[other];
    const JobView& seen = view_->jobs[other];
    if (!holder.placed() || (seen.pauses == Pauses::kept && !seen.flags.may_not_pause)) continue;
    const bool stayed = seen.state == JobState::running &&
                        std::equal(holder.nodes.begin(), holder.nodes.end(), seen.nodes.begin(), seen.nodes.end());
    const Seconds rest = std::max(0.0, limit_[other] - seen.virtual_time(now)) / (stayed ? seen.yield : 1);
    ends[now + rest].push_back(other);
    for (NodeIndex n : holder.nodes) {
      for (std::size_t d = 0; d < world_.dims; ++d) reserved.later[n][d] -= holder.rigid[d];
    }
  }
  const auto fits = [&] {
    std::uint32_t room = 0;
    for (NodeIndex n = 0; n < world_.nodes.size(); ++n) room += room_later(reserved, job, n);
    return room >= spec.tasks;
  };
  std::set<NodeIndex> released;
  reserved.shadow = now;
  for (auto end = ends.begin(); end != ends.end() && (!fits() || end->first == now); ++end) {
    reserved.shadow = end->first;
    for (JobSlot other : end->second) {
      for (NodeIndex n : world_.jobs[other].nodes) {
        released.insert(n);
        for (std::size_t d = 0; d < world_.dims; ++d) reserved.later[n][d] += world_.jobs[other].rigid[d];
      }
    }
  }
  if (!fits()) return;
  std::uint32_t left = spec.tasks;
  for (const bool first : {true, false}) {
    for (NodeIndex n = 0; n < world_.nodes.size(); ++n) {
      if ((released.count(n) != 0) != first) continue;
      for (; left > 0 && room_later(reserved, job, n) > 0; --left) {
        for (std::size_t d = 0; d < world_.dims; ++d) reserved.later[n][d] -= spec.rigid[d];
      }
    }
  }
  reserved_ = reserved;
}

// Without limits: if the job does not fit even if all who can be paused without loss leave, and there are some, it gets
// the nodes with the most memory then, but for those who are there.
void TriageLockstep::collect(JobSlot job) {
  const WorldJob& spec = world_.jobs[job];
  if (!parts_.pauses || parts_.placement == TriageParts::Placement::load) return;
  if (kept_part() == 0 || kept_part() == 1 || spec.flags.exclusive || !spec.home.empty()) return;
  Reserved reserved;
  for (const NodeView& node : world_.nodes) reserved.later.push_back(node.spec.rigid);
  Reserved empty = reserved;
  for (JobSlot other : order_) {
    const WorldJob& holder = world_.jobs[other];
    if (view_->jobs[other].pauses == Pauses::kept && !view_->jobs[other].flags.may_not_pause) continue;
    for (NodeIndex n : holder.nodes) {
      for (std::size_t d = 0; d < world_.dims; ++d) reserved.later[n][d] -= holder.rigid[d];
    }
  }
  std::uint32_t room = 0;
  for (NodeIndex n = 0; n < world_.nodes.size(); ++n) room += room_later(reserved, job, n);
  if (room >= spec.tasks) return;
  ++collections_;
  reserved_ = reserved;
  reserved_->urgency = urgency(job);
  std::set<NodeIndex> left;
  for (NodeIndex n = 0; n < world_.nodes.size(); ++n) left.insert(n);
  for (std::uint32_t tasks = spec.tasks; tasks > 0 && !left.empty();) {
    const NodeIndex most = *std::max_element(left.begin(), left.end(), [&](NodeIndex a, NodeIndex b) {
      return reserved.later[a][kMemory] < reserved.later[b][kMemory];
    });
    left.erase(most);
    for (; tasks > 0 && room_later(empty, job, most) > 0; --tasks) {
      for (std::size_t d = 0; d < world_.dims; ++d) {
        empty.later[most][d] -= spec.rigid[d];
        reserved_->later[most][d] -= spec.rigid[d];
      }
    }
  }
}

// Whether it must leave reserved memory alone.
bool TriageLockstep::goes_beside(JobSlot job) const {
  if (!reserved_ || view_->jobs[job].pauses != Pauses::none || !world_.jobs[job].home.empty()) return false;
  if (limit_.empty()) return 100 * urgency(job) < reserved_->urgency;
  return view_->now + limit_[job] > reserved_->shadow;
}

bool TriageLockstep::leaves_reserved(JobSlot job, const std::vector<NodeIndex>& chosen, NodeIndex n) const {
  if (!goes_beside(job)) return true;
  return static_cast<std::uint32_t>(std::count(chosen.begin(), chosen.end(), n)) < room_later(*reserved_, job, n);
}

void TriageLockstep::put(JobSlot job, const std::vector<NodeIndex>& nodes, std::set<JobSlot>& counted) {
  if (goes_beside(job)) {
    ++beside_;
    for (NodeIndex n : nodes) {
      for (std::size_t d = 0; d < world_.dims; ++d) reserved_->later[n][d] -= world_.jobs[job].rigid[d];
    }
  }
  world_.jobs[job].nodes = nodes;
  counted.insert(job);
}

// Jobs displaced in this round still count as holding memory, and can be placed in the next.
bool TriageLockstep::admit_round(std::set<JobSlot>& put_out, bool& paused) {
  std::set<JobSlot> waiting;
  std::set<JobSlot> counted;
  reserved_.reset();
  any_refused_ = false;
  for (JobSlot job : order_) (world_.jobs[job].placed() ? counted : waiting).insert(job);
  std::set<JobSlot> probes;
  bool changed = false;
  bool short_of_memory = false;  // for a job that may never be paused
  while (!waiting.empty()) {
    JobSlot job = kNoSlot;
    double urgent = 0;
    for (JobSlot one : order_) {
      if (waiting.count(one) == 0) continue;
      const double key = urgency_by_share(one, counted);
      if (job == kNoSlot || key > urgent) job = one, urgent = key;
    }
    waiting.erase(job);
    if (!may_start(job, counted)) {
      probes.insert(job);
    } else if (attend(job, urgent, put_out, counted, paused)) {
      changed = true;
    } else if (view_->jobs[job].pauses == Pauses::none) {
      short_of_memory = true;
    }
  }
  for (auto job = order_.rbegin(); job != order_.rend() && !short_of_memory; ++job) {
    if (probes.count(*job) == 0 || !may_probe(*job, counted)) continue;
    if (attend(*job, urgency_by_share(*job, counted), put_out, counted, paused)) changed = true;
  }
  return changed;
}

// Places the job if it finds room or can make it, and may have it. True if it did.
bool TriageLockstep::attend(JobSlot job, double urgent, std::set<JobSlot>& put_out, std::set<JobSlot>& counted,
                            bool& paused) {
  const JobView& spec = view_->jobs[job];
  if (const Nodes nodes = place(job)) {
    const double share = equal_share(job, *nodes);
    const bool back =
        put_out.count(job) != 0 && std::equal(nodes->begin(), nodes->end(), spec.nodes.begin(), spec.nodes.end());
    if (spec.state != JobState::waiting && spec.pauses == Pauses::kept && share < options_.crowded_return &&
        urgent * share < user_weight(job) && !back) {
      return false;
    }
    const bool crowded = share < options_.elbow_room && spec.state == JobState::waiting;
    if (crowded && put_out.count(job) == 0 &&
        make_room(job, put_out, counted, user_weight(job) / share, 1 / (2 * share))) {
      paused = true;
    } else {
      put(job, *nodes, counted);
    }
    return true;
  }
  if (put_out.count(job) != 0) return false;
  if (goes_beside(job) && greedy_nodes(world_, job)) ++kept_off_;
  if (make_room(job, put_out, counted, urgent, kNever)) return paused = true;
  if (limit_.empty() && !any_refused_) collect(job);
  any_refused_ = true;
  reserve(job);
  return false;
}

double TriageLockstep::equal_share(JobSlot job, const std::vector<NodeIndex>& nodes) const {
  double share = 1;
  for (NodeIndex n : nodes) {
    const auto tasks = static_cast<double>(std::count(nodes.begin(), nodes.end(), n));
    share = std::min(share, world_.nodes[n].spec.cpu / (world_.load(n) + tasks * world_.jobs[job].cpu_need));
  }
  return share;
}

// Whether all tasks find memory, on nodes whose load then is at most `most_load` times their capacity.
bool TriageLockstep::has_room(JobSlot job, double most_load) const {
  const WorldJob& spec = world_.jobs[job];
  const NodeIndex end = lane_end(job);
  if (most_load == kNever && end == world_.nodes.size() && !goes_beside(job)) {
    return greedy_nodes(world_, job).has_value();
  }
  std::uint32_t room = 0;
  for (NodeIndex n = 0; n < end; ++n) {
    std::vector<NodeIndex> there;
    while (there.size() < spec.tasks && world_.takes(job, there, n) && leaves_reserved(job, there, n)) {
      const double load = world_.load(n) + static_cast<double>(there.size() + 1) * spec.cpu_need;
      if (load > most_load * world_.nodes[n].spec.cpu * (1 + kRounding)) break;
      there.push_back(n);
    }
    room += static_cast<std::uint32_t>(there.size());
  }
  return room >= spec.tasks;
}

double TriageLockstep::lost_work(JobSlot slot) const {
  const JobView& job = view_->jobs[slot];
  return job.pauses == Pauses::kept ? 0 : job.virtual_time(view_->now) * job.cpu_need * job.tasks;
}

bool TriageLockstep::make_room(JobSlot job, std::set<JobSlot>& put_out, std::set<JobSlot>& counted, double urgency,
                               double most_load) {
  const double margin = view_->jobs[job].state == JobState::waiting ? 1 : options_.margin_paused;
  std::vector<JobSlot> victims;  // of equal cost the later submission goes first
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    const WorldJob& victim = world_.jobs[*at];
    const JobView& seen = view_->jobs[*at];
    if (!parts_.pauses || !victim.placed() || victim.flags.may_not_pause || seen.pauses == Pauses::none) continue;
    const Seconds oldest = options_.loss_age * view_->jobs[job].flow_time(view_->now);
    if (seen.pauses == Pauses::lost && seen.virtual_time(view_->now) > oldest) continue;
    if (pause_cost(*at) < urgency / margin) victims.push_back(*at);
  }
  std::stable_sort(victims.begin(), victims.end(), [&](JobSlot a, JobSlot b) {
    return lost_work(a) != lost_work(b) ? lost_work(a) < lost_work(b) : pause_cost(a) < pause_cost(b);
  });
  if (most_load != kNever && static_cast<double>(victims.size()) > options_.tried) {
    victims.resize(static_cast<std::size_t>(options_.tried));
    ++few_tried_;
  }
  const World before = world_;
  std::vector<JobSlot> marked;
  bool any = false;
  while (!has_room(job, most_load)) {
    if (marked.size() == victims.size()) {
      world_ = before;
      return false;
    }
    marked.push_back(victims[marked.size()]);
    world_.jobs[marked.back()].nodes.clear();
  }
  for (auto at = marked.rbegin(); at != marked.rend(); ++at) {
    world_.jobs[*at].nodes = before.jobs[*at].nodes;
    if (has_room(job, most_load)) continue;
    world_.jobs[*at].nodes.clear();
    put_out.insert(*at);
    any = true;
  }
  if (any) put(job, *place(job), counted);
  return any;
}

}  // namespace dfrs::oracle
