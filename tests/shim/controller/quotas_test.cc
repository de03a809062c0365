// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/quotas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/oracle/dice.h"
#include "tests/shim/controller/node_list.h"
#include "tests/shim/fake_agents.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Three nodes of 4 CPUs with an agent each.
struct Cluster {
  Cluster() {
    for (const char* name : {"n0", "n1", "n2"}) list.add(name, 4, 4000);
    list.update(nodes);
    agents.set_agents(std::vector<AgentAddress>{{"n0", "n0", 1}, {"n1", "n1", 1}, {"n2", "n2", 1}});
  }
  Job& add(std::uint32_t id, dfrs_job_phase phase, std::uint32_t cpus_per_task) {
    Job& job = jobs.add(id);
    job.facts.phase = phase;
    job.facts.cpus_per_task = cpus_per_task;
    return job;
  }
  /// A job that runs where the policy wants it, at a yield that its agents have applied.
  Job& running(std::uint32_t id, std::vector<NodeIndex> at, double yield, std::uint32_t cpus_per_task = 4) {
    Job& job = add(id, DFRS_JOB_RUNNING, cpus_per_task);
    job.desired.state = DesiredState::running;
    job.facts.nodes = job.desired.nodes = std::move(at);
    job.desired.yield = job.progress.granted_yield = yield;
    return job;
  }
  /// Its run is to end, for a pause by requeue.
  void requeue(Job& job) {
    job.desired.state = DesiredState::paused;
    job.desired.pause_way = PauseWay::requeue;
    job.desired.nodes.clear();
  }
  void build(std::initializer_list<const Job*> arriving = {}) {
    quotas.build(jobs, nodes, config, std::vector<const Job*>(arriving));
  }
  void build_and_send(std::initializer_list<const Job*> arriving = {}) {
    build(arriving);
    quotas.send(agents);
  }
  /// The job's quota on a node; -1: it has none.
  double cpus(NodeIndex node, std::uint32_t job) {
    const JobQuota* quota = find(node, job);
    return quota == nullptr ? -1 : quota->cpus;
  }
  const JobQuota* find(NodeIndex node, std::uint32_t job) {
    for (const JobQuota& quota : quotas.of(node)) {
      if (quota.job_id == job) return &quota;
    }
    return nullptr;
  }
  std::vector<std::uint64_t> states() { return {agents.node(0).states, agents.node(1).states, agents.node(2).states}; }

  NodeList list;
  Nodes nodes;
  JobTable jobs;
  Config config;
  FakeAgents agents;
  Quotas quotas;
};

TEST(Quotas, AreYieldTimesTasksTimesCpus) {
  Cluster cluster;
  cluster.running(7, {0, 0, 0, 2}, 0.25, 2);
  cluster.running(3, {0}, 0.5, 4);
  cluster.build();
  EXPECT_THAT(cluster.quotas.of(0), ElementsAre(JobQuota{3, 2.0, false, false}, JobQuota{7, 1.5, false, false}));
  EXPECT_THAT(cluster.quotas.of(1), IsEmpty());
  EXPECT_THAT(cluster.quotas.of(2), ElementsAre(JobQuota{7, 0.5, false, false}));
  EXPECT_THAT(cluster.quotas.of(3), IsEmpty()) << "there is no such node";
}

TEST(Quotas, NobodyGetsNothing) {
  Cluster cluster;
  cluster.running(1, {0}, 0, 1);
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 1), kLeastQuota);
}

// The quota follows the granted yield, which a decision to move the job does not change before its run has ended.
TEST(Quotas, ARunThatIsToMoveGoesOnAsItDid) {
  Cluster cluster;
  Job& job = cluster.running(1, {0}, 0.5);
  job.desired.nodes = {1};
  job.desired.yield = 1;
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 1), 2);
  EXPECT_EQ(cluster.cpus(1, 1), -1) << "it is not there yet";
  job.desired.state = DesiredState::none;  // not in the engine
  job.desired.nodes.clear();
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 1), 2);
}

TEST(Quotas, AStartHasItsQuotaBeforeItsTasksCome) {
  Cluster cluster;
  Job& job = cluster.add(1, DFRS_JOB_PENDING, 2);
  job.desired.state = DesiredState::running;
  job.desired.nodes = {0, 2, 2};
  job.desired.yield = 0.75;
  cluster.build();
  EXPECT_EQ(cluster.cpus(2, 1), -1) << "held back";
  EXPECT_THAT(cluster.quotas.arrival_nodes(), IsEmpty());
  cluster.build({&job});
  EXPECT_EQ(cluster.cpus(0, 1), 1.5);
  EXPECT_EQ(cluster.cpus(2, 1), 3);
  EXPECT_THAT(cluster.quotas.arrival_nodes(), ElementsAre(0, 2));
}

TEST(Quotas, ASuspendedJobIsPagedOutUntilItIsToGoOn) {
  Cluster cluster;
  Job& job = cluster.add(1, DFRS_JOB_SUSPENDED, 4);
  job.facts.nodes = {0};
  job.facts.keeps_memory = false;
  job.desired.state = DesiredState::paused;
  cluster.build();
  EXPECT_THAT(cluster.quotas.of(0), ElementsAre(JobQuota{1, kLeastQuota, true, true}));
  job.desired.state = DesiredState::running;
  job.desired.nodes = job.facts.nodes;
  job.desired.yield = 0.5;
  cluster.build();
  EXPECT_TRUE(cluster.find(0, 1)->paused) << "its memory is not free yet";
  cluster.build({&job});
  EXPECT_THAT(cluster.quotas.of(0), ElementsAre(JobQuota{1, 2.0, false, false}));
  EXPECT_THAT(cluster.quotas.arrival_nodes(), ElementsAre(0));
}

TEST(Quotas, SuspendedByItsUserItKeepsItsMemory) {
  Cluster cluster;
  Job& job = cluster.add(1, DFRS_JOB_SUSPENDED, 4);
  job.facts.flags = DFRS_JOB_USER_SUSPENDED;
  job.facts.nodes = {0};
  cluster.build();
  EXPECT_THAT(cluster.quotas.of(0), ElementsAre(JobQuota{1, kLeastQuota, false, true}));
  job.facts.keeps_memory = false;  // we had suspended it before, so its memory is free for others
  cluster.build();
  EXPECT_TRUE(cluster.find(0, 1)->paused);
}

TEST(Quotas, ARunThatEndsHasWhatTheOthersLeave) {
  Cluster cluster;
  cluster.requeue(cluster.running(1, {0}, 0.5));
  Job& other = cluster.running(2, {0}, 0.75);
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 2), 3);
  EXPECT_EQ(cluster.cpus(0, 1), 1);
  other.progress.granted_yield = 1;
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 2), 4);
  EXPECT_EQ(cluster.cpus(0, 1), kLeastQuota);
  other.progress.granted_yield = 0.1;
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 1), 2) << "no more than it had";
}

TEST(Quotas, ForeignJobsHaveTheirCpus) {
  Cluster cluster;
  cluster.list.list[0].foreign_cpus = 2;
  cluster.list.update(cluster.nodes);
  cluster.requeue(cluster.running(1, {0}, 0.5));
  cluster.running(2, {0}, 0.25);
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 2), 1);
  EXPECT_EQ(cluster.cpus(0, 1), 1);
}

// A job writes its checkpoint at the old speed. Jobs that gain by the pause wait for it; arriving ones do not.
TEST(Quotas, ACheckpointIsWrittenBeforeTheOthersGain) {
  Cluster cluster;
  Job& leaving = cluster.running(1, {0}, 0.5);
  leaving.facts.flags = DFRS_JOB_CHECKPOINTS;
  Job& stays = cluster.running(2, {0}, 0.25);
  cluster.build_and_send();
  cluster.requeue(leaving);
  stays.progress.granted_yield = stays.desired.yield = 0.75;
  cluster.build_and_send();
  EXPECT_EQ(cluster.cpus(0, 1), 2);
  EXPECT_EQ(cluster.cpus(0, 2), 1);
  EXPECT_FALSE(cluster.quotas.handed_over(0, 2, 3));

  // Its run has been ended, its processes are still there.
  leaving.facts.phase = DFRS_JOB_REQUEUING;
  leaving.facts.last_nodes = leaving.facts.nodes;
  leaving.facts.nodes.clear();
  cluster.list.list[0].completing = true;
  cluster.list.update(cluster.nodes);
  cluster.build_and_send();
  EXPECT_EQ(cluster.cpus(0, 1), 2);
  EXPECT_EQ(cluster.cpus(0, 2), 1);

  cluster.list.list[0].completing = false;
  cluster.list.update(cluster.nodes);
  cluster.build_and_send();
  EXPECT_EQ(cluster.cpus(0, 1), -1);
  EXPECT_EQ(cluster.cpus(0, 2), 3);
}

TEST(Quotas, OfTwoThatEndTheOneWithACheckpointComesFirst) {
  Cluster cluster;
  cluster.requeue(cluster.running(1, {0}, 0.5));
  Job& checkpoints = cluster.running(2, {0}, 0.5);
  checkpoints.facts.flags = DFRS_JOB_CHECKPOINTS;
  cluster.requeue(checkpoints);
  cluster.running(3, {0}, 0.25);
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 2), 2);
  EXPECT_EQ(cluster.cpus(0, 1), 1);
}

TEST(Quotas, AMarkInTheCommentIsACheckpointToo) {
  Cluster cluster;
  Job& leaving = cluster.running(1, {0}, 0.5);
  leaving.facts.comment = "mine dfrs:checkpoint";
  Job& stays = cluster.running(2, {0}, 0.5);
  cluster.build_and_send();
  cluster.requeue(leaving);
  stays.progress.granted_yield = 1;
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 2), 2);
}

// A suspend needs no checkpoint: others gain at once.
TEST(Quotas, ASuspendHoldsNobodyUp) {
  Cluster cluster;
  Job& leaving = cluster.running(1, {0}, 0.5);
  leaving.facts.flags = DFRS_JOB_CHECKPOINTS;
  Job& stays = cluster.running(2, {0}, 0.5);
  cluster.build_and_send();
  leaving.desired.state = DesiredState::paused;
  leaving.desired.pause_way = PauseWay::suspend;
  stays.progress.granted_yield = 1;
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 2), 4);
  EXPECT_EQ(cluster.cpus(0, 1), kLeastQuota);
}

TEST(Quotas, AJobWithoutACheckpointEndsInItsQuotaAndHoldsNobodyUp) {
  Cluster cluster;
  Job& ends = cluster.running(1, {0, 0, 1}, 0.25);
  Job& stays = cluster.running(2, {0}, 0.25);
  cluster.build_and_send();
  ends.facts.phase = DFRS_JOB_ENDING;
  ends.desired.state = DesiredState::none;
  ends.facts.last_nodes = ends.facts.nodes;
  ends.facts.nodes.clear();
  stays.progress.granted_yield = 0.75;
  cluster.list.list[0].completing = true;
  cluster.list.update(cluster.nodes);
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 2), 3);
  EXPECT_EQ(cluster.cpus(0, 1), 1) << "of 2";
  EXPECT_EQ(cluster.quotas.of(0).size(), 2u) << "once, though it had two tasks there";
  EXPECT_EQ(cluster.cpus(1, 1), -1) << "clean already";
}

TEST(Quotas, OnlyWhatChangesIsSent) {
  Cluster cluster;
  Job& job = cluster.running(1, {0, 1}, 0.5);
  cluster.build_and_send();
  EXPECT_THAT(cluster.states(), ElementsAre(1, 1, 1)) << "all hear once what holds, if it is nothing";
  cluster.build_and_send();
  EXPECT_THAT(cluster.states(), ElementsAre(1, 1, 1));
  job.progress.granted_yield = 0.25;
  cluster.running(2, {1}, 0.5);
  cluster.build_and_send();
  EXPECT_THAT(cluster.states(), ElementsAre(2, 2, 1));
  EXPECT_EQ(cluster.agents.applied(1, 2)->cpus, 2);
  cluster.quotas.forget();
  cluster.build_and_send();
  EXPECT_THAT(cluster.states(), ElementsAre(3, 3, 2));
}

TEST(Quotas, HandedOverIsWhatTheAgentWasTold) {
  Cluster cluster;
  Job& job = cluster.running(1, {0}, 0.5);
  cluster.build();
  EXPECT_FALSE(cluster.quotas.handed_over(0, 1, 2)) << "built, not sent";
  cluster.quotas.send(cluster.agents);
  EXPECT_TRUE(cluster.quotas.handed_over(0, 1, 2));
  EXPECT_TRUE(cluster.quotas.handed_over(0, 1, 1));
  EXPECT_FALSE(cluster.quotas.handed_over(0, 1, 2.1));
  EXPECT_FALSE(cluster.quotas.handed_over(0, 2, 0.1));
  EXPECT_FALSE(cluster.quotas.handed_over(1, 1, 0.1));
  EXPECT_FALSE(cluster.quotas.handed_over(9, 1, 0.1));
  job.facts.phase = DFRS_JOB_SUSPENDED;
  job.facts.keeps_memory = false;
  cluster.build_and_send();
  EXPECT_FALSE(cluster.quotas.handed_over(0, 1, kLeastQuota)) << "a paused job has no CPU";
}

// Nodes that are gone: no state has their indices, and their jobs are no error.
TEST(Quotas, NodesOutOfTheListAreLeftOut) {
  Cluster cluster;
  cluster.running(1, {0, 2}, 0.5);
  cluster.build_and_send();
  cluster.list.list.resize(1);
  cluster.list.update(cluster.nodes);
  cluster.quotas.forget();
  cluster.build();
  EXPECT_EQ(cluster.cpus(0, 1), 2);
  EXPECT_THAT(cluster.quotas.of(2), IsEmpty());
}

// A step that fails after the nodes have changed builds nothing.
TEST(Quotas, NothingOldIsSentAfterForget) {
  Cluster cluster;
  Job& job = cluster.running(1, {0, 2}, 0.5);
  cluster.build_and_send({&job});
  cluster.build({&job});
  cluster.quotas.forget();
  EXPECT_THAT(cluster.quotas.arrival_nodes(), IsEmpty());
  cluster.quotas.send(cluster.agents);
  EXPECT_THAT(cluster.states(), ElementsAre(1, 1, 1));
  cluster.build_and_send();
  EXPECT_THAT(cluster.states(), ElementsAre(2, 2, 2));
}

// Random mixes of jobs: those that stay get their quota unless a checkpoint is being written, and no node's quotas
// exceed its CPUs except by the least quota that every job gets.
TEST(Quotas, NoNodeIsPromisedMoreThanItHas) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    Cluster cluster;
    std::vector<double> left(3, 4.0);
    std::vector<Job*> jobs;
    for (std::uint32_t id = 1; id <= 8; ++id) {
      const NodeIndex node = dice.below(3);
      const double cpus = left[node] * dice.uniform();
      left[node] -= cpus;
      Job& job = cluster.running(id, {node}, cpus / 4);
      if (dice.chance(30)) job.facts.flags |= DFRS_JOB_CHECKPOINTS;
      jobs.push_back(&job);
    }
    cluster.build_and_send();
    // Some are to end; the others get what those had.
    std::vector<bool> checkpoint(3, false);
    for (Job* job : jobs) {
      if (!dice.chance(40)) continue;
      cluster.requeue(*job);
      left[job->facts.nodes[0]] += 4 * job->progress.granted_yield;
      if (job->has(DFRS_JOB_CHECKPOINTS)) checkpoint[job->facts.nodes[0]] = true;
    }
    for (Job* job : jobs) {
      if (job->desired.state != DesiredState::running) continue;
      const double more = left[job->facts.nodes[0]] * dice.uniform();
      left[job->facts.nodes[0]] -= more;
      job->progress.granted_yield += more / 4;
    }
    cluster.build();
    std::vector<double> sum(3, 0), least(3, 0);
    for (Job* job : jobs) {
      const NodeIndex node = job->facts.nodes[0];
      const double cpus = cluster.cpus(node, job->id);
      sum[node] += cpus;
      least[node] += kLeastQuota;
      if (job->desired.state == DesiredState::running && !checkpoint[node]) {
        EXPECT_DOUBLE_EQ(cpus, std::max(kLeastQuota, 4 * job->progress.granted_yield)) << "seed " << seed;
      }
      if (job->desired.state != DesiredState::running && job->has(DFRS_JOB_CHECKPOINTS)) {
        EXPECT_GE(cpus, 4 * job->progress.granted_yield - least[node] - 8 * kLeastQuota) << "seed " << seed;
      }
    }
    for (NodeIndex n = 0; n < 3; ++n) EXPECT_LE(sum[n], 4 + least[n] + 1e-9) << "seed " << seed << ", node " << n;
  }
}

}  // namespace
}  // namespace dfrs::shim
