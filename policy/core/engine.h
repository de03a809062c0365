// SPDX-License-Identifier: GPL-2.0-or-later
// The engine owns a policy and checks its decisions. It is the only interface between hosts (simulator, slurmctld) and
// the policy core.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/core/audit.h"
#include "policy/core/cluster_state.h"
#include "policy/core/decision.h"
#include "policy/core/engine_options.h"
#include "policy/core/policy.h"

namespace dfrs {

class Engine {
 public:
  /// Errors: bad_option (a number out of range), out_of_memory, internal.
  static tl::expected<std::unique_ptr<Engine>, Error> create(const Algorithm& algorithm,
                                                             const EngineOptions& options) noexcept;

  /// Whether decisions come with reasons (Decisions::reasons). It changes no decision. Default: no.
  void explain(bool on) { state_.explain_into(on ? &decisions_.reasons : nullptr); }

  /// Decides. `events` are those since the last call, all at the instant view.now: completions, changes, submissions.
  /// The slot of a completed job still shows the job, with state absent; a submitted job is waiting, and submitted
  /// once. The first call, and any call with a resync event, takes running jobs from the view; before any other call
  /// the host must have carried out the last decisions.
  ///
  /// The engine owns the result, which is valid until the next call. After an error nothing is decided, and the next
  /// call must have a resync event. Errors: bad_view, bad_decision (a bug in a policy), out_of_memory, internal. Cost:
  /// that of the policy, and O(decisions and their tasks).
  tl::expected<const Decisions*, Error> step(const ClusterView& view, const Estimates& estimates,
                                             std::span<const Event> events) noexcept;

 private:
  Engine() = default;
  tl::expected<const Decisions*, Error> checked_step(const ClusterView& view, const Estimates& estimates,
                                                     std::span<const Event> events);
  tl::expected<void, Error> take_events(const ClusterView& view, std::span<const Event> events);
  tl::expected<void, Error> check_events(const ClusterView& view, std::span<const Event> events);
  void collect_decisions(const ClusterView& view);

  // One of these is set. The policy's type determines whether it sees estimates.
  std::unique_ptr<NonClairvoyantPolicy> non_clairvoyant_;
  std::unique_ptr<BatchPolicy> batch_;
  bool needs_change_ = false;  // the policy shares nodes by measured CPU needs
  ClusterState state_;
  Audit audit_;
  Decisions decisions_;
  std::vector<Event> first_events_;
  std::vector<std::uint64_t> submitted_in_;  // by slot: the last call, counted from 1, with a submission of this slot
  std::uint64_t calls_ = 0;
  bool in_step_with_host_ = false;
  Seconds last_now_ = -kNever;
};

}  // namespace dfrs
