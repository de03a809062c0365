// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/workload/random.h"

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::Cluster;
using dfrs::divisible::DatabankIndex;

Result<void> check(const GeneratorOptions& o) {
  struct Range {
    bool inside;
    std::string_view what;
    double value;
    std::string_view expected;
  };
  for (const Range& range : {
           Range{o.clusters >= 1 && o.clusters <= 1000, "the number of clusters", double(o.clusters), "1 .. 1000"},
           Range{o.databanks >= 1 && o.databanks <= 1000, "the number of databanks", double(o.databanks), "1 .. 1000"},
           Range{o.availability >= 0 && o.availability <= 1, "the availability", o.availability, "0 .. 1"},
           Range{o.density >= 1e-3 && o.density <= 100, "the workload density", o.density, "0.001 .. 100"},
           Range{o.pace > 0 && o.pace <= 1000, "the pace", o.pace, "a number > 0, at most 1000"},
           Range{o.duration >= 1 && o.duration <= 1e6, "the time of arrivals", o.duration, "1 .. 1000000 s"},
       }) {
    if (!range.inside)
      return usage_error(fmt::format("{} is {}, expected {}", range.what, range.value, range.expected));
  }
  return {};
}

// Independent random streams, so that more databanks do not change the speeds of clusters.
enum Stream : std::uint64_t { kSpeeds = 1, kSizes, kPlaces, kArrivals };

std::span<const double> reference_speeds(SpeedReading reading) {
  switch (reading) {
    case SpeedReading::spread:
      break;
    case SpeedReading::close:
      return kCloseSpeeds;
    case SpeedReading::same:
      return kSameSpeeds;
  }
  return kReferenceSpeeds;
}

double draw_size(Random& random, SizeReading reading) {
  if (reading == SizeReading::uniform) return random.uniform(kLeastDatabank, kMostDatabank);
  return std::exp(random.uniform(std::log(kLeastDatabank), std::log(kMostDatabank)));
}

// Holds each databank with the probability `availability`, under the condition that it holds one. If a thousand
// draws leave it empty, the probability is so small that it holds just one, each as likely as the others.
void fill_site(Random& random, double availability, std::size_t databanks, Cluster& cluster) {
  constexpr int kMostDraws = 1000;
  for (int draw = 0; draw < kMostDraws && cluster.databanks.empty(); ++draw) {
    for (DatabankIndex d = 0; d < databanks; ++d) {
      if (random.uniform() < availability) cluster.databanks.push_back(d);
    }
  }
  if (cluster.databanks.empty()) {
    cluster.databanks.push_back(static_cast<DatabankIndex>(random.uniform_integer(0, static_cast<int>(databanks) - 1)));
  }
}

}  // namespace

Seconds mean_interarrival(double size, double power_available, double density) {
  return size / (power_available * density);
}

Result<Instance> generate(const GeneratorOptions& options) {
  if (auto fine = check(options); !fine) return tl::unexpected(std::move(fine).error());
  Random speeds(options.seed, kSpeeds);
  Random sizes(options.seed, kSizes);
  Random places(options.seed, kPlaces);
  Random arrivals(options.seed, kArrivals);

  Instance instance;
  instance.name = fmt::format("c{}-d{}-a{}-w{}-{}", options.clusters, options.databanks, options.availability,
                              options.density, options.seed);
  instance.databanks = static_cast<std::size_t>(options.databanks);
  instance.clusters.resize(static_cast<std::size_t>(options.clusters));
  const std::span<const double> reference = reference_speeds(options.speeds);
  for (Cluster& cluster : instance.clusters) {
    cluster.processors = kProcessorsPerCluster;
    cluster.speed =
        options.pace *
        reference[static_cast<std::size_t>(speeds.uniform_integer(0, static_cast<int>(reference.size()) - 1))];
  }
  std::vector<double> size(instance.databanks);
  for (DatabankIndex d = 0; d < instance.databanks; ++d) {
    size[d] = draw_size(sizes, options.sizes);
    bool somewhere = false;
    for (Cluster& cluster : instance.clusters) {
      if (places.uniform() >= options.availability) continue;
      cluster.databanks.push_back(d);
      somewhere = true;
    }
    if (!somewhere) {
      instance.clusters[static_cast<std::size_t>(places.uniform_integer(0, options.clusters - 1))].databanks.push_back(
          d);
    }
  }
  if (options.empty_sites == EmptySites::drawn) {
    for (Cluster& cluster : instance.clusters) {
      if (cluster.databanks.empty()) fill_site(places, options.availability, instance.databanks, cluster);
    }
  }
  double processors = 0;  // one of each cluster
  for (const Cluster& cluster : instance.clusters) processors += cluster.speed;
  while (instance.jobs.empty()) {
    for (DatabankIndex d = 0; d < instance.databanks; ++d) {
      double power = 0;
      for (const Cluster& cluster : instance.clusters) {
        if (!std::binary_search(cluster.databanks.begin(), cluster.databanks.end(), d)) continue;
        switch (const auto sharers = static_cast<double>(cluster.databanks.size()); options.reading) {
          case DensityReading::shared:
            power += cluster.power() / sharers;
            break;
          case DensityReading::processor:
            power += cluster.speed / sharers;
            break;
          case DensityReading::alone:
            power += cluster.power();
            break;
          case DensityReading::equal:
            break;
        }
      }
      if (options.reading == DensityReading::equal) power = processors / static_cast<double>(instance.databanks);
      const Seconds mean = mean_interarrival(size[d], power, options.density);
      // 1 - uniform() is in (0, 1].
      for (Seconds at = -mean * std::log(1 - arrivals.uniform()); at < options.duration;
           at -= mean * std::log(1 - arrivals.uniform())) {
        instance.jobs.push_back({at, size[d], d});
      }
    }
  }
  std::stable_sort(instance.jobs.begin(), instance.jobs.end(),
                   [](const Job& a, const Job& b) { return a.release < b.release; });
  return instance;
}

std::vector<GeneratorOptions> rr5724_configurations() {
  std::vector<GeneratorOptions> all;
  for (const int clusters : {3, 10, 20}) {
    for (const int databanks : {3, 10, 20}) {
      for (const double availability : {0.3, 0.6, 0.9}) {
        for (const double density : {0.75, 1.0, 1.25, 1.5, 2.0, 3.0}) {
          GeneratorOptions options;
          options.clusters = clusters;
          options.databanks = databanks;
          options.availability = availability;
          options.density = density;
          all.push_back(options);
        }
      }
    }
  }
  return all;
}

}  // namespace dfrs::sim::divisible
