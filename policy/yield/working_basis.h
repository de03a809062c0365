// SPDX-License-Identifier: GPL-2.0-or-later
// The nontrivial part of a simplex basis: the jobs whose yields are between their bounds, and equally many full nodes.
// The jobs' needs on these nodes form a square matrix, whose inverse is kept dense. It is mostly small, since few jobs
// at a time are between their bounds, and each change of the basis updates it in O(size^2).
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
  /// The inverse: a row per job, a column per node.
  double inverse(std::size_t job, std::size_t node) const { return inverse_[job * stride_ + node]; }
  std::span<const double> inverse(std::size_t job) const { return {inverse_.data() + job * stride_, size()}; }
  /// by_job = inverse x column, `column` by node. O(size x entries of `column` that are not 0).
  void solve(std::span<const double> column, std::span<double> by_job);

  void clear();
  /// Computes the inverse of `matrix`, which has a row of size() needs for each node, and overwrites `matrix`.
  /// Gauss-Jordan elimination with partial pivoting. False, and the inverse unchanged, if the matrix is singular.
  /// O(size^3).
  bool invert(std::span<double> matrix);

  // The following return false, and change nothing, if the matrix would be singular. O(size^2) each.

  /// Adds a job and a node. `column`: the job's needs on the present nodes; `row`: the needs of the present jobs on the
  /// node; `corner`: the job's need on the node.
  bool add(std::uint32_t job, std::uint32_t node, std::span<const double> column, std::span<const double> row,
           double corner);
  /// Replaces the job at place `at` by one with these needs on the nodes.
  bool replace_job(std::size_t at, std::uint32_t job, std::span<const double> column);
  /// Replaces the node at place `at` by one with these needs of the jobs.
  bool replace_node(std::size_t at, std::uint32_t node, std::span<const double> row);
  /// Removes a job and a node, given by their places, which the last job and the last node take over.
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
  std::vector<std::size_t> row_of_;   // by column: the row of its pivot
  std::vector<std::size_t> entries_;  // places of the nonzero entries of a column or row
};

}  // namespace dfrs
