// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/controller_cluster.h"

#include <algorithm>
#include <cmath>

namespace dfrs::shim {
namespace {

constexpr std::size_t kMostNodes = 70;  // more than one word of a mask
constexpr std::size_t kMostJobs = 24;

const std::array<std::string, 8> kComments = {"",
                                              "dfrs:checkpoint",
                                              "mine [dfrs paused vt=12s]",
                                              "[dfrs yield=0.50 vt=99999999999999999999999s]",
                                              "[dfrs yield=1 vt=1s]",
                                              "[dfrs yield=2 vt=-1s]",
                                              "\xff\xfe [dfrs ",
                                              "dfrs:checkpoint [dfrs yield=0.0001 vt=1e9s]"};

void end_run(FuzzJob& job) {
  job.nodes.clear();
  job.node_tasks.clear();
  job.seen.flags &= ~std::uint32_t{DFRS_JOB_LOST | DFRS_JOB_CONFIGURING | DFRS_JOB_USER_SUSPENDED};
  job.seen.start_time = job.seen.end_time = 0;
}

bool holds_nodes(const FuzzJob& job) {
  return job.seen.phase == DFRS_JOB_RUNNING || job.seen.phase == DFRS_JOB_SUSPENDED;
}

}  // namespace

void FuzzCluster::add_node(Choices& choices) {
  if (nodes.size() >= kMostNodes) return;
  FuzzNode node;
  node.name = "n" + std::to_string(nodes.size() + 1);
  node.seen.slurmd_port = 6818;
  node.seen.cpus = 1 + choices.below(8);
  node.seen.memory = 1000 * (1 + choices.below(4));
  node.seen.usable = true;
  nodes.push_back(node);
}

// One node is in another state, or has other resources.
void FuzzCluster::change_node(Choices& choices) {
  if (nodes.empty()) return;
  FuzzNode& node = nodes[choices.below(static_cast<std::uint32_t>(nodes.size()))];
  switch (choices.below(8)) {
    case 0:
    case 1:
      node.seen.usable = !node.seen.usable;
      break;
    case 2:
      node.seen.completing = !node.seen.completing;
      break;
    case 3:
      node.seen.foreign_cpus = choices.below(node.seen.cpus % 64 + 1);
      node.seen.foreign_memory = 500 * choices.below(4);
      break;
    case 4:
      node.seen.memory = 500 * choices.below(8);
      break;
    case 5:
      node.seen.cpus = 1 + choices.below(16);
      break;
    default:
      if (!wild || !choices.one_in(4)) return;
      sane = false;
      node.seen.memory = choices.extreme<std::uint64_t>();
      node.seen.foreign_memory = choices.extreme<std::uint64_t>();
      node.seen.cpus = choices.extreme<std::uint32_t>();
      node.seen.foreign_cpus = choices.extreme<std::uint32_t>();
      node.no_texts = choices.one_in(2);
  }
}

// The list of nodes becomes another one: indices of running jobs follow, unless the input says otherwise.
void FuzzCluster::change_nodes(Choices& choices) {
  const std::uint32_t kind = choices.below(4);
  if (kind == 0 || nodes.empty()) {
    add_node(choices);
  } else if (kind == 1) {  // the last one is gone; Slurm ends its jobs before
    const auto last = static_cast<std::uint32_t>(nodes.size() - 1);
    nodes.pop_back();
    for (auto& [id, job] : jobs) {
      if (std::find(job.nodes.begin(), job.nodes.end(), last) == job.nodes.end()) continue;
      end_run(job);
      job.seen.phase = DFRS_JOB_ENDING;
    }
  } else if (kind == 2) {
    nodes[choices.below(static_cast<std::uint32_t>(nodes.size()))].name += "x";
  } else if (wild) {
    sane = false;  // jobs keep indices of nodes that are gone, and the generation may stay
    nodes.resize(choices.below(static_cast<std::uint32_t>(nodes.size()) + 1));
    if (choices.one_in(2)) return;
  }
  for (auto& [id, job] : jobs) job.eligible.clear();
  ++generation;
}

void FuzzCluster::submit(Choices& choices) {
  if (jobs.size() >= kMostJobs) return;
  const std::uint32_t id = choices.one_in(32) ? choices.extreme<std::uint32_t>() : next_id_++;
  if (jobs.contains(id)) return;
  if (id == 0 && !wild) return;
  if (id == 0) sane = false;
  FuzzJob job;
  dfrs_job& seen = job.seen;
  seen.key = {id, 0, static_cast<std::int64_t>(1.7e9)};
  seen.user_id = 1000 + choices.below(3);
  seen.flags = DFRS_JOB_BATCH | DFRS_JOB_MAY_REQUEUE;
  const std::uint32_t kind = choices.byte();
  if ((kind & 7) == 0) seen.flags = 0;
  if ((kind & 15) == 1) seen.flags |= DFRS_JOB_EXCLUSIVE;
  if ((kind & 15) == 2) seen.flags |= DFRS_JOB_STOCK_PLACED;
  if ((kind & 15) == 3) seen.flags |= DFRS_JOB_ARRAY_META;
  if ((kind & 7) == 4) seen.flags |= DFRS_JOB_CHECKPOINTS;
  seen.phase = DFRS_JOB_PENDING;
  seen.tasks = choices.one_in(4) ? 1 + choices.below(20) : 1;
  seen.cpus_per_task = 1 + choices.below(4);
  seen.memory_per_task = 100 * choices.below(16);
  seen.time_limit = choices.one_in(4) ? UINT32_MAX : 1 + choices.below(60);
  seen.priority = choices.byte();
  seen.qos_priority = choices.below(4);
  seen.fair_share = choices.one_in(4) ? -1 : choices.below(5) / 4.0;
  jobs.insert_or_assign(id, job);
  if (choices.one_in(16)) spoil_job(jobs[id], choices);
}

std::int64_t FuzzCluster::second() const { return now >= 0 && now < 1e12 ? static_cast<std::int64_t>(now) : 0; }

FuzzJob* FuzzCluster::any_job(Choices& choices) {
  if (jobs.empty()) return nullptr;
  return &std::next(jobs.begin(), choices.below(static_cast<std::uint32_t>(jobs.size())))->second;
}

// What users and administrators change.
void FuzzCluster::change_job(Choices& choices) {
  FuzzJob* const job = any_job(choices);
  if (job == nullptr) return;
  switch (choices.below(8)) {
    case 0:
      job->seen.time_limit = choices.one_in(4) ? UINT32_MAX : choices.below(100);
      break;
    case 1:
      job->seen.priority = choices.byte();
      job->seen.fair_share = choices.below(5) / 4.0;
      break;
    case 2:
      job->comment = choices.pick(kComments);
      break;
    case 3:
      if (holds_nodes(*job)) break;
      job->eligible.assign((nodes.size() + 63) / 64, 0);
      for (std::uint64_t& word : job->eligible) word = choices.byte() * 0x0101010101010101ULL;
      break;
    case 4:
      job->seen.begin_time = second() + choices.byte();
      break;
    case 5:
      if (holds_nodes(*job)) break;
      job->seen.memory_per_task = 100 * choices.below(16);
      job->seen.cpus_per_task = 1 + choices.below(4);
      break;
    case 6:
      job->seen.eligible_time = second() - choices.byte();
      break;
    default:
      if (choices.one_in(4)) spoil_job(*job, choices);
  }
}

// What Slurm never shows.
void FuzzCluster::spoil_job(FuzzJob& job, Choices& choices) {
  static constexpr std::array<double, 6> kShares = {NAN, INFINITY, -INFINITY, 1e308, -0.0, 5e-324};
  if (!wild) return;
  sane = false;
  dfrs_job& seen = job.seen;
  switch (choices.below(12)) {
    case 0:
      seen.tasks = choices.extreme<std::uint32_t>();
      break;
    case 1:
      seen.cpus_per_task = choices.extreme<std::uint32_t>();
      break;
    case 2:
      seen.memory_per_task = choices.extreme<std::uint64_t>();
      break;
    case 3:
      seen.time_limit = choices.extreme<std::uint32_t>();
      seen.priority = choices.extreme<std::uint32_t>();
      seen.qos_priority = choices.extreme<std::uint32_t>();
      break;
    case 4:
      seen.fair_share = choices.pick(kShares);
      break;
    case 5:
      seen.begin_time = choices.extreme<std::int64_t>();
      break;
    case 6:
      seen.eligible_time = choices.extreme<std::int64_t>();
      seen.end_time = choices.extreme<std::int64_t>();
      seen.start_time = choices.extreme<std::int64_t>();
      seen.steps = choices.extreme<std::uint32_t>();
      break;
    case 7:
      job.no_texts = true;
      break;
    case 8:
      seen.flags = choices.byte() | static_cast<std::uint32_t>(choices.byte()) << 8;
      break;
    case 9:
      seen.key.restarts = choices.extreme<std::uint32_t>();
      seen.key.submit = choices.extreme<std::int64_t>();
      break;
    case 10:
      seen.user_id = choices.extreme<std::uint32_t>();
      break;
    default:
      place(job, choices);
  }
}

// Any nodes, also some that do not exist, in any order.
void FuzzCluster::place(FuzzJob& job, Choices& choices) {
  job.nodes.clear();
  job.node_tasks.clear();
  for (std::uint32_t k = choices.below(4); k > 0; --k) {
    job.nodes.push_back(choices.one_in(8) ? choices.extreme<std::uint32_t>() : choices.below(8));
    job.node_tasks.push_back(choices.one_in(16) ? choices.extreme<std::uint16_t>()
                                                : static_cast<std::uint16_t>(choices.below(3)));
  }
}

// A job goes on to another phase: by itself, its user or its nodes.
void FuzzCluster::move_job(Choices& choices) {
  FuzzJob* const job = any_job(choices);
  if (job == nullptr) return;
  dfrs_job& seen = job->seen;
  const std::uint32_t kind = choices.below(10);
  if (kind <= 1 && holds_nodes(*job)) {
    end_run(*job);
    seen.phase = DFRS_JOB_ENDING;
  } else if (kind <= 2 && seen.phase == DFRS_JOB_ENDING) {
    jobs.erase(seen.key.job_id);
  } else if (kind <= 4 && seen.phase == DFRS_JOB_REQUEUING) {
    seen.phase = DFRS_JOB_PENDING;
    seen.begin_time = second() + 121;
  } else if (kind == 3 && !holds_nodes(*job)) {
    seen.phase = seen.phase == DFRS_JOB_BLOCKED ? DFRS_JOB_PENDING : DFRS_JOB_BLOCKED;
  } else if (kind == 4 && seen.phase == DFRS_JOB_RUNNING) {
    seen.phase = DFRS_JOB_SUSPENDED;
    seen.flags |= DFRS_JOB_USER_SUSPENDED;
  } else if (kind == 5 && (seen.flags & DFRS_JOB_USER_SUSPENDED) != 0) {
    seen.phase = DFRS_JOB_RUNNING;
    seen.flags &= ~std::uint32_t{DFRS_JOB_USER_SUSPENDED};
  } else if (kind == 6 && holds_nodes(*job)) {
    end_run(*job);
    ++seen.key.restarts;
    seen.phase = DFRS_JOB_REQUEUING;
  } else if (kind == 7 && seen.phase == DFRS_JOB_RUNNING) {
    seen.flags ^= choices.one_in(4) ? DFRS_JOB_LOST : DFRS_JOB_CONFIGURING;
  } else if (kind == 8 && !holds_nodes(*job)) {
    jobs.erase(seen.key.job_id);
  } else if (kind == 9 && wild && choices.one_in(4)) {
    sane = false;
    seen.phase = static_cast<dfrs_job_phase>(choices.below(6));
    place(*job, choices);
  }
}

void FuzzCluster::pass_time(Choices& choices) {
  static constexpr std::array<double, 8> kTimes = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0, -1, 1e18};
  switch (choices.below(8)) {
    case 0:
      now += choices.byte() * 1000.0;
      break;
    case 1:
      now -= choices.byte();  // the clock is set back
      break;
    case 2:
      if (!wild || !choices.one_in(8)) break;
      sane = false;
      now = choices.pick(kTimes);
      break;
    default:
      now += choices.byte() / 8.0;
  }
}

std::uint32_t FuzzCluster::start(FuzzJob& job, const dfrs_operation& operation) {
  FuzzJob* started = &job;
  if ((job.seen.flags & DFRS_JOB_ARRAY_META) != 0) {
    while (jobs.contains(next_id_)) ++next_id_;
    const std::uint32_t id = next_id_++;
    FuzzJob& task = jobs[id] = job;
    task.seen.key.job_id = id;
    task.seen.flags &= ~std::uint32_t{DFRS_JOB_ARRAY_META};
    started = &task;
  }
  started->nodes.assign(operation.nodes, operation.nodes + operation.node_count);
  started->node_tasks.assign(operation.node_tasks, operation.node_tasks + operation.node_count);
  if ((job.seen.flags & DFRS_JOB_STOCK_PLACED) != 0 && operation.node_count > 0) {
    started->nodes.resize(1);  // wherever Slurm likes
    started->node_tasks.assign(1, static_cast<std::uint16_t>(std::min<std::uint32_t>(job.seen.tasks, 8)));
  }
  started->seen.phase = DFRS_JOB_RUNNING;
  started->seen.begin_time = 0;
  return started->seen.key.job_id;
}

std::uint32_t FuzzCluster::apply(const dfrs_operation& operation) {
  const auto found = jobs.find(operation.key.job_id);
  if (found == jobs.end()) return 0;
  FuzzJob& job = found->second;
  switch (operation.kind) {
    case DFRS_OP_START:
      return start(job, operation);
    case DFRS_OP_SUSPEND:
      job.seen.phase = DFRS_JOB_SUSPENDED;
      break;
    case DFRS_OP_RESUME:
      job.seen.phase = DFRS_JOB_RUNNING;
      break;
    case DFRS_OP_REQUEUE:
      end_run(job);
      ++job.seen.key.restarts;
      job.seen.phase = DFRS_JOB_REQUEUING;
      break;
    case DFRS_OP_END_TIME:
      job.seen.end_time = operation.end_time;
      break;
    case DFRS_OP_COMMENT:
      job.comment = operation.text != nullptr ? operation.text : "";
      break;
  }
  return 0;
}

const dfrs_snapshot& FuzzCluster::snapshot(Choices& choices) {
  shown_nodes_.clear();
  shown_jobs_.clear();
  for (const FuzzNode& node : nodes) {
    shown_nodes_.push_back(node.seen);
    shown_nodes_.back().name = shown_nodes_.back().address = node.no_texts ? nullptr : node.name.c_str();
  }
  for (const auto& [id, job] : jobs) {
    dfrs_job& shown = shown_jobs_.emplace_back(job.seen);
    if (!job.no_texts) {
      shown.name = job.name.c_str();
      shown.partition = job.partition.c_str();
      shown.comment = job.comment.empty() ? nullptr : job.comment.c_str();
    }
    shown.node_count = static_cast<std::uint32_t>(job.nodes.size());
    shown.nodes = job.nodes.data();
    shown.node_tasks = job.node_tasks.data();
    if (job.eligible.size() == (nodes.size() + 63) / 64 && !job.eligible.empty()) shown.eligible = job.eligible.data();
  }
  if (wild && !shown_jobs_.empty() && choices.one_in(64)) {  // the same number twice
    sane = false;
    shown_jobs_.push_back(shown_jobs_[choices.below(static_cast<std::uint32_t>(shown_jobs_.size()))]);
    if (choices.one_in(2)) shown_jobs_.back().key.submit ^= 1;
  }
  shown_ = {now, generation, shown_nodes_.data(), shown_nodes_.size(), shown_jobs_.data(), shown_jobs_.size()};
  return shown_;
}

}  // namespace dfrs::shim
