// SPDX-License-Identifier: GPL-2.0-or-later
// A host of the engine on random heterogeneous clusters: unequal nodes that come and go, job flags, eligible sets,
// reused slots. It carries out decisions and lets jobs arrive and end at random.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/engine.h"
#include "sim/host/simulation.h"
#include "tests/oracle/dice.h"
#include "tests/oracle/random_case.h"

namespace dfrs {

struct TestHostOptions {
  bool general = true;
  bool nodes_come_and_go = true;
  bool explain = false;       // the engine states reasons
  bool needs_change = false;  // CPU needs of jobs change occasionally; not for batch policies
  bool worlds = false;        // jobs have users, and pauses keep or lose their work or are not possible
  bool stay = false;          // with worlds: no job may ever be paused
  int max_nodes = 5;
  int jobs = 14;
  int max_tasks = 4;
  int kinds = 0;  // jobs have the needs of one of so many; 0: all differ
};

class TestHost {
 public:
  TestHost(oracle::Dice& dice, const Algorithm& algorithm, const EngineOptions& engine, const TestHostOptions& options)
      : dice_(dice), options_(options), algorithm_(algorithm), engine_options_(engine) {
    dims_ = options.general ? static_cast<std::size_t>(dice.between(1, kMaxRigid)) : 1;
    nodes_ = oracle::random_nodes(dice, dice.between(1, options.max_nodes), options.general, dims_);
    for (NodeView& node : nodes_) node.usable = true;
    slots_ = static_cast<std::size_t>(options.jobs);
    jobs_.resize(slots_);
    placements_.resize(slots_);
    work_.resize(slots_);
    estimates_.resize(slots_);
    restart();
  }

  /// Sees each call, with all arguments and the answer.
  struct Witness {
    virtual ~Witness() = default;
    /// Called before a step that a new engine can take without loss; true asks for a new engine.
    virtual bool wants_new_engine() { return false; }
    virtual void on_new_engine(const Algorithm& algorithm, const EngineOptions& options) = 0;
    virtual void on_call(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                         const tl::expected<const Decisions*, Error>& result) = 0;
  };

  void observe(sim::StepObserver* observer) { observers_.push_back(observer); }
  void observe(Witness* witness) {
    witness_ = witness;
    witness->on_new_engine(algorithm_, engine_options_);
  }

  /// Makes a new engine, which takes the cluster from the view of the next step.
  void restart() {
    engine_ = std::move(*Engine::create(algorithm_, engine_options_));
    engine_->explain(options_.explain);
  }

  /// Runs until all jobs have ended. Error: what went wrong.
  tl::expected<void, std::string> run() {
    int to_come = options_.jobs;
    Seconds next_arrival = 0;
    for (int step = 0;; ++step) {
      if (step > 20000) return tl::unexpected<std::string>("jobs that could run never end");
      Seconds next = std::min(wake_at_, to_come > 0 ? next_arrival : kNever);
      for (std::size_t k = 0; k < slots_; ++k) next = std::min(next, end_of(k));
      next = std::max(next, now_);
      const bool flips = options_.nodes_come_and_go && to_come > 0 && dice_.chance(10);
      if (next == kNever) {
        if (active_ != 0) return tl::unexpected<std::string>("jobs wait for ever");
        return {};
      }
      now_ = next;
      std::vector<Event> events;
      for (std::size_t k = 0; k < slots_; ++k) {
        if (end_of(k) <= now_) complete(k, events);
      }
      if (options_.needs_change) change_needs(events);
      while (to_come > 0 && next_arrival <= now_) {
        if (submit(events)) --to_come;
        next_arrival += dice_.chance(40) ? 0 : 8 * dice_.between(0, 12);
      }
      if (auto called = call(events); !called) return called;
      if (flips) {
        NodeView& node = nodes_[dice_.below(static_cast<std::uint32_t>(nodes_.size()))];
        node.usable = !node.usable;
        if (auto called = call({{EventKind::resync, kNoSlot}}); !called) return called;
      }
      if (to_come == 0 && !all_usable()) {
        for (NodeView& node : nodes_) node.usable = true;
        if (auto called = call({{EventKind::resync, kNoSlot}}); !called) return called;
      }
    }
  }

  int completed() const { return completed_; }
  /// Estimated run times by slot, as batch policies see them.
  std::span<const Seconds> estimates() const { return estimates_; }

 private:
  ClusterView view() const { return {now_, nodes_, jobs_, dims_}; }
  bool all_usable() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const NodeView& n) { return n.usable; });
  }

  Seconds end_of(std::size_t k) const {
    const JobView& job = jobs_[k];
    if (job.state != JobState::running) return kNever;
    return std::max(now_, job.clock.since + std::max(0.0, work_[k] - job.clock.base) / job.yield);
  }

  void complete(std::size_t k, std::vector<Event>& events) {
    jobs_[k].state = JobState::absent;
    jobs_[k].nodes = {};
    jobs_[k].yield = 0;
    placements_[k].clear();
    --active_;
    ++completed_;
    events.push_back({EventKind::completed, static_cast<JobSlot>(k)});
  }

  void change_needs(std::vector<Event>& events) {
    for (std::size_t k = 0; k < slots_; ++k) {
      if (jobs_[k].state == JobState::absent || !dice_.chance(20)) continue;
      jobs_[k].cpu_need = dice_.between(1, 16) / 16.0;  // sums are exact, in any order
      events.push_back({EventKind::changed, static_cast<JobSlot>(k)});
    }
  }

  bool submit(std::vector<Event>& events) {
    std::vector<std::size_t> free;
    for (std::size_t k = 0; k < slots_; ++k) {
      bool in_use = jobs_[k].state != JobState::absent;
      for (const Event& event : events) in_use = in_use || event.job == k;  // one job per slot and instant
      if (!in_use) free.push_back(k);
    }
    if (free.empty()) return false;
    const std::size_t k = free[dice_.below(static_cast<std::uint32_t>(free.size()))];
    const oracle::Requirements r = requirements();
    JobView job;
    job.id = next_id_++;
    job.state = JobState::waiting;
    job.tasks = r.tasks;
    job.cpu_need = r.cpu_need;
    job.rigid = r.rigid;
    job.flags = r.flags;
    job.submit = now_;
    if (options_.general && dice_.chance(20))
      job.eligible = &sets_.emplace_back(oracle::random_set(dice_, nodes_.size()));
    if (options_.general && dice_.chance(30)) {
      job.weight = 0.25 * dice_.between(1, 12);
      job.penalty = 10 * dice_.between(0, 30);
      if (dice_.chance(50)) job.move_penalty = 10 * dice_.between(0, 60);
    }
    if (options_.worlds) {
      job.user = static_cast<std::uint32_t>(dice_.between(0, 3));
      job.pauses = options_.stay      ? Pauses::none
                   : dice_.chance(40) ? Pauses::lost
                   : dice_.chance(50) ? Pauses::none
                                      : Pauses::kept;
    }
    jobs_[k] = job;
    // Refuse jobs that can never run, as a live system does.
    std::vector<NodeView> all = nodes_;
    for (NodeView& node : all) node.usable = true;
    if (!oracle::fits_alone(oracle::world_of({now_, all, jobs_, dims_}, {static_cast<JobSlot>(k)}),
                            static_cast<JobSlot>(k)) ||
        (!algorithm_.traits.shares_nodes && !fits_whole_nodes(job, all))) {
      jobs_[k] = {};
      return true;
    }
    work_[k] = dice_.chance(5) ? 0 : 4 * dice_.between(1, 60);
    estimates_[k] = dice_.chance(50) ? work_[k] : work_[k] * dice_.between(1, 6) / 2;
    ++active_;
    events.push_back({EventKind::submitted, static_cast<JobSlot>(k)});
    return true;
  }

  oracle::Requirements requirements() {
    const auto draw = [this] {
      return oracle::random_requirements(dice_, options_.max_tasks, options_.general, dims_);
    };
    if (options_.kinds == 0) return draw();
    while (kinds_.size() < static_cast<std::size_t>(options_.kinds)) kinds_.push_back(draw());
    return kinds_[dice_.below(static_cast<std::uint32_t>(kinds_.size()))];
  }

  bool fits_whole_nodes(const JobView& job, const std::vector<NodeView>& all) const {
    std::uint32_t fit = 0;
    for (NodeIndex n = 0; n < all.size(); ++n) {
      bool fits = job.eligible == nullptr || job.eligible->contains(n);
      for (std::size_t d = 0; d < dims_; ++d) fits = fits && job.rigid[d] <= all[n].spec.rigid[d];
      fit += fits ? 1 : 0;
    }
    return fit >= job.tasks;
  }

  tl::expected<void, std::string> call(std::vector<Event> events) {
    if (witness_ != nullptr && now_ < wake_at_ && witness_->wants_new_engine()) {
      restart();
      witness_->on_new_engine(algorithm_, engine_options_);
      events.insert(events.begin(), {EventKind::resync, kNoSlot});
    }
    const auto decided = engine_->step(view(), Estimates{estimates_}, events);
    if (witness_ != nullptr) witness_->on_call(view(), Estimates{estimates_}, events, decided);
    if (!decided) return tl::unexpected<std::string>("engine: " + decided.error().message);
    for (sim::StepObserver* observer : observers_) observer->on_step(view(), events, **decided);
    for (const Decision& decision : (*decided)->placements) {
      JobView& job = jobs_[decision.job];
      const auto nodes = (*decided)->nodes_of(decision);
      set_rate(job, 0);
      if (job.pauses == Pauses::lost && decision.kind != DecisionKind::start) lose_run(job);
      if (decision.kind == DecisionKind::pause) {
        job.state = JobState::paused;
        job.yield = 0;
        if (!job.flags.may_not_move) placements_[decision.job].clear();
      } else {
        job.state = JobState::running;
        if (job.pauses == Pauses::none) job.flags.may_not_pause = job.flags.may_not_move = true;
        placements_[decision.job].assign(nodes.begin(), nodes.end());
      }
      job.nodes = placements_[decision.job];
    }
    for (const YieldChange& change : (*decided)->yields) {
      set_rate(jobs_[change.job], change.yield);
      jobs_[change.job].yield = change.yield;
    }
    wake_at_ = (*decided)->wake_at;
    return {};
  }

  static void lose_run(JobView& job) {
    constexpr std::uint32_t kMostLost = 3;
    if (job.clock.base > 0) {
      ++job.lost_runs;
      job.longest_run = std::max(job.longest_run, job.clock.base);
    }
    job.clock.base = 0;
    if (job.lost_runs == kMostLost) job.pauses = Pauses::none;
  }

  void set_rate(JobView& job, double rate) { job.clock = {job.clock.at(now_), now_, rate}; }

  oracle::Dice& dice_;
  TestHostOptions options_;
  Algorithm algorithm_;
  EngineOptions engine_options_;
  std::unique_ptr<Engine> engine_;
  std::vector<sim::StepObserver*> observers_;
  Witness* witness_ = nullptr;
  Seconds now_ = 0;
  Seconds wake_at_ = kNever;
  std::size_t dims_ = 1;
  std::size_t slots_ = 0;
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::vector<std::vector<NodeIndex>> placements_;
  std::vector<Seconds> work_, estimates_;
  std::deque<NodeSet> sets_;
  std::vector<oracle::Requirements> kinds_;
  JobId next_id_ = 1;
  int active_ = 0;
  int completed_ = 0;
};

}  // namespace dfrs
