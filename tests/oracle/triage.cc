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
bool overloaded(const World& world, NodeIndex n) {
  return world.load(n) > world.nodes[n].spec.cpu * (1 + kRounding);
}
// The first of start, start x 2, start x 4 .. that is greater.
Seconds level_above(Seconds time, Seconds start) {
  Seconds level = start;
  while (level <= time) level *= 2;
  return level;
}
}  // namespace

std::vector<double> weighted_max_min_yields(const World& world, const std::vector<double>& weights) {
  std::vector<double> yields(world.jobs.size(), 0.0);
  std::set<JobSlot> rising;
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed()) rising.insert(job);
  }
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
  const bool noticed = !events.empty();
  bool set = noticed;
  bool admission = noticed || view.now >= next_admission_;
  if (admission && admit()) set = true;
  const bool move = parts_.moves != TriageParts::Moves::none && view.now >= next_moves_;
  set = set || move || view.now >= next_level_;
  if (set) set_yields();
  if (move && move_jobs()) {
    admission = true;
    if (admit()) set_yields();
  }
  difference_ = compare(view, decisions, set);
  if (!difference_.empty()) {
    difference_ = fmt::format("at {} s: {}", view.now, difference_);
    return;
  }

  // When to be called again. Yields as the policy has them: equal but for rounding, which these times must not show.
  if (set) {
    next_level_ = kNever;
    for (JobSlot job : order_) {
      if (parts_.yields == TriageParts::Yields::equal || !limited(job)) continue;
      const JobView& spec = view.jobs[job];
      const Seconds start = 10 * options_.time_scale;
      const Seconds flow = spec.flow_time(view.now);
      const Seconds progress = spec.virtual_time(view.now);
      const Seconds runs_from = spec.state == JobState::running ? std::max(view.now, spec.clock.since) : view.now;
      const auto together = [&](Seconds level, Seconds time) {
        const Seconds coarse = 300 * options_.time_scale;
        return level >= coarse ? std::ceil(time / coarse) * coarse : time;
      };
      const Seconds flow_level = level_above(flow, start);
      const Seconds level = level_above(progress, start);
      next_level_ = std::min({next_level_, together(flow_level, view.now + (flow_level - flow)),
                              together(level, runs_from + (level - progress) / yields_[job])});
    }
    next_level_ = std::max(std::nextafter(view.now, kNever), next_level_);
  }
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
  if (set || next_moves_ != kNever) {
    if (parts_.moves == TriageParts::Moves::none || !anyone) {
      next_moves_ = kNever;
    } else if (next_moves_ == kNever || view.now >= next_moves_) {
      next_moves_ = (std::floor(view.now / period) + 1) * period;
    }
  }
  const Seconds wake = std::min({next_admission_, next_moves_, next_level_});
  if (wake != decisions.wake_at) {
    difference_ = fmt::format("at {} s: to be called at {} s, the reference says {} s", view.now, decisions.wake_at, wake);
  }
}

void TriageLockstep::take(const ClusterView& view, std::span<const Event> events) {
  bool resync = first_;
  first_ = false;
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) std::erase(order_, event.job);
    if (event.kind == EventKind::submitted) order_.push_back(event.job);
    resync = resync || event.kind == EventKind::resync;
  }
  if (resync) {
    order_.clear();
    for (JobSlot job = 0; job < view.jobs.size(); ++job) {
      if (view.jobs[job].state != JobState::absent) order_.push_back(job);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](JobSlot a, JobSlot b) {
      const JobView& ja = view.jobs[a];
      const JobView& jb = view.jobs[b];
      return ja.submit != jb.submit ? ja.submit < jb.submit : ja.id < jb.id;
    });
  }
  world_ = world_of(view, order_);
}

std::string TriageLockstep::compare(const ClusterView& view, const Decisions& decisions, bool yields_set) {
  std::vector<std::vector<NodeIndex>> actual(view.jobs.size());
  for (JobSlot job : order_) {
    if (view.jobs[job].state == JobState::running) {
      actual[job].assign(view.jobs[job].nodes.begin(), view.jobs[job].nodes.end());
    }
  }
  for (const Decision& d : decisions.placements) {
    const auto nodes = decisions.nodes_of(d);
    actual[d.job].assign(nodes.begin(), nodes.end());
    pauses_ += d.kind == DecisionKind::pause ? 1 : 0;
    moves_ += d.kind == DecisionKind::migrate ? 1 : 0;
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
    const double expected = yields_set ? yields_[job] : view.jobs[job].yield;
    if (world_.jobs[job].placed() && std::abs(given[job] - expected) > kRounding) {
      return fmt::format("slot {} has yield {}, the reference {}", job, given[job], expected);
    }
  }
  yields_ = given;
  return {};
}

double TriageLockstep::urgency(JobSlot slot) const {
  const JobView& job = view_->jobs[slot];
  const double s = options_.time_scale;
  const Seconds cost = job.penalty >= 0 ? job.penalty : options_.penalty * s;
  const Seconds ahead = job.state == JobState::waiting ? options_.patience * s : cost;
  return job.weight * (job.flow_time(view_->now) + ahead) / std::max(job.virtual_time(view_->now), 10 * s);
}

double TriageLockstep::pause_cost(JobSlot slot) const {
  const JobView& job = view_->jobs[slot];
  const double s = options_.time_scale;
  const Seconds cost = job.penalty >= 0 ? job.penalty : options_.penalty * s;
  return job.weight * (job.flow_time(view_->now) + cost + options_.hold * s) / std::max(job.virtual_time(view_->now), 10 * s);
}

double TriageLockstep::yield_weight(JobSlot slot) const {
  if (parts_.yields == TriageParts::Yields::equal) return 1;
  const JobView& job = view_->jobs[slot];
  const Seconds v = std::max(job.virtual_time(view_->now), 10 * options_.time_scale);
  const double stretch = job.weight * std::max(1.0, job.flow_time(view_->now) / v);
  return job.weight * std::pow(stretch, options_.stretch_power) /
         std::pow(v / (10 * options_.time_scale), options_.age_power);
}

bool TriageLockstep::admit() {
  std::set<JobSlot> put_out;
  bool changed = false;
  for (int round = 0; round < 50; ++round) {
    bool paused = false;
    if (admit_round(put_out, paused)) changed = true;
    if (!paused) break;
  }
  return changed;
}

bool TriageLockstep::admit_round(std::set<JobSlot>& put_out, bool& paused) {
  std::vector<JobSlot> waiting;
  for (JobSlot job : order_) {
    if (!world_.jobs[job].placed()) waiting.push_back(job);
  }
  std::stable_sort(waiting.begin(), waiting.end(), [&](JobSlot a, JobSlot b) { return urgency(a) > urgency(b); });
  bool changed = false;
  for (JobSlot job : waiting) {
    if (const Nodes nodes = place(job)) {
      world_.jobs[job].nodes = *nodes;
      changed = true;
    } else if (put_out.count(job) == 0 && make_room(job, put_out)) {
      changed = paused = true;
    }
  }
  return changed;
}

bool TriageLockstep::make_room(JobSlot job, std::set<JobSlot>& put_out) {
  const double margin = view_->jobs[job].state == JobState::waiting ? options_.margin_new : options_.margin_paused;
  std::vector<JobSlot> victims;  // of equal cost the later submission goes first
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    const WorldJob& victim = world_.jobs[*at];
    if (victim.placed() && !victim.flags.may_not_pause && pause_cost(*at) < urgency(job) / margin) victims.push_back(*at);
  }
  std::stable_sort(victims.begin(), victims.end(), [&](JobSlot a, JobSlot b) { return pause_cost(a) < pause_cost(b); });
  const World before = world_;
  std::vector<JobSlot> marked;
  while (!greedy_nodes(world_, job)) {
    if (marked.size() == victims.size()) {
      world_ = before;
      return false;
    }
    marked.push_back(victims[marked.size()]);
    world_.jobs[marked.back()].nodes.clear();
  }
  for (auto at = marked.rbegin(); at != marked.rend(); ++at) {
    world_.jobs[*at].nodes = before.jobs[*at].nodes;
    if (greedy_nodes(world_, job)) continue;
    world_.jobs[*at].nodes.clear();
    put_out.insert(*at);
  }
  world_.jobs[job].nodes = *place(job);
  return true;
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

  const double total = spec.cpu_need * spec.tasks;
  const double young = 2 * std::max(spec.virtual_time, 10 * options_.time_scale);
  std::vector<NodeIndex> chosen;
  std::set<JobSlot> marked;
  double own_share = 1;
  for (std::uint32_t task = 0; task < spec.tasks; ++task) {
    bool found = false;
    NodeIndex best = 0;
    double best_cost = 0;
    double best_tie = 0;
    for (NodeIndex n = 0; n < world_.nodes.size(); ++n) {
      if (!world_.takes(job, chosen, n)) continue;
      const NodeSpec& node = world_.nodes[n].spec;
      const auto own = static_cast<double>(std::count(chosen.begin(), chosen.end(), n));
      const double load = (world_.load(n) + own * spec.cpu_need) / node.cpu;
      const double after = load + spec.cpu_need / node.cpu;
      double spare = 0;
      for (std::size_t d = 0; d < world_.dims; ++d) {
        const auto whole = static_cast<double>(node.rigid[d]);
        if (whole == 0) continue;
        double free = whole - own * static_cast<double>(spec.rigid[d]);
        for (JobSlot other : order_) free -= static_cast<double>(world_.jobs[other].rigid[d]) * world_.tasks_on(other, n);
        spare += free / whole;
      }
      const double tie = (load > 1 ? 10 * load : -10 * load) + spare;
      double cost = 0;
      if (after > 1 + kRounding) {
        const double share = 1 / after;
        cost = options_.own_loss * std::max(0.0, own_share - share) * total * view_->jobs[job].weight;
        for (JobSlot r : order_) {
          if (world_.tasks_on(r, n) == 0 || marked.count(r) != 0) continue;
          const double loss = resident_yield(r) - share;
          const double counts = world_.jobs[r].virtual_time < young ? options_.young_loss : 1;
          if (loss > 0) cost += view_->jobs[r].weight * counts * world_.jobs[r].cpu_need * world_.jobs[r].tasks * loss;
        }
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

void TriageLockstep::set_yields() {
  std::vector<double> weights(world_.jobs.size(), 1.0);
  for (JobSlot job : order_) weights[job] = yield_weight(job);
  yields_ = weighted_max_min_yields(world_, weights);
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
  const Seconds least_progress = (few ? 600 : options_.move_period) * options_.time_scale;
  const auto lack = [&](JobSlot job) { return static_cast<float>((1 - yields_[job]) * world_.jobs[job].cpu_need * world_.jobs[job].tasks); };
  std::vector<std::pair<float, JobSlot>> candidates;  // coarse: rounding decides no tie
  for (JobSlot job : order_) {
    const JobView& seen = view_->jobs[job];
    if (!limited(job) || seen.state != JobState::running || seen.flags.may_not_move) continue;
    if (seen.clock.since > view_->now || seen.virtual_time(view_->now) < least_progress || yields_[job] >= 0.999) continue;
    const auto tried = tried_.find(job);
    if (tried != tried_.end() && tried->second.first == seen.id &&
        seen.virtual_time(view_->now) < 1.1 * tried->second.second) {
      continue;
    }
    candidates.emplace_back(lack(job), job);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (candidates.size() > (few ? 5u : 20u)) candidates.resize(few ? 5 : 20);
  bool moved = false;
  for (const auto& candidate : candidates) {
    const JobSlot job = candidate.second;
    const JobView& seen = view_->jobs[job];
    const World world = world_;
    const std::vector<double> yields = yields_;
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
      keep = (before - shortage()) * seen.virtual_time(view_->now) > price * (1 + kRounding);
    }
    if (keep) {
      moved = true;
      tried_.erase(job);
    } else {
      tried_[job] = {seen.id, seen.virtual_time(view_->now)};
      world_ = world;
      yields_ = yields;
    }
  }
  return moved;
}

}  // namespace dfrs::oracle
