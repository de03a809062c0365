// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/rivals/rivals_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "sim/reproduce/lublin_set.h"
#include "sim/reproduce/rr7659_experiments.h"

namespace dfrs::sim::rivals {
namespace {

constexpr std::size_t kTraces = 50;  // Lublin
constexpr double kScaledLoad = 0.7;
constexpr std::string_view kKnown = "-known";

std::size_t count(const ReproduceOptions& options, std::size_t usual) {
  return options.instances == 0 ? usual : options.instances;
}

struct Log {
  std::string_view part;
  std::string_view name;
  int nodes;  // 0: HPC2N's, with its memory
};
constexpr std::array<Log, 3> kLogs{
    {{"hpc2n", rr7659::kLog, 0}, {"kth", "KTH-SP2-1996-2.1-cln", 100}, {"ctc", "CTC-SP2-1996-3.1-cln", 338}}};

LoadOptions reading_of(const Log& log, SwfEstimates estimates, bool weeks) {
  LoadOptions load;
  load.conventions.estimates = estimates;
  load.weeks = weeks;
  if (log.nodes == 0) {
    load.annotation = SwfAnnotation::kMemory;
  } else {
    load.processors.nodes = log.nodes;
    load.processors.lenient = true;
    load.memory_model = MemoryModel{};
  }
  return load;
}

RivalSet weeks_of_hpc2n(const ReproduceOptions& options, SwfEstimates estimates) {
  RivalSet set;
  const std::string path = find_log(options, kLogs[0].name);
  if (path.empty()) {
    set.sentence = missing_log(options, kLogs[0].name);
    return set;
  }
  const bool exact = estimates == SwfEstimates::kExact;
  set.size = std::min(count(options, rr7659::kWeeks), rr7659::kWeeks);
  set.name = fmt::format("{} weeks, {}", set.size, exact ? "known" : "requested");
  set.only_plans = exact;
  if (exact) set.requested = "weeks";
  set.sentence = fmt::format("HPC2N: {} of {} weeks, spread evenly over the log; estimates are {}.", set.size,
                             rr7659::kWeeks, exact ? "the true run times" : "the users' requests");
  set.make = [path, estimates, size = set.size] {
    return load_instances(path, reading_of(kLogs[0], estimates, true)).map([&](const Loaded& all) {
      std::vector<Instance> some;
      for (const std::size_t week : rr7659::spread(size, all.instances.size())) some.push_back(all.instances[week]);
      return some;
    });
  };
  return set;
}

RivalSet lublin(const ReproduceOptions& options, double load) {
  RivalSet set;
  set.size = count(options, kTraces);
  set.name = fmt::format("{} lublin from {}, load {}", set.size, options.seed, load);
  set.sentence = fmt::format("Lublin: {} workloads{}; estimates are the run times.", set.size,
                             load > 0 ? fmt::format(" scaled to a load of {}", load) : "");
  set.make = [load, size = set.size, seed = options.seed] { return lublin_set({}, seed, size, load); };
  return set;
}

RivalSet whole(const ReproduceOptions& options, const Log& log, SwfEstimates estimates) {
  const bool exact = estimates == SwfEstimates::kExact;
  RivalSet set;
  set.whole_log = true;
  set.only_plans = exact;
  if (exact) set.requested = log.part;
  const std::string path = find_log(options, log.name);
  if (path.empty()) {
    set.sentence = missing_log(options, log.name);
    return set;
  }
  set.size = 1;
  set.name = fmt::format("{}, whole, {}", log.part, exact ? "known" : "requested");
  set.sentence = fmt::format(
      "{}: the whole log without weekly restarts; estimates are {}{}. A simulation in which jobs pile up "
      "is ended there, as by default (--most-jobs): it ran away.",
      log.name, exact ? "the true run times" : "the users' requests",
      log.nodes == 0 ? "" : ", memory is drawn from the Lublin model");
  set.make = [path, log, estimates] {
    return load_instances(path, reading_of(log, estimates, false)).map([](Loaded&& all) {
      return std::move(all.instances);
    });
  };
  return set;
}

}  // namespace

RivalSet set_of(std::string_view part, const ReproduceOptions& options) {
  if (part == "weeks" || part == "gain") return weeks_of_hpc2n(options, SwfEstimates::kTrace);
  if (part == "weeks-known") return weeks_of_hpc2n(options, SwfEstimates::kExact);
  if (part == "lublin") return lublin(options, 0);
  if (part == "lublin-scaled") return lublin(options, kScaledLoad);
  const bool known = part.ends_with(kKnown);
  if (known) part.remove_suffix(kKnown.size());
  const auto* const log = std::find_if(kLogs.begin(), kLogs.end(), [&](const Log& one) { return one.part == part; });
  assert(log != kLogs.end());
  return whole(options, *log, known ? SwfEstimates::kExact : SwfEstimates::kTrace);
}

}  // namespace dfrs::sim::rivals
