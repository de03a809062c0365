// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/lublin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "sim/workload/number_parser.h"

namespace dfrs::sim {
namespace {

constexpr Seconds kBucketSeconds = 1800;
constexpr double kMaxLogRunTime = 12;
constexpr double kMaxLogGap = 13;

// The random streams of a seed. They are separate so that, for example, another memory distribution leaves the jobs and
// their arrivals unchanged.
enum Stream : std::uint64_t { kBatchArrivals = 1, kInteractiveArrivals, kTypelessArrivals, kShapes, kMemories };

Result<void> check(const LublinOptions& options) {
  struct Range {
    std::string_view what;
    double value, least, most;
  };
  const Range ranges[] = {
      {"jobs", static_cast<double>(options.jobs), 1, 1e7},
      {"start hour", static_cast<double>(options.start_hour), 0, 23},
      {"nodes", static_cast<double>(options.nodes), 2, static_cast<double>(kMaxTraceNodes)},
      {"cores per node", static_cast<double>(options.cores), 1, 1024},
      {"memory per node in MiB", static_cast<double>(options.memory_mib), 10, static_cast<double>(kMaxTraceRigid)},
      {"probability of small memory", options.small_memory_prob, 0, 1}};
  for (const Range& range : ranges) {
    if (range.value >= range.least && range.value <= range.most) continue;
    return usage_error(fmt::format("{}: {}, expected {} to {}", range.what, range.value, range.least, range.most));
  }
  return {};
}

/// One type of job of a workload, and the time of its next arrival.
struct Source {
  LublinParameters parameters;
  LublinArrivals arrivals;
  Seconds next;
};

Source make_source(LublinType type, const LublinOptions& options, Stream stream) {
  const LublinParameters parameters = lublin_parameters(type, options.nodes);
  Source source{parameters, LublinArrivals(parameters, options.start_hour, Random(options.seed, stream)), 0};
  source.next = source.arrivals.next();
  return source;
}

// In order of precedence at equal times: interactive first.
std::vector<Source> make_sources(const LublinOptions& options) {
  switch (options.mix) {
    case LublinMix::kBatch:
      return {make_source(LublinType::kBatch, options, kBatchArrivals)};
    case LublinMix::kInteractive:
      return {make_source(LublinType::kInteractive, options, kInteractiveArrivals)};
    case LublinMix::kTypeless:
      return {make_source(LublinType::kTypeless, options, kTypelessArrivals)};
    case LublinMix::kBatchAndInteractive:
      break;
  }
  return {make_source(LublinType::kInteractive, options, kInteractiveArrivals),
          make_source(LublinType::kBatch, options, kBatchArrivals)};
}

}  // namespace

LublinParameters lublin_parameters(LublinType type, int nodes) {
  static constexpr LublinParameters kBatch{0.2927, 0.6686, 1.2,    5,      7,      0.875,  6.57,   0.823, 639.1,
                                           0.0156, -0.003, 0.6986, 6.0415, 0.8531, 6.1271, 5.2740, 1.0519};
  static constexpr LublinParameters kInteractive{0.1541, 0.625,   1,      3,      5.5,    0.705,  3.8351, 0.6605, 7.073,
                                                 0.6856, -0.0118, 0.9156, 6.5510, 0.6621, 8.9186, 3.6680, 0.9797};
  static constexpr LublinParameters kTypeless{0.244, 0.576,   0.8,  4.5,     7,      0.86,   4.2,    0.94,  312,
                                              0.03,  -0.0054, 0.78, 10.2303, 0.4871, 8.1737, 3.9631, 1.0225};
  LublinParameters parameters = type == LublinType::kBatch         ? kBatch
                                : type == LublinType::kInteractive ? kInteractive
                                                                   : kTypeless;
  const double machine_log2 = std::log2(nodes);
  if (type == LublinType::kInteractive) {
    if (parameters.hi_log2 <= machine_log2) return parameters;
  }
  parameters.hi_log2 = machine_log2;
  parameters.med_log2 = std::clamp(parameters.med_log2, machine_log2 - 3.5, machine_log2 - 1.5);
  // On very small machines the bounds of the lower stage would otherwise be swapped.
  parameters.med_log2 = std::max(parameters.med_log2, 0.0);
  parameters.low_log2 = std::min(parameters.low_log2, parameters.med_log2);
  return parameters;
}

LublinArrivals::LublinArrivals(const LublinParameters& parameters, int start_hour, Random random)
    : parameters_(parameters), random_(random), bucket_(start_hour * 2 % kBuckets) {
  double sum = 0;
  for (int i = 11; i <= 58; ++i) {
    const double weight = gamma_cdf(i + 0.5, parameters.a_cycle, parameters.b_cycle) -
                          gamma_cdf(i - 0.5, parameters.a_cycle, parameters.b_cycle);
    weights_[static_cast<std::size_t>((i - 1) % kBuckets)] = weight;
    sum += weight;
  }
  for (double& weight : weights_) weight /= sum / kBuckets;
}

Seconds LublinArrivals::next() {
  double log_gap = 0;
  do {
    log_gap = random_.gamma(parameters_.a_arrival * parameters_.arrival_factor, parameters_.b_arrival);
  } while (log_gap > kMaxLogGap);
  points_ += std::exp(log_gap) / kBucketSeconds;
  const auto weight = [&] { return weights_[static_cast<std::size_t>(bucket_)]; };
  while (points_ > weight()) {
    points_ -= weight();
    bucket_ = (bucket_ + 1) % kBuckets;
    clock_ += kBucketSeconds;
  }
  const double remainder = points_ / weight();
  clock_ += kBucketSeconds * (remainder - remainder_);
  remainder_ = remainder;
  return clock_;
}

int lublin_size(const LublinParameters& parameters, int machine, Random& random) {
  const double u = random.uniform();
  if (u <= parameters.serial_prob) return 1;
  const bool low_stage = random.uniform() <= parameters.low_stage_prob;
  double log2_nodes = low_stage ? random.uniform(parameters.low_log2, parameters.med_log2)
                                : random.uniform(parameters.med_log2, parameters.hi_log2);
  if (u <= parameters.serial_prob + parameters.pow2_prob) log2_nodes = std::round(log2_nodes);
  return std::clamp(static_cast<int>(std::lround(std::exp2(log2_nodes))), 1, machine);
}

Seconds lublin_run_time(const LublinParameters& parameters, int nodes, Random& random) {
  const double p = std::clamp(parameters.mix_slope * nodes + parameters.mix_offset, 0.0, 1.0);
  const bool first = random.uniform() <= p;
  double log_run_time = 0;
  do {
    log_run_time = first ? random.gamma(parameters.a1, parameters.b1) : random.gamma(parameters.a2, parameters.b2);
  } while (log_run_time > kMaxLogRunTime);
  return std::floor(std::exp(log_run_time));
}

int lublin_memory_tenths(double small_memory_prob, Random& random) {
  return random.uniform() < small_memory_prob ? 1 : random.uniform_integer(2, 10);
}

Result<Instance> lublin_instance(const LublinOptions& options) {
  if (auto checked = check(options); !checked) return tl::unexpected(std::move(checked).error());
  Instance instance;
  instance.name = fmt::format("lublin-{}", options.seed);
  instance.platform = Platform::homogeneous(static_cast<std::size_t>(options.nodes), options.memory_mib);
  instance.jobs.reserve(static_cast<std::size_t>(options.jobs));

  std::vector<Source> sources = make_sources(options);
  Random shapes(options.seed, kShapes);
  Random memories(options.seed, kMemories);
  for (int i = 1; i <= options.jobs; ++i) {
    Source& source = *std::min_element(sources.begin(), sources.end(),
                                       [](const Source& a, const Source& b) { return a.next < b.next; });
    Job job;
    job.id = static_cast<JobId>(i);
    job.submit = std::round(source.next * 1000) / 1000;
    job.tasks = lublin_size(source.parameters, options.nodes, shapes);
    job.run_time = lublin_run_time(source.parameters, job.tasks, shapes);
    job.estimate = job.run_time;
    job.cpu_need = job.tasks == 1 ? 1.0 / options.cores : 1.0;
    job.rigid[kMemory] = options.memory_mib * lublin_memory_tenths(options.small_memory_prob, memories) / 10;
    instance.jobs.push_back(job);
    source.next = source.arrivals.next();
  }
  return instance;
}

}  // namespace dfrs::sim
