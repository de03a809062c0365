// SPDX-License-Identifier: GPL-2.0-or-later
// The schedule of a running cluster as the control port tells it: first what the controller remembers, then update
// by update.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "timeline/observed.h"

namespace dfrs::shim::web {

using Json = nlohmann::ordered_json;

class LiveSchedule {
 public:
  /// `most`: as of ObservedSchedule.
  explicit LiveSchedule(std::size_t most = 1'000'000) : observed_(most) {}

  /// Before the first update(): what the controller has observed so far.
  void go_on_from(const timeline::Schedule& past, double reference_cpus) { observed_.go_on_from(past, reference_cpus); }
  /// The cluster as it is now: answers of the control port, `status` of /v1/status and `nodes` of /v1/nodes. Errors:
  /// those of nlohmann::json for another form. O(jobs + nodes of running jobs).
  void update(const Json& status, const Json& nodes);

  /// What was seen so far; as ObservedSchedule::schedule().
  timeline::Schedule schedule() const;

 private:
  void see_job(const Json& json);

  timeline::ObservedSchedule observed_;
  std::string algorithm_;
  int utc_offset_ = 0;  // of the controller's local time, seconds
  std::unordered_map<std::string, NodeIndex> node_numbers_;
};

}  // namespace dfrs::shim::web
