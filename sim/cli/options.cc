// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/counted.h"
#include "policy/batch/options.h"
#include "policy/core/registry.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/options.h"
#include "sim/campaign/origin.h"
#include "sim/cli/option_values.h"
#include "sim/errors.h"
#include "sim/fetch/catalogue.h"
#include "sim/host/pile_up.h"
#include "sim/io/output_file.h"
#include "sim/reproduce/rr7659_published.h"
#include "sim/workload/licences.h"
#include "sim/workload/streit.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

Algorithm parse_or_throw(std::string_view name) {
  auto algorithm = parse_algorithm(name);
  if (!algorithm) {
    throw UsageError(algorithm.error().message + " (`dfrs-sim list` shows all)");
  }
  return *algorithm;
}

constexpr const char* kWorkload = "Workload";
constexpr const char* kSimulation = "Simulation";
constexpr std::string_view kNoLimit = "none";  // of --most-jobs

CLI::Validator limit_of_jobs() {
  const CLI::Validator number = whole_number_in(1, 1'000'000'000);
  return {[number](std::string& text) { return text == kNoLimit ? std::string() : number(text); }, ""};
}

// The chosen options as on a command line, with their values or else their defaults. As this goes through the parser's
// own list, no option can be forgotten. Results do not depend on --ca-file.
template <typename Chosen>
std::string text_of_options(const CLI::App& app, const Chosen& chosen, const ResolvedOptions& resolved) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + shell_word(word); };
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_positional() || option->check_lname("ca-file")) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (!chosen(*option, name)) continue;
    const auto found = resolved.find(name);
    if (found != resolved.end() && found->second) {
      add(found->second->empty() ? name : name + "=" + *found->second);
    } else if (option->count() > 0 && option->get_items_expected_max() == 0) {
      add(name);
    } else if (option->count() > 0 && option->get_delimiter() != '\0') {
      add(fmt::format("{}={}", name, fmt::join(option->results(), std::string(1, option->get_delimiter()))));
    } else if (option->count() > 0) {
      for (const std::string& value : option->results()) add(name + "=" + value);
    } else if (found == resolved.end() && !option->get_default_str().empty()) {
      std::string value = option->get_default_str();
      // The parser shows the default of a list in brackets.
      if (value.front() == '[' && value.back() == ']') value = value.substr(1, value.size() - 2);
      add(name + "=" + value);
    }
  }
  return text;
}

std::string options_text(const CLI::App& app, std::string_view group, const ResolvedOptions& resolved) {
  return text_of_options(
      app, [&](const CLI::Option& option, const std::string&) { return option.get_group() == group; }, resolved);
}

// The first names, and how many more there are.
std::string some_of(std::span<const std::string> names) {
  constexpr std::size_t kMost = 8;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text = fmt::format("{}", fmt::join(names.first(shown), ", "));
  if (names.size() > shown)
    text += fmt::format(" and {} more (`dfrs-sim bound SOURCE` lists them)", names.size() - shown);
  return text;
}

}  // namespace

void WorkloadOptions::add(CLI::App& app, Sources sources) {
  app_ = &app;
  const std::string group = kWorkload;
  CLI::Option* source = app.add_option(
      "SOURCE", sources_,
      "SWF log, output of Slurm's sacct, or dfrs-trace: a file, an http(s) URL or - for standard input; plain, "
      "gz, xz, zst or bz2");
  if (sources != Sources::at_most_one) source->required();
  if (sources != Sources::several) source->expected(sources == Sources::one ? 1 : 0, 1);
  app.add_option(
         "--annotation", annotation_,
         "how a log becomes jobs: 'memory' as in RR-7659 for HPC2N, 'processors' one task per processor without "
         "memory, 'auto' memory for HPC2N's log and processors for others")
      ->check(CLI::IsMember({"auto", "memory", "processors"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--nodes", nodes_, "nodes of the cluster (default: the log's header; 120 for HPC2N)")
      ->check(CLI::Range(1, 10'000'000))
      ->group(group);
  app.add_option("--cores", cores_, "processors of the log per node (default 1; 2 with --annotation memory)")
      ->check(CLI::Range(1, 1024))
      ->group(group);
  app.add_option("--memory", memory_, "MiB of memory per node (default: not modelled; 2048 with --annotation memory)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->group(group);
  CLI::Option* weeks = app.add_flag("--weeks", weeks_, "split a log into weeks (default for HPC2N, as in the paper)");
  weeks->group(group);
  app.add_flag("--whole", whole_, "take the whole log as one instance")->group(group)->excludes(weeks);
  app.add_option("--processors", processors_, "processors of a job: requested (SWF field 8) or allocated (field 5)")
      ->check(CLI::IsMember({"requested", "allocated"}))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--estimates", estimates_,
         "estimates that batch policies see: 'exact' run times, or the 'trace' (SWF field 9, sacct's time limits); "
         "'auto' is exact for SWF, as in the papers, and trace for sacct")
      ->check(CLI::IsMember({"auto", "exact", "trace"}))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--kill-at-estimate", kill_, "end jobs at their requested time (in a dfrs-trace: their estimate)")
      ->group(group);
  app.add_option(
         "--cpu-need", cpu_need_,
         "CPU that a job can use: all it was 'allocated', or as 'measured' (sacct's TotalCPU, SWF field 6) if known; "
         "'auto' is measured for sacct and allocated for SWF")
      ->check(CLI::IsMember({"auto", "measured", "allocated"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--memory-need", memory_need_,
                 "sacct only: the memory that a job holds: requested, used, or the larger of the two")
      ->check(CLI::IsMember({"requested", "used", "larger"}))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--licences", licences_,
         "sacct only: how many licences the cluster has, NAME=COUNT,...; default: the most that jobs held at once")
      ->group(group);
  app.add_option(
         "--memory-model", memory_model_,
         "draw the memory of each job and ignore the log's: 'lublin' as in RR-7659's generated workloads (10 % of a "
         "node for 55 % of the jobs, else 20 to 100 %; with --cores, of a processor's share), 'lublin:SEED' for other "
         "draws. Nodes have --memory MiB, 10240 by default")
      ->group(group);
  app.add_option(
         "--weights", weights_,
         "weights of jobs, such as user=7:2,queue=1:0.5 (SWF fields 12 and 15) or random=0.5:2 (half of the jobs); "
         "all others have 1")
      ->group(group);
  app.add_option("--real-need", real_needs_,
                 "LOW-HIGH: jobs use only a fraction of the CPU they request, drawn from this range, such as 0.2-1")
      ->group(group);
  app.add_flag("--lenient", lenient_, "skip and count malformed lines and jobs larger than the machine")->group(group);
  app.add_option("--take", take_, "only the first N instances")->check(whole_number_in(1, 1'000'000'000))->group(group);
  app.add_option("--instance", only_,
                 "only the instances with these names, separated by commas or in several --instance; `dfrs-sim bound` "
                 "prints the names")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--ca-file", ca_file_, "certificate authorities for https, PEM")->group(group);
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
  return options_text(*app_, kWorkload, resolved);
}

std::string WorkloadOptions::given() const { return options_text(*app_, kWorkload, {}); }

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

// What is wrong with a value of --pauses; empty: nothing.
static std::string wrong_world(const std::string& text) {
  const auto world = record::parse_world(text);
  return world ? std::string() : world.error();
}

static void add_pauses(CLI::App& app, std::string& world, std::string& swap) {
  const std::string group = kSimulation;
  CLI::Option* const pauses =
      app.add_option(
             "--pauses", world,
             fmt::format("what a pause or a move does to a job: {}. kept: it continues later; lost: it starts over; "
                         "none: it is never paused; suspended: it continues later, but only on its nodes, and its "
                         "memory is in their --swap meanwhile; mixed: a part X of the jobs is kept, drawn by SEED or "
                         "given by the trace's marks, and OTHERS says what happens to the rest (default: none)",
                         record::kPauseWorlds))
          ->check(CLI::Validator(wrong_world, "WORLD"))
          ->capture_default_str()
          ->group(group);
  app.add_option(
         "--swap", swap,
         fmt::format("where --pauses suspends jobs: swap of each node, {}; a job is paused only where its nodes "
                     "have swap for it (default: no limit)",
                     record::kSwapSizes))
      ->check(swap_size())
      ->group(group);
  // The former words, which results of earlier versions have in their commands.
  app.add_option("--paused-work", world)->check(CLI::IsMember({"kept", "lost"}))->excludes(pauses)->group("");
}

void SimulationOptions::add(CLI::App& app) {
  const std::string group = kSimulation;
  app_ = &app;
  app.add_option(
         "--penalty", penalty_,
         "seconds without progress after a resume or a move, or memory/RATE[+SECONDS]: the time to write the job's "
         "memory on a node and read it back at RATE MiB/s, and SECONDS for a restart, which jobs that lose their work "
         "pay, too")
      ->check(penalty_rule())
      ->capture_default_str()
      ->group(group);
  app.add_option("--period", period_, "seconds between ticks of /per and /stretch-per")
      ->check(number_in(1e-3, 1e9))
      ->capture_default_str()
      ->group(group);
  app.add_option("--stretch-floor", stretch_floor_, "b of the bounded stretch, seconds (IPDPS 2010: 30)")
      ->check(number_in(1e-3, 1e9))
      ->capture_default_str()
      ->group(group);
  app.add_option("--priority-floor", priority_floor_, "minimum flow time in the priority, seconds (IPDPS 2010: 30)")
      ->check(number_in(0, 1e9))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--instants", instants_,
         "DFRS: decide on submissions and ticks of one instant 'apart', one after the other, so that a job that has "
         "just started pays for a pause or a move, or 'merged' into one decision")
      ->check(CLI::IsMember({"apart", "merged"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--batch-passes", passes_, "batch policies schedule once per 'instant' or after each 'event'")
      ->check(CLI::IsMember({"instant", "event"}))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--batch-nodes", batch_nodes_,
         "batch policies use a node per 'task', as in RR-7659, or 'packed' nodes with as many tasks of a job as "
         "their CPU and memory hold; 'auto' is packed for logs with a task per processor and several processors a "
         "node, and where a job has more tasks than there are nodes, else task")
      ->check(CLI::IsMember({"auto", "task", "packed"}))
      ->capture_default_str()
      ->group(group);
  add_pauses(app, pauses_, swap_);
  app.add_flag("--discover-needs", discover_needs_,
               "measure how much of the requested CPU jobs use, and share CPU by that (CpuNeed=measured in dfrs.conf)")
      ->group(group);
  app.add_option("--need-floor", need_floor_, "with --discover-needs: minimum need, as a fraction of the request")
      ->check(number_in(0.01, 1))
      ->capture_default_str()
      ->group(group);
  app.add_option("--min-progress", min_progress_,
                 "where --pauses loses work: seconds of virtual time before a run may be ended")
      ->check(number_in(0, 1e9))
      ->capture_default_str()
      ->group(group);
  app.add_flag(
         "--requeue-kept", requeue_kept_,
         "jobs that keep their work are requeued from a checkpoint of their own, as on live clusters: "
         "--min-progress holds for their runs, too, and a job for which none can be paused is tried again once a run "
         "has gained that")
      ->group(group);
  app.add_option("--most-jobs", most_jobs_,
                 fmt::format("end a simulation as run away once more than N jobs are in the system; none: never, "
                             "however long it takes (default: beyond {} jobs, if while they doubled there were "
                             "more than {} starts, pauses, moves and resumes per job submitted)",
                             PileUpGuard::kMany, PileUpGuard::kChangesPerJob))
      ->check(limit_of_jobs())
      ->type_name("N")
      ->group(group);
  app.add_option("--max-lost-runs", max_lost_runs_, "where --pauses loses work: the most runs that a job may lose")
      ->check(whole_number_in(0, 1'000'000))
      ->capture_default_str()
      ->group(group);
}

void SimulationOptions::fit(std::span<const Instance> instances, const SourceFacts& facts) {
  if (batch_nodes_ != "auto") return;
  batch_nodes_ = "task";
  std::string why;
  if (facts.processors_per_node > 1) {
    why = fmt::format("a task per processor, up to {} processors a node", facts.processors_per_node);
  }
  for (std::size_t k = 0; k < instances.size() && why.empty(); ++k) {
    const std::size_t nodes = instances[k].platform.nodes.size();
    const auto wide = [&](const Job& job) { return static_cast<std::size_t>(job.tasks) > nodes; };
    const auto job = std::find_if(instances[k].jobs.begin(), instances[k].jobs.end(), wide);
    if (job == instances[k].jobs.end()) continue;
    why = fmt::format("{}: job {} has {} for {}", instances[k].name, job->id,
                      base::counted(static_cast<std::size_t>(job->tasks), "task"), base::counted(nodes, "node"));
  }
  if (why.empty()) return;
  batch_nodes_ = "packed";
  fmt::print(stderr, "batch policies pack tasks: {} (--batch-nodes packed)\n", why);
}

SimOptions SimulationOptions::sim() const {
  SimOptions options;
  set_penalty(penalty_, options);
  options.engine.of<DfrsOptions>().period = period_;
  options.engine.of<DfrsOptions>().priority_floor = priority_floor_;
  options.events_apart = instants_ == "apart";
  options.engine.of<BatchOptions>().pass_per_event = passes_ == "event";
  options.engine.of<BatchOptions>().pack_tasks = packs();
  options.pauses = world();
  options.swap = swap();
  if (options.swap.limited() && !options.pauses.some_suspended()) {
    throw UsageError(
        fmt::format("--swap {}: with --pauses {} no job is suspended, so that none needs swap; give --pauses suspended "
                    "or mixed:X/suspended, or no --swap",
                    swap_, world_text(options.pauses)));
  }
  options.discover_needs = discover_needs_;
  options.need_rule.floor = need_floor_;
  options.lost_work = {min_progress_, max_lost_runs_, requeue_kept_};
  return options;
}

// Already checked.
PauseWorld SimulationOptions::world() const { return record::parse_world(pauses_).value(); }
record::SwapSize SimulationOptions::swap() const { return record::parse_swap(swap_).value(); }

// Already checked.
std::size_t SimulationOptions::most_jobs() const {
  return most_jobs_.empty() || most_jobs_ == kNoLimit ? 0 : std::stoull(most_jobs_);
}

std::string SimulationOptions::text() const {
  const ResolvedOptions resolved{{"--batch-nodes", packs() ? "packed" : "task"}};
  if (app_ != nullptr) return options_text(*app_, kSimulation, resolved);
  CLI::App defaults;
  SimulationOptions().add(defaults);
  return options_text(defaults, kSimulation, resolved);
}

std::string SimulationOptions::describe() const {
  std::string text =
      fmt::format("penalty {}, period {} s, stretch bounded at {} s, instants {}, batch passes per {}, batch nodes {}",
                  penalty_words(sim()), period_, stretch_floor_, instants_, passes_, packs() ? "packed" : "task");
  const PauseWorld pauses = world();
  if (pauses != PauseWorld{}) text += fmt::format(", pauses {}", world_text(pauses));
  if (swap().limited()) text += fmt::format(" (swap {})", swap_words(swap()));
  if (pauses.some_lose()) {
    text += fmt::format(" (lost after {} s of progress, at most {} times)", min_progress_, max_lost_runs_);
  }
  if (requeue_kept_) text += fmt::format(", kept jobs requeued after {} s of progress", min_progress_);
  if (discover_needs_) text += fmt::format(", CPU needs measured (floor {})", need_floor_);
  if (most_jobs() != 0) text += fmt::format(", at most {} jobs in the system", most_jobs());
  if (most_jobs_ == kNoLimit) text += ", no limit of jobs in the system";
  return text;
}

std::string own_options(const CLI::App& app, std::initializer_list<std::string_view> left_out) {
  return own_options(app, std::span(left_out.begin(), left_out.size()));
}

std::string own_options(const CLI::App& app, std::span<const std::string_view> left_out) {
  return own_options(app, left_out, {});
}

std::string own_options(const CLI::App& app, std::span<const std::string_view> left_out,
                        const ResolvedOptions& resolved) {
  const auto chosen = [&](const CLI::Option& option, const std::string& name) {
    return option.get_group() != kWorkload && option.get_group() != kSimulation && name != "--help" &&
           std::find(left_out.begin(), left_out.end(), name) == left_out.end();
  };
  return text_of_options(app, chosen, resolved);
}

void check_outputs_differ(std::initializer_list<std::pair<std::string_view, std::string_view>> outputs) {
  for (auto a = outputs.begin(); a != outputs.end(); ++a) {
    for (auto b = std::next(a); b != outputs.end(); ++b) {
      // Character devices are written directly, so nothing is replaced.
      std::error_code none;
      if (a->second.empty() || a->second != b->second || std::filesystem::is_character_file(a->second, none)) continue;
      throw UsageError(
          fmt::format("{} and {} both name {}; give each a file of its own", a->first, b->first, a->second));
    }
  }
}

void check_inputs_kept(std::span<const std::string> inputs,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> outputs) {
  for (const auto& [option, output] : outputs) {
    std::error_code none;
    if (output.empty() || output == "-" || !std::filesystem::is_regular_file(output, none)) continue;
    for (const std::string& input : inputs) {
      if (!std::filesystem::equivalent(input, output, none) || none) continue;
      throw UsageError(
          fmt::format("{} {} is also an input, which it would replace; give another file", option, output));
    }
  }
}

std::vector<Algorithm> parse_algorithms(const std::vector<std::string>& names) {
  std::vector<Algorithm> algorithms;
  std::vector<std::string> seen;
  const auto add = [&](const Algorithm& algorithm) {
    const std::string name = algorithm_name(algorithm);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return;
    seen.push_back(name);
    algorithms.push_back(algorithm);
  };
  for (const std::string& list : names) {
    each_item(list, [&](std::string_view name) {
      if (name == "all") {
        for (const Algorithm& algorithm : rr7659_algorithms()) add(algorithm);
      } else if (const auto family = algorithms_of_family(name)) {
        for (const Algorithm& algorithm : *family) add(algorithm);
      } else if (name == "table2") {
        for (std::string_view row : rr7659::table2_rows()) add(parse_or_throw(row));
      } else {
        add(parse_or_throw(name));
      }
    });
  }
  return algorithms;
}

std::vector<std::string> recommended_algorithms() {
  return {"FCFS",
          "EASY",
          "GreedyP*/OPT=MIN",
          "GreedyP*/per/OPT=MIN/MINVT=600",
          "GreedyPM*/per/OPT=MIN/MINVT=600",
          "MCB8*/OPT=MIN/MINVT=600",
          "Triage"};
}

void print(std::string_view text) { or_throw(write_file("-", text)); }

}  // namespace dfrs::sim
