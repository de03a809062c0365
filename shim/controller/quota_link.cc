// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/quota_link.h"

#include <algorithm>
#include <vector>

#include "policy/core/node_runs.h"
#include "shim/controller/clock.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {

bool QuotaLink::connect(const Nodes& nodes, const Changes& changes) {
  if (changes.node_list) quotas_.forget();
  if (changes.agent_addresses) connected_ = false;
  if (connected_) return false;
  connected_ = true;
  quotas_.forget();
  if (agents_ == nullptr || (!config_->enforce_quotas && !in_force_)) return false;
  set_agents(nodes);
  if (config_->enforce_quotas) return in_force_ = true;
  // QuotaMode=off, but quotas were enforced before: an empty state lifts them.
  for (NodeIndex n = 0; n < nodes.size(); ++n) agents_->set_desired(n, {});
  return false;
}

void QuotaLink::retry_launched(const Changes& changes) const {
  if (agents() == nullptr) return;
  for (const Job* const job : changes.launched) {
    each_node_run(job->facts.nodes, [&](NodeIndex n, std::uint32_t) { agents_->retry_now(n); });
  }
}

void QuotaLink::set_agents(const Nodes& nodes) {
  std::vector<AgentAddress> addresses;
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    addresses.push_back({nodes[n].name, nodes[n].address, config_->agent_port.of(nodes[n].slurmd_port)});
  }
  agents_->set_agents(addresses);
}

Seconds QuotaLink::confirm_raises(JobTable& jobs, Seconds now) {
  Seconds again = kNever;
  jobs.each([&](Job& job) {
    if (!job.progress.raise_unconfirmed || !job.running()) return;
    const Raise raise = agents() != nullptr ? state_of_raise(job) : Raise::in_force;
    if (raise == Raise::in_force) {
      job.progress.raise_unconfirmed = false;
      set_rate(job.progress.clock, now, job.progress.granted_yield);
    } else {
      again = std::min(again, now + (raise == Raise::pending ? kPoll : kHousekeeping));
    }
  });
  return again;
}

// Checks all nodes of the job.
QuotaLink::Raise QuotaLink::state_of_raise(const Job& job) const {
  Raise raise = Raise::in_force;
  all_node_runs(job.facts.nodes, [&](NodeIndex n, std::uint32_t tasks) {
    const double cpus = job.progress.granted_yield * job.need.value * tasks * job.facts.cpus_per_task;
    // While a raise waits for another job's last checkpoint, the quota is lower than the yield.
    if (!quotas_.handed_over(n, job.id, cpus)) {
      raise = Raise::pending;
    } else if (const NodeReport report = agents_->report(n); !report.current) {
      raise = report.reachable ? Raise::pending : Raise::unreachable;
    }
    return raise == Raise::in_force;
  });
  return raise;
}

void QuotaLink::build(const JobTable& jobs, const Nodes& nodes, std::span<const Job* const> arriving) {
  if (agents() != nullptr) quotas_.build(jobs, nodes, *config_, arriving);
}

void QuotaLink::send() {
  if (agents() != nullptr) quotas_.send(*agents_);
}

bool QuotaLink::wait(std::uint32_t wait_ms) const {
  const auto nodes = quotas_.arrival_nodes();
  return agents() == nullptr || nodes.empty() || agents_->wait(nodes, wait_ms);
}

}  // namespace dfrs::shim
