// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/policy.h"
#include "policy/rr7659/algorithm.h"

#include <algorithm>
#include <cmath>

#include "tests/oracle/greedy.h"
#include "tests/oracle/mcb8.h"

namespace dfrs::oracle {

using Submission = DfrsAlgorithm::Submission;

void decide(World& world, const DfrsAlgorithm& algorithm, const StepInput& step, Seconds period) {
  const bool uses_mcb8 = algorithm.on_submission == Submission::mcb8;
  const auto fill = [&](const std::vector<JobSlot>& without) {
    std::vector<JobSlot> candidates;
    for (JobSlot job : world.order) {
      if (std::count(without.begin(), without.end(), job) == 0 && !world.jobs[job].placed()) candidates.push_back(job);
    }
    greedy_fill(world, candidates);
  };
  if (step.freed && algorithm.opportunistic && !uses_mcb8) fill(step.submitted);
  for (JobSlot job : step.submitted) {
    switch (algorithm.on_submission) {
      case Submission::nothing:
      case Submission::mcb8:
        break;
      case Submission::greedy:
        greedy_place(world, job);
        break;
      case Submission::greedy_p:
        greedy_admit(world, job, false, algorithm.places_first);
        break;
      case Submission::greedy_pm:
        greedy_admit(world, job, true, algorithm.places_first);
        break;
    }
  }
  if (step.tick && algorithm.periodic == DfrsAlgorithm::Periodic::mcb8_stretch) {
    mcb8_stretch(world, algorithm.limit, period, algorithm.ties, algorithm.fine ? 1e-4 : 0.01);
  } else if (step.tick || (uses_mcb8 && (!step.submitted.empty() || (step.freed && algorithm.opportunistic)))) {
    mcb8(world, algorithm.limit, algorithm.ties);
  }
  if (step.tick && algorithm.fills) fill({});
}

bool is_tick_time(Seconds now, Seconds period) { return std::round(now / period) * period == now; }

Seconds tick_after(Seconds now, Seconds period) { return (std::floor(now / period) + 1) * period; }

}  // namespace dfrs::oracle
