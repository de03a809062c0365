// SPDX-License-Identifier: GPL-2.0-or-later
// Flow networks and the interface to a solver, which the host provides (LEMON in the simulator). Amounts and costs are
// integers, so that flows are exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dfrs::divisible {

struct FlowNetwork {
  struct Arc {
    std::uint32_t from = 0, to = 0;
    std::int64_t capacity = 0;  ///< >= 0
    std::int64_t cost = 0;      ///< per unit, >= 0
  };
  std::uint32_t nodes = 0;
  std::uint32_t source = 0, sink = 0;
  std::vector<Arc> arcs;

  void clear() {
    nodes = 0;
    arcs.clear();
  }
  void arc(std::uint32_t from, std::uint32_t to, std::int64_t capacity, std::int64_t cost = 0) {
    arcs.push_back({from, to, capacity, cost});
  }
};

class FlowSolver {
 public:
  virtual ~FlowSolver() = default;
  /// The value of a maximum flow from source to sink. `flow`: one such flow, by arc. `source_side`: 1 for nodes on the
  /// source's side of a minimum cut, by node. Deterministic.
  virtual std::int64_t max_flow(const FlowNetwork& network, std::vector<std::int64_t>& flow,
                                std::vector<char>& source_side) = 0;
  /// A minimum cost flow of `amount` from source to sink, by arc; false if the network cannot carry that much.
  /// Deterministic.
  virtual bool min_cost_flow(const FlowNetwork& network, std::int64_t amount, std::vector<std::int64_t>& flow) = 0;
};

}  // namespace dfrs::divisible
