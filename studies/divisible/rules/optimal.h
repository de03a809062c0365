// SPDX-License-Identifier: GPL-2.0-or-later
// Rules that rest on the optimal maximum stretch of the jobs known: RR-5724, section 4.3.
#pragma once

#include <vector>

#include "studies/divisible/rules/deadlines.h"
#include "studies/divisible/rules/flow_solver.h"
#include "studies/divisible/rules/model.h"
#include "studies/divisible/rules/plan.h"

namespace dfrs::divisible {

/// The least maximum stretch that any schedule of these jobs has, all of them known in advance (section 4.3.1).
double optimal_max_stretch(const Platform& platform, std::span<const JobView> jobs, FlowSolver& solver);

/// Offline: knows all jobs in advance and keeps to a solution of System (1) for the optimal maximum stretch, within
/// intervals in the order of Online. `jobs`: every one of the instance, by release, with the same indices as in the
/// view later.
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

/// Online, Online-EDF and Online-EGDF (section 4.3.2). When jobs arrive: the best maximum stretch that the active jobs
/// can still achieve with what is left of them; an allocation by System (2) for its deadlines; and a schedule of it by
/// the variant. The stretch of complete jobs does not count: the deadlines of others would only be later for it.
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

/// Bender98 (Bender, Chakrabarti, Muthukrishnan 1998): when jobs arrive, the optimal maximum stretch S of all that have
/// arrived so far, as if nothing were decided yet; the list is by deadlines release + sqrt(D) x S / weight, where D is
/// greatest / least size of these jobs.
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
