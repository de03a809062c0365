// SPDX-License-Identifier: GPL-2.0-or-later
// The names of batch scheduling with other orders of the queue: FCFS/head=ORDER, EASY[/head=ORDER][/backfill=ORDER].
// EASY/backfill=SJF is EASY++ (Tsafrir, Etsion and Feitelson 2007) without its predictor.
#include <array>

#include "policy/batch/algorithm.h"
#include "policy/core/registry.h"

namespace dfrs {
namespace {

using Backfill = BatchAlgorithm::Backfill;

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
  return all;
}

std::string orders() {
  std::string text;
  for (const std::string_view name : kQueueRankNames) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// One part such as "head=SJF". Error: what is wrong with it.
tl::expected<void, std::string> read_part(std::string_view part, BatchAlgorithm& algorithm) {
  const std::size_t equals = part.find('=');
  const std::string_view what = part.substr(0, equals);
  const bool head = same_name(what, "head");
  if (equals == std::string_view::npos || (!head && !same_name(what, "backfill"))) {
    return wrong("'" + std::string(part.substr(0, 40)) + "' is neither head=ORDER nor backfill=ORDER");
  }
  if (!head && algorithm.backfill == Backfill::none) return wrong("FCFS does not backfill; it takes only head=ORDER");
  const auto rank = queue_rank_of(part.substr(equals + 1));
  if (!rank) {
    return wrong("'" + std::string(part.substr(equals + 1, 40)) + "' is no order of the queue; there are " + orders());
  }
  (head ? algorithm.head : algorithm.others) = *rank;
  return {};
}

NameMatch parse(std::string_view name) {
  BatchAlgorithm algorithm;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find('=', slash) == std::string_view::npos) return std::nullopt;
  if (same_name(name.substr(0, slash), "EASY")) {
    algorithm.backfill = Backfill::easy;
  } else if (!same_name(name.substr(0, slash), "FCFS")) {
    return std::nullopt;
  }
  for (std::string_view rest = name.substr(slash + 1);;) {
    const std::size_t end = rest.find('/');
    if (const auto read = read_part(rest.substr(0, end), algorithm); !read) return tl::unexpected(read.error());
    if (end == std::string_view::npos) break;
    rest = rest.substr(end + 1);
  }
  return Algorithm{named(algorithm)};
}

}  // namespace

extern const PolicyFamily ranked_family{"ranked", "Backfilling with other orders of the queue (SC'17, Cluster 2009)",
                                        list, parse};

}  // namespace dfrs
