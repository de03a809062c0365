// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim generate: synthetic workloads by the Lublin-Feitelson model, annotated as in RR-7659, section 5.3.2, or
// modelled on a log, as in Streit 2003, section 4.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

#include "sim/cli/command.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/errors.h"
#include "sim/io/file_name.h"
#include "sim/io/output_file.h"
#include "sim/reproduce/dynp_published.h"
#include "sim/workload/load.h"
#include "sim/workload/lublin.h"
#include "sim/workload/scale.h"
#include "sim/workload/streit.h"
#include "sim/workload/trace_file.h"

namespace dfrs::sim {
namespace {

struct GenerateCommand {
  LublinOptions lublin;
  std::string mix = "both";
  std::uint64_t count = 1;
  std::vector<double> loads;
  std::string output = "-";
  std::optional<FolderOutput> folder;
  Progress progress;
  std::size_t total = 0, written = 0;

  std::string like;
  std::string published;
  bool nodes_given = false;
  JobSetOptions job_set;
  std::vector<double> shrinks;
  std::vector<double> weibull;
  bool no_kill = false;

  void run() {
    if (!weibull.empty() && weibull.size() != 2) throw UsageError("--weibull takes two numbers: ALPHA,BETA");
    const bool drawn = !like.empty() || !published.empty();
    if (!drawn && (no_kill || job_set.exact || job_set.max_width > 0 || !weibull.empty())) {
      throw UsageError("--no-kill, --exact-estimates, --max-width and --weibull need --like or --published");
    }
    const std::size_t variants = std::max<std::size_t>(1, loads.size()) * std::max<std::size_t>(1, shrinks.size());
    if (count * variants > 1 && output == "-") {
      throw UsageError("several instances need a folder: give --output FOLDER");
    }
    total = count * variants;
    progress = terminal_progress("traces");
    say_when_interrupted("traces already in the folder are complete; the same command writes all again");
    if (drawn) {
      draw();
      return;
    }
    if (mix == "batch") lublin.mix = LublinMix::kBatch;
    if (mix == "interactive") lublin.mix = LublinMix::kInteractive;
    if (mix == "typeless") lublin.mix = LublinMix::kTypeless;
    const std::uint64_t first = lublin.seed;
    for (std::uint64_t k = 0; k < count; ++k) {
      lublin.seed = first + k;
      const Instance unscaled = or_throw(lublin_instance(lublin));
      if (shrinks.empty()) write_loads(unscaled);
      for (const double factor : shrinks) {
        Instance shrunk = unscaled;
        or_throw(shrink(shrunk, factor));
        if (factor != 1) shrunk.name += fmt::format("-shrink-{}", factor);
        write_loads(shrunk);
      }
    }
  }

  // Draws Streit's job sets, modelled on a log or on published properties.
  void draw() {
    JobSetModel model = like.empty() ? published_model() : model_of_log();
    if (!weibull.empty()) model.arrivals = {weibull[0], weibull[1]};
    job_set.kill = !no_kill;
    for (std::uint64_t k = 0; k < count; ++k) {
      job_set.seed = lublin.seed + k;
      for (const double factor : shrinks.empty() ? std::vector<double>{1} : shrinks) {
        job_set.shrink = factor;
        write_loads(or_throw(sim::job_set(model, job_set)));
      }
    }
  }

  JobSetModel published_model() const {
    std::size_t set = 0;
    while (dynp_published::kMachines[set] != published) ++set;
    return or_throw(model_of(dynp_published::properties_of(set)));
  }

  JobSetModel model_of_log() const {
    LoadOptions load;
    load.conventions.estimates = SwfEstimates::kTrace;
    load.swf.lenient = true;
    load.processors.lenient = true;
    if (nodes_given) load.processors.nodes = lublin.nodes;
    Loaded loaded = or_throw(load_instances(like, load));
    for (const std::string& line : loaded.report.describe(loaded.source)) fmt::print(stderr, "{}\n", line);
    if (nodes_given) {
      loaded.instances.front().platform = Platform::homogeneous(static_cast<std::size_t>(lublin.nodes), 0);
    }
    return or_throw(learn_model(loaded.instances.front()));
  }

  void write_loads(const Instance& instance) {
    if (loads.empty()) write(instance);
    for (const double load : loads) write(or_throw(scaled_to_load(instance, load)));
  }

  void write(const Instance& instance) {
    if (output == "-") {
      print(or_throw(format_trace(instance)));
      return;
    }
    if (!folder) {
      or_throw(make_folder(output));
      folder.emplace(output);
    }
    const std::string path = or_throw(folder->path(instance.name, ".dfrs"));
    check_inputs_kept(std::vector{like}, {{"--output", path}});
    or_throw(write_file(path, or_throw(format_trace(instance))));
    if (progress) progress(++written, total);
  }
};

}  // namespace

void add_generate(const base::Command& app) {
  const base::Command command = app.add_subcommand(
      "generate", "synthetic workloads: Lublin-Feitelson, annotated as in the papers, or modelled on a log");
  auto options = std::make_shared<GenerateCommand>();
  command.add_option("--count", options->count, "number of instances, with seeds S, S+1, ...")
      .check(base::in_range(1, 1'000'000))
      .capture_default();
  command.add_option("--seed", options->lublin.seed, "S, the first seed")
      .check(whole_number_in(0, std::numeric_limits<std::uint64_t>::max()))
      .capture_default();
  const base::Option jobs = command
                                .add_option("--jobs", options->lublin.jobs,
                                            "jobs per instance (default 1000; 10000 with --like, --published)")
                                .check(base::in_range(1, 10'000'000));
  const base::Option nodes = command
                                 .add_option("--nodes", options->lublin.nodes,
                                             "nodes of the cluster (default 128; with --like the log's header)")
                                 .check(base::in_range(2, 1'000'000));
  command.add_option("--cores", options->lublin.cores, "cores per node: a one-task job needs one of them")
      .check(base::in_range(1, 1024))
      .capture_default();
  command.add_option("--memory", options->lublin.memory_mib, "MiB per node")
      .check(base::in_range(std::int64_t{10}, std::int64_t{1} << 40))
      .capture_default();
  command.add_option("--mix", options->mix, "job types of the model")
      .check(base::one_of({"both", "batch", "interactive", "typeless"}))
      .capture_default();
  command.add_option("--start-hour", options->lublin.start_hour, "hour of the day at time 0")
      .check(base::in_range(0, 23))
      .capture_default();
  command.add_option("--load", options->loads, "scale to these offered loads, such as 0.1,0.5,0.9")
      .delimiter(',')
      .check(number_in(1e-6, 1000));
  command.add_option("-o,--output", options->output, "folder for the traces; - for one trace on standard output")
      .capture_default();
  command
      .add_option("--shrink", options->shrinks,
                  "shrinking factors of Streit 2003: times between submissions are multiplied by each, such as 1,0.8")
      .delimiter(',')
      .check(number_in(1e-6, 1000));
  const std::string group = "Like a log (Streit 2003)";
  const base::Option like =
      command.add_option("--like", options->like,
                         "SWF log or dfrs-trace to learn from: its combinations of width, estimate and "
                         "run time, and a Weibull fit of its times between submissions");
  like.group(group);
  const base::Option published = command.add_option("--published", options->published,
                                                    "a job set with the published properties of CTC, KTH, PC2 or SDSC");
  published.check(base::one_of({"CTC", "KTH", "PC2", "SDSC"})).group(group).excludes(like);
  command
      .add_flag("--no-kill", options->no_kill,
                "keep run times beyond the estimates (default: jobs end at their estimates)")
      .group(group);
  command.add_flag("--exact-estimates", options->job_set.exact, "use the run times as estimates").group(group);
  command.add_option("--max-width", options->job_set.max_width, "split wider jobs into jobs of at most this width")
      .check(base::in_range(1, 1'000'000))
      .group(group);
  command.add_option("--weibull", options->weibull, "ALPHA,BETA (s): replaces the fit of the times between submissions")
      .delimiter(',')
      .check(number_in(1e-3, 1e9))
      .group(group);
  command.callback([options, jobs, nodes] {
    options->job_set.jobs = jobs.count() > 0 ? options->lublin.jobs : 10'000;
    options->nodes_given = nodes.count() > 0;
    options->run();
  });
}

}  // namespace dfrs::sim
