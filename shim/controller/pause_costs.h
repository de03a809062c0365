// SPDX-License-Identifier: GPL-2.0-or-later
// What a pause or a move costs a job, in seconds of progress; the policy weighs it (JobView::penalty).
//
//   suspend   its memory goes to swap and comes back, at the rate measured on the nodes
//   requeue   the time from the end of a run to the start of the next, measured on jobs that were moved, and, without a
//             checkpoint, all its progress, which it has to repeat
//
//   checkpoint
//             its memory is written and read back, at the rates measured on the nodes (the simulator's
//             `--penalty memory/RATE`), and the job is started again
//
// SwapRate, CheckpointRate and RestartCost of dfrs.conf replace what is measured.
#pragma once

#include <cstdint>

#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "shim/controller/throttle.h"
#include "shim/controller/timing.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// Before the first measurement: swap on a disk, and Slurm with a short epilog and a checkpoint to read.
inline constexpr double kSwapRateAtFirst = 100;  // MiB/s
inline constexpr Seconds kRestartAtFirst = 30;
inline constexpr double kImageRateAtFirst = 100;  // MiB/s
/// Weight of a new measurement in the running average.
inline constexpr double kNewMeasurement = 0.25;
/// A page-out that made progress in so many looks in a row was active throughout at least one interval.
inline constexpr std::uint32_t kLooksThatTell = 3;
/// In MiB; a smaller page-out says nothing about the rate.
inline constexpr double kLeastPageOut = 16;
/// In MiB; the time of a smaller image is not that of its transfer.
inline constexpr double kLeastImage = 16;

/// A job's image that was written or read: on the node with most of it, and as long as the slowest of its nodes took.
struct ImageTransfer {
  std::uint64_t bytes = 0;
  double seconds = 0;
};

class PauseCosts {
 public:
  /// A move took this long, from the end of one run to the start of the next. Ignored unless > 0.
  void restart_took(Seconds time);
  /// Reads the reports of nodes on which memory of suspended jobs moves to swap, at most once per kReportInterval.
  /// O(jobs + tasks of suspended jobs x jobs of their nodes).
  void watch(JobTable& jobs, const Nodes& nodes, const NodeAgents& agents, Seconds now);

  /// A node wrote an image, or read one.
  void image_written(const ImageTransfer& image) { write_rate_.take(image); }
  void image_read(const ImageTransfer& image) { read_rate_.take(image); }

  Seconds restart(const Config& config) const { return config.restart_cost.value_or(restart_); }
  /// Of one node, in MiB/s.
  double swap_rate(const Config& config) const { return config.swap_rate.value_or(swap_rate_); }

  /// Of images, in MiB/s of a node.
  double write_rate(const Config& config) const { return config.checkpoint_rate.value_or(write_rate_.value); }
  double read_rate(const Config& config) const { return config.checkpoint_rate.value_or(read_rate_.value); }

  /// Sets pause_cost and move_cost of all jobs. Call PauseRulebook::apply() first. O(jobs + tasks).
  void apply(JobTable& jobs, const Config& config, Seconds now) const;

 private:
  struct ImageRate {
    double value = kImageRateAtFirst;
    bool measured = false;
    void take(const ImageTransfer& image);
  };

  void page_out_ended(Job& job);

  double swap_rate_ = kSwapRateAtFirst;
  Seconds restart_ = kRestartAtFirst;
  bool swap_rate_measured_ = false;
  bool restart_measured_ = false;
  ImageRate write_rate_;
  ImageRate read_rate_;
  Throttle watch_{kReportInterval};
};

/// MiB of the job's image on the node that has most of it: as its agents say, else what it asked for. O(tasks).
double image_on_a_node(const Job& job);

/// To two significant digits: costs that change every second would only make records long.
Seconds rounded_cost(Seconds cost);

}  // namespace dfrs::shim
