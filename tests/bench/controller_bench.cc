// SPDX-License-Identifier: GPL-2.0-or-later
// How long the controller takes for a step on a large cluster: reading the snapshot in, the policy's decision, and the
// jobs, without Slurm's side. A host that does at once whatever it is asked to; jobs come and go.
//   controller_bench [JOBS NODES STEPS ALGORITHM [full]]
// full: each job takes a node, and the controller's records of jobs lie in memory in another order than by number, as
// after days of operation.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "policy/core/algorithm.h"
#include "shim/controller/controller.h"
#include "shim/controller/state_file.h"
#include "tests/oracle/dice.h"
#include "tests/shim/fake_agents.h"

namespace dfrs::shim {
namespace {

// CPU time of this thread.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct BenchJob {
  dfrs_job seen{};
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint16_t> tasks;
};

class Bench {
 public:
  Bench(std::size_t jobs, std::size_t nodes, const std::string& algorithm, bool full) : dice_(1), full_(full) {
    for (std::size_t n = 0; n < nodes; ++n) names_.push_back(fmt::format("node{:05}", n));
    for (std::size_t n = 0; n < nodes; ++n) {
      dfrs_node node{};
      node.name = node.address = names_[n].c_str();
      node.slurmd_port = 6818;
      node.cpus = 8;
      node.memory = 64000;
      node.usable = true;
      nodes_.push_back(node);
    }
    Config config;
    config.algorithm = *parse_algorithm(algorithm);
    config.partitions = {{"dfrs", {}}};
    config.suspend_needs_swap = true;
    agents_.set_swap(64000);
    Controller::Parts parts;
    parts.agents = &agents_;
    controller_ = std::move(*Controller::create(config, {}, parts));
    while (jobs_.size() < jobs) submit();
  }

  // Milliseconds of CPU time of the step.
  double step() {
    list_.clear();
    for (auto& [id, job] : jobs_) {
      job.seen.nodes = job.nodes.data();
      job.seen.node_tasks = job.tasks.data();
      job.seen.node_count = static_cast<std::uint32_t>(job.nodes.size());
      list_.push_back(job.seen);
    }
    if (full_ && operations_ == 0) {
      for (std::size_t k = list_.size(); k > 1; --k)
        std::swap(list_[k - 1], list_[dice_.below(static_cast<std::uint32_t>(k))]);
    }
    dfrs_snapshot snapshot{};
    snapshot.now = now_;
    snapshot.node_generation = 1;
    snapshot.nodes = nodes_.data();
    snapshot.node_count = nodes_.size();
    snapshot.jobs = list_.data();
    snapshot.job_count = list_.size();
    dfrs_operations operations{};
    const double begin = cpu_ms();
    if (!controller_->step(snapshot, operations)) std::exit(1);
    controller_->deliver(0);
    const double first = cpu_ms() - begin;
    carry_out(operations);
    const double again = cpu_ms();
    controller_->applied(index_, results_, now_);
    operations_ += operations.count;
    return first + cpu_ms() - again;
  }

  void change(int ends, int submissions) {
    for (; ends > 0; --ends) {
      auto it = jobs_.begin();
      std::advance(it, dice_.below(static_cast<std::uint32_t>(jobs_.size())));
      jobs_.erase(it);
    }
    for (; submissions > 0; --submissions) submit();
  }
  void wait(double seconds) { now_ += seconds; }
  double now() const { return now_; }
  std::size_t operations() const { return operations_; }
  std::size_t running() const {
    return static_cast<std::size_t>(std::count_if(
        jobs_.begin(), jobs_.end(), [](const auto& j) { return j.second.seen.phase == DFRS_JOB_RUNNING; }));
  }

 private:
  void submit() {
    BenchJob& job = jobs_[++last_id_];
    job.seen.key = {last_id_, 0, static_cast<std::int64_t>(now_)};
    job.seen.user_id = 1000;
    job.seen.flags = DFRS_JOB_BATCH | DFRS_JOB_MAY_REQUEUE;
    job.seen.phase = DFRS_JOB_PENDING;
    job.seen.tasks = static_cast<std::uint32_t>(dice_.between(1, 15));
    job.seen.cpus_per_task = static_cast<std::uint32_t>(dice_.between(1, 8));
    job.seen.memory_per_task = 1000 * static_cast<std::uint64_t>(dice_.between(1, 40));
    if (full_) {
      job.seen.tasks = 1;
      job.seen.cpus_per_task = 8;
      job.seen.memory_per_task = 40000;
    }
    job.seen.time_limit = 600;
    job.seen.name = "job";
    job.seen.partition = "dfrs";
  }

  void carry_out(const dfrs_operations& operations) {
    results_.assign(operations.count, {});
    index_.resize(operations.count);
    for (std::size_t k = 0; k < operations.count; ++k) {
      index_[k] = k;
      const dfrs_operation& op = operations.list[k];
      dfrs_job& seen = jobs_.at(op.key.job_id).seen;
      BenchJob& job = jobs_.at(op.key.job_id);
      results_[k].code = DFRS_DONE;
      switch (op.kind) {
        case DFRS_OP_START:
          results_[k].job_id = op.key.job_id;
          seen.phase = DFRS_JOB_RUNNING;
          seen.start_time = static_cast<std::int64_t>(now_);
          seen.end_time = seen.start_time + 36000;
          job.nodes.assign(op.nodes, op.nodes + op.node_count);
          job.tasks.assign(op.node_tasks, op.node_tasks + op.node_count);
          break;
        case DFRS_OP_SUSPEND:
          seen.phase = DFRS_JOB_SUSPENDED;
          break;
        case DFRS_OP_RESUME:
          seen.phase = DFRS_JOB_RUNNING;
          break;
        case DFRS_OP_REQUEUE:
          seen.phase = DFRS_JOB_PENDING;
          ++seen.key.restarts;
          job.nodes.clear();
          job.tasks.clear();
          break;
        case DFRS_OP_END_TIME:
          seen.end_time = op.end_time;
          break;
        case DFRS_OP_COMMENT:
          comments_[op.key.job_id] = op.text != nullptr ? op.text : "";
          seen.comment = comments_[op.key.job_id].c_str();
          break;
      }
    }
  }

  oracle::Dice dice_;
  bool full_;
  std::vector<std::string> names_;
  std::vector<dfrs_node> nodes_;
  std::map<std::uint32_t, BenchJob> jobs_;
  std::map<std::uint32_t, std::string> comments_;
  std::vector<dfrs_job> list_;
  FakeAgents agents_;
  std::unique_ptr<Controller> controller_;
  std::vector<std::size_t> index_;
  std::vector<dfrs_result> results_;
  std::uint32_t last_id_ = 0;
  double now_ = 1.7e9;
  std::size_t operations_ = 0;
};

void report(const char* what, std::vector<double>& times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  fmt::print("{:<44} median {:8.2f} ms   90 % {:8.2f} ms   max {:8.2f} ms   ({} steps)\n", what,
             times[times.size() / 2], times[times.size() * 9 / 10], times.back(), times.size());
}

// Milliseconds of CPU time to read a state file with so many jobs.
double read_ms(const std::string& text) {
  std::vector<double> times;
  for (int k = 0; k < 5; ++k) {
    const double begin = cpu_ms();
    if (!parse_state(text)) std::exit(1);
    times.push_back(cpu_ms() - begin);
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

// As this version writes it, and in one line, as earlier ones did.
void report_state_file(std::size_t jobs) {
  SavedState state;
  for (std::uint32_t id = 1; id <= jobs; ++id) {
    SavedJob& job = state.jobs[id];
    job.id = id;
    job.run = SavedJob::Run::running;
    job.clock = {id / 7.0, 1.7e9 + id / 3.0, 0.5};
    job.release = job.started = 1.7e9 + id / 9.0;
  }
  const std::string text = format_state(state);
  std::string body = text.substr(text.find('\n') + 1);
  std::erase(body, '\n');
  fmt::print("state file of {} jobs read in {:.1f} ms; in one line, by JSON, {:.1f} ms\n", jobs, read_ms(text),
             read_ms(fmt::format("dfrs_state {} {} {}\n{}", kStateVersion, base::sha256_hex(body), body.size(), body)));
}

int run(int argc, char** argv) {
  const std::size_t jobs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const std::size_t nodes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2000;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 300;
  const std::string algorithm = argc > 4 ? argv[4] : "GreedyPM*/per/OPT=MIN/MINVT=600";
  Bench bench(jobs, nodes, algorithm, argc > 5 && std::string_view(argv[5]) == "full");
  fmt::print("{} jobs, {} nodes, {}\n", jobs, nodes, algorithm);
  std::vector<double> first{bench.step()};
  report("first step: all jobs are new", first);
  for (int k = 0; k < 20; ++k) {
    bench.wait(1);
    bench.step();
  }
  fmt::print("{} jobs run\n", bench.running());
  std::vector<double> idle, one, ten, tick;
  const auto tick_comes = [&](double wait) {
    return std::floor(bench.now() / 600) != std::floor((bench.now() + wait) / 600);
  };
  for (int k = 0; k < steps; ++k) {
    if (tick_comes(2)) {
      bench.wait(2);
      tick.push_back(bench.step());
    }
    bench.wait(1);
    idle.push_back(bench.step());
    bench.wait(1);
    bench.change(1, 1);
    one.push_back(bench.step());
    bench.wait(1);
    bench.change(10, 10);
    ten.push_back(bench.step());
  }
  report("nothing has happened", idle);
  report("one job has ended, one is new", one);
  report("ten jobs have ended, ten are new", ten);
  report("a periodic repack", tick);
  fmt::print("{} operations; {} jobs run\n", bench.operations(), bench.running());
  report_state_file(jobs);
  return 0;
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) { return dfrs::shim::run(argc, argv); }
