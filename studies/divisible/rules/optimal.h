// SPDX-License-Identifier: GPL-2.0-or-later
// Rules based on the optimal maximum stretch of the known jobs: RR-5724, section 4.3.
#pragma once

#include <vector>

#include "studies/divisible/rules/deadlines.h"
#include "studies/divisible/rules/flow_solver.h"
#include "studies/divisible/rules/model.h"
#include "studies/divisible/rules/plan.h"

namespace dfrs::divisible {

/// The least maximum stretch of any schedule of these jobs, with all known in advance (section 4.3.1).
double optimal_max_stretch(const Platform& platform, std::span<const JobView> jobs, FlowSolver& solver);

/// Offline: knows all jobs in advance and follows a solution of System (1) for the optimal maximum stretch, ordered
/// within intervals as in Online. `jobs`: all jobs of the instance, by release, with the same indices as in later
/// views.
class Offline final : public Scheduler {
 public:
  Offline(const Platform& platform, std::span<const JobView> jobs, FlowSolver& solver);
  void decide(const View& view, Decision& decision) override { plan_.decide(view, decision); }
  double max_stretch() const { return max_stretch_; }

 private:
  double max_stretch_ = 0;
  PlanRunner plan_;
};

enum class OnlineVariant { intervals, edf, egdf };

/// Online, Online-EDF and Online-EGDF (section 4.3.2). When jobs arrive, they compute the best maximum stretch that the
/// active jobs can still achieve with their remaining work, an allocation by System (2) for its deadlines, and a
/// schedule of it by the variant. Complete jobs do not count, because they would only move the deadlines of others
/// later.
class Online final : public Scheduler {
 public:
  Online(OnlineVariant variant, FlowSolver& solver) : variant_(variant), solver_(solver) {}
  void decide(const View& view, Decision& decision) override;

 private:
  void plan(const View& view);

  OnlineVariant variant_;
  FlowSolver& solver_;
  std::vector<Task> tasks_;
  std::vector<double> sizes_;
  std::vector<JobIndex> order_;
  PlanRunner plan_;
};

/// Bender98 (Bender, Chakrabarti, Muthukrishnan 1998): when jobs arrive, it computes the optimal maximum stretch S of
/// all jobs arrived so far, as if nothing were decided yet. The list is ordered by deadlines release + sqrt(D) x S /
/// weight, where D is greatest / least size of these jobs.
class Bender98 final : public Scheduler {
 public:
  explicit Bender98(FlowSolver& solver) : solver_(solver) {}
  void decide(const View& view, Decision& decision) override;

 private:
  void raise_max_stretch(const View& view, std::size_t arrived_job);

  FlowSolver& solver_;
  double max_stretch_ = 0;
  double least_ = kNever, greatest_ = 0;  // sizes seen
  std::vector<JobIndex> order_;
};

}  // namespace dfrs::divisible
