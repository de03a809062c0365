// SPDX-License-Identifier: GPL-2.0-or-later
// Shows the books to the engine and takes its decisions into them as wishes.
//
// What the engine is shown of a job on its way somewhere is where it is to be: it has decided so, and what is under way
// is the reconciler's affair. Only where what is contradicts that, the engine starts again from a new picture
// (resync), which keeps the wishes that can still come true.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/engine.h"
#include "shim/conf/config.h"
#include "shim/controller/books.h"
#include "shim/controller/log.h"
#include "shim/controller/nodes.h"
#include "shim/controller/observer.h"
#include "shim/controller/room.h"

namespace dfrs::record {
class Recorder;
}

namespace dfrs::shim {

struct DriverCounters {
  std::uint64_t decisions = 0;
  std::uint64_t resyncs = 0;
};

class EngineDriver {
 public:
  /// `recorder` may be null.
  EngineDriver(record::Recorder* recorder, const Log& log) : recorder_(recorder), log_(&log) {}

  /// A new engine; it starts with a resync. Error: the engine's (a solver missing, a bad option).
  tl::expected<void, std::string> create(const Config& config);

  /// Tells the engine of the changes and carries what it decides into the wishes of the books. `drop_wishes`: wishes
  /// that have not come true yet are void (other nodes). Errors: the engine's; the next call starts from what is.
  tl::expected<void, std::string> run(Books& books, const Nodes& nodes, Changes& changes, bool drop_wishes,
                                      Seconds now);
  /// Whether raises of yields count only when the agents have taken them (Controller does that). Default: no.
  void confirm_raises(bool on) { confirm_raises_ = on; }
  /// Whether the algorithm pauses others for a job that comes.
  bool pauses_for_arrivals() const { return pauses_for_arrivals_; }
  /// The engine's own time for the next call; kNever: none.
  Seconds wake_at() const { return wake_at_; }
  const DriverCounters& counters() const { return counters_; }
  /// Batch policies neither pause nor resume: suspended jobs that they inherit are resumed for them.
  bool batch() const { return batch_; }
  /// Of the running job, as the view shows it.
  ClusterView view(const Books& books, Seconds now) const { return {now, node_views_, books.views(), 1}; }
  const EngineOptions& options() const { return options_; }
  const Algorithm& algorithm() const { return algorithm_; }

 private:
  using Outcome = tl::expected<void, std::string>;
  Outcome resync(Books& books, const Nodes& nodes, Changes& changes, bool drop_wishes, Seconds now);
  Outcome tell_events(Books& books, const Nodes& nodes, Changes& changes, Seconds now);
  Outcome call(Books& books, const Nodes& nodes, Seconds now);
  void take_decisions(Books& books, const Decisions& decisions, Seconds now);
  void believe(Books& books, const Nodes& nodes, bool drop_wishes, Seconds now, std::vector<Job*>& dropped);
  void settle_batch_yields(Books& books, const Nodes& nodes);

  record::Recorder* recorder_;
  const Log* log_;
  std::unique_ptr<Engine> engine_;
  Algorithm algorithm_;
  EngineOptions options_;
  bool batch_ = false;
  bool confirm_raises_ = false;
  bool takes_up_waiting_ = true;  // the policy comes back to jobs that it has not placed when they were submitted
  bool pauses_for_arrivals_ = false;
  bool must_resync_ = true;
  bool sharing_ = false;  // some job that wants its nodes alone shares them: see believe()
  Seconds wake_at_ = kNever;
  Seconds last_now_ = 0;
  DriverCounters counters_;
  std::vector<Event> events_;
  std::vector<NodeView> node_views_;
  Room room_;
  std::vector<Job*> candidates_;
  std::vector<double> cpu_needed_;
};

/// Brings the view of a job's slot up to date. `reference_cpus`: Nodes::reference_cpus().
void show_job(const Job& job, std::uint32_t reference_cpus, Seconds now, JobView& view, Seconds& estimate);

}  // namespace dfrs::shim
