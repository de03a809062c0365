// SPDX-License-Identifier: GPL-2.0-or-later
// Every algorithm of RR-5724 on the instances of some configurations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/campaign/parallel.h"
#include "sim/errors.h"
#include "sim/metrics/metrics.h"
#include "studies/divisible/rr5724_readings.h"
#include "studies/divisible/rules/algorithm.h"

namespace dfrs::sim {

class Rr5724Campaign {
 public:
  /// `instances` of each configuration.
  Rr5724Campaign(std::vector<divisible::GeneratorOptions> configurations, std::size_t instances, std::uint64_t seed,
                 const Rr5724Assumed& assumed);

  std::size_t count() const { return configurations_.size() * instances_; }
  const divisible::GeneratorOptions& configuration(std::size_t k) const { return configurations_[k / instances_]; }
  static std::span<const dfrs::divisible::Algorithm> algorithms() { return dfrs::divisible::all_algorithms(); }

  /// Errors: those of generate() and simulate().
  Result<void> run(unsigned threads, const Progress& progress);

  /// Degradation of an algorithm from the best on each instance.
  struct Degradation {
    std::vector<double> max_stretch, sum_stretch;
  };
  /// Over the instances whose configuration `belongs`, where the algorithm ran.
  template <class Belongs>
  Degradation degradation(std::size_t algorithm, const Belongs& belongs) const {
    Degradation all;
    for (std::size_t k = 0; k < count(); ++k) {
      if (!belongs(configuration(k)) || !runs(algorithms()[algorithm], configuration(k))) continue;
      const Outcome best = best_of(k);
      all.max_stretch.push_back(outcome(k, algorithm).max_stretch / best.max_stretch);
      all.sum_stretch.push_back(outcome(k, algorithm).sum_stretch / best.sum_stretch);
    }
    return all;
  }

  /// A line per instance and algorithm.
  std::string csv() const;

 private:
  struct Outcome {
    double max_stretch = 0;  // 0: did not run
    double sum_stretch = 0;
  };

  /// As in the paper: Bender98 runs only on small platforms, because it solves the whole problem at every arrival.
  static bool runs(dfrs::divisible::Algorithm algorithm, const divisible::GeneratorOptions& configuration);

  // The options that generate instance k.
  divisible::GeneratorOptions instance_options(std::size_t k) const;
  const Outcome& outcome(std::size_t k, std::size_t algorithm) const {
    return outcomes_[k * algorithms().size() + algorithm];
  }
  Outcome best_of(std::size_t k) const;

  std::vector<divisible::GeneratorOptions> configurations_;
  std::size_t instances_;
  std::uint64_t seed_;
  Rr5724Assumed assumed_;
  std::vector<Outcome> outcomes_;  // by configuration, instance and algorithm
};

}  // namespace dfrs::sim
