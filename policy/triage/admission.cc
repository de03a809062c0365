// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/admission.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "policy/triage/lanes.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

namespace {

// Shares are computed in different ways, which differ by less than this.
constexpr double kRounding = 1e-9;
// Refused jobs to which others are compared, where they have hardly two terms alike.
constexpr std::size_t kMostRefused = 32;

// The share of its CPU need that the job would get on these ascending nodes if all jobs there shared equally.
double equal_share(const ClusterState& state, const JobView& job, std::span<const NodeIndex> nodes) {
  double share = 1;
  double own = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    own = k > 0 && nodes[k] == nodes[k - 1] ? own + job.cpu_need : job.cpu_need;
    share = std::min(share, state.cpu_capacity(nodes[k]) / (state.cpu_load(nodes[k]) + own));
  }
  return share;
}

// How many tasks of the job fit on the node so that each gets this share of its CPU need. A little more than that, for
// rounding.
double room_with_share(const ClusterState& state, const JobView& job, NodeIndex n, double share) {
  const double cpu = state.cpu_capacity(n) / share - state.cpu_load(n);
  if (!(cpu > 0)) return 0;
  return std::min<double>(state.room_for(job, n), std::floor(cpu / job.cpu_need + kRounding));
}

// Whether all tasks of the job fit so that each gets this share. It may use any node.
bool may_get_share(const ClusterState& state, const JobView& job, double share) {
  double room = 0;
  const std::span<const NodesByLoad::Order> orders = state.nodes_by_load();
  for (const NodesByLoad::Order& order : orders) {
    const double most_load = order.cpu_capacity() / share;
    NodesByLoad::Order::Spot spot = order.first_with({}, job.rigid, state.rigid_dims());
    for (; !order.ended(spot) && order[spot].load < most_load;
         spot = order.first_with(order.next(spot), job.rigid, state.rigid_dims())) {
      room += room_with_share(state, job, order[spot].node, share);
      if (room >= job.tasks) return true;
    }
  }
  if (!orders.empty()) return false;
  for (NodeIndex n = 0; (n = state.next_with_memory(n, job.rigid[kMemory])) < state.node_count(); ++n) {
    room += room_with_share(state, job, n, share);
    if (room >= job.tasks) return true;
  }
  return false;
}

// Whether it is at least as much of every resource.
bool no_less(const RigidVector& amount, const RigidVector& than) {
  return std::equal(amount.begin(), amount.end(), than.begin(), std::greater_equal<>());
}

}  // namespace

bool Admission::run(DecisionContext& context, Placer& placer) {
  displaced_.clear();
  was_displaced_.resize(context.view.jobs.size());
  victims_below_ = 0;
  cheapest_.reset();
  bool changed = false;
  for (int k = 0; k < kMaxRounds; ++k) {
    bool paused = false;
    if (round(context, placer, paused)) changed = true;
    if (!paused) break;
  }
  shortest_wait_ = kNever;
  for (JobSlot job : context.state.active()) {
    if (!context.state.placed(job))
      shortest_wait_ = std::min(shortest_wait_, context.job(job).flow_time(context.at.now));
  }
  for (const Reason& reason : displaced_) was_displaced_[reason.job] = 0;
  return changed;
}

// Whether what becomes of the job holds for all jobs like it that are less urgent. Jobs that may not be paused depend
// on their users, too. With time limits a reservation may be made in the middle of a round, which then limits some of
// them.
bool Admission::has_equals(const DecisionContext& context, JobSlot slot) const {
  const JobView& job = context.job(slot);
  return job.pauses == Pauses::kept && job.eligible == nullptr && !job.flags.may_not_move && !job.flags.exclusive &&
         context.limit.empty() && !was_displaced(slot);
}

void Admission::begin_waiting(const DecisionContext& context) {
  waiting_.clear();
  for (JobSlot job : context.state.active()) {
    if (context.state.placed(job)) continue;
    const Ranked ranked{shares_.urgency_by_share(context, job), context.state.order(job), job};
    if (has_equals(context, job)) {
      waiting_.add_alike(ranked, context.job(job));
    } else {
      waiting_.add(ranked);
    }
  }
  waiting_.start();
}

bool Admission::round(DecisionContext& context, Placer& placer, bool& paused) {
  shares_.count(context);
  reservation_.clear();
  context.reservation = context.limit.empty() && !shares_.mixed() ? nullptr : &reservation_;
  may_collect_ = context.limit.empty() && shares_.mixed() && pauses_ && placer.leaves_reserved();
  begin_waiting(context);
  refused_.clear();
  outweighed_.clear();
  crowds_.clear();
  roomy_.clear();
  probes_.clear();
  bool short_of_memory = false;  // for a job that may never be paused
  bool changed = false;
  std::uint64_t version = context.state.version();
  while (!waiting_.empty()) {
    const Ranked job = waiting_.next();
    if (shares_.matter()) {
      const double key = shares_.urgency_by_share(context, job.job);
      if (key < job.key) {  // its user has got memory in this round
        waiting_.again({key, job.order, job.job});
        continue;
      }
    }
    if (!shares_.may_start(context, job.job)) {
      probes_.push_back(job);
      continue;
    }
    const Settled settled = attend(context, placer, job);
    if (settled == Settled::displacing) paused = true;
    if (starts(settled)) changed = true;
    if (settled == Settled::no_room && context.job(job.job).pauses == Pauses::none) short_of_memory = true;
    if (context.state.version() != version) {
      version = context.state.version();
      waiting_.wake();
    } else if (settled == Settled::stays || refusals_hold(context)) {
      waiting_.rest();
    }
  }
  if (!short_of_memory && probe(context, placer, paused)) changed = true;
  return changed;
}

// Whether a refusal holds for less urgent jobs, too: not if the time that they have waited counts, and not where each
// of them wants to know the reason.
bool Admission::refusals_hold(const DecisionContext& context) const {
  return !shares_.matter() && !context.state.explains();
}

// Jobs whose users hold too much: the latest submission first. True if one started.
bool Admission::probe(DecisionContext& context, Placer& placer, bool& paused) {
  std::sort(probes_.begin(), probes_.end(), [](const Ranked& a, const Ranked& b) { return a.order > b.order; });
  bool changed = false;
  for (Ranked& job : probes_) {
    if (!shares_.may_probe(context, job.job)) continue;
    job.key = shares_.urgency_by_share(context, job.job);
    const Settled settled = attend(context, placer, job);
    if (settled == Settled::displacing) paused = true;
    if (starts(settled)) changed = true;
  }
  return changed;
}

// Places the job, in the room there is or in room that it makes.
Admission::Settled Admission::attend(DecisionContext& context, Placer& placer, const Ranked& job) {
  const JobView& spec = context.job(job.job);
  const Limits limits = limits_of(context, job.job);
  if (!known_too_big(refused_, spec, {.limits = limits})) {
    if (!limits.beside && surely_stays(context, job)) return Settled::stays;
    const Settled settled = settle(context, placer, job);
    if (settled != Settled::no_room) return settled;
    remember(refused_, spec, {.limits = limits});
  }
  if (was_displaced(job.job)) return Settled::no_room;
  if (make_room(context, placer, job, kNever)) return Settled::displacing;
  if (limits.beside && context.limit.empty()) {
    context.state.explain({ReasonKind::no_room, job.job});
  } else if (limits.beside) {
    context.state.explain({ReasonKind::behind, job.job, reservation_.job(), reservation_.shadow()});
  } else if (!reserve(context, job.job)) {
    explain_refusal(context, job.job, job.key / margin(spec, context.options));
  }
  return Settled::no_room;
}

Admission::Limits Admission::limits_of(const DecisionContext& context, JobSlot job) const {
  return {lane_end(context, job), context.beside(job)};
}

// The most urgent job that finds no memory, and may never be paused, gets a reservation. True if it is this one, by
// time limits. Without limits the most urgent job that finds no memory collects nodes, if others can be paused but that
// is not enough.
bool Admission::reserve(const DecisionContext& context, JobSlot job) {
  if (may_collect_) reservation_.collect(context.view, context.state, job, context.urgency(job));
  may_collect_ = false;
  if (context.limit.empty() || reservation_.made() || context.job(job).pauses != Pauses::none) return false;
  reservation_.make(context.view, context.state, context.limit, job);
  if (!reservation_.made()) return false;
  context.state.explain({ReasonKind::reserved, job, kNoSlot, reservation_.shadow()});
  return true;
}

// Places a job, which may then become a victim itself. Those who could not make room still cannot: the room that the
// job would give up was free before.
void Admission::place(DecisionContext& context, JobSlot job, std::span<const NodeIndex> nodes) {
  if (context.beside(job)) reservation_.placed(context.job(job), nodes);
  context.place(job, nodes);
  shares_.placed(context, job);
  roomy_.clear();
  const double cost = context.pause_cost(job);
  if (!pauses_ || !(cost < victims_below_) || !may_be_victim(context.job(job))) return;
  victims_.insert({lost_work(context.job(job), context.at), cost, context.state.order(job), job});
}

// Why a job is placed where there is room: a displaced one still moves because of the other.
void Admission::explain_room(const ClusterState& state, JobSlot job) const {
  if (!state.explains()) return;
  Reason reason{ReasonKind::room, job};
  for (const Reason& displaced : displaced_) {
    if (displaced.job == job) reason = displaced;
  }
  if (reason.kind == ReasonKind::gave_way) reason.kind = ReasonKind::moved_away;
  state.explain(reason);
}

// Of all jobs that may be paused; kNoSlot: there is none.
Victim Admission::cheapest_victim(const DecisionContext& context) const {
  Victim cheapest{};
  if (!pauses_) return cheapest;
  for (JobSlot other : context.state.active()) {
    const JobView& seen = context.job(other);
    if (!context.state.placed(other) || !may_be_victim(seen)) continue;
    const Victim victim{lost_work(seen, context.at), context.pause_cost(other), context.state.order(other), other};
    if (cheapest.job == kNoSlot || Victim::cheaper(victim, cheapest)) cheapest = victim;
  }
  return cheapest;
}

// Why a job waits that found no room and could not make room.
void Admission::explain_refusal(const DecisionContext& context, JobSlot job, double least) {
  if (!context.state.explains()) return;
  if (!cheapest_) cheapest_ = cheapest_victim(context);
  if (cheapest_->job != kNoSlot && !(cheapest_->cost < least)) {
    context.state.explain({ReasonKind::outweighed, job, cheapest_->job, cheapest_->cost, least});
  } else {
    context.state.explain({ReasonKind::none_to_pause, job});
  }
}

// Starts or resumes a job where its rigid resources fit.
Admission::Settled Admission::settle(DecisionContext& context, Placer& placer, const Ranked& job) {
  const JobView& spec = context.job(job.job);
  const double least = crowded_below(context, job);
  std::span<const NodeIndex> nodes = placer.find(context, job.job, least);
  if (nodes.empty()) return Settled::no_room;
  if (returns_crowded(context, job, nodes)) return Settled::stays;
  if (nodes.size() < spec.tasks) nodes = placer.find(context, job.job, 0);
  if (spec.state == JobState::waiting && !was_displaced(job.job)) {
    const double share = equal_share(context.state, spec, nodes);
    if (share < context.options.elbow_room) {
      crowded_.assign(nodes.begin(), nodes.end());
      const Ranked asking{weight_of(spec, context.at) / share, job.order, job.job};
      if (make_room(context, placer, asking, 1 / (kRoomier * share))) {
        const Reason& last = displaced_.back();
        context.state.explain({ReasonKind::own_room, job.job, last.job, share, gone_});
        return Settled::displacing;
      }
      place(context, job.job, crowded_);
      explain_room(context.state, job.job);
      return Settled::placed;
    }
  }
  place(context, job.job, nodes);
  explain_room(context.state, job.job);
  return Settled::placed;
}

// Whether a paused job would pay a penalty for little CPU while it is not badly off.
bool Admission::returns_crowded(const DecisionContext& context, const Ranked& job,
                                std::span<const NodeIndex> nodes) const {
  const JobView& spec = context.job(job.job);
  if (spec.state == JobState::waiting || spec.pauses != Pauses::kept) return false;
  const double share = equal_share(context.state, spec, nodes);
  if (share >= context.options.crowded_return || job.key * share >= weight_of(spec, context.at)) return false;
  return !was_displaced(job.job) || !std::equal(nodes.begin(), nodes.end(), spec.nodes.begin(), spec.nodes.end());
}

// returns_crowded() holds for all nodes that would give the job a share below this; 0 if that cannot be said. A little
// less than the limit, for rounding.
double Admission::crowded_below(const DecisionContext& context, const Ranked& job) const {
  const JobView& spec = context.job(job.job);
  if (spec.state == JobState::waiting || spec.pauses != Pauses::kept || was_displaced(job.job)) return 0;
  double least = context.options.crowded_return;
  if (job.key > 0) least = std::min(least, weight_of(spec, context.at) / job.key);
  return std::max(0.0, least * (1 - kRounding));
}

// Whether returns_crowded() would hold for all nodes that the job could get. On a busy cluster most paused jobs are
// such, and to choose nodes for each of them would take most of the time.
bool Admission::surely_stays(const DecisionContext& context, const Ranked& job) {
  const JobView& spec = context.job(job.job);
  if (spec.eligible != nullptr || spec.flags.may_not_move || spec.flags.exclusive) return false;
  const double least = crowded_below(context, job);
  if (!(least > 0)) return false;
  const bool crowded = std::any_of(crowds_.begin(), crowds_.end(), [&](const Crowded& c) {
    return spec.tasks >= c.tasks && spec.cpu_need >= c.cpu_need && least >= c.least && no_less(spec.rigid, c.rigid);
  });
  if (!crowded) {
    if (may_get_share(context.state, spec, least)) return false;
    crowds_.push_back({spec.rigid, spec.tasks, spec.cpu_need, least});
  }
  return has_room(context.state, spec);
}

// Whether there is room for all tasks of a job that may run on any node.
bool Admission::has_room(const ClusterState& state, const JobView& job) {
  const bool known = std::any_of(roomy_.begin(), roomy_.end(),
                                 [&](const Roomy& r) { return job.tasks <= r.tasks && no_less(r.rigid, job.rigid); });
  if (known) return true;
  std::uint64_t room = 0;
  for (NodeIndex n = 0; (n = state.next_with_memory(n, job.rigid[kMemory])) < state.node_count(); ++n) {
    room += state.room_for(job, n);
    if (room < job.tasks) continue;
    roomy_.push_back({job.rigid, job.tasks});
    return true;
  }
  return false;
}

bool Admission::make_room(DecisionContext& context, Placer& placer, const Ranked& incoming, double most_load) {
  const JobView& job = context.job(incoming.job);
  const double least = incoming.key / margin(job, context.options);
  if (victims_below_ < least) collect_victims(context, least);
  const Victim* first = victims_.cheapest(0);
  if (first == nullptr || (!shares_.matter() && !(first->cost < least))) return false;
  const Limits limits = limits_of(context, incoming.job);
  const Terms terms{least, job.flow_time(context.at.now), most_load, limits};
  if (known_too_big(outweighed_, job, terms)) return false;

  room_.begin(context.state, job, {limits.lane, limits.beside ? &reservation_ : nullptr, most_load});
  const bool all_marked = mark_victims(context, job, terms);
  if (!room_.enough()) {
    // Those that only want more CPU have terms of their own. A few are kept, so that to look at them stays cheap. If
    // TRIED has ended the search, that says something about others only where victims come by their cost alone.
    const bool one_more = most_load == kNever || outweighed_.size() < kMostRefused;
    if (one_more && (all_marked || !shares_.matter())) remember(outweighed_, job, terms);
    return false;
  }
  displace_marked(context, incoming, least);
  if (gone_ == 0) return false;
  refused_.clear();
  outweighed_.clear();
  crowds_.clear();
  const std::span<const NodeIndex> nodes = placer.find(context, incoming.job, 0);
  if (nodes.empty()) return false;
  place(context, incoming.job, nodes);
  context.state.explain({ReasonKind::made_room, incoming.job, displaced_.back().job, incoming.key, gone_});
  return true;
}

// Marks jobs until there is room, or no other job may go. False if TRIED ended that.
bool Admission::mark_victims(const DecisionContext& context, const JobView& job, const Terms& terms) {
  marked_.clear();
  const double most = terms.most_load < kNever ? context.options.tried : kNever;
  for (std::size_t k = 0; !room_.enough(); ++k) {
    const Victim* next = victims_.cheapest(k);
    if (next == nullptr || (!shares_.matter() && !(next->cost < terms.least))) return true;
    const Victim victim = *next;
    const JobView& spec = context.job(victim.job);
    if (!(victim.cost < terms.least) || too_old_for(spec, job, context.at, context.options)) continue;
    if (static_cast<double>(marked_.size()) >= most) return false;
    room_.without(spec, context.state.nodes_of(victim.job));
    marked_.push_back(victim);
  }
  return true;
}

// Of the marked jobs those go that the incoming one needs, most costly first.
void Admission::displace_marked(DecisionContext& context, const Ranked& incoming, double least) {
  gone_ = 0;
  for (std::size_t k = marked_.size(); k-- > 0;) {
    const auto& [lost, cost, order, victim] = marked_[k];
    const std::span<const NodeIndex> nodes = context.state.nodes_of(victim);
    if (room_.none_at(nodes)) continue;
    room_.with(context.job(victim), nodes);
    if (room_.enough()) continue;
    room_.without(context.job(victim), nodes);
    context.remove(victim);
    victims_.erase(victim);
    context.state.explain(displaced_.emplace_back(Reason{ReasonKind::gave_way, victim, incoming.job, cost, least}));
    was_displaced_[victim] = 1;
    if (cheapest_ && victim == cheapest_->job) cheapest_.reset();
    ++gone_;
  }
}

void Admission::collect_victims(const DecisionContext& context, double below) {
  victims_.clear();
  victims_below_ = below;
  if (!pauses_ || shares_.all_stay()) return;
  for (JobSlot job : context.state.active()) {
    const JobView& spec = context.job(job);
    if (!context.state.placed(job) || !may_be_victim(spec)) continue;
    const double cost = context.pause_cost(job);
    if (cost < below) victims_.insert({lost_work(spec, context.at), cost, context.state.order(job), job});
  }
}

// Jobs that are limited to some nodes (eligible nodes, or those they had) say nothing about others, and vice versa.
bool Admission::known_too_big(const std::vector<Refused>& refused, const JobView& job, const Terms& terms) {
  if (job.eligible != nullptr || job.flags.may_not_move) return false;
  return std::any_of(refused.begin(), refused.end(), [&](const Refused& r) {
    if (job.tasks < r.tasks || (r.exclusive && !job.flags.exclusive)) return false;
    if (terms.least > r.terms.least || terms.waited > r.terms.waited) return false;
    if (terms.limits.lane > r.terms.limits.lane || (r.terms.limits.beside && !terms.limits.beside)) return false;
    if (r.terms.most_load < kNever && (terms.most_load > r.terms.most_load || job.cpu_need < r.cpu_need)) return false;
    for (std::size_t d = 0; d < kMaxRigid; ++d) {
      if (job.rigid[d] < r.rigid[d]) return false;
    }
    return true;
  });
}

void Admission::remember(std::vector<Refused>& refused, const JobView& job, const Terms& terms) {
  if (job.eligible != nullptr || job.flags.may_not_move) return;
  refused.push_back({job.rigid, job.tasks, job.cpu_need, job.flags.exclusive, terms});
}

}  // namespace dfrs::triage
