// SPDX-License-Identifier: GPL-2.0-or-later
// A complete policy as an example: FCFS on shared nodes. Jobs start strictly in order of submission; a node is full
// when its CPU load reaches a limit. docs/contributor-guide.md explains the steps.
#include "policy/core/policy.h"
#include "policy/core/registry.h"
#include "policy/rr7659/greedy.h"
#include "policy/yield/max_min.h"
#include "policy/yield/yield_changes.h"

namespace dfrs {
namespace {

class SharedFcfs final : public NonClairvoyantPolicy {
 public:
  explicit SharedFcfs(double limit) : limit_(limit) {}

  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override {
    if (events.empty()) return;
    for (JobSlot job : state.active()) {  // all jobs, in order of submission
      if (!state.placed(job) && !start(view, state, job)) break;
    }
    contention_.build(state, view);
    yields_.resize(contention_.jobs().size());
    max_min_.solve(contention_, yields_);
    append_yield_changes(contention_, yields_, view, state, outcome);
  }

 private:
  bool start(const ClusterView& view, ClusterState& state, JobSlot job) {
    const std::span<const NodeIndex> nodes = greedy_.find(state, view.jobs[job]);  // the least loaded nodes with memory
    for (NodeIndex n : nodes) {
      if (state.cpu_load(n) >= limit_ * state.cpu_capacity(n)) return false;
    }
    if (nodes.empty()) return false;
    state.place(job, view.jobs[job], nodes);
    state.explain({ReasonKind::room, job});  // for --explain
    return true;
  }

  double limit_;
  Greedy greedy_;
  CpuContention contention_;
  MaxMinYield max_min_;
  std::vector<double> yields_;
};

constexpr std::string_view kName = "SharedFCFS";
constexpr std::string_view kParameter = "/LOAD=";
constexpr double kDefaultLimit = 2;

Algorithm shared_fcfs(double limit) {
  Algorithm policy;
  policy.name = kName;
  if (limit != kDefaultLimit) policy.name += std::string(kParameter) + seconds_in_name(limit);
  policy.description = "in order of submission, on nodes whose CPU load is below " + seconds_in_name(limit);
  policy.traits.resync_forgets_nothing = true;  // it looks at the cluster as it is, and remembers nothing
  policy.make = MakeNonClairvoyant([limit](const EngineOptions&) { return std::make_unique<SharedFcfs>(limit); });
  return policy;
}

std::vector<Algorithm> list() { return {shared_fcfs(kDefaultLimit)}; }

// Names that are not in the list: SharedFCFS/LOAD=1.5.
NameMatch parse(std::string_view name) {
  const std::string prefix = std::string(kName) + std::string(kParameter);
  if (!name_starts_with(name, prefix)) return std::nullopt;
  const std::optional<double> limit = seconds_from_name(name.substr(prefix.size()));
  if (!limit) return wrong("LOAD takes a positive number");
  return shared_fcfs(*limit);
}

}  // namespace

extern const PolicyFamily shared_fcfs_family{"limited", "FCFS on shared nodes", list, parse};

}  // namespace dfrs
