// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/rules/dispatcher.h"

#include <algorithm>
#include <cmath>

#include "studies/gang/rules/dispatch.h"
#include "studies/gang/rules/schedule.h"
#include "studies/gang/rules/starvation.h"

namespace dfrs::gang {

tl::expected<Dispatcher, Error> Dispatcher::create(const Options& options) {
  if (auto checked = gang::check(options); !checked)
    return tl::unexpected(Error{ErrorCode::bad_option, std::move(checked.error())});
  return Dispatcher(options);
}

Dispatcher::Dispatcher(const Options& options)
    : options_(options),
      monitor_(options.migration_interval),
      release_pause_(options.release_pause),
      now_(-kNever),
      requested_(options.machine_limit),
      length_(options.machine_limit),
      dispatch_length_(options.machine_limit) {
  for (MachineIndex m = 0; m < options.machine_minimum; ++m) leased_.insert(m);
  ready_ = idle_ = leased_;
}

tl::expected<const Decisions*, Error> Dispatcher::step(Seconds now, const Event& event) {
  if (auto fine = check(now, event); !fine) return tl::unexpected(std::move(fine.error()));
  now_ = now;
  decisions_.clear();
  switch (event.kind) {
    case Event::Kind::arrived:
      arrive(event, now);
      break;
    case Event::Kind::finished:
      finish(event.job);
      break;
    case Event::Kind::ready:
      machines_ready(event.request);
      break;
  }
  cycle(now);
  while (options_.migrated_start == MigratedStart::at_once && !migrated_.empty()) cycle(now);
  release();
  return &decisions_;
}

tl::expected<void, Error> Dispatcher::check(Seconds now, const Event& event) const {
  const auto wrong = [](std::string what) { return tl::unexpected(Error{ErrorCode::bad_view, std::move(what)}); };
  if (!(now >= now_) || std::isinf(now)) return wrong("an event comes before the previous one");
  const auto state = [&](JobSlot job) { return job < gangs_.size() ? gangs_[job].state : State::absent; };
  switch (event.kind) {
    case Event::Kind::arrived:
      if (state(event.job) != State::absent) return wrong("gang " + std::to_string(event.job) + " arrives twice");
      if (event.tasks < 1 || event.tasks > options_.machine_limit) {
        return wrong("gang " + std::to_string(event.job) + " has " + std::to_string(event.tasks) +
                     " tasks, but each needs a machine and " + std::to_string(options_.machine_limit) +
                     " may be leased");
      }
      if (!(event.execution >= 0) || std::isinf(event.execution)) {
        return wrong("gang " + std::to_string(event.job) + " has no execution time");
      }
      break;
    case Event::Kind::finished:
      if (state(event.job) != State::running)
        return wrong("gang " + std::to_string(event.job) + " ends without running");
      break;
    case Event::Kind::ready:
      if (event.request >= requested_.size() || requested_[event.request].empty()) {
        return wrong("machines of request " + std::to_string(event.request) +
                     " are ready, but there is no such request");
      }
      break;
  }
  return {};
}

void Dispatcher::arrive(const Event& event, Seconds now) {
  if (event.job >= gangs_.size()) gangs_.resize(std::size_t{event.job} + 1);
  gangs_[event.job] = {
      State::held, event.tasks, starvation_instant(now, event.execution, options_.starvation_threshold), {}};
  release_pause_.arrival();
  const Provision answer = provision(options_, {event.tasks, ready_.size(), leased_.size(), waiting_tasks_});
  Held held{event.job, answer.lease > 0, 0};
  if (answer.lease > 0) lease(held.request, answer.lease);
  if (answer.hold) {
    held_.push_back(held);
  } else {
    dispatch(event.job);
  }
}

void Dispatcher::finish(JobSlot job) {
  Gang& gang = gangs_[job];
  idle_ |= gang.machines;
  if (options_.queue_length == QueueLength::tasks)
    gang.machines.for_each([&](MachineIndex m) { --dispatch_length_[m]; });
  gang.state = State::absent;
}

void Dispatcher::machines_ready(MachineIndex request) {
  ready_ |= requested_[request];
  idle_ |= requested_[request];
  requested_[request] = {};
  release_pause_.machines_ready();
  for (Held& held : held_) {
    if (held.requested && held.request == request) held.requested = false;
  }
  dispatch_held();
}

void Dispatcher::lease(MachineIndex& request, std::uint32_t count) {
  MachineSet machines;
  for (MachineIndex m = 0; count > 0; ++m) {
    if (leased_.contains(m)) continue;
    machines.insert(m);
    --count;
  }
  leased_ |= machines;
  request = machines.first();
  requested_[request] = machines;
  decisions_.lease = Lease{request, machines};
}

void Dispatcher::dispatch(JobSlot job) {
  Gang& gang = gangs_[job];
  const MachineSet machines = shortest_queues(ready_, dispatch_length_, gang.tasks);
  machines.for_each([&](MachineIndex m) {
    ++length_[m];
    ++dispatch_length_[m];
  });
  waiting_tasks_ += gang.tasks;
  gang.state = State::waiting;
  waiting_.push_back({job, gang.tasks, gang.starves_at, machines});
  decisions_.dispatches.push_back({job, machines});
}

void Dispatcher::dispatch_held() {
  std::erase_if(held_, [&](const Held& held) {
    if (held.requested || gangs_[held.job].tasks > ready_.size()) return false;
    dispatch(held.job);
    return true;
  });
}

void Dispatcher::cycle(Seconds now) {
  start_migrated();
  find_starved(now);
  schedule_starved();
  if (starved_.empty()) schedule();
}

void Dispatcher::start_migrated() {
  for (const WaitingGang& gang : migrated_) start(gang, Start::Route::migrated);
  migrated_.clear();
}

void Dispatcher::find_starved(Seconds now) {
  const std::size_t known = starved_.size();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < waiting_.size(); ++k) {
    if (waiting_[k].starves_at <= now) {
      starved_.push_back(waiting_[k]);
    } else {
      if (kept != k) waiting_[kept] = waiting_[k];
      ++kept;
    }
  }
  waiting_.resize(kept);
  // Sorted, because a held gang may already have been starved when it was dispatched.
  if (starved_.size() == known) return;
  std::stable_sort(starved_.begin(), starved_.end(),
                   [](const WaitingGang& a, const WaitingGang& b) { return a.starves_at < b.starves_at; });
}

void Dispatcher::schedule_starved() {
  std::size_t kept = 0;
  bool blocked = false;
  for (std::size_t k = 0; k < starved_.size(); ++k) {
    if (!blocked && starved_[k].machines.within(idle_)) {
      start(starved_[k], Start::Route::starved);
    } else if (!blocked && options_.migration != Migration::none && starved_[k].tasks <= idle_.size()) {
      migrate(starved_[k], true);
    } else {
      blocked = options_.starved_order == StarvedOrder::reserve;
      if (kept != k) starved_[kept] = starved_[k];
      ++kept;
    }
  }
  starved_.resize(kept);
}

void Dispatcher::schedule() {
  if (waiting_.empty() || idle_.empty()) return;
  MachineSet idle = idle_;
  gangs_to_start(options_.scheduler, waiting_, idle, chosen_);
  if (!chosen_.empty()) {
    for (std::size_t k : chosen_) {
      start(waiting_[k], Start::Route::normal);
      waiting_[k].job = kNoSlot;
      monitor_.started();
    }
    std::erase_if(waiting_, [](const WaitingGang& gang) { return gang.job == kNoSlot; });
    return;
  }
  if (!monitor_.allows()) return;
  const auto k = gang_to_migrate(options_.migration, waiting_, idle_.size());
  if (!k) return;
  migrate(waiting_[*k], false);
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(*k));
  monitor_.migrated();
}

void Dispatcher::start(const WaitingGang& gang, Start::Route route) {
  idle_ -= gang.machines;
  const bool count_running = options_.queue_length == QueueLength::tasks;
  gang.machines.for_each([&](MachineIndex m) {
    --length_[m];
    if (!count_running) --dispatch_length_[m];
  });
  waiting_tasks_ -= gang.tasks;
  gangs_[gang.job].state = State::running;
  gangs_[gang.job].machines = gang.machines;
  decisions_.starts.push_back({gang.job, route});
}

void Dispatcher::migrate(WaitingGang gang, bool starved) {
  const MachineSet target = migration_target(gang.machines, idle_, length_);
  const MachineSet from = gang.machines - target;
  const MachineSet to = target - gang.machines;
  from.for_each([&](MachineIndex m) {
    --length_[m];
    --dispatch_length_[m];
  });
  to.for_each([&](MachineIndex m) {
    ++length_[m];
    ++dispatch_length_[m];
  });
  idle_ -= target;
  gang.machines = target;
  migrated_.push_back(gang);
  decisions_.moves.push_back({gang.job, from, to, starved});
}

void Dispatcher::release() {
  if (!held_.empty() || !migrated_.empty() || !starved_.empty() || !release_pause_.over()) return;
  idle_.for_each([&](MachineIndex m) {
    if (m >= options_.machine_minimum && length_[m] == 0) decisions_.released.insert(m);
  });
  idle_ -= decisions_.released;
  ready_ -= decisions_.released;
  leased_ -= decisions_.released;
}

}  // namespace dfrs::gang
