// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/view_builder.h"

#include <algorithm>

#include "policy/core/node_runs.h"
#include "shim/controller/clock.h"
#include "shim/controller/lifecycle.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {
namespace {

void void_plan(Job& job, JobTable& jobs) {
  job.desired.clear();
  jobs.close_slot(job);
}

}  // namespace
void ViewBuilder::rebuild(JobTable& jobs, const Nodes& nodes, const ViewOptions& options, Seconds now,
                          std::vector<Job*>& dropped) {
  ledger_.reset(nodes);
  candidates_.clear();
  jobs.each([&](Job& job) {
    const bool without_nodes = !job.queued() && job.facts.nodes.empty();
    if (available_to_policy(job, now) && !without_nodes) take_stock(job, jobs, options);
  });
  node_views_.assign(nodes.views().begin(), nodes.views().end());
  close_nodes_of_sharing_jobs(jobs);
  std::sort(candidates_.begin(), candidates_.end(), released_earlier);
  for (Job* job : candidates_) place(*job, jobs, options.batch, dropped);
  show_overcommitted_nodes_as_full();
  jobs.each([](Job& job) { job.policy.contradicted = false; });
  if (options.batch) share_cpu_by_need(jobs, nodes, options.confirm_raises, now);
}

void ViewBuilder::take_stock(Job& job, JobTable& jobs, const ViewOptions& options) {
  const bool discard = options.discard_plans || job.policy.contradicted;
  if (job.running()) {
    take_stock_of_running(job, jobs, discard);
  } else if (job.suspended()) {
    take_stock_of_suspended(job, jobs, options.batch, discard);
  } else if (job.desired.state == DesiredState::running) {
    if (discard) job.desired.nodes.clear();
    candidates_.push_back(&job);
  }
}

void ViewBuilder::take_stock_of_running(Job& job, JobTable& jobs, bool discard) {
  if (!job.in_engine()) jobs.open_slot(job);
  job.policy.known = true;
  if (!discard && job.desired.state == DesiredState::paused) return;
  if (!discard && job.to_run_elsewhere()) {
    candidates_.push_back(&job);
    return;
  }
  job.desired.run_on(job.facts.nodes);
  ledger_.take(footprint(job, job.facts.nodes));
}

void ViewBuilder::take_stock_of_suspended(Job& job, JobTable& jobs, bool batch, bool discard) {
  const bool to_resume = !discard && job.desired.state == DesiredState::running;
  if (!job.in_engine()) {
    if (batch && job.facts.nodes.size() != job.facts.tasks) return;
    jobs.open_slot(job);
    job.policy.known = true;
    job.desire_pause(PauseWay::suspend);
  }
  if (!batch && !to_resume) {
    job.desire_pause(PauseWay::suspend);
    return;
  }
  if (!to_resume) job.desired.nodes = job.facts.nodes;
  candidates_.push_back(&job);
}

// An exclusive job may share its nodes after scontrol resume or under former rules. That is no error, but nothing is
// added to its nodes.
void ViewBuilder::close_nodes_of_sharing_jobs(JobTable& jobs) {
  exclusive_job_shares_ = false;
  jobs.each([&](Job& job) {
    job.policy.shares_nodes = false;
    if (!job.facts.exclusive || !job.running() || !job.to_run_in_place()) return;
    const std::vector<NodeIndex>& nodes = job.facts.nodes;
    job.policy.shares_nodes =
        !all_node_runs(nodes, [&](NodeIndex n, std::uint32_t tasks) { return ledger_.tasks(n) == tasks; });
    if (!job.policy.shares_nodes) return;
    exclusive_job_shares_ = true;
    for (NodeIndex n : nodes) node_views_[n].usable = false;
  });
}

void ViewBuilder::place(Job& job, JobTable& jobs, bool batch, std::vector<Job*>& dropped) {
  const std::vector<NodeIndex>& nodes = job.desired.nodes;
  const bool usable = nodes.size() == job.facts.tasks && std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex n) {
                        return n < node_views_.size() && node_views_[n].usable && job.facts.may_use(n);
                      });
  const Footprint wanted = footprint(job, nodes);
  if (usable && ledger_.fits(wanted)) {
    ledger_.take(wanted);
    job.desired.state = DesiredState::running;
    job.desired.pause_way = PauseWay::none;
  } else if (job.running()) {  // it was to be moved
    job.desire_pause(way_to_leave(job));
  } else if (job.suspended()) {
    job.desire_pause(PauseWay::suspend);
    if (batch) void_plan(job, jobs);
  } else {
    void_plan(job, jobs);
    dropped.push_back(&job);
  }
}

// A node whose memory has shrunk may hold more than it has: running jobs stay.
void ViewBuilder::show_overcommitted_nodes_as_full() {
  for (NodeIndex n = 0; n < node_views_.size(); ++n) {
    if (ledger_.free_memory(n) < 0) node_views_[n].spec.rigid[kMemory] -= ledger_.free_memory(n);
  }
}

// Batch policies never change a yield. Jobs that share nodes after a change of algorithm share the CPUs by their needs.
void ViewBuilder::share_cpu_by_need(JobTable& jobs, const Nodes& nodes, bool confirm_raises, Seconds now) {
  cpu_needed_.assign(nodes.size(), 0);
  const double reference = nodes.reference_cpus();
  jobs.each([&](const Job& job) {
    if (job.desired.state != DesiredState::running) return;
    for (NodeIndex n : job.desired.nodes) cpu_needed_[n] += job.facts.cpus_per_task / reference;
  });
  jobs.each([&](Job& job) {
    if (job.desired.state != DesiredState::running) return;
    double& yield = job.desired.yield = 1;
    for (NodeIndex n : job.desired.nodes) yield = std::min(yield, nodes.views()[n].spec.cpu / cpu_needed_[n]);
    if (job.running() && job.to_run_in_place()) grant_yield(job, now, yield, confirm_raises);
  });
}

}  // namespace dfrs::shim
