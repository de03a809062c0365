// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/shim/fake_slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dfrs::shim {
namespace {

// A job is stopped for a checkpoint for less than this: CheckpointTimeout of the tests and its end.
constexpr double kLongestStop = 40;

// dfrs_log_fn has no context argument: lines go to the FakeSlurm that drives a controller in this thread.
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
  dfrs_controller_paths paths{conf.c_str(), state.c_str(), nullptr, nullptr, "test", 64030, nullptr, false};
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
    // After kill -9 the file is as the writer's thread last wrote it.
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
  if (operations.count != 0 &&
      dfrs_controller_applied(controller_, index.data(), results.data(), results.size(), now_)) {
    dfrs_controller_deliver(controller_, 100);
    check();
  }
  for (std::size_t k = 0; k < operations.count; ++k) {
    if (operations.list[k].kind == DFRS_OP_START && results[k].code == DFRS_DONE) check_launch(results[k].job_id);
  }
  if (const auto sound = host_of(*controller_).controller().check(); !sound) violation(sound.error());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (used_memory(n) > nodes[n].memory) violation(fmt::format("memory of node {} is exceeded", n));
  }
  return true;
}

void FakeSlurm::check() {
  for (auto& [id, job] : jobs) check_checkpoint(job);
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

// No agent is told to write the job before all of them have stopped it, and nobody leaves it stopped.
void FakeSlurm::check_checkpoint(FakeJob& job) {
  if (job.state != FakeState::running) {
    job.stopped_since = 0;
    return;
  }
  bool stopped = false, all_stopped = true, reachable = true;
  std::uint64_t dump = 0;
  for (const auto& [n, tasks] : job.at) {
    if (n >= agents.size()) return;
    stopped = stopped || agents.stopped(n, job.id);
    all_stopped = all_stopped && agents.stopped(n, job.id);
    reachable = reachable && agents.node(n).reachable && !agents.node(n).checkpoints.hang;
    for (const JobQuota& quota : agents.node(n).desired) {
      if (quota.job_id == job.id && quota.checkpoint && quota.checkpoint->phase == CheckpointPhase::kDump)
        dump = quota.checkpoint->attempt;
    }
  }
  if (dump > job.dump_seen && !all_stopped)
    violation(fmt::format("job {} is to be written before all of its processes have stopped", job.id));
  job.dump_seen = std::max(job.dump_seen, dump);
  if (!stopped || !reachable) job.stopped_since = 0;
  if (stopped && job.stopped_since == 0) job.stopped_since = now_;
  if (stopped && now_ - job.stopped_since > kLongestStop) {
    violation(fmt::format("job {} was left stopped", job.id));
    job.stopped_since = now_;
  }
}

// Its tasks start under their quotas, where the controller chose the nodes.
void FakeSlurm::check_launch(std::uint32_t id) {
  const FakeJob& job = jobs.at(id);
  if ((job.flags & DFRS_JOB_STOCK_PLACED) != 0) return;
  for (const auto& [node, tasks] : job.at) {
    if (node >= agents.size()) continue;  // QuotaMode=off
    const auto& wanted = agents.node(node).desired;
    if (std::none_of(wanted.begin(), wanted.end(), [&](const JobQuota& quota) { return quota.job_id == id; }))
      violation(fmt::format("job {} is launched without a quota on node {}", id, node));
  }
}

void FakeSlurm::run_until(double until) {
  while (now_ < until) {
    const double next = std::max(now_, next_event());
    if (next >= until) {
      advance(until);
      return;
    }
    if (next > now_ || agents.next_time() <= now_) advance(next);
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
  const auto explained = host_of(*controller_).controller().explain(id);
  if (!explained) return explained.error();
  std::string text;
  for (const std::string& line : explained->lines) text += line + "\n";
  return text;
}

}  // namespace dfrs::shim
