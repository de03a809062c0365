// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/interval_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lemon/preflow.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace dfrs::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CongestedJob make_job(Seconds begin, Seconds end, double work, double rate) {
  return {.job = 0, .begin = begin, .end = end, .work = work, .rate = rate, .size = end - begin};
}

TEST(IntervalSchedule, CompletesWhatFits) {
  EXPECT_THAT(IntervalSchedule({make_job(0, 10, 10, 1), make_job(0, 10, 10, 1)}, 2).overloaded_jobs(), IsEmpty());
  EXPECT_THAT(IntervalSchedule({make_job(0, 10, 20, 2)}, 2).overloaded_jobs(), IsEmpty());
}

TEST(IntervalSchedule, NamesAnOverloadedJob) {
  EXPECT_THAT(IntervalSchedule({make_job(0, 10, 10 + 1e-8, 1), make_job(0, 10, 5, 2)}, 2).overloaded_jobs(),
              ElementsAre(0));
}

// By deadlines alone the first job would fill 0 .. 1, and the second, at its rate of 1, could no longer do 2.5 by 3.
TEST(IntervalSchedule, MovesWorkWhereDeadlinesMislead) {
  const CongestedPart part{make_job(0, 2, 2, 2), make_job(0, 3, 2.5, 1), make_job(1, 3, 1.5, 1)};
  EXPECT_THAT(IntervalSchedule(part, 2).overloaded_jobs(), IsEmpty());
}

/// The most work that can be done, by LEMON; integer instants, rates and speed.
std::int64_t maximum_flow(const CongestedPart& part, int cpu, int horizon) {
  using Graph = lemon::SmartDigraph;
  Graph graph;
  Graph::ArcMap<std::int64_t> limit(graph);
  const Graph::Node source = graph.addNode();
  const Graph::Node sink = graph.addNode();
  std::vector<Graph::Node> seconds;
  for (int t = 0; t < horizon; ++t) {
    seconds.push_back(graph.addNode());
    limit[graph.addArc(seconds.back(), sink)] = cpu;
  }
  for (const CongestedJob& job : part) {
    const Graph::Node node = graph.addNode();
    limit[graph.addArc(source, node)] = static_cast<std::int64_t>(job.work);
    for (int t = static_cast<int>(job.begin); t < static_cast<int>(job.end); ++t)
      limit[graph.addArc(node, seconds[static_cast<std::size_t>(t)])] = static_cast<std::int64_t>(job.rate);
  }
  lemon::Preflow<Graph, Graph::ArcMap<std::int64_t>> flow(graph, limit, source, sink);
  flow.runMinCut();
  return flow.flowValue();
}

TEST(IntervalSchedule, AgreesWithAMaximumFlow) {
  int overloads = 0;
  int complete = 0;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto cpu = static_cast<int>(1 + random() % 5);
    CongestedPart part;
    std::int64_t total = 0;
    int horizon = 0;
    int begin = 0;
    for (auto n = 2 + random() % 25; n > 0; --n) {
      begin += static_cast<int>(random() % 4);
      const auto length = static_cast<int>(1 + random() % 15);
      const auto rate = static_cast<int>(1 + random() % cpu);
      const auto most = static_cast<unsigned long>(length * rate);
      const auto work = static_cast<int>(1 + random() % (1 + most / (1 + random() % 4)));
      part.push_back(make_job(begin, begin + length, std::min<int>(work, length * rate), rate));
      total += static_cast<std::int64_t>(part.back().work);
      horizon = std::max(horizon, begin + length);
    }
    const std::int64_t most = maximum_flow(part, cpu, horizon);
    const std::vector<std::uint32_t> overloaded = IntervalSchedule(part, cpu).overloaded_jobs();
    EXPECT_EQ(overloaded.empty(), most == total);
    ++(overloaded.empty() ? complete : overloads);
    if (overloaded.empty()) continue;
    // The reported jobs really are overloaded.
    double work = 0;
    double room = 0;
    for (const std::uint32_t j : overloaded) work += part[j].work;
    for (int t = 0; t < horizon; ++t) {
      double rates = 0;
      for (const std::uint32_t j : overloaded) rates += part[j].begin <= t && t < part[j].end ? part[j].rate : 0;
      room += std::min<double>(cpu, rates);
    }
    EXPECT_GT(work, room);
    EXPECT_TRUE(std::is_sorted(overloaded.begin(), overloaded.end()));
    // A tiny overload elsewhere in time does not hide them.
    part.push_back(make_job(horizon + 1, horizon + 11, 10 + 1e-8, 1));
    EXPECT_LT(IntervalSchedule(part, cpu).overloaded_jobs().front(), part.size() - 1);
  }
  EXPECT_GT(overloads, 300);
  EXPECT_GT(complete, 300);
}

}  // namespace
}  // namespace dfrs::sim
