// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/studies/gang/oracle/gang_checker.h"

#include <algorithm>
#include <cmath>

namespace dfrs::oracle {

GangChecker::GangChecker(const gang::Options& options) : options_(options), machines_(options.machine_limit) {
  for (unsigned m = 0; m < options.machine_minimum; ++m) machines_[m].leased = true;
}

void GangChecker::on_event(Seconds now, const gang::Event& event, const sim::GangJob& job,
                           const gang::Decisions& decisions) {
  now_ = now;
  at_ = "at " + std::to_string(now) + ": ";
  if (event.kind == gang::Event::Kind::arrived) {
    if (gangs_.contains(event.job)) breach(at_ + "a slot is used twice");
    gangs_[event.job] = {now, job.tasks, job.execution, {}, 0, false, 0};
    if (job.arrival != now) breach(at_ + "a gang arrived at another time");
  }
  if (event.kind == gang::Event::Kind::finished) {
    const Gang& gang = gangs_.at(event.job);
    if (!gang.running) breach(at_ + "a gang ended that did not run");
    if (std::abs(now - gang.start - gang.execution) > 1e-9 * (1 + now)) breach(at_ + "a gang ran another time");
    gang.machines.for_each([&](gang::MachineIndex m) { machines_[m].running = -1; });
    gangs_.erase(event.job);
  }
  check_dispatches(decisions);
  // With cycles at once a gang may migrate after others started in the same event.
  if (options_.migrated_start == gang::MigratedStart::at_once) {
    normal_starts_ += static_cast<std::size_t>(
        std::count_if(decisions.starts.begin(), decisions.starts.end(),
                      [](const gang::Start& s) { return s.route == gang::Start::Route::normal; }));
  }
  const std::size_t normal_moves = check_moves(decisions);
  check_starts(decisions, normal_moves);
  check_machines(decisions);
}

void GangChecker::check_dispatches(const gang::Decisions& decisions) {
  for (const auto& d : decisions.dispatches) {
    Gang& gang = gangs_.at(d.job);
    if (!gang.machines.empty()) breach(at_ + "a gang is dispatched twice");
    if (d.machines.size() != gang.tasks) breach(at_ + "a gang has not a machine per task");
    gang.machines = d.machines;
    d.machines.for_each([&](gang::MachineIndex m) {
      if (!ready(m)) breach(at_ + "a task is dispatched to a machine that is not ready");
      ++machines_[m].queued;
    });
  }
}

std::size_t GangChecker::check_moves(const gang::Decisions& decisions) {
  std::size_t normal_moves = 0;
  for (const auto& move : decisions.moves) {
    Gang& gang = gangs_.at(move.job);
    ++moves_;
    if (gang.running || ++gang.moved > 1) breach(at_ + "a gang migrates that runs or did so before");
    if (!move.from.within(gang.machines) || !(move.to & gang.machines).empty() || move.from.empty() ||
        move.from.size() != move.to.size()) {
      breach(at_ + "a migration does not fit the gang");
    }
    move.from.for_each([&](gang::MachineIndex m) { --machines_[m].queued; });
    move.to.for_each([&](gang::MachineIndex m) {
      ++machines_[m].queued;
      if (!ready(m) || machines_[m].running >= 0) breach(at_ + "a task migrates to a machine that is not idle");
    });
    gang.machines = (gang.machines - move.from) | move.to;
    if (options_.migration == gang::Migration::none) breach(at_ + "a migration without migrations");
    if (move.starved) {
      ++starved_moves_;
      if ((now_ - gang.arrival + gang.execution) < options_.starvation_threshold * gang.execution * (1 - 1e-9)) {
        breach(at_ + "a gang migrates as starved and is not");
      }
    } else {
      ++normal_moves;
      if (normal_starts_ < options_.migration_interval) breach(at_ + "a migration that the monitor forbids");
      normal_starts_ = 0;
    }
  }
  return normal_moves;
}

void GangChecker::check_starts(const gang::Decisions& decisions, std::size_t normal_moves) {
  for (const auto& start : decisions.starts) {
    Gang& gang = gangs_.at(start.job);
    if (gang.running) breach(at_ + "a gang starts twice");
    if ((start.route == gang::Start::Route::migrated) != (gang.moved == 1)) breach(at_ + "a start names a wrong route");
    if (gang.machines.size() != gang.tasks) breach(at_ + "a gang starts without a machine per task");
    gang.machines.for_each([&](gang::MachineIndex m) {
      if (machines_[m].running >= 0) breach(at_ + "two tasks run on a machine");
      if (!ready(m)) breach(at_ + "a task runs on a machine that is not ready");
      machines_[m].running = start.job;
      --machines_[m].queued;
    });
    gang.running = true;
    gang.start = now_;
    if (start.route == gang::Start::Route::normal) {
      if (options_.migrated_start == gang::MigratedStart::next_event) {
        ++normal_starts_;
        if (normal_moves > 0) breach(at_ + "a migration although gangs could start");
      }
    }
  }
}

void GangChecker::check_machines(const gang::Decisions& decisions) {
  if (decisions.lease) {
    decisions.lease->machines.for_each([&](gang::MachineIndex m) {
      if (machines_[m].leased) breach(at_ + "a machine is leased twice");
      machines_[m] = {true, kNever, 0, -1};
    });
  }
  decisions.released.for_each([&](gang::MachineIndex m) {
    ++releases_;
    if (!ready(m) || machines_[m].running >= 0 || machines_[m].queued != 0)
      breach(at_ + "a machine in use is released");
    if (m < options_.machine_minimum) breach(at_ + "the minimum is released");
    machines_[m].leased = false;
  });
  for (const Machine& m : machines_) {
    if (m.queued < 0) breach(at_ + "a queue is shorter than empty");
  }
}

void GangChecker::on_setup(Seconds now, const gang::Lease& lease, Seconds delay) {
  ++setups_;
  if (delay < 0) breach("a setup before its request");
  lease.machines.for_each([&](gang::MachineIndex m) { machines_[m].ready = now + delay; });
}

std::vector<std::string> GangChecker::violations() const {
  std::vector<std::string> all = violations_;
  if (!gangs_.empty()) all.push_back(std::to_string(gangs_.size()) + " gangs are left");
  return all;
}

}  // namespace dfrs::oracle
