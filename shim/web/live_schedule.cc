// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/web/live_schedule.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dfrs::shim::web {
namespace {

using timeline::StayBegin;
using timeline::StayEnd;

bool on_nodes(std::string_view state) { return state == "running" || state == "pausing" || state == "moving"; }

// The page takes 0 for a user that is not known, and this for root.
std::uint32_t user_of(const Json& told) {
  constexpr std::uint32_t kRoot = 1U << 31;
  const std::uint32_t user = told.at("user_id");
  return user == 0 ? kRoot : user;
}

}  // namespace

void LiveSchedule::look(const Json& status, const Json& nodes) {
  ++looks_;
  // A controller that has made no round yet has no time.
  now_ = std::max(now_, status.at("now").is_number() ? status.at("now").get<double>() : 0);
  if (looks_ == 1) begin_ = now_;
  algorithm_ = status.at("algorithm");
  see_nodes(nodes.at("nodes"));
  for (const Json& told : status.at("jobs")) see_place(see_job(told), told);
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    Job& job = it->second;
    if (job.seen == looks_) {
      ++it;
      continue;
    }
    if (job.placed) close(job, StayEnd::completed);
    job.facts.end = now_;
    ended_.push_back(std::move(job));
    it = jobs_.erase(it);
  }
  forget();
}

void LiveSchedule::see_nodes(const Json& nodes) {
  for (const Json& node : nodes) {
    const auto [it, added] =
        node_numbers_.try_emplace(node.at("node").get<std::string>(), static_cast<NodeIndex>(node_names_.size()));
    if (added) {
      node_names_.push_back(it->first);
      node_cpus_.push_back(0);
      node_memory_.push_back(0);
    }
    node_cpus_[it->second] = std::max(1.0, node.at("cpus").get<double>());
    node_memory_[it->second] = node.at("memory_mib");
    largest_node_ = std::max(largest_node_, node_cpus_[it->second]);
  }
}

LiveSchedule::Job& LiveSchedule::see_job(const Json& told) {
  const std::uint64_t number = told.at("job");
  const auto [it, added] = jobs_.try_emplace(number);
  Job& job = it->second;
  const Seconds submit = told.at("submit");
  // Slurm gives a number again once it has used up all of them.
  if (!added && job.facts.submit != submit) {
    if (job.placed) close(job, StayEnd::completed);
    job.facts.end = now_;
    ended_.push_back(std::exchange(job, Job{}));
  }
  job.facts.id = number;
  job.facts.user = user_of(told);
  job.facts.submit = submit;
  job.facts.tasks = told.at("tasks");
  job.facts.cpu_need = told.at("cpus_per_task").get<double>() * told.at("cpu_need").get<double>();
  job.facts.memory = told.at("memory_per_task_mib");
  return job;
}

void LiveSchedule::see_place(Job& job, const Json& told) {
  const std::uint64_t pauses = told.at("pauses"), moves = told.at("moves");
  const bool first_seen = job.seen == 0;
  const bool paused_since = !first_seen && pauses > job.pauses, moved_since = !first_seen && moves > job.moves;
  job.pauses = pauses;
  job.moves = moves;
  job.seen = looks_;
  std::vector<NodeIndex> nodes;
  if (on_nodes(told.at("state").get<std::string>())) {
    for (const auto& [name, tasks] : told.at("nodes").items()) {
      const auto known = node_numbers_.find(name);
      if (known != node_numbers_.end()) nodes.insert(nodes.end(), tasks.get<std::size_t>(), known->second);
    }
    std::sort(nodes.begin(), nodes.end());
  }
  const bool was_here = !job.stays.empty();
  if (job.placed && (nodes != job.stays.back().nodes || paused_since || moved_since)) {
    close(job, nodes.empty() || (paused_since && !moved_since) ? StayEnd::paused : StayEnd::moved);
  }
  if (nodes.empty()) return;
  const double yield = told.at("yield");
  if (!job.placed) {
    const StayBegin begin = first_seen && looks_ == 1                            ? StayBegin::already
                            : !was_here && pauses == 0                           ? StayBegin::start
                            : was_here && job.stays.back().end == StayEnd::moved ? StayBegin::move
                                                                                 : StayBegin::resume;
    open(job, std::move(nodes), begin);
  }
  std::vector<timeline::YieldStep>& steps = job.stays.back().steps;
  if (steps.empty() || steps.back().yield != yield) {
    steps.push_back({steps.empty() ? job.stays.back().from : now_, yield});
    ++held_;
  }
}

void LiveSchedule::open(Job& job, std::vector<NodeIndex> nodes, StayBegin begin) {
  Stay stay;
  stay.from = now_;
  stay.begin = begin;
  held_ += 1 + nodes.size();
  stay.nodes = std::move(nodes);
  job.stays.push_back(std::move(stay));
  job.placed = true;
}

void LiveSchedule::close(Job& job, StayEnd end) {
  job.stays.back().to = now_;
  job.stays.back().end = end;
  job.placed = false;
}

void LiveSchedule::forget() {
  if (held_ <= most_) return;
  std::size_t gone = 0;
  // Some more than needed, so that this is not done at each look.
  for (; gone < ended_.size() && held_ > most_ - most_ / 4; ++gone) {
    for (const Stay& stay : ended_[gone].stays) held_ -= 1 + stay.nodes.size() + stay.steps.size();
  }
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(gone));
}

timeline::Schedule LiveSchedule::schedule() const {
  timeline::Schedule out;
  out.algorithm = algorithm_;
  out.begin = begin_;
  out.end = now_;
  out.node_names = node_names_;
  out.node_memory = node_memory_;
  for (const double cpus : node_cpus_) out.node_cpu.push_back(cpus / largest_node_);
  std::vector<const Job*> jobs;
  for (const Job& job : ended_) jobs.push_back(&job);
  for (const auto& [number, job] : jobs_) jobs.push_back(&job);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job* a, const Job* b) { return a->facts.submit < b->facts.submit; });
  std::vector<std::pair<const Stay*, std::uint32_t>> stays;
  for (const Job* job : jobs) {
    for (const Stay& stay : job->stays) stays.emplace_back(&stay, static_cast<std::uint32_t>(out.jobs.size()));
    out.jobs.push_back(job->facts);
    out.jobs.back().cpu_need /= largest_node_;
  }
  std::stable_sort(stays.begin(), stays.end(),
                   [](const auto& a, const auto& b) { return a.first->from < b.first->from; });
  for (const auto& [stay, job] : stays) {
    timeline::Stay one;
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

}  // namespace dfrs::shim::web
