// SPDX-License-Identifier: GPL-2.0-or-later
// Records a simulated run in the format of live runs, for `dfrs-sim replay`.
#pragma once

#include <string>
#include <vector>

#include "record/recorder.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

class StepRecorder final : public StepObserver {
 public:
  /// Creates the file. Errors: IoError; UsageError for an instance with advance reservations, which records do not
  /// hold.
  StepRecorder(const std::string& path, const Instance& instance, const Algorithm& algorithm,
               const SimOptions& options);
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  /// Completes the file. Errors: IoError if not everything could be written.
  void finish();

 private:
  std::string path_;
  std::vector<Seconds> estimates_;
  record::Recorder recorder_;
};

}  // namespace dfrs::sim
