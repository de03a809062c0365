// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/nodes.h"

#include <gtest/gtest.h>

#include "tests/shim/controller/node_list.h"

namespace dfrs::shim {
namespace {

struct Cluster {
  Cluster() {
    list.add("n0", 4, 8000);
    list.add("n1", 2, 4000);
    list.update(nodes);
  }
  bool settle(std::uint64_t held0 = 0, std::uint64_t held1 = 0) {
    const std::vector<std::uint64_t> held{held0, held1};
    return nodes.settle(held);
  }
  NodeList list;
  Nodes nodes;
};

TEST(Nodes, CapacitiesAreRelativeToTheLargestNode) {
  Cluster cluster;
  EXPECT_EQ(cluster.nodes.reference_cpus(), 4u);
  const auto views = cluster.nodes.views();
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].spec.cpu, 1);
  EXPECT_EQ(views[1].spec.cpu, 0.5);
  EXPECT_EQ(views[0].spec.rigid[kMemory], 8000);
  EXPECT_TRUE(views[1].usable);
}

TEST(Nodes, WhatOthersHaveIsNotThere) {
  Cluster cluster;
  cluster.list.list[0].foreign_cpus = 3;
  cluster.list.list[0].foreign_memory = 1000;
  cluster.nodes.update(cluster.list.snapshot());
  EXPECT_TRUE(cluster.settle(500, 0));
  EXPECT_EQ(cluster.nodes.views()[0].spec.cpu, 0.25);
  EXPECT_EQ(cluster.nodes.views()[0].spec.rigid[kMemory], 6500);
  EXPECT_EQ(cluster.nodes[0].free_memory(), 6500);
}

TEST(Nodes, AFullNodeHasACapacityAllTheSameAndIsNotUsed) {
  Cluster cluster;
  cluster.list.list[1].foreign_cpus = 3;  // more than it has
  cluster.list.list[1].foreign_memory = 5000;
  cluster.list.update(cluster.nodes);
  const NodeView& view = cluster.nodes.views()[1];
  EXPECT_GT(view.spec.cpu, 0);
  EXPECT_LT(view.spec.cpu, 0.01);
  EXPECT_FALSE(view.usable);
  EXPECT_EQ(view.spec.rigid[kMemory], 0);
  EXPECT_EQ(cluster.nodes[1].free_memory(), -1000);
}

// Sums of them would not fit into 64 bits.
TEST(Nodes, AmountsOfMemoryAreBounded) {
  Cluster cluster;
  cluster.list.list[0].memory = UINT64_MAX;
  cluster.list.list[1].memory = UINT64_MAX;
  cluster.list.list[1].foreign_memory = std::uint64_t{1} << 63;
  cluster.list.update(cluster.nodes);
  EXPECT_GT(cluster.nodes.views()[0].spec.rigid[kMemory], std::int64_t{1} << 32);
  EXPECT_EQ(cluster.nodes.views()[1].spec.rigid[kMemory], 0);
  EXPECT_LE(cluster.nodes[1].free_memory(), 0);
}

TEST(Nodes, OnlyWhatThePolicySeesIsAChange) {
  Cluster cluster;
  EXPECT_FALSE(cluster.settle());
  const auto changed = [&] {
    cluster.nodes.update(cluster.list.snapshot());
    return cluster.settle();
  };
  EXPECT_FALSE(changed());
  cluster.list.list[0].completing = true;
  EXPECT_FALSE(changed()) << "an epilog is the reconciler's affair";
  EXPECT_TRUE(cluster.nodes[0].completing);
  cluster.list.list[0].address = "elsewhere";
  EXPECT_FALSE(changed());
  cluster.list.list[1].usable = false;
  EXPECT_TRUE(changed());
  EXPECT_FALSE(changed());
  cluster.list.list[1].memory = 3000;
  EXPECT_TRUE(changed());
  cluster.list.list[0].cpus = 8;
  EXPECT_TRUE(changed());
  EXPECT_TRUE(cluster.settle(1, 0));
  EXPECT_TRUE(cluster.settle(0, 0)) << "what was held is free";
}

// All nodes twice as large: capacities stay the same, and every job's need is halved.
TEST(Nodes, AnotherReferenceIsAChange) {
  Cluster cluster;
  for (dfrs_node& node : cluster.list.list) node.cpus *= 2;
  cluster.nodes.update(cluster.list.snapshot());
  EXPECT_EQ(cluster.nodes.reference_cpus(), 8u);
  EXPECT_TRUE(cluster.settle());
  EXPECT_EQ(cluster.nodes.views()[1].spec.cpu, 0.5);
  EXPECT_FALSE(cluster.settle());
}

TEST(Nodes, TheListChangesWithItsGenerationNamesOrLength) {
  Cluster cluster;
  const auto update = [&] { return cluster.list.update(cluster.nodes); };
  EXPECT_FALSE(update().list);
  ++cluster.list.generation;
  EXPECT_TRUE(update().list);
  EXPECT_FALSE(update().list);
  cluster.list.list[1].name = "other";
  EXPECT_TRUE(update().list);
  EXPECT_EQ(cluster.nodes[1].name, "other");
  cluster.list.add("n2", 1, 100);
  EXPECT_TRUE(update().list);
  EXPECT_EQ(cluster.nodes.views().size(), 3u);
  cluster.list.list.pop_back();
  EXPECT_TRUE(update().list);
  EXPECT_EQ(cluster.nodes.size(), 2u);
  EXPECT_TRUE(NodeList().update(cluster.nodes).list);
  EXPECT_EQ(cluster.nodes.reference_cpus(), 1u) << "of no nodes";
}

TEST(Nodes, AgentsAreElsewhereWhenAnAddressOrAPortIs) {
  Cluster cluster;
  const auto update = [&] { return cluster.list.update(cluster.nodes); };
  EXPECT_FALSE(update().addresses);
  cluster.list.list[0].address = "10.0.0.7";
  Nodes::Changes changes = update();
  EXPECT_TRUE(changes.addresses);
  EXPECT_FALSE(changes.list);
  EXPECT_EQ(cluster.nodes[0].address, "10.0.0.7");
  cluster.list.list[1].slurmd_port = 7000;
  EXPECT_TRUE(update().addresses);
  EXPECT_FALSE(update().addresses);
  ++cluster.list.generation;
  EXPECT_TRUE(update().addresses) << "another order: each index has another agent";
  cluster.list.list[0].address = nullptr;
  update();
  EXPECT_EQ(cluster.nodes[0].address, "");
}

TEST(Nodes, TheFirstListIsNew) {
  NodeList list;
  list.generation = 0;
  Nodes nodes;
  EXPECT_TRUE(nodes.update(list.snapshot()).list) << "even an empty one";
}

}  // namespace
}  // namespace dfrs::shim
