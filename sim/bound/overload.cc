// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/overload.h"

#include <lemon/preflow.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace dfrs::sim {
namespace {

using Amount = std::int64_t;

/// Each unit of the stretch gives every set of jobs at least the smallest rate x size of them: undone work up to this
/// part of it moves the bound by as little.
constexpr double kStretchTolerance = 1e-11;

/// Work done for a job between instants `interval` and `interval` + 1.
struct Piece {
  std::uint32_t job;
  std::uint32_t interval;
  Amount limit;
  Amount done;
};

/// A schedule that respects releases, deadlines, rates and the platform, but may leave work undone.
struct Schedule {
  std::vector<Amount> work;      // per job
  std::vector<Amount> capacity;  // per interval
  std::vector<Amount> used;      // per interval
  std::vector<Amount> undone;    // per job
  std::vector<Piece> pieces;
  Amount tolerance;  // undone work that counts as rounding

  bool complete() const { return std::accumulate(undone.begin(), undone.end(), Amount{0}) <= tolerance; }
};

/// Rounds so that the limits of neighbouring intervals add up to the rounded limit of both: errors do not grow with
/// their number.
class Scale {
 public:
  explicit Scale(double largest) : factor_(std::exp2(std::floor(60 - std::log2(largest)))) {}
  Amount operator()(double amount) const { return std::llround(amount * factor_); }
  Amount floor(double amount) const { return static_cast<Amount>(amount * factor_); }

 private:
  double factor_;
};

/// From instant to instant: first what must be done now for a deadline to stay possible, then EDF.
Schedule urgent_first(const CongestedPart& part, double cpu) {
  const std::size_t n = part.size();
  std::vector<Seconds> instants;
  instants.reserve(2 * n);
  double total = 0;
  for (const CongestedJob& job : part) {
    instants.push_back(job.begin);
    instants.push_back(job.end);
    total += job.work;
  }
  std::sort(instants.begin(), instants.end());
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  const Scale scale(std::max(total, cpu * instants.back()));

  Schedule schedule;
  const auto by_rate = [](const CongestedJob& a, const CongestedJob& b) { return a.rate * a.size < b.rate * b.size; };
  const auto smallest = std::min_element(part.begin(), part.end(), by_rate);
  schedule.tolerance = scale(kStretchTolerance * smallest->rate * smallest->size);
  schedule.work.reserve(n);
  std::vector<Amount> at_end(n);  // what the job's rate allows from instant 0 to its end
  for (std::size_t j = 0; j < n; ++j) {
    schedule.work.push_back(scale.floor(part[j].work));
    at_end[j] = scale(part[j].rate * part[j].end);
  }
  schedule.undone = schedule.work;

  struct Alive {
    std::uint32_t job;
    Amount so_far;  // what the job's rate allows from instant 0 to now
  };
  std::vector<Alive> alive;  // by deadline
  std::uint32_t next = 0;
  Amount capacity_so_far = scale(cpu * instants.front());
  for (std::uint32_t i = 0; i + 1 < instants.size(); ++i) {
    std::erase_if(alive, [&](const Alive& a) { return part[a.job].end <= instants[i]; });
    for (; next < n && part[next].begin <= instants[i]; ++next) {
      const auto place = std::upper_bound(alive.begin(), alive.end(), part[next].end,
                                          [&](Seconds end, const Alive& a) { return end < part[a.job].end; });
      alive.insert(place, {next, scale(part[next].rate * instants[i])});
    }
    const Amount capacity_now = scale(cpu * instants[i + 1]);
    const Amount capacity = capacity_now - capacity_so_far;
    capacity_so_far = capacity_now;
    Amount unused = capacity;
    const std::size_t first = schedule.pieces.size();
    for (Alive& a : alive) {
      const Amount now = scale(part[a.job].rate * instants[i + 1]);
      const Amount limit = now - a.so_far;
      a.so_far = now;
      const Amount urgent = schedule.undone[a.job] - (at_end[a.job] - now);
      const Amount done = std::min(std::clamp<Amount>(urgent, 0, limit), unused);
      unused -= done;
      schedule.undone[a.job] -= done;
      schedule.pieces.push_back({a.job, i, limit, done});
    }
    for (std::size_t p = first; unused > 0 && p < schedule.pieces.size(); ++p) {
      Piece& piece = schedule.pieces[p];
      const Amount more = std::min({piece.limit - piece.done, schedule.undone[piece.job], unused});
      unused -= more;
      piece.done += more;
      schedule.undone[piece.job] -= more;
    }
    schedule.capacity.push_back(capacity);
    schedule.used.push_back(capacity - unused);
  }
  return schedule;
}

/// Completes the schedule as far as possible by a maximum flow; the part's jobs on the source side of the minimum cut
/// nearest to the sink, or none if all work gets done.
std::vector<std::uint32_t> minimum_cut(const Schedule& schedule) {
  using Graph = lemon::SmartDigraph;
  const int n = static_cast<int>(schedule.work.size());
  const int m = static_cast<int>(schedule.capacity.size());
  Graph graph;
  graph.reserveNode(n + m + 2);
  graph.reserveArc(n + m + static_cast<int>(schedule.pieces.size()));
  for (int node = 0; node < n + m + 2; ++node) graph.addNode();
  const auto job = [](int j) { return Graph::nodeFromId(j); };
  const auto interval = [n](int i) { return Graph::nodeFromId(n + i); };
  const Graph::Node source = Graph::nodeFromId(n + m);
  const Graph::Node sink = Graph::nodeFromId(n + m + 1);
  for (int j = 0; j < n; ++j) graph.addArc(source, job(j));
  for (int i = 0; i < m; ++i) graph.addArc(interval(i), sink);
  for (const Piece& piece : schedule.pieces)
    graph.addArc(job(static_cast<int>(piece.job)), interval(static_cast<int>(piece.interval)));

  Graph::ArcMap<Amount> limit(graph);
  Graph::ArcMap<Amount> start(graph);
  int id = 0;
  const auto next_arc = [&](Amount at_most, Amount begin_with) {
    const Graph::Arc arc = Graph::arcFromId(id++);
    limit[arc] = at_most;
    start[arc] = begin_with;
  };
  Amount total = 0;
  for (int j = 0; j < n; ++j) {
    next_arc(schedule.work[j], schedule.work[j] - schedule.undone[j]);
    total += schedule.work[j];
  }
  for (int i = 0; i < m; ++i) next_arc(schedule.capacity[i], schedule.used[i]);
  for (const Piece& piece : schedule.pieces) next_arc(piece.limit, piece.done);

  lemon::Preflow<Graph, Graph::ArcMap<Amount>> flow(graph, limit, source, sink);
  flow.init(start);
  flow.startFirstPhase();
  std::vector<std::uint32_t> cut;
  if (total - flow.flowValue() <= schedule.tolerance) return cut;
  for (int j = 0; j < n; ++j)
    if (flow.minCut(job(j))) cut.push_back(static_cast<std::uint32_t>(j));
  return cut;
}

}  // namespace

std::vector<std::uint32_t> overloaded_jobs(const CongestedPart& part, double cpu) {
  const Schedule schedule = urgent_first(part, cpu);
  if (schedule.complete()) return {};
  std::vector<std::uint32_t> cut = minimum_cut(schedule);
  for (std::uint32_t& j : cut) j = part[j].job;
  return cut;
}

}  // namespace dfrs::sim
