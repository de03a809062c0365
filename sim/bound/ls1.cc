// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/ls1.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/bound/congestion.h"
#include "sim/bound/edf.h"
#include "sim/bound/interval_schedule.h"
#include "sim/bound/rate_limited_set.h"

namespace dfrs::sim {
namespace {

/// A step this small, relative to the stretch, is rounding error and not an overload.
constexpr double kStretchTolerance = 1e-12;

std::vector<BoundJob> subset(std::span<const BoundJob> jobs, const std::vector<std::uint32_t>& which) {
  std::vector<BoundJob> chosen;
  chosen.reserve(which.size());
  for (const std::uint32_t j : which) chosen.push_back(jobs[j]);
  return chosen;
}

std::vector<std::uint32_t> indices(const CongestedPart& part) {
  std::vector<std::uint32_t> jobs;
  jobs.reserve(part.size());
  for (const CongestedJob& member : part) jobs.push_back(member.job);
  return jobs;
}

/// Members that miss deadlines even without rate limits; cheap to find.
std::vector<std::uint32_t> late_without_rates(const CongestedPart& part, double cpu) {
  std::vector<EdfJob> jobs;
  jobs.reserve(part.size());
  for (const CongestedJob& job : part) jobs.push_back({job.begin, job.end, job.work / cpu, job.size});
  std::vector<std::uint32_t> late = Edf().critical_set(jobs);
  std::sort(late.begin(), late.end());
  return late;
}

std::vector<std::uint32_t> overloaded(const CongestedPart& part, double cpu) {
  return IntervalSchedule(part, cpu).overloaded_jobs();
}

/// A lower bound for the jobs, above `stretch` unless all can meet their deadlines at `stretch`.
double bound_above(std::span<const BoundJob> jobs, double cpu, double stretch) {
  for (const CongestedPart& part : congested_parts(jobs, cpu, stretch)) {
    for (const auto find : {late_without_rates, overloaded}) {
      std::vector<std::uint32_t> set = find(part, cpu);
      if (set.empty()) continue;
      for (std::uint32_t& member : set) member = part[member].job;
      const double next = RateLimitedSet(subset(jobs, set), cpu).stretch_from(stretch);
      if (next > stretch * (1 + kStretchTolerance)) return next;
    }
  }
  return stretch;
}

}  // namespace

double ls1_bound(std::span<const BoundJob> jobs, double cpu, double start) {
  double stretch = start;
  // For each job, the number of the last proof that it and its set can meet their deadlines at this stretch or a
  // smaller one; 0: no proof.
  std::vector<std::uint32_t> proven(jobs.size(), 0);
  std::uint32_t proofs = 0;
  for (bool raised = true; raised;) {
    raised = false;
    for (const CongestedPart& part : congested_parts(jobs, cpu, stretch)) {
      const std::uint32_t proof = proven[part.front().job];
      if (proof != 0 && std::all_of(part.begin(), part.end(),
                                    [&](const CongestedJob& member) { return proven[member.job] == proof; }))
        continue;
      // A bound for some of the jobs holds for all of them and is faster to find.
      const std::vector<std::uint32_t> members = indices(part);
      const std::vector<BoundJob> alone = subset(jobs, members);
      for (double next; (next = bound_above(alone, cpu, stretch)) > stretch; raised = true) stretch = next;
      ++proofs;
      for (const std::uint32_t member : members) proven[member] = proofs;
    }
  }
  return stretch;
}

}  // namespace dfrs::sim
