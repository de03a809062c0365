// SPDX-License-Identifier: GPL-2.0-or-later
// Gangs that arrive (Moschakis and Karatza 2011, section II): Poisson arrivals, exponential service times, two ranges
// of sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/core/units.h"
#include "sim/workload/random.h"

namespace dfrs::sim {

/// A parallel job whose tasks run at the same time, a machine each. Times are in time units, of which the mean service
/// time is one in the paper.
struct GangJob {
  Seconds arrival = 0;
  std::uint32_t tasks = 1;
  Seconds execution = 0;
};

/// Gangs in the order of arrival.
class GangSource {
 public:
  virtual ~GangSource() = default;
  /// The next one, or nothing if there are no more.
  virtual std::optional<GangJob> next() = 0;
};

/// How long it takes to set up the machines of one request.
class SetupDelays {
 public:
  virtual ~SetupDelays() = default;
  /// For the next request, >= 0.
  virtual Seconds next() = 0;
};

struct GangWorkloadOptions {
  double arrival_rate = 2;         ///< lambda, gangs per time unit, > 0
  double service_rate = 1;         ///< mu: the mean service time is 1 / mu, > 0
  double small_probability = 0.5;  ///< q: of a low-parallelism gang, 0 .. 1
  std::uint32_t small_most = 16;   ///< these have 1 .. small_most tasks, uniformly, >= 1
  std::uint32_t large_most = 32;   ///< the others small_most + 1 .. large_most, > small_most
  double setup_most = 0.2;         ///< setup delays are uniform in [0, setup_most)

  /// AJS of equation 1.
  double mean_tasks() const;
};

/// Without end. Arrivals, sizes and service times have streams of random numbers of their own, so that every scheduler
/// meets the same gangs.
class RandomGangs final : public GangSource {
 public:
  /// `replication` makes independent sequences of one seed.
  RandomGangs(const GangWorkloadOptions& options, std::uint64_t seed, std::uint64_t replication);
  std::optional<GangJob> next() override;

 private:
  GangWorkloadOptions options_;
  Random arrivals_;
  Random sizes_;
  Random services_;
  Seconds now_ = 0;
};

/// Uniform in [0, setup_most), from a stream of its own.
class RandomSetupDelays final : public SetupDelays {
 public:
  RandomSetupDelays(const GangWorkloadOptions& options, std::uint64_t seed, std::uint64_t replication);
  Seconds next() override { return random_.uniform(0, most_); }

 private:
  double most_;
  Random random_;
};

}  // namespace dfrs::sim
