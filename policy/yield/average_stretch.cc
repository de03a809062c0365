// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average_stretch.h"

#include <algorithm>
#include <cmath>

namespace dfrs {
namespace {

constexpr double kRelativeGap = 1e-6;
constexpr int kMaxSteps = 100;
constexpr double kNearBound = 0.99;          // of the way to where a yield or a node reaches its bound
constexpr double kCentering = 0.1;           // by how much a step lowers the products of bounds and multipliers
constexpr double kNoRoom = 1e-9;             // of a node's capacity
constexpr double kResidual = 1e-9;           // of a linear system, relative
constexpr std::size_t kMaxIterations = 500;  // of conjugate gradients for one of them
constexpr std::uint32_t kNone = ~std::uint32_t{0};

double slope(const StretchEstimate& job, double y) {
  const double progress = job.progress + y * job.period;
  return -job.flow * job.period / (progress * progress);
}

double curvature(const StretchEstimate& job, double y) {
  const double progress = job.progress + y * job.period;
  return 2 * job.flow * job.period * job.period / (progress * progress * progress);
}

// The least of estimate + price x yield over the yields from `low` to 1.
double least_cost(const StretchEstimate& job, double price, double low) {
  double y = 1;
  if (price > 0) {
    y = std::clamp((std::sqrt(job.flow * job.period / price) - job.progress) / job.period, low, 1.0);
  }
  return job.at(y) + price * y;
}

}  // namespace

void AverageStretch::solve(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                           std::span<double> yields) {
  gap_ = 0;
  if (jobs.empty()) return;
  shared_stretch(contention, jobs, floor, yields);
  find_limits(contention, jobs, yields);
  for (std::uint32_t n = 0; n < limits_.size(); ++n) {
    if (limits_[n] == 0 || done_[n] != 0) continue;
    take_group(contention, jobs, yields, n);
    solve_group(jobs);
    for (const Column& c : columns_) yields[c.job] = c.y();
  }
  repair_yields(contention, yields);
}

// Finds which nodes limit which jobs. Jobs that no node limits get 1.
void AverageStretch::find_limits(const CpuContention& contention, std::span<const StretchEstimate> jobs,
                                 std::span<double> yields) {
  const std::size_t nodes = contention.nodes().size();
  limits_.assign(nodes, 0);
  done_.assign(nodes, 0);
  left_.resize(nodes);
  open_.assign(jobs.size(), 1);
  place_.assign(jobs.size(), kNone);
  for (std::size_t j = 0; j < jobs.size(); ++j) open_[j] = yields[j] < 1 - kNoRoom ? 1 : 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    const CpuContention::Node& node = contention.nodes()[n];
    left_[n] = node.capacity - cpu_used(contention, node, yields);
    if (left_[n] > kNoRoom * node.capacity) continue;
    for (const CpuContention::User& user : contention.users(node)) open_[user.job] = 0;
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    double wanted = 0;
    for (const CpuContention::User& user : contention.users(contention.nodes()[n])) {
      if (open_[user.job] != 0) wanted += user.need * (1 - yields[user.job]);
    }
    limits_[n] = wanted > left_[n] ? 1 : 0;
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (open_[j] == 0) continue;
    const auto places = contention.places(contention.jobs()[j]);
    if (std::none_of(places.begin(), places.end(), [&](const auto& place) { return limits_[place.node] != 0; })) {
      yields[j] = 1;
    }
  }
}

// Collects the open jobs that share limiting nodes with those of `start`, directly or through others, and these nodes.
void AverageStretch::take_group(const CpuContention& contention, std::span<const StretchEstimate> jobs,
                                std::span<const double> yields, std::uint32_t start) {
  columns_.clear();
  rows_.clear();
  entries_.clear();
  queue_.assign(1, start);
  done_[start] = 1;
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    Row row;
    row.first = entries_.size();
    row.left = left_[queue_[at]];
    for (const CpuContention::User& user : contention.users(contention.nodes()[queue_[at]])) {
      if (open_[user.job] == 0) continue;
      if (place_[user.job] == kNone) {
        place_[user.job] = static_cast<std::uint32_t>(columns_.size());
        Column column;
        column.job = user.job;
        column.low = yields[user.job];
        columns_.push_back(column);
        for (const CpuContention::Place& place : contention.places(contention.jobs()[user.job])) {
          if (limits_[place.node] == 0 || done_[place.node] != 0) continue;
          done_[place.node] = 1;
          queue_.push_back(place.node);
        }
      }
      entries_.push_back({place_[user.job], user.need});
    }
    row.count = entries_.size() - row.first;
    rows_.push_back(row);
  }
  begin(jobs);
}

// Each job rises half as far as its nodes would let it if their jobs rose in proportion.
void AverageStretch::begin(std::span<const StretchEstimate> jobs) {
  for (Column& c : columns_) c.risen = 1;  // first as a part of the way to 1
  for (const Row& row : rows_) {
    double wanted = 0;
    for (const Entry& e : entries(row)) wanted += e.need * (1 - columns_[e.column].low);
    for (const Entry& e : entries(row))
      columns_[e.column].risen = std::min(columns_[e.column].risen, row.left / wanted);
  }
  double product = 0;
  for (Column& c : columns_) {
    c.risen *= (1 - c.low) / 2;
    c.room = 1 - c.low - c.risen;
    product -= slope(jobs[c.job], c.y()) * c.risen;
  }
  for (Row& row : rows_) {
    for (const Entry& e : entries(row)) row.left -= e.need * columns_[e.column].risen;
  }
  product /= static_cast<double>(columns_.size() + rows_.size());
  for (Row& row : rows_) row.multiplier = product / row.left;
  for (Column& c : columns_) {
    c.below = product / c.risen;
    c.above = product / c.room;
  }
}

void AverageStretch::solve_group(std::span<const StretchEstimate> jobs) {
  double gap = 0;
  for (int k = 0; k < kMaxSteps; ++k) {
    double value = 0;
    for (const Column& c : columns_) value += jobs[c.job].at(c.y());
    gap = gap_of(jobs);
    if (!(gap > kRelativeGap * value)) break;
    find_step(jobs, kCentering * complementarity());
    const double length = longest_step();
    if (!(length > 0)) break;
    advance(length);
  }
  gap_ += std::max(gap, 0.0);
}

// The present sum of the estimates less a lower bound of it, which the multipliers of the nodes give.
double AverageStretch::gap_of(std::span<const StretchEstimate> jobs) {
  for (Column& c : columns_) c.price = 0;
  double gap = 0;
  for (const Row& row : rows_) {
    gap += row.multiplier * row.left;
    for (const Entry& e : entries(row)) columns_[e.column].price += row.multiplier * e.need;
  }
  for (const Column& c : columns_) {
    const StretchEstimate& job = jobs[c.job];
    gap += job.at(c.y()) + c.price * c.y() - least_cost(job, c.price, c.low);
  }
  return gap;
}

// The mean product of a bound's distance and its multiplier.
double AverageStretch::complementarity() const {
  double sum = 0;
  for (const Row& row : rows_) sum += row.multiplier * row.left;
  for (const Column& c : columns_) sum += c.below * c.risen + c.above * c.room;
  return sum / static_cast<double>(rows_.size() + 2 * columns_.size());
}

// Newton's step towards the yields and multipliers whose products are `target`.
void AverageStretch::find_step(std::span<const StretchEstimate> jobs, double target) {
  for (Column& c : columns_) {
    const StretchEstimate& job = jobs[c.job];
    c.weight = 1 / (curvature(job, c.y()) + c.below / c.risen + c.above / c.room);
    c.gradient = -slope(job, c.y()) + target / c.risen - target / c.room;
  }
  for (Row& row : rows_) {
    row.diagonal = row.left / row.multiplier;
    for (const Entry& e : entries(row)) columns_[e.column].gradient -= e.need * target / row.left;
  }
  solve_rows();
  for (Column& c : columns_) c.dy = c.gradient;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const Entry& e : entries(rows_[r])) columns_[e.column].dy -= e.need * x_[r];
  }
  for (Column& c : columns_) {
    c.dy *= c.weight;
    c.dbelow = target / c.risen - c.below - c.below / c.risen * c.dy;
    c.dabove = target / c.room - c.above + c.above / c.room * c.dy;
  }
  for (Row& row : rows_) {
    row.left_change = 0;
    for (const Entry& e : entries(row)) row.left_change -= e.need * columns_[e.column].dy;
    row.change = target / row.left - row.multiplier - row.multiplier / row.left * row.left_change;
  }
}

// out = (A W A' + diagonal) x, where A has the needs of jobs on nodes and W the weights of jobs.
void AverageStretch::multiply(std::span<const double> x, std::span<double> out) {
  scratch_.assign(columns_.size(), 0);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const Entry& e : entries(rows_[r])) scratch_[e.column] += e.need * x[r];
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) scratch_[c] *= columns_[c].weight;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    out[r] = rows_[r].diagonal * x[r];
    for (const Entry& e : entries(rows_[r])) out[r] += e.need * scratch_[e.column];
  }
}

// Conjugate gradients, preconditioned by the diagonal. With an inexact solution the yields still fit, but the
// multipliers do not prove the gap small.
void AverageStretch::solve_rows() {
  const std::size_t n = rows_.size();
  x_.assign(n, 0);
  residual_.assign(n, 0);
  direction_.assign(n, 0);
  image_.assign(n, 0);
  inverse_.assign(n, 0);
  double rho = 0;
  for (std::size_t r = 0; r < n; ++r) {
    double diagonal = rows_[r].diagonal;
    for (const Entry& e : entries(rows_[r])) {
      const Column& c = columns_[e.column];
      diagonal += e.need * e.need * c.weight;
      residual_[r] += e.need * c.weight * c.gradient;
    }
    inverse_[r] = 1 / diagonal;
    direction_[r] = inverse_[r] * residual_[r];
    rho += residual_[r] * direction_[r];
  }
  const std::size_t most = std::min(2 * n + 20, kMaxIterations);
  const double enough = kResidual * kResidual * rho;
  for (std::size_t k = 0; k < most && rho > enough; ++k) {
    multiply(direction_, image_);
    double bend = 0;
    for (std::size_t r = 0; r < n; ++r) bend += direction_[r] * image_[r];
    if (!(bend > 0)) return;
    const double length = rho / bend;
    double next = 0;
    for (std::size_t r = 0; r < n; ++r) {
      x_[r] += length * direction_[r];
      residual_[r] -= length * image_[r];
      next += residual_[r] * residual_[r] * inverse_[r];
    }
    for (std::size_t r = 0; r < n; ++r) direction_[r] = inverse_[r] * residual_[r] + next / rho * direction_[r];
    rho = next;
  }
}

double AverageStretch::longest_step() const {
  double length = 1;
  const auto stay = [&](double value, double change) {
    if (!std::isfinite(change)) length = 0;
    if (change < 0) length = std::min(length, -kNearBound * value / change);
  };
  for (const Column& c : columns_) {
    stay(c.risen, c.dy);
    stay(c.room, -c.dy);
    stay(c.below, c.dbelow);
    stay(c.above, c.dabove);
  }
  for (const Row& row : rows_) {
    stay(row.left, row.left_change);
    stay(row.multiplier, row.change);
  }
  return length;
}

void AverageStretch::advance(double length) {
  for (Column& c : columns_) {
    c.risen += length * c.dy;
    c.room -= length * c.dy;
    c.below += length * c.dbelow;
    c.above += length * c.dabove;
  }
  for (Row& row : rows_) {
    row.left += length * row.left_change;
    row.multiplier += length * row.change;
  }
}

}  // namespace dfrs
