// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/memory_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/workload/lublin.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/random.h"

namespace dfrs::sim {
namespace {

constexpr std::uint64_t kMemorySeed = 0x6d656d6f72790000;  // keeps these draws independent of a job's other properties

RigidAmount smallest_node(const Platform& platform) {
  RigidAmount least = platform.nodes.empty() ? 0 : platform.nodes.front().rigid[kMemory];
  for (const NodeSpec& node : platform.nodes) least = std::min(least, node.rigid[kMemory]);
  return least;
}

// The number of the job's tasks on its fullest node, if they are spread evenly.
RigidAmount tasks_on_a_node(const Job& job, const Platform& platform) {
  const auto nodes = static_cast<RigidAmount>(std::max<std::size_t>(platform.nodes.size(), 1));
  return (job.tasks + nodes - 1) / nodes;
}

}  // namespace

Result<MemoryModel> parse_memory_model(std::string_view text) {
  constexpr std::string_view kName = "lublin";
  MemoryModel model;
  std::int64_t seed = 0;
  const std::size_t colon = text.find(':');
  const bool seeded = colon != std::string_view::npos;
  const bool wrong_seed = seeded && (parse_integer(text.substr(colon + 1), seed) != NumberStatus::kOk || seed < 0);
  if (text.substr(0, colon) != kName || wrong_seed) {
    return usage_error(fmt::format("memory model '{}': expected lublin, or lublin:SEED with a whole number", text));
  }
  if (seeded) model.seed = static_cast<std::uint64_t>(seed);
  return model;
}

RigidAmount most_memory(const Job& job, const Platform& platform) {
  return smallest_node(platform) / tasks_on_a_node(job, platform);
}

void draw_memory(Instance& instance, const MemoryModel& model) {
  for (NodeSpec& node : instance.platform.nodes) {
    if (node.rigid[kMemory] == 0) node.rigid[kMemory] = model.node_mib;
  }
  const RigidAmount node = smallest_node(instance.platform);
  for (Job& job : instance.jobs) {
    Random random(kMemorySeed + model.seed, job.id);
    const RigidAmount drawn = node * lublin_memory_tenths(model.small_memory_prob, random) / (10 * model.cores);
    job.rigid[kMemory] = std::min(drawn, node / tasks_on_a_node(job, instance.platform));
  }
}

}  // namespace dfrs::sim
