// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/triage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tests/oracle/greedy.h"

namespace dfrs::oracle {

namespace {
constexpr double kRounding = 1e-9;
bool overloaded(const World& world, NodeIndex n) { return world.load(n) > world.nodes[n].spec.cpu * (1 + kRounding); }
}  // namespace

std::vector<double> weighted_max_min_yields(const World& world, const std::vector<double>& weights) {
  std::set<JobSlot> placed;
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed()) placed.insert(job);
  }
  return weighted_max_min_yields(world, weights, placed, std::vector<double>(world.jobs.size(), 0.0));
}

std::vector<double> weighted_max_min_yields(const World& world, const std::vector<double>& weights,
                                            std::set<JobSlot> rising, std::vector<double> yields) {
  while (!rising.empty()) {
    double level = kNever;
    for (JobSlot job : rising) level = std::min(level, 1 / weights[job]);
    std::vector<double> full_at(world.nodes.size(), kNever);
    for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
      double left = world.nodes[n].spec.cpu;
      double weight = 0;
      for (JobSlot job : world.order) {
        const double need = world.jobs[job].cpu_need * world.tasks_on(job, n);
        (rising.count(job) != 0 ? weight : left) += rising.count(job) != 0 ? weights[job] * need : -yields[job] * need;
      }
      if (weight > 0 && overloaded(world, n)) full_at[n] = left / weight;
      level = std::min(level, full_at[n]);
    }
    std::set<JobSlot> stop;
    for (JobSlot job : rising) {
      if (1 / weights[job] <= level) stop.insert(job);
      for (NodeIndex n : world.jobs[job].nodes) {
        if (full_at[n] <= level) stop.insert(job);
      }
    }
    for (JobSlot job : stop) {
      yields[job] = std::min(1.0, level * weights[job]);
      rising.erase(job);
    }
  }
  return yields;
}

void TriageLockstep::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  if (!difference_.empty()) return;
  view_ = &view;
  take(view, events);
  looked_ = false;
  overdue_ = false;
  heaviest_ = 0;
  for (JobSlot job : order_) heaviest_ = std::max(heaviest_, view.jobs[job].weight);
  bool admission = !events.empty() || view.now >= next_admission_;
  if (admission) admit();
  set_yields();
  const bool move = parts_.moves != TriageParts::Moves::none && view.now >= next_moves_;
  if (move && move_jobs()) {
    admission = true;
    admit();
    set_yields();
  }
  difference_ = compare(view, decisions);
  if (!difference_.empty()) {
    difference_ = fmt::format("at {} s: {}", view.now, difference_);
    return;
  }

  // When to be called again.
  Seconds next_look = kNever;
  for (JobSlot job : order_) {
    if (world_.jobs[job].placed()) next_look = std::min(next_look, known_.at(job));
  }
  next_look = std::max(std::nextafter(view.now, kNever), next_look);
  if (overdue_) next_look = view.now + 2 * options_.time_scale;
  if (admission) {
    Seconds shortest = kNever;
    for (JobSlot job : order_) {
      if (!world_.jobs[job].placed()) shortest = std::min(shortest, view.jobs[job].flow_time(view.now));
    }
    const double s = options_.time_scale;
    next_admission_ = shortest < kNever ? view.now + std::clamp(0.1 * shortest, 2 * s, 300 * s) : kNever;
  }
  const Seconds period = (parts_.moves == TriageParts::Moves::few ? 600 : options_.move_period) * options_.time_scale;
  const bool anyone = std::any_of(order_.begin(), order_.end(), [&](JobSlot job) { return limited(job); });
  if (parts_.moves == TriageParts::Moves::none || !anyone) {
    next_moves_ = kNever;
  } else if (next_moves_ == kNever || view.now >= next_moves_) {
    next_moves_ = (std::floor(view.now / period) + 1) * period;
  }
  const Seconds wake = std::min({next_admission_, next_moves_, next_look});
  if (wake != decisions.wake_at) {
    difference_ =
        fmt::format("at {} s: to be called at {} s, the reference says {} s", view.now, decisions.wake_at, wake);
  }
}

void TriageLockstep::take(const ClusterView& view, std::span<const Event> events) {
  const bool resync = follow(order_, view, events, first_);
  first_ = false;
  world_ = world_of(view, order_);
  if (resync) {
    set_in_.reset();
    known_.clear();
  }
  for (const Event& event : events) {
    const bool completed = event.kind == EventKind::completed;
    if (!set_in_ || event.job >= set_in_->jobs.size() || (!completed && event.kind != EventKind::changed)) continue;
    const std::vector<NodeIndex>& nodes = set_in_->jobs[event.job].nodes;
    stirred_.insert(nodes.begin(), nodes.end());
    if (completed) known_.erase(event.job);
  }
}

std::string TriageLockstep::compare(const ClusterView& view, const Decisions& decisions) {
  const std::vector<std::vector<NodeIndex>> actual = placements_after(view, decisions, order_);
  for (const Decision& d : decisions.placements) {
    pauses_ += d.kind == DecisionKind::pause ? 1 : 0;
    moves_ += d.kind == DecisionKind::move ? 1 : 0;
  }
  for (JobSlot job : order_) {
    if (actual[job] != world_.jobs[job].nodes) {
      return fmt::format("slot {} on {}, the reference has {}", job, actual[job], world_.jobs[job].nodes);
    }
  }
  std::vector<double> given(view.jobs.size(), 0.0);
  for (JobSlot job : order_) {
    if (world_.jobs[job].placed()) given[job] = view.jobs[job].yield;
  }
  for (const YieldChange& change : decisions.yields) given[change.job] = change.yield;
  for (JobSlot job : order_) {
    if (world_.jobs[job].placed() && std::abs(given[job] - yields_[job]) > kRounding) {
      return fmt::format("slot {} has yield {}, the reference {}", job, given[job], yields_[job]);
    }
  }
  yields_ = given;
  return {};
}

double TriageLockstep::urgency(JobSlot slot) const {
  const JobView& job = view_->jobs[slot];
  const double s = options_.time_scale;
  const Seconds cost = job.penalty >= 0 ? job.penalty : options_.penalty * s;
  Seconds ahead = job.state == JobState::waiting ? options_.patience * s : cost;
  if (job.state != JobState::waiting && job.lost_runs > 0) ahead = 0;  // nothing to read back
  const bool paused = job.state != JobState::waiting && job.lost_runs == 0;
  if (!knows() && paused) return user_weight(slot) * (harm(slot) + ahead / length(slot));
  return user_weight(slot) * (job.flow_time(view_->now) + ahead + left(slot)) / length(slot);
}

// The stretch so far; what exceeds 3 counts by its square root.
double TriageLockstep::harm(JobSlot slot) const {
  const JobView& job = view_->jobs[slot];
  const double stretch = job.flow_time(view_->now) / length(slot);
  return stretch > 3 ? std::sqrt(3 * stretch) : stretch;
}

// What is left of a known run time.
Seconds TriageLockstep::left(JobSlot slot) const {
  if (!knows()) return 0;
  return std::max(0.0, run_time_[slot] - view_->jobs[slot].virtual_time(view_->now));
}

// The run time, or as much of it as is known.
Seconds TriageLockstep::length(JobSlot slot) const {
  const JobView& job = view_->jobs[slot];
  const Seconds least = 10 * options_.time_scale;
  if (knows()) return std::max(run_time_[slot], least);
  return std::max({job.virtual_time(view_->now), job.longest_run, least});
}

// With known run times, jobs that may never be paused have only the nodes before this. From 10 minutes to 12 hours of
// run time, a job loses a part, by the logarithm, of up to 40 % of the nodes that would suit it if they were empty; it
// keeps at least what its tasks need.
NodeIndex TriageLockstep::lane_end(JobSlot slot) const {
  const auto all = static_cast<NodeIndex>(world_.nodes.size());
  if (!knows() || view_->jobs[slot].pauses != Pauses::none || !world_.jobs[slot].home.empty()) return all;
  const double s = options_.time_scale;
  const double part = std::clamp(std::log(run_time_[slot] / (600 * s)) / std::log(72.0), 0.0, 1.0);
  if (!(run_time_[slot] > 600 * s)) return all;
  World empty = world_;
  for (JobSlot other : order_) empty.jobs[other].nodes.clear();
  std::vector<std::size_t> room(all, 0);
  std::vector<NodeIndex> suited;
  for (NodeIndex n = 0; n < all; ++n) {
    std::vector<NodeIndex> there;
    while (there.size() < world_.jobs[slot].tasks && empty.takes(slot, there, n)) there.push_back(n);
    room[n] = there.size();
    if (room[n] != 0) suited.push_back(n);
  }
  auto count = static_cast<std::size_t>(std::ceil(static_cast<double>(suited.size()) * (1 - 0.4 * part)));
  for (;; ++count) {
    if (count >= suited.size()) return all;
    std::size_t tasks = 0;
    for (std::size_t k = 0; k < count; ++k) tasks += room[suited[k]];
    if (tasks >= world_.jobs[slot].tasks) return suited[count];
  }
}

double TriageLockstep::pause_cost(JobSlot slot) const {
  const JobView& job = view_->jobs[slot];
  const double s = options_.time_scale;
  const Seconds v = job.virtual_time(view_->now);
  if (job.pauses == Pauses::lost) {  // LOSS x 2^losses x stretch after the loss
    double cost = options_.loss_margin * user_weight(slot) *
                  (job.flow_time(view_->now) + std::max(v, job.penalty) + left(slot)) / length(slot);
    for (std::uint32_t k = 0; k < job.lost_runs; ++k) cost *= 2;
    return cost;
  }
  Seconds cost = job.penalty >= 0 ? job.penalty : options_.penalty * s;
  if (job.state == JobState::running && job.clock.since > view_->now) {
    cost = std::max(0.0, cost - (job.clock.since - view_->now));  // what is before it anyway
  }
  const double width = std::min(1.0, job.tasks / static_cast<double>(world_.nodes.size()));
  cost += options_.hold * s * (1 - width / 2);
  if (!knows()) return user_weight(slot) * (harm(slot) + cost / length(slot));
  return user_weight(slot) * (job.flow_time(view_->now) + cost + left(slot)) / std::max(run_time_[slot], 10 * s);
}

double TriageLockstep::user_weight(JobSlot job) const { return view_->jobs[job].weight / heaviest_; }

// Of the jobs in the system that can be paused without loss.
double TriageLockstep::kept_part() const {
  double kept = 0;
  for (JobSlot job : order_) kept += view_->jobs[job].pauses == Pauses::kept ? 1 : 0;
  return order_.empty() ? 0 : kept / static_cast<double>(order_.size());
}

// So much later, at a yield until then.
double TriageLockstep::yield_weight(JobSlot job, Seconds later, double yield) const {
  if (parts_.yields == TriageParts::Yields::equal) return 1;
  if (view_->jobs[job].pauses != Pauses::kept && kept_part() == 0) return user_weight(job);
  const JobView& spec = view_->jobs[job];
  const Seconds still = spec.state == JobState::running ? std::max(0.0, spec.clock.since - view_->now) : 0;
  const Seconds progress = spec.virtual_time(view_->now) + yield * std::max(0.0, later - still);
  Seconds flow = spec.flow_time(view_->now) + later;
  if (knows()) flow += std::max(0.0, still - later) + std::max(0.0, run_time_[job] - progress);  // at its end
  const Seconds v = std::max(knows() ? run_time_[job] : progress, 10 * options_.time_scale);
  const double user = user_weight(job);
  return user * std::pow(view_->jobs[job].tasks, options_.width_power) *
         std::pow(user * std::max(1.0, flow / v), options_.stretch_power) /
         std::pow(v / (10 * options_.time_scale), options_.age_power);
}

// The first of 10 s x 2^k from now after which the weight is twice or half what it is.
Seconds TriageLockstep::look_again(JobSlot job) const {
  if (parts_.yields == TriageParts::Yields::equal) return kNever;
  if (view_->jobs[job].pauses != Pauses::kept && kept_part() == 0) return kNever;
  const Seconds now = view_->now;
  const double weight = yield_weight(job, 0, yields_[job]);
  for (int k = 0; k < 40; ++k) {
    const Seconds ahead = 10 * options_.time_scale * std::ldexp(1.0, k);
    const double then = yield_weight(job, ahead, yields_[job]);
    if (then < 2 * weight * (1 - kRounding) && weight < 2 * then * (1 - kRounding)) continue;
    const Seconds coarse = 300 * options_.time_scale;
    return ahead >= coarse ? std::ceil((now + ahead) / coarse) * coarse : now + ahead;
  }
  return kNever;
}

double TriageLockstep::resident_yield(JobSlot job) const {
  const JobView& seen = view_->jobs[job];
  const std::vector<NodeIndex>& nodes = world_.jobs[job].nodes;
  if (seen.state == JobState::running && std::equal(nodes.begin(), nodes.end(), seen.nodes.begin(), seen.nodes.end())) {
    return seen.yield;
  }
  double yield = 1;
  for (NodeIndex n : nodes) yield = std::min(yield, world_.nodes[n].spec.cpu / world_.load(n));
  return yield;
}

TriageLockstep::Nodes TriageLockstep::place(JobSlot job) const {
  const WorldJob& spec = world_.jobs[job];
  if (parts_.placement == TriageParts::Placement::load || !spec.home.empty()) return greedy_nodes(world_, job);

  const NodeIndex end = lane_end(job);
  const double total = spec.cpu_need * spec.tasks;
  std::vector<NodeIndex> chosen;
  std::set<JobSlot> marked;
  double own_share = 1;
  for (std::uint32_t task = 0; task < spec.tasks; ++task) {
    bool found = false;
    NodeIndex best = 0;
    double best_cost = 0;
    double best_tie = 0;
    for (NodeIndex n = 0; n < end; ++n) {
      if (!world_.takes(job, chosen, n) || !leaves_reserved(job, chosen, n)) continue;
      const NodeSpec& node = world_.nodes[n].spec;
      const auto own = static_cast<double>(std::count(chosen.begin(), chosen.end(), n));
      const double load = (world_.load(n) + own * spec.cpu_need) / node.cpu;
      const double after = load + spec.cpu_need / node.cpu;
      double spare = 0;
      for (std::size_t d = 0; d < world_.dims; ++d) {
        const auto whole = static_cast<double>(node.rigid[d]);
        if (whole == 0) continue;
        double free = whole - own * static_cast<double>(spec.rigid[d]);
        for (JobSlot other : order_)
          free -= static_cast<double>(world_.jobs[other].rigid[d]) * world_.tasks_on(other, n);
        spare += free / whole;
      }
      const double tie = (load > 1 ? 10 * load : -10 * load) + spare;
      double cost = 0;
      if (after > 1 + kRounding) {
        const double share = 1 / after;
        for (JobSlot r : order_) {
          if (world_.tasks_on(r, n) == 0 || marked.count(r) != 0) continue;
          const double loss = resident_yield(r) - share;
          if (loss > 0) cost += user_weight(r) * world_.jobs[r].cpu_need * world_.jobs[r].tasks * loss;
        }
        cost += options_.own_loss * total * user_weight(job) * std::max(0.0, own_share - share);
      }
      if (!found || cost < best_cost || (cost == best_cost && tie < best_tie)) {
        found = true;
        best = n;
        best_cost = cost;
        best_tie = tie;
      }
    }
    if (!found) return std::nullopt;
    chosen.push_back(best);
    const auto own = static_cast<double>(std::count(chosen.begin(), chosen.end(), best));
    const double load = (world_.load(best) + own * spec.cpu_need) / world_.nodes[best].spec.cpu;
    if (load > 1 + kRounding) {
      own_share = std::min(own_share, 1 / load);
      for (JobSlot r : order_) {
        if (world_.tasks_on(r, best) != 0) marked.insert(r);
      }
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool TriageLockstep::limited(JobSlot job) const {
  const std::vector<NodeIndex>& nodes = world_.jobs[job].nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeIndex n) { return overloaded(world_, n); });
}

// Everybody who shares an overloaded node with one of them.
void TriageLockstep::add_tied(std::set<JobSlot>& jobs) const {
  const std::set<JobSlot> before = jobs;
  for (JobSlot job : order_) {
    for (NodeIndex n : world_.jobs[job].nodes) {
      if (!overloaded(world_, n)) continue;
      if (std::any_of(before.begin(), before.end(), [&](JobSlot r) { return world_.tasks_on(r, n) != 0; }))
        jobs.insert(job);
    }
  }
}

// Yields are set, with weights of now, for all who are tied to a change since they were last set, or to a weight whose
// time has come (once a call, and in submission order up to TIED of them, but one at least), from those who share an
// overloaded node with it outwards as long as they are no more than TIED; the others keep theirs.
void TriageLockstep::set_yields() {
  std::set<NodeIndex> changed;
  std::swap(changed, stirred_);
  std::set<JobSlot> renewed;
  std::set<JobSlot> due;
  double looks = 0;
  for (JobSlot job : order_) {
    const std::vector<NodeIndex>& nodes = world_.jobs[job].nodes;
    if (set_in_ && job < set_in_->jobs.size() && set_in_->jobs[job].nodes == nodes) continue;
    changed.insert(nodes.begin(), nodes.end());
    if (set_in_ && job < set_in_->jobs.size()) {
      changed.insert(set_in_->jobs[job].nodes.begin(), set_in_->jobs[job].nodes.end());
    }
  }
  for (JobSlot job : order_) {
    if (!world_.jobs[job].placed()) continue;
    const std::vector<NodeIndex>& nodes = world_.jobs[job].nodes;
    const bool known = set_in_ && known_.count(job) != 0 && set_in_->jobs[job].nodes == nodes;
    const bool stirred = std::any_of(nodes.begin(), nodes.end(), [&](NodeIndex n) {
      return changed.count(n) != 0 && (overloaded(world_, n) || (set_in_ && overloaded(*set_in_, n)));
    });
    if (!known || stirred) renewed.insert(job);
    if (looked_ || !known || known_.at(job) > view_->now) continue;
    if (!stirred && ++looks > std::max(options_.tied, 1.0)) {
      overdue_ = true;
      ++late_;
    } else {
      due.insert(job);
    }
  }
  looked_ = true;
  add_tied(due);
  renewed.insert(due.begin(), due.end());
  for (std::set<JobSlot> more = renewed;; renewed = more) {
    add_tied(more);
    if (more == renewed) break;
    if (static_cast<double>(more.size()) > options_.tied) {
      ++cuts_;
      break;
    }
  }
  std::vector<double> weights(world_.jobs.size(), 1.0);
  for (JobSlot job : order_) {
    weights[job] = yield_weight(job, 0, 0);
  }
  yields_.resize(world_.jobs.size());
  for (JobSlot job = 0; job < yields_.size(); ++job) {
    if (!world_.jobs[job].placed() || renewed.count(job) != 0) yields_[job] = 0;
  }
  yields_ = weighted_max_min_yields(world_, weights, renewed, yields_);
  for (JobSlot job : renewed) known_[job] = limited(job) ? look_again(job) : kNever;
  set_in_ = world_;
}

double TriageLockstep::shortage() const {
  double sum = 0;
  for (JobSlot job : order_) {
    if (world_.jobs[job].placed()) sum += world_.jobs[job].cpu_need * world_.jobs[job].tasks * (1 - yields_[job]);
  }
  return sum;
}

bool TriageLockstep::move_jobs() {
  const bool few = parts_.moves == TriageParts::Moves::few;
  const Seconds least_progress = (few ? 600 : options_.move_period / 3) * options_.time_scale;
  const auto lack = [&](JobSlot job) {
    return static_cast<float>((1 - yields_[job]) * world_.jobs[job].cpu_need * world_.jobs[job].tasks);
  };
  std::vector<std::pair<float, JobSlot>> candidates;  // coarse: rounding decides no tie
  for (JobSlot job : order_) {
    const JobView& seen = view_->jobs[job];
    if (!limited(job) || seen.state != JobState::running || seen.flags.may_not_move) continue;
    if (seen.pauses != Pauses::kept) continue;
    if (seen.clock.since > view_->now || yields_[job] >= 0.999) continue;
    if (knows() ? left(job) < options_.move_period * options_.time_scale
                : seen.virtual_time(view_->now) < least_progress)
      continue;
    const auto tried = tried_.find(job);
    if (tried != tried_.end() && tried->second.first == seen.id &&
        seen.virtual_time(view_->now) < 1.1 * tried->second.second) {
      continue;
    }
    candidates.emplace_back(lack(job), job);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (candidates.size() > (few ? 5u : 20u)) candidates.resize(few ? 5 : 20);
  bool moved = false;
  for (const auto& candidate : candidates) {
    const JobSlot job = candidate.second;
    const JobView& seen = view_->jobs[job];
    const World world = world_;
    const std::vector<double> yields = yields_;
    const std::optional<World> set_in = set_in_;
    const std::map<JobSlot, Seconds> known = known_;
    const double before = shortage();
    world_.jobs[job].nodes.clear();
    const Nodes nodes = place(job);
    bool keep = nodes && *nodes != world.jobs[job].nodes;
    if (keep) {
      world_.jobs[job].nodes = *nodes;
      set_yields();
      Seconds penalty = seen.move_penalty >= 0 ? seen.move_penalty : seen.penalty;
      if (penalty < 0) penalty = options_.penalty * options_.time_scale;
      const double price = (few ? 1 : options_.move_gain) * penalty * seen.cpu_need * seen.tasks;
      double gain = before - shortage();
      if (gain < kRounding * before) gain = 0;
      const Seconds lasts = knows() ? left(job) : seen.virtual_time(view_->now);
      keep = gain * lasts > price * (1 + kRounding);
    }
    if (keep) {
      moved = true;
      tried_.erase(job);
    } else {
      tried_[job] = {seen.id, seen.virtual_time(view_->now)};
      world_ = world;
      yields_ = yields;
      set_in_ = set_in;
      known_ = known;
    }
  }
  return moved;
}

}  // namespace dfrs::oracle
