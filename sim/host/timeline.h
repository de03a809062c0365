// SPDX-License-Identifier: GPL-2.0-or-later
// What each job had and how far it had come, over time: a CSV row per job and interval without a change.
#pragma once

#include <vector>

#include "sim/host/simulation.h"
#include "sim/io/constant_columns.h"
#include "sim/io/output_file.h"

namespace dfrs::sim {

/// Columns: job, from, to (s), state (waiting, paused, penalty, running), yield, virtual_time (s, at `to`), nodes (of
/// each task, separated by spaces). A job's rows follow each other without gaps from its submission to its end; the
/// rows of several jobs are mixed. A job whose paused work is lost starts over with virtual time 0.
class Timeline final : public StepObserver {
 public:
  explicit Timeline(OutputFile& output, ConstantColumns more = {});
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  const Error* failure() const override { return output_->failure(); }

 private:
  struct Track {
    JobState state = JobState::absent;
    Seconds since = 0;
    double yield = 0;
    std::vector<NodeIndex> nodes;
  };
  Track& track(JobSlot job);
  void close(const ClusterView& view, JobSlot job);
  void row(const JobView& job, Seconds from, Seconds to, std::string_view state, Seconds virtual_time,
           const Track& track);

  OutputFile* output_;
  ConstantColumns more_;
  std::vector<Track> tracks_;
};

}  // namespace dfrs::sim
