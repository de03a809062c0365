// SPDX-License-Identifier: GPL-2.0-or-later
// Watches a run step by step and keeps its schedule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/story/story.h"
#include "sim/host/simulation.h"
#include "sim/timeline/told.h"
#include "timeline/schedule.h"

namespace dfrs::sim {

class ScheduleCollector final : public StepObserver {
 public:
  /// `tells`: keeps what happened to each job in words, too; the run must explain (Watch::explains).
  explicit ScheduleCollector(std::string algorithm, bool tells = false) {
    schedule_.algorithm = std::move(algorithm);
    if (tells) stories_.emplace(record::Stories::of_all_and_ended(kMostTold));
  }

  /// Slots may be used again by other jobs. A resync takes over the view's placements.
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;

  /// The schedule so far, with jobs by submission; jobs that are still placed have open stays. Call this once.
  timeline::Schedule finish();
  /// The same, with the run times of the jobs of the simulated instance.
  timeline::Schedule finish(const Instance& instance);

 private:
  struct Track {
    bool here = false;
    bool placed = false;
    std::uint32_t job = 0;
    timeline::Stay stay;
    std::vector<NodeIndex> nodes;
    std::vector<timeline::YieldStep> steps;
    Seconds seen = 0;      // when the yield last changed
    Seconds progress = 0;  // virtual time at the begin of the stay
  };
  void take_nodes(const ClusterView& view);
  Track& track(const ClusterView& view, JobSlot slot);
  void resync(const ClusterView& view);
  void submit(const ClusterView& view, JobSlot slot);
  void place(Track& track, std::span<const NodeIndex> nodes, timeline::StayBegin begin, Seconds now);
  void sort_jobs();
  void close(Track& track, timeline::StayEnd end, Seconds now);

  timeline::Schedule schedule_;
  std::optional<record::Stories> stories_;
  std::vector<Track> tracks_;
  bool begun_ = false;
};

}  // namespace dfrs::sim
