// SPDX-License-Identifier: GPL-2.0-or-later
// OPT=AVG of /stretch-per: the lowest average estimated stretch (RR-7659, section 4.7).
//
// The estimate flow / (progress + yield x period) is convex in the yield, and a node limits a weighted sum of yields,
// so there is one best answer. A node that is full at the least yields keeps its jobs there; a node with room for all
// that its jobs can take limits no job. The rest splits into groups of jobs that share nodes. Each is solved by a
// primal-dual interior-point method (Boyd and Vandenberghe, Convex Optimization, section 11.7), which approaches the
// best yields through such as leave room on every node. Its linear systems have a row for each limiting node and are
// solved by conjugate gradients, so that time and memory grow with the places of jobs and not with their square.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"
#include "policy/yield/stretch.h"

namespace dfrs {

class AverageStretch {
 public:
  /// Minimises the sum of the estimates over all yields of at most 1 with which no node lacks CPU, and which are at
  /// least that of the largest inverse stretch that all jobs can have, or `floor`. The sum is at most a millionth above
  /// the least, except in groups of thousands of jobs, where the number of steps and iterations ends the search within
  /// a hundredth or so; gap() says how near. Whatever happens, the yields fit. By index into contention.jobs(). At most
  /// 100 steps a group, most often about 20, each O(places x iterations), with at most 500 iterations.
  void solve(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
             std::span<double> yields);

  /// Of the last solve(): the sum over groups of how far their sums may be above the least.
  double gap() const { return gap_; }

 private:
  struct Column {
    std::uint32_t job = 0;
    double low = 0;              // the least yield
    double risen = 0, room = 0;  // above it, and up to 1; each for itself, so that neither is rounded to 0
    double y() const { return low + risen; }
    double below = 0, above = 0;  // multipliers of low <= y and y <= 1
    double dy = 0, dbelow = 0, dabove = 0;
    double weight = 0;  // 1 / (second derivative of the barrier problem)
    double gradient = 0;
    double price = 0;  // of a unit of yield: its needs times the multipliers of its nodes
  };
  struct Entry {
    std::uint32_t column = 0;
    double need = 0;
  };
  struct Row {
    std::size_t first = 0, count = 0;  // of entries_
    double left = 0;                   // CPU that is not given away, > 0
    double multiplier = 0, change = 0, left_change = 0;
    double diagonal = 0;  // left / multiplier
  };

  void find_limits(const CpuContention& contention, std::span<const StretchEstimate> jobs, std::span<double> yields);
  void take_group(const CpuContention& contention, std::span<const StretchEstimate> jobs,
                  std::span<const double> yields, std::uint32_t start);
  void begin(std::span<const StretchEstimate> jobs);
  void solve_group(std::span<const StretchEstimate> jobs);
  double gap_of(std::span<const StretchEstimate> jobs);
  double complementarity() const;
  void find_step(std::span<const StretchEstimate> jobs, double target);
  void solve_rows();
  void multiply(std::span<const double> x, std::span<double> out);
  double longest_step() const;
  void advance(double length);
  std::span<const Entry> entries(const Row& row) const { return {entries_.data() + row.first, row.count}; }

  std::vector<std::uint8_t> limits_;  // by node: it can keep some of its jobs below 1
  std::vector<std::uint8_t> done_;    // by node: its group is solved
  std::vector<double> left_;          // by node: beyond the least yields
  std::vector<std::uint8_t> open_;    // by job: it can rise
  std::vector<std::uint32_t> place_;  // by job: its place among columns_, or none
  std::vector<std::uint32_t> queue_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::vector<Entry> entries_;
  std::vector<double> x_, residual_, direction_, image_, inverse_, scratch_;  // of conjugate gradients
  double gap_ = 0;
};

}  // namespace dfrs
