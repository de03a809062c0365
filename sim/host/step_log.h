// SPDX-License-Identifier: GPL-2.0-or-later
// The decisions of a run as JSON lines, one per call of the engine, for readers and independent checks.
#pragma once

#include <nlohmann/json.hpp>
#include <utility>

#include "sim/host/simulation.h"
#include "sim/io/output_file.h"

namespace dfrs::sim {

/// Each line: {"t":600,"completed":[ids],"submitted":[ids],"paused":[ids],"moved":{"id":[nodes]},"resumed":{...},
/// "started":{...},"yields":{"id":y}}; empty members are omitted. The first line also has "origin".
class StepLog final : public StepObserver {
 public:
  explicit StepLog(OutputFile& output, nlohmann::ordered_json origin = nullptr)
      : output_(&output), origin_(std::move(origin)) {}
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  const Error* failure() const override { return output_->failure(); }

 private:
  OutputFile* output_;
  nlohmann::ordered_json origin_;  // null: written, or not known
};

}  // namespace dfrs::sim
