// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/clairvoyant.h"

#include <memory>

#include "policy/core/registry.h"

namespace dfrs {

TriageOptions ClairvoyantTriage::rules(const TriageOptions& host) {
  TriageOptions known;
  known.penalty = host.penalty;
  known.time_scale = host.time_scale;
  known.tied = host.tied;
  known.tried = host.tried;
  known.patience = 10;
  known.hold = 0;
  known.margin_paused = 1.2;
  known.stretch_power = 3;
  known.width_power = 0;
  known.move_gain = 1;
  return known;
}

namespace {

std::vector<Algorithm> list() {
  PolicyTraits traits;
  traits.submissions_apart = false;
  traits.knows_run_times = true;
  traits.only_simulated = "it needs run times that nobody knows before the jobs have ended";
  return {{"clairvoyant/Triage", "knows run times: Triage's rules by the stretch at the end of each job", traits,
           MakeBatch([](const EngineOptions& options) {
             return std::make_unique<ClairvoyantTriage>(ClairvoyantTriage::rules(options.of<TriageOptions>()));
           })}};
}

}  // namespace

extern const PolicyFamily clairvoyant_family{"clairvoyant", "Triage where run times are known; no cluster can run it",
                                             list};

}  // namespace dfrs
