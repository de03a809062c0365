// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average_simplex.h"

#include <algorithm>
#include <cmath>

namespace dfrs {
namespace {

// Tolerances. Sums of needs and prices are of the order of 1 and exact to about 1e-14.
constexpr double kGain = 1e-9;   // smaller slopes of the sum are not worth a step
constexpr double kRate = 1e-9;   // smaller rates of change are rounding; no pivot is smaller
constexpr double kTie = 1e-12;   // lengths of steps that differ by less are equal
constexpr double kFull = 1e-12;  // a node with less CPU left, relative to its capacity, is full

}  // namespace

// Finds out which nodes limit which jobs. Jobs that no node limits are at the top, jobs on nodes without room at the
// bottom.
void AverageSimplex::begin(const CpuContention& contention) {
  const double minimum = 1 / contention.max_load();
  top_ = 1 - minimum;
  const std::size_t nodes = contention.nodes().size(), jobs = contention.jobs().size();
  headroom_.resize(nodes);
  left_.resize(nodes);
  x_.assign(jobs, 0.0);
  level_.assign(jobs, Level::top);
  held_.assign(jobs, 0);
  for (std::size_t n = 0; n < nodes; ++n) {
    const CpuContention::Node& node = contention.nodes()[n];
    left_[n] = node.capacity - minimum * node.load;
    headroom_[n] = left_[n] <= kFull * node.capacity ? Headroom::none : Headroom::limited;
    if (headroom_[n] != Headroom::none) continue;
    for (const CpuContention::User& user : contention.users(node)) {
      level_[user.job] = Level::bottom;
      held_[user.job] = 1;
    }
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    if (headroom_[n] != Headroom::limited) continue;
    double wanted = 0;
    for (const CpuContention::User& user : contention.users(contention.nodes()[n])) {
      if (held_[user.job] == 0) wanted += user.need;
    }
    if (wanted * top_ <= left_[n]) headroom_[n] = Headroom::enough;
  }
  capacity_.assign(left_.begin(), left_.end());
  full_.assign(nodes, kNone);
  price_.assign(nodes, 0.0);
  less_.assign(nodes, 0.0);
  basic_.resize(jobs);
  index_.resize(jobs);
}

AverageSimplex::Rule AverageSimplex::rule_after(int standstills) const {
  if (standstills > limits_.many_standstills) return Rule::lowest_index;
  return standstills > limits_.few_standstills ? Rule::first : Rule::largest;
}

void AverageSimplex::maximize(const CpuContention& contention, std::span<const std::uint32_t> jobs) {
  basis_.clear();
  changes_ = 0;
  for (std::uint32_t k = 0; k < jobs.size(); ++k) {
    index_[jobs[k]] = k;
    level_[jobs[k]] = Level::bottom;
  }
  for (const std::uint32_t job : jobs) rise(contention, job);
  int standstills = 0;
  const std::size_t members = jobs.size() + contention.nodes().size();
  const std::size_t most_steps = limits_.fewest_steps + limits_.steps_per_member * members;
  for (std::size_t steps = 0; steps < most_steps; ++steps) {
    if (changes_ >= std::max(limits_.inverse_lasts, basis_.size()) && !refresh(contention, jobs)) break;
    price();
    const Rule rule = rule_after(standstills);
    const Entering entering = choose(contention, jobs, rule);
    if (!entering.found) {
      read_off(contention, jobs);
      break;
    }
    bool moved = false;
    if (step(contention, entering, rule, moved)) {
      standstills = moved ? 0 : standstills + 1;
    } else if (changes_ == 0 || !refresh(contention, jobs)) {
      break;
    }
  }
  for (std::size_t n = 0; n < basis_.size(); ++n) price_[basis_.node(n)] = 0;
}

// Raises the job as far as its nodes allow. If one of them stops it, job and node enter the basis.
void AverageSimplex::rise(const CpuContention& contention, std::uint32_t job) {
  double most = top_;
  std::uint32_t limit = kNone;
  for (const CpuContention::Place& place : contention.places(contention.jobs()[job])) {
    if (headroom_[place.node] != Headroom::limited) continue;
    if (full_[place.node] != kNone || left_[place.node] <= kFull) return;  // stays at the bottom
    const double possible = left_[place.node] / place.need;
    if (possible < most && place.need > kRate) {
      most = possible;
      limit = place.node;
    }
  }
  if (limit != kNone && !make_full(contention, job, limit)) return;
  x_[job] = most;
  level_[job] = limit == kNone ? Level::top : Level::between;
  for (const CpuContention::Place& place : contention.places(contention.jobs()[job])) {
    left_[place.node] = std::max(0.0, left_[place.node] - place.need * most);
  }
  if (limit != kNone) left_[limit] = 0;
}

void AverageSimplex::needs_on_full_nodes(const CpuContention& contention, std::uint32_t job) {
  column_.assign(basis_.size(), 0.0);
  for (const CpuContention::Place& place : contention.places(contention.jobs()[job])) {
    if (full_[place.node] != kNone) column_[full_[place.node]] = place.need;
  }
}

void AverageSimplex::needs_of_basic_jobs(const CpuContention& contention, std::uint32_t node) {
  row_.assign(basis_.size(), 0.0);
  for (const CpuContention::User& user : contention.users(contention.nodes()[node])) {
    if (level_[user.job] == Level::between) row_[basic_[user.job]] = user.need;
  }
}

bool AverageSimplex::make_full(const CpuContention& contention, std::uint32_t job, std::uint32_t node) {
  needs_on_full_nodes(contention, job);
  needs_of_basic_jobs(contention, node);
  double corner = 0;
  for (const CpuContention::Place& place : contention.places(contention.jobs()[job])) {
    if (place.node == node) corner = place.need;
  }
  const auto last = static_cast<std::uint32_t>(basis_.size());
  if (!basis_.add(job, node, column_, row_, corner)) return false;
  basic_[job] = full_[node] = last;
  return true;
}

void AverageSimplex::price() {
  row_.assign(basis_.size(), 0.0);
  for (std::size_t j = 0; j < basis_.size(); ++j) {
    const std::span<const double> inverse = basis_.inverse(j);
    for (std::size_t n = 0; n < inverse.size(); ++n) row_[n] += inverse[n];
  }
  for (std::size_t n = 0; n < basis_.size(); ++n) price_[basis_.node(n)] = row_[n];
}

// How fast the sum grows with the job's x.
double AverageSimplex::gain(const CpuContention& contention, std::uint32_t job) const {
  double gain = 1;
  for (const CpuContention::Place& place : contention.places(contention.jobs()[job]))
    gain -= price_[place.node] * place.need;
  return gain;
}

AverageSimplex::Entering AverageSimplex::choose(const CpuContention& contention, std::span<const std::uint32_t> jobs,
                                                Rule rule) const {
  return rule == Rule::largest ? choose_largest(contention, jobs) : choose_first(contention, jobs, rule);
}

AverageSimplex::Entering AverageSimplex::choose_largest(const CpuContention& contention,
                                                        std::span<const std::uint32_t> jobs) const {
  Entering best;
  double most = kGain;
  for (const std::uint32_t job : jobs) {
    if (level_[job] == Level::between) continue;
    const double sign = level_[job] == Level::bottom ? 1 : -1;
    const double gained = sign * gain(contention, job);
    // The earlier submission wins ties; `jobs` is in a different order.
    if (gained > most || (best.found && gained == most && job < best.job)) {
      most = gained;
      best = {job, 0, sign, true};
    }
  }
  for (std::size_t n = 0; n < basis_.size(); ++n) {
    if (-price_[basis_.node(n)] <= most) continue;
    most = -price_[basis_.node(n)];
    best = {kNone, n, 1, true};
  }
  return best;
}

AverageSimplex::Entering AverageSimplex::choose_first(const CpuContention& contention,
                                                      std::span<const std::uint32_t> jobs, Rule rule) const {
  for (const std::uint32_t job : jobs) {
    if (level_[job] == Level::between) continue;
    const double sign = level_[job] == Level::bottom ? 1 : -1;
    if (sign * gain(contention, job) > kGain) return {job, 0, sign, true};
  }
  Entering best;
  for (std::size_t n = 0; n < basis_.size(); ++n) {
    if (-price_[basis_.node(n)] <= kGain) continue;
    if (best.found && basis_.node(n) > basis_.node(best.node)) continue;
    best = {kNone, n, 1, true};
    if (rule == Rule::first) break;
  }
  return best;
}

// Makes a step. False, with the basis unchanged, if rounding leaves no usable pivot.
bool AverageSimplex::step(const CpuContention& contention, const Entering& entering, Rule rule, bool& moved) {
  find_rates(contention, entering);
  const Leaving leaving = find_leaving(entering, rule);
  if (leaving.length == HUGE_VAL) {
    advance(entering, 0);
    return false;
  }
  moved = leaving.length > kTie;
  advance(entering, leaving.length);
  if (!leaving.has_job() && !leaving.has_node()) {
    to_bound(entering.job, entering.sign > 0 ? Level::top : Level::bottom);
    return true;
  }
  ++changes_;
  return change_basis(contention, entering, leaving);
}

// Computes how everything that is not at a bound changes with the entering variable.
void AverageSimplex::find_rates(const CpuContention& contention, const Entering& entering) {
  const std::size_t size = basis_.size();
  change_.assign(size, 0.0);
  touched_.clear();
  if (entering.is_job()) {
    needs_on_full_nodes(contention, entering.job);
    basis_.solve(column_, change_);
    for (double& change : change_) change *= -entering.sign;
    add_rates(contention, entering.job, entering.sign);
  } else {
    for (std::size_t j = 0; j < size; ++j) change_[j] = -basis_.inverse(j)[entering.node];
  }
  for (std::size_t j = 0; j < size; ++j) {
    if (std::abs(change_[j]) > kRate) add_rates(contention, basis_.job(j), change_[j]);
  }
}

void AverageSimplex::add_rates(const CpuContention& contention, std::uint32_t job, double rate) {
  for (const CpuContention::Place& place : contention.places(contention.jobs()[job])) {
    if (headroom_[place.node] != Headroom::limited || full_[place.node] != kNone) continue;
    if (less_[place.node] == 0) touched_.push_back(place.node);
    less_[place.node] += place.need * rate;
  }
}

// Index as a variable: jobs in the order of rising, then nodes.
std::uint64_t AverageSimplex::index_of(const Leaving& leaving) const {
  if (leaving.has_job()) return index_[basis_.job(leaving.job)];
  return std::uint64_t{index_.size()} + leaving.node;
}

// The longest step until something reaches a bound: the entering job its other bound, a basic job one of its bounds, or
// a node is full. Ties go to the largest pivot, which is the most accurate, or to the lowest index.
AverageSimplex::Leaving AverageSimplex::find_leaving(const Entering& entering, Rule rule) const {
  Leaving best;
  best.length = entering.is_job() ? top_ : HUGE_VAL;
  best.pivot = entering.is_job() ? HUGE_VAL : 0;
  const auto consider = [&](Leaving candidate) {
    candidate.length = std::max(candidate.length, 0.0);
    const bool shorter = candidate.length < best.length - kTie;
    if (!shorter) {
      if (candidate.length > best.length + kTie) return;
      const bool by_index = rule == Rule::lowest_index && (best.has_job() || best.has_node());
      if (by_index ? index_of(candidate) >= index_of(best) : candidate.pivot <= best.pivot) return;
    }
    candidate.length = std::min(best.length, candidate.length);
    best = candidate;
  };
  for (std::size_t j = 0; j < basis_.size(); ++j) {
    const double rate = change_[j];
    if (std::abs(rate) <= kRate) continue;
    const double x = x_[basis_.job(j)];
    consider({rate > 0 ? (top_ - x) / rate : x / -rate, std::abs(rate), j, kNone});
  }
  for (const std::uint32_t node : touched_) {
    if (less_[node] > kRate) consider({left_[node] / less_[node], less_[node], kNoJob, node});
  }
  return best;
}

void AverageSimplex::advance(const Entering& entering, double length) {
  for (std::size_t j = 0; j < basis_.size(); ++j) {
    double& x = x_[basis_.job(j)];
    x = std::clamp(x + change_[j] * length, 0.0, top_);
  }
  for (const std::uint32_t node : touched_) {
    left_[node] = std::max(0.0, left_[node] - less_[node] * length);
    less_[node] = 0;
  }
  if (entering.is_job()) {
    x_[entering.job] = std::clamp(x_[entering.job] + entering.sign * length, 0.0, top_);
  } else {
    left_[basis_.node(entering.node)] = length;
  }
}

void AverageSimplex::to_bound(std::uint32_t job, Level bound) {
  level_[job] = bound;
  x_[job] = bound == Level::top ? top_ : 0.0;
}

bool AverageSimplex::change_basis(const CpuContention& contention, const Entering& entering, const Leaving& leaving) {
  const bool rises = leaving.has_job() && change_[leaving.job] > 0;
  const Level bound = rises ? Level::top : Level::bottom;
  if (entering.is_job() && leaving.has_node()) {
    if (!make_full(contention, entering.job, leaving.node)) return false;
    left_[leaving.node] = 0;
    level_[entering.job] = Level::between;
    return true;
  }
  if (entering.is_job()) {
    const std::uint32_t job = basis_.job(leaving.job);
    if (!basis_.replace_job(leaving.job, entering.job, column_)) return false;
    to_bound(job, bound);
    basic_[entering.job] = static_cast<std::uint32_t>(leaving.job);
    level_[entering.job] = Level::between;
    return true;
  }
  if (leaving.has_node()) return swap_nodes(contention, entering.node, leaving.node);
  return drop(leaving.job, entering.node, bound);
}

// The entering node leaves the basis, because it is no longer full; the other one takes its place.
bool AverageSimplex::swap_nodes(const CpuContention& contention, std::size_t entering, std::uint32_t leaving) {
  const std::uint32_t node = basis_.node(entering);
  needs_of_basic_jobs(contention, leaving);
  if (!basis_.replace_node(entering, leaving, row_)) return false;
  left_[leaving] = 0;
  full_[node] = kNone;
  price_[node] = 0;
  full_[leaving] = static_cast<std::uint32_t>(entering);
  return true;
}

// The job reaches its bound and the node is no longer full: both leave the basis.
bool AverageSimplex::drop(std::size_t job_at, std::size_t node_at, Level bound) {
  const std::uint32_t job = basis_.job(job_at);
  const std::uint32_t node = basis_.node(node_at);
  if (!basis_.remove(job_at, node_at)) return false;
  to_bound(job, bound);
  full_[node] = kNone;
  price_[node] = 0;
  if (job_at < basis_.size()) basic_[basis_.job(job_at)] = static_cast<std::uint32_t>(job_at);
  if (node_at < basis_.size()) full_[basis_.node(node_at)] = static_cast<std::uint32_t>(node_at);
  return true;
}

// Computes the vertex from its basis, free of the rounding errors of the steps.
void AverageSimplex::read_off(const CpuContention& contention, std::span<const std::uint32_t> jobs) {
  const std::size_t size = basis_.size();
  column_.resize(size);
  for (std::size_t n = 0; n < size; ++n) {
    column_[n] = capacity_[basis_.node(n)];
    for (const CpuContention::User& user : contention.users(contention.nodes()[basis_.node(n)])) {
      if (level_[user.job] == Level::top) column_[n] -= user.need * top_;
    }
  }
  for (const std::uint32_t job : jobs) {
    if (level_[job] != Level::between) continue;
    const std::span<const double> inverse = basis_.inverse(basic_[job]);
    double sum = 0;
    for (std::size_t n = 0; n < size; ++n) sum += inverse[n] * column_[n];
    x_[job] = std::clamp(sum, 0.0, top_);
  }
}

// Recomputes the inverse, the vertex and what the nodes have left from the basis alone. False, and nothing changed, if
// the basis is singular.
bool AverageSimplex::refresh(const CpuContention& contention, std::span<const std::uint32_t> jobs) {
  const std::size_t size = basis_.size();
  matrix_.assign(size * size, 0.0);
  for (std::size_t n = 0; n < size; ++n) {
    for (const CpuContention::User& user : contention.users(contention.nodes()[basis_.node(n)])) {
      if (level_[user.job] == Level::between) matrix_[n * size + basic_[user.job]] = user.need;
    }
  }
  if (!basis_.invert(matrix_)) return false;
  changes_ = 0;
  for (const std::uint32_t job : jobs) {
    if (level_[job] != Level::between) to_bound(job, level_[job]);
  }
  read_off(contention, jobs);
  for (const std::uint32_t job : jobs) {
    for (const CpuContention::Place& place : contention.places(contention.jobs()[job]))
      left_[place.node] = capacity_[place.node];
  }
  for (const std::uint32_t job : jobs) {
    for (const CpuContention::Place& place : contention.places(contention.jobs()[job])) {
      left_[place.node] -= place.need * x_[job];
    }
  }
  for (const std::uint32_t job : jobs) {
    for (const CpuContention::Place& place : contention.places(contention.jobs()[job])) {
      double& left = left_[place.node];
      left = full_[place.node] != kNone ? 0 : std::max(0.0, left);
    }
  }
  return true;
}

}  // namespace dfrs
