// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/studies/divisible/host/stretch_lp.h"

#include <glpk.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::Platform;

class Program {
 public:
  Program() : lp_(glp_create_prob(), glp_delete_prob) { glp_set_obj_dir(lp_.get(), GLP_MIN); }
  int column(double cost, double least, double most) {
    const int c = glp_add_cols(lp_.get(), 1);
    const bool bounded = most < std::numeric_limits<double>::infinity();
    glp_set_col_bnds(lp_.get(), c, bounded ? GLP_DB : GLP_LO, least, most);
    glp_set_obj_coef(lp_.get(), c, cost);
    return c;
  }
  void row(const std::vector<int>& columns, const std::vector<double>& values, int kind, double bound) {
    const int r = glp_add_rows(lp_.get(), 1);
    glp_set_row_bnds(lp_.get(), r, kind, bound, bound);
    std::vector<int> index{0};
    std::vector<double> value{0};
    index.insert(index.end(), columns.begin(), columns.end());
    value.insert(value.end(), values.begin(), values.end());
    glp_set_mat_row(lp_.get(), r, static_cast<int>(columns.size()), index.data(), value.data());
  }
  /// False if there is no solution.
  bool solve(double& optimum) {
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.tol_bnd = parameters.tol_dj = 1e-10;
    if (glp_simplex(lp_.get(), &parameters) != 0) throw std::runtime_error("GLPK failed");
    const int status = glp_get_status(lp_.get());
    if (status == GLP_NOFEAS || status == GLP_INFEAS) return false;
    if (status != GLP_OPT) throw std::runtime_error("GLPK found no optimum");
    optimum = glp_get_obj_val(lp_.get());
    return true;
  }

 private:
  std::unique_ptr<glp_prob, decltype(&glp_delete_prob)> lp_;
};

/// An epoch is fixed + slope x F.
struct Epoch {
  double fixed = 0, slope = 0;
  double at(double f) const { return fixed + slope * f; }
};

bool system1(const Instance& instance, const std::vector<double>& weight, double f1, double f2, double& optimum) {
  const double inside = f2 < std::numeric_limits<double>::infinity() ? (f1 + f2) / 2 : f1 + 1;
  std::vector<Epoch> epochs;
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    epochs.push_back({instance.jobs[j].release, 0});
    epochs.push_back({instance.jobs[j].release, 1 / weight[j]});
  }
  std::sort(epochs.begin(), epochs.end(), [&](Epoch a, Epoch b) { return a.at(inside) < b.at(inside); });
  Program lp;
  const int f = lp.column(1, f1, f2);  // (1a)
  std::vector<std::vector<int>> parts(instance.jobs.size());
  for (std::size_t t = 0; t + 1 < epochs.size(); ++t) {
    for (const dfrs::divisible::Cluster& cluster : instance.clusters) {
      std::vector<int> columns{f};
      std::vector<double> values{-(epochs[t + 1].slope - epochs[t].slope)};
      for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
        const Job& job = instance.jobs[j];
        if (!std::binary_search(cluster.databanks.begin(), cluster.databanks.end(), job.databank)) continue;
        const double middle = (epochs[t].at(inside) + epochs[t + 1].at(inside)) / 2;
        if (middle <= job.release || middle >= job.release + inside / weight[j]) continue;  // (1b), (1c)
        const int alpha = lp.column(0, 0, std::numeric_limits<double>::infinity());
        parts[j].push_back(alpha);
        columns.push_back(alpha);
        values.push_back(job.size / cluster.power());
      }
      if (columns.size() > 1) lp.row(columns, values, GLP_UP, epochs[t + 1].fixed - epochs[t].fixed);  // (1d)
    }
  }
  for (const std::vector<int>& columns : parts) {
    if (columns.empty()) return false;
    lp.row(columns, std::vector<double>(columns.size(), 1), GLP_FX, 1);  // (1e)
  }
  return lp.solve(optimum);
}

}  // namespace

double optimum_by_milestones(const Instance& instance, StretchBasis basis) {
  const Platform platform(instance.clusters, instance.databanks);
  std::vector<double> weight;
  for (const Job& job : instance.jobs) weight.push_back(stretch_weight(platform, job, basis));
  std::set<double> milestones{0};
  for (std::size_t a = 0; a < weight.size(); ++a) {
    for (std::size_t b = 0; b < weight.size(); ++b) {
      const double ahead = instance.jobs[b].release - instance.jobs[a].release;
      if (ahead > 0) milestones.insert(ahead * weight[a]);  // deadline of a, release of b
      const double slope = 1 / weight[a] - 1 / weight[b];
      if (slope != 0 && ahead / slope > 0) milestones.insert(ahead / slope);  // two deadlines
    }
  }
  double optimum = 0;
  for (auto f = milestones.begin(); f != milestones.end(); ++f) {
    const double next = std::next(f) == milestones.end() ? std::numeric_limits<double>::infinity() : *std::next(f);
    if (system1(instance, weight, *f, next, optimum)) return optimum;
  }
  throw std::runtime_error("no interval has a solution");
}

double least_mean_instants(const Platform& platform, const std::vector<dfrs::divisible::Task>& tasks,
                           const std::vector<double>& sizes, double objective) {
  const double now = tasks.front().release;
  std::set<double> instants{now};
  for (const dfrs::divisible::Task& task : tasks) instants.insert(task.deadline(objective));
  const std::vector<double> epochs(instants.begin(), instants.end());
  Program lp;
  std::vector<std::vector<int>> parts(tasks.size());
  for (std::size_t t = 0; t + 1 < epochs.size(); ++t) {
    for (std::uint32_t c = 0; c < platform.clusters().size(); ++c) {
      std::vector<int> columns;
      std::vector<double> values;
      for (std::size_t j = 0; j < tasks.size(); ++j) {
        if (!platform.holds(c, tasks[j].databank) || tasks[j].deadline(objective) <= epochs[t]) continue;
        const double middle = (epochs[t] + epochs[t + 1]) / 2 - now;
        parts[j].push_back(lp.column(middle, 0, std::numeric_limits<double>::infinity()));
        columns.push_back(parts[j].back());
        values.push_back(sizes[j] / platform.clusters()[c].power());
      }
      if (!columns.empty()) lp.row(columns, values, GLP_UP, epochs[t + 1] - epochs[t]);
    }
  }
  for (std::size_t j = 0; j < tasks.size(); ++j) {
    lp.row(parts[j], std::vector<double>(parts[j].size(), 1), GLP_FX, tasks[j].work / sizes[j]);
  }
  double optimum = 0;
  if (!lp.solve(optimum)) throw std::runtime_error("System (2) has no solution");
  return optimum;
}

}  // namespace dfrs::sim::divisible
