// SPDX-License-Identifier: GPL-2.0-or-later
// OPT=AVG: maximal average yield with no yield below the maximised minimum (RR-7659, section 4.6, linear program (2)).
//
// A job's yield beyond the minimum is x, 0 <= x <= 1 - minimum, and the sum of all x is maximised. A node that is full
// at the minimum keeps its jobs there; a node with room for all that its jobs can take limits no job. The rest splits
// into groups of jobs that share nodes, each of which AverageSimplex solves.
//
// The optimum is often not unique: equal jobs on a node may share what is left in any way. The following rules make the
// answer depend only on the jobs, their order and their nodes. First, jobs rise by increasing CPU need, summed over the
// nodes that limit them, each as far as it can; ties keep submission order. Then, while the sum can grow, the job that
// gains most rises or falls, or the node with the most negative price is left with room; the earlier submission wins
// ties.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/average_simplex.h"
#include "policy/yield/cpu_contention.h"

namespace dfrs {

class AverageYield {
 public:
  explicit AverageYield(const SimplexLimits& limits = {}) : simplex_(limits) {}

  /// Sets yields by index into contention.jobs(), each in [1 / contention.max_load(), 1] up to rounding. O(places +
  /// jobs log jobs), plus AverageSimplex::maximize() for each group.
  void solve(const CpuContention& contention, std::span<double> yields);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Candidate {
    std::uint32_t group;
    double weight;  // CPU need summed over the nodes that limit it
    std::uint32_t job;
  };

  void find_groups(const CpuContention& contention);
  void collect_group(const CpuContention& contention, std::uint32_t group, std::uint32_t start);
  bool fits(const CpuContention& contention, std::span<const double> yields) const;

  AverageSimplex simplex_;
  std::vector<std::uint32_t> group_;  // by node: its group, or kNone
  std::vector<std::uint8_t> taken_;   // by job: it is among the candidates
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> members_;  // jobs of the current group
};

}  // namespace dfrs
