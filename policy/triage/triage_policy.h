// SPDX-License-Identifier: GPL-2.0-or-later
// Triage: the jobs that are worst off come first, and no job is displaced without need. Non-clairvoyant.
// docs/reference/triage.md explains it; this file only decides when each part acts.
#pragma once

#include <memory>
#include <optional>

#include "policy/core/policy.h"
#include "policy/triage/admission.h"
#include "policy/triage/local_moves.h"
#include "policy/triage/options.h"
#include "policy/triage/placer.h"
#include "policy/triage/yields.h"

namespace dfrs {

class TriagePolicy final : public NonClairvoyantPolicy {
 public:
  TriagePolicy(const TriageParts& parts, const TriageOptions& options);

  void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state, Outcome& outcome) override;

 private:
  TriageOptions options_;
  std::unique_ptr<triage::Placer> placer_;
  triage::Residents residents_;
  triage::Admission admission_;
  triage::Yields yields_;
  std::optional<triage::LocalMoves> moves_;
  Seconds next_admission_ = kNever;
  Seconds next_moves_ = kNever;
};

}  // namespace dfrs
