// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/history_json.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "shim/admin/status_json.h"
#include "timeline/observed.h"

namespace dfrs::shim {
namespace {

using timeline::ScheduleJob;
using timeline::Stay;
using timeline::StayBegin;
using timeline::StayEnd;

constexpr const char* kBegins[] = {"start", "resume", "move", "already"};
constexpr const char* kEnds[] = {"completed", "paused", "moved", "open"};

template <typename Enum, std::size_t N>
Enum named(const char* const (&names)[N], const std::string& name) {
  for (std::size_t k = 0; k < N; ++k) {
    if (name == names[k]) return static_cast<Enum>(k);
  }
  throw std::invalid_argument("'" + name + "' is not known");
}

// Whole CPUs come back as they were from parts of the largest node.
double cpus(double parts, double reference) { return std::round(parts * reference * 1e6) / 1e6; }

Json stay_json(const timeline::Schedule& all, const Stay& stay) {
  Json yields = Json::array();
  for (const timeline::YieldStep& step : all.steps_of(stay)) yields.push_back(Json::array({step.at, step.yield}));
  return {{"from", stay.from},
          {"to", stay.to},
          {"begin", kBegins[static_cast<std::size_t>(stay.begin)]},
          {"end", kEnds[static_cast<std::size_t>(stay.end)]},
          {"nodes", all.nodes_of(stay)},
          {"yields", std::move(yields)}};
}

Json job_json(const ScheduleJob& job, double reference) {
  return {{"job", job.id},
          {"user_id", job.user == timeline::kRootUser ? 0 : job.user},
          {"submit", job.submit},
          {"end", job.end < 0 ? Json(nullptr) : Json(job.end)},
          {"tasks", job.tasks},
          {"cpus", cpus(job.cpu_need, reference)},
          {"memory_per_task_mib", job.memory},
          {"stays", Json::array()}};
}

void read_stay(const Json& json, std::uint32_t job, timeline::Schedule& out) {
  Stay stay;
  stay.job = job;
  stay.from = stay.served = json.at("from");
  stay.to = json.at("to");
  stay.begin = named<StayBegin>(kBegins, json.at("begin"));
  stay.end = named<StayEnd>(kEnds, json.at("end"));
  stay.first_node = out.nodes.size();
  for (const Json& node : json.at("nodes")) {
    const std::uint32_t number = node;
    if (number >= out.node_names.size()) throw std::invalid_argument("a node's number is too large");
    out.nodes.push_back(number);
  }
  stay.node_count = static_cast<std::uint32_t>(out.nodes.size() - stay.first_node);
  stay.first_step = out.steps.size();
  for (const Json& step : json.at("yields")) out.steps.push_back({step.at(0), step.at(1)});
  stay.step_count = static_cast<std::uint32_t>(out.steps.size() - stay.first_step);
  if (stay.node_count == 0 || stay.step_count == 0) throw std::invalid_argument("a stay has no nodes or no yields");
  out.stays.push_back(stay);
}

ObservedPast read(const Json& json) {
  ObservedPast past;
  timeline::Schedule& out = past.schedule;
  out.begin = json.at("since");
  out.end = json.at("now");
  for (const Json& node : json.at("nodes")) {
    out.node_names.push_back(node.at("node"));
    out.node_cpu.push_back(node.at("cpus"));
    out.node_memory.push_back(node.at("memory_mib"));
    past.reference_cpus = std::max(past.reference_cpus, out.node_cpu.back());
  }
  for (double& cpu : out.node_cpu) cpu /= past.reference_cpus;
  for (const Json& from : json.at("jobs")) {
    ScheduleJob job;
    job.id = from.at("job");
    job.user = timeline::user_number(from.at("user_id"));
    job.submit = from.at("submit");
    job.end = from.at("end").is_null() ? -1 : from.at("end").get<double>();
    job.tasks = from.at("tasks");
    job.cpu_need = from.at("cpus").get<double>() / past.reference_cpus;
    job.memory = from.at("memory_per_task_mib");
    out.jobs.push_back(job);
    for (const Json& stay : from.at("stays")) read_stay(stay, static_cast<std::uint32_t>(out.jobs.size() - 1), out);
  }
  return past;
}

}  // namespace

Json history_json(const ObservedPast& past) {
  const timeline::Schedule& all = past.schedule;
  Json nodes = Json::array();
  for (std::size_t n = 0; n < all.node_names.size(); ++n) {
    nodes.push_back({{"node", all.node_names[n]},
                     {"cpus", cpus(all.node_cpu[n], past.reference_cpus)},
                     {"memory_mib", all.node_memory[n]}});
  }
  Json jobs = Json::array();
  for (const ScheduleJob& job : all.jobs) jobs.push_back(job_json(job, past.reference_cpus));
  for (const Stay& stay : all.stays) jobs[stay.job]["stays"].push_back(stay_json(all, stay));
  return {{"format", kControlFormat},
          {"since", all.begin},
          {"now", all.end},
          {"nodes", std::move(nodes)},
          {"jobs", std::move(jobs)}};
}

tl::expected<ObservedPast, std::string> history_of(const Json& json) {
  try {
    return read(json);
  } catch (const std::exception& error) {
    return tl::unexpected(std::string("the controller's history cannot be read: ") + error.what());
  }
}

}  // namespace dfrs::shim
