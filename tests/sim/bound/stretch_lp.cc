// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/sim/bound/stretch_lp.h"

#include <glpk.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

namespace dfrs::sim {
namespace {

/// The largest part of every job that can be done before its deadline: (1a) with that part in place of 1.
double largest_part(const Instance& instance, BoundKind kind, Seconds floor, double stretch) {
  std::set<Seconds> instants;
  std::vector<Seconds> deadline;
  for (const Job& job : instance.jobs) {
    deadline.push_back(job.submit + stretch * std::max(job.run_time, floor));
    instants.insert(job.submit);
    instants.insert(deadline.back());
  }
  const std::vector<Seconds> at(instants.begin(), instants.end());
  const std::size_t intervals = at.size() - 1;

  const std::unique_ptr<glp_prob, decltype(&glp_delete_prob)> lp(glp_create_prob(), glp_delete_prob);
  glp_set_obj_dir(lp.get(), GLP_MAX);
  const int part = glp_add_cols(lp.get(), 1);
  glp_set_col_bnds(lp.get(), part, GLP_DB, 0, 1);
  glp_set_obj_coef(lp.get(), part, 1);
  const double cpu = instance.platform.total_cpu();
  std::vector<std::vector<int>> columns(intervals, std::vector<int>{0});
  std::vector<std::vector<double>> works(intervals, std::vector<double>{0});
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    const Job& job = instance.jobs[j];
    std::vector<int> column{0, part};
    std::vector<double> coefficient{0, -1};
    for (std::size_t t = 0; t < intervals; ++t) {
      if (job.submit >= at[t + 1] || deadline[j] <= at[t]) continue;  // (1b), (1c)
      const int alpha = glp_add_cols(lp.get(), 1);
      const double most = job.run_time > 0 ? (at[t + 1] - at[t]) / job.run_time : 1;
      glp_set_col_bnds(lp.get(), alpha, kind == BoundKind::ls1 ? GLP_DB : GLP_LO, 0, most);  // (1d)
      column.push_back(alpha);
      coefficient.push_back(1);
      columns[t].push_back(alpha);
      works[t].push_back(Instance::work(job));
    }
    const int row = glp_add_rows(lp.get(), 1);
    glp_set_row_bnds(lp.get(), row, GLP_FX, 0, 0);  // (1a)
    glp_set_mat_row(lp.get(), row, static_cast<int>(column.size()) - 1, column.data(), coefficient.data());
  }
  for (std::size_t t = 0; t < intervals; ++t) {
    const int row = glp_add_rows(lp.get(), 1);
    glp_set_row_bnds(lp.get(), row, GLP_UP, 0, cpu * (at[t + 1] - at[t]));  // (1e)
    glp_set_mat_row(lp.get(), row, static_cast<int>(columns[t].size()) - 1, columns[t].data(), works[t].data());
  }
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.tol_bnd = parameters.tol_dj = 1e-10;
  if (glp_simplex(lp.get(), &parameters) != 0 || glp_get_status(lp.get()) != GLP_OPT)
    throw std::runtime_error("GLPK found no optimum");
  return glp_get_obj_val(lp.get());
}

}  // namespace

double solve_stretch_lp(const Instance& instance, BoundKind kind, const BoundOptions& options) {
  Instance working = instance;
  std::erase_if(working.jobs, [](const Job& job) { return Instance::work(job) <= 0; });
  if (working.jobs.empty()) return 1;
  const auto feasible = [&](double stretch) {
    return largest_part(working, kind, options.stretch_floor, stretch) >= 1 - 1e-9;
  };
  if (feasible(1)) return 1;
  double low = 1;
  double high = 2;
  while (!feasible(high)) high *= 2;
  while (high - low > 1e-9 * low) {
    const double middle = (low + high) / 2;
    (feasible(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace dfrs::sim
