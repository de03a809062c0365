// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rr5724.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "sim/campaign/parallel.h"
#include "sim/io/output_file.h"
#include "sim/metrics/metrics.h"
#include "sim/workload/random.h"
#include "studies/divisible/host/generator.h"
#include "studies/divisible/host/simulation.h"
#include "studies/divisible/rr5724_published.h"

namespace dfrs::sim {
namespace {

using dfrs::divisible::Algorithm;
using divisible::DensityReading;
using divisible::GeneratorOptions;

constexpr std::size_t kPaperInstances = 200;  // per configuration

constexpr std::array<ReproductionPart, 17> kParts{{
    {"table1", "all 162 configurations"},
    {"table2", "3 sites"},
    {"table3", "10 sites"},
    {"table4", "20 sites"},
    {"table5", "workload density 0.75"},
    {"table6", "workload density 1.00"},
    {"table7", "workload density 1.25"},
    {"table8", "workload density 1.50"},
    {"table9", "workload density 2.00"},
    {"table10", "workload density 3.00"},
    {"table11", "3 databanks"},
    {"table12", "10 databanks"},
    {"table13", "20 databanks"},
    {"table14", "databank availability 30 %"},
    {"table15", "databank availability 60 %"},
    {"table16", "databank availability 90 %"},
    {"table2-loaded", "3 sites, ten times the requests: the density counts every processor of a site (only if named)"},
}};
constexpr std::size_t kLoaded = 16;

// True if a configuration belongs to table kParts[part].
bool belongs(const GeneratorOptions& c, std::size_t part) {
  constexpr std::array<int, 3> kCounts{3, 10, 20};
  constexpr std::array<double, 6> kDensities{0.75, 1.0, 1.25, 1.5, 2.0, 3.0};
  constexpr std::array<double, 3> kAvailabilities{0.3, 0.6, 0.9};
  if (part == 0) return true;
  if (part == kLoaded) return c.clusters == 3;
  if (part < 4) return c.clusters == kCounts[part - 1];
  if (part < 10) return c.density == kDensities[part - 4];
  if (part < 13) return c.databanks == kCounts[part - 10];
  return c.availability == kAvailabilities[part - 13];
}

// As in the paper: Bender98 runs only on small platforms, because it solves the whole problem at every arrival.
bool runs(Algorithm algorithm, const GeneratorOptions& c) {
  return algorithm != Algorithm::bender98 || c.clusters == 3;
}

struct Outcome {
  double max_stretch = 0;  // 0: did not run
  double sum_stretch = 0;
};

// The outcomes of every algorithm on the instances of some configurations, ordered by configuration, instance and
// algorithm.
class Campaign {
 public:
  Campaign(std::vector<GeneratorOptions> configurations, std::size_t instances, const ReproduceOptions& options)
      : configurations_(std::move(configurations)), instances_(instances), seed_(options.seed) {
    outcomes_.resize(count() * algorithms().size());
  }

  std::size_t count() const { return configurations_.size() * instances_; }
  const GeneratorOptions& configuration(std::size_t k) const { return configurations_[k / instances_]; }
  const Outcome& outcome(std::size_t k, std::size_t algorithm) const {
    return outcomes_[k * algorithms().size() + algorithm];
  }
  static std::span<const Algorithm> algorithms() { return dfrs::divisible::all_algorithms(); }

  // The options that generate instance k.
  GeneratorOptions instance_options(std::size_t k) const {
    GeneratorOptions options = configuration(k);
    // The seed depends on the configuration, not on its index, which varies with the requested tables.
    const auto tag =
        static_cast<std::uint64_t>(options.clusters * 1'000'000 + options.databanks * 10'000 +
                                   std::lround(options.availability * 10) * 1000 + std::lround(options.density * 100));
    options.seed = Random(seed_, tag).next() + k % instances_;
    return options;
  }

  void run(unsigned threads, const Progress& progress) {
    const auto simulate_one = [&](std::size_t k) {
      const divisible::Instance instance = divisible::generate(instance_options(k));
      for (std::size_t a = 0; a < algorithms().size(); ++a) {
        if (!runs(algorithms()[a], configuration(k))) continue;
        const divisible::RunResult result = divisible::simulate(instance, algorithms()[a], {});
        const divisible::Metrics metrics = divisible::measure(instance, result, divisible::StretchBasis::platform);
        outcomes_[k * algorithms().size() + a] = {metrics.max_stretch, metrics.sum_stretch};
      }
    };
    parallel_for(count(), threads, simulate_one, progress);
  }

  // Degradation of an algorithm from the best on each instance, over the instances of a table.
  struct Degradation {
    Summary max_stretch, sum_stretch;
  };
  Degradation degradation(std::size_t part, std::size_t algorithm) const {
    std::vector<double> max_stretch;
    std::vector<double> sum_stretch;
    for (std::size_t k = 0; k < count(); ++k) {
      if (!belongs(configuration(k), part) || !runs(algorithms()[algorithm], configuration(k))) continue;
      const Outcome best = best_of(k);
      max_stretch.push_back(outcome(k, algorithm).max_stretch / best.max_stretch);
      sum_stretch.push_back(outcome(k, algorithm).sum_stretch / best.sum_stretch);
    }
    return {summarize(max_stretch), summarize(sum_stretch)};
  }

  std::string csv() const {
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

 private:
  Outcome best_of(std::size_t k) const {
    Outcome best{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (std::size_t a = 0; a < algorithms().size(); ++a) {
      if (!runs(algorithms()[a], configuration(k))) continue;
      best.max_stretch = std::min(best.max_stretch, outcome(k, a).max_stretch);
      best.sum_stretch = std::min(best.sum_stretch, outcome(k, a).sum_stretch);
    }
    return best;
  }

  std::vector<GeneratorOptions> configurations_;
  std::size_t instances_;
  std::uint64_t seed_;
  std::vector<Outcome> outcomes_;
};

void add_cells(ReproductionReport& report, std::size_t part, const Rr5724Row& row, const Campaign::Degradation& ours) {
  const auto add = [&](std::string_view column, double published, double measured) {
    report.add({std::string(kParts[part].name), std::string(row.algorithm), std::string(column), published, measured});
  };
  add("max-stretch mean", row.max_stretch.mean, ours.max_stretch.mean);
  add("max-stretch SD", row.max_stretch.deviation, ours.max_stretch.stddev);
  add("max-stretch max", row.max_stretch.max, ours.max_stretch.max);
  add("sum-stretch mean", row.sum_stretch.mean, ours.sum_stretch.mean);
  add("sum-stretch SD", row.sum_stretch.deviation, ours.sum_stretch.stddev);
  add("sum-stretch max", row.sum_stretch.max, ours.sum_stretch.max);
}

void run(const ReproduceOptions& options, ReproductionReport& report) {
  const std::size_t instances = options.instances == 0 ? kPaperInstances : options.instances;
  // Heavy load runs only if named, because its instances take far longer.
  const bool loaded = !options.parts.empty() && options.wants(kParts[kLoaded].name);
  std::vector<GeneratorOptions> wanted;
  std::vector<GeneratorOptions> wanted_loaded;
  for (GeneratorOptions c : divisible::rr5724_configurations()) {
    bool any = false;
    for (std::size_t part = 0; part < kLoaded; ++part) {
      any = any || (options.wants(kParts[part].name) && belongs(c, part));
    }
    c.reading = DensityReading::processor;
    if (any) wanted.push_back(c);
    c.reading = DensityReading::shared;
    if (loaded && belongs(c, kLoaded)) wanted_loaded.push_back(c);
  }
  Campaign light(std::move(wanted), instances, options);
  Campaign heavy(std::move(wanted_loaded), instances, options);
  const std::size_t total = light.count() + heavy.count();
  const auto progress_from = [&](std::size_t before) {
    Progress progress;
    if (options.progress)
      progress = [&, before](std::size_t done, std::size_t) { options.progress(before + done, total); };
    return progress;
  };
  light.run(options.threads, progress_from(0));
  heavy.run(options.threads, progress_from(light.count()));

  for (std::size_t part = 0; part < kParts.size(); ++part) {
    if (part == kLoaded ? !loaded : !options.wants(kParts[part].name)) continue;
    const Campaign& campaign = part == kLoaded ? heavy : light;
    const int table = part == kLoaded ? 2 : static_cast<int>(part) + 1;
    std::size_t count = 0;
    for (std::size_t k = 0; k < campaign.count(); ++k) count += belongs(campaign.configuration(k), part) ? 1 : 0;
    for (const Rr5724Row& row : rr5724_published()) {
      if (row.table != table) continue;
      const auto at = std::find_if(Campaign::algorithms().begin(), Campaign::algorithms().end(),
                                   [&](Algorithm a) { return algorithm_name(a) == row.algorithm; });
      add_cells(report, part, row,
                campaign.degradation(part, static_cast<std::size_t>(at - Campaign::algorithms().begin())));
    }
    report.note(std::string(kParts[part].name),
                fmt::format("{} instances, {} of each configuration (the paper: {}); speeds of processors are not "
                            "published, ours are a choice; degradation is from the best of all algorithms on each "
                            "instance.",
                            count, instances, kPaperInstances));
    report.note(std::string(kParts[part].name),
                part == kLoaded
                    ? "The workload density counts all ten processors of a site: the density is the system's load."
                    : "The workload density counts one processor of a site, which is what the published figures fit.");
    if (part == 0) report.note("table1", "Bender98 only on platforms of 3 clusters, as published.");
  }
  if (options.output.empty()) return;
  if (light.count() > 0) {
    write_file((std::filesystem::path(options.output) / "rr5724-instances.csv").string(), light.csv());
  }
  if (heavy.count() > 0) {
    write_file((std::filesystem::path(options.output) / "rr5724-loaded-instances.csv").string(), heavy.csv());
  }
}

}  // namespace

const Reproduction kRr5724{
    "rr5724", "Legrand, Su, Vivien: Minimizing the stretch when scheduling flows of biological requests, 2005", kParts,
    run};

}  // namespace dfrs::sim
