// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/timeline/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/core/node_runs.h"
#include "sim/campaign/results.h"

namespace dfrs::sim {
namespace {

using timeline::Schedule;
using timeline::ScheduleJob;
using timeline::Stay;
using timeline::StayEnd;

// `made` with `end` for each end of a line.
std::string joined(const std::string& made, std::string_view end) {
  std::string text;
  for (const char c : made) c == '\n' ? text += end : text += c;
  return text;
}

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

// The parts of stays that are on one node, each in a lane of the node where no other is at that time.
struct Bar {
  const Stay* stay = nullptr;
  NodeIndex node = 0;
  std::size_t lane = 0;  ///< from 0
  int tasks = 0;
};

// In the order of the stays.
std::vector<Bar> bars_of(const Schedule& schedule) {
  std::vector<Bar> bars;
  std::vector<std::vector<Seconds>> free(schedule.node_cpu.size());  // of each node, from when each lane is
  for (const Stay& stay : schedule.stays) {
    const auto nodes = schedule.nodes_of(stay);
    for (std::size_t k = 0; k < nodes.size();) {
      Bar bar{&stay, nodes[k], 0, 0};
      for (; k < nodes.size() && nodes[k] == bar.node; ++k) ++bar.tasks;
      std::vector<Seconds>& lanes = free[bar.node];
      auto lane = std::find_if(lanes.begin(), lanes.end(), [&](Seconds from) { return from <= stay.from; });
      if (lane == lanes.end()) lane = lanes.insert(lanes.end(), 0);
      *lane = stay.to;
      bar.lane = static_cast<std::size_t>(lane - lanes.begin());
      bars.push_back(bar);
    }
  }
  return bars;
}

// Pajé's definitions of the events that we write, with their fields.
constexpr std::string_view kPajeHeader = R"(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
0 C 0 cluster
0 N C node
0 L N lane
1 J L job
)";

long long microseconds(Seconds time) { return std::llround(time * 1e6); }

}  // namespace

std::string evalys_csv(const Schedule& schedule, const std::string& made) {
  std::string text =
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
      "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
      "consumed_energy,metadata\n";
  std::vector<unsigned> rows(schedule.jobs.size());
  std::string metadata = csv_field(joined(made, "; "));
  for (const Stay& stay : schedule.stays) {
    const ScheduleJob& job = schedule.jobs[stay.job];
    const auto nodes = schedule.nodes_of(stay);
    const unsigned row = ++rows[stay.job];
    const double time = stay.to - stay.from;
    const double turnaround = stay.to - job.submit;
    fmt::format_to(std::back_inserter(text), "{},dfrs,{},{},{},{},{},{},{},{},{},{},{},{},{},-1,{}\n",
                   row == 1 ? fmt::format("{}", job.id) : fmt::format("{}#{}", job.id, row), job.tasks, job.submit,
                   distinct_nodes(nodes), job.run_time, stay.end == StayEnd::completed ? 1 : 0, state_of(stay.end),
                   stay.from, time, stay.to, stay.from - job.submit, turnaround, time > 0 ? turnaround / time : 1.0,
                   node_set(nodes), std::exchange(metadata, {}));
  }
  return text;
}

std::string perfetto_json(const Schedule& schedule, const std::string& made) {
  std::string text = fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n",
                                 nlohmann::json{{"made", made}}.dump());
  const auto out = std::back_inserter(text);
  for (std::size_t node = 0; node < schedule.node_cpu.size(); ++node) {
    fmt::format_to(out, "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"node {}\"}}}}",
                   node == 0 ? "" : ",\n", node + 1, node);
  }
  for (const Bar& bar : bars_of(schedule)) {
    const Stay& stay = *bar.stay;
    const ScheduleJob& job = schedule.jobs[stay.job];
    fmt::format_to(out,
                   ",\n{{\"ph\":\"X\",\"name\":\"job {}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":"
                   "{{\"tasks\":{},\"cpu_need\":{},\"mean_yield\":{:.5g},\"penalty_s\":{}}}}}",
                   job.id, bar.node + 1, bar.lane + 1, microseconds(stay.from),
                   microseconds(stay.to) - microseconds(stay.from), bar.tasks, job.cpu_need, mean_yield(schedule, stay),
                   stay.served - stay.from);
  }
  return text + "\n]}\n";
}

std::string paje_trace(const Schedule& schedule, const std::string& made) {
  std::string text = made.empty() ? std::string() : "# " + joined(made, "\n# ") + "\n";
  text += kPajeHeader;
  const auto out = std::back_inserter(text);
  const std::vector<Bar> bars = bars_of(schedule);
  std::vector<std::size_t> lanes(schedule.node_cpu.size());
  for (const Bar& bar : bars) lanes[bar.node] = std::max(lanes[bar.node], bar.lane + 1);
  const auto each_lane = [&](const auto& use) {
    for (std::size_t node = 0; node < lanes.size(); ++node) {
      for (std::size_t lane = 0; lane < lanes[node]; ++lane) use(fmt::format("n{}l{}", node, lane), node, lane);
    }
  };
  fmt::format_to(out, "2 {0} cluster C 0 cluster\n", schedule.begin);
  for (std::size_t node = 0; node < lanes.size(); ++node) {
    fmt::format_to(out, "2 {0} n{1} N cluster \"node {1}\"\n", schedule.begin, node);
  }
  each_lane([&](const std::string& name, std::size_t node, std::size_t lane) {
    fmt::format_to(out, "2 {} {} L n{} \"{}\"\n", schedule.begin, name, node, lane);
    fmt::format_to(out, "4 {} J {} idle\n", schedule.begin, name);
  });
  // By time; where one job follows another at once, its begin stands.
  struct Change {
    Seconds at = 0;
    bool begins = false;
    const Bar* bar = nullptr;
  };
  std::vector<Change> changes;
  for (const Bar& bar : bars) {
    changes.push_back({bar.stay->from, true, &bar});
    changes.push_back({bar.stay->to, false, &bar});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.at != b.at ? a.at < b.at : a.begins < b.begins; });
  for (const auto& [at, begins, bar] : changes) {
    const std::string value =
        begins ? fmt::format("\"job {}\"", schedule.jobs[bar->stay->job].id) : std::string("idle");
    fmt::format_to(out, "4 {} J n{}l{} {}\n", at, bar->node, bar->lane, value);
  }
  each_lane([&](const std::string& name, std::size_t, std::size_t) {
    fmt::format_to(out, "3 {} L {}\n", schedule.end, name);
  });
  for (std::size_t node = 0; node < lanes.size(); ++node) fmt::format_to(out, "3 {} N n{}\n", schedule.end, node);
  fmt::format_to(out, "3 {} C cluster\n", schedule.end);
  return text;
}

}  // namespace dfrs::sim
