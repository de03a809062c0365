// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/step_recorder.h"

#include <fmt/format.h>

#include <chrono>

#include "policy/rr7659/options.h"

namespace dfrs::sim {

Result<std::unique_ptr<StepRecorder>> StepRecorder::create(const std::string& path, const Instance& instance,
                                                           const Algorithm& algorithm, const SimOptions& options) {
  std::unique_ptr<StepRecorder> self(new StepRecorder(path));
  for (const Job& job : instance.jobs) {
    if (job.reserved_start > job.submit) {
      return usage_error(
          fmt::format("{}: job {} has a reserved start, which records do not hold; run it without --record",
                      instance.name, job.id));
    }
    self->estimates_.push_back(job.estimate);
  }
  record::RecordLimits limits;
  limits.max_bytes = 0;
  limits.max_waiting_bytes = ~std::uint64_t{0};
  if (const auto made = self->recorder_.on(path, limits); !made) return io_error(made.error());
  // Binds every option, so that a new one fails to compile here until it is recorded or found unnecessary. The options
  // of need discovery and devices_stay are unnecessary: what policies see of them is in the views.
  const auto& [penalty, events_apart, swap_rate, restart, pauses, swap, lost_work, devices_stay, discover_needs,
               need_rule, need_interval, engine] = options;
  const auto& [min_progress, max_lost_runs, requeue_kept] = lost_work;
  EngineOptions recorded = engine;
  recorded.of<DfrsOptions>().ticks_apart = events_apart;
  self->recorder_.begin(algorithm, recorded,
                        record::HostRules{.penalty = penalty,
                                          .swap_rate = swap_rate,
                                          .restart = restart,
                                          .pauses = pauses,
                                          .min_progress = min_progress,
                                          .max_lost_runs = max_lost_runs,
                                          .swap = swap,
                                          .requeue_kept = requeue_kept});
  return self;
}

void StepRecorder::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  recorder_.step(view, Estimates{estimates_}, events, &decisions);
}

Result<void> StepRecorder::finish() {
  recorder_.off(std::chrono::hours{24});
  const auto intact = recorder_.state().intact;
  if (!intact) return io_error(fmt::format("{}: {}", path_, intact.error()));
  return {};
}

}  // namespace dfrs::sim
