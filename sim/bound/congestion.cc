// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/congestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace dfrs::sim {
namespace {

/// Remaining work below this fraction of (window + deadline) x rate is rounding error of deadlines.
constexpr double kWorkTolerance = 1e-14;

/// A job's window, as indices of instants.
struct Window {
  std::uint32_t begin;
  std::uint32_t end;
};

/// Releases and deadlines in order, from the first release; windows[j] locates those of job j.
struct Timeline {
  std::vector<Seconds> instants;
  std::vector<Window> windows;
};

Timeline make_timeline(std::span<const BoundJob> jobs, double stretch) {
  const std::size_t n = jobs.size();
  const Seconds origin = jobs.front().release;
  std::vector<Seconds> deadline(n);
  for (std::size_t j = 0; j < n; ++j) deadline[j] = jobs[j].release - origin + stretch * jobs[j].size;
  std::vector<std::uint32_t> by_deadline(n);
  std::iota(by_deadline.begin(), by_deadline.end(), 0U);
  std::sort(by_deadline.begin(), by_deadline.end(),
            [&](std::uint32_t a, std::uint32_t b) { return deadline[a] < deadline[b]; });
  Timeline line;
  line.windows.resize(n);
  line.instants.reserve(2 * n);
  const auto instant = [&](Seconds at) {
    if (line.instants.empty() || line.instants.back() < at) line.instants.push_back(at);
    return static_cast<std::uint32_t>(line.instants.size() - 1);
  };
  std::uint32_t next = 0;
  for (const std::uint32_t j : by_deadline) {
    for (; next < n && jobs[next].release - origin <= deadline[j]; ++next)
      line.windows[next].begin = instant(jobs[next].release - origin);
    line.windows[j].end = instant(deadline[j]);
  }
  return line;
}

}  // namespace

std::vector<CongestedPart> congested_parts(std::span<const BoundJob> jobs, double cpu, double stretch) {
  std::vector<CongestedPart> parts;
  if (jobs.empty()) return parts;
  const Timeline line = make_timeline(jobs, stretch);
  const std::size_t intervals = line.instants.size() - 1;

  std::vector<std::uint32_t> open(jobs.size());
  std::iota(open.begin(), open.end(), 0U);
  std::vector<double> step(intervals + 1);
  std::vector<Seconds> free_before(intervals + 1);       // uncongested time before an instant
  std::vector<Seconds> congested_before(intervals + 1);  // congested time before an instant
  const auto rate = [&](std::uint32_t j) { return std::min(jobs[j].rate, cpu); };
  const auto left = [&](std::uint32_t j) {
    const Window w = line.windows[j];
    return jobs[j].work - rate(j) * (free_before[w.end] - free_before[w.begin]);
  };
  for (bool fewer = true; fewer;) {
    std::fill(step.begin(), step.end(), 0.0);
    for (const std::uint32_t j : open) {
      step[line.windows[j].begin] += rate(j);
      step[line.windows[j].end] -= rate(j);
    }
    double load = 0;
    for (std::size_t i = 0; i < intervals; ++i) {
      load += step[i];
      const Seconds length = line.instants[i + 1] - line.instants[i];
      const bool congested = load > cpu;
      free_before[i + 1] = free_before[i] + (congested ? 0 : length);
      congested_before[i + 1] = congested_before[i] + (congested ? length : 0);
    }
    const std::size_t before = open.size();
    std::erase_if(open, [&](std::uint32_t j) {
      const Seconds rounding = stretch * jobs[j].size + line.instants[line.windows[j].end];
      return left(j) <= kWorkTolerance * rate(j) * rounding;
    });
    fewer = open.size() < before;
  }

  Seconds part_end = 0;
  for (const std::uint32_t j : open) {
    const Window w = line.windows[j];
    const CongestedJob job{j, congested_before[w.begin], congested_before[w.end], left(j), rate(j), jobs[j].size};
    if (parts.empty() || job.begin >= part_end) parts.emplace_back();
    parts.back().push_back(job);
    part_end = std::max(part_end, job.end);
  }
  return parts;
}

}  // namespace dfrs::sim
