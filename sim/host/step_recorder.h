// SPDX-License-Identifier: GPL-2.0-or-later
// Records a simulated run in the format of live runs, for `dfrs-sim replay`.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "record/recorder.h"
#include "sim/errors.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

class StepRecorder final : public StepObserver {
 public:
  /// Creates the file. Errors: kExitIo; kExitUsage for an instance with advance reservations, which records
  /// do not hold.
  static Result<std::unique_ptr<StepRecorder>> create(const std::string& path, const Instance& instance,
                                                      const Algorithm& algorithm, const SimOptions& options);
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  /// Completes the file. Errors: not everything could be written.
  Result<void> finish();

 private:
  explicit StepRecorder(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<Seconds> estimates_;
  record::Recorder recorder_;
};

}  // namespace dfrs::sim
