// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/web/live_schedule.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace dfrs::shim::web {
namespace {

bool on_nodes(std::string_view state) { return state == "running" || state == "pausing" || state == "moving"; }

}  // namespace

void LiveSchedule::update(const Json& status, const Json& nodes) {
  // A controller that has made no round yet has no time.
  observed_.begin_sample(status.at("now").is_number() ? status.at("now").get<double>() : 0);
  algorithm_ = status.at("algorithm");
  utc_offset_ = status.value("utc_offset_s", 0);
  for (const Json& node : nodes.at("nodes")) {
    const std::string name = node.at("node");
    node_numbers_[name] = observed_.node(name, std::max(1.0, node.at("cpus").get<double>()), node.at("memory_mib"));
  }
  for (const Json& job : status.at("jobs")) see_job(job);
  observed_.end_sample();
}

void LiveSchedule::see_job(const Json& json) {
  timeline::SeenJob job;
  job.id = json.at("job");
  job.user_id = json.at("user_id");
  job.submit = json.at("submit");
  job.tasks = json.at("tasks");
  job.cpus = json.at("cpus_per_task").get<double>() * json.at("cpu_need").get<double>();
  job.memory = json.at("memory_per_task_mib");
  job.pauses = json.at("pauses");
  job.moves = json.at("moves");
  job.yield = json.at("yield");
  std::vector<NodeIndex> nodes;
  if (on_nodes(json.at("state").get<std::string>())) {
    for (const auto& [name, tasks] : json.at("nodes").items()) {
      const auto known = node_numbers_.find(name);
      if (known != node_numbers_.end()) nodes.insert(nodes.end(), tasks.get<std::size_t>(), known->second);
    }
    std::sort(nodes.begin(), nodes.end());
  }
  job.nodes = nodes;
  observed_.see(job);
}

timeline::Schedule LiveSchedule::schedule() const {
  timeline::Schedule out = observed_.schedule();
  out.algorithm = algorithm_;
  out.utc_offset = utc_offset_;
  return out;
}

}  // namespace dfrs::shim::web
