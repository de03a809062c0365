// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/quotas.h"

#include <algorithm>

#include "policy/core/node_runs.h"
#include "shim/controller/checkpoint_orders.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {
namespace {

// The job's quota; null: it has none.
const JobQuota* find_quota(std::span<const JobQuota> quotas, std::uint32_t job) {
  const auto found = std::find_if(quotas.begin(), quotas.end(), [&](const JobQuota& q) { return q.job_id == job; });
  return found == quotas.end() ? nullptr : &*found;
}

}  // namespace

void Quotas::forget() {
  built_.clear();  // of nodes that may be others now, should no build() follow before the next send()
  arrival_nodes_.clear();
  sent_.clear();
  must_send_.clear();
}

std::span<const JobQuota> Quotas::of(NodeIndex node) const {
  return node < built_.size() ? std::span<const JobQuota>(built_[node]) : std::span<const JobQuota>();
}

void Quotas::place(const Job& job, std::span<const NodeIndex> nodes, double yield, const Entry& like) {
  each_node_run(nodes, [&](NodeIndex n, std::uint32_t tasks) {
    if (n >= wanted_.size()) return;
    Entry& entry = wanted_[n].emplace_back(like);
    entry.quota.job_id = job.id;
    entry.quota.cpus = std::max(kLeastQuota, yield * job.need.value * tasks * job.facts.cpus_per_task);
    entry.asked = static_cast<double>(tasks) * job.facts.cpus_per_task;
    entry.measured = job.need.value < 1;
  });
}

void Quotas::build(const JobTable& jobs, const Nodes& nodes, const Config& config,
                   std::span<const Job* const> arriving) {
  wanted_.resize(nodes.size());
  built_.resize(nodes.size());
  sent_.resize(nodes.size());
  must_send_.resize(nodes.size(), 1);
  for (auto& list : wanted_) list.clear();
  std::vector<std::uint8_t> arrives(nodes.size(), 0);

  for (const Job* job : arriving) {
    if (job->suspended() || job->running()) continue;  // it is among those below
    Entry entry;
    entry.quota.checkpointable = checkpointable(*job, config);
    entry.quota.restoring = job->checkpointing.restoring;
    place(*job, job->desired.nodes, job->desired.yield, entry);
  }
  for (const Job* job : arriving) {
    for (NodeIndex n : job->desired.nodes) {
      if (n < arrives.size()) arrives[n] = 1;
    }
  }
  jobs.each([&](const Job& job) {
    if (job.running()) {
      const bool stays = job.desired.state == DesiredState::none || job.to_run_in_place();
      const bool ends =
          !stays && !(job.desired.state == DesiredState::paused && job.desired.pause_way == PauseWay::suspend);
      Entry entry;
      entry.leaving = !stays;
      entry.keeps = ends && job.checkpointing.phase == Checkpointing::Phase::none && checkpoints(job, config);
      entry.quota.checkpointable = checkpointable(job, config);
      entry.quota.checkpoint = checkpoint_order(job, config);
      entry.quota.restoring = job.checkpointing.restoring;
      place(job, job.facts.nodes, job.progress.granted_yield, entry);
    } else if (job.facts.phase == DFRS_JOB_SUSPENDED) {
      const bool resumes = std::find(arriving.begin(), arriving.end(), &job) != arriving.end();
      Entry entry;
      entry.quota.suspended = !resumes;
      entry.quota.checkpointable = checkpointable(job, config);
      entry.quota.checkpoint = checkpoint_order(job, config);
      // A job that its user has suspended keeps its memory: there is nothing to page out.
      entry.quota.paused = !resumes && !(job.user_suspended() && job.facts.keeps_memory);
      place(job, job.facts.nodes, resumes ? job.desired.yield : 0, entry);
    } else if (job.facts.phase == DFRS_JOB_REQUEUING || job.facts.phase == DFRS_JOB_ENDING) {
      // Its processes are ending, which may take a while (KillWait). They are gone when the node is no longer
      // completing.
      each_node(job.facts.last_nodes, [&](NodeIndex n) {
        if (n >= nodes.size() || !nodes[n].completing) return;
        const JobQuota* const had = find_quota(sent_[n], job.id);
        Entry& entry = wanted_[n].emplace_back();
        entry.quota.job_id = job.id;
        entry.quota.cpus = had != nullptr ? had->cpus : kLeastQuota;
        entry.leaving = true;
        entry.quota.checkpoint =
            job.facts.phase == DFRS_JOB_REQUEUING ? last_checkpoint_order(job, config) : checkpoint_order(job, config);
        entry.keeps = !entry.quota.checkpoint && checkpoints(job, config) && job.facts.phase == DFRS_JOB_REQUEUING;
      });
    }
  });
  arrival_nodes_.clear();
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    settle(n, nodes[n].free_cpus());
    if (arrives[n] != 0) arrival_nodes_.push_back(n);
  }
}

void Quotas::settle(NodeIndex node, double cpus) {
  auto& wanted = wanted_[node];
  std::sort(wanted.begin(), wanted.end(),
            [](const Entry& a, const Entry& b) { return a.quota.job_id < b.quota.job_id; });
  const bool raises_wait = std::any_of(wanted.begin(), wanted.end(), [](const Entry& e) { return e.keeps; });
  double left = cpus;
  for (Entry& entry : wanted) {
    if (entry.leaving) continue;
    const JobQuota* const had = raises_wait ? find_quota(sent_[node], entry.quota.job_id) : nullptr;
    if (had != nullptr && !had->paused) entry.quota.cpus = std::min(entry.quota.cpus, had->cpus);
    if (!entry.quota.paused) left -= entry.quota.cpus;
  }
  const auto give_rest = [&](bool keeps) {
    for (Entry& entry : wanted) {
      if (!entry.leaving || entry.keeps != keeps) continue;
      entry.quota.cpus = std::max(kLeastQuota, std::min(entry.quota.cpus, left));
      left -= entry.quota.cpus;
    }
  };
  give_rest(true);
  give_rest(false);
  if (!raises_wait) give_spare(wanted, left);
  auto& built = built_[node];
  built.clear();
  for (const Entry& entry : wanted) built.push_back(entry.quota);
}

// A job that was measured to need less gets spare CPU up to what it asked for, so that its use can show a higher need.
void Quotas::give_spare(std::vector<Entry>& wanted, double left) {
  const auto takes = [](const Entry& e) {
    return e.measured && !e.leaving && !e.quota.suspended && e.quota.cpus < e.asked;
  };
  double more = 0;
  for (const Entry& entry : wanted) more += takes(entry) ? entry.asked - entry.quota.cpus : 0;
  if (!(more > 0) || !(left > 0)) return;
  const double part = std::min(1.0, left / more);
  for (Entry& entry : wanted) {
    if (takes(entry)) entry.quota.cpus += part * (entry.asked - entry.quota.cpus);
  }
}

double Quotas::sent(NodeIndex node, std::uint32_t job) const {
  const JobQuota* const quota = node < sent_.size() ? find_quota(sent_[node], job) : nullptr;
  return quota != nullptr && !quota->suspended ? quota->cpus : 0;
}

bool Quotas::handed_over(NodeIndex node, std::uint32_t job, double cpus) const {
  const JobQuota* const quota = node < sent_.size() ? find_quota(sent_[node], job) : nullptr;
  return quota != nullptr && !quota->paused && quota->cpus >= cpus * (1 - 1e-9);
}

void Quotas::send(NodeAgents& agents) {
  for (NodeIndex n = 0; n < built_.size(); ++n) {
    if (must_send_[n] == 0 && built_[n] == sent_[n]) continue;
    agents.set_desired(n, built_[n]);
    sent_[n] = built_[n];
    must_send_[n] = 0;
  }
}

}  // namespace dfrs::shim
