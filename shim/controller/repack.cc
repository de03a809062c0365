// SPDX-License-Identifier: GPL-2.0-or-later
// What a repack of all jobs would do now, computed by a separate engine on a copy of the live view.
#include <cmath>
#include <optional>

#include "policy/core/node_runs.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/options.h"
#include "shim/controller/inspection.h"
#include "shim/controller/situation.h"

namespace dfrs::shim {
namespace {

// Ticks fall on multiples of the period. Shifts all times so that one is due now.
void shift_to_tick(ClusterView& view, std::vector<JobView>& jobs, Seconds period) {
  Seconds tick = std::ceil(view.now / period) * period;
  while (std::ceil(tick / period) * period > tick) tick = (std::ceil(tick / period) + 1) * period;
  const Seconds shift = tick - view.now;
  view.now = tick;
  for (JobView& job : jobs) {
    job.submit += shift;
    job.clock.since += shift;
  }
}

// Only the repack of RR-7659's algorithms; of the other families, what the algorithm would decide on a restart.
void ask_for_repack(RepackInput& input, ClusterView& view) {
  std::optional<DfrsAlgorithm> dfrs = dfrs_algorithm(input.algorithm);
  if (!dfrs) return;
  if (dfrs->periodic == DfrsAlgorithm::Periodic::nothing) dfrs->periodic = DfrsAlgorithm::Periodic::mcb8;
  dfrs->opportunistic = false;
  dfrs->on_submission = DfrsAlgorithm::Submission::nothing;
  input.algorithm = named(*dfrs);
  shift_to_tick(view, input.jobs, input.options.of<DfrsOptions>().period);
}

Places name_places(std::span<const NodeIndex> list, const std::vector<std::string>& names) {
  Places out;
  each_node_run(list, [&](NodeIndex n, std::uint32_t tasks) { out.emplace_back(names[n], tasks); });
  return out;
}

// By slot; 0 for jobs that do not run.
std::vector<double> yields_of(const std::vector<JobView>& jobs) {
  std::vector<double> yields;
  for (const JobView& job : jobs) yields.push_back(job.state == JobState::running ? job.yield : 0);
  return yields;
}

double least_yield(const std::vector<double>& yields) {
  double least = 0;
  for (double yield : yields) {
    if (yield > 0 && (least == 0 || yield < least)) least = yield;
  }
  return least;
}

void describe(const Decisions& decisions, const RepackInput& input, RepackPlan& plan) {
  const std::vector<double> before = yields_of(input.jobs);
  std::vector<double> after = before;
  for (const Decision& decision : decisions.placements) {
    const JobView& job = input.jobs[decision.job];
    if (decision.kind == DecisionKind::pause) after[decision.job] = 0;
    PlannedDecision planned;
    planned.kind = decision.kind;
    planned.job_id = static_cast<std::uint32_t>(job.id);
    if (job.state == JobState::running) planned.from = name_places(job.nodes, input.node_names);
    planned.to = name_places(decisions.nodes_of(decision), input.node_names);
    plan.decisions.push_back(std::move(planned));
  }
  for (const YieldChange& change : decisions.yields) {
    const auto id = static_cast<std::uint32_t>(input.jobs[change.job].id);
    plan.yields.push_back({id, before[change.job], change.yield});
    after[change.job] = change.yield;
  }
  plan.min_yield_before = least_yield(before);
  plan.min_yield_after = least_yield(after);
}

}  // namespace

tl::expected<RepackInput, std::string> copy_for_repack(const LiveState& live) {
  const auto fail = [](std::string why) { return tl::unexpected<std::string>(std::move(why)); };
  if (live.counters.steps == 0) return fail("slurmctld has not shown its jobs yet; try again in a second");
  if (live.driver.batch()) return fail("a batch algorithm is configured: it never repacks");
  const ClusterView view = live.driver.view(live.jobs, live.counters.now);
  RepackInput input;
  input.now = view.now;
  input.rigid_dims = view.rigid_dims;
  input.algorithm = live.driver.algorithm();
  input.options = live.driver.options();
  input.jobs.assign(view.jobs.begin(), view.jobs.end());
  input.nodes.assign(view.nodes.begin(), view.nodes.end());
  for (NodeIndex n = 0; n < live.nodes.size(); ++n) input.node_names.push_back(live.nodes[n].name);
  input.lists.resize(input.jobs.size());
  for (std::size_t k = 0; k < input.jobs.size(); ++k) {
    JobView& job = input.jobs[k];
    if (const Job* record = live.jobs.in_slot(static_cast<JobSlot>(k))) {
      Seconds estimate = 0;
      show_job(*record, live.nodes.reference_cpus(), live.counters.now, job, estimate);
    }
    RepackInput::Lists& lists = input.lists[k];
    lists.nodes.assign(job.nodes.begin(), job.nodes.end());
    job.nodes = lists.nodes;
    if (job.eligible == nullptr) continue;
    lists.eligible = *job.eligible;
    job.eligible = &lists.eligible;
  }
  return input;
}

tl::expected<RepackPlan, std::string> plan_repack(RepackInput input) {
  const auto fail = [](std::string why) { return tl::unexpected<std::string>(std::move(why)); };
  ClusterView view{input.now, input.nodes, input.jobs, input.rigid_dims};
  ask_for_repack(input, view);
  RepackPlan plan;
  plan.algorithm = algorithm_name(input.algorithm);
  auto engine = Engine::create(input.algorithm, input.options);
  if (!engine) return fail(engine.error().message);
  const std::vector<Seconds> estimates(input.jobs.size(), 0.0);
  const Event resync{EventKind::resync, kNoSlot};
  const auto decided = (*engine)->step(view, Estimates{estimates}, {&resync, 1});
  if (!decided) return fail(decided.error().message);
  describe(**decided, input, plan);
  return plan;
}

}  // namespace dfrs::shim
