// SPDX-License-Identifier: GPL-2.0-or-later
// The simplex method with bounds (Dantzig 1955) for one group of jobs of OPT=AVG: maximise the sum of x, 0 <= x <= top,
// so that no node gives away more than it has left. policy/yield/average.h says what x is and which optimum is taken.
//
// On one node the jobs that need least of it come first, and that is the optimum. A group of several nodes begins with
// the same rule, which is a vertex of the program. Only the part of the basis that is not trivial is kept
// (WorkingBasis), so that a step costs what the group has between its bounds and not what the program has rows.
//
// Every group gets an answer:
// - After a few steps of no length the first variable that gains anything enters, not the one that gains most. After
//   many the leaving variable, too, is the one of the lowest index: no basis then comes back (Bland 1977, "New finite
//   pivoting rules for the simplex method"). A step of some length ends both.
// - The inverse is computed from its matrix after many changes, and where rounding has left no usable pivot.
// - The number of steps is limited. Each vertex is a feasible answer, so the last one stands where the limit is reached
//   or a fresh inverse has no usable pivot either.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"
#include "policy/yield/working_basis.h"

namespace dfrs {

/// When the method changes its ways. Tests set other limits, so as to meet each of them.
struct SimplexLimits {
  int few_standstills = 20;           ///< steps in a row of no length, until the first variable that gains enters
  int many_standstills = 100;         ///< until the lowest index decides which one leaves, too; at least as many
  std::size_t inverse_lasts = 512;    ///< changes of the basis; at least as many as it has jobs
  std::size_t fewest_steps = 100;     ///< that a group may take,
  std::size_t steps_per_member = 20;  ///< and for each of its jobs, and each node of the mapping
};

class AverageSimplex {
 public:
  explicit AverageSimplex(const SimplexLimits& limits) : limits_(limits) {}

  /// A mapping: x = 0 for all jobs of nodes without room, x = top for those that no node limits. O(places).
  void begin(const CpuContention& contention);
  /// Whether the node may keep its jobs from the top.
  bool limits(std::uint32_t node) const { return room_[node] == Room::limited; }
  /// Whether some node has no room for the job beyond the minimum.
  bool held(std::uint32_t job) const { return held_[job] != 0; }

  /// A group: jobs in the order in which they rise, together with all others that share a limiting node with one of
  /// them. Each step is O(places of the group + s^2), s the number of jobs between their bounds, and every max(s, 512)
  /// of them O(s^3). Memory: O(s^2).
  void maximize(const CpuContention& contention, std::span<const std::uint32_t> jobs);

  double x(std::uint32_t job) const { return x_[job]; }  ///< in [0, top]
  bool at_top(std::uint32_t job) const { return level_[job] == Level::top; }

 private:
  enum class Level : std::uint8_t { bottom, top, between };
  enum class Room : std::uint8_t { none, limited, enough };
  // Which variables enter and leave: the largest gain and pivot; the first gain; the lowest index for both.
  enum class Rule : std::uint8_t { largest, first, lowest_index };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kNoJob = ~std::size_t{0};

  struct Entering {
    std::uint32_t job = kNone;  // or, if there is none,
    std::size_t node = 0;       // a node by its place in the basis
    double sign = 1;            // of the job's change
    bool found = false;
    bool is_job() const { return job != kNone; }
  };
  // How far a step goes, and what stops it: a job, by its place in the basis, or a node; neither where the entering job
  // goes from bound to bound.
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
  double top_ = 0;                    // of x
  std::vector<Room> room_;            // by node: what limits its jobs
  std::vector<double> left_;          // by node: CPU that is not given away
  std::vector<double> capacity_;      // by node: CPU beyond the minimum
  std::vector<std::uint32_t> full_;   // by node: place in the basis, or kNone
  std::vector<double> price_;         // by node: what a bit more CPU would be worth
  std::vector<double> x_;             // by job
  std::vector<Level> level_;          // by job
  std::vector<std::uint8_t> held_;    // by job
  std::vector<std::uint32_t> basic_;  // by job: place in the basis, where it is between the bounds
  std::vector<std::uint32_t> index_;  // by job: place in the order of rising, its index as a variable
  WorkingBasis basis_;
  std::size_t changes_ = 0;             // of the basis since its inverse was computed
  std::vector<double> column_, row_;    // of one job or node, by place in the basis
  std::vector<double> change_;          // by place in the basis: of x, per unit of the entering one
  std::vector<double> less_;            // by node: of left_, negative, per unit
  std::vector<std::uint32_t> touched_;  // nodes with an entry there
  std::vector<double> matrix_;          // scratch: needs of the basis' jobs on its nodes
};

}  // namespace dfrs
