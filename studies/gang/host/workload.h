// SPDX-License-Identifier: GPL-2.0-or-later
// The workload of Moschakis and Karatza (2011, section II): Poisson arrivals, exponential service times, two ranges of
// sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/core/units.h"
#include "sim/workload/random.h"

namespace dfrs::sim {

/// A parallel job whose tasks run at the same time, each on its own machine. Times are in time units; the paper's mean
/// service time is one.
struct GangJob {
  Seconds arrival = 0;
  std::uint32_t tasks = 1;
  Seconds execution = 0;
};

/// Yields gangs in order of arrival.
class GangSource {
 public:
  virtual ~GangSource() = default;
  /// The next gang, or nothing if there are no more.
  virtual std::optional<GangJob> next() = 0;
};

/// Yields the time to set up the machines of each request.
class SetupDelays {
 public:
  virtual ~SetupDelays() = default;
  /// For the next request, >= 0.
  virtual Seconds next() = 0;
};

struct GangWorkloadOptions {
  double arrival_rate = 2;         ///< lambda, gangs per time unit, > 0
  double service_rate = 1;         ///< mu: the mean service time is 1 / mu, > 0
  double small_probability = 0.5;  ///< q: probability of a low-parallelism gang, 0 .. 1
  std::uint32_t small_most = 16;   ///< low-parallelism gangs have 1 .. small_most tasks, uniformly; >= 1
  std::uint32_t large_most = 32;   ///< others have small_most + 1 .. large_most; > small_most
  double setup_most = 0.2;         ///< setup delays are uniform in [0, setup_most)

  /// AJS of equation 1.
  double mean_tasks() const;
};

/// An endless source. Arrivals, sizes and service times use separate random streams, so that every scheduler gets the
/// same gangs.
class RandomGangs final : public GangSource {
 public:
  /// `replication` selects one of several independent sequences of a seed.
  RandomGangs(const GangWorkloadOptions& options, std::uint64_t seed, std::uint64_t replication);
  std::optional<GangJob> next() override;

 private:
  GangWorkloadOptions options_;
  Random arrivals_;
  Random sizes_;
  Random services_;
  Seconds now_ = 0;
};

/// Uniform in [0, setup_most), from a separate random stream.
class RandomSetupDelays final : public SetupDelays {
 public:
  RandomSetupDelays(const GangWorkloadOptions& options, std::uint64_t seed, std::uint64_t replication);
  Seconds next() override { return random_.uniform(0, most_); }

 private:
  double most_;
  Random random_;
};

}  // namespace dfrs::sim
