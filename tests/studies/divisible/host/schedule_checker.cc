// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/studies/divisible/host/schedule_checker.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace dfrs::sim::divisible {

testing::AssertionResult check_schedule(const Instance& instance, const RunResult& run) {
  constexpr double kTolerance = 1e-8;
  const auto wrong = [](const std::string& why) { return testing::AssertionFailure() << why; };
  if (run.completions.size() != instance.jobs.size()) return wrong("not every job has a completion");
  std::vector<double> work(instance.jobs.size(), 0);
  std::vector<Seconds> last(instance.jobs.size(), -1);
  for (const Segment& s : run.segments) {
    const std::string where = "job " + std::to_string(s.job) + " on cluster " + std::to_string(s.cluster) + " at " +
                              std::to_string(s.begin) + ": ";
    const Job& job = instance.jobs.at(s.job);
    const std::vector<dfrs::divisible::DatabankIndex>& held = instance.clusters.at(s.cluster).databanks;
    if (std::find(held.begin(), held.end(), job.databank) == held.end()) return wrong(where + "databank missing");
    if (!(s.rate > 0) || !(s.end > s.begin)) return wrong(where + "empty segment");
    if (s.begin < job.release) return wrong(where + "before its release");
    if (s.end > run.completions[s.job]) return wrong(where + "after its completion");
    work[s.job] += s.rate * (s.end - s.begin);
    last[s.job] = std::max(last[s.job], s.end);
  }
  for (std::size_t j = 0; j < work.size(); ++j) {
    const double size = instance.jobs[j].size;
    if (std::abs(work[j] - size) > kTolerance * size) {
      return wrong("job " + std::to_string(j) + " has " + std::to_string(work[j]) + " of " + std::to_string(size));
    }
    if (last[j] != run.completions[j]) return wrong("job " + std::to_string(j) + " does not work until its completion");
  }
  // The rate of a cluster changes only at the ends of segments.
  for (std::size_t c = 0; c < instance.clusters.size(); ++c) {
    const double power = instance.clusters[c].processors * instance.clusters[c].speed;
    std::vector<std::pair<Seconds, double>> changes;
    for (const Segment& s : run.segments) {
      if (s.cluster != c) continue;
      changes.push_back({s.begin, s.rate});
      changes.push_back({s.end, -s.rate});
    }
    std::sort(changes.begin(), changes.end());  // at one instant, ends come first
    double rate = 0;
    for (const auto& [at, change] : changes) {
      rate += change;
      if (rate > power * (1 + kTolerance)) {
        return wrong("cluster " + std::to_string(c) + " works at " + std::to_string(rate) + " of " +
                     std::to_string(power));
      }
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace dfrs::sim::divisible
