// SPDX-License-Identifier: GPL-2.0-or-later
// What --explain prints: what happened to one job, event by event, and why.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "record/story/story.h"
#include "sim/host/instance.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

/// Follows one job of a simulation, which must explain (Watch::explains).
class ExplainedJob final : public StepObserver {
 public:
  /// Errors: UsageError, with the numbers there are, if no job has this one.
  ExplainedJob(JobId job, const Instance& instance);
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    stories_.step(view, events, decisions);
  }
  const record::Stories& stories() const { return stories_; }

 private:
  record::Stories stories_;
};

/// A line per event, with its time, and one that sums up. Errors: InputError if the job never was in the system.
std::string explanation_text(JobId job, const record::Stories& stories);
/// {"job": 17, "summary": {...}, "events": [...]}. Errors: as explanation_text().
nlohmann::ordered_json explanation_json(JobId job, const record::Stories& stories);

}  // namespace dfrs::sim
