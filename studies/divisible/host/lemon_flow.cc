// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/lemon_flow.h"

#include <lemon/network_simplex.h>
#include <lemon/preflow.h>
#include <lemon/smart_graph.h>
#include <lemon/static_graph.h>

#include <utility>

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::FlowNetwork;
using Amount = std::int64_t;

struct Graph {
  explicit Graph(const FlowNetwork& network) {
    digraph.reserveNode(static_cast<int>(network.nodes));
    digraph.reserveArc(static_cast<int>(network.arcs.size()));
    for (std::uint32_t k = 0; k < network.nodes; ++k) digraph.addNode();
    for (const FlowNetwork::Arc& arc : network.arcs) digraph.addArc(node(arc.from), node(arc.to));
  }
  lemon::SmartDigraph::Node node(std::uint32_t k) const { return lemon::SmartDigraph::nodeFromId(static_cast<int>(k)); }
  static lemon::SmartDigraph::Arc arc(std::size_t k) { return lemon::SmartDigraph::arcFromId(static_cast<int>(k)); }

  lemon::SmartDigraph digraph;
};

}  // namespace

std::int64_t LemonFlow::max_flow(const FlowNetwork& network, std::vector<std::int64_t>& flow,
                                 std::vector<char>& source_side) {
  const Graph graph(network);
  lemon::SmartDigraph::ArcMap<Amount> capacity(graph.digraph);
  for (std::size_t k = 0; k < network.arcs.size(); ++k) capacity[Graph::arc(k)] = network.arcs[k].capacity;
  lemon::Preflow<lemon::SmartDigraph, lemon::SmartDigraph::ArcMap<Amount>> preflow(
      graph.digraph, capacity, graph.node(network.source), graph.node(network.sink));
  preflow.run();
  flow.resize(network.arcs.size());
  for (std::size_t k = 0; k < flow.size(); ++k) flow[k] = preflow.flow(Graph::arc(k));
  source_side.resize(network.nodes);
  for (std::uint32_t k = 0; k < network.nodes; ++k) source_side[k] = preflow.minCut(graph.node(k)) ? 1 : 0;
  return preflow.flowValue();
}

bool LemonFlow::min_cost_flow(const FlowNetwork& network, std::int64_t amount, std::vector<std::int64_t>& flow) {
  const Graph graph(network);
  lemon::SmartDigraph::ArcMap<Amount> capacity(graph.digraph);
  lemon::SmartDigraph::ArcMap<Amount> cost(graph.digraph);
  for (std::size_t k = 0; k < network.arcs.size(); ++k) {
    capacity[Graph::arc(k)] = network.arcs[k].capacity;
    cost[Graph::arc(k)] = network.arcs[k].cost;
  }
  using Simplex = lemon::NetworkSimplex<lemon::SmartDigraph, Amount, Amount>;
  Simplex simplex(graph.digraph);
  simplex.upperMap(capacity).costMap(cost).stSupply(graph.node(network.source), graph.node(network.sink), amount);
  if (simplex.run() != Simplex::OPTIMAL) return false;
  flow.resize(network.arcs.size());
  for (std::size_t k = 0; k < flow.size(); ++k) flow[k] = simplex.flow(Graph::arc(k));
  return true;
}

}  // namespace dfrs::sim::divisible
