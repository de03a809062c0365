// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/observed.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dfrs::timeline {

void ObservedSchedule::begin_sample(Seconds now) {
  ++samples_;
  now_ = std::max(now_, now);
  if (!begun_) begin_ = now_;
  begun_ = true;
}

NodeIndex ObservedSchedule::node(std::string_view name, double cpus, double memory) {
  const auto [it, added] = node_numbers_.try_emplace(std::string(name), static_cast<NodeIndex>(node_names_.size()));
  if (added) {
    node_names_.push_back(it->first);
    node_cpus_.push_back(0);
    node_memory_.push_back(0);
  }
  node_cpus_[it->second] = cpus;
  node_memory_[it->second] = memory;
  reference_cpus_ = std::max(reference_cpus_, cpus);
  return it->second;
}

void ObservedSchedule::see(const SeenJob& seen) {
  const auto [it, added] = jobs_.try_emplace(seen.id);
  Job& job = it->second;
  // Slurm gives a number again once it has used up all of them.
  const bool again = !added && job.facts.submit != seen.submit;
  if (again) finish(std::exchange(job, Job{}));
  if (added || again) ++held_;
  job.facts.id = seen.id;
  job.facts.user = user_number(seen.user_id);
  job.facts.submit = seen.submit;
  job.facts.tasks = seen.tasks;
  job.facts.cpu_need = seen.cpus;
  job.facts.memory = seen.memory;
  place(job, seen);
  job.pauses = seen.pauses;
  job.moves = seen.moves;
  job.seen = samples_;
  job.new_here = false;
}

void ObservedSchedule::end_sample() {
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    if (it->second.seen == samples_) {
      ++it;
      continue;
    }
    finish(std::move(it->second));
    it = jobs_.erase(it);
  }
  forget();
}

StayBegin ObservedSchedule::begin_of(const Job& job, bool first_seen, std::uint64_t pauses) const {
  if (first_seen && samples_ == 1) return StayBegin::already;
  const bool was_here = !job.stays.empty() || job.was_before;
  if (!was_here && pauses == 0) return StayBegin::start;
  return !job.stays.empty() && job.stays.back().end == StayEnd::moved ? StayBegin::move : StayBegin::resume;
}

void ObservedSchedule::place(Job& job, const SeenJob& seen) {
  const bool paused_since = !job.new_here && seen.pauses > job.pauses;
  const bool moved_since = !job.new_here && seen.moves > job.moves;
  if (job.placed && (!std::ranges::equal(seen.nodes, job.stays.back().nodes) || paused_since || moved_since)) {
    close(job, seen.nodes.empty() || (paused_since && !moved_since) ? StayEnd::paused : StayEnd::moved);
  }
  if (seen.nodes.empty()) return;
  if (!job.placed) {
    OneStay stay;
    stay.from = now_;
    stay.begin = begin_of(job, job.new_here, seen.pauses);
    stay.nodes.assign(seen.nodes.begin(), seen.nodes.end());
    held_ += size_of(stay);
    job.stays.push_back(std::move(stay));
    job.placed = true;
  }
  std::vector<YieldStep>& steps = job.stays.back().steps;
  if (steps.empty() || steps.back().yield != seen.yield) {
    steps.push_back({steps.empty() ? job.stays.back().from : now_, seen.yield});
    ++held_;
  }
}

void ObservedSchedule::close(Job& job, StayEnd end) {
  job.stays.back().to = now_;
  job.stays.back().end = end;
  job.placed = false;
}

void ObservedSchedule::finish(Job&& job) {
  if (job.placed) close(job, StayEnd::completed);
  job.facts.end = now_;
  ended_.push_back(std::move(job));
}

// The first quarter of the time goes, again and again, until a quarter of the room is free.
void ObservedSchedule::forget() {
  constexpr int kMostTimes = 40;  // then only the present is left
  if (held_ <= std::max(most_, forget_at_)) return;
  const std::size_t enough = most_ - most_ / 4;
  for (int k = 0; k < kMostTimes && held_ > enough; ++k) forget_before(begin_ + (now_ - begin_) / 4);
  forget_at_ = held_ > enough ? 2 * held_ : 0;
}

void ObservedSchedule::forget_before(Seconds instant) {
  begin_ = instant;
  for (Job& job : ended_) forget_before(instant, job);
  held_ -= std::erase_if(ended_, [&](const Job& job) { return job.facts.end < instant; });
  for (auto& [id, job] : jobs_) forget_before(instant, job);
}

// Stays that ended before go; of the one that reaches over the instant only the yields from then on count.
void ObservedSchedule::forget_before(Seconds instant, Job& job) {
  std::erase_if(job.stays, [&](const OneStay& stay) {
    const bool gone = stay.end != StayEnd::open && stay.to < instant;
    if (gone) held_ -= size_of(stay);
    job.was_before = job.was_before || gone;
    return gone;
  });
  for (OneStay& stay : job.stays) {
    const auto later = std::ranges::upper_bound(stay.steps, instant, {}, &YieldStep::at);
    if (later - stay.steps.begin() < 2) continue;
    const auto kept = later - 1;
    held_ -= static_cast<std::size_t>(kept - stay.steps.begin());
    stay.steps.erase(stay.steps.begin(), kept);
    // What is shown of the stay begins with this yield.
    stay.from = stay.steps.front().at;
    stay.begin = StayBegin::already;
  }
}

void ObservedSchedule::go_on_from(const Schedule& past, double reference_cpus) {
  begun_ = true;
  samples_ = 1;
  begin_ = past.begin;
  now_ = past.end;
  for (std::size_t n = 0; n < past.node_cpu.size(); ++n)
    node(past.node_names[n], past.node_cpu[n] * reference_cpus, past.node_memory[n]);
  std::vector<Job> all(past.jobs.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].facts = past.jobs[k];
    all[k].facts.cpu_need *= reference_cpus;
    all[k].seen = samples_;
  }
  for (const Stay& stay : past.stays) {
    Job& job = all[stay.job];
    const auto nodes = past.nodes_of(stay);
    const auto steps = past.steps_of(stay);
    job.placed = stay.end == StayEnd::open;
    job.stays.push_back(
        {stay.from, stay.to, stay.begin, stay.end, {nodes.begin(), nodes.end()}, {steps.begin(), steps.end()}});
    held_ += size_of(job.stays.back());
  }
  std::ranges::stable_sort(all, {}, [](const Job& job) { return job.facts.end; });
  held_ += all.size();
  for (Job& job : all) {
    if (job.facts.end >= 0) {
      ended_.push_back(std::move(job));
    } else {
      jobs_[job.facts.id] = std::move(job);
    }
  }
}

Schedule ObservedSchedule::schedule() const {
  Schedule out;
  out.begin = begin_;
  out.end = now_;
  out.node_names = node_names_;
  out.node_memory = node_memory_;
  for (const double cpus : node_cpus_) out.node_cpu.push_back(cpus / reference_cpus_);
  std::vector<const Job*> jobs;
  for (const Job& job : ended_) jobs.push_back(&job);
  for (const auto& [number, job] : jobs_) jobs.push_back(&job);
  std::ranges::stable_sort(jobs, {}, [](const Job* job) { return std::pair(job->facts.submit, job->facts.id); });
  std::vector<std::pair<const OneStay*, std::uint32_t>> stays;
  for (const Job* job : jobs) {
    for (const OneStay& stay : job->stays) stays.emplace_back(&stay, static_cast<std::uint32_t>(out.jobs.size()));
    out.jobs.push_back(job->facts);
    out.jobs.back().cpu_need /= reference_cpus_;
  }
  std::ranges::stable_sort(stays, {}, [](const auto& stay) { return stay.first->from; });
  for (const auto& [stay, job] : stays) {
    Stay one;
    one.job = job;
    one.from = one.served = stay->from;
    one.to = stay->end == StayEnd::open ? now_ : stay->to;
    one.begin = stay->begin;
    one.end = stay->end;
    one.first_node = out.nodes.size();
    one.node_count = static_cast<std::uint32_t>(stay->nodes.size());
    one.first_step = out.steps.size();
    one.step_count = static_cast<std::uint32_t>(stay->steps.size());
    out.nodes.insert(out.nodes.end(), stay->nodes.begin(), stay->nodes.end());
    out.steps.insert(out.steps.end(), stay->steps.begin(), stay->steps.end());
    out.stays.push_back(one);
  }
  return out;
}

}  // namespace dfrs::timeline
