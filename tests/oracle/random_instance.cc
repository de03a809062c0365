// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/random_instance.h"

#include <algorithm>

#include "tests/oracle/random_case.h"

namespace dfrs::oracle {

sim::Instance random_instance(Dice& dice, const InstanceOptions& options) {
  sim::Instance instance;
  instance.name = "random";
  const int nodes = dice.between(1, options.max_nodes);
  instance.platform = sim::Platform::homogeneous(static_cast<std::size_t>(nodes), kNodeMemory);
  const int count = dice.between(1, options.max_jobs);
  Seconds submit = dice.chance(30) ? 0 : dice.between(0, 700);
  for (int k = 0; k < count; ++k) {
    const Requirements r = random_requirements(dice, options.whole_nodes ? nodes : 2 * nodes, false, 1);
    sim::Job job;
    job.id = static_cast<JobId>(k + 1);
    job.submit = submit;
    job.tasks = static_cast<int>(r.tasks);
    job.cpu_need = r.cpu_need;
    job.rigid = r.rigid;
    // A job must fit the empty cluster.
    const auto room = static_cast<int>(kNodeMemory / job.rigid[kMemory]) * nodes;
    job.tasks = std::min(job.tasks, room);
    job.run_time = dice.chance(5) ? 0 : dice.uniform() * (dice.chance(30) ? 4000 : 600);
    job.estimate = dice.chance(50) ? job.run_time : job.run_time * 3 * dice.uniform();
    instance.jobs.push_back(job);
    switch (dice.below(5)) {
      case 0:
        break;  // together with the next
      case 1:
        submit = 600 * (1 + static_cast<int>(submit / 600));
        break;
      default:
        submit += dice.uniform() * 300;
    }
  }
  return instance;
}

}  // namespace dfrs::oracle
