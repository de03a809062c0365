// SPDX-License-Identifier: GPL-2.0-or-later
// The room that there would be without some jobs is the room that a look at all nodes finds once they have really left.
#include "policy/triage/room_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "policy/core/compare.h"
#include "tests/oracle/dice.h"

namespace dfrs::triage {
namespace {

constexpr JobSlot kJobs = 30;

class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t seed) : dice_(seed), nodes_(1 + dice_.below(12)), jobs_(kJobs) {
    const bool equal = dice_.chance(30);
    for (NodeView& node : nodes_) {
      node.spec = {equal ? 1.0 : 0.5 * dice_.between(1, 3), {equal ? 10 : dice_.between(4, 12), dice_.between(0, 3)}};
      node.usable = equal || dice_.chance(90);
    }
    for (JobView& job : jobs_) {
      job.state = JobState::waiting;
      job.tasks = static_cast<std::uint32_t>(dice_.between(1, 4));
      job.cpu_need = 0.1 * dice_.between(1, 10);
      job.rigid = {dice_.between(0, 5), dice_.chance(20) ? 1 : 0};
      job.flags.exclusive = dice_.chance(10);
    }
    state_.resync(view());
    state_.begin();
    for (JobSlot job = 0; job < kJobs; ++job) place(job);
  }

  ClusterView view() const { return {0, nodes_, jobs_, 2}; }

  // On the first nodes with room from a random one on; a job that does not fit is not placed.
  void place(JobSlot job) {
    std::vector<NodeIndex> at;
    const NodeIndex first = dice_.below(static_cast<std::uint32_t>(nodes_.size()));
    for (NodeIndex k = 0; k < nodes_.size(); ++k) {
      const auto n = static_cast<NodeIndex>((first + k) % nodes_.size());
      const std::uint32_t room = state_.room_for(jobs_[job], n);
      while (at.size() < jobs_[job].tasks && std::count(at.begin(), at.end(), n) < static_cast<std::ptrdiff_t>(room))
        at.push_back(n);
    }
    if (at.size() < jobs_[job].tasks) return;
    std::sort(at.begin(), at.end());
    state_.place(job, jobs_[job], at);
  }

  // The job that wants room; it holds none itself.
  JobView incoming() {
    JobView job = jobs_[dice_.below(kJobs)];
    job.tasks = static_cast<std::uint32_t>(dice_.between(1, 12));
    if (dice_.chance(20)) {
      job.flags.may_not_move = true;
      for (std::uint32_t k = 0; k < job.tasks; ++k)
        former_.push_back(dice_.below(static_cast<std::uint32_t>(nodes_.size())));
      std::sort(former_.begin(), former_.end());
      job.nodes = former_;
    }
    if (dice_.chance(20)) {
      for (NodeIndex n = 0; n < nodes_.size(); ++n) {
        if (dice_.chance(50)) eligible_.insert(n);
      }
      job.eligible = &eligible_;
    }
    return job;
  }

  RoomTerms terms() {
    RoomTerms terms{.lane = static_cast<NodeIndex>(nodes_.size())};
    if (dice_.chance(20)) terms.lane = dice_.below(terms.lane + 1);
    if (dice_.chance(40)) terms.most_load = 0.25 * dice_.between(1, 8);
    if (dice_.chance(30)) terms.beside = reserve();
    return terms;
  }

  // What one of the jobs that wait has reserved; null: none could.
  const Reservation* reserve() {
    const JobSlot job = dice_.below(kJobs);
    if (state_.placed(job)) return nullptr;
    std::vector<Seconds> limits;
    for (JobSlot k = 0; k < kJobs; ++k) limits.push_back(dice_.between(1, 9));
    reservation_.make(view(), state_, limits, job);
    return reservation_.made() ? &reservation_ : nullptr;
  }

  // The plain count: task by task.
  bool holds(const JobView& job, const RoomTerms& terms) const {
    std::uint32_t total = 0;
    for (NodeIndex n = 0; n < terms.lane; ++n) {
      std::uint32_t room = 0;
      const auto fits = [&](std::uint32_t tasks) {
        return terms.most_load == kNever ||
               !cpu_exceeds(state_.cpu_load(n) + tasks * job.cpu_need, terms.most_load * state_.cpu_capacity(n));
      };
      const std::uint32_t beside = terms.beside != nullptr ? terms.beside->room_beside(job, n) : job.tasks;
      const auto had = static_cast<std::uint32_t>(std::count(job.nodes.begin(), job.nodes.end(), n));
      while (room < std::min(beside, state_.room_for(job, n)) && fits(room + 1) &&
             (!job.flags.may_not_move || room < had))
        ++room;
      total += room;
    }
    return total >= job.tasks;
  }

  oracle::Dice& dice() { return dice_; }
  ClusterState& state() { return state_; }
  const JobView& job(JobSlot slot) const { return jobs_[slot]; }

 private:
  oracle::Dice dice_;
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::vector<NodeIndex> former_;
  NodeSet eligible_{16};
  ClusterState state_;
  Reservation reservation_;
};

TEST(RoomCount, IsTheRoomOnceTheJobsHaveLeft) {
  int reserved = 0;
  int with_room = 0;
  int without_room = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    RandomCluster cluster(seed);
    const JobView incoming = cluster.incoming();
    const RoomTerms terms = cluster.terms();
    reserved += terms.beside != nullptr ? 1 : 0;
    RoomCount count;
    for (int again = 0; again < 2; ++again) {  // the second count begins where the first one ended
      const std::uint64_t version = cluster.state().version();
      count.begin(cluster.state(), incoming, terms);
      ASSERT_EQ(count.enough(), cluster.holds(incoming, terms)) << "seed " << seed;
      RandomCluster left = cluster;
      std::vector<JobSlot> gone;
      for (JobSlot job = 0; job < kJobs; ++job) {
        if (!cluster.state().placed(job) || cluster.dice().chance(50)) continue;
        count.without(cluster.job(job), cluster.state().nodes_of(job));
        left.state().remove(job, left.job(job));
        gone.push_back(job);
        ASSERT_EQ(count.enough(), left.holds(incoming, terms)) << "seed " << seed;
      }
      ASSERT_EQ(cluster.state().version(), version) << "nothing has happened to the cluster";
      (count.enough() ? with_room : without_room) += 1;
      while (!gone.empty()) {  // backwards, as they are let stay; some really go
        const JobSlot job = gone.back();
        gone.pop_back();
        if (cluster.dice().chance(30)) {
          cluster.state().remove(job, cluster.job(job));
          continue;
        }
        count.with(cluster.job(job), cluster.state().nodes_of(job));
        const std::vector<NodeIndex> nodes(cluster.state().nodes_of(job).begin(), cluster.state().nodes_of(job).end());
        left.state().place(job, left.job(job), nodes);
        ASSERT_EQ(count.enough(), left.holds(incoming, terms)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(reserved, 100);
  EXPECT_GT(with_room, 300);
  EXPECT_GT(without_room, 300);
}

}  // namespace
}  // namespace dfrs::triage
