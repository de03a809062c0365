// SPDX-License-Identifier: GPL-2.0-or-later
// Shows the jobs to the engine and turns its decisions into desired states of the jobs.
//
// The engine sees a job where it has placed it, even while the reconciler is still moving it there. Only if Slurm's
// state contradicts a decision does the engine start again from a new view (resync), which keeps the decisions that can
// still be carried out.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "policy/core/engine.h"
#include "record/story/story.h"
#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"
#include "shim/controller/log.h"
#include "shim/controller/nodes.h"
#include "shim/controller/view_builder.h"

namespace dfrs::record {
class Recorder;
}

namespace dfrs::shim {

struct DriverCounters {
  std::uint64_t decisions = 0;
  std::uint64_t resyncs = 0;
};

/// How many events of each job dfrsctl explain tells at most.
inline constexpr std::size_t kEventsTold = 12;

class EngineDriver {
 public:
  /// `recorder` may be null.
  EngineDriver(record::Recorder* recorder, const Log& log) : recorder_(recorder), log_(&log) {}

  /// Makes a new engine, which starts with a resync. Error: the engine's (a bad option).
  tl::expected<void, std::string> create(const Config& config);

  /// Passes the changes to the engine and enters its decisions into the jobs. `discard_plans`: decisions that have not
  /// been carried out yet are void (other nodes, or a failed step). Error: the engine's; the next call then starts from
  /// Slurm's state.
  tl::expected<void, std::string> run(JobTable& jobs, const Nodes& nodes, Changes& changes, bool discard_plans,
                                      Seconds now);
  /// Whether raised yields count only once the agents have applied them (see grant_yield()). Default: no.
  void confirm_raises(bool on) { confirm_raises_ = on; }
  /// When run() is due without any change: the engine's time or that of an offer (offers.h); kNever: not.
  Seconds wake_at() const { return std::min(wake_at_, offer_at_); }
  const DriverCounters& counters() const { return counters_; }
  /// Whether the policy is a batch one, which neither pauses nor resumes; we resume suspended jobs for it.
  bool batch() const { return batch_; }
  /// The view that the engine saw last, with the jobs of `jobs`.
  ClusterView view(const JobTable& jobs, Seconds now) const { return {now, views_.node_views(), jobs.views(), 1}; }
  /// What the policy decided of the jobs in the engine, and why.
  const record::Stories& stories() const { return stories_; }
  const EngineOptions& options() const { return options_; }
  const Algorithm& algorithm() const { return algorithm_; }

 private:
  using Outcome = tl::expected<void, std::string>;
  Outcome renew_engine_for_record(Seconds now);
  bool needs_resync(const JobTable& jobs, const Changes& changes, bool discard_plans, Seconds now);
  void enter_without_events(JobTable& jobs, Changes& changes);
  Outcome resync(JobTable& jobs, const Nodes& nodes, Changes& changes, bool discard_plans, Seconds now);
  Outcome resync_or_discard(JobTable& jobs, const Nodes& nodes, Changes& changes, bool discard_plans, Seconds now);
  Outcome tell_events(JobTable& jobs, const Nodes& nodes, Changes& changes, Seconds now);
  Outcome tell_events_or_resync(JobTable& jobs, const Nodes& nodes, Changes& changes, Seconds now);
  Outcome call(JobTable& jobs, const Nodes& nodes, Seconds now);
  Outcome call_while_due(JobTable& jobs, const Nodes& nodes, Seconds now);
  std::uint32_t user_number(std::uint32_t user_id);
  void take_decisions(JobTable& jobs, const Decisions& decisions, Seconds now);

  record::Recorder* recorder_;
  const Log* log_;
  std::unique_ptr<Engine> engine_;
  Algorithm algorithm_;
  EngineOptions options_;
  bool batch_ = false;
  bool confirm_raises_ = false;
  bool takes_up_waiting_ = true;  // the policy looks again at jobs that it could not place on submission
  bool pauses_for_arrivals_ = false;
  bool must_resync_ = true;
  Seconds wake_at_ = kNever;   // the engine's
  Seconds offer_at_ = kNever;  // of the next offer
  Seconds last_now_ = 0;
  DriverCounters counters_;
  std::vector<Event> events_;
  std::unordered_map<std::uint32_t, std::uint32_t> users_;  // numbers by user ID
  ViewBuilder views_;
  record::Stories stories_ = record::Stories::of_all(kEventsTold);
};

/// Updates the view and the estimate of a job's slot. `reference_cpus`: Nodes::reference_cpus().
void show_job(const Job& job, std::uint32_t reference_cpus, Seconds now, JobView& view, Seconds& estimate);

}  // namespace dfrs::shim
