// SPDX-License-Identifier: GPL-2.0-or-later
// Deadline scheduling of divisible jobs, and the minimum of the maximum weighted flow time: System (1) of RR-5724,
// section 4.3.1.
//
// The paper searches the milestones, where the order of release dates and deadlines changes, with a linear program
// between neighbours. It reports (section 5.3) that other algorithms sometimes beat its optimum: milestones closer than
// rounding error hid an interval of the search. This code searches no intervals. For a given objective, the deadlines
// can be met if and only if a flow from jobs over (interval, site) carries all work. If not, a minimum cut identifies
// jobs with too little room, and the least objective that gives them enough is a lower bound and the next to try. The
// bounds rise until all work fits, in a handful of steps, wherever the milestones lie.
#pragma once

#include <span>
#include <vector>

#include "studies/divisible/rules/flow_solver.h"
#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// Jobs may lack room for this fraction of their work: rounding error in sums of some thousand terms.
inline constexpr double kWorkTolerance = 1e-14;

/// Plans use an objective this much (relative) above the optimum, so that rounding errors cannot make their deadlines
/// infeasible. A schedule that follows a plan exceeds the optimum by no more.
inline constexpr double kPlanSlack = 1e-10;

/// Work of a job to be done. With objective F it is due at origin + F / weight; if origin is the job's release, its
/// weighted flow time then is F.
struct Task {
  JobIndex job = 0;
  DatabankIndex databank = 0;
  Seconds release = 0;  ///< earliest start
  Seconds origin = 0;
  double work = 0;    ///< > 0
  double weight = 0;  ///< > 0

  Seconds deadline(double objective) const { return origin + objective / weight; }
};

/// Which site works on which task, in the intervals between deadlines and release dates.
struct Allocation {
  struct Part {
    std::uint32_t interval = 0;  ///< from epochs[interval] to epochs[interval + 1]
    std::uint32_t site = 0;
    std::uint32_t task = 0;
    double work = 0;
  };
  std::vector<Seconds> epochs;  ///< ascending
  std::vector<Part> parts;      ///< by interval; a task and a site meet at most once in each
};

/// The least F >= at_least at which all deadlines can be met, up to kWorkTolerance. A few maximum flows with at most 2
/// n intervals, and between them about 60 bisection steps of O(n log n). Every task needs a site that holds its
/// databank.
double min_objective(const Platform& platform, std::span<const Task> tasks, double at_least, FlowSolver& solver);

/// An allocation that meets the deadlines of `objective`: a solution of System (1). Requires that one exists; work that
/// does not fit is left out.
Allocation allocate(const Platform& platform, std::span<const Task> tasks, double objective, FlowSolver& solver);

/// A solution of System (2) of section 4.3.2: it meets the deadlines of `objective` and minimises the sum over tasks of
/// the mean instant at which they are worked on. The instant is the middle of an interval, weighted by work as a
/// fraction of `sizes[task]`, the whole job. All tasks must be released at the same instant.
Allocation allocate_early(const Platform& platform, std::span<const Task> tasks, std::span<const double> sizes,
                          double objective, FlowSolver& solver);

}  // namespace dfrs::divisible
