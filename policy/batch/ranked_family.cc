// SPDX-License-Identifier: GPL-2.0-or-later
// The names of batch scheduling with other orders of the queue, and with predicted run times:
//
//   EASY [/head=ORDER] [/backfill=ORDER] [/predict=PREDICTOR [/correct=RULE]]     FCFS /head=ORDER [/predict=...]
//
// EASY/backfill=SJF/predict=tsafrir is EASY++ (Tsafrir, Etsion and Feitelson 2007).
#include <array>

#include "policy/batch/algorithm.h"
#include "policy/core/registry.h"

namespace dfrs {
namespace {

using Backfill = BatchAlgorithm::Backfill;

std::string orders() {
  std::string text;
  for (const std::string_view name : kQueueRankNames) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string quoted(std::string_view text) { return "'" + std::string(text.substr(0, 40)) + "'"; }

}  // namespace

tl::expected<void, std::string> read_batch_part(std::string_view part, BatchAlgorithm& algorithm) {
  const std::size_t equals = part.find('=');
  const std::string_view what = part.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
  if (same_name(what, "predict")) {
    if (set_predictor(algorithm.prediction, value)) return {};
    return wrong(quoted(value) + " predicts no run times; there are " + std::string(kPredictorNames));
  }
  if (same_name(what, "correct")) {
    if (set_correction(algorithm.prediction, value)) return {};
    return wrong(quoted(value) + " corrects no predictions; there are " + std::string(kCorrectionNames));
  }
  const bool head = same_name(what, "head");
  if (!head && !same_name(what, "backfill")) {
    return wrong(quoted(part) + " is none of head=ORDER, backfill=ORDER, predict=PREDICTOR and correct=RULE");
  }
  if (!head && algorithm.backfill == Backfill::none) return wrong("FCFS does not backfill; it takes only head=ORDER");
  const auto rank = queue_rank_of(value);
  if (!rank) return wrong(quoted(value) + " is no order of the queue; there are " + orders());
  (head ? algorithm.head : algorithm.others) = *rank;
  return {};
}

tl::expected<void, std::string> check_batch_parts(const BatchAlgorithm& algorithm) {
  const PredictionRule& rule = algorithm.prediction;
  if (rule.predicts() && algorithm.backfill == Backfill::none && algorithm.head == QueueRank::fcfs) {
    return wrong("FCFS in order of submission uses no run times, so it takes no predict=");
  }
  if (!rule.predicts() && rule.correct != PredictionRule::Correct::request) {
    return wrong("without predict= there is nothing to correct");
  }
  return {};
}

namespace {

std::vector<Algorithm> list() {
  std::vector<Algorithm> all;
  for (std::size_t k = 1; k < kQueueRankNames.size(); ++k) {
    const auto rank = static_cast<QueueRank>(k);
    all.push_back(named(BatchAlgorithm{Backfill::easy, QueueRank::fcfs, rank}));
  }
  for (const QueueRank rank : {QueueRank::sjf, QueueRank::saf, QueueRank::f1, QueueRank::wfp3}) {
    all.push_back(named(BatchAlgorithm{Backfill::easy, rank, rank}));
  }
  all.push_back(named(BatchAlgorithm{Backfill::none, QueueRank::sjf, QueueRank::fcfs}));
  for (const std::string_view name : {"double", "tsafrir", "mean", "q90", "sc15"}) {
    BatchAlgorithm predicting{Backfill::easy, QueueRank::fcfs, QueueRank::sjf};
    set_predictor(predicting.prediction, name);
    if (name == "sc15") predicting.prediction.correct = PredictionRule::Correct::steps;
    all.push_back(named(predicting));
  }
  return all;
}

NameMatch parse(std::string_view name) {
  BatchAlgorithm algorithm;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find('=', slash) == std::string_view::npos) return std::nullopt;
  if (name_starts_with(name.substr(slash + 1), "shared")) return std::nullopt;
  if (same_name(name.substr(0, slash), "EASY")) {
    algorithm.backfill = Backfill::easy;
  } else if (!same_name(name.substr(0, slash), "FCFS")) {
    return std::nullopt;
  }
  for (std::string_view rest = name.substr(slash + 1);;) {
    const std::size_t end = rest.find('/');
    if (const auto read = read_batch_part(rest.substr(0, end), algorithm); !read) return tl::unexpected(read.error());
    if (end == std::string_view::npos) break;
    rest = rest.substr(end + 1);
  }
  if (const auto fine = check_batch_parts(algorithm); !fine) return tl::unexpected(fine.error());
  return Algorithm{named(algorithm)};
}

}  // namespace

extern const PolicyFamily ranked_family{
    "ranked", "Backfilling in other orders (SC'17, Cluster 2009), with predicted run times (SC'15)", list, parse};

}  // namespace dfrs
