// SPDX-License-Identifier: GPL-2.0-or-later
// The batch algorithms of RR-7659 (section 5.2) and their parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

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

/// Adds head=, backfill=, predict= and correct= to a name, and what they mean to its description.
void add_batch_parts(const BatchAlgorithm& algorithm, std::string& name, std::string& description);

/// Reads one of these parts, such as "head=SJF". Error: what is wrong with it.
tl::expected<void, std::string> read_batch_part(std::string_view part, BatchAlgorithm& algorithm);

/// What is wrong only with all parts together.
tl::expected<void, std::string> check_batch_parts(const BatchAlgorithm& algorithm);

/// The parts of FCFS, EASY and EASY/extra-only; nullopt for others, also for those with another order.
std::optional<BatchAlgorithm> batch_algorithm(const Algorithm& algorithm);

}  // namespace dfrs
