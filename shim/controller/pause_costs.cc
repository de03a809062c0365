// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/pause_costs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policy/core/node_runs.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

// MiB of the job on the node that has most of it: nodes swap in parallel.
double memory_on_a_node(const Job& job) {
  std::uint32_t most = 0;
  each_node_run(job.facts.nodes, [&](NodeIndex, std::uint32_t tasks) { most = std::max(most, tasks); });
  return static_cast<double>(most) * static_cast<double>(job.facts.memory_per_task);
}

struct Swapped {
  double mib = 0;  // on the node that has most in swap
  Seconds at = 0;  // when its agent measured it
};

Swapped swapped_on_a_node(const Job& job, const Nodes& nodes, const NodeAgents& agents, Seconds now) {
  Swapped most;
  each_node(job.facts.nodes, [&](NodeIndex n) {
    if (n >= nodes.size()) return;
    const NodeReport report = agents.report(n);
    const JobUse* const use = report.use_of(job.id);
    if (use == nullptr || static_cast<double>(use->swap_mib) < most.mib) return;
    most = {static_cast<double>(use->swap_mib), now - report.measured_age};
  });
  return most;
}

}  // namespace

double image_on_a_node(const Job& job) {
  const std::uint64_t bytes = job.checkpointing.bytes_on_node;
  return bytes != 0 ? static_cast<double>(bytes) / (1 << 20) : memory_on_a_node(job);
}

void PauseCosts::ImageRate::take(const ImageTransfer& image) {
  const double mib = static_cast<double>(image.bytes) / (1 << 20);
  if (!(mib >= kLeastImage) || !(image.seconds > 0)) return;
  // The mean of times, not of rates: costs are times.
  const double per_mib = image.seconds / mib;
  value = 1 / (measured ? 1 / value + kNewMeasurement * (per_mib - 1 / value) : per_mib);
  measured = true;
}

Seconds rounded_cost(Seconds cost) {
  if (!(cost > 0)) return 0;
  const double step = std::pow(10.0, std::floor(std::log10(cost)) - 1);
  return std::round(cost / step) * step;
}

void PauseCosts::restart_took(Seconds time) {
  if (!(time > 0)) return;
  restart_ = restart_measured_ ? restart_ + kNewMeasurement * (time - restart_) : time;
  restart_measured_ = true;
}

void PauseCosts::page_out_ended(Job& job) {
  // A page-out is active for only a part of its first and last interval, so a short one gives a lower bound of the
  // rate.
  const double rate = std::exchange(job.pausing.page_out_rate, 0);
  const std::uint32_t looks = std::exchange(job.pausing.page_out_looks, 0);
  if (looks < kLooksThatTell && !(rate > swap_rate_)) return;
  swap_rate_ = swap_rate_measured_ ? swap_rate_ + kNewMeasurement * (rate - swap_rate_) : rate;
  swap_rate_measured_ = true;
}

void PauseCosts::watch(JobTable& jobs, const Nodes& nodes, const NodeAgents& agents, Seconds now) {
  if (!watch_.due(now)) return;
  jobs.each([&](Job& job) {
    if (!job.suspended() || job.facts.keeps_memory) {
      if (job.pausing.page_out_looks > 0) page_out_ended(job);  // it is resumed before all its memory was out
      job.pausing.swapped_mib = -1;
      return;
    }
    const Swapped seen = swapped_on_a_node(job, nodes, agents, now);
    const bool known = job.pausing.swapped_mib >= 0;
    const Seconds length = seen.at - job.pausing.swapped_at;
    if (known && !(length >= kReportInterval / 2)) return;  // still the same report
    const double grown = seen.mib - job.pausing.swapped_mib;
    job.pausing.swapped_mib = seen.mib;
    job.pausing.swapped_at = seen.at;
    if (!known) return;
    if (grown >= kLeastPageOut) {
      ++job.pausing.page_out_looks;
      job.pausing.page_out_rate = std::max(job.pausing.page_out_rate, grown / length);
    } else if (job.pausing.page_out_looks > 0) {
      page_out_ended(job);
    }
  });
}

void PauseCosts::apply(JobTable& jobs, const Config& config, Seconds now) const {
  const Seconds restart_cost = restart(config);
  const double rate = swap_rate(config);
  jobs.each([&](Job& job) {
    job.pausing.pause_cost = job.pausing.move_cost = -1;
    if (!job.in_engine() && !job.running() && !job.suspended()) return;
    const Seconds requeue = restart_cost + (checkpoints(job, config) ? 0 : job.virtual_time(now));
    const Seconds one_way = config.suspend_needs_swap ? memory_on_a_node(job) / rate : 0;
    const double image = image_on_a_node(job);
    const Seconds restore = image / read_rate(config);
    const Seconds checkpoint = restart_cost + image / write_rate(config) + restore;
    if (job.running()) {
      const PauseWay way = pause_way(job);
      if (way == PauseWay::suspend) job.pausing.pause_cost = kSuspendTakes + 2 * one_way;
      if (way == PauseWay::requeue) job.pausing.pause_cost = requeue;
      if (way == PauseWay::checkpoint) job.pausing.pause_cost = checkpoint;
      if (job.pausing.can_checkpoint) {
        job.pausing.move_cost = checkpoint;
      } else if (job.pausing.can_requeue) {
        job.pausing.move_cost = requeue;
      }
    } else if (job.suspended()) {
      job.pausing.pause_cost = one_way;  // the way back
      if (job.pausing.can_requeue) job.pausing.move_cost = requeue;
    } else if (job.history.first_start > 0) {
      job.pausing.pause_cost =
          restart_cost + (job.checkpointing.restoring ? restore : 0);  // any lost work was lost when its run ended
    }
    if (job.pausing.pause_cost >= 0) job.pausing.pause_cost = rounded_cost(job.pausing.pause_cost);
    if (job.pausing.move_cost >= 0) job.pausing.move_cost = rounded_cost(job.pausing.move_cost);
  });
}

}  // namespace dfrs::shim
