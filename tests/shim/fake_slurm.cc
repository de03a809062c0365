// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/shim/fake_slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dfrs::shim {
namespace {

constexpr double kNever = 1e300;
constexpr double kCredentialLifetime = 121;  // Slurm's begin time after a requeue

// dfrs_log_fn has no place for a host: lines go to the one that drives a controller in this thread.
thread_local std::vector<std::string>* log_target = nullptr;

void log_line(int level, const char* message) {
  if (log_target != nullptr) log_target->push_back(fmt::format("{}: {}", level, message));
}

// Hours of cluster time in seconds: the state file is synced more often than a disk takes.
std::filesystem::path in_memory() {
  return access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
}

}  // namespace

FakeSlurm::FakeSlurm(std::uint64_t seed, std::string conf, const FakeOptions& given)
    : options(given), folder_(in_memory()), dice_(seed) {
  folder_.write("dfrs.conf", conf);
}

FakeSlurm::~FakeSlurm() { stop_controller(); }

void FakeSlurm::start_controller() {
  log_target = &log;
  const std::string conf = folder_ / "dfrs.conf";
  const std::string state = folder_.path().string();
  dfrs_controller_paths paths{conf.c_str(), state.c_str(), nullptr, "test", 64030, nullptr};
  char error[512] = "";
  controller_ = create_controller(
      paths, log_line, [this](const AgentsSetup&) { return std::make_unique<AgentsByReference>(agents); }, error,
      sizeof(error));
  if (controller_ == nullptr) throw std::runtime_error(error);
  wake_at_ = 0;
}

void FakeSlurm::stop_controller() {
  log_target = &log;
  if (controller_ != nullptr) dfrs_controller_destroy(controller_);
  controller_ = nullptr;
  log_target = nullptr;
}

void FakeSlurm::restart_controller(bool saved) {
  if (!saved) {
    // What kill -9 leaves: the file as the writer's thread last left it.
    host_of(*controller_).state_writer().flush();
    const std::string file = folder_ / "dfrs_state";
    const std::string content = sim::file_bytes(file);
    stop_controller();
    folder_.write("dfrs_state", content);
  } else {
    stop_controller();
  }
  start_controller();
}

bool FakeSlurm::reconfigure(const std::string& conf, std::string* error) {
  folder_.write("dfrs.conf", conf);
  char message[512] = "";
  const int rc = dfrs_controller_reconfigure(controller_, message, sizeof(message));
  if (error != nullptr) *error = message;
  event_ = true;
  return rc == 0;
}

void FakeSlurm::violation(const std::string& text) {
  if (violations.size() < 20) violations.push_back(fmt::format("at {:.3f}: {}", now_ - 1.7e9, text));
}

void FakeSlurm::add_nodes(int count, std::uint32_t cpus, std::uint64_t memory) {
  for (int k = 0; k < count; ++k) {
    FakeNode node;
    node.name = fmt::format("n{}", nodes.size());
    node.cpus = cpus;
    node.memory = memory;
    nodes.push_back(node);
  }
}

std::uint32_t FakeSlurm::submit(FakeJob job) {
  if (job.id == 0) job.id = next_id_++;
  next_id_ = std::max(next_id_, job.id + 1);
  job.submit = static_cast<std::int64_t>(now_);
  if (job.array_tasks > 1) job.flags |= DFRS_JOB_ARRAY_META;
  event_ = true;
  jobs[job.id] = job;
  return job.id;
}

void FakeSlurm::end_run(FakeJob& job, FakeState state, double extra) {
  job.state = state;
  job.clean_at = now_ + options.epilog + extra;
  job.user_suspended = false;
  event_ = true;
}

void FakeSlurm::finish(FakeJob& job, FakeEnd end) {
  job.end = end;
  job.finished_at = now_;
  end_run(job, FakeState::ending, end == FakeEnd::completed ? 0 : options.kill_wait);
}

void FakeSlurm::requeue_run(FakeJob& job) {
  ++job.restarts;
  job.lost = false;
  job.revoked = static_cast<std::int64_t>(now_);
  job.revoked_on.clear();
  for (const auto& [node, tasks] : job.at) job.revoked_on.push_back(node);
  const bool checkpoint = job.comment.find("dfrs:checkpoint") != std::string::npos;
  if (!checkpoint) job.progress = 0;
  job.run_progress = 0;
  job.ran_before_suspend = 0;
  end_run(job, FakeState::requeuing, options.kill_wait);
}

void FakeSlurm::cancel(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state == FakeState::done || job.state == FakeState::ending) return;
  if (job.state == FakeState::pending) {
    job.state = FakeState::done;
    job.end = FakeEnd::cancelled;
    event_ = true;
    return;
  }
  finish(job, FakeEnd::cancelled);
}

void FakeSlurm::user_suspend(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state == FakeState::running) {
    job.state = FakeState::suspended;
    job.memory_given_back = false;
    job.ran_before_suspend += now_ - static_cast<double>(job.start_time);
  }
  if (job.state == FakeState::suspended) job.user_suspended = true;
  event_ = true;
}

bool FakeSlurm::user_resume(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state != FakeState::suspended || (job.memory_given_back && !fits(job, job.at))) return false;
  job.state = FakeState::running;
  job.user_suspended = false;
  job.start_time = static_cast<std::int64_t>(now_);
  event_ = true;
  return true;
}

void FakeSlurm::user_requeue(std::uint32_t id) {
  FakeJob& job = jobs.at(id);
  if (job.state == FakeState::running || job.state == FakeState::suspended) requeue_run(job);
}

void FakeSlurm::fail_node(std::uint32_t node) {
  nodes[node].usable = false;
  event_ = true;
  for (auto& [id, job] : jobs) {
    if (job.state != FakeState::running && job.state != FakeState::suspended) continue;
    const bool here = std::any_of(job.at.begin(), job.at.end(), [&](const auto& p) { return p.first == node; });
    if (!here) continue;
    if ((job.flags & DFRS_JOB_MAY_REQUEUE) != 0) {
      requeue_run(job);
    } else {
      finish(job, FakeEnd::failed);
    }
  }
}

std::uint64_t FakeSlurm::used_memory(std::size_t node) const {
  std::uint64_t used = nodes[node].foreign_memory;
  for (const auto& [id, job] : jobs) {
    if (!job.holds_memory()) continue;
    for (const auto& [n, tasks] : job.at) {
      if (n == node) used += tasks * job.memory;
    }
  }
  return used;
}

bool FakeSlurm::completing(std::uint32_t node) const {
  for (const auto& [id, job] : jobs) {
    if (job.state != FakeState::ending && job.state != FakeState::requeuing) continue;
    for (const auto& [n, tasks] : job.at) {
      if (n == node) return true;
    }
  }
  return false;
}

// Who is where it wants to be, for a message.
std::string FakeSlurm::holders(const FakeJob& job) const {
  std::string text = fmt::format(" (it needs {} MiB a task", job.memory);
  for (const auto& [id, other] : jobs) {
    if (!other.holds_memory()) continue;
    for (const auto& [n, tasks] : other.at) {
      text += fmt::format(", job {}{} has {} MiB on {}", id, other.state == FakeState::running ? "" : " (suspended)",
                          tasks * other.memory, n);
    }
  }
  return text + ")";
}

bool FakeSlurm::fits(const FakeJob& job, const std::vector<std::pair<std::uint32_t, std::uint16_t>>& at) const {
  for (const auto& [n, tasks] : at) {
    if (used_memory(n) + tasks * job.memory > nodes[n].memory) return false;
    for (const auto& [id, other] : jobs) {
      if (other.state != FakeState::running) continue;  // the cores of suspended jobs are free
      const bool here = std::any_of(other.at.begin(), other.at.end(), [n = n](const auto& p) { return p.first == n; });
      if (here && ((other.flags | job.flags) & DFRS_JOB_EXCLUSIVE) != 0) return false;
    }
  }
  return true;
}

// By what share of its need the job progresses: its slowest task sets the pace.
double FakeSlurm::rate(const FakeJob& job) const {
  if (job.state != FakeState::running || job.lost) return 0;
  double rate = 1;
  for (const auto& [n, tasks] : job.at) {
    const JobQuota* quota = agents.applied(n, job.id);
    if (quota == nullptr) continue;  // no quota there: as fast as it can
    rate = std::min(rate, quota->cpus / (tasks * job.cpus_per_task) / job.needs);
  }
  return rate;
}

void FakeSlurm::advance(double to) {
  for (auto& [id, job] : jobs) {
    const double gained = rate(job) * (to - now_);
    job.progress += gained;
    job.run_progress += gained;
    if (gained <= 0) continue;
    for (const auto& [n, tasks] : job.at) {
      agents.use_cpu(n, id, gained * job.needs * tasks * job.cpus_per_task);
    }
  }
  now_ = std::max(now_, to);
  for (auto& [id, job] : jobs) {
    if (job.state == FakeState::running && job.progress >= job.work - 2e-6) finish(job, FakeEnd::completed);
    if ((job.state == FakeState::requeuing || job.state == FakeState::ending) && now_ >= job.clean_at) {
      if (job.state == FakeState::ending) {
        job.state = FakeState::done;
      } else {
        job.state = FakeState::pending;
        const auto second = static_cast<std::int64_t>(now_);
        if (job.begin_time <= second) job.begin_time = second + static_cast<std::int64_t>(kCredentialLifetime);
        job.submit = second == job.submit ? second + 1 : second;
      }
      job.at.clear();
      event_ = true;  // the plugin sees it in last_job_update
    }
  }
  if (now_ >= next_limit_check_) {
    next_limit_check_ = now_ + options.limit_check;
    for (auto& [id, job] : jobs) {
      if (job.state != FakeState::running || job.time_limit == UINT32_MAX) continue;
      if (static_cast<double>(job.end_time) > now_) continue;
      if (job.run_progress < 60.0 * job.time_limit - 1e-6) {
        violation(fmt::format("job {} was ended for its limit with {:.2f} s of {} min", id, job.run_progress,
                              job.time_limit));
      }
      finish(job, FakeEnd::timeout);
    }
  }
}

double FakeSlurm::next_event() const {
  double next = wake_at_;
  if (event_) next = now_;
  for (const auto& [id, job] : jobs) {
    if (job.state == FakeState::requeuing || job.state == FakeState::ending) next = std::min(next, job.clean_at);
    const double r = rate(job);
    if (r > 0) next = std::min(next, now_ + std::max(0.0, job.work - job.progress) / r);
    if (job.state == FakeState::running && job.time_limit != UINT32_MAX) next = std::min(next, next_limit_check_);
  }
  return next;
}

void FakeSlurm::take_snapshot() {
  snapshot_nodes_.clear();
  snapshot_jobs_.clear();
  node_lists_.clear();
  task_lists_.clear();
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const FakeNode& node = nodes[n];
    dfrs_node out{};
    out.name = out.address = node.name.c_str();
    out.slurmd_port = 6818;
    out.cpus = node.cpus;
    out.memory = node.memory;
    out.foreign_cpus = node.foreign_cpus;
    out.foreign_memory = node.foreign_memory;
    out.usable = node.usable;
    out.completing = completing(n);
    snapshot_nodes_.push_back(out);
  }
  for (const auto& [id, job] : jobs) {
    if (job.state == FakeState::done) continue;
    dfrs_job out{};
    out.key = {id, job.restarts, job.submit};
    out.user_id = job.user;
    out.flags = job.flags;
    out.tasks = job.tasks;
    out.cpus_per_task = job.cpus_per_task;
    out.memory_per_task = job.memory;
    out.time_limit = job.time_limit;
    out.priority = job.held ? 0 : job.priority;
    out.qos_priority = job.qos_priority;
    out.fair_share = job.fair_share;
    out.begin_time = job.begin_time;
    out.name = job.name.c_str();
    out.partition = job.partition.c_str();
    out.comment = job.comment.empty() ? nullptr : job.comment.c_str();
    out.eligible = job.eligible.empty() ? nullptr : job.eligible.data();
    switch (job.state) {
      case FakeState::pending:
        out.phase = job.held ? DFRS_JOB_BLOCKED : DFRS_JOB_PENDING;
        if (job.held) out.blocked_reason = "held";
        break;
      case FakeState::requeuing:
        out.phase = DFRS_JOB_REQUEUING;
        break;
      case FakeState::ending:
        out.phase = DFRS_JOB_ENDING;
        break;
      case FakeState::running:
      case FakeState::suspended: {
        out.phase = job.state == FakeState::running ? DFRS_JOB_RUNNING : DFRS_JOB_SUSPENDED;
        if (job.user_suspended) out.flags |= DFRS_JOB_USER_SUSPENDED;
        if (job.lost) out.flags |= DFRS_JOB_LOST;
        out.start_time = job.start_time;
        out.end_time = job.end_time;
        auto& list = node_lists_.emplace_back();
        auto& tasks = task_lists_.emplace_back();
        for (const auto& [n, count] : job.at) {
          list.push_back(n);
          tasks.push_back(count);
        }
        out.node_count = static_cast<std::uint32_t>(list.size());
        out.nodes = list.data();
        out.node_tasks = tasks.data();
        break;
      }
      case FakeState::done:
        break;
    }
    snapshot_jobs_.push_back(out);
  }
  snapshot_.now = now_;
  snapshot_.node_generation = generation_;
  snapshot_.nodes = snapshot_nodes_.data();
  snapshot_.node_count = snapshot_nodes_.size();
  snapshot_.jobs = snapshot_jobs_.data();
  snapshot_.job_count = snapshot_jobs_.size();
}

void FakeSlurm::start(FakeJob& job, const dfrs_operation& op, dfrs_result& result) {
  const auto answer = [&](dfrs_result_code code, const std::string& reason) {
    result.code = code;
    std::snprintf(result.reason, sizeof(result.reason), "%s", reason.c_str());
  };
  if (job.state == FakeState::requeuing) return answer(DFRS_BUSY, "cleaning up");
  if (job.state != FakeState::pending) return answer(DFRS_STALE, "not pending");
  if (job.held) return answer(DFRS_BLOCKED, "held");
  if (on_start) {
    std::string reason;
    if (const auto code = on_start(job, reason); code != DFRS_DONE) return answer(code, reason);
  }
  if (static_cast<double>(job.begin_time) > now_) {
    if (!op.after_requeue) {
      violation(fmt::format("START of job {} before its begin time", job.id));
      return answer(DFRS_BLOCKED, "BeginTime");
    }
    job.begin_time = 0;
  }
  std::vector<std::pair<std::uint32_t, std::uint16_t>> at;
  if ((job.flags & DFRS_JOB_STOCK_PLACED) != 0) {
    std::uint32_t left = job.tasks;  // last nodes first, as nobody expects
    for (std::uint32_t k = op.node_count; k-- > 0 && left > 0;) {
      const std::uint32_t n = op.nodes[k];
      if (completing(n) || !nodes[n].usable) continue;
      std::uint16_t here = 0;
      while (left > 0 && fits(job, {{n, static_cast<std::uint16_t>(here + 1)}})) {
        ++here;
        --left;
      }
      if (here != 0) at.insert(at.begin(), {n, here});
    }
    if (left != 0) return answer(DFRS_BUSY, "no room");
  } else {
    std::uint32_t total = 0;
    for (std::uint32_t k = 0; k < op.node_count; ++k) {
      at.emplace_back(op.nodes[k], op.node_tasks[k]);
      total += op.node_tasks[k];
      if (k > 0 && op.nodes[k] <= op.nodes[k - 1]) violation("nodes of a START do not ascend");
    }
    if (total != job.tasks) violation(fmt::format("START of job {} with {} tasks of {}", job.id, total, job.tasks));
  }
  for (const auto& [n, tasks] : at) {
    if (n >= nodes.size() || !nodes[n].usable) return answer(DFRS_BUSY, "a node is down");
    if (completing(n)) {
      if (!raced_) violation(fmt::format("START of job {} on a node that is completing", job.id));
      return answer(DFRS_BUSY, "completing");
    }
    if (!job.eligible.empty() && ((job.eligible[n / 64] >> (n % 64)) & 1) == 0) {
      violation(fmt::format("START of job {} on a node that it may not use", job.id));
    }
    const bool revoked_here = std::find(job.revoked_on.begin(), job.revoked_on.end(), n) != job.revoked_on.end();
    if (revoked_here && static_cast<std::int64_t>(now_) <= job.revoked) {
      violation(fmt::format("job {} is started in the second of its revocation: slurmd fails it", job.id));
    }
  }
  if (!fits(job, at)) {
    if (!raced_) violation(fmt::format("START of job {} without room for it{}", job.id, holders(job)));
    return answer(DFRS_BUSY, "no memory");
  }
  FakeJob* runs = &job;
  if (job.array_tasks > 1) {
    FakeJob task = job;
    --job.array_tasks;
    if (job.array_tasks == 1) job.flags &= ~std::uint32_t{DFRS_JOB_ARRAY_META};
    task.id = next_id_++;
    task.array_tasks = 1;
    task.flags &= ~std::uint32_t{DFRS_JOB_ARRAY_META};
    runs = &(jobs[task.id] = task);
  }
  runs->state = FakeState::running;
  runs->at = at;
  runs->start_time = static_cast<std::int64_t>(now_);
  runs->end_time = runs->time_limit == UINT32_MAX ? 0 : runs->start_time + std::int64_t{60} * runs->time_limit;
  runs->run_progress = 0;
  runs->ran_before_suspend = 0;
  ++runs->starts;
  if (runs->first_start == 0) runs->first_start = now_;
  result.job_id = runs->id;
  answer(DFRS_DONE, "");
}

void FakeSlurm::apply_one(const dfrs_operation& op, dfrs_result& result) {
  result = {};
  const auto answer = [&](dfrs_result_code code, const char* reason) {
    result.code = code;
    std::snprintf(result.reason, sizeof(result.reason), "%s", reason);
  };
  const auto found = jobs.find(op.key.job_id);
  if (found == jobs.end() || found->second.restarts != op.key.restarts || found->second.submit != op.key.submit) {
    if (!raced_) violation(fmt::format("an operation on a wrong key, job {}", op.key.job_id));
    return answer(DFRS_STALE, "not the run it was");
  }
  FakeJob& job = found->second;
  if (on_operation) {
    if (const auto code = on_operation(job, op); code != DFRS_DONE) {
      raced_ = true;  // what else was asked for in this round counted on it
      return answer(code, "by the test");
    }
  }
  if ((op.kind == DFRS_OP_START || op.kind == DFRS_OP_RESUME) && dice_.chance(options.busy_percent)) {
    return answer(DFRS_BUSY, "by chance");
  }
  switch (op.kind) {
    case DFRS_OP_START:
      return start(job, op, result);
    case DFRS_OP_SUSPEND:
      if (job.state != FakeState::running) return answer(DFRS_STALE, "not running");
      job.state = FakeState::suspended;
      job.memory_given_back = true;
      job.ran_before_suspend += now_ - static_cast<double>(job.start_time);
      ++job.suspends;
      return answer(DFRS_DONE, "");
    case DFRS_OP_RESUME:
      if (job.state != FakeState::suspended) return answer(DFRS_STALE, "not suspended");
      if (job.user_suspended) return answer(DFRS_BLOCKED, "suspended by its user");
      if (!fits(job, job.at)) {
        if (!raced_) violation(fmt::format("RESUME of job {} without room for it{}", job.id, holders(job)));
        return answer(DFRS_BUSY, "no memory");
      }
      job.state = FakeState::running;
      job.start_time = static_cast<std::int64_t>(now_);
      if (job.time_limit != UINT32_MAX) {
        job.end_time = static_cast<std::int64_t>(now_ + 60.0 * job.time_limit - job.ran_before_suspend);
      }
      return answer(DFRS_DONE, "");
    case DFRS_OP_REQUEUE:
      if (job.state != FakeState::running && job.state != FakeState::suspended)
        return answer(DFRS_STALE, "not running");
      if ((job.flags & DFRS_JOB_MAY_REQUEUE) == 0) {
        violation(fmt::format("REQUEUE of job {}, which must not be", job.id));
        return answer(DFRS_REFUSED, "--no-requeue");
      }
      ++job.requeues_by_us;
      requeue_run(job);
      return answer(DFRS_DONE, "");
    case DFRS_OP_END_TIME:
      if (job.state != FakeState::running) return answer(DFRS_STALE, "not running");
      job.end_time = op.end_time;
      return answer(DFRS_DONE, "");
    case DFRS_OP_COMMENT:
      job.comment = op.text != nullptr ? op.text : "";
      return answer(DFRS_DONE, "");
  }
}

bool FakeSlurm::round() {
  log_target = &log;
  event_ = false;
  take_snapshot();
  dfrs_operations operations{};
  if (dfrs_controller_step(controller_, &snapshot_, &operations) != 0) {
    violation("a step failed: " + (log.empty() ? std::string("no log") : log.back()));
    wake_at_ = now_ + 1;
    return false;
  }
  if (operations.wake_at < now_) violation("the time of the next step has passed");
  wake_at_ = std::min(operations.wake_at, now_ + 5);
  dfrs_controller_deliver(controller_, 100);
  check();
  raced_ = dice_.chance(options.race_percent);
  if (raced_) {
    std::vector<std::uint32_t> active;
    for (const auto& [id, job] : jobs) {
      if (job.state != FakeState::done && job.state != FakeState::ending) active.push_back(id);
    }
    if (!active.empty()) {
      const std::uint32_t id = dice_.pick(active);
      if (dice_.chance(50)) {
        user_requeue(id);
      } else {
        user_suspend(id);
      }
    }
  }
  std::vector<dfrs_result> results(operations.count);
  std::vector<std::size_t> index(operations.count);
  for (std::size_t k = 0; k < operations.count; ++k) {
    index[k] = k;
    ++asked[operations.list[k].kind];
    apply_one(operations.list[k], results[k]);
    if (results[k].code != DFRS_DONE) ++undone[operations.list[k].kind];
    const bool minor = operations.list[k].kind == DFRS_OP_COMMENT || operations.list[k].kind == DFRS_OP_END_TIME;
    if (!(results[k].code == DFRS_DONE && minor) && results[k].code != DFRS_BUSY) {
      wake_at_ = std::min(wake_at_, now_ + options.round);
    }
  }
  if (operations.count != 0) dfrs_controller_applied(controller_, index.data(), results.data(), results.size(), now_);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (used_memory(n) > nodes[n].memory) violation(fmt::format("memory of node {} is exceeded", n));
  }
  return true;
}

void FakeSlurm::check() {
  for (std::size_t n = 0; n < agents.size(); ++n) {
    double sum = 0, floors = 0;
    for (const JobQuota& quota : agents.node(n).desired) {
      if (!(quota.cpus > 0)) violation("a quota of nothing");
      if (!quota.paused) sum += quota.cpus;
      floors += 0.01;
    }
    const double cpus = nodes[n].cpus - std::min(nodes[n].cpus, nodes[n].foreign_cpus);
    if (sum > cpus * (1 + 1e-6) + floors + 1e-6) {
      std::string list;
      for (const JobQuota& q : agents.node(n).desired)
        list += fmt::format(" {}:{:.3f}{}", q.job_id, q.cpus, q.paused ? "p" : "");
      violation(fmt::format("quotas on node {} come to {:.4f} CPUs of {}:{}", n, sum, cpus, list));
    }
  }
}

void FakeSlurm::run_until(double until) {
  while (now_ < until) {
    const double next = std::max(now_, next_event());
    if (next >= until) {
      advance(until);
      return;
    }
    if (next > now_) advance(next);
    if (event_ || now_ >= wake_at_) {
      round();
      advance(now_ + options.round);  // rounds are at least this far apart
    }
  }
}

bool FakeSlurm::run_to_end(double most) {
  const double until = now_ + most;
  while (now_ < until) {
    if (std::all_of(jobs.begin(), jobs.end(), [](const auto& p) { return p.second.state == FakeState::done; })) {
      round();
      return true;
    }
    run_until(std::min(until, now_ + 1));
    if (violations.size() >= 20) return false;
  }
  return false;
}

JobStatus FakeSlurm::job_status(std::uint32_t id) {
  for (JobStatus& job : status().jobs) {
    if (job.job_id == id) return job;
  }
  return {};
}

std::string FakeSlurm::explain(std::uint32_t id) {
  const auto lines = host_of(*controller_).controller().explain(id);
  if (!lines) return lines.error();
  std::string text;
  for (const std::string& line : *lines) text += line + "\n";
  return text;
}

}  // namespace dfrs::shim
