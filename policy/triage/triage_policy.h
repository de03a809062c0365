// SPDX-License-Identifier: GPL-2.0-or-later
// Triage, which knows no run times, and Triage/LIMITS, which goes by users' time limits where nothing may be paused.
#pragma once

#include "policy/core/policy.h"
#include "policy/triage/core.h"

namespace dfrs {

class TriagePolicy final : public NonClairvoyantPolicy {
 public:
  TriagePolicy(const TriageParts& parts, const TriageOptions& options) : core_(parts, options) {}

  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override {
    core_.decide(view, {}, events, state, outcome);
  }

 private:
  triage::Core core_;
};

class TriageLimitsPolicy final : public BatchPolicy {
 public:
  TriageLimitsPolicy(const TriageParts& parts, const TriageOptions& options) : core_(parts, options) {}

  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) override {
    core_.decide(view, {.known = {}, .limit = estimates.run_time}, events, state, outcome);
  }

 private:
  triage::Core core_;
};

}  // namespace dfrs
