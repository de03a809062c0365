// SPDX-License-Identifier: GPL-2.0-or-later
// Flows in networks, and the interface to whatever computes them: the core has no solver of its own, the host hands one
// in (LEMON in the simulator). Amounts and costs are integers, so that a flow is exact.
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
  /// The value of a maximum flow from source to sink. `flow`: one such flow, by arc. `source_side`: 1 for the nodes on
  /// the source's side of a minimum cut, by node. Deterministic.
  virtual std::int64_t max_flow(const FlowNetwork& network, std::vector<std::int64_t>& flow,
                                std::vector<char>& source_side) = 0;
  /// A flow of `amount` from source to sink that costs least, by arc; false if so much does not pass. Deterministic.
  virtual bool min_cost_flow(const FlowNetwork& network, std::int64_t amount, std::vector<std::int64_t>& flow) = 0;
};

}  // namespace dfrs::divisible
