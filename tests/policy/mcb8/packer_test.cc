// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/packer.h"

#include <gtest/gtest.h>

#include <functional>

#include "policy/mcb8/repack.h"
#include "tests/oracle/mcb8.h"
#include "tests/oracle/random_case.h"

namespace dfrs {
namespace {

using Nodes = std::vector<NodeIndex>;
using oracle::PackJob;
using oracle::SnapshotCase;

// Some items of the case's jobs; a few running ones stay on their nodes.
std::vector<Packer::Item> items_of(oracle::Dice& dice, const SnapshotCase& random) {
  std::vector<Packer::Item> items;
  for (JobSlot job : random.order) {
    const JobView& spec = random.jobs[job];
    if (dice.chance(15)) continue;
    Packer::Item item;
    item.job = job;
    item.spec = &spec;
    if (spec.state == JobState::running && dice.chance(25)) {
      item.pinned = true;
      item.nodes = spec.nodes;
    }
    items.push_back(item);
  }
  return items;
}

std::vector<PackJob> reference_of(const std::vector<Packer::Item>& items) {
  std::vector<PackJob> jobs;
  for (const Packer::Item& item : items) {
    jobs.push_back({item.job, item.cpu, Nodes(item.nodes.begin(), item.nodes.end())});
  }
  return jobs;
}

struct Prepared {
  Prepared(oracle::Dice& dice, const SnapshotCase& random) : world(random.world()), items(items_of(dice, random)) {
    state.resync(random.view());
    packer.prepare(state, items);
  }

  const oracle::World world;
  std::vector<Packer::Item> items;
  ClusterState state;
  Packer packer;
};

class PackerCases : public testing::TestWithParam<bool> {};

TEST_P(PackerCases, PacksAsTheReferenceAtEveryYield) {
  int packed = 0, failed = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(4000); ++seed) {
    oracle::Dice dice(seed);
    const SnapshotCase random(dice, {.max_nodes = 8, .max_jobs = 14, .max_tasks = 5, .general = GetParam()});
    Prepared prepared(dice, random);
    auto& [world, items, state, packer] = prepared;
    for (const double yield : {0.01, 1.0, 0.505, 0.25, 0.7525, 0.125}) {
      for (Packer::Item& item : items) item.cpu = item.spec->cpu_need * yield;
      const auto expected = oracle::pack(world, reference_of(items));
      ASSERT_EQ(packer.pack_scaled(yield), expected.has_value()) << "seed " << seed << " yield " << yield;
      ++(expected ? packed : failed);
      if (!expected) continue;
      packer.lay_out();
      for (std::size_t k = 0; k < items.size(); ++k) {
        const auto nodes = packer.nodes_of(items[k]);
        ASSERT_EQ(Nodes(nodes.begin(), nodes.end()), (*expected)[k])
            << "seed " << seed << " yield " << yield << " item " << k;
      }
    }
  }
  EXPECT_GT(packed, 500);
  EXPECT_GT(failed, 500);
}

TEST_P(PackerCases, PacksAsTheReferenceWithAYieldPerJob) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    oracle::Dice dice(seed);
    const SnapshotCase random(dice, {.max_nodes = 8, .max_jobs = 14, .max_tasks = 5, .general = GetParam()});
    Prepared prepared(dice, random);
    auto& [world, items, state, packer] = prepared;
    for (int round = 0; round < 3; ++round) {
      for (Packer::Item& item : items) item.cpu = item.spec->cpu_need * dice.between(1, 16) / 16;
      const auto expected = oracle::pack(world, reference_of(items));
      ASSERT_EQ(packer.pack(), expected.has_value()) << "seed " << seed;
      if (expected) packer.lay_out();
      for (std::size_t k = 0; expected && k < items.size(); ++k) {
        const auto nodes = packer.nodes_of(items[k]);
        ASSERT_EQ(Nodes(nodes.begin(), nodes.end()), (*expected)[k]) << "seed " << seed << " item " << k;
      }
    }
  }
}

// Lists long enough to be searched in blocks, nodes of all kinds, jobs left out between two packings.
TEST_P(PackerCases, PacksManyJobsAsTheReference) {
  int packed = 0, failed = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(60); ++seed) {
    oracle::Dice dice(seed);
    const SnapshotCase random(dice, {.max_nodes = 150, .max_jobs = 90, .max_tasks = 12, .general = GetParam()});
    Prepared prepared(dice, random);
    auto& [world, items, state, packer] = prepared;
    for (const double yield : {0.01, 1.0, 0.5, 0.25, 0.125}) {
      for (std::uint32_t k = 0; k < items.size(); ++k) {
        if (!items[k].excluded && dice.chance(5)) packer.exclude(k);
        items[k].cpu = items[k].spec->cpu_need * (yield < 0.2 ? dice.between(1, 16) / 16.0 : yield);
      }
      std::vector<Packer::Item> packed_items;
      for (const Packer::Item& item : items) {
        if (!item.excluded) packed_items.push_back(item);
      }
      const auto expected = oracle::pack(world, reference_of(packed_items));
      ASSERT_EQ(yield < 0.2 ? packer.pack() : packer.pack_scaled(yield), expected.has_value())
          << "seed " << seed << " yield " << yield;
      ++(expected ? packed : failed);
      if (!expected) continue;
      packer.lay_out();
      for (std::size_t k = 0, at = 0; k < items.size(); ++k) {
        if (items[k].excluded) continue;
        const auto nodes = packer.nodes_of(items[k]);
        ASSERT_EQ(Nodes(nodes.begin(), nodes.end()), (*expected)[at++]) << "seed " << seed << " item " << k;
      }
    }
  }
  EXPECT_GT(packed, 20);
  EXPECT_GT(failed, 20);
}

INSTANTIATE_TEST_SUITE_P(Platforms, PackerCases, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "General" : "EqualNodes"; });

// Many equal nodes and jobs of many tasks: the case for filling runs of nodes in one step.
TEST(Packer, PacksLongRunsAsTheReference) {
  int packed = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    oracle::Dice dice(seed);
    const SnapshotCase random(dice, {.max_nodes = 40, .max_jobs = 10, .max_tasks = 40});
    const oracle::World world = random.world();
    std::vector<Packer::Item> items = items_of(dice, random);
    ClusterState state;
    state.resync(random.view());
    Packer packer;
    packer.prepare(state, items);
    for (const double yield : {0.01, 0.505, 1.0}) {
      for (Packer::Item& item : items) item.cpu = item.spec->cpu_need * yield;
      const auto expected = oracle::pack(world, reference_of(items));
      ASSERT_EQ(packer.pack_scaled(yield), expected.has_value()) << "seed " << seed << " yield " << yield;
      packed += expected ? 1 : 0;
      if (expected) packer.lay_out();
      for (std::size_t k = 0; expected && k < items.size(); ++k) {
        const auto nodes = packer.nodes_of(items[k]);
        ASSERT_EQ(Nodes(nodes.begin(), nodes.end()), (*expected)[k]) << "seed " << seed << " item " << k;
      }
    }
  }
  EXPECT_GT(packed, 20);
}

// Exhaustive search: can these tasks be packed at all?
bool packable(const oracle::World& world, const std::vector<PackJob>& jobs) {
  struct Task {
    double cpu;
    RigidAmount memory;
  };
  std::vector<Task> tasks;
  for (const PackJob& job : jobs) {
    for (std::uint32_t t = 0; t < world.jobs[job.job].tasks; ++t) {
      tasks.push_back({job.cpu, world.jobs[job.job].rigid[kMemory]});
    }
  }
  std::vector<double> cpu(world.nodes.size(), 0.0);
  std::vector<RigidAmount> memory(world.nodes.size(), 0);
  const std::function<bool(std::size_t)> assign = [&](std::size_t k) {
    if (k == tasks.size()) return true;
    for (std::size_t n = 0; n < cpu.size(); ++n) {
      if (cpu[n] + tasks[k].cpu > world.nodes[n].spec.cpu * (1 + 1e-9)) continue;
      if (memory[n] + tasks[k].memory > world.nodes[n].spec.rigid[kMemory]) continue;
      cpu[n] += tasks[k].cpu, memory[n] += tasks[k].memory;
      if (assign(k + 1)) return true;
      cpu[n] -= tasks[k].cpu, memory[n] -= tasks[k].memory;
    }
    return false;
  };
  return assign(0);
}

TEST(Packer, SuccessMeansThatAPackingExists) {
  int packed = 0, impossible = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    oracle::Dice dice(seed);
    const SnapshotCase random(dice, {.max_nodes = 4, .max_jobs = 4, .max_tasks = 2});
    const oracle::World world = random.world();
    std::vector<Packer::Item> items;
    for (JobSlot job : random.order) {
      items.push_back({});
      items.back().job = job;
      items.back().spec = &random.jobs[job];
    }
    ClusterState state;
    state.resync(random.view());
    Packer packer;
    packer.prepare(state, items);
    const double yield = dice.pick<double>({0.01, 0.25, 0.5, 0.75, 1});
    for (Packer::Item& item : items) item.cpu = item.spec->cpu_need * yield;
    const bool exists = packable(world, reference_of(items));
    const bool found = packer.pack_scaled(yield);
    ASSERT_TRUE(exists || !found) << "seed " << seed;
    packed += found ? 1 : 0;
    impossible += exists ? 0 : 1;
    missed += exists && !found ? 1 : 0;
  }
  EXPECT_GT(packed, 100);
  EXPECT_GT(impossible, 50);
  EXPECT_LT(missed, packed / 10) << "a heuristic, but a good one";
}

// MCB8's yield is at most the best possible one, found by exhaustive search on the same scale.
TEST(Packer, YieldIsAtMostTheOptimum) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(600); ++seed) {
    oracle::Dice dice(seed);
    const SnapshotCase random(dice, {.max_nodes = 3, .max_jobs = 3, .max_tasks = 2});
    oracle::World world = random.world();
    std::vector<PackJob> jobs;
    for (JobSlot job : random.order) jobs.push_back({job, 0, {}});
    const auto possible = [&](double yield) {
      for (PackJob& job : jobs) job.cpu = world.jobs[job.job].cpu_need * yield;
      return packable(world, jobs);
    };
    if (!possible(0.01)) continue;  // jobs would be left out
    double low = 0.01, high = 1;
    if (possible(1)) low = 1;
    while (low < 1 && high - low > 1e-6) (possible((low + high) / 2) ? low : high) = (low + high) / 2;

    ClusterState state;
    state.resync(random.view());
    state.begin();
    const double yield = Repack().max_yield(state, random.view(), PriorityRule{}, RemapLimit{});
    bool all_run = true;
    for (JobSlot job : random.order) all_run = all_run && state.placed(job);
    if (all_run) {
      ASSERT_LE(yield, low + 2e-6) << "seed " << seed;
    }
  }
}

class PackerByHand : public testing::Test {
 protected:
  void item(std::uint32_t tasks, double cpu, RigidAmount memory) {
    JobView& spec = specs_.emplace_back();
    spec.tasks = tasks;
    spec.cpu_need = cpu;
    spec.rigid[kMemory] = memory;
    items_.push_back({});
    items_.back().job = static_cast<JobSlot>(items_.size() - 1);
    items_.back().spec = &spec;
    items_.back().cpu = cpu;
  }
  std::vector<Nodes> pack(std::size_t nodes) {
    const std::vector<NodeView> views(nodes, {{1, {16}}, true});
    ClusterState state;
    state.resync({0, views, {}, 1});
    Packer packer;
    packer.prepare(state, items_);
    std::vector<Nodes> result;
    if (!packer.pack()) return result;
    packer.lay_out();
    for (const Packer::Item& i : items_) {
      result.emplace_back(packer.nodes_of(i).begin(), packer.nodes_of(i).end());
    }
    return result;
  }

  std::deque<JobView> specs_;
  std::vector<Packer::Item> items_;
};

TEST_F(PackerByHand, AgainstTheImbalance) {
  // CPU list: a (12/16), b (8/16). Memory list: c (10/16), d (9/16).
  item(1, 0.75, 2);
  item(1, 0.5, 2);
  item(1, 0.125, 10);
  item(1, 0.25, 9);
  // Node 0 is balanced: a. Left: CPU 4/16, memory 14/16, so memory: c fits (2/16, 10). Left 2/16, 4/16: memory again,
  // d does not fit; b does not. Node 1: b; then memory list: d.
  EXPECT_EQ(pack(2), (std::vector<Nodes>{{0}, {1}, {0}, {1}}));
}

TEST_F(PackerByHand, EqualRequirementsGoToTheMemoryList) {
  item(1, 0.5, 8);     // memory list, by the rule for ties
  item(1, 0.375, 1);   // CPU list: the balanced node begins with it
  item(1, 0.625, 10);  // memory list
  // Node 0: CPU first: the second job. Left 10/16 CPU, 15/16 memory: memory list: the third (10). Left 0 CPU.
  EXPECT_EQ(pack(2), (std::vector<Nodes>{{1}, {0}, {0}}));
}

TEST_F(PackerByHand, EqualItemsKeepSubmissionOrder) {
  item(1, 1.0, 4);
  item(1, 1.0, 4);
  EXPECT_EQ(pack(2), (std::vector<Nodes>{{0}, {1}}));
}

TEST_F(PackerByHand, FailsWhereMemoryDoes) {
  item(3, 0.25, 9);
  EXPECT_EQ(pack(2), (std::vector<Nodes>{}));
  EXPECT_EQ(pack(3), (std::vector<Nodes>{{0, 1, 2}}));
}

}  // namespace
}  // namespace dfrs
