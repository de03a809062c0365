// SPDX-License-Identifier: GPL-2.0-or-later
// The yields of a mapping by the rule that is set, and what Triage's other parts ask about them.
#pragma once

#include <vector>

#include "policy/triage/options.h"
#include "policy/yield/max_min.h"
#include "policy/yield/sharing.h"
#include "policy/yield/weighted_max_min.h"

namespace dfrs::triage {

class Yields {
 public:
  Yields(TriageParts::Yields rule, const TriageOptions& options) : rule_(rule), options_(options) {}

  /// O(nodes + tasks log tasks).
  void solve(const ClusterView& view, const ClusterState& state);

  const Sharing& sharing() const { return sharing_; }
  /// Of each job of sharing().jobs(); whoever runs and is not there has 1.
  std::span<const double> limited() const { return yields_; }
  /// CPU that is asked for by running jobs and not given: sum of need x tasks x (1 - yield).
  double shortage() const { return shortage_; }
  /// The first instant after now at which a weight is to be looked at again if nothing else happens.
  Seconds next_level(const ClusterView& view) const;

 private:
  TriageParts::Yields rule_;
  TriageOptions options_;
  Sharing sharing_;
  MaxMinYield equal_;
  WeightedMaxMinYield weighted_;
  std::vector<double> weights_;
  std::vector<double> yields_;
  double shortage_ = 0;
};

}  // namespace dfrs::triage
