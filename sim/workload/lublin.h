// SPDX-License-Identifier: GPL-2.0-or-later
// Synthetic workloads: the model of Lublin and Feitelson (JPDC 63(11), 2003) with the annotation of RR-7659,
// section 5.3.2.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/workload/random.h"

namespace dfrs::sim {

/// The model's parameters for one type of job. Logarithms are natural unless the name says log2. Gamma(a, b): shape a,
/// scale b.
struct LublinParameters {
  double serial_prob, pow2_prob;       ///< of one node; of a larger power of two
  double low_log2, med_log2, hi_log2;  ///< two-stage uniform of the log2 of the nodes
  double low_stage_prob;               ///< of the lower stage
  double a1, b1, a2, b2;               ///< log of the run time: a mixture of two gammas ...
  double mix_slope, mix_offset;        ///< ... the first with probability slope x nodes + offset
  double a_arrival, b_arrival;         ///< log of the time between arrivals at rush hours
  double a_cycle, b_cycle;             ///< the daily cycle
  double arrival_factor;               ///< multiplies a_arrival
};

enum class LublinType { kBatch, kInteractive, kTypeless };

/// The published parameters, for a machine of `nodes`: hi_log2 is its log2 (at most that for interactive jobs),
/// med_log2 stays within hi_log2 - 3.5 .. hi_log2 - 1.5.
LublinParameters lublin_parameters(LublinType type, int nodes);

/// Which jobs a workload has. RR-7659's traces fit the mix ("4-6 days"); the typeless set gives traces twice as long.
enum class LublinMix { kBatchAndInteractive, kBatch, kInteractive, kTypeless };

struct LublinOptions {
  std::uint64_t seed = 1;
  int jobs = 1000;  ///< 1 .. 10,000,000
  LublinMix mix = LublinMix::kBatchAndInteractive;
  int start_hour = 0;               ///< of the day at time 0, 0 .. 23
  int nodes = 128;                  ///< 2 .. 1,000,000
  int cores = 4;                    ///< one-task jobs are sequential and need 1/cores; tasks of other jobs need 1
  RigidAmount memory_mib = 10240;   ///< per node, >= 10; a multiple of 10 makes all amounts exact
  double small_memory_prob = 0.55;  ///< of tasks that need 10 % of a node; others need 10 x uniform{2 .. 10} %
};

/// A workload, named "lublin-<seed>". The same options give the same instance on every platform: submit times are
/// rounded to milliseconds, which hides differences in the last bits between mathematical libraries. Estimates equal
/// run times. Errors: kExitUsage for an option out of range.
Result<Instance> lublin_instance(const LublinOptions& options);

/// The arrivals of one type of job: each call gives the next one, in seconds from the start hour.
class LublinArrivals {
 public:
  static constexpr int kBuckets = 48;  ///< of half an hour each

  LublinArrivals(const LublinParameters& parameters, int start_hour, Random random);
  Seconds next();
  /// The daily cycle: relative density of arrivals per bucket, from midnight; mean 1.
  const std::array<double, kBuckets>& weights() const { return weights_; }

 private:
  LublinParameters parameters_;
  Random random_;
  std::array<double, kBuckets> weights_{};
  int bucket_;
  double points_ = 0;
  double remainder_ = 0;
  Seconds clock_ = 0;
};

/// Number of nodes of a job, 1 .. machine.
int lublin_size(const LublinParameters& parameters, int machine, Random& random);
/// Run time in whole seconds of a job on `nodes` nodes.
Seconds lublin_run_time(const LublinParameters& parameters, int nodes, Random& random);
/// Memory of a task in tenths of a node's: 1 with probability `small_memory_prob`, else one of 2 .. 10.
int lublin_memory_tenths(double small_memory_prob, Random& random);

}  // namespace dfrs::sim
