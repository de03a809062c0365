// SPDX-License-Identifier: GPL-2.0-or-later
// The names of batch scheduling with conservative backfilling: ORDER/conservative[/compress].
#include <array>
#include <memory>

#include "policy/batch/conservative.h"
#include "policy/batch/options.h"
#include "policy/core/registry.h"

namespace dfrs {
namespace {

std::string description(const ConservativeAlgorithm& algorithm) {
  constexpr std::array<const char*, 3> kFirst{"in order of submission", "shortest estimate first",
                                              "longest estimate first"};
  std::string text = "whole nodes, every job has a planned start; when a job ends, ";
  text += algorithm.compress ? "starts move forward " : "all are planned again ";
  text += kFirst[static_cast<std::size_t>(algorithm.order)];
  if (algorithm.compress) text += ", none is ever put back";
  return text;
}

std::vector<Algorithm> list() {
  std::vector<Algorithm> all;
  for (const bool compress : {false, true}) {
    for (const QueueOrder order : kQueueOrders) all.push_back(named(ConservativeAlgorithm{order, compress}));
  }
  return all;
}

}  // namespace

Algorithm named(const ConservativeAlgorithm& algorithm) {
  PolicyTraits traits;
  traits.shares_nodes = false;
  traits.submissions_apart = false;
  std::string name = queue_order_name(algorithm.order);
  name += algorithm.compress ? "/conservative/compress" : "/conservative";
  return {std::move(name), description(algorithm), traits, MakeBatch([algorithm](const EngineOptions& options) {
            return std::make_unique<ConservativePolicy>(algorithm, options.of<BatchOptions>());
          })};
}

extern const PolicyFamily conservative_family{
    "conservative", "Conservative backfilling on full schedules (Streit 2003, section 5)", list};

}  // namespace dfrs
