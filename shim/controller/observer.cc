// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/observer.h"

#include <algorithm>
#include <optional>

#include "shim/controller/bounds.h"
#include "shim/controller/identity.h"
#include "shim/controller/job_observation.h"
#include "shim/controller/lifecycle.h"

namespace dfrs::shim {
namespace {

JobIdentity identity_of(const Job& job) { return {job.user, job.restarts, job.submit}; }
JobIdentity identity_of(const SavedJob& job) { return {job.user, job.restarts, job.submit}; }
JobIdentity identity_of(const dfrs_job& job) { return {job.user_id, job.key.restarts, job.key.submit}; }

// Removes the job that had this number before.
void forget(Job& job, JobTable& jobs, Changes& changes) {
  withdraw_from_policy(job, jobs, changes);
  std::erase(changes.entering, &job);
  jobs.remove(job.id);
}

// The job with too many tasks as one that may not start; nothing: it has not too many.
std::optional<dfrs_job> blocked_for_its_tasks(const dfrs_job& seen) {
  const bool waits = seen.phase == DFRS_JOB_PENDING || seen.phase == DFRS_JOB_REQUEUING;
  if (!waits || seen.tasks <= kMostTasks) return std::nullopt;
  dfrs_job blocked = seen;
  blocked.phase = DFRS_JOB_BLOCKED;
  blocked.blocked_reason = kTooManyTasks;
  return blocked;
}

Job& add_record(const dfrs_job& seen, JobTable& jobs) {
  Job& job = jobs.add(seen.key.job_id);
  job.user = seen.user_id;
  job.restarts = seen.key.restarts;
  job.submit = seen.key.submit;
  // Its last run may have been cleaned up in this very second, unseen.
  if (seen.key.restarts > 0) job.facts.phase = DFRS_JOB_REQUEUING;
  return job;
}

// Moves what the state file has of the job into its record. True if it has something.
bool restore(const dfrs_job& seen, SavedState& saved, Job& job) {
  const auto found = saved.jobs.find(job.id);
  if (found == saved.jobs.end()) return false;
  const bool same = same_job(identity_of(found->second), identity_of(seen));
  if (same) restore_job(found->second, job);
  saved.jobs.erase(found);
  return same;
}

}  // namespace

Changes Observer::observe(const dfrs_snapshot& snapshot, SavedState& saved, Totals& totals, JobTable& jobs,
                          Nodes& nodes) {
  Changes changes;
  const std::size_t known = jobs.size();
  observe_nodes(snapshot, jobs, nodes, changes);
  observe_jobs(snapshot, saved, totals, jobs, changes);
  settle_nodes(jobs, nodes, changes);
  changes.job_count = known != jobs.size();
  return changes;
}

void Observer::observe_nodes(const dfrs_snapshot& snapshot, JobTable& jobs, Nodes& nodes, Changes& changes) {
  const Nodes::Changes seen = nodes.update(snapshot);
  changes.node_list = seen.list;
  changes.agent_addresses = seen.addresses;
  // Indices into the last list are invalid. The snapshot has the nodes of running jobs.
  if (seen.list) jobs.each([](Job& job) { job.facts.last_nodes.clear(); });
}

void Observer::observe_jobs(const dfrs_snapshot& snapshot, SavedState& saved, Totals& totals, JobTable& jobs,
                            Changes& changes) {
  ++snapshots_;
  const SnapshotContext context{snapshot, saved.saved_at, *config_, *log_, totals, jobs, changes, placement_};
  JobTable::Search search(jobs);
  std::size_t shown = 0;  // records that this snapshot shows
  for (std::size_t k = 0; k < snapshot.job_count; ++k) {
    const std::optional<dfrs_job> blocked = blocked_for_its_tasks(snapshot.jobs[k]);
    const dfrs_job& seen = blocked ? *blocked : snapshot.jobs[k];
    Job* job = search.find(seen.key.job_id);
    if (job != nullptr && !same_job(identity_of(*job), identity_of(seen))) {
      if (job->facts.snapshot == snapshots_) --shown;  // it is shown twice, which Slurm never does
      forget(*job, jobs, changes);
      job = nullptr;
    }
    bool restored = false;
    if (job == nullptr) {
      if (seen.phase == DFRS_JOB_ENDING) continue;
      job = &add_record(seen, jobs);
      restored = restore(seen, saved, *job);
      if (job->checkpointing.under_way())
        log_->warn("job {}: slurmctld was restarted during its checkpoint, which goes on if the job is still to leave",
                   job->id);
    }
    if (job->facts.snapshot != snapshots_) ++shown;
    job->facts.snapshot = snapshots_;
    JobObservation(context, seen, *job, restored).enter();
  }
  saved.jobs.clear();                // jobs that the first snapshot does not show are gone
  if (shown == jobs.size()) return;  // none is gone
  std::vector<std::uint32_t> gone;
  jobs.each([&](Job& job) {
    if (job.facts.snapshot == snapshots_) return;
    withdraw_from_policy(job, jobs, changes);
    gone.push_back(job.id);
  });
  for (std::uint32_t id : gone) jobs.remove(id);
}

// The policy must not give away memory of jobs that scontrol has suspended.
void Observer::settle_nodes(const JobTable& jobs, Nodes& nodes, Changes& changes) {
  user_held_.assign(nodes.size(), 0);
  jobs.each([&](const Job& job) {
    if (!job.user_suspended() || !job.facts.keeps_memory) return;
    for (NodeIndex n : job.facts.nodes) user_held_[n] += job.facts.memory_per_task;
  });
  if (nodes.settle(user_held_)) changes.resync = true;
}

}  // namespace dfrs::shim
