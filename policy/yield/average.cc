// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average.h"

#include <algorithm>
#include <cmath>

#include "policy/core/compare.h"

namespace dfrs {
namespace {

// Sums of needs and prices are of the order of 1 and known to some 1e-14.
constexpr double kGain = 1e-9;   // the least slope of the sum that is worth a step
constexpr double kRate = 1e-9;   // changes below this are rounding; no pivot is smaller
constexpr double kTie = 1e-12;   // lengths of steps that differ by less are equal
constexpr double kFull = 1e-12;  // CPU of a node, relative to its capacity, that is none
// The dense inverse takes size^2 for each step: beyond this a solver for sparse programs is faster.
constexpr std::size_t kMostBasic = 256;
constexpr int kStandstills = 20;  // steps in a row of no length, after which the first candidate is taken, not the
                                  // best, so as not to run in a circle (Bland 1977)

}  // namespace

void AverageYield::build(const Sharing& sharing, LinearProgram& program) {
  program.clear();
  const double minimum = 1 / sharing.max_load();
  program.cost.assign(sharing.jobs().size(), 1.0);
  program.lower.assign(sharing.jobs().size(), minimum);
  program.upper.assign(sharing.jobs().size(), 1.0);
  for (const Sharing::Node& node : sharing.nodes()) {
    for (const Sharing::User& user : sharing.users(node)) {
      program.column.push_back(user.job);
      program.value.push_back(user.need);
    }
    program.end_row(node.capacity);
  }
}

bool AverageYield::solve(const Sharing& sharing, std::span<double> yields) {
  if (sharing.jobs().empty()) return true;
  reduce(sharing);
  group(sharing);
  const std::span<const Candidate> all(candidates_);
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    while (end < all.size() && all[end].group == all[first].group) ++end;
    if (!optimize(sharing, all.subspan(first, end - first))) return ask_solver(sharing, yields);
    first = end;
  }
  const double minimum = 1 / sharing.max_load();
  for (std::size_t j = 0; j < yields.size(); ++j) yields[j] = place_[j] == Place::top ? 1.0 : minimum + x_[j];
  return fits(sharing, yields) || ask_solver(sharing, yields);
}

bool AverageYield::ask_solver(const Sharing& sharing, std::span<double> yields) {
  if (solver_ == nullptr) return false;
  build(sharing, program_);
  if (!solver_->maximize(program_, yields)) return false;
  for (double& y : yields) y = std::clamp(y, 1 / sharing.max_load(), 1.0);
  repair_yields(sharing, yields);
  return true;
}

bool AverageYield::fits(const Sharing& sharing, std::span<const double> yields) const {
  for (const Sharing::Node& node : sharing.nodes()) {
    double used = 0;
    for (const Sharing::User& user : sharing.users(node)) used += user.need * yields[user.job];
    if (cpu_exceeds(used, node.capacity)) return false;
  }
  return true;
}

// Which nodes limit which jobs; jobs that none limits are at the top, those of nodes without room at the bottom.
void AverageYield::reduce(const Sharing& sharing) {
  const double minimum = 1 / sharing.max_load();
  top_ = 1 - minimum;
  const std::size_t nodes = sharing.nodes().size(), jobs = sharing.jobs().size();
  room_.resize(nodes);
  left_.resize(nodes);
  x_.assign(jobs, 0.0);
  place_.assign(jobs, Place::top);
  for (std::size_t n = 0; n < nodes; ++n) {
    const Sharing::Node& node = sharing.nodes()[n];
    left_[n] = node.capacity - minimum * node.load;
    room_[n] = left_[n] <= kFull * node.capacity ? Room::none : Room::limited;
    if (room_[n] != Room::none) continue;
    for (const Sharing::User& user : sharing.users(node)) place_[user.job] = Place::bottom;
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    if (room_[n] != Room::limited) continue;
    double wanted = 0;
    for (const Sharing::User& user : sharing.users(sharing.nodes()[n])) {
      if (place_[user.job] == Place::top) wanted += user.need;
    }
    if (wanted * top_ <= left_[n]) room_[n] = Room::enough;
  }
  capacity_.assign(left_.begin(), left_.end());
}

// The jobs that are neither, in the order in which they rise, group by group.
void AverageYield::group(const Sharing& sharing) {
  group_.assign(sharing.nodes().size(), kNone);
  candidates_.clear();
  std::uint32_t groups = 0;
  for (std::uint32_t start = 0; start < sharing.nodes().size(); ++start) {
    if (room_[start] != Room::limited || group_[start] != kNone) continue;
    queue_.assign(1, start);
    group_[start] = groups;
    const std::size_t first = candidates_.size();
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      for (const Sharing::User& user : sharing.users(sharing.nodes()[queue_[at]])) {
        if (place_[user.job] != Place::top) continue;  // no candidate, or one already
        place_[user.job] = Place::bottom;
        double weight = 0;
        for (const Sharing::Place& place : sharing.places(sharing.jobs()[user.job])) {
          if (room_[place.node] != Room::limited) continue;
          weight += place.need;
          if (group_[place.node] != kNone) continue;
          group_[place.node] = groups;
          queue_.push_back(place.node);
        }
        candidates_.push_back({groups, weight, user.job});
      }
    }
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
              [](const Candidate& a, const Candidate& b) {
                return a.weight != b.weight ? a.weight < b.weight : a.job < b.job;
              });
    ++groups;
  }
  full_.assign(sharing.nodes().size(), kNone);
  price_.assign(sharing.nodes().size(), 0.0);
  less_.assign(sharing.nodes().size(), 0.0);
  basic_.resize(sharing.jobs().size());
}

bool AverageYield::optimize(const Sharing& sharing, std::span<const Candidate> jobs) {
  basis_.clear();
  for (const Candidate& candidate : jobs) {
    if (!rise(sharing, candidate.job)) return false;
  }
  int standstills = 0;
  const std::size_t most_steps = 100 + 20 * (jobs.size() + sharing.nodes().size());
  for (std::size_t steps = 0;; ++steps) {
    price();
    const Entering entering = choose(sharing, jobs, standstills > kStandstills);
    if (!entering.found) break;
    bool moved = false;
    if (steps == most_steps || !step(sharing, entering, moved)) return false;
    standstills = moved ? 0 : standstills + 1;
  }
  read_off(sharing, jobs);
  return true;
}

// As far as its nodes let it; where one of them holds it, job and node come into the basis.
bool AverageYield::rise(const Sharing& sharing, std::uint32_t job) {
  double most = top_;
  std::uint32_t limit = kNone;
  for (const Sharing::Place& place : sharing.places(sharing.jobs()[job])) {
    if (room_[place.node] != Room::limited) continue;
    if (full_[place.node] != kNone || left_[place.node] <= kFull) return true;  // stays at the bottom
    const double possible = left_[place.node] / place.need;
    if (possible < most) {
      most = possible;
      limit = place.node;
    }
  }
  if (limit != kNone && !make_full(sharing, job, limit)) return false;
  x_[job] = most;
  place_[job] = limit == kNone ? Place::top : Place::between;
  for (const Sharing::Place& place : sharing.places(sharing.jobs()[job])) {
    left_[place.node] = std::max(0.0, left_[place.node] - place.need * most);
  }
  if (limit != kNone) left_[limit] = 0;
  return true;
}

void AverageYield::needs_on_full_nodes(const Sharing& sharing, std::uint32_t job) {
  column_.assign(basis_.size(), 0.0);
  for (const Sharing::Place& place : sharing.places(sharing.jobs()[job])) {
    if (full_[place.node] != kNone) column_[full_[place.node]] = place.need;
  }
}

void AverageYield::needs_of_basic_jobs(const Sharing& sharing, std::uint32_t node) {
  row_.assign(basis_.size(), 0.0);
  for (const Sharing::User& user : sharing.users(sharing.nodes()[node])) {
    if (place_[user.job] == Place::between) row_[basic_[user.job]] = user.need;
  }
}

bool AverageYield::make_full(const Sharing& sharing, std::uint32_t job, std::uint32_t node) {
  if (basis_.size() == kMostBasic) return false;
  needs_on_full_nodes(sharing, job);
  needs_of_basic_jobs(sharing, node);
  double corner = 0;
  for (const Sharing::Place& place : sharing.places(sharing.jobs()[job])) {
    if (place.node == node) corner = place.need;
  }
  basic_[job] = full_[node] = static_cast<std::uint32_t>(basis_.size());
  return basis_.add(job, node, column_, row_, corner);
}

void AverageYield::price() {
  for (std::size_t n = 0; n < basis_.size(); ++n) {
    double sum = 0;
    for (std::size_t j = 0; j < basis_.size(); ++j) sum += basis_.inverse(j, n);
    price_[basis_.node(n)] = sum;
  }
}

AverageYield::Entering AverageYield::choose(const Sharing& sharing, std::span<const Candidate> jobs, bool first) const {
  Entering best;
  double most = kGain;
  for (const Candidate& candidate : jobs) {
    if (place_[candidate.job] == Place::between) continue;
    double gain = 1;
    for (const Sharing::Place& place : sharing.places(sharing.jobs()[candidate.job])) {
      gain -= price_[place.node] * place.need;
    }
    const double sign = place_[candidate.job] == Place::bottom ? 1 : -1;
    // Earlier submitted first among equals: candidates come in another order.
    if (sign * gain > most || (best.found && sign * gain == most && candidate.job < best.job)) {
      most = sign * gain;
      best = {candidate.job, 0, sign, true};
      if (first) return best;
    }
  }
  for (std::size_t n = 0; n < basis_.size(); ++n) {
    if (-price_[basis_.node(n)] <= most) continue;
    most = -price_[basis_.node(n)];
    best = {kNone, n, 1, true};
    if (first) return best;
  }
  return best;
}

// One step of the simplex method. False where rounding leaves no usable pivot.
bool AverageYield::step(const Sharing& sharing, const Entering& entering, bool& moved) {
  const std::size_t size = basis_.size();
  const bool is_job = entering.job != kNone;
  // How all that is not at a bound changes with the entering one.
  change_.assign(size, 0.0);
  if (is_job) {
    needs_on_full_nodes(sharing, entering.job);
    for (std::size_t j = 0; j < size; ++j) {
      double sum = 0;
      for (std::size_t n = 0; n < size; ++n) sum += basis_.inverse(j, n) * column_[n];
      change_[j] = -entering.sign * sum;
    }
  } else {
    for (std::size_t j = 0; j < size; ++j) change_[j] = -basis_.inverse(j, entering.node);
  }
  touched_.clear();
  const auto add = [&](std::uint32_t job, double rate) {
    for (const Sharing::Place& place : sharing.places(sharing.jobs()[job])) {
      if (room_[place.node] != Room::limited || full_[place.node] != kNone) continue;
      if (less_[place.node] == 0) touched_.push_back(place.node);
      less_[place.node] += place.need * rate;
    }
  };
  if (is_job) add(entering.job, entering.sign);
  for (std::size_t j = 0; j < size; ++j) {
    if (std::abs(change_[j]) > kRate) add(basis_.job(j), change_[j]);
  }

  // How far until something reaches a bound: the entering job its other one, a job between the bounds one of them, or a
  // node is full. Among equals the largest pivot, which is the most exact.
  double length = is_job ? top_ : HUGE_VAL;
  double pivot = is_job ? HUGE_VAL : 0;
  std::size_t leaving_job = size;
  std::uint32_t leaving_node = kNone;
  const auto consider = [&](double possible, double rate, std::size_t job, std::uint32_t node) {
    possible = std::max(possible, 0.0);
    const bool shorter = possible < length - kTie;
    if (!shorter && (possible > length + kTie || rate <= pivot)) return;
    length = std::min(length, possible);
    pivot = rate;
    leaving_job = job;
    leaving_node = node;
  };
  for (std::size_t j = 0; j < size; ++j) {
    const double rate = change_[j];
    if (std::abs(rate) <= kRate) continue;
    const double x = x_[basis_.job(j)];
    consider(rate > 0 ? (top_ - x) / rate : x / -rate, std::abs(rate), j, kNone);
  }
  for (const std::uint32_t node : touched_) {
    if (less_[node] > kRate) consider(left_[node] / less_[node], less_[node], size, node);
  }
  if (length == HUGE_VAL) return false;
  moved = length > kTie;

  for (std::size_t j = 0; j < size; ++j) {
    double& x = x_[basis_.job(j)];
    x = std::clamp(x + change_[j] * length, 0.0, top_);
  }
  for (const std::uint32_t node : touched_) {
    left_[node] = std::max(0.0, left_[node] - less_[node] * length);
    less_[node] = 0;
  }
  if (is_job) {
    x_[entering.job] = std::clamp(x_[entering.job] + entering.sign * length, 0.0, top_);
  } else {
    left_[basis_.node(entering.node)] = length;
  }

  const auto to_bound = [&](std::size_t at) {
    const std::uint32_t job = basis_.job(at);
    place_[job] = change_[at] > 0 ? Place::top : Place::bottom;
    x_[job] = place_[job] == Place::top ? top_ : 0.0;
  };
  const auto make_roomy = [&](std::uint32_t node) {
    full_[node] = kNone;
    price_[node] = 0;
  };
  if (leaving_job == size && leaving_node == kNone) {  // the entering job has gone from bound to bound
    place_[entering.job] = entering.sign > 0 ? Place::top : Place::bottom;
    x_[entering.job] = entering.sign > 0 ? top_ : 0.0;
    return true;
  }
  if (leaving_node != kNone) left_[leaving_node] = 0;
  if (is_job && leaving_node != kNone) {
    if (!make_full(sharing, entering.job, leaving_node)) return false;
    place_[entering.job] = Place::between;
    return true;
  }
  if (is_job) {
    to_bound(leaving_job);
    basic_[entering.job] = static_cast<std::uint32_t>(leaving_job);
    place_[entering.job] = Place::between;
    return basis_.replace_job(leaving_job, entering.job, column_);
  }
  const std::uint32_t node = basis_.node(entering.node);
  if (leaving_node != kNone) {
    needs_of_basic_jobs(sharing, leaving_node);
    make_roomy(node);
    full_[leaving_node] = static_cast<std::uint32_t>(entering.node);
    return basis_.replace_node(entering.node, leaving_node, row_);
  }
  to_bound(leaving_job);
  make_roomy(node);
  if (!basis_.remove(leaving_job, entering.node)) return false;
  if (leaving_job < basis_.size()) basic_[basis_.job(leaving_job)] = static_cast<std::uint32_t>(leaving_job);
  if (entering.node < basis_.size()) full_[basis_.node(entering.node)] = static_cast<std::uint32_t>(entering.node);
  return true;
}

// The vertex anew from its basis, without what the steps have left of rounding; the next group begins with none of it.
void AverageYield::read_off(const Sharing& sharing, std::span<const Candidate> jobs) {
  const std::size_t size = basis_.size();
  column_.resize(size);
  for (std::size_t n = 0; n < size; ++n) {
    column_[n] = capacity_[basis_.node(n)];
    for (const Sharing::User& user : sharing.users(sharing.nodes()[basis_.node(n)])) {
      if (place_[user.job] == Place::top) column_[n] -= user.need * top_;
    }
    price_[basis_.node(n)] = 0;
  }
  for (const Candidate& candidate : jobs) {
    if (place_[candidate.job] != Place::between) continue;
    const std::size_t j = basic_[candidate.job];
    double sum = 0;
    for (std::size_t n = 0; n < size; ++n) sum += basis_.inverse(j, n) * column_[n];
    x_[candidate.job] = std::clamp(sum, 0.0, top_);
  }
}

}  // namespace dfrs
