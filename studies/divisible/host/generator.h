// SPDX-License-Identifier: GPL-2.0-or-later
// Random instances of RR-5724, section 5.1 and 5.3: sequence databanks replicated over clusters, and fifteen minutes of
// requests against them.
//
// The paper gives no values for the speeds of its six reference platforms, for the work per megabyte of a databank, and
// for "the computational power available" to a databank when clusters hold several; ours are choices.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "studies/divisible/host/instance.h"

namespace dfrs::sim::divisible {

/// What the density of requests for a databank refers to: "the aggregate computational power available to handle such
/// requests".
enum class DensityReading {
  shared,     ///< the power of the clusters that hold it, each divided by the databanks it holds: the density is the
              ///< load of the whole system
  processor,  ///< the same with one processor of each cluster, "a single processor value" by which the paper describes
              ///< a site: a tenth of the load
  alone,      ///< all the power of the clusters that hold it: each databank alone makes that load
  equal,      ///< one processor of every cluster, shared equally by all databanks, wherever they are
};

/// Sizes of databanks between kLeastDatabank and kMostDatabank; the paper says "a continuous range".
enum class SizeReading {
  uniform,
  log_uniform,
};

/// Speeds of the six reference platforms relative to their mean.
enum class SpeedReading {
  spread,  ///< kReferenceSpeeds
  close,   ///< kCloseSpeeds: within a factor of 2
  same,    ///< all alike
};

/// What becomes of a site that happens to hold no databank.
enum class EmptySites {
  kept,   ///< it serves no request
  drawn,  ///< its databanks are drawn again until it holds one
};

struct GeneratorOptions {
  std::uint64_t seed = 1;
  int clusters = 3;           ///< 1 .. 1000
  int databanks = 3;          ///< 1 .. 1000
  double availability = 0.6;  ///< probability of a databank at a cluster, 0 .. 1
  double density = 1;         ///< > 0
  DensityReading reading = DensityReading::shared;
  SizeReading sizes = SizeReading::uniform;
  SpeedReading speeds = SpeedReading::spread;
  EmptySites empty_sites = EmptySites::kept;
  double pace = 1;         ///< > 0; all speeds times this: as many times the requests, each as many times shorter
  Seconds duration = 900;  ///< time in which requests arrive, > 0
};

inline constexpr int kProcessorsPerCluster = 10;
/// Size of a databank in MB, uniform; a request takes as much work as its databank has megabytes.
inline constexpr double kLeastDatabank = 10;
inline constexpr double kMostDatabank = 1000;
/// Speeds of one processor of the six reference platforms, MB/s; the mean is 1.
inline constexpr std::array<double, 6> kReferenceSpeeds{0.5, 0.7, 0.9, 1.1, 1.3, 1.5};
inline constexpr std::array<double, 6> kCloseSpeeds{10.0 / 15, 12.0 / 15, 14.0 / 15, 16.0 / 15, 18.0 / 15, 20.0 / 15};
inline constexpr std::array<double, 6> kSameSpeeds{1, 1, 1, 1, 1, 1};

/// One instance, the same on every machine except for the last bits of a logarithm. A databank on no cluster is put on
/// one; a workload without requests is drawn again. Errors: kExitUsage for an option out of range.
Result<Instance> generate(const GeneratorOptions& options);

/// The 162 configurations of section 5.3, by clusters, databanks, availability and density; seeds are not set.
std::vector<GeneratorOptions> rr5724_configurations();

/// Mean time between requests for a databank of `size` MB under a density, s.
Seconds mean_interarrival(double size, double power_available, double density);

}  // namespace dfrs::sim::divisible
