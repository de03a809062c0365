// SPDX-License-Identifier: GPL-2.0-or-later
// The bounded simplex method (Dantzig 1955) for one group of jobs of OPT=AVG: maximises the sum of x, 0 <= x <= top,
// such that no node gives away more CPU than it has left. policy/yield/average.h explains x and which optimum is taken.
//
// On a single node, serving the jobs that need least of it first is optimal. A group of several nodes starts with the
// same rule, which gives a vertex of the program. Only the nontrivial part of the basis is kept (WorkingBasis), so the
// cost of a step depends on the jobs between their bounds and not on the rows of the program.
//
// Every group gets an answer:
// - After a few degenerate steps (of no length), the first variable with any gain enters instead of the one with the
//   largest. After many, the leaving variable is the one of the lowest index, too, so that no basis repeats (Bland
//   1977, "New finite pivoting rules for the simplex method"). A step of some length ends both.
// - The inverse is recomputed from its matrix after many changes, and when rounding leaves no usable pivot.
// - The number of steps is limited. Every vertex is feasible, so the last one is the answer if the limit is reached or
// a
//   fresh inverse has no usable pivot either.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"
#include "policy/yield/working_basis.h"

namespace dfrs {

/// When the method changes its rules. Tests lower these limits to reach each of them.
struct SimplexLimits {
  int few_standstills = 20;           ///< consecutive degenerate steps until the first variable with a gain enters
  int many_standstills = 100;         ///< the same until the lowest index leaves, too; >= few_standstills
  std::size_t inverse_lasts = 512;    ///< changes of the basis until the inverse is recomputed, if it has fewer jobs
  std::size_t fewest_steps = 100;     ///< steps that any group may take,
  std::size_t steps_per_member = 20;  ///< plus these for each of its jobs and each node of the mapping
};

class AverageSimplex {
 public:
  explicit AverageSimplex(const SimplexLimits& limits) : limits_(limits) {}

  /// Takes a mapping: x = 0 for all jobs on nodes without room, x = top for jobs that no node limits. O(places).
  void begin(const CpuContention& contention);
  /// Whether the node can keep some of its jobs below the top.
  bool limits(std::uint32_t node) const { return headroom_[node] == Headroom::limited; }
  /// Whether some node has no room for the job beyond the minimum.
  bool held(std::uint32_t job) const { return held_[job] != 0; }

  /// Solves one group: `jobs` are all that share a limiting node with one of them and are not held, in the order in
  /// which they rise. Each step is O(places of the group + s^2), where s is the number of jobs between their bounds,
  /// and every max(s, 512) steps O(s^3). Memory: O(s^2).
  void maximize(const CpuContention& contention, std::span<const std::uint32_t> jobs);

  double x(std::uint32_t job) const { return x_[job]; }  ///< in [0, top]
  bool at_top(std::uint32_t job) const { return level_[job] == Level::top; }

 private:
  enum class Level : std::uint8_t { bottom, top, between };
  enum class Headroom : std::uint8_t { none, limited, enough };
  // Which variables enter and leave: those of the largest gain and pivot; the first with a gain; the lowest indices.
  enum class Rule : std::uint8_t { largest, first, lowest_index };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kNoJob = ~std::size_t{0};

  struct Entering {
    std::uint32_t job = kNone;  // kNone: a node enters instead
    std::size_t node = 0;       // that node, by its place in the basis
    double sign = 1;            // 1: the job rises; -1: it falls
    bool found = false;
    bool is_job() const { return job != kNone; }
  };
  // How long a step is and what limits it: a job, by its place in the basis, or a node. Neither if the entering job
  // goes from one bound to the other.
  struct Leaving {
    double length = 0;
    double pivot = 0;
    std::size_t job = kNoJob;
    std::uint32_t node = kNone;
    bool has_job() const { return job != kNoJob; }
    bool has_node() const { return node != kNone; }
  };

  void rise(const CpuContention& contention, std::uint32_t job);
  bool make_full(const CpuContention& contention, std::uint32_t job, std::uint32_t node);
  void price();
  double gain(const CpuContention& contention, std::uint32_t job) const;
  Entering choose(const CpuContention& contention, std::span<const std::uint32_t> jobs, Rule rule) const;
  Entering choose_largest(const CpuContention& contention, std::span<const std::uint32_t> jobs) const;
  Entering choose_first(const CpuContention& contention, std::span<const std::uint32_t> jobs, Rule rule) const;
  bool step(const CpuContention& contention, const Entering& entering, Rule rule, bool& moved);
  void find_rates(const CpuContention& contention, const Entering& entering);
  void add_rates(const CpuContention& contention, std::uint32_t job, double rate);
  Leaving find_leaving(const Entering& entering, Rule rule) const;
  Rule rule_after(int standstills) const;
  std::uint64_t index_of(const Leaving& leaving) const;
  void advance(const Entering& entering, double length);
  bool change_basis(const CpuContention& contention, const Entering& entering, const Leaving& leaving);
  bool swap_nodes(const CpuContention& contention, std::size_t entering, std::uint32_t leaving);
  bool drop(std::size_t job_at, std::size_t node_at, Level bound);
  void to_bound(std::uint32_t job, Level bound);
  void needs_on_full_nodes(const CpuContention& contention, std::uint32_t job);
  void needs_of_basic_jobs(const CpuContention& contention, std::uint32_t node);
  void read_off(const CpuContention& contention, std::span<const std::uint32_t> jobs);
  bool refresh(const CpuContention& contention, std::span<const std::uint32_t> jobs);

  SimplexLimits limits_;
  double top_ = 0;                    // upper bound of x
  std::vector<Headroom> headroom_;    // by node
  std::vector<double> left_;          // by node: CPU that is not given away
  std::vector<double> capacity_;      // by node: CPU beyond the minimum
  std::vector<std::uint32_t> full_;   // by node: its place in the basis if it is full, else kNone
  std::vector<double> price_;         // by node: marginal value of its CPU
  std::vector<double> x_;             // by job
  std::vector<Level> level_;          // by job
  std::vector<std::uint8_t> held_;    // by job
  std::vector<std::uint32_t> basic_;  // by job: its place in the basis, if it is between the bounds
  std::vector<std::uint32_t> index_;  // by job: its place in the order of rising, which is its index as a variable
  WorkingBasis basis_;
  std::size_t changes_ = 0;             // of the basis since its inverse was computed
  std::vector<double> column_, row_;    // of one job or node, by place in the basis
  std::vector<double> change_;          // by place in the basis: change of x per unit of the entering variable
  std::vector<double> less_;            // by node: decrease of left_ per unit of the entering variable
  std::vector<std::uint32_t> touched_;  // nodes with an entry in less_
  std::vector<double> matrix_;          // scratch: needs of the basic jobs on the full nodes
};

}  // namespace dfrs
