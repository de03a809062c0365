// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/step_recorder.h"

#include <fmt/format.h>

#include <chrono>

#include "sim/errors.h"

namespace dfrs::sim {

StepRecorder::StepRecorder(const std::string& path, const Instance& instance, const Algorithm& algorithm,
                           const SimOptions& options)
    : path_(path) {
  for (const Job& job : instance.jobs) {
    if (job.reserved_start > job.submit) {
      throw UsageError(
          fmt::format("{}: job {} has a reserved start, which records do not hold; run it without --record",
                      instance.name, job.id));
    }
    estimates_.push_back(job.estimate);
  }
  shim::RecordLimits limits;
  limits.max_bytes = 0;
  limits.max_waiting_bytes = ~std::uint64_t{0};
  if (const auto made = recorder_.on(path, limits); !made) throw IoError(made.error());
  EngineOptions engine = options.engine;
  engine.dfrs.ticks_apart = options.events_apart;
  recorder_.begin(algorithm, engine);
}

void StepRecorder::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  recorder_.step(view, Estimates{estimates_}, events, &decisions);
}

void StepRecorder::finish() {
  recorder_.off(std::chrono::hours{24});
  if (const std::string why = recorder_.state().stopped; !why.empty()) throw IoError(fmt::format("{}: {}", path_, why));
}

}  // namespace dfrs::sim
