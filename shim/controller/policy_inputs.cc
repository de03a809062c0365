// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/policy_inputs.h"

#include "shim/controller/weights.h"

namespace dfrs::shim {

void PolicyInputs::update(const InputSources& from, JobTable& jobs, Changes& changes, Seconds now) {
  if (changes.node_list) pause_rules_.forget_nodes();
  pause_rules_.apply(jobs, from.nodes, from.agents, from.config, now);
  if (from.agents != nullptr) pause_costs_.watch(jobs, from.nodes, *from.agents, now);
  pause_costs_.apply(jobs, from.config, now);
  set_weights(jobs, from.config.weight, changes);
  const NodeAgents* const meters = from.shares_nodes ? from.agents : nullptr;
  cpu_needs_.measure(jobs, from.nodes, meters, from.quotas, from.config, now, changes);
}

}  // namespace dfrs::shim
