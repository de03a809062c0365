// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a simplex basis that is not trivial: as many jobs, whose yields are between their bounds, as nodes that
// are full. Each full node's row over these jobs makes a square matrix B, whose inverse is kept dense: it is mostly
// small (few jobs at a time are between their bounds), and each change of the basis changes it in O(size^2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dfrs {

class WorkingBasis {
 public:
  std::size_t size() const { return jobs_.size(); }
  std::uint32_t job(std::size_t k) const { return jobs_[k]; }
  std::uint32_t node(std::size_t k) const { return nodes_[k]; }
  /// The inverse: row by job, column by node.
  double inverse(std::size_t job, std::size_t node) const { return inverse_[job * stride_ + node]; }
  std::span<const double> inverse(std::size_t job) const { return {inverse_.data() + job * stride_, size()}; }
  /// by_job = inverse x column, `column` by node. O(size x entries of `column` that are not 0).
  void solve(std::span<const double> column, std::span<double> by_job);

  void clear();
  /// Computes the inverse from its matrix, which has a row of size() needs for each node; it is overwritten. Gauss and
  /// Jordan, the largest pivot of each column. False, and nothing changed, if the matrix is singular. O(size^3).
  bool invert(std::span<double> matrix);
  /// One job and one node more. `column`: the job's needs on the nodes that are here; `row`: the node's over the jobs
  /// that are here; `corner`: the job's on the node. False, and nothing changed, if the matrix would be singular.
  bool add(std::uint32_t job, std::uint32_t node, std::span<const double> column, std::span<const double> row,
           double corner);
  /// Job `at` gives way to another one, with these needs on the nodes.
  bool replace_job(std::size_t at, std::uint32_t job, std::span<const double> column);
  /// Node `at` gives way to another one, with these needs over the jobs.
  bool replace_node(std::size_t at, std::uint32_t node, std::span<const double> row);
  /// The last job takes the place of the one that goes, the last node that of the node. False, and nothing changed, if
  /// the rest would be singular; likewise above.
  bool remove(std::size_t job, std::size_t node);

 private:
  double& at(std::size_t job, std::size_t node) { return inverse_[job * stride_ + node]; }
  void reserve(std::size_t size);
  void take_entries(std::span<const double> values);
  void multiply_row(std::span<const double> row);

  std::vector<std::uint32_t> jobs_, nodes_;
  std::vector<double> inverse_;  // rows of stride_
  std::size_t stride_ = 0;
  std::vector<double> by_job_, by_node_;
  std::vector<std::size_t> row_of_;   // by column: the row that its pivot came from
  std::vector<std::size_t> entries_;  // of a column or row that are not 0
};

}  // namespace dfrs
