// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rr5724_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "sim/workload/random.h"
#include "studies/divisible/host/simulation.h"

namespace dfrs::sim {

using dfrs::divisible::Algorithm;
using divisible::GeneratorOptions;

Rr5724Campaign::Rr5724Campaign(std::vector<GeneratorOptions> configurations, std::size_t instances, std::uint64_t seed,
                               const Rr5724Assumed& assumed)
    : configurations_(std::move(configurations)), instances_(instances), seed_(seed), assumed_(assumed) {
  for (GeneratorOptions& configuration : configurations_) {
    GeneratorOptions whole = assumed.generator;
    whole.clusters = configuration.clusters;
    whole.databanks = configuration.databanks;
    whole.availability = configuration.availability;
    whole.density = configuration.density;
    configuration = whole;
  }
  outcomes_.resize(count() * algorithms().size());
}

bool Rr5724Campaign::runs(Algorithm algorithm, const GeneratorOptions& configuration) {
  return algorithm != Algorithm::bender98 || configuration.clusters == 3;
}

GeneratorOptions Rr5724Campaign::instance_options(std::size_t k) const {
  GeneratorOptions options = configuration(k);
  // The seed depends on the configuration, not on its index, which varies with the requested tables.
  const auto tag =
      static_cast<std::uint64_t>(options.clusters * 1'000'000 + options.databanks * 10'000 +
                                 std::lround(options.availability * 10) * 1000 + std::lround(options.density * 100));
  options.seed = Random(seed_, tag).next() + k % instances_;
  return options;
}

Result<void> Rr5724Campaign::run(unsigned threads, const Progress& progress) {
  const auto simulate_one = [&](std::size_t k) -> Result<void> {
    const Result<divisible::Instance> instance = divisible::generate(instance_options(k));
    if (!instance) return tl::unexpected(instance.error());
    for (std::size_t a = 0; a < algorithms().size(); ++a) {
      if (!runs(algorithms()[a], configuration(k))) continue;
      const Result<divisible::RunResult> result =
          divisible::simulate(*instance, algorithms()[a], {assumed_.basis, false, assumed_.rules});
      if (!result) return tl::unexpected(result.error());
      const divisible::Metrics metrics = divisible::measure(*instance, *result, assumed_.basis);
      outcomes_[k * algorithms().size() + a] = {metrics.max_stretch, metrics.sum_stretch};
    }
    return {};
  };
  return try_parallel_for(count(), threads, simulate_one, progress);
}

std::string Rr5724Campaign::csv() const {
  std::string text = "clusters,databanks,availability,density,seed,algorithm,max_stretch,sum_stretch\n";
  for (std::size_t k = 0; k < count(); ++k) {
    const GeneratorOptions o = instance_options(k);
    for (std::size_t a = 0; a < algorithms().size(); ++a) {
      if (!runs(algorithms()[a], o)) continue;
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", o.clusters, o.databanks, o.availability,
                     o.density, o.seed, algorithm_name(algorithms()[a]), outcome(k, a).max_stretch,
                     outcome(k, a).sum_stretch);
    }
  }
  return text;
}

Rr5724Campaign::Outcome Rr5724Campaign::best_of(std::size_t k) const {
  Outcome best{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (std::size_t a = 0; a < algorithms().size(); ++a) {
    if (!runs(algorithms()[a], configuration(k))) continue;
    best.max_stretch = std::min(best.max_stretch, outcome(k, a).max_stretch);
    best.sum_stretch = std::min(best.sum_stretch, outcome(k, a).sum_stretch);
  }
  return best;
}

}  // namespace dfrs::sim
