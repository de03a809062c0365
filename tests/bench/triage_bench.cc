// SPDX-License-Identifier: GPL-2.0-or-later
// One decision of Triage on a large cluster: a job ends, one comes, and what waits is looked at again.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/core/engine.h"
#include "tests/oracle/dice.h"

namespace dfrs::bench {
namespace {

constexpr int kNodeMemory = 10240;  // MiB
constexpr Seconds kPenalty = 300;
constexpr int kUsers = 50;
constexpr std::uint32_t kMaxLostRuns = 3;

/// What a pause does to the jobs, and what the policy knows.
enum World : std::int64_t {
  kept,    ///< it costs a penalty; users are not known
  none,    ///< nothing may be paused; memory is shared among users
  lost,    ///< it ends the run; users are known
  limits,  ///< as none, by users' time limits
};

// A host that carries out what the engine decides and ends jobs when it is told to.
class Cluster {
 public:
  // `crowded`: CPU needs of whole nodes, so that all nodes are overloaded several times; else of quarters.
  Cluster(std::size_t nodes, std::size_t jobs, bool crowded, World world)
      : crowded_(crowded), world_(world), nodes_(nodes), jobs_(jobs + 1), where_(jobs + 1), limit_(jobs + 1) {
    for (NodeView& node : nodes_) node.spec.rigid[kMemory] = kNodeMemory;
    const char* const name = world == World::limits ? "Triage/LIMITS" : "Triage";
    engine_ = Engine::create(parse_algorithm(name).value(), EngineOptions{}).value();
    // A day's arrivals, a tenth of the jobs at a time, so that some have run for long and some have just come.
    free_ = static_cast<JobSlot>(jobs);
    for (int part = 0; part < 10; ++part) {
      events_.clear();
      for (JobSlot job = static_cast<JobSlot>(jobs / 10 * part); job < jobs / 10 * (part + 1); ++job) submit(job);
      step();
      now_ += 8640;
    }
  }

  // One ends, one comes.
  void exchange() {
    now_ += 30;
    events_.clear();
    JobSlot oldest = next_;
    while (jobs_[oldest].state != JobState::running) oldest = (oldest + 1) % static_cast<JobSlot>(jobs_.size());
    next_ = (oldest + 1) % static_cast<JobSlot>(jobs_.size());
    jobs_[oldest].state = JobState::absent;
    jobs_[oldest].nodes = {};
    events_.push_back({EventKind::completed, oldest});
    submit(free_);
    free_ = oldest;
    step();
  }

  double milliseconds() const { return milliseconds_; }  ///< CPU time of the last decision
  std::size_t changes() const { return changes_; }       ///< starts, pauses, moves so far
  std::size_t running() const {
    return static_cast<std::size_t>(
        std::count_if(jobs_.begin(), jobs_.end(), [](const JobView& j) { return j.state == JobState::running; }));
  }

 private:
  void submit(JobSlot slot) {
    JobView& job = jobs_[slot];
    job = {};
    job.id = id_++;
    job.state = JobState::waiting;
    job.tasks = static_cast<std::uint32_t>(dice_.between(1, 9));
    job.cpu_need = crowded_ ? 1.0 : 0.25 * static_cast<double>(dice_.between(1, 4)) / 2;
    job.rigid[kMemory] = kNodeMemory / 20 * (dice_.chance(70) ? 1 : dice_.between(1, 8));
    job.submit = now_;
    if (world_ != World::kept) {
      job.pauses = world_ == World::lost ? Pauses::lost : Pauses::none;
      job.user = static_cast<std::uint32_t>(dice_.between(1, kUsers));
    }
    if (world_ == World::limits) limit_[slot] = 3600 * static_cast<double>(dice_.between(1, 48));
    events_.push_back({EventKind::submitted, slot});
  }

  void step() {
    const ClusterView view{now_, nodes_, jobs_, 1};
    const std::clock_t begin = std::clock();
    const Decisions& decisions = **engine_->step(view, {limit_}, events_);
    changes_ += decisions.placements.size();
    milliseconds_ = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    for (const Decision& d : decisions.placements) {
      JobView& job = jobs_[d.job];
      const bool pays = job.state == JobState::paused || d.kind == DecisionKind::move;
      const bool loses = world_ == World::lost && job.state == JobState::running;
      if (loses) {
        job.longest_run = std::max(job.longest_run, job.virtual_time(now_));
        if (++job.lost_runs == kMaxLostRuns) job.pauses = Pauses::none;
      }
      job.clock = {loses ? 0 : job.virtual_time(now_), now_ + (pays && world_ == World::kept ? kPenalty : 0), 0};
      where_[d.job].assign(decisions.nodes_of(d).begin(), decisions.nodes_of(d).end());
      job.nodes = where_[d.job];
      job.state = where_[d.job].empty() ? JobState::paused : JobState::running;
      if (where_[d.job].empty()) job.yield = 0;
    }
    for (const YieldChange& change : decisions.yields) {
      JobView& job = jobs_[change.job];
      job.clock = {job.virtual_time(now_), std::max(now_, job.clock.since), change.yield};
      job.yield = change.yield;
    }
  }

  bool crowded_;
  World world_;
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::vector<std::vector<NodeIndex>> where_;
  std::vector<Seconds> limit_;
  std::vector<Event> events_;
  std::unique_ptr<Engine> engine_;
  oracle::Dice dice_{1};
  Seconds now_ = 0;
  JobId id_ = 0;
  JobSlot free_ = 0;
  JobSlot next_ = 0;
  double milliseconds_ = 0;
  std::size_t changes_ = 0;
};

void triage_decision(benchmark::State& bench) {
  Cluster cluster(static_cast<std::size_t>(bench.range(0)), static_cast<std::size_t>(bench.range(0)) * 2,
                  bench.range(1) != 0, static_cast<World>(bench.range(2)));
  double longest = 0;
  const std::size_t before = cluster.changes();
  // The first one comes 8640 s after the last tenth of the jobs: what has waited since is started, hundreds of them.
  double first = -1;
  for ([[maybe_unused]] auto round : bench) {
    cluster.exchange();
    bench.SetIterationTime(cluster.milliseconds() / 1000);
    (first < 0 ? first : longest) = std::max(longest, cluster.milliseconds());
  }
  bench.counters["first_ms"] = first;
  bench.counters["longest_ms"] = longest;
  bench.counters["changes"] =
      benchmark::Counter(static_cast<double>(cluster.changes() - before), benchmark::Counter::kAvgIterations);
  bench.counters["running"] = static_cast<double>(cluster.running());
}
// Nodes, with twice as many jobs; whether all nodes are overloaded several times; and the world.
BENCHMARK(triage_decision)
    ->ArgsProduct({{100, 1'000, 10'000}, {0, 1}, {World::kept, World::none, World::lost, World::limits}})
    ->Args({20'000, 0, World::kept})
    ->Args({40'000, 0, World::kept})
    ->Args({100'000, 0, World::kept})
    ->UseManualTime()
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dfrs::bench
