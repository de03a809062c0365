// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/job_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace dfrs::sim {

JobMatrix::JobMatrix(std::vector<Cell> cells) : cells_(std::move(cells)) {
  const auto key = [](const Cell& c) { return std::tuple(c.width, c.estimate, c.run_time); };
  std::sort(cells_.begin(), cells_.end(), [&](const Cell& a, const Cell& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (std::size_t k = 1; k < cells_.size(); ++k) {
    if (key(cells_[k]) == key(cells_[kept])) {
      cells_[kept].weight += cells_[k].weight;
    } else {
      cells_[++kept] = cells_[k];
    }
  }
  cells_.resize(kept + 1);
  up_to_.reserve(cells_.size());
  double sum = 0;
  for (const Cell& cell : cells_) up_to_.push_back(sum += cell.weight);
}

Result<JobMatrix> JobMatrix::of(const Instance& instance) {
  if (instance.jobs.empty()) return input_error(fmt::format("{}: no jobs to learn from", instance.name));
  std::vector<Cell> cells;
  cells.reserve(instance.jobs.size());
  for (const Job& job : instance.jobs) cells.push_back({job.tasks, job.estimate, job.run_time, 1});
  return JobMatrix(std::move(cells));
}

std::size_t JobMatrix::reach(std::size_t first, std::size_t last, double share) const {
  const double before = first == 0 ? 0 : up_to_[first - 1];
  const double target = before + share * (up_to_[last - 1] - before);
  const auto begin = up_to_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto at = std::upper_bound(begin, up_to_.begin() + static_cast<std::ptrdiff_t>(last), target);
  return std::min(last - 1, static_cast<std::size_t>(at - up_to_.begin()));
}

const JobMatrix::Cell& JobMatrix::draw(Random& random) const {
  const auto begin = cells_.begin();
  const auto index = [&](auto at) { return static_cast<std::size_t>(at - begin); };
  const int width = cells_[reach(0, cells_.size(), random.uniform())].width;
  const auto [width_begin, width_end] =
      std::ranges::equal_range(cells_, width, {}, [](const Cell& c) { return c.width; });
  const Seconds estimate = cells_[reach(index(width_begin), index(width_end), random.uniform())].estimate;
  const auto [first, last] =
      std::ranges::equal_range(width_begin, width_end, estimate, {}, [](const Cell& c) { return c.estimate; });
  return cells_[reach(index(first), index(last), random.uniform())];
}

}  // namespace dfrs::sim
