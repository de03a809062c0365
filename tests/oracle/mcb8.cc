// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/mcb8.h"

#include <algorithm>

#include "tests/oracle/greedy.h"

namespace dfrs::oracle {
namespace {

constexpr double kCpuSlack = 1e-9;  // relative: sums that are equal but for rounding fit

// What a node holds of the jobs being packed.
struct Bin {
  double cpu = 0;
  RigidVector rigid{};
  std::vector<std::size_t> tasks;  // index of the job, one entry per task
};

bool fits(const World& world, const std::vector<PackJob>& jobs, std::size_t k, const Bin& bin, NodeIndex n) {
  const WorldJob& spec = world.jobs[jobs[k].job];
  const NodeSpec& node = world.nodes[n].spec;
  if (spec.eligible != nullptr && !spec.eligible->contains(n)) return false;
  if (bin.cpu + jobs[k].cpu > node.cpu * (1 + kCpuSlack)) return false;
  for (std::size_t d = 0; d < world.dims; ++d) {
    if (bin.rigid[d] + spec.rigid[d] > node.rigid[d]) return false;
  }
  for (std::size_t other : bin.tasks) {
    if (other == k) continue;
    if (spec.flags.exclusive || world.jobs[jobs[other].job].flags.exclusive) return false;
  }
  return true;
}

void add(const World& world, const std::vector<PackJob>& jobs, std::size_t k, Bin& bin) {
  bin.cpu += jobs[k].cpu;
  for (std::size_t d = 0; d < world.dims; ++d) bin.rigid[d] += world.jobs[jobs[k].job].rigid[d];
  bin.tasks.push_back(k);
}

// The requirement in dimension 0 (CPU) or 1 + d as a fraction of the largest node.
double share(const World& world, const PackJob& job, std::size_t dimension) {
  double largest = 0;
  for (const NodeView& node : world.nodes) {
    if (!node.usable) continue;
    largest = std::max(largest, dimension == 0 ? node.spec.cpu : static_cast<double>(node.spec.rigid[dimension - 1]));
  }
  const double amount = dimension == 0 ? job.cpu : static_cast<double>(world.jobs[job.job].rigid[dimension - 1]);
  return largest > 0 ? amount / largest : 0;
}

std::size_t list_of(const World& world, const PackJob& job) {
  std::size_t best = 1;  // equal requirements: the rigid list
  for (std::size_t d = 2; d <= world.dims; ++d) {
    if (share(world, job, d) > share(world, job, best)) best = d;
  }
  return share(world, job, 0) > share(world, job, best) ? 0 : best;
}

}  // namespace

std::optional<std::vector<std::vector<NodeIndex>>> pack(const World& world, const std::vector<PackJob>& jobs) {
  std::vector<Bin> bins(world.nodes.size());
  std::vector<std::vector<NodeIndex>> result(jobs.size());
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    for (NodeIndex n : jobs[k].pinned) {
      if (!fits(world, jobs, k, bins[n], n)) return std::nullopt;
      add(world, jobs, k, bins[n]);
      result[k].push_back(n);
    }
  }
  std::vector<std::vector<std::size_t>> lists(1 + world.dims);
  for (std::size_t k = 0; k < jobs.size(); ++k) lists[list_of(world, jobs[k])].push_back(k);
  for (std::size_t d = 0; d < lists.size(); ++d) {
    std::stable_sort(lists[d].begin(), lists[d].end(),
                     [&](std::size_t a, std::size_t b) { return share(world, jobs[a], d) > share(world, jobs[b], d); });
  }
  for (NodeIndex n = 0; n < bins.size(); ++n) {
    if (!world.nodes[n].usable) continue;
    for (;;) {
      // Dimensions by the room left on this node, the CPU first of equals.
      std::vector<std::size_t> dimensions;
      for (std::size_t d = 0; d < lists.size(); ++d) dimensions.push_back(d);
      const auto room = [&](std::size_t d) {
        const NodeSpec& node = world.nodes[n].spec;
        if (d == 0) return (node.cpu - bins[n].cpu) / node.cpu;
        if (node.rigid[d - 1] == 0) return 0.0;
        return static_cast<double>(node.rigid[d - 1] - bins[n].rigid[d - 1]) / static_cast<double>(node.rigid[d - 1]);
      };
      std::stable_sort(dimensions.begin(), dimensions.end(),
                       [&](std::size_t a, std::size_t b) { return room(a) > room(b); });
      bool found = false;
      for (std::size_t d : dimensions) {
        for (std::size_t k : lists[d]) {
          if (result[k].size() == world.jobs[jobs[k].job].tasks || !fits(world, jobs, k, bins[n], n)) continue;
          add(world, jobs, k, bins[n]);
          result[k].push_back(n);
          found = true;
          break;
        }
        if (found) break;
      }
      if (!found) break;
    }
  }
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (result[k].size() != world.jobs[jobs[k].job].tasks) return std::nullopt;
  }
  return result;
}

namespace {

// Jobs whose nodes are down have no say.
bool could_run_alone(const World& world, JobSlot job) {
  World empty = world;
  for (WorldJob& other : empty.jobs) other.nodes.clear();
  return greedy_nodes(empty, job).has_value();
}

// `set_cpu` turns a target into requirements; false if some job cannot have it.
double search(World& world, const RemapLimit& limit, double lowest, double accuracy, Ties ties,
              const std::function<bool(double, std::vector<PackJob>&)>& set_cpu) {
  std::vector<PackJob> jobs;
  for (JobSlot slot : world.order) {
    const WorldJob& job = world.jobs[slot];
    if (!job.placed() && !could_run_alone(world, slot)) continue;
    PackJob item;
    item.job = slot;
    const bool kept = (limit.kind == RemapLimit::Kind::min_flow_time && world.flow_time(slot) < limit.bound) ||
                      (limit.kind == RemapLimit::Kind::min_virtual_time && job.virtual_time < limit.bound);
    if (job.placed() && (kept || job.flags.may_not_move)) item.pinned = job.nodes;
    if (!job.placed()) item.pinned = job.home;
    jobs.push_back(item);
  }
  if (ties == Ties::newest) std::reverse(jobs.begin(), jobs.end());
  if (ties == Ties::priority) {
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](const PackJob& a, const PackJob& b) { return world.priority(a.job) > world.priority(b.job); });
  }

  std::vector<std::vector<NodeIndex>> best;
  const auto attempt = [&](double target) {
    if (!set_cpu(target, jobs)) return false;
    const auto packed = pack(world, jobs);
    if (packed) best = *packed;
    return packed.has_value();
  };
  for (;;) {
    if (jobs.empty()) return -1;
    if (attempt(lowest)) break;
    std::vector<JobSlot> removable;
    for (JobSlot slot : world.order) {
      const WorldJob& job = world.jobs[slot];
      const bool tried = std::any_of(jobs.begin(), jobs.end(), [&](const PackJob& item) { return item.job == slot; });
      if (tried && !(job.placed() && job.flags.may_not_pause)) removable.push_back(slot);
    }
    if (removable.empty()) return -1;
    const JobSlot victim = world.by_priority(removable).back();
    std::erase_if(jobs, [&](const PackJob& item) { return item.job == victim; });
  }
  double reached = lowest;
  if (attempt(1.0)) {
    reached = 1.0;
  } else {
    double failed = 1.0;
    while (failed - reached > accuracy) {
      const double middle = (reached + failed) / 2;
      (attempt(middle) ? reached : failed) = middle;
    }
  }
  for (JobSlot slot : world.order) world.jobs[slot].nodes.clear();
  for (std::size_t k = 0; k < jobs.size(); ++k) world.jobs[jobs[k].job].nodes = best[k];
  return reached;
}

}  // namespace

double mcb8(World& world, const RemapLimit& limit, Ties ties) {
  const double yield = search(world, limit, 0.01, 0.01, ties, [&](double target, std::vector<PackJob>& jobs) {
    for (PackJob& item : jobs) item.cpu = world.jobs[item.job].cpu_need * target;
    return true;
  });
  return std::max(yield, 0.0);
}

double mcb8_stretch(World& world, const RemapLimit& limit, Seconds period, Ties ties, double accuracy) {
  return search(world, limit, 0.0, accuracy, ties, [&](double target, std::vector<PackJob>& jobs) {
    for (PackJob& item : jobs) {
      // (flow + T) / (vt + y T) = 1 / s, solved for y.
      const double flow = world.flow_time(item.job) + period;
      const double yield = std::max(0.01, (flow * target - world.jobs[item.job].virtual_time) / period);
      if (yield > 1 + kCpuSlack) return false;
      item.cpu = world.jobs[item.job].cpu_need * yield;
    }
    return true;
  });
}

}  // namespace dfrs::oracle
