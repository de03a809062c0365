// SPDX-License-Identifier: GPL-2.0-or-later
// Threads of the control port beside the scheduling thread: for ThreadSanitizer, and for consistent answers.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/shim/fake_slurm.h"

namespace dfrs::shim {
namespace {

TEST(InspectionThreads, ReadersSeeWholeStates) {
  FakeSlurm slurm(7,
                  "Algorithm=GreedyPM*/per/OPT=MIN/MINVT=5\nPeriod=5\nPartitions=dfrs\nPauseBy=suspend,requeue\n"
                  "LostWork=accept\nSuspendNeedsSwap=no\nMinProgress=0\nQuotaMode=enforce\nCommentInterval=1\n");
  slurm.add_nodes(4, 4, 4000);
  slurm.start_controller();
  Host& host = host_of(*slurm.controller());
  std::atomic<bool> stop = false;
  std::atomic<int> answers = 0, wrong = 0;
  std::vector<std::thread> readers;
  for (int k = 0; k < 3; ++k) {
    readers.emplace_back([&, k] {
      for (std::uint32_t turn = 0; !stop; ++turn) {
        const ControllerStatus status = host.controller().status();
        for (const NodeStatus& node : status.nodes) {
          if (node.used_memory_mib > node.memory_mib) ++wrong;
        }
        for (const JobStatus& job : status.jobs) {
          if (job.situation == JobSituation::running && job.nodes.empty()) ++wrong;
        }
        (void)host.controller().explain(turn % 60);
        if (k == 0) (void)host.controller().repack_dry_run();
        if (k == 1 && turn % 50 == 10) (void)host.recorder().on(slurm.folder() / ("record" + std::to_string(turn)));
        if (k == 1 && turn % 50 == 40) host.recorder().off();
        ++answers;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  oracle::Dice dice(3);
  for (int k = 0; k < 60; ++k) {
    FakeJob job;
    job.tasks = static_cast<std::uint32_t>(dice.between(1, 4));
    job.memory = static_cast<std::uint64_t>(dice.between(200, 3000));
    job.work = dice.between(1, 20);
    slurm.submit(job);
    slurm.run_for(2 * dice.uniform());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE(slurm.run_to_end(5000));
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_TRUE(slurm.violations.empty()) << slurm.violations.front();
  EXPECT_GT(answers, 10);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace dfrs::shim
