// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim demo: what would DFRS do compared with EASY and FCFS? Needs no options.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/counted.h"
#include "base/sha256.h"
#include "sim/cli/algorithm_choice.h"
#include "sim/cli/campaign_command.h"
#include "sim/cli/command.h"
#include "sim/cli/outputs.h"
#include "sim/cli/simulation_options.h"
#include "sim/cli/workload_options.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/workload/fit.h"
#include "sim/workload/lublin.h"
#include "sim/workload/trace_file.h"

namespace dfrs::sim {
namespace {

constexpr std::uint64_t kDemoInstances = 10;  // seeds 1 .. 10

struct DemoCommand {
  WorkloadOptions workload;
  std::string output = "dfrs-demo";
  unsigned threads = 0;

  // FCFS and EASY share no CPU and would never start jobs that need more of it than there is.
  static void leave_out_wide_jobs(Instance& instance) {
    const PlatformFit platform(instance.platform);
    const std::size_t before = instance.jobs.size();
    std::erase_if(instance.jobs, [&](const Job& job) { return !platform.fits_at_full_speed(job); });
    if (instance.jobs.size() == before) return;
    if (instance.jobs.empty()) {
      throw InputError(fmt::format("{}: every job needs more CPU than the cluster has ({}); give --nodes",
                                   instance.name, base::counted(instance.platform.nodes.size(), "node")));
    }
    fmt::print(stderr, "{}: {} left out: too wide for the CPU of {}\n", instance.name,
               base::counted(before - instance.jobs.size(), "job"),
               base::counted(instance.platform.nodes.size(), "node"));
  }

  void run() {
    or_throw(make_folder(output));

    std::vector<Instance> instances;
    SourceFacts facts;
    CampaignOutputs outputs;
    if (workload.sources().empty()) {
      for (std::uint64_t seed = 1; seed <= kDemoInstances; ++seed) {
        LublinOptions lublin;
        lublin.seed = seed;
        Instance& instance = instances.emplace_back(or_throw(lublin_instance(lublin)));
        instance.origin = std::make_shared<const InstanceOrigin>(InstanceOrigin{
            fmt::format("{}--seed={}", kGenerated, seed), base::sha256_hex(or_throw(format_trace(instance))), {}});
      }
      outputs.report_options.subtitle =
          fmt::format("{} generated workloads (Lublin-Feitelson model, seeds 1 to {}), 128 quad-core nodes",
                      kDemoInstances, kDemoInstances);
    } else {
      workload.be_lenient();
      instances = workload.load(facts);
      for (Instance& instance : instances) leave_out_wide_jobs(instance);
      outputs.report_options.subtitle = "Workload: " + workload.sources().front();
    }
    outputs.inputs = workload.sources();
    SimulationOptions simulation;
    simulation.fit(instances, facts);
    const std::filesystem::path folder(output);
    outputs.results = (folder / "results.csv").string();
    outputs.report = (folder / "report.html").string();
    outputs.report_options.title = "What DFRS would do";
    outputs.report_options.settings = report_settings(simulation);

    std::size_t jobs = 0;
    for (const Instance& instance : instances) jobs += instance.jobs.size();
    print(fmt::format("{}: {}, {}, {}\n\n", outputs.report_options.subtitle,
                      base::counted(instances.size(), "instance"), base::counted(jobs, "job"),
                      base::counted(instances.front().platform.nodes.size(), "node")));
    const std::vector<Algorithm> algorithms = parse_algorithms(recommended_algorithms());
    print(run_and_report(instances, algorithms, simulation, threads, outputs));
    print(fmt::format("\nreport:  {}\nresults: {}\n", outputs.report, outputs.results));
  }
};

}  // namespace

void add_demo(const base::Command& app) {
  const base::Command command = app.add_subcommand(
      "demo", "what DFRS would do compared with FCFS and EASY, on generated workloads or on your log");
  auto options = std::make_shared<DemoCommand>();
  options->workload.add(command, WorkloadOptions::Sources::at_most_one);
  command.footer(
      "HPC2N's log is annotated and split into weeks as in the paper. Jobs that do not fit the machine are left out "
      "and counted.\nWithout SOURCE, ten workloads are generated.");
  command.add_option("-o,--output", options->output, "folder for report.html and results.csv").capture_default();
  command.add_option("-j,--threads", options->threads, "threads (default: one per processor)")
      .check(base::in_range(1, 1024));
  command.callback([options] { options->run(); });
}

}  // namespace dfrs::sim
