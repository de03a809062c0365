// SPDX-License-Identifier: GPL-2.0-or-later
// The names of batch scheduling by RR-7659 (section 5.2).
#include <array>

#include "policy/batch/algorithm.h"
#include "policy/batch/backfill.h"
#include "policy/batch/options.h"
#include "policy/core/registry.h"

namespace dfrs {
namespace {

using Backfill = BatchAlgorithm::Backfill;

struct Row {
  Backfill backfill;
  std::string_view name;
  std::string_view description;
};
constexpr std::array<Row, 3> kRows{
    {{Backfill::none, "FCFS", "whole nodes, strictly in order of submission"},
     {Backfill::easy, "EASY", "whole nodes in order, later jobs jump ahead if they do not delay the first"},
     {Backfill::extra_only, "EASY/extra-only",
      "EASY that backfills into the extra nodes only, as the figures of RR-7659 have it"}}};

std::vector<Algorithm> list() {
  std::vector<Algorithm> all;
  for (const Row& row : kRows) all.emplace_back(named(BatchAlgorithm{row.backfill}));
  return all;
}

constexpr std::array kFields{option_field<&BatchOptions::pass_per_event>("pass_per_event"),
                             option_field<&BatchOptions::pack_tasks>("pack_tasks")};
static_assert(kFields.size() == field_count<BatchOptions>(), "an option is missing in the table");
constexpr OptionTable kOptions{"batch", kFields};

}  // namespace

void add_batch_parts(const BatchAlgorithm& algorithm, std::string& name, std::string& description) {
  const auto add = [&](std::string_view what, QueueRank rank) {
    if (rank == QueueRank::fcfs) return;
    const std::string_view value = kQueueRankNames[static_cast<std::size_t>(rank)];
    name += "/" + std::string(what) + "=" + std::string(value);
    description += std::string(what == "head" ? "; queue by " : "; others by ") + std::string(value);
  };
  add("head", algorithm.head);
  if (algorithm.backfill != Backfill::none) add("backfill", algorithm.others);
  if (algorithm.prediction.predicts()) {
    const PredictionRule& rule = algorithm.prediction;
    name += "/predict=" + predictor_name(rule);
    description += "; run times by " + predictor_name(rule);
    if (rule.correct != PredictionRule::Correct::request) name += "/correct=" + std::string(correction_name(rule));
  }
}

Algorithm named(const BatchAlgorithm& algorithm) {
  PolicyTraits traits;
  traits.shares_nodes = false;
  traits.submissions_apart = false;
  const Row& row = kRows[static_cast<std::size_t>(algorithm.backfill)];
  std::string name(row.name);
  std::string description(row.description);
  add_batch_parts(algorithm, name, description);
  return {std::move(name), std::move(description), traits, MakeBatch([algorithm](const EngineOptions& options) {
            return std::make_unique<BackfillPolicy>(algorithm, options.of<BatchOptions>());
          })};
}

std::optional<BatchAlgorithm> batch_algorithm(const Algorithm& algorithm) {
  for (const Row& row : kRows) {
    if (row.name == algorithm.name) return BatchAlgorithm{row.backfill};
  }
  return std::nullopt;
}

extern const PolicyFamily batch_family{"batch",  "Batch scheduling (RR-7659, section 5.2)", list, nullptr, nullptr,
                                       &kOptions};

}  // namespace dfrs
