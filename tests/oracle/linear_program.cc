// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/linear_program.h"

#include <glpk.h>

#include <memory>
#include <vector>

namespace dfrs::oracle {

bool maximize(const LinearProgram& problem, std::span<double> x) {
  const std::unique_ptr<glp_prob, void (*)(glp_prob*)> lp(glp_create_prob(), glp_delete_prob);
  glp_set_obj_dir(lp.get(), GLP_MAX);
  const int columns = static_cast<int>(problem.columns());
  const int rows = static_cast<int>(problem.rows());
  if (columns == 0) return true;
  glp_add_cols(lp.get(), columns);
  for (int c = 0; c < columns; ++c) {
    const auto k = static_cast<std::size_t>(c);
    const bool fixed = problem.lower[k] >= problem.upper[k];
    glp_set_col_bnds(lp.get(), c + 1, fixed ? GLP_FX : GLP_DB, problem.lower[k], problem.upper[k]);
    glp_set_obj_coef(lp.get(), c + 1, problem.cost[k]);
  }
  if (rows > 0) glp_add_rows(lp.get(), rows);
  std::vector<int> index;
  std::vector<double> value;
  for (int r = 0; r < rows; ++r) {
    const auto k = static_cast<std::size_t>(r);
    index.assign(1, 0);  // GLPK counts from 1
    value.assign(1, 0.0);
    for (std::size_t e = problem.row_start[k]; e < problem.row_start[k + 1]; ++e) {
      index.push_back(static_cast<int>(problem.column[e]) + 1);
      value.push_back(problem.value[e]);
    }
    glp_set_row_bnds(lp.get(), r + 1, GLP_UP, 0.0, problem.bound[k]);
    glp_set_mat_row(lp.get(), r + 1, static_cast<int>(index.size()) - 1, index.data(), value.data());
  }
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  if (glp_simplex(lp.get(), &parameters) != 0 || glp_get_status(lp.get()) != GLP_OPT) return false;
  for (int c = 0; c < columns; ++c) x[static_cast<std::size_t>(c)] = glp_get_col_prim(lp.get(), c + 1);
  return true;
}

}  // namespace dfrs::oracle
