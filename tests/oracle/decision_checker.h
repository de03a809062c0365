// SPDX-License-Identifier: GPL-2.0-or-later
// Replays a run's log with a ledger of its own, made from events and decisions alone. Finds violations of capacities,
// flags and the order of a job's states, and views of the host that do not show what was decided.
#pragma once

#include <string>
#include <vector>

#include "sim/host/simulation.h"

namespace dfrs::oracle {

class DecisionChecker final : public sim::StepObserver {
 public:
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;

  /// The first violations, at most 10.
  const std::vector<std::string>& violations() const { return violations_; }
  std::uint64_t decisions_seen() const { return decisions_seen_; }

 private:
  struct Job {
    JobState state = JobState::absent;
    JobView spec;  // of the submission
    std::vector<NodeIndex> nodes;
    double yield = 0;
  };

  void wrong(const ClusterView& view, const std::string& what);
  void load(const ClusterView& view);
  void take_events(const ClusterView& view, std::span<const Event> events);
  void compare_with(const ClusterView& view);
  void check_placement(const ClusterView& view, const Decisions& decisions, const Decision& decision);
  void check_nodes(const ClusterView& view, const std::vector<bool>& gained);

  bool first_ = true;
  Seconds last_now_ = 0;
  std::vector<Job> jobs_;
  std::vector<std::string> violations_;
  std::uint64_t decisions_seen_ = 0;
};

}  // namespace dfrs::oracle
