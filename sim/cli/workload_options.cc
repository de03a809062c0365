// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/workload_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "sim/cli/option_values.h"
#include "sim/errors.h"
#include "sim/fetch/catalogue.h"
#include "sim/workload/job_weights.h"
#include "sim/workload/licences.h"
#include "sim/workload/streit.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

// The first names, and how many more there are.
std::string some_of(std::span<const std::string> names) {
  constexpr std::size_t kMost = 8;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text = fmt::format("{}", fmt::join(names.first(shown), ", "));
  if (names.size() > shown)
    text += fmt::format(" and {} more (`dfrs-sim bound SOURCE` lists them)", names.size() - shown);
  return text;
}

void add_sources(const base::Command& app, std::vector<std::string>& names, WorkloadOptions::Sources sources) {
  const base::Option source = app.add_option(
      "SOURCE", names,
      "SWF log, output of Slurm's sacct, or dfrs-trace: a file, an http(s) URL or - for standard input; plain, "
      "gz, xz, zst or bz2");
  if (sources != WorkloadOptions::Sources::at_most_one) source.required();
  if (sources != WorkloadOptions::Sources::several)
    source.expected(sources == WorkloadOptions::Sources::one ? 1 : 0, 1);
}

}  // namespace

void WorkloadOptions::add(const base::Command& app, Sources sources) {
  app_ = app;
  const std::string group = kWorkloadGroup;
  add_sources(app, sources_, sources);
  app.add_option(
         "--annotation", annotation_,
         "how a log becomes jobs: 'memory' as in RR-7659 for HPC2N, 'processors' one task per processor without "
         "memory, 'auto' memory for HPC2N's log and processors for others")
      .check(base::one_of({"auto", "memory", "processors"}))
      .capture_default()
      .group(group);
  app.add_option("--nodes", nodes_, "nodes of the cluster (default: the log's header; 120 for HPC2N)")
      .check(base::in_range(1, 10'000'000))
      .group(group);
  app.add_option("--cores", cores_, "processors of the log per node (default 1; 2 with --annotation memory)")
      .check(base::in_range(1, 1024))
      .group(group);
  app.add_option("--memory", memory_, "MiB of memory per node (default: not modelled; 2048 with --annotation memory)")
      .check(base::in_range(std::int64_t{1}, std::int64_t{1} << 40))
      .group(group);
  const base::Option weeks =
      app.add_flag("--weeks", weeks_, "split a log into weeks (default for HPC2N, as in the paper)");
  weeks.group(group);
  app.add_flag("--whole", whole_, "take the whole log as one instance").group(group).excludes(weeks);
  app.add_option("--processors", processors_, "processors of a job: requested (SWF field 8) or allocated (field 5)")
      .check(base::one_of({"requested", "allocated"}))
      .capture_default()
      .group(group);
  app.add_option(
         "--estimates", estimates_,
         "estimates that batch policies see: 'exact' run times, or the 'trace' (SWF field 9, sacct's time limits); "
         "'auto' is exact for SWF, as in the papers, and trace for sacct")
      .check(base::one_of({"auto", "exact", "trace"}))
      .capture_default()
      .group(group);
  app.add_flag("--kill-at-estimate", kill_, "end jobs at their requested time (in a dfrs-trace: their estimate)")
      .group(group);
  app.add_option(
         "--cpu-need", cpu_need_,
         "CPU that a job can use: all it was 'allocated', or as 'measured' (sacct's TotalCPU, SWF field 6) if known; "
         "'auto' is measured for sacct and allocated for SWF")
      .check(base::one_of({"auto", "measured", "allocated"}))
      .capture_default()
      .group(group);
  app.add_option("--memory-need", memory_need_,
                 "sacct only: the memory that a job holds: requested, used, or the larger of the two")
      .check(base::one_of({"requested", "used", "larger"}))
      .capture_default()
      .group(group);
  app.add_option(
         "--licences", licences_,
         "sacct only: how many licences the cluster has, NAME=COUNT,...; default: the most that jobs held at once")
      .group(group);
  app.add_option(
         "--memory-model", memory_model_,
         "draw the memory of each job and ignore the log's: 'lublin' as in RR-7659's generated workloads (10 % of a "
         "node for 55 % of the jobs, else 20 to 100 %; with --cores, of a processor's share), 'lublin:SEED' for other "
         "draws. Nodes have --memory MiB, 10240 by default")
      .group(group);
  app.add_option(
         "--weights", weights_,
         "weights of jobs, such as user=7:2,queue=1:0.5 (SWF fields 12 and 15) or random=0.5:2 (half of the jobs); "
         "all others have 1")
      .group(group);
  app.add_option("--real-need", real_needs_,
                 "LOW-HIGH: jobs use only a fraction of the CPU they request, drawn from this range, such as 0.2-1")
      .group(group);
  app.add_flag("--lenient", lenient_, "skip and count malformed lines and jobs larger than the machine").group(group);
  app.add_option("--take", take_, "only the first N instances").check(whole_number_in(1, 1'000'000'000)).group(group);
  app.add_option("--instance", only_,
                 "only the instances with these names, separated by commas or in several --instance; `dfrs-sim bound` "
                 "prints the names")
      .one_value_each_time()
      .group(group);
  app.add_option("--ca-file", ca_file_, "certificate authorities for https, PEM").group(group);
}

// Options say how many nodes of a single kind there are and what each has, besides its GPUs. They make nodes of
// several kinds equal.
std::vector<NodeKind> WorkloadOptions::assumed_kinds(const NodeShape& shape) const {
  const bool given = nodes_ != 0 || cores_ != 0 || memory_ != 0;
  if (!given || kinds_.empty()) return kinds_;
  if (kinds_.size() > 1) return {};
  NodeKind kind = kinds_.front();
  kind.shape = shape;
  return {kind};
}

LoadOptions WorkloadOptions::load_options() const {
  LoadOptions options;
  options.input.ca_file = ca_file_;
  options.swf.lenient = lenient_;
  options.conventions.processors = processors_ == "allocated" ? SwfProcessors::kAllocated : SwfProcessors::kRequested;
  options.conventions.estimates = estimates_ == "trace" ? SwfEstimates::kTrace : SwfEstimates::kExact;
  options.conventions.kill_at_requested_time = kill_;
  if (nodes_ != 0) options.processors.nodes = options.memory.nodes = nodes_;
  if (cores_ != 0) options.processors.cores = options.memory.cores = cores_;
  if (memory_ != 0) options.processors.memory_mib = options.memory.memory_mib = memory_;
  options.processors.lenient = options.memory.lenient = options.sacct.lenient = lenient_;
  options.conventions.measured_cpu_need = cpu_need_ == "measured";
  if (!weights_.empty()) options.conventions.weights = or_throw(parse_weights(weights_));
  options.sacct.shape = {nodes_ != 0 ? nodes_ : machine_.nodes, cores_ != 0 ? cores_ : machine_.cores,
                         memory_ != 0 ? memory_ : machine_.memory_mib};
  options.sacct.kinds = assumed_kinds(options.sacct.shape);
  options.sacct.cpu_need = cpu_need_ == "allocated" ? CpuNeed::kAllocated : CpuNeed::kMeasured;
  options.sacct.memory_need = memory_need_ == "used"     ? MemoryNeed::kUsed
                              : memory_need_ == "larger" ? MemoryNeed::kLarger
                                                         : MemoryNeed::kRequested;
  if (!licences_.empty()) {
    auto licences = parse_licences(licences_);
    if (!licences) throw UsageError(fmt::format("--licences: {}", licences.error()));
    options.sacct.licences = std::move(*licences);
  }
  options.sacct.estimates = estimates_ == "exact" ? SwfEstimates::kExact : SwfEstimates::kTrace;
  if (weeks_ || whole_) options.weeks = weeks_;
  if (!memory_model_.empty()) {
    options.memory_model = or_throw(parse_memory_model(memory_model_));
    if (memory_ != 0) options.memory_model->node_mib = memory_;
    options.processors.memory_mib = 0;  // the log's memory is ignored and must not exceed a node
  }

  if (annotation_ == "memory") options.annotation = SwfAnnotation::kMemory;
  if (annotation_ == "auto") options.annotation = SwfAnnotation::kAuto;
  options.hpc2n_by_week = true;
  return options;
}

Loaded WorkloadOptions::load(std::string_view text, const std::string& source) const {
  Loaded loaded = or_throw(load_instances_from_text(text, source, load_options()));
  for (const std::string& line : loaded.report.describe(source_name(source))) fmt::print(stderr, "{}\n", line);
  for (const std::string& note : loaded.notes) fmt::print(stderr, "{}: {}\n", loaded.source, note);
  return loaded;
}

std::string WorkloadOptions::text(const Loaded& loaded, std::size_t taken, const ResolvedOptions& more) const {
  ResolvedOptions resolved{
      {"--annotation", {}}, {"--processors", {}}, {"--estimates", {}}, {"--cpu-need", {}}, {"--memory-need", {}}};
  if (loaded.was_swf || loaded.was_sacct) {
    // No option says what kinds of nodes there are: the source does, again.
    if (loaded.kinds.empty()) {
      resolved["--nodes"] = std::to_string(loaded.instances.front().platform.nodes.size());
      resolved["--cores"] = std::to_string(loaded.cores);
      if (memory_model_.empty() && loaded.memory_mib > 0) resolved["--memory"] = std::to_string(loaded.memory_mib);
    }
    resolved[loaded.by_week ? "--weeks" : "--whole"] = "";
    const bool trace = estimates_ == "trace" || (estimates_ == "auto" && loaded.was_sacct);
    resolved["--estimates"] = trace ? "trace" : "exact";
    const bool measured = cpu_need_ == "measured" || (cpu_need_ == "auto" && loaded.was_sacct);
    resolved["--cpu-need"] = measured ? "measured" : "allocated";
  }
  if (loaded.was_swf) {
    resolved["--annotation"] = loaded.annotation == SwfAnnotation::kMemory ? "memory" : "processors";
    resolved["--processors"] = processors_;
  }
  if (loaded.was_sacct) resolved["--memory-need"] = memory_need_;
  if (take_ != 0) resolved["--take"] = std::to_string(taken);
  for (const auto& [name, value] : more) resolved[name] = value;
  return options_text(*app_, kWorkloadGroup, resolved);
}

std::string WorkloadOptions::given() const { return options_text(*app_, kWorkloadGroup, {}); }

void WorkloadOptions::refuse_choice(std::string_view subcommand) const {
  for (const auto& [name, given] : {std::pair("--take", take_ != 0), std::pair("--instance", !only_.empty())}) {
    if (given) throw UsageError(fmt::format("{}: {} has no effect here; leave it out", subcommand, name));
  }
}

std::vector<std::string> WorkloadOptions::wanted() const {
  std::vector<std::string> names;
  for (const std::string& list : only_) each_item(list, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

void WorkloadOptions::check_wanted(std::span<const std::string> names) const {
  for (const std::string& name : wanted()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw UsageError(fmt::format("--instance: no instance is named '{}'; the sources have {}", name, some_of(names)));
  }
}

void WorkloadOptions::change(Instance& instance, const Loaded& loaded) const {
  if (kill_ && !loaded.was_swf) kill_at_estimates(instance);
  if (!weights_.empty()) weigh_at_random(instance, or_throw(parse_weights(weights_)));
  if (!real_needs_.empty()) set_real_needs(instance, or_throw(parse_real_needs(real_needs_)));
}

std::vector<Instance> WorkloadOptions::choose(Loaded& loaded, const std::string& source, const std::string& sha256,
                                              std::size_t already, std::vector<std::string>& names) const {
  const std::vector<std::string> only = wanted();
  std::vector<Instance*> usable;
  for (Instance& instance : loaded.instances) {
    names.push_back(instance.name);
    if (!only.empty() && std::find(only.begin(), only.end(), instance.name) == only.end()) continue;
    if (take_ == 0 || already + usable.size() < take_) usable.push_back(&instance);
  }
  const auto origin =
      std::make_shared<const InstanceOrigin>(InstanceOrigin{source, sha256, text(loaded, usable.size())});
  std::vector<Instance> chosen;
  for (Instance* const instance : usable) {
    change(*instance, loaded);
    instance->origin = origin;
    chosen.push_back(std::move(*instance));
  }
  return chosen;
}

std::vector<Instance> WorkloadOptions::choose(Loaded& loaded, const std::string& source,
                                              const std::string& sha256) const {
  std::vector<std::string> names;
  std::vector<Instance> chosen = choose(loaded, source, sha256, 0, names);
  check_wanted(names);
  return chosen;
}

std::vector<Instance> WorkloadOptions::load() const {
  SourceFacts facts;
  return load(facts);
}

std::vector<Instance> WorkloadOptions::load(SourceFacts& facts) const {
  facts = {};
  bool papers_weeks = processors_ == "requested" && estimates_ != "trace" && !kill_ && cpu_need_ != "measured" &&
                      memory_model_.empty() && weights_.empty() && real_needs_.empty();
  std::vector<Instance> instances;
  std::vector<std::string> names;
  for (const std::string& source : sources_) {
    std::string sha256;
    const Text text = or_throw(read_text(source, load_options().input, sha256));
    Loaded loaded = load(text, source);
    papers_weeks = papers_weeks && loaded.papers_weeks;
    if (loaded.was_swf && loaded.annotation == SwfAnnotation::kProcessors) {
      facts.processors_per_node = std::max(facts.processors_per_node, loaded.cores);
    }
    if (sources_.size() == 1) facts.killed_log = killed_log(loaded, sha256);
    for (Instance& instance : choose(loaded, source, sha256, instances.size(), names)) {
      instances.push_back(std::move(instance));
    }
  }
  check_wanted(names);
  facts.papers_weeks = papers_weeks;
  facts.estimates = load_options().conventions.estimates;
  return instances;
}

// SourceFacts::killed_log; empty: it is not one.
std::string WorkloadOptions::killed_log(const Loaded& loaded, const std::string& sha256) const {
  const bool as_it_is = loaded.was_swf && loaded.annotation == SwfAnnotation::kProcessors && loaded.cores == 1 &&
                        !loaded.by_week && kill_ && processors_ == "requested" && cpu_need_ != "measured" &&
                        memory_ == 0 && memory_model_.empty() && weights_.empty() && real_needs_.empty();
  const auto logs = known_logs();
  const auto known = std::find_if(logs.begin(), logs.end(), [&](const KnownLog& log) { return log.sha256 == sha256; });
  return as_it_is && known != logs.end() ? std::string(known->name) : std::string();
}

}  // namespace dfrs::sim
