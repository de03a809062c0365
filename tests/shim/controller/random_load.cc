// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/shim/controller/random_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shim/controller/timing.h"
#include "tests/oracle/shrink.h"

namespace dfrs::shim {
namespace {

constexpr std::size_t kMostRuns = 200;

const std::vector<std::string> kAlgorithms = {"GreedyPM*/per/OPT=MIN/MINVT=600",
                                              "GreedyPM*/per/OPT=MIN/MINVT=5",
                                              "GreedyP*/OPT=MIN",
                                              "Greedy*/OPT=MIN",
                                              "MCB8*/per/OPT=MIN",
                                              "MCB8*/OPT=MIN/MINFT=10",
                                              "/stretch-per/OPT=MAX",
                                              "/per/OPT=MIN",
                                              "/stretch-per/OPT=MAX",
                                              "GreedyP*/per/OPT=MIN/MINVT=5",
                                              "FCFS",
                                              "EASY"};

std::string conf_of(const std::string& algorithm, oracle::Dice& dice, bool swap, bool checkpoints) {
  static const std::vector<std::string> ways = {"suspend,requeue", "suspend", "requeue", "none"};
  static const std::vector<std::string> ways_with = {"checkpoint", "suspend,checkpoint", "requeue,checkpoint",
                                                     "suspend,requeue,checkpoint"};
  return (checkpoints ? "CheckpointFolder=/images\nCheckpointTimeout=20\n" : "") +
         fmt::format(
             "Algorithm={}\nPeriod={}\nPartitions=dfrs\nPauseBy={}\nLostWork={}\nSuspendNeedsSwap={}\nMinProgress={}\n"
             "MaxLostRuns={}\nCommentInterval={}\nQuotaMode=enforce\n",
             algorithm, dice.between(3, 40), dice.pick(checkpoints ? ways_with : ways),
             dice.chance(30) ? "accept" : "refuse", swap ? "yes" : "no", dice.between(0, 10), dice.between(0, 3),
             dice.between(0, 10));
}

}  // namespace

RandomLoad::RandomLoad(std::uint64_t seed, const Trouble& trouble, Steps* steps)
    : seed_(seed), dice_(seed), trouble_(trouble), steps_(steps) {
  std::string algorithm = dice_.pick(kAlgorithms);
  swap_ = dice_.chance(30);
  if (trouble.weights) algorithm = "Triage";
  conf_ = conf_of(algorithm, dice_, swap_, trouble.checkpoints);
  if (trouble.weights) conf_ += "Weight=priority\n";
  FakeOptions options;
  options.epilog = dice_.chance(30) ? 0 : 0.1 * dice_.between(1, 30);
  options.told_again = dice_.chance(30);
  options.kill_wait = dice_.chance(70) ? 0 : dice_.between(1, 5);
  options.busy_percent = dice_.chance(30) ? 20 : 0;
  options.race_percent = trouble.users && dice_.chance(30) ? 5 : 0;
  if (const char* folder = std::getenv("DFRS_RECORD_SEEDS"))
    conf_ += fmt::format("RecordFile={}/{}.jsonl\n", folder, seed);
  slurm_ = std::make_unique<FakeSlurm>(seed, conf_, options);
  const int kinds = dice_.between(1, 2);
  for (int k = 0; k < kinds; ++k) {
    slurm_->add_nodes(dice_.between(1, 4), static_cast<std::uint32_t>(dice_.between(1, 4)) * 2,
                      1000 * static_cast<std::uint64_t>(dice_.between(2, 6)));
  }
  slurm_->agents.set_swap(swap_ ? 1000 * static_cast<std::uint64_t>(dice_.between(0, 20)) : 0);
  slurm_->start_controller();
}

std::string RandomLoad::run() {
  if (std::string error = run_steps(); !error.empty()) return fail(error);
  heal();
  if (std::string error = check_end(); !error.empty()) return fail(error);
  return slurm_->violations.empty() ? "" : fail("");
}

// False: it is left out.
bool RandomLoad::begin_step() {
  const std::size_t step = step_++;
  if (steps_ == nullptr) return true;
  if (!steps_->kept) {
    steps_->draws.emplace_back();
    dice_.record(&steps_->draws.back());
    return true;
  }
  if (!std::binary_search(steps_->kept->begin(), steps_->kept->end(), step)) return false;
  dice_.replay(step < steps_->draws.size() ? steps_->draws[step] : oracle::Dice::Draws{}, seed_ + step);
  return true;
}

std::string RandomLoad::run_steps() {
  const int jobs = dice_.between(5, 30);
  const double pause = dice_.chance(50) ? 1 : 8;
  for (int k = 0; k < jobs; ++k) {
    if (!begin_step()) continue;
    submit();
    slurm_->run_for(dice_.chance(30) ? 0 : pause * dice_.uniform());
    if (dice_.chance(40)) make_trouble();
    if (std::string error = check_clocks(); !error.empty()) return error;
  }
  for (int k = 0; k < 20; ++k) {
    if (!begin_step()) continue;
    slurm_->run_for(5 * dice_.uniform());
    if (dice_.chance(30)) make_trouble();
    if (std::string error = check_clocks(); !error.empty()) return error;
  }
  return {};
}

std::string RandomLoad::check_end() {
  // Jobs that others requeue wait for 121 s, so the last one comes late.
  if (!slurm_->run_to_end(6000)) return "not all jobs end";
  for (const auto& [id, job] : slurm_->jobs) {
    if (job.end == FakeEnd::failed && (job.flags & DFRS_JOB_MAY_REQUEUE) != 0) return "a job failed";
    if (job.end == FakeEnd::timeout && job.work < 60.0 * job.time_limit) return "a job was ended too early";
  }
  if (trouble_.weights && slurm_->status().errors != 0) return "a step failed";
  return {};
}

std::uint64_t RandomLoad::restores() const {
  std::uint64_t restores = 0;
  for (const auto& [id, job] : slurm_->jobs) restores += job.restores;
  return restores;
}

void RandomLoad::tell(const std::string& what) {
  story_ += fmt::format("step {} at {:.3f}: {}\n", step_ - 1, slurm_->now() - 1.7e9, what);
}

std::string RandomLoad::fail(const std::string& what) {
  const ControllerStatus status = slurm_->status();
  std::string text =
      fmt::format("{}\n{}now {:.3f}, next step {:.3f}, {} steps, {} decisions, {} resyncs, {} errors {}\n", what, conf_,
                  status.now - 1.7e9, status.wake_at - 1.7e9, status.steps, status.decisions, status.resyncs,
                  status.errors, status.last_error.value_or(""));
  for (const NodeStatus& node : status.nodes) {
    text += fmt::format("node {}{}: {} CPUs, {} of {} MiB\n", node.name, node.usable ? "" : " (not usable)", node.cpus,
                        node.used_memory_mib, node.memory_mib);
  }
  for (const std::string& violation : slurm_->violations) text += violation + "\n";
  for (const auto& [id, job] : slurm_->jobs) {
    if (job.state != FakeState::done) {
      text += fmt::format("job {} in state {}: {}", id, static_cast<int>(job.state), slurm_->explain(id));
    }
  }
  text += story_;
  const std::size_t lines = slurm_->log.size();
  for (std::size_t k = lines > 15 ? lines - 15 : 0; k < lines; ++k) text += slurm_->log[k] + "\n";
  return text;
}

void RandomLoad::submit() {
  FakeJob job;
  const std::size_t nodes = slurm_->nodes.size();
  std::uint64_t least_memory = UINT64_MAX;
  std::uint32_t least_cpus = UINT32_MAX;
  for (const FakeNode& node : slurm_->nodes) {
    least_memory = std::min(least_memory, node.memory);
    least_cpus = std::min(least_cpus, node.cpus);
  }
  // Each fits, a task a node, whatever the algorithm.
  job.tasks = static_cast<std::uint32_t>(dice_.between(1, static_cast<int>(nodes)));
  job.cpus_per_task = static_cast<std::uint32_t>(dice_.between(1, static_cast<int>(least_cpus)));
  job.memory = least_memory * static_cast<std::uint64_t>(dice_.between(5, 90)) / 100;
  job.work = dice_.chance(20) ? 0.5 : dice_.between(1, 60);
  if (dice_.chance(30)) job.time_limit = static_cast<std::uint32_t>(dice_.between(1, 2));
  if (dice_.chance(20)) job.comment = "dfrs:checkpoint, and more";
  if (trouble_.checkpoints && dice_.chance(70))
    job.comment = dice_.chance(10) ? "dfrs:criu,dfrs:checkpoint" : "dfrs:criu";
  if (dice_.chance(20)) job.flags &= ~std::uint32_t{DFRS_JOB_MAY_REQUEUE};
  if (dice_.chance(10)) job.flags |= DFRS_JOB_EXCLUSIVE;
  if (dice_.chance(10)) job.flags |= DFRS_JOB_STOCK_PLACED;
  if (dice_.chance(10)) job.array_tasks = static_cast<std::uint32_t>(dice_.between(2, 4));
  if (dice_.chance(10)) job.held = true;
  if (dice_.chance(10)) job.begin_time = static_cast<std::int64_t>(slurm_->now()) + dice_.between(1, 20);
  tell(fmt::format("{}submits job {}: {} tasks of {} CPUs and {} MiB, {} s{}{}", job.held ? "holds and " : "",
                   slurm_->submit(job), job.tasks, job.cpus_per_task, job.memory, job.work,
                   job.comment.empty() ? "" : ", " + job.comment,
                   job.array_tasks > 1 ? fmt::format(", array of {}", job.array_tasks) : ""));
}

std::uint32_t RandomLoad::any_job() {
  std::vector<std::uint32_t> active;
  for (const auto& [id, job] : slurm_->jobs) {
    if (job.state != FakeState::done && job.state != FakeState::ending) active.push_back(id);
  }
  return active.empty() ? 0 : dice_.pick(active);
}

void RandomLoad::make_trouble() {
  slurm_->run_for(0.05);  // two changes between snapshots look like one: nothing is promised then
  const std::uint32_t id = any_job();
  if (id != 0 && dice_.chance(50)) slurm_->job(id).held = false;
  if (trouble_.users && id != 0) trouble_by_user(id);
  if (trouble_.nodes) trouble_of_nodes();
  if (trouble_.weights && id != 0) slurm_->job(id).priority = 1 + dice_.below(5000);
  if (trouble_.agents) {
    const bool reachable = dice_.chance(60);
    const std::uint32_t node = dice_.below(static_cast<std::uint32_t>(slurm_->nodes.size()));
    tell(fmt::format("agent {} is {}", node, reachable ? "there" : "away"));
    slurm_->agents.set_reachable(node, reachable);
  }
  if (trouble_.checkpoints) make_checkpoints_fail();
  if (trouble_.controller) trouble_of_controller();
}

void RandomLoad::trouble_by_user(std::uint32_t id) {
  static constexpr std::array<const char*, 6> kWishes{"cancel",  "suspend", "resume",
                                                      "requeue", "hold",    "halve the memory of"};
  const std::uint32_t wish = dice_.below(kWishes.size());
  tell(fmt::format("a user wants to {} job {}", kWishes[wish], id));
  const bool pending = slurm_->job(id).state == FakeState::pending;
  switch (wish) {
    case 0:
      slurm_->cancel(id);
      break;
    case 1:
      slurm_->user_suspend(id);
      break;
    case 2:
      slurm_->user_resume(id);
      break;
    case 3:
      slurm_->user_requeue(id);
      break;
    case 4:
      if (pending) slurm_->job(id).held = true;
      break;
    case 5:
      if (pending) slurm_->job(id).memory /= 2;
      break;
  }
}

void RandomLoad::trouble_of_nodes() {
  const auto n = dice_.below(static_cast<std::uint32_t>(slurm_->nodes.size()));
  FakeNode& node = slurm_->nodes[n];
  switch (dice_.below(4)) {
    case 0:
      tell(fmt::format("node {} fails", n));
      slurm_->fail_node(n);
      break;
    case 1:
      tell("all nodes are back");
      for (FakeNode& each : slurm_->nodes) each.usable = true;
      break;
    case 2:
      tell(fmt::format("other jobs come to node {}", n));
      node.foreign_cpus = dice_.below(node.cpus + 1);
      if (slurm_->used_memory(n) - node.foreign_memory + node.memory / 4 <= node.memory) {
        node.foreign_memory = node.memory / 4;
      }
      break;
    case 3:
      tell(fmt::format("other jobs leave node {}", n));
      node.foreign_cpus = 0;
      node.foreign_memory = 0;
      break;
  }
}

void RandomLoad::trouble_of_controller() {
  switch (dice_.below(4)) {
    case 0:
      tell("slurmctld is restarted");
      slurm_->restart_controller(true);
      break;
    case 1:
      tell("slurmctld is killed");
      slurm_->restart_controller(false);
      break;
    case 2: {
      conf_ = conf_of(dice_.pick(kAlgorithms), dice_, swap_, trouble_.checkpoints);
      tell("slurmctld is reconfigured");
      slurm_->reconfigure(conf_);
      break;
    }
    case 3:
      tell("the list of nodes changes");
      slurm_->nodes_changed();
      break;
  }
}

void RandomLoad::make_checkpoints_fail() {
  const auto n = dice_.below(static_cast<std::uint32_t>(slurm_->nodes.size()));
  if (n >= slurm_->agents.size()) return;
  FakeCheckpoints& agent = slurm_->agents.node(n).checkpoints;
  agent.freeze_takes = dice_.chance(10) ? 15 : 2 * dice_.uniform();
  agent.dump_takes = dice_.chance(10) ? 40 : 8 * dice_.uniform();
  agent.fail_freeze = dice_.chance(15);
  agent.fail_dump = dice_.chance(15);
  agent.hang = dice_.chance(5);
  agent.pre_dump_takes = agent.freeze_takes > 1.5 ? 5 * agent.freeze_takes : 0;
  clocks_run_on_ = clocks_run_on_ || agent.pre_dump_takes > 0;
  if (dice_.chance(20)) {
    slurm_->agents.restart_agent(n);
    clocks_run_on_ = true;
  }
  if (const std::uint32_t id = any_job(); id != 0 && dice_.chance(10)) agent.unable[id] = "has a GPU";
  const bool unreadable = dice_.chance(10);
  for (std::size_t k = 0; k < slurm_->agents.size(); ++k) slurm_->agents.node(k).checkpoints.no_restore = unreadable;
}

void RandomLoad::heal() {
  for (std::size_t n = 0; n < slurm_->agents.size(); ++n) {
    FakeCheckpoints& agent = slurm_->agents.node(n).checkpoints;
    agent.hang = agent.fail_freeze = agent.fail_dump = agent.no_restore = false;
    agent.freeze_takes = 0.1;
    agent.dump_takes = 2;
    agent.pre_dump_takes = 0;
  }
  for (FakeNode& node : slurm_->nodes) {
    node.usable = true;
    node.foreign_cpus = 0;
    node.foreign_memory = 0;
  }
  for (std::size_t n = 0; n < slurm_->nodes.size(); ++n) slurm_->agents.set_reachable(n, true);
  slurm_->options.race_percent = 0;
  slurm_->run_for(1);
  for (int k = 0; k < 1000; ++k) {
    bool left = false;
    for (auto& [id, job] : slurm_->jobs) {
      job.held = false;
      if (job.user_suspended) left = !slurm_->user_resume(id) || left;
    }
    if (!left) break;
    slurm_->run_for(5);
  }
}

std::string RandomLoad::check_clocks() {
  if (clocks_run_on_ || trouble_.agents || trouble_.controller || slurm_->options.race_percent != 0) return {};
  const ControllerStatus status = slurm_->status();
  for (const JobStatus& job : status.jobs) {
    if (job.situation != JobSituation::running) continue;
    const FakeJob& real = slurm_->job(job.job_id);
    if (real.state != FakeState::running) continue;
    // Nobody has said yet whether it has this progress.
    if (job.checkpoints && job.checkpoints->stage == CheckpointStage::restoring) continue;
    const double shown = job.virtual_time + job.yield * (slurm_->now() - status.now);
    // Raises wait for runs that write a checkpoint; a yield below the least quota gets more. While the job is to be
    // stopped its clock stands still; if it cannot be stopped, it has run all that time.
    const double unknown = job.checkpoints ? (kFreezeTimeout + 1) * job.checkpoints->failed : 0;
    const double near = 3 + 0.25 * real.progress;
    if (shown - real.progress > near || real.progress - shown > near + unknown) {
      return fmt::format("job {} is said to have {:.2f} s of progress and has {:.2f}", job.job_id, shown,
                         real.progress);
    }
  }
  return {};
}

Shortest shortest(std::uint64_t seed, const Trouble& trouble, Wrong wrong) {
  Steps steps;
  RandomLoad whole(seed, trouble, &steps);
  Shortest result{{}, wrong(whole), whole.story()};
  const std::size_t count = steps.draws.size();
  result.kept = oracle::shrink(count, kMostRuns, [&](const std::vector<std::size_t>& kept) {
    steps.kept = kept;
    RandomLoad part(seed, trouble, &steps);
    const std::string what = wrong(part);
    if (what.empty()) return false;
    result.what = what;
    result.story = part.story();
    return true;
  });
  return result;
}

}  // namespace dfrs::shim
