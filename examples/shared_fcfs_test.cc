// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "sim/errors.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {
namespace {

// One node. Three jobs of a whole node's CPU and 100 s each, then one that wants a tenth of it for 10 s.
Instance four_jobs() {
  Instance instance;
  instance.name = "by-hand";
  instance.platform = Platform::homogeneous(1, 100);
  for (int k = 0; k < 4; ++k) {
    Job job;
    job.id = static_cast<JobId>(k) + 1;
    job.cpu_need = k == 3 ? 0.1 : 1;
    job.rigid[kMemory] = 10;
    job.run_time = job.estimate = k == 3 ? 10 : 100;
    instance.jobs.push_back(job);
  }
  return instance;
}

TEST(SharedFcfs, TwoShareANodeAndNobodyOvertakes) {
  const RunResult r = or_throw(simulate(four_jobs(), parse_algorithm("SharedFCFS").value(), {}));
  EXPECT_EQ(r.jobs[1].start, 0);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 200);  // both at half speed: the load is 2
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 200);
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 200);
  EXPECT_DOUBLE_EQ(r.jobs[3].start, 200);  // small as it is, it waits for its turn
  // The jobs want 1.1 times the node's CPU, so each gets 1/1.1 of what it wants.
  EXPECT_DOUBLE_EQ(r.jobs[3].end, 200 + 10 / (1 / 1.1));
}

TEST(SharedFcfs, TheLimitIsAParameter) {
  const RunResult r = or_throw(simulate(four_jobs(), parse_algorithm("sharedfcfs/load=0.5").value(), {}));
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 100);  // alone: its own load already exceeds the limit
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 100);
  EXPECT_EQ(algorithm_name(parse_algorithm("SharedFCFS/LOAD=2").value()), "SharedFCFS");
  EXPECT_NE(parse_algorithm("SharedFCFS/LOAD=no").error().message.find("positive number"), std::string::npos);
}

}  // namespace
}  // namespace dfrs::sim
