// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/core/compare.h"
#include "studies/divisible/host/lemon_flow.h"

namespace dfrs::sim::divisible {

using dfrs::divisible::Algorithm;
using dfrs::divisible::Decision;
using dfrs::divisible::JobIndex;
using dfrs::divisible::JobView;
using dfrs::divisible::Platform;
using dfrs::divisible::Share;

namespace {

class Run {
 public:
  Run(const Instance& instance, Algorithm algorithm, const RunOptions& options)
      : instance_(instance),
        algorithm_(algorithm),
        options_(options),
        platform_(instance.clusters, instance.databanks) {
    for (const Job& job : instance.jobs) {
      jobs_.push_back(
          {job.release, job.size, stretch_weight(platform_, job, options.basis), job.databank, job.size, kNever});
    }
    rate_.assign(jobs_.size(), 0);
    scheduler_ = make_scheduler(algorithm, platform_, jobs_, solver_, options.readings);
  }

  Result<RunResult> run() {
    while (released_ < jobs_.size() || !active_.empty()) {
      if (active_.empty()) now_ = jobs_[released_].release;
      const std::size_t arrived = release();
      decision_.clear();
      scheduler_->decide({now_, &platform_, std::span(jobs_).first(released_), active_, arrived}, decision_);
      const Result<Seconds> next = next_instant();
      if (!next) return tl::unexpected(next.error());
      advance(*next);
    }
    for (const JobView& job : jobs_) result_.completions.push_back(job.completion);
    return std::move(result_);
  }

 private:
  tl::unexpected<Error> fail(const std::string& what) const {
    return error(kExitInternal,
                 fmt::format("{}: {} at {} s: {}", instance_.name, algorithm_name(algorithm_), now_, what));
  }

  std::size_t release() {
    const std::size_t before = released_;
    for (; released_ < jobs_.size() && jobs_[released_].release <= now_; ++released_) {
      active_.push_back(static_cast<JobIndex>(released_));
    }
    return released_ - before;
  }

  // Checks and applies the shares. Returns the next instant.
  Result<Seconds> next_instant() {
    std::fill(rate_.begin(), rate_.end(), 0.0);
    load_.assign(platform_.clusters().size(), 0.0);
    for (const Share& share : decision_.shares) {
      if (share.job >= released_ || !(jobs_[share.job].remaining > 0)) return fail("a share for an absent job");
      if (share.cluster >= load_.size() || !platform_.holds(share.cluster, jobs_[share.job].databank)) {
        return fail(fmt::format("job {} on cluster {}, which does not hold its databank", share.job, share.cluster));
      }
      if (!(share.rate > 0)) return fail(fmt::format("rate {} of job {}", share.rate, share.job));
      rate_[share.job] += share.rate;
      load_[share.cluster] += share.rate;
    }
    for (std::size_t c = 0; c < load_.size(); ++c) {
      if (cpu_exceeds(load_[c], platform_.clusters()[c].power()))
        return fail(fmt::format("cluster {} is overloaded", c));
    }
    Seconds next = released_ < jobs_.size() ? jobs_[released_].release : kNever;
    if (!(decision_.wake_at > now_))
      return fail(fmt::format("a wake-up at {}, which is not in the future", decision_.wake_at));
    next = std::min(next, decision_.wake_at);
    for (const JobIndex j : active_) {
      if (rate_[j] > 0) next = std::min(next, now_ + jobs_[j].remaining / rate_[j]);
    }
    if (next == kNever) return fail("jobs wait forever");
    return next;
  }

  void advance(Seconds next) {
    if (options_.segments && next > now_) {
      for (const Share& share : decision_.shares) {
        result_.segments.push_back({now_, next, share.job, share.cluster, share.rate});
      }
    }
    for (const JobIndex j : active_) {
      JobView& job = jobs_[j];
      if (!(rate_[j] > 0)) continue;
      const bool ends = now_ + job.remaining / rate_[j] <= next;
      job.remaining -= rate_[j] * (next - now_);
      if (!ends && job.remaining > job.size * kDoneTolerance) continue;
      job.remaining = 0;
      job.completion = next;
    }
    std::erase_if(active_, [&](JobIndex j) { return !(jobs_[j].remaining > 0); });
    now_ = next;
  }

  const Instance& instance_;
  const Algorithm algorithm_;
  const RunOptions options_;
  Platform platform_;
  LemonFlow solver_;
  std::vector<JobView> jobs_;
  std::unique_ptr<dfrs::divisible::Scheduler> scheduler_;
  std::vector<JobIndex> active_;
  std::size_t released_ = 0;
  Seconds now_ = 0;
  Decision decision_;
  std::vector<double> rate_;  // by job
  std::vector<double> load_;  // by cluster
  RunResult result_;
};

}  // namespace

Result<RunResult> simulate(const Instance& instance, Algorithm algorithm, const RunOptions& options) {
  if (auto fine = check(instance); !fine) return tl::unexpected(std::move(fine).error());
  return Run(instance, algorithm, options).run();
}

Metrics measure(const Instance& instance, const RunResult& run, StretchBasis basis) {
  Metrics m;
  if (instance.jobs.empty()) return m;
  const Platform platform(instance.clusters, instance.databanks);
  double work = 0;
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    const Job& job = instance.jobs[j];
    const Seconds flow = run.completions[j] - job.release;
    const double stretch = flow * stretch_weight(platform, job, basis);
    m.max_stretch = std::max(m.max_stretch, stretch);
    m.sum_stretch += stretch;
    m.mean_flow += flow / static_cast<double>(instance.jobs.size());
    m.makespan = std::max(m.makespan, run.completions[j]);
    work += job.size;
  }
  m.makespan -= instance.jobs.front().release;
  m.utilization = work / (platform.power() * m.makespan);
  return m;
}

}  // namespace dfrs::sim::divisible
