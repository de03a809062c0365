// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/working_basis.h"

#include <algorithm>
#include <cmath>

namespace dfrs {
namespace {

// Needs are at most some tens and rarely below a hundredth: what is smaller than this is what rounding leaves of zero.
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

bool WorkingBasis::add(std::uint32_t job, std::uint32_t node, std::span<const double> column,
                       std::span<const double> row, double corner) {
  const std::size_t k = size();
  reserve(k + 1);
  // The inverse of a matrix with a border, by the Schur complement of the old part.
  for (std::size_t j = 0; j < k; ++j) {
    double sum = 0;
    for (std::size_t n = 0; n < k; ++n) sum += at(j, n) * column[n];
    by_job_[j] = sum;
    corner -= row[j] * sum;
  }
  if (!usable(corner)) return false;
  for (std::size_t n = 0; n < k; ++n) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += row[j] * at(j, n);
    by_node_[n] = sum / corner;
  }
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t n = 0; n < k; ++n) at(j, n) += by_job_[j] * by_node_[n];
    at(j, k) = -by_job_[j] / corner;
  }
  for (std::size_t n = 0; n < k; ++n) at(k, n) = -by_node_[n];
  at(k, k) = 1 / corner;
  jobs_.push_back(job);
  nodes_.push_back(node);
  return true;
}

bool WorkingBasis::replace_job(std::size_t leaving, std::uint32_t job, std::span<const double> column) {
  const std::size_t k = size();
  for (std::size_t j = 0; j < k; ++j) {
    double sum = 0;
    for (std::size_t n = 0; n < k; ++n) sum += at(j, n) * column[n];
    by_job_[j] = sum;
  }
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
  for (std::size_t n = 0; n < k; ++n) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += row[j] * at(j, n);
    by_node_[n] = sum;
  }
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

}  // namespace dfrs
