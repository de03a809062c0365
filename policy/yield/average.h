// SPDX-License-Identifier: GPL-2.0-or-later
// OPT=AVG: maximal average yield with no yield below the maximised minimum (RR-7659, section 4.6, linear program (2)).
//
// What a job may have beyond the minimum is x, 0 <= x <= 1 - minimum, and the sum of all x is maximised. A node that is
// full at the minimum leaves its jobs there; one with room for all that its jobs can take limits nobody. What remains
// falls apart into groups of jobs that share nodes. On one node, the jobs that need least of it come first, and that is
// the optimum. A group of several nodes begins with the same rule (see below), which is a vertex of the program, and
// goes on by the simplex method with bounds (Dantzig 1955) from there; only the part of the basis that is not trivial
// is kept (WorkingBasis). A general solver builds and factorises each program anew, which took most of the time of a
// simulation.
//
// The optimum is often not unique: equal jobs on a node may share what is left in any way. The answer depends on
// nothing but the jobs, their order and their nodes, by these rules: jobs rise in the order of their CPU need summed
// over the nodes that limit them, least first, in submission order among equals, each as far as it can; then, as long
// as the sum can grow, the job that gains most by it rises (or falls, or the node whose price is most negative is left
// with room), the earlier submitted first among equals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/lp_solver.h"
#include "policy/yield/sharing.h"
#include "policy/yield/working_basis.h"

namespace dfrs {

class AverageYield {
 public:
  /// `solver` is asked where a group has more than 256 jobs between the bounds at a time, or where rounding gets in the
  /// way of the method above; neither happens on HPC2N's log. May be null: solve() is false then.
  explicit AverageYield(LpSolver* solver) : solver_(solver) {}

  /// Yields by index into sharing.jobs(). False if the solver gave up. O(places + jobs log jobs), and for each step
  /// within a group of several nodes O(places of the group + s^2), s the number of its jobs between the bounds.
  bool solve(const Sharing& sharing, std::span<double> yields);

  /// The program itself, for the solver and tests.
  static void build(const Sharing& sharing, LinearProgram& program);

 private:
  enum class Place : std::uint8_t { bottom, top, between };
  enum class Room : std::uint8_t { none, limited, enough };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Candidate {
    std::uint32_t group;
    double weight;  // CPU need summed over the nodes that limit it
    std::uint32_t job;
  };
  struct Entering {
    std::uint32_t job = kNone;  // or, if there is none,
    std::size_t node = 0;       // a node by its place in the basis
    double sign = 1;            // of the job's change
    bool found = false;
  };

  void reduce(const Sharing& sharing);
  void group(const Sharing& sharing);
  bool optimize(const Sharing& sharing, std::span<const Candidate> jobs);
  bool rise(const Sharing& sharing, std::uint32_t job);
  bool make_full(const Sharing& sharing, std::uint32_t job, std::uint32_t node);
  void price();
  Entering choose(const Sharing& sharing, std::span<const Candidate> jobs, bool first) const;
  bool step(const Sharing& sharing, const Entering& entering, bool& moved);
  void needs_on_full_nodes(const Sharing& sharing, std::uint32_t job);
  void needs_of_basic_jobs(const Sharing& sharing, std::uint32_t node);
  void read_off(const Sharing& sharing, std::span<const Candidate> jobs);
  bool fits(const Sharing& sharing, std::span<const double> yields) const;
  bool ask_solver(const Sharing& sharing, std::span<double> yields);

  LpSolver* solver_;
  LinearProgram program_;

  double top_ = 0;                    // of x
  std::vector<Room> room_;            // by node: what limits its jobs
  std::vector<double> left_;          // by node: CPU that is not given away
  std::vector<double> capacity_;      // by node: CPU beyond the minimum
  std::vector<std::uint32_t> group_;  // by node: its group, or kNone
  std::vector<std::uint32_t> full_;   // by node: place in the basis, or kNone
  std::vector<double> price_;         // by node: what a bit more CPU would be worth
  std::vector<double> x_;             // by job
  std::vector<Place> place_;          // by job
  std::vector<std::uint32_t> basic_;  // by job: place in the basis, where it is between the bounds
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> queue_;
  WorkingBasis basis_;
  std::vector<double> column_, row_;    // of one job or node, by place in the basis
  std::vector<double> change_;          // by place in the basis: of x, per unit of the entering one
  std::vector<double> less_;            // by node: of left_, negative, per unit
  std::vector<std::uint32_t> touched_;  // nodes with an entry there
};

}  // namespace dfrs
