// SPDX-License-Identifier: GPL-2.0-or-later
// The schedule of a running cluster, put together from looks at it: what happened between two looks and left no trace
// is not in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "timeline/schedule.h"

namespace dfrs::shim::web {

using Json = nlohmann::ordered_json;

class LiveSchedule {
 public:
  /// Keeps about `most` stays of jobs on nodes, nodes of stays and yields in all: when there are more, jobs that have
  /// ended are forgotten, those that ended first before others. Jobs that have not ended stay.
  explicit LiveSchedule(std::size_t most = 1'000'000) : most_(most) {}

  /// One more look: answers of the control port, `status` of /v1/status and `nodes` of /v1/nodes. Errors: those of
  /// nlohmann::json for another form. O(jobs + nodes of running jobs).
  void look(const Json& status, const Json& nodes);

  /// What was seen so far. Jobs are in the order of their submission; what runs has open stays.
  timeline::Schedule schedule() const;

 private:
  struct Stay {
    Seconds from = 0;
    Seconds to = 0;
    timeline::StayBegin begin = timeline::StayBegin::start;
    timeline::StayEnd end = timeline::StayEnd::open;
    std::vector<NodeIndex> nodes;  // of the tasks
    std::vector<timeline::YieldStep> steps;
  };
  struct Job {
    timeline::ScheduleJob facts;
    std::vector<Stay> stays;
    std::uint64_t pauses = 0;  // as the controller counts them
    std::uint64_t moves = 0;
    std::uint64_t seen = 0;  // the last look that showed it
    bool placed = false;     // its last stay is open
  };

  void see_nodes(const Json& nodes);
  Job& see_job(const Json& told);
  void see_place(Job& job, const Json& told);
  void open(Job& job, std::vector<NodeIndex> nodes, timeline::StayBegin begin);
  void close(Job& job, timeline::StayEnd end);
  void forget();

  std::size_t most_;
  std::size_t held_ = 0;  // stays, their nodes and their yields
  std::uint64_t looks_ = 0;
  Seconds begin_ = 0;
  Seconds now_ = 0;
  double largest_node_ = 1;  // CPUs of the largest node, the unit of CPU
  std::string algorithm_;
  std::vector<double> node_cpus_;
  std::vector<double> node_memory_;
  std::vector<std::string> node_names_;
  std::unordered_map<std::string, NodeIndex> node_numbers_;
  std::map<std::uint64_t, Job> jobs_;  // that have not ended, by number
  std::vector<Job> ended_;             // by end
};

}  // namespace dfrs::shim::web
