// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/host/workload.h"

#include <cmath>

namespace dfrs::sim {
namespace {

enum Stream : std::uint64_t { kArrivals, kSizes, kServices, kSetups, kStreams };

// Stream 0 of Random is the plain seed, so these begin at 1.
Random stream(std::uint64_t seed, std::uint64_t replication, Stream which) {
  return Random(seed, 1 + replication * kStreams + which);
}

Seconds exponential(Random& random, double rate) { return -std::log1p(-random.uniform()) / rate; }

}  // namespace

double GangWorkloadOptions::mean_tasks() const {
  const double small = (1 + small_most) / 2.0;
  const double large = (small_most + 1 + large_most) / 2.0;
  return small_probability * small + (1 - small_probability) * large;
}

RandomGangs::RandomGangs(const GangWorkloadOptions& options, std::uint64_t seed, std::uint64_t replication)
    : options_(options),
      arrivals_(stream(seed, replication, kArrivals)),
      sizes_(stream(seed, replication, kSizes)),
      services_(stream(seed, replication, kServices)) {}

std::optional<GangJob> RandomGangs::next() {
  now_ += exponential(arrivals_, options_.arrival_rate);
  const bool small = sizes_.uniform() < options_.small_probability;
  const int low = small ? 1 : static_cast<int>(options_.small_most) + 1;
  const int high = static_cast<int>(small ? options_.small_most : options_.large_most);
  const auto tasks = static_cast<std::uint32_t>(sizes_.uniform_integer(low, high));
  return GangJob{now_, tasks, exponential(services_, options_.service_rate)};
}

RandomSetupDelays::RandomSetupDelays(const GangWorkloadOptions& options, std::uint64_t seed, std::uint64_t replication)
    : most_(options.setup_most), random_(stream(seed, replication, kSetups)) {}

}  // namespace dfrs::sim
