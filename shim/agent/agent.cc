// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/counted.h"

namespace dfrs::shim {

Agent::Agent(AgentOptions options, std::unique_ptr<JobGroups> groups, RunFolder run, PageOutSystem& page_out_system,
             PageOutOptions page_out_options)
    : options_(std::move(options)),
      groups_(std::move(groups)),
      run_(std::move(run)),
      stop_guard_(options_.stop_guard, *groups_, options_.proc) {
  page_out_ = std::make_unique<PageOut>(
      page_out_system, page_out_options, [this](std::uint32_t job) { return groups_->processes(job); },
      [this](std::uint32_t job, std::uint64_t bytes) { return groups_->reclaim(job, bytes); },
      [this](std::uint32_t job) { return groups_->swap_left(job); },
      [this](const std::string& message) { log(AgentLog::warning, message); });
  desired_.node = options_.node;
  auto remembered = run_.recall(options_.node);
  if (!remembered) {
    log(AgentLog::error, remembered.error());
    ++counters_.folder_errors;
  } else if (*remembered) {
    desired_ = std::move(**remembered);
    for (const JobQuota& job : desired_.jobs)
      quotas_[job.job_id] = cpu_max_for(job.cpus * options_.cores_per_cpu, options_.base_period_us);
    log(AgentLog::info, fmt::format("continuing with state {}.{}, {}", desired_.order.epoch, desired_.order.sequence,
                                    base::counted(desired_.jobs.size(), "job")));
  }
  // If the state of an earlier agent is lost, its quotas stay until the controller sends new ones.
  if (remembered && *remembered) set_node_error(publish());
  if (options_.desired) options_.desired(desired_.jobs);
}

void Agent::log(AgentLog level, const std::string& message) const {
  if (options_.log) options_.log(level, message);
}

void Agent::set_error(std::uint32_t job, const std::string& message) {
  std::string& known = errors_[job];
  if (known == message) return;  // logged already
  known = message;
  log(AgentLog::error, job == 0 ? message : fmt::format("job {}: {}", job, message));
}

void Agent::set_node_error(const tl::expected<void, std::string>& outcome) {
  if (outcome)
    errors_.erase(0);
  else
    set_error(0, outcome.error());
}

tl::expected<void, std::string> Agent::publish() {
  auto published = run_.publish(quotas_);
  if (!published) ++counters_.folder_errors;
  return published;
}

void Agent::enforce(std::uint32_t job, const CpuMax& quota) {
  const auto change = groups_->set_quota(job, quota);
  if (!change) {
    ++counters_.quota_errors;
    set_error(job, change.error());
    return;
  }
  errors_.erase(job);
  if (*change == QuotaChange::written) ++counters_.quota_writes;
}

void Agent::enforce_all() {
  std::set<std::uint32_t> dumped;
  for (const JobQuota& job : desired_.jobs) {
    if (is_dumped(job)) dumped.insert(job.job_id);
  }
  for (const auto& [job, quota] : quotas_) enforce(job, dumped.contains(job) ? CpuMax{} : quota);
}

// criu runs code in the processes that it dumps, as a part of their group. They do nothing else, since they are
// stopped.
bool Agent::is_dumped(const JobQuota& job) const {
  if (!job.checkpoint || job.checkpoint->phase != CheckpointPhase::kDump || !options_.checkpoint) return false;
  const auto report = options_.checkpoint(job.job_id);
  const bool stopped =
      report && (report->state == CheckpointState::kFrozen || report->state == CheckpointState::kDumped);
  return stopped && report->attempt == job.checkpoint->attempt;
}

void Agent::release(std::uint32_t job) {
  released_.erase(job);
  if (groups_->remove_if_empty(job)) {
    ++counters_.groups_removed;
    errors_.erase(job);
    return;
  }
  enforce(job, CpuMax{});
  if (errors_.contains(job)) released_.insert(job);
}

tl::expected<AgentReport, Agent::Refused> Agent::apply(const DesiredState& state) {
  const std::lock_guard lock(mutex_);
  if (state.node != options_.node) {
    ++counters_.malformed;
    return tl::unexpected(Refused(Malformed{
        fmt::format("desired state: node: is '{}', but this is the agent of '{}'", state.node, options_.node)}));
  }
  if (state.order <= desired_.order) {
    ++counters_.stale;
    return tl::unexpected(Refused(Stale{desired_.order}));
  }
  std::vector<std::uint32_t> gone;
  std::map<std::uint32_t, CpuMax> quotas;
  for (const JobQuota& job : state.jobs)
    quotas[job.job_id] = cpu_max_for(job.cpus * options_.cores_per_cpu, options_.base_period_us);
  for (const auto& [job, quota] : quotas_) {
    if (!quotas.contains(job)) gone.push_back(job);
  }
  desired_ = state;
  quotas_ = std::move(quotas);
  applied_at_ = std::chrono::steady_clock::now();
  ++counters_.applied;
  auto kept = run_.remember(desired_);
  if (!kept) ++counters_.folder_errors;
  // Publish before enforcing: the SPANK plugin reads the file again after it has made a group, so that the group gets
  // this quota whichever of the two comes last.
  if (auto published = publish(); !published) kept = std::move(published);
  set_node_error(kept);
  std::erase_if(released_, [&](std::uint32_t job) { return quotas_.contains(job); });
  for (const std::uint32_t job : gone) release(job);
  enforce_all();
  std::set<std::uint32_t> paused;
  for (const JobQuota& job : desired_.jobs) {
    if (job.paused) paused.insert(job.job_id);
  }
  page_out_->set_paused(paused);
  if (options_.desired) options_.desired(desired_.jobs);
  return make_report();
}

AgentReport Agent::make_report() const {
  AgentReport report;
  report.node = options_.node;
  report.applied = desired_.order;
  for (const auto& [job, measure] : measured_) {
    JobUse& use = report.jobs.emplace_back(measure.use);
    use.cpu_seconds /= options_.cores_per_cpu;  // in the unit of the quotas
    if (options_.checkpoint) use.checkpoint = options_.checkpoint(job);
  }
  for (const auto& [job, message] : errors_) report.errors.push_back({job, message.substr(0, 1000)});
  if (!measured_.empty())
    report.measured_ago = std::chrono::duration<double>(std::chrono::steady_clock::now() - measured_at_).count();
  report.swap_total_mib = swap_.total_kib / 1024;
  report.swap_free_mib = swap_.free_kib / 1024;
  return report;
}

void Agent::count_malformed() {
  const std::lock_guard lock(mutex_);
  ++counters_.malformed;
}

AgentReport Agent::report() const {
  const std::lock_guard lock(mutex_);
  return make_report();
}

void Agent::reconcile() {
  auto outcome = publish();
  enforce_all();
  for (const std::uint32_t job : std::set<std::uint32_t>(released_)) release(job);
  const auto groups = groups_->list();
  if (!groups) outcome = tl::unexpected(groups.error());
  set_node_error(outcome);
  if (!groups) return;
  std::set<std::uint32_t> empty;
  for (const std::uint32_t job : *groups) {
    if (quotas_.contains(job) || !groups_->processes(job).empty()) continue;
    // The SPANK plugin may have just made it for a task that is about to join.
    if (!empty_before_.contains(job))
      empty.insert(job);
    else if (groups_->remove_if_empty(job))
      ++counters_.groups_removed;
  }
  empty_before_ = std::move(empty);
}

JobMeasure Agent::measure(std::uint32_t job) {
  JobMeasure measure;
  measure.use.job_id = job;
  Accumulated& sum = accumulated_[job];
  const auto group = groups_->use(job);
  const std::vector<pid_t> processes = groups_->processes(job);
  if (group) measure.group = *group;
  if (group && group->cpu_seconds) {
    // A group that was removed and made again counts from zero.
    const double now = *group->cpu_seconds;
    sum.total += now >= sum.group_last ? now - sum.group_last : now;
    sum.group_last = now;
  } else {
    if (!group) sum.group_last = 0;
    std::map<pid_t, double> last;
    for (const pid_t pid : processes) {
      const double now = process_cpu_seconds(options_.proc, pid);
      const auto before = sum.process_last.find(pid);
      const double then = before != sum.process_last.end() ? before->second : 0;
      sum.total += now >= then ? now - then : 0;
      last[pid] = std::max(now, then);
    }
    sum.process_last = std::move(last);
  }
  measure.use.cpu_seconds = sum.total;
  std::uint64_t resident = 0;
  std::uint64_t swapped = 0;
  for (const pid_t pid : processes) {
    const ProcessMemory memory = process_memory(options_.proc, pid);
    resident += memory.resident_kib;
    swapped += memory.swap_kib;
  }
  measure.use.memory_mib = resident / 1024;
  measure.use.swap_mib = swapped / 1024;
  if (const auto left = groups_->swap_left(job)) measure.use.swap_left_mib = *left >> 20;
  return measure;
}

void Agent::tick() {
  std::set<std::uint32_t> jobs;
  std::vector<JobQuota> desired;
  std::chrono::duration<double> age{};
  {
    const std::lock_guard lock(mutex_);
    reconcile();
    desired = desired_.jobs;
    // Their processes stop and go on as the attempt needs it.
    std::erase_if(desired, [](const JobQuota& job) { return job.checkpoint.has_value(); });
    age = state_age();
    for (const auto& [job, quota] : quotas_) jobs.insert(job);
  }
  // Without the lock, so that requests do not wait while thousands of processes are read.
  if (const auto groups = groups_->list()) jobs.insert(groups->begin(), groups->end());
  const auto measured_at = std::chrono::steady_clock::now();
  std::map<std::uint32_t, JobMeasure> measured;
  for (const std::uint32_t job : jobs) measured[job] = measure(job);
  std::erase_if(accumulated_, [&](const auto& entry) { return !jobs.contains(entry.first); });
  const SwapSpace swap = swap_space(options_.proc);
  const std::vector<StopGuard::Action> actions = stop_guard_.check(desired, age);
  for (const StopGuard::Action& action : actions) log(AgentLog::warning, action.message);

  std::set<std::uint32_t> paused;
  const std::lock_guard lock(mutex_);
  measured_ = std::move(measured);
  measured_at_ = measured_at;
  swap_ = swap;
  for (const StopGuard::Action& action : actions) ++(action.stopped ? counters_.stopped : counters_.continued);
  for (const JobQuota& job : desired_.jobs) {
    if (job.paused) paused.insert(job.job_id);
  }
  page_out_->set_paused(paused);  // a state restored at the start has paused jobs, too
}

std::chrono::duration<double> Agent::state_age() const {
  if (counters_.applied == 0) return std::chrono::duration<double>(std::numeric_limits<double>::infinity());
  return std::chrono::steady_clock::now() - applied_at_;
}

Agent::Metrics Agent::metrics() const {
  Metrics metrics;
  metrics.node = options_.node;
  metrics.page_out = page_out_->counters();
  const std::lock_guard lock(mutex_);
  metrics.counters = counters_;
  metrics.desired = desired_;
  metrics.quotas = quotas_;
  metrics.jobs = measured_;
  metrics.errors = errors_.size();
  metrics.swap = swap_;
  metrics.state_age = state_age().count();
  return metrics;
}

}  // namespace dfrs::shim
