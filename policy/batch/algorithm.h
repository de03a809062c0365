// SPDX-License-Identifier: GPL-2.0-or-later
// The batch algorithms of RR-7659 (section 5.2) and their parts.
#pragma once

#include <optional>

#include "policy/batch/predict/prediction_rule.h"
#include "policy/batch/queue_rank.h"
#include "policy/core/algorithm.h"

namespace dfrs {

/// First come first served, with or without EASY's backfilling.
struct BatchAlgorithm {
  enum class Backfill {
    none,        ///< FCFS
    easy,        ///< a job may jump ahead if it ends by the shadow time or uses extra nodes only
    extra_only,  ///< extra nodes only, which matches the EASY figures of RR-7659 (docs/reference/semantics.md)
  };
  Backfill backfill = Backfill::none;
  QueueRank head = QueueRank::fcfs;    ///< order of the queue: whose turn it is, and who gets the reservation
  QueueRank others = QueueRank::fcfs;  ///< order in which the others may jump ahead
  PredictionRule prediction = {};      ///< of the run times that both go by

  bool ranked() const { return head != QueueRank::fcfs || others != QueueRank::fcfs; }
};

/// The algorithm with its canonical name.
Algorithm named(const BatchAlgorithm& algorithm);

/// The parts of FCFS, EASY and EASY/extra-only; nullopt for others, also for those with another order.
std::optional<BatchAlgorithm> batch_algorithm(const Algorithm& algorithm);

}  // namespace dfrs
