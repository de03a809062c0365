// SPDX-License-Identifier: GPL-2.0-or-later
// Clusters as their accounting shows them, by hand.
#include "sim/workload/sacct/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/host/simulation.h"
#include "sim/workload/sacct/jobs.h"

namespace dfrs::sim {
namespace {

struct Row {
  int cpus;
  std::string tres;
  int nodes;
  std::string list;
  int seconds = 100;
};

// The jobs come a second apart.
SacctLog log_of(const std::vector<Row>& rows) {
  std::string text = "JobID|State|Submit|Start|ElapsedRaw|NNodes|AllocCPUS|AllocTRES|NodeList\n";
  int number = 0;
  for (const Row& row : rows) {
    ++number;
    text += std::to_string(number) + "|COMPLETED|" + std::to_string(1700000000 + number) + '|' +
            std::to_string(1700000000 + number) + '|' + std::to_string(row.seconds) + '|' + std::to_string(row.nodes) +
            '|' + std::to_string(row.cpus) + '|' + row.tres + '|' + row.list + '\n';
  }
  return or_throw(parse_sacct(text, "acct"));
}

const std::vector<Row> kCluster{{32, "cpu=32,mem=64G,node=1", 1, "c1"},
                                {20, "cpu=20,mem=40G,node=2", 2, "c[2-3]"},
                                {64, "cpu=64,mem=512G,node=1,gres/gpu=4", 1, "g01"},
                                {8, "cpu=8,mem=8G,node=1,gres/gpu:a100=2,gres/gpu:h100=1", 1, "g02"},
                                // On two kinds: it says nothing about either.
                                {128, "cpu=128,mem=1024G,node=2", 2, "c1,g01"}};

TEST(Machine, KindsHaveTheMostThatTheirJobsHad) {
  EXPECT_THAT(infer_kinds(log_of(kCluster)),
              testing::ElementsAre(NodeKind{"c#", {3, 32, 65536}, 0}, NodeKind{"g#", {2, 64, 524288}, 4}));
  const Machine machine = or_throw(machine_of(log_of(kCluster), {}));
  EXPECT_EQ(machine.shape.nodes, 5);
  EXPECT_EQ(machine.cpus(), 3 * 32 + 2 * 64);
  const Platform platform = machine.platform();
  EXPECT_EQ(platform.rigid_dims, 2U);
  ASSERT_EQ(platform.nodes.size(), 5U);
  EXPECT_EQ(platform.nodes[0], (NodeSpec{0.5, {65536, 0}}));
  EXPECT_EQ(platform.nodes[4], (NodeSpec{1, {524288, 4}}));
  EXPECT_EQ(describe_kind(machine.kinds[1]), "2 nodes g# of 64 CPUs, 524288 MiB and 4 GPUs");
  EXPECT_THAT(or_throw(describe_guess(log_of(kCluster), {})),
              testing::HasSubstr("3 nodes c# of 32 CPUs and 65536 MiB; 2 nodes g# of 64 CPUs"));
}

TEST(Machine, GivenNodesAreEqual) {
  const Machine machine = or_throw(machine_of(log_of(kCluster), {5, 64, 524288}));
  EXPECT_TRUE(machine.kinds.empty());
  EXPECT_EQ(machine.platform(), Platform::homogeneous(5, 524288));
  // That changes the model, so users are told.
  for (const NodeShape& given : {NodeShape{5, 64, 524288}, NodeShape{5, 0, 0}}) {
    EXPECT_THAT(or_throw(describe_guess(log_of(kCluster), given)),
                testing::AllOf(testing::HasSubstr("all nodes are equal and without GPUs"),
                               testing::HasSubstr("2 nodes g# of 64 CPUs, 524288 MiB and 4 GPUs")));
  }
}

TEST(Machine, AlikeKindsAreOne) {
  const SacctLog racks = log_of({{32, "mem=64G", 1, "ra-n1"}, {30, "mem=60G", 1, "rb-n7"}});
  EXPECT_TRUE(infer_kinds(racks).empty());
  EXPECT_EQ(or_throw(machine_of(racks, {})).shape.nodes, 2);
  EXPECT_EQ(infer_kinds(log_of({{32, "mem=64G", 1, "ra-n1"}, {16, "mem=60G", 1, "rb-n7"}})).size(), 2U);
  // GPUs alone make a kind.
  EXPECT_EQ(infer_kinds(log_of({{32, "mem=64G,gres/gpu=1", 1, "n1"}})).size(), 1U);
}

TEST(Machine, JobsAtOnceShowThatANodeHasMore) {
  const std::vector<Row> rows{{32, "mem=64G", 1, "l1"}, {16, "mem=32G", 1, "b1"}, {16, "mem=32G", 1, "b1"}};
  EXPECT_TRUE(infer_kinds(log_of(rows)).empty()) << "b1 has 32 CPUs, too";
  // One after the other they show nothing: each ends before the next begins.
  std::vector<Row> apart = rows;
  for (Row& row : apart) row.seconds = 1;
  EXPECT_THAT(infer_kinds(log_of(apart)),
              testing::ElementsAre(NodeKind{"l#", {1, 32, 65536}, 0}, NodeKind{"b#", {1, 16, 32768}, 0}));
  // Where jobs share CPUs, their sum is no measure.
  std::vector<Row> shared = rows;
  for (int k = 0; k < 6; ++k) shared.push_back({16, "mem=16G", 1, "b1"});
  EXPECT_EQ(or_throw(machine_of(log_of(shared), {})).shape.cores, 32);
}

TEST(Machine, NamesThatTellNothing) {
  EXPECT_TRUE(infer_kinds(log_of({{32, "mem=64G", 1, ""}, {16, "mem=1G", 1, ""}})).empty());
  std::vector<Row> planets;
  for (char c = 'a'; c < 'a' + 20; ++c) planets.push_back({c % 3 + 1, "mem=1G", 1, std::string(3, c)});
  EXPECT_TRUE(infer_kinds(log_of(planets)).empty());
  // Nobody ran on the g nodes alone.
  EXPECT_TRUE(infer_kinds(log_of({{32, "mem=64G", 1, "c1"}, {64, "mem=64G", 2, "c1,g1"}})).empty());
}

TEST(Machine, JobsWithGpusWaitForThem) {
  const std::vector<Row> rows{{32, "cpu=32,mem=60G,node=1", 1, "c1"},
                              {64, "cpu=64,mem=100G,node=1,gres/gpu=4", 1, "g01"},
                              {4, "cpu=4,mem=1G,node=1,gres/gpu=3", 1, "g01", 50},
                              {4, "cpu=4,mem=1G,node=1", 1, "g01", 50},
                              {64, "cpu=64,mem=512G,node=1", 1, "g01"}};
  const Instance instance = or_throw(sacct_instance(log_of(rows), "test", {})).instance;
  ASSERT_EQ(instance.jobs.size(), 5U);
  EXPECT_EQ(instance.jobs[2].tasks, 1);
  EXPECT_EQ(instance.jobs[2].rigid[kGpus], 3);
  EXPECT_DOUBLE_EQ(instance.jobs[2].cpu_need, 4.0 / 64);
  EXPECT_EQ(instance.jobs[3].rigid[kGpus], 0);
  // A policy that pauses nothing: the third job waits until the second, which has all GPUs, has ended. The fourth does
  // not.
  const RunResult run = or_throw(simulate(instance, parse_algorithm("Greedy*/OPT=MIN").value(), {}));
  EXPECT_EQ(run.jobs[1].start, instance.jobs[1].submit);
  EXPECT_GE(run.jobs[2].start, run.jobs[1].end);
  EXPECT_EQ(run.jobs[3].start, instance.jobs[3].submit);
}

}  // namespace
}  // namespace dfrs::sim
