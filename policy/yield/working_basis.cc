// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/working_basis.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dfrs {
namespace {

// Needs are at most some tens and rarely below a hundredth: smaller values are zeros with rounding errors.
constexpr double kLeastPivot = 1e-9;

bool usable(double pivot) { return std::abs(pivot) > kLeastPivot; }

}  // namespace

void WorkingBasis::clear() {
  jobs_.clear();
  nodes_.clear();
}

void WorkingBasis::reserve(std::size_t size) {
  if (size <= stride_) return;
  const std::size_t wider = std::max<std::size_t>(2 * stride_, std::max<std::size_t>(size, 16));
  std::vector<double> moved(wider * wider, 0.0);
  for (std::size_t j = 0; j < this->size(); ++j) {
    for (std::size_t n = 0; n < this->size(); ++n) moved[j * wider + n] = at(j, n);
  }
  inverse_ = std::move(moved);
  stride_ = wider;
  by_job_.resize(wider);
  by_node_.resize(wider);
}

void WorkingBasis::take_entries(std::span<const double> values) {
  entries_.clear();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] != 0) entries_.push_back(k);
  }
}

void WorkingBasis::solve(std::span<const double> column, std::span<double> by_job) {
  take_entries(column);
  for (std::size_t j = 0; j < size(); ++j) {
    double sum = 0;
    for (const std::size_t n : entries_) sum += at(j, n) * column[n];
    by_job[j] = sum;
  }
}

// by_node_ = row x inverse.
void WorkingBasis::multiply_row(std::span<const double> row) {
  take_entries(row);
  const std::size_t k = size();
  std::fill_n(by_node_.begin(), k, 0.0);
  for (const std::size_t j : entries_) {
    for (std::size_t n = 0; n < k; ++n) by_node_[n] += row[j] * at(j, n);
  }
}

bool WorkingBasis::add(std::uint32_t job, std::uint32_t node, std::span<const double> column,
                       std::span<const double> row, double corner) {
  const std::size_t k = size();
  reserve(k + 1);
  // The inverse of a matrix with a border, by the Schur complement of the old part.
  solve(column, by_job_);
  for (std::size_t j = 0; j < k; ++j) corner -= row[j] * by_job_[j];
  if (!usable(corner)) return false;
  multiply_row(row);
  for (std::size_t n = 0; n < k; ++n) by_node_[n] /= corner;
  for (std::size_t j = 0; j < k; ++j) {
    at(j, k) = -by_job_[j] / corner;
    if (by_job_[j] == 0) continue;
    for (std::size_t n = 0; n < k; ++n) at(j, n) += by_job_[j] * by_node_[n];
  }
  for (std::size_t n = 0; n < k; ++n) at(k, n) = -by_node_[n];
  at(k, k) = 1 / corner;
  jobs_.push_back(job);
  nodes_.push_back(node);
  return true;
}

bool WorkingBasis::replace_job(std::size_t leaving, std::uint32_t job, std::span<const double> column) {
  const std::size_t k = size();
  solve(column, by_job_);
  if (!usable(by_job_[leaving])) return false;
  for (std::size_t n = 0; n < k; ++n) at(leaving, n) /= by_job_[leaving];
  for (std::size_t j = 0; j < k; ++j) {
    if (j == leaving || by_job_[j] == 0) continue;
    for (std::size_t n = 0; n < k; ++n) at(j, n) -= by_job_[j] * at(leaving, n);
  }
  jobs_[leaving] = job;
  return true;
}

bool WorkingBasis::replace_node(std::size_t leaving, std::uint32_t node, std::span<const double> row) {
  const std::size_t k = size();
  multiply_row(row);
  if (!usable(by_node_[leaving])) return false;
  for (std::size_t j = 0; j < k; ++j) {
    const double pivot = at(j, leaving) / by_node_[leaving];
    if (pivot == 0) continue;
    for (std::size_t n = 0; n < k; ++n) at(j, n) -= pivot * by_node_[n];
    at(j, leaving) = pivot;
  }
  nodes_[leaving] = node;
  return true;
}

bool WorkingBasis::remove(std::size_t job, std::size_t node) {
  const double pivot = at(job, node);
  if (!usable(pivot)) return false;
  const std::size_t k = size(), last = k - 1;
  for (std::size_t j = 0; j < k; ++j) {
    if (j == job) continue;
    const double factor = at(j, node) / pivot;
    if (factor == 0) continue;
    for (std::size_t n = 0; n < k; ++n) at(j, n) -= factor * at(job, n);
  }
  if (job != last) {
    for (std::size_t n = 0; n < k; ++n) at(job, n) = at(last, n);
  }
  if (node != last) {
    for (std::size_t j = 0; j < last; ++j) at(j, node) = at(j, last);
  }
  jobs_[job] = jobs_[last];
  nodes_[node] = nodes_[last];
  jobs_.pop_back();
  nodes_.pop_back();
  return true;
}

bool WorkingBasis::invert(std::span<double> matrix) {
  const std::size_t k = size();
  // In place: pivoting swaps rows of the matrix; at the end the columns of the inverse are swapped back accordingly.
  row_of_.resize(k);
  for (std::size_t c = 0; c < k; ++c) {
    std::size_t pivot_row = c;
    for (std::size_t r = c + 1; r < k; ++r) {
      if (std::abs(matrix[r * k + c]) > std::abs(matrix[pivot_row * k + c])) pivot_row = r;
    }
    const double pivot = matrix[pivot_row * k + c];
    if (!usable(pivot)) return false;
    row_of_[c] = pivot_row;
    double* const top = &matrix[c * k];
    if (pivot_row != c) std::swap_ranges(top, top + k, &matrix[pivot_row * k]);
    top[c] = 1;
    for (std::size_t n = 0; n < k; ++n) top[n] /= pivot;
    for (std::size_t r = 0; r < k; ++r) {
      double* const row = &matrix[r * k];
      if (r == c || row[c] == 0) continue;
      const double factor = std::exchange(row[c], 0.0);
      for (std::size_t n = 0; n < k; ++n) row[n] -= factor * top[n];
    }
  }
  for (std::size_t c = k; c-- > 0;) {
    if (row_of_[c] == c) continue;
    for (std::size_t r = 0; r < k; ++r) std::swap(matrix[r * k + c], matrix[r * k + row_of_[c]]);
  }
  for (std::size_t j = 0; j < k; ++j) std::copy_n(&matrix[j * k], k, &at(j, 0));
  return true;
}

}  // namespace dfrs
