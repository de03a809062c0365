// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/working_basis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

// The needs of all jobs on all nodes; the basis contains some of them.
class Matrix {
 public:
  explicit Matrix(oracle::Dice& dice) {
    for (double& need : needs_) need = dice.chance(50) ? 0.0 : dice.between(1, 8) / 4.0;
  }
  double need(std::uint32_t node, std::uint32_t job) const { return needs_[node * kSize + job]; }
  std::vector<double> column(const WorkingBasis& basis, std::uint32_t job) const {
    std::vector<double> out;
    for (std::size_t n = 0; n < basis.size(); ++n) out.push_back(need(basis.node(n), job));
    return out;
  }
  std::vector<double> row(const WorkingBasis& basis, std::uint32_t node) const {
    std::vector<double> out;
    for (std::size_t j = 0; j < basis.size(); ++j) out.push_back(need(node, basis.job(j)));
    return out;
  }
  // How far the inverse times the matrix is from the identity.
  double error(const WorkingBasis& basis) const {
    double worst = 0;
    for (std::size_t i = 0; i < basis.size(); ++i) {
      for (std::size_t j = 0; j < basis.size(); ++j) {
        double sum = 0;
        for (std::size_t n = 0; n < basis.size(); ++n) sum += basis.inverse(i, n) * need(basis.node(n), basis.job(j));
        worst = std::max(worst, std::abs(sum - (i == j ? 1.0 : 0.0)));
      }
    }
    return worst;
  }

  static constexpr std::uint32_t kSize = 40;

 private:
  std::vector<double> needs_ = std::vector<double>(kSize * kSize);
};

TEST(WorkingBasis, KeepsTheInverseThroughEveryChange) {
  std::size_t largest = 0;
  int done[4] = {0, 0, 0, 0};
  for (std::uint64_t seed = 1; seed <= oracle::cases(50); ++seed) {
    oracle::Dice dice(seed);
    const Matrix matrix(dice);
    WorkingBasis basis;
    std::vector<char> job_in(Matrix::kSize, 0), node_in(Matrix::kSize, 0);
    for (int change = 0; change < 60; ++change) {
      const auto job = dice.below(Matrix::kSize);
      const auto node = dice.below(Matrix::kSize);
      const std::size_t size = basis.size();
      const int kind = size == 0 ? 0 : dice.pick<int>({0, 0, 0, 1, 2, 3});
      const auto places = static_cast<std::uint32_t>(size);
      const std::size_t j = size == 0 ? 0 : dice.below(places), n = size == 0 ? 0 : dice.below(places);
      if ((kind <= 1 && job_in[job] != 0) || ((kind == 0 || kind == 2) && node_in[node] != 0)) continue;
      const std::uint32_t old_job = size == 0 ? 0 : basis.job(j), old_node = size == 0 ? 0 : basis.node(n);
      // Only pivots well above rounding: this tests the algebra.
      if (kind == 3 && std::abs(basis.inverse(j, n)) < 0.05) continue;
      WorkingBasis before = basis;
      bool changed = false;
      if (kind == 0) {
        changed = basis.add(job, node, matrix.column(basis, job), matrix.row(basis, node), matrix.need(node, job));
      } else if (kind == 1) {
        changed = basis.replace_job(j, job, matrix.column(basis, job));
      } else if (kind == 2) {
        changed = basis.replace_node(n, node, matrix.row(basis, node));
      } else {
        changed = basis.remove(j, n);
      }
      if (!changed || matrix.error(basis) > 1e-7) {  // (nearly) singular
        basis = before;
        continue;
      }
      if (kind == 1 || kind == 3) job_in[old_job] = 0;
      if (kind == 2 || kind == 3) node_in[old_node] = 0;
      if (kind <= 1) job_in[job] = 1;
      if (kind == 0 || kind == 2) node_in[node] = 1;
      ASSERT_EQ(basis.size(), kind == 0 ? size + 1 : kind == 3 ? size - 1 : size);
      ++done[kind];
      largest = std::max(largest, basis.size());
      std::vector<char> jobs(Matrix::kSize, 0), nodes(Matrix::kSize, 0);
      for (std::size_t k = 0; k < basis.size(); ++k) jobs[basis.job(k)] = nodes[basis.node(k)] = 1;
      ASSERT_EQ(jobs, job_in);
      ASSERT_EQ(nodes, node_in);
    }
  }
  for (const int count : done) EXPECT_GT(count, 100);
  EXPECT_GT(largest, 10U);
}

TEST(WorkingBasis, RefusesWhatIsSingular) {
  WorkingBasis basis;
  EXPECT_FALSE(basis.add(1, 1, {}, {}, 0.0));
  EXPECT_TRUE(basis.add(1, 1, {}, {}, 2.0));
  const std::vector<double> column{2.0}, row{3.0};
  EXPECT_FALSE(basis.add(2, 2, column, row, 3.0));  // twice the same column
  EXPECT_EQ(basis.size(), 1U);
  EXPECT_TRUE(basis.add(2, 2, column, row, 4.0));
}

}  // namespace
}  // namespace dfrs
