// SPDX-License-Identifier: GPL-2.0-or-later
// What Triage and its yardstick have in common: the jobs that are worst off come first, and no job is displaced without
// need. docs/reference/triage.md explains it; this file only decides when each part acts.
#pragma once

#include <memory>
#include <optional>

#include "policy/core/policy.h"
#include "policy/triage/admission.h"
#include "policy/triage/local_moves.h"
#include "policy/triage/options.h"
#include "policy/triage/placer.h"
#include "policy/triage/yields.h"

namespace dfrs::triage {

class Core {
 public:
  Core(const TriageParts& parts, const TriageOptions& options);

  /// What is known or said about run times, by slot; empty: nothing.
  struct Times {
    std::span<const Seconds> known;
    std::span<const Seconds> limit;
  };
  /// As a policy's decide().
  void decide(const ClusterView& view, const Times& times, std::span<const Event> events, ClusterState& state,
              Outcome& outcome);

 private:
  TriageOptions options_;
  std::unique_ptr<Placer> placer_;
  Residents residents_;
  Admission admission_;
  Yields yields_;
  std::optional<LocalMoves> moves_;
  Seconds next_admission_ = kNever;
  Seconds next_moves_ = kNever;
};

}  // namespace dfrs::triage
