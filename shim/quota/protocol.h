// SPDX-License-Identifier: GPL-2.0-or-later
// The messages between the controller and the node agents, as JSON. See docs/reference/dfrsd.md.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "shim/quota/node_agents.h"

namespace dfrs::shim {

inline constexpr const char* kDesiredTarget = "/v1/desired";
inline constexpr const char* kReportTarget = "/v1/report";

/// Tells which of two desired states is newer, without clocks. The epoch increases at every start of the controller,
/// the sequence at every request of an epoch, so that agents recognise repeated and late requests.
struct StateOrder {
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;

  friend auto operator<=>(const StateOrder&, const StateOrder&) = default;
};

struct DesiredState {
  std::string node;
  StateOrder order;
  std::vector<JobQuota> jobs;  ///< ascending by job_id, none twice

  friend bool operator==(const DesiredState&, const DesiredState&) = default;
};

struct AgentReport {
  struct JobError {
    std::uint32_t job_id = 0;  ///< 0: of the node
    std::string message;
  };
  std::string node;
  StateOrder applied;  ///< epoch 0: none
  std::vector<JobUse> jobs;
  double measured_ago = 0;       ///< seconds since the use of `jobs` was measured; agents of before 0.2 do not say: 0
  std::vector<JobError> errors;  ///< parts of that state that could not be applied
  std::uint64_t swap_total_mib = 0;
  std::uint64_t swap_free_mib = 0;
};

/// Bounds on the jobs of a desired state, the CPUs of a job, the folder for images and the texts for people, in bytes.
inline constexpr std::size_t kMaxJobs = 10000;
inline constexpr double kMaxCpus = 1e5;
inline constexpr std::size_t kMaxFolder = 512;
inline constexpr std::size_t kMaxMessage = 1024;

/// As in JSON: "freeze", "able".
std::string_view name_of(CheckpointPhase phase);
std::string_view name_of(CheckpointState state);

std::string format_desired(const DesiredState& state);  ///< within the bounds above
/// Any text is safe. Errors: members that are missing, out of range or of another type, and jobs listed twice; each is
/// one line that names the field. Unknown members are ignored. Members
/// on checkpoints may be missing: older controllers and agents do not send them.
tl::expected<DesiredState, std::string> parse_desired(std::string_view json);

std::string format_report(const AgentReport& report);
/// As parse_desired().
tl::expected<AgentReport, std::string> parse_report(std::string_view json);

/// The body of status 409: the agent has this state already, or a newer one.
std::string format_stale(StateOrder have, StateOrder got);
/// `have` of such a body.
tl::expected<StateOrder, std::string> parse_stale(std::string_view json);

}  // namespace dfrs::shim
