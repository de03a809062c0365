// SPDX-License-Identifier: GPL-2.0-or-later
// Deadline scheduling of divisible jobs and the least maximum weighted flow time: System (1) of RR-5724, section 4.3.1.
//
// The paper searches the milestones, at which the order of release dates and deadlines changes, with a linear program
// between each two of them, and reports (section 5.3) that its optimum was beaten now and then: milestones closer than
// rounding hid an interval of the search. Here no interval is searched. For a given objective the deadlines can be met
// if and only if a flow from jobs over (interval, site) carries all work; if it does not, a minimum cut names jobs that
// have too little room, and the least objective at which these have enough is a lower bound: the next to be tried. The
// bounds rise until all work fits, in a handful of steps, and how milestones lie does not matter.
#pragma once

#include <span>
#include <vector>

#include "studies/divisible/rules/flow_solver.h"
#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// Jobs have room up to this part of their work: rounding in sums of some thousand terms.
inline constexpr double kWorkTolerance = 1e-14;

/// Plans are made for deadlines this much (relative to the objective) later than the optimum, so that rounding cannot
/// make them impossible. No schedule that is kept to a plan exceeds its objective by more.
inline constexpr double kPlanSlack = 1e-10;

/// What of a job is to be done. Objective F: by origin + F / weight, which for origin = release of the job is when its
/// weighted flow time is F.
struct Task {
  JobIndex job = 0;
  DatabankIndex databank = 0;
  Seconds release = 0;  ///< not before
  Seconds origin = 0;
  double work = 0;    ///< > 0
  double weight = 0;  ///< > 0

  Seconds deadline(double objective) const { return origin + objective / weight; }
};

/// Who works on what between deadlines and release dates.
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

/// The least F >= at_least with which all deadlines can be met, up to kWorkTolerance. A few maximum flows with at most
/// 2 n intervals; between them O(n log n) for each of about 60 steps of a bisection. Every task needs a site that holds
/// its databank.
double min_objective(const Platform& platform, std::span<const Task> tasks, double at_least, FlowSolver& solver);

/// Some allocation that meets the deadlines of `objective`: a solution of System (1). Requires that there is one; what
/// does not fit is left out.
Allocation allocate(const Platform& platform, std::span<const Task> tasks, double objective, FlowSolver& solver);

/// The allocation that System (2) of section 4.3.2 asks for: it meets the deadlines of `objective` and minimises the
/// sum over tasks of the mean instant, halfway through intervals, at which they are worked on, where work counts as a
/// part of `sizes[task]`, the whole job. All tasks must be released at the same instant.
Allocation allocate_early(const Platform& platform, std::span<const Task> tasks, std::span<const double> sizes,
                          double objective, FlowSolver& solver);

}  // namespace dfrs::divisible
