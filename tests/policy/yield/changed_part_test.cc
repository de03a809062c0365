// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/changed_part.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/yield/max_min.h"
#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

std::vector<double> solved(const CpuContention& contention, std::vector<double> yields) {
  std::vector<double> limited(contention.jobs().size());
  MaxMinYield().solve(contention, limited);
  for (JobSlot job : contention.running()) yields[job] = 1;
  for (std::size_t k = 0; k < limited.size(); ++k) yields[contention.jobs()[k].slot] = limited[k];
  return yields;
}

// A cluster on which jobs come and go, and are placed, moved and paused as in engine calls, several times per call.
class Life {
 public:
  explicit Life(std::uint64_t seed) : dice_(seed), nodes_(static_cast<std::size_t>(dice_.between(2, 30))) {
    for (NodeView& node : nodes_) node.spec.cpu = dice_.chance(70) ? 1 : 0.5 * dice_.between(1, 6);
    widest_ = dice_.between(1, 8);
    jobs_.resize(static_cast<std::size_t>(dice_.between(3, 60)));
    state_.resync(view());
  }

  ClusterView view() const { return {0, nodes_, jobs_, 1}; }
  const ClusterState& state() const { return state_; }
  std::span<const Event> events() const { return events_; }
  std::vector<JobSlot> placed() const {
    std::vector<JobSlot> all;
    for (JobSlot job : state_.active()) {
      if (state_.placed(job)) all.push_back(job);
    }
    return all;
  }

  void step() {
    state_.forget_changes();
    events_.clear();
    std::vector<JobSlot> vacant;
    for (JobSlot job = 0; job < jobs_.size(); ++job) {
      if (jobs_[job].state == JobState::absent) vacant.push_back(job);
    }
    while (dice_.chance(40) && !state_.active().empty()) end(state_.active()[pick(state_.active().size())]);
    state_.begin();
    while (dice_.chance(60) && !vacant.empty()) {
      submit(vacant.back());
      vacant.pop_back();
    }
    while (dice_.chance(50) && !state_.active().empty()) {
      const JobSlot job = state_.active()[pick(state_.active().size())];
      if (state_.placed(job)) state_.remove(job, jobs_[job]);
      if (dice_.chance(70)) place(job);
    }
  }

 private:
  std::uint32_t pick(std::size_t count) { return dice_.below(static_cast<std::uint32_t>(count)); }

  void end(JobSlot job) {
    jobs_[job].state = JobState::absent;
    state_.drop(job, jobs_[job]);
    events_.push_back({EventKind::completed, job});
  }

  void submit(JobSlot job) {
    jobs_[job].state = JobState::waiting;
    jobs_[job].tasks = static_cast<std::uint32_t>(dice_.between(1, widest_));
    jobs_[job].cpu_need = 0.01 + dice_.uniform();
    events_.push_back({EventKind::submitted, job});
    state_.add(job);
    if (dice_.chance(80)) place(job);
  }

  void place(JobSlot job) {
    std::vector<NodeIndex> nodes(jobs_[job].tasks);
    for (NodeIndex& n : nodes) n = pick(nodes_.size());
    std::sort(nodes.begin(), nodes.end());
    state_.place(job, jobs_[job], nodes);
  }

  oracle::Dice dice_;
  std::vector<NodeView> nodes_;
  int widest_ = 1;
  std::vector<JobView> jobs_;
  std::vector<Event> events_;
  ClusterState state_;
};

// Yields computed for the changed part alone equal those computed for all jobs, to the last bit.
TEST(ChangedPart, NothingChangesOutsideIt) {
  std::size_t in_part = 0, in_all = 0, limited = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    Life life(seed);
    ChangedPart part;
    CpuContention of_part, of_all;
    std::vector<double> kept(life.view().jobs.size(), 0.0);
    for (int step = 0; step < 60; ++step) {
      life.step();
      part.find(life.view(), life.events(), step == 0, life.state(), of_part);
      kept = solved(of_part, kept);
      of_all.build(life.state(), life.view());
      const std::vector<double> expected = solved(of_all, std::vector<double>(kept.size(), 0.0));
      for (JobSlot job : life.placed()) {
        ASSERT_EQ(kept[job], expected[job]) << "seed " << seed << " step " << step << " job " << job;
        limited += kept[job] < 1 ? 1 : 0;
      }
      ASSERT_TRUE(std::is_sorted(of_part.running().begin(), of_part.running().end(),
                                 [&](JobSlot a, JobSlot b) { return life.state().order(a) < life.state().order(b); }));
      in_part += of_part.running().size();
      in_all += of_all.running().size();
    }
  }
  EXPECT_GT(limited, in_all / 10);
  EXPECT_LT(in_part, in_all * 3 / 4);
}

// Two pairs of nodes, each shared by two jobs: a completion on one pair does not affect the other.
TEST(ChangedPart, ByHand) {
  const std::vector<NodeView> nodes(4, {{1, {}}, true});
  std::vector<JobView> jobs(4);
  for (JobView& job : jobs) {
    job.state = JobState::waiting;
    job.tasks = 2;
  }
  const ClusterView view{0, nodes, jobs, 1};
  ClusterState state;
  state.resync(view);
  const std::vector<NodeIndex> left{0, 1}, right{2, 3};
  state.place(0, jobs[0], left);
  state.place(1, jobs[1], right);
  state.place(2, jobs[2], left);
  state.place(3, jobs[3], right);
  ChangedPart part;
  CpuContention contention;
  part.find(view, {}, true, state, contention);
  EXPECT_EQ(contention.running().size(), 4U);
  EXPECT_EQ(contention.nodes().size(), 4U);

  state.forget_changes();
  state.drop(3, jobs[3]);
  jobs[3].state = JobState::absent;
  state.begin();
  const std::vector<Event> events{{EventKind::completed, 3}};
  part.find(view, events, false, state, contention);
  ASSERT_EQ(contention.running().size(), 1U);
  EXPECT_EQ(contention.running()[0], 1U);
  EXPECT_TRUE(contention.nodes().empty());

  state.forget_changes();
  state.begin();
  part.find(view, {}, false, state, contention);
  EXPECT_TRUE(contention.running().empty());
}

}  // namespace
}  // namespace dfrs
