// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/timeline/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

namespace dfrs::sim {
namespace {

// "0-3 5": each node once, as Batsim writes sets.
std::string node_set(std::span<const NodeIndex> nodes) {
  std::string text;
  for (std::size_t k = 0; k < nodes.size();) {
    const NodeIndex first = nodes[k];
    NodeIndex last = first;
    while (k < nodes.size() && nodes[k] <= last + 1) last = nodes[k++];
    if (!text.empty()) text += ' ';
    text += last == first ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

std::size_t different(std::span<const NodeIndex> nodes) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) count += k == 0 || nodes[k] != nodes[k - 1] ? 1 : 0;
  return count;
}

std::string_view state_of(StayEnd end) {
  switch (end) {
    case StayEnd::completed:
      return "COMPLETED_SUCCESSFULLY";
    case StayEnd::open:
      return "RUNNING";
    default:
      return "COMPLETED_KILLED";  // by the scheduler: it continues in the job's next row
  }
}

double mean_yield(const Schedule& schedule, const Stay& stay) {
  const auto steps = schedule.steps_of(stay);
  double area = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    area += steps[k].yield * ((k + 1 < steps.size() ? steps[k + 1].at : stay.to) - steps[k].at);
  }
  return stay.to > stay.from ? area / (stay.to - stay.from) : 0;
}

long long microseconds(Seconds time) { return std::llround(time * 1e6); }

}  // namespace

std::string evalys_csv(const Schedule& schedule) {
  std::string text =
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
      "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
      "consumed_energy,metadata\n";
  std::vector<unsigned> rows(schedule.jobs.size());
  for (const Stay& stay : schedule.stays) {
    const ScheduleJob& job = schedule.jobs[stay.job];
    const auto nodes = schedule.nodes_of(stay);
    const unsigned row = ++rows[stay.job];
    const double time = stay.to - stay.from;
    const double turnaround = stay.to - job.submit;
    fmt::format_to(std::back_inserter(text), "{},dfrs,{},{},{},{},{},{},{},{},{},{},{},{},{},-1,\n",
                   row == 1 ? fmt::format("{}", job.id) : fmt::format("{}#{}", job.id, row), job.tasks, job.submit,
                   different(nodes), job.run_time, stay.end == StayEnd::completed ? 1 : 0, state_of(stay.end),
                   stay.from, time, stay.to, stay.from - job.submit, turnaround, time > 0 ? turnaround / time : 1.0,
                   node_set(nodes));
  }
  return text;
}

std::string perfetto_json(const Schedule& schedule) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  const auto out = std::back_inserter(text);
  for (std::size_t node = 0; node < schedule.node_cpu.size(); ++node) {
    fmt::format_to(out, "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"node {}\"}}}}",
                   node == 0 ? "" : ",\n", node + 1, node);
  }
  // For each node, when each thread is free again.
  std::vector<std::vector<Seconds>> threads(schedule.node_cpu.size());
  for (const Stay& stay : schedule.stays) {
    const ScheduleJob& job = schedule.jobs[stay.job];
    const auto nodes = schedule.nodes_of(stay);
    for (std::size_t k = 0; k < nodes.size();) {
      const NodeIndex node = nodes[k];
      int tasks = 0;
      for (; k < nodes.size() && nodes[k] == node; ++k) ++tasks;
      std::vector<Seconds>& busy = threads[node];
      auto thread = std::find_if(busy.begin(), busy.end(), [&](Seconds until) { return until <= stay.from; });
      if (thread == busy.end()) thread = busy.insert(busy.end(), 0);
      *thread = stay.to;
      fmt::format_to(out,
                     ",\n{{\"ph\":\"X\",\"name\":\"job {}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":"
                     "{{\"tasks\":{},\"cpu_need\":{},\"mean_yield\":{:.5g},\"penalty_s\":{}}}}}",
                     job.id, node + 1, thread - busy.begin() + 1, microseconds(stay.from),
                     microseconds(stay.to) - microseconds(stay.from), tasks, job.cpu_need, mean_yield(schedule, stay),
                     stay.served - stay.from);
    }
  }
  return text + "\n]}\n";
}

}  // namespace dfrs::sim
