// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/campaign.h"
#include "policy/batch/options.h"
#include "policy/rr7659/options.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "policy/core/algorithm.h"
#include "sim/campaign/fingerprint.h"
#include "sim/campaign/store.h"
#include "sim/errors.h"
#include "sim/workload/lublin.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

std::vector<Instance> some_instances() {
  std::vector<Instance> instances;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    LublinOptions options;
    options.seed = seed;
    options.jobs = 60;
    options.nodes = 16;
    instances.push_back(or_throw(lublin_instance(options)));
  }
  return instances;
}

std::vector<Algorithm> some_algorithms() {
  std::vector<Algorithm> algorithms;
  for (const char* name : {"EASY", "GreedyPM*/per/OPT=MIN/MINVT=600", "/stretch-per/OPT=AVG"})
    algorithms.push_back(parse_algorithm(name).value());
  return algorithms;
}

TEST(CampaignThreads, GiveTheResultsOfOneThread) {
  const std::vector<Instance> instances = some_instances();
  const std::vector<Algorithm> algorithms = some_algorithms();
  const auto results = [&](unsigned threads) {
    CampaignOptions options;
    options.threads = threads;
    std::vector<std::size_t> reported;
    options.progress = [&](std::size_t done, std::size_t total) {
      EXPECT_EQ(total, 12U);
      reported.push_back(done);
    };
    std::vector<ResultRow> rows = or_throw(run_campaign(instances, algorithms, options));
    EXPECT_EQ(reported.size(), 12U) << "progress is told once for each simulation";
    return rows;
  };
  const std::vector<ResultRow> one = results(1);
  ASSERT_EQ(one.size(), 12U);
  EXPECT_EQ(one[0].instance, "lublin-1");
  EXPECT_EQ(one[0].algorithm, "EASY");
  EXPECT_EQ(one[2].instance, "lublin-1");
  EXPECT_EQ(one[3].instance, "lublin-2");
  EXPECT_EQ(results_csv(results(4), CpuSeconds::left_out), results_csv(one, CpuSeconds::left_out));
}

// Two campaigns in one process share a store, like two processes, each with its own threads. The store would refuse a
// simulation that runs twice.
TEST(CampaignThreads, ShareAStore) {
  const TemporaryFolder folder;
  const std::vector<Instance> instances = some_instances();
  const std::vector<Algorithm> algorithms = some_algorithms();
  const auto run = [&](ResultStore* store) {
    CampaignOptions options;
    options.threads = 3;
    options.store = store;
    return or_throw(run_campaign(instances, algorithms, options));
  };
  const std::vector<ResultRow> plain = run(nullptr);
  std::vector<std::vector<ResultRow>> shared(2);
  {
    std::vector<std::jthread> campaigns;
    for (std::vector<ResultRow>& rows : shared) {
      campaigns.emplace_back([&] {
        const auto store = or_throw(ResultStore::open(folder / "s.db", {}));
        rows = run(store.get());
      });
    }
  }
  EXPECT_EQ(results_csv(shared[0], CpuSeconds::written), results_csv(shared[1], CpuSeconds::written))
      << "with the times that one of them took";
  EXPECT_EQ(results_csv(shared[0], CpuSeconds::left_out), results_csv(plain, CpuSeconds::left_out));
}

// Identical jobs under two names are simulated once and reported under both.
TEST(CampaignThreads, AStoreTellsInstancesByTheirJobs) {
  const TemporaryFolder folder;
  std::vector<Instance> instances = some_instances();
  instances.resize(1);
  instances.push_back(instances[0]);
  instances[1].name = "the same again";
  const auto store = or_throw(ResultStore::open(folder / "s.db", {}));
  CampaignOptions options;
  options.threads = 2;
  options.store = store.get();
  const std::vector<ResultRow> rows = or_throw(run_campaign(instances, some_algorithms(), options));
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].instance, "lublin-1");
  EXPECT_EQ(rows[3].instance, "the same again");
  EXPECT_EQ(rows[0].cpu_seconds, rows[3].cpu_seconds);
}

// Parts with separate stores, merged, give the whole.
TEST(CampaignThreads, PartsMakeAWhole) {
  const TemporaryFolder folder;
  const std::vector<Instance> instances = some_instances();
  const std::vector<Algorithm> algorithms = some_algorithms();
  CampaignOptions options;
  options.threads = 2;
  const std::vector<ResultRow> plain = or_throw(run_campaign(instances, algorithms, options));

  const auto whole = or_throw(ResultStore::open(folder / "whole.db", {}));
  const std::vector<std::vector<std::size_t>> parts{{0, 1, 2, 3, 4}, {5, 11}, {7, 8, 9}};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string path = folder / std::to_string(k);
    {
      const auto part = or_throw(ResultStore::open(path, {}, ResultStore::Access::exclusive));
      options.store = part.get();
      std::size_t done = 0;
      options.progress = [&](std::size_t, std::size_t total) {
        ++done;
        EXPECT_EQ(total, parts[k].size());
      };
      or_throw(run_simulations(instances, algorithms, options, parts[k]));
      EXPECT_EQ(done, parts[k].size());
      EXPECT_EQ(or_throw(missing_simulations(instances, algorithms, options)).size(), 12 - parts[k].size());
    }
    or_throw(whole->take_in(path, {}));
  }
  options.progress = {};
  options.store = whole.get();
  EXPECT_EQ(or_throw(missing_simulations(instances, algorithms, options)), (std::vector<std::size_t>{6, 10}));
  std::vector<ResultRow> rows = or_throw(run_campaign(instances, algorithms, options));
  EXPECT_EQ(results_csv(rows, CpuSeconds::left_out), results_csv(plain, CpuSeconds::left_out));
  EXPECT_TRUE(or_throw(missing_simulations(instances, algorithms, options)).empty());
}

// Finished simulations are kept, and failed ones are unclaimed.
TEST(CampaignThreads, AFailureLeavesTheStoreInOrder) {
  const TemporaryFolder folder;
  std::vector<Instance> instances = some_instances();
  instances[1].jobs.back().rigid[kMemory] = instances[1].platform.nodes[0].rigid[kMemory] + 1;
  const auto store = or_throw(ResultStore::open(folder / "s.db", {}));
  CampaignOptions options;
  options.threads = 1;
  options.store = store.get();
  EXPECT_EQ(code_of(run_campaign(instances, some_algorithms(), options)), kExitInput);
  const std::string settings = campaign_settings(options);
  EXPECT_TRUE(or_throw(store->find({fingerprint(instances[0]), "EASY", settings})));
  const auto other = or_throw(ResultStore::open(folder / "s.db", {}));
  EXPECT_EQ(or_throw(other->claim({fingerprint(instances[1]), "EASY", settings})), ResultStore::Claim::mine);
}

// A new option must become part of a store's key.
TEST(Campaign, SettingsNameEveryOption) {
  CampaignOptions options;
  options.sim.penalty = 0.1;
  options.sim.engine.of<DfrsOptions>().period = 12000;
  options.sim.engine.of<BatchOptions>().pack_tasks = true;
  EXPECT_EQ(campaign_settings(options),
            "penalty 0.1 s (expected 300 s x 1), period 12000 s, stretch floor 10 s, priority floor 0 s, events apart, "
            "ticks apart, batch "
            "passes per instant, batch nodes packed, paused work kept");
  options.sim.pauses = PauseWorld::all(PauseEffect::lost);
  options.sim.lost_work = {90, 2};
  EXPECT_NE(campaign_settings(options).find("paused work lost (least progress 90 s, most lost runs 2)"),
            std::string::npos);
  options.sim.pauses = PauseWorld{};
  options.sim.lost_work.requeue_kept = true;
  EXPECT_NE(campaign_settings(options).find("paused work kept, requeued after 90 s of progress"), std::string::npos);
}

TEST(CampaignThreads, ReturnTheFirstError) {
  std::vector<Instance> instances = some_instances();
  // A job that needs more memory than any node has: no algorithm can ever run it.
  for (const std::size_t broken : {1U, 3U}) {
    instances[broken].jobs.back().rigid[kMemory] = instances[broken].platform.nodes[0].rigid[kMemory] + 1;
  }
  CampaignOptions options;
  options.threads = 4;
  EXPECT_EQ(code_of(run_campaign(instances, some_algorithms(), options)), kExitInput);
}

}  // namespace
}  // namespace dfrs::sim
