// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/memory_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sim/errors.h"
#include "sim/workload/load.h"
#include "tests/cli/samples.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;

Instance machine(std::size_t nodes, RigidAmount memory, int jobs, int tasks = 1) {
  Instance instance{"machine", Platform::homogeneous(nodes, memory), {}};
  for (int k = 1; k <= jobs; ++k) {
    Job job;
    job.id = static_cast<JobId>(k);
    job.tasks = tasks;
    job.run_time = 1;
    instance.jobs.push_back(job);
  }
  return instance;
}

// 55 % of the jobs 10 %, 5 % each 20, 30 .. 100 %: of 200,000 jobs within 5 standard deviations.
TEST(MemoryModel, HasThePublishedDistribution) {
  constexpr int kJobs = 200'000;
  Instance instance = machine(4, 1000, kJobs);
  draw_memory(instance, {});
  std::map<RigidAmount, double> counts;
  for (const Job& job : instance.jobs) ++counts[job.rigid[kMemory]];
  ASSERT_EQ(counts.size(), 10U);
  EXPECT_NEAR(counts.at(100) / kJobs, 0.55, 5 * 0.0012);
  for (RigidAmount amount = 200; amount <= 1000; amount += 100) {
    EXPECT_NEAR(counts.at(amount) / kJobs, 0.05, 5 * 0.0005) << amount;
  }
}

TEST(MemoryModel, DrawsByTheSeedAndTheJobAlone) {
  Instance all = machine(4, 1000, 500);
  Instance last = all;
  last.jobs.erase(last.jobs.begin(), last.jobs.begin() + 400);
  draw_memory(all, {});
  draw_memory(last, {});
  for (std::size_t k = 0; k < last.jobs.size(); ++k) EXPECT_EQ(last.jobs[k].rigid, all.jobs[400 + k].rigid) << k;
  Instance other = machine(4, 1000, 500);
  MemoryModel seeded;
  seeded.seed = 2;
  draw_memory(other, seeded);
  EXPECT_NE(other.jobs, all.jobs);
}

TEST(MemoryModel, IsOfAProcessorsPart) {
  Instance whole = machine(4, 1000, 500);
  Instance parts = whole;
  draw_memory(whole, {});
  MemoryModel model;
  model.cores = 5;
  draw_memory(parts, model);
  for (std::size_t k = 0; k < whole.jobs.size(); ++k) {
    EXPECT_EQ(parts.jobs[k].rigid[kMemory], whole.jobs[k].rigid[kMemory] / 5);
  }
}

// Ten tasks on four nodes: three on some node, so that each has a third of it at most.
TEST(MemoryModel, LeavesRoomForAllTasksOfAJob) {
  Instance instance = machine(4, 1000, 500, 10);
  draw_memory(instance, {});
  RigidAmount most = 0;
  for (const Job& job : instance.jobs) most = std::max(most, job.rigid[kMemory]);
  EXPECT_EQ(most, 333);
  EXPECT_EQ(most_memory(instance.jobs.front(), instance.platform), 333);
}

TEST(MemoryModel, NodesWithoutMemoryGetSome) {
  Instance instance = machine(2, 0, 10);
  draw_memory(instance, {});
  for (const NodeSpec& node : instance.platform.nodes) EXPECT_EQ(node.rigid[kMemory], 10240);
  for (const Job& job : instance.jobs) EXPECT_EQ(job.rigid[kMemory] % 1024, 0);
}

TEST(MemoryModel, Names) {
  EXPECT_EQ(or_throw(parse_memory_model("lublin")).seed, 1U);
  EXPECT_EQ(or_throw(parse_memory_model("lublin:7")).seed, 7U);
  for (const char* wrong : {"", "lublim", "lublin:", "lublin:x", "lublin:-1", "Lublin"}) {
    EXPECT_THAT(message_of(kExitUsage, parse_memory_model(wrong)), HasSubstr("expected lublin")) << wrong;
  }
}

// The log's memory data is ignored; a week of it has the same memory as the whole.
TEST(MemoryModel, OfALog) {
  std::string log = "; MaxProcs: 4\n";
  for (int k = 0; k < 40; ++k) log += swf_line(k + 1, 50'000.0 * k, 100, 1 + k % 4, -1, 9e9);
  LoadOptions options;
  options.memory_model = MemoryModel{};
  const std::vector<Instance> whole = or_throw(load_instances_from_text(log, "log", options)).instances;
  options.weeks = true;
  const std::vector<Instance> weeks = or_throw(load_instances_from_text(log, "log", options)).instances;
  ASSERT_EQ(weeks.size(), 4U);
  std::size_t k = 0;
  for (const Instance& week : weeks) {
    for (const Job& job : week.jobs) EXPECT_EQ(job.rigid, whole.front().jobs[k++].rigid);
  }
  EXPECT_EQ(k, 40U);
  EXPECT_EQ(weeks.front().platform.nodes.front().rigid[kMemory], 10240);
}

}  // namespace
}  // namespace dfrs::sim
