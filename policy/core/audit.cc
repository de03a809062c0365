// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/audit.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "policy/core/enum_names.h"

namespace dfrs {
namespace {

// Cold: code that makes messages stays out of the way of checks that pass.
[[gnu::cold]] std::string number_text(double value) {
  // Not std::to_string, whose decimal point depends on the locale.
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

[[gnu::cold]] std::string job_text(const ClusterView& view, JobSlot job) {
  return "job " + std::to_string(view.jobs[job].id);
}

[[gnu::cold]] tl::unexpected<std::string> wrong(std::string message) {
  return tl::unexpected<std::string>(std::move(message));
}

JobState state_before(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::pause:
    case DecisionKind::move:
      return JobState::running;
    case DecisionKind::resume:
      return JobState::paused;
    case DecisionKind::start:
      return JobState::waiting;
  }
  return JobState::absent;
}

}  // namespace

void Audit::resync(const ClusterView& view) {
  dims_ = view.rigid_dims;
  grown_.clear();
  nodes_.assign(view.nodes.size(), Node{});
  for (std::size_t n = 0; n < view.nodes.size(); ++n) nodes_[n].free = view.nodes[n].spec.rigid;
  checks_ = 0;
  gained_.assign(view.nodes.size() + 1, 0);
  gained_count_ = 0;
  jobs_.assign(view.jobs.size(), Job{});
  for (JobSlot job = 0; job < view.jobs.size(); ++job) {
    if (view.jobs[job].state != JobState::absent) load(view, job);
  }
}

void Audit::load(const ClusterView& view, JobSlot slot) {
  const JobView& spec = view.jobs[slot];
  Job& job = jobs_[slot];
  job.state = spec.state;
  job.cpu_need = spec.cpu_need;
  job.rigid = spec.rigid;
  job.exclusive = spec.flags.exclusive;
  job.yield = 0;
  job.placed_in = 0;
  job.nodes.clear();
  if (spec.state == JobState::running) {
    occupy(job, spec.nodes);
    set_yield(job, spec.yield);
  }
}

tl::expected<void, std::string> Audit::completed(const ClusterView& view, JobSlot slot) {
  Job& job = jobs_[slot];
  if (job.state == JobState::absent) return wrong(job_text(view, slot) + " completed but was not in the system");
  const JobView& spec = view.jobs[slot];
  if (spec.cpu_need != job.cpu_need || spec.rigid != job.rigid) {
    return wrong(job_text(view, slot) + " completed with other requirements than it was submitted with");
  }
  release(job);
  spare_.recycle(job.nodes);
  job.state = JobState::absent;
  return {};
}

void Audit::submitted(const ClusterView& view, JobSlot slot) {
  if (jobs_.size() < view.jobs.size()) jobs_.resize(view.jobs.size());
  load(view, slot);
}

double Audit::change_need(JobSlot slot, double need) {
  Job& job = jobs_[slot];
  const double before = job.cpu_need;
  for (NodeIndex n : job.nodes) nodes_[n].cpu_used += (need - before) * job.yield;
  if (need > before) grown_.insert(grown_.end(), job.nodes.begin(), job.nodes.end());
  job.cpu_need = need;
  return before;
}

void Audit::release(Job& job) {
  const double used = job.cpu_need * job.yield;
  with_dims(dims_, [&](auto dims) {
    for (NodeIndex n : job.nodes) {
      Node& node = nodes_[n];
      for (std::size_t d = 0; d < dims; ++d) node.free[d] += job.rigid[d];
      node.cpu_used -= used;
      if (--node.tasks == 0) node.cpu_used = 0.0;
    }
  });
  if (job.exclusive) {
    for (NodeIndex n : job.nodes) --nodes_[n].exclusive;
  }
  job.nodes.clear();
  job.yield = 0;
}

void Audit::occupy(Job& job, std::span<const NodeIndex> nodes) {
  spare_.reuse_for(job.nodes);
  job.nodes.assign(nodes.begin(), nodes.end());
  with_dims(dims_, [&](auto dims) {
    std::size_t gained = gained_count_;
    for (NodeIndex n : nodes) {
      Node& node = nodes_[n];
      for (std::size_t d = 0; d < dims; ++d) node.free[d] -= job.rigid[d];
      ++node.tasks;
      gained = gain(n, gained);
    }
    gained_count_ = gained;
  });
  if (job.exclusive) {
    for (NodeIndex n : nodes) ++nodes_[n].exclusive;
  }
  job.placed_in = checks_;
}

void Audit::gain(std::span<const NodeIndex> nodes) {
  for (NodeIndex n : nodes) gained_count_ = gain(n, gained_count_);
}

void Audit::set_yield(Job& job, double yield) {
  const double more = job.cpu_need * (yield - job.yield);
  for (NodeIndex n : job.nodes) nodes_[n].cpu_used += more;
  job.yield = yield;
}

tl::expected<void, std::string> Audit::check_one(const ClusterView& view, const Decisions& decisions,
                                                 const Decision& decision) const {
  const auto refuse = [&](const std::string& what) {
    return wrong(std::string(enum_name(decision.kind)) + " " + job_text(view, decision.job) + ": " + what);
  };
  if (decision.job >= jobs_.size()) return wrong("decision for a slot that does not exist");
  const JobView& spec = view.jobs[decision.job];
  if (jobs_[decision.job].state != state_before(decision.kind)) return refuse("the job is in another state");
  if (decision.kind == DecisionKind::pause) {
    if (spec.flags.may_not_pause) return refuse("the job may not be paused");
    return {};
  }
  const std::span<const NodeIndex> nodes = decisions.nodes_of(decision);
  if (nodes.size() != spec.tasks) return refuse("one node per task is needed");
  NodeIndex last = 0;
  for (NodeIndex n : nodes) {
    if (n < last) return refuse("nodes must ascend");
    last = n;
    if (n >= view.nodes.size()) return refuse("no such node");
    if (!view.nodes[n].usable) return refuse("node " + std::to_string(n) + " is not usable");
    if (spec.eligible != nullptr && !spec.eligible->contains(n)) {
      return refuse("node " + std::to_string(n) + " is not among its eligible nodes");
    }
  }
  const bool keeps = spec.flags.may_not_move && !spec.nodes.empty();
  if (keeps && !std::equal(nodes.begin(), nodes.end(), spec.nodes.begin(), spec.nodes.end())) {
    return refuse("the job may not be moved");
  }
  return {};
}

tl::expected<void, std::string> Audit::check_nodes(const ClusterView& view) const {
  for (NodeIndex n : gained()) {
    const Node& node = nodes_[n];
    for (std::size_t d = 0; d < dims_; ++d) {
      if (node.free[d] < 0) {
        return wrong("node " + std::to_string(n) + ": rigid resource " + std::to_string(d) + " exceeded by " +
                     std::to_string(-node.free[d]));
      }
    }
    const double capacity = view.nodes[n].spec.cpu;
    if (node.cpu_used > capacity * (1 + kAuditCpuTolerance)) {
      return wrong("node " + std::to_string(n) + ": CPU allocated " + number_text(node.cpu_used) + " of " +
                   number_text(capacity));
    }
    if (node.exclusive != 0 && node.exclusive != node.tasks) {
      return wrong("node " + std::to_string(n) + ": a job that wants it alone shares it");
    }
  }
  return {};
}

tl::expected<void, std::string> Audit::check(const ClusterView& view, const Decisions& decisions) {
  gained_count_ = 0;
  ++checks_;
  gain(grown_);
  grown_.clear();
  for (const Decision& decision : decisions.placements) {
    if (auto checked = check_one(view, decisions, decision); !checked) return checked;
  }
  if (auto entered = enter_placements(view, decisions); !entered) return entered;
  if (auto entered = enter_yields(view, decisions); !entered) return entered;
  if (!(decisions.wake_at >= view.now)) return wrong("the wake-up time has passed");
  return check_nodes(view);
}

tl::expected<void, std::string> Audit::enter_placements(const ClusterView& view, const Decisions& decisions) {
  // All jobs give up their nodes before any takes new ones. The state of a job reveals one that is named twice.
  for (const Decision& decision : decisions.placements) {
    Job& job = jobs_[decision.job];
    if (job.state != state_before(decision.kind)) return wrong(job_text(view, decision.job) + ": decided upon twice");
    if (decision.kind == DecisionKind::pause || decision.kind == DecisionKind::move) release(job);
    job.state = decision.kind == DecisionKind::pause ? JobState::paused : JobState::running;
  }
  for (const Decision& decision : decisions.placements) {
    if (decision.kind == DecisionKind::pause) continue;
    Job& job = jobs_[decision.job];
    if (!job.nodes.empty()) return wrong(job_text(view, decision.job) + ": decided upon twice");
    const std::span<const NodeIndex> nodes = decisions.nodes_of(decision);
    occupy(job, nodes);
    // Two exclusive jobs may not share a node either.
    if (job.exclusive) {
      for (NodeIndex n : nodes) {
        if (nodes_[n].tasks != std::count(nodes.begin(), nodes.end(), n)) {
          return wrong(job_text(view, decision.job) + " wants node " + std::to_string(n) + " alone");
        }
      }
    }
  }
  return {};
}

tl::expected<void, std::string> Audit::enter_yields(const ClusterView& view, const Decisions& decisions) {
  for (const YieldChange& change : decisions.yields) {
    if (change.job >= jobs_.size() || jobs_[change.job].state != JobState::running) {
      return wrong("a yield for a job that does not run");
    }
    if (!(change.yield > 0) || change.yield > 1) {
      return wrong(job_text(view, change.job) + ": yield " + number_text(change.yield) + " is not in (0, 1]");
    }
    Job& job = jobs_[change.job];
    if (change.yield > job.yield && job.placed_in != checks_) gain(job.nodes);
    set_yield(job, change.yield);
  }
  for (const Decision& decision : decisions.placements) {
    if (decision.kind != DecisionKind::pause && jobs_[decision.job].yield <= 0) {
      return wrong(job_text(view, decision.job) + ": placed without a yield");
    }
  }
  return {};
}

}  // namespace dfrs
