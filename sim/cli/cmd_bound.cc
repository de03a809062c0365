// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim bound: lower bounds on the optimal maximum stretch.
#include <fmt/format.h>

#include <memory>

#include "sim/bound/bound.h"
#include "sim/campaign/origin.h"
#include "sim/campaign/parallel.h"
#include "sim/campaign/results.h"
#include "sim/cli/command.h"
#include "sim/cli/option_texts.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/cli/workload_options.h"
#include "sim/io/output_file.h"

namespace dfrs::sim {
namespace {

struct BoundCommand {
  WorkloadOptions workload;
  Seconds stretch_floor = 10;
  unsigned threads = 0;
  std::string output = "-";

  void run(const std::string& options) const {
    say_when_interrupted("nothing is kept; the same command starts again");
    const std::vector<Instance> instances = workload.load();
    check_inputs_kept(workload.sources(), {{"--output", output}});
    OutputFile file = or_throw(OutputFile::create(output));
    std::vector<StretchBounds> bounds(instances.size());
    const auto find_bounds = [&](std::size_t k) {
      return stretch_lower_bounds(instances[k], BoundOptions{stretch_floor}).map([&](const StretchBounds& found) {
        bounds[k] = found;
      });
    };
    or_throw(try_parallel_for(instances.size(), threads, find_bounds, terminal_progress("bounds")));
    std::string text = "instance,jobs,divisible,ls1," + origin_headings() + '\n';
    std::vector<double> divisible;
    std::vector<double> ls1;
    for (std::size_t k = 0; k < instances.size(); ++k) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", csv_field(instances[k].name),
                     instances[k].jobs.size(), bounds[k].divisible, bounds[k].ls1,
                     origin_fields(*origin_of(instances[k], options)));
      divisible.push_back(bounds[k].divisible);
      ls1.push_back(bounds[k].ls1);
    }
    or_throw(file.write(text));
    or_throw(file.commit());
    if (instances.size() > 1) {
      const Summary d = summarize(divisible);
      const Summary l = summarize(ls1);
      fmt::print(stderr, "{} instances: divisible mean {:.3f} max {:.3f}, ls1 mean {:.3f} max {:.3f}\n",
                 instances.size(), d.mean, d.max, l.mean, l.max);
    }
  }
};

}  // namespace

void add_bound(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("bound", "lower bounds on the best possible maximum stretch, as CSV");
  auto options = std::make_shared<BoundCommand>();
  options->workload.add(command, WorkloadOptions::Sources::several);
  command.add_option("--stretch-floor", options->stretch_floor, "b of the bounded stretch, seconds")
      .check(number_in(1e-3, 1e9))
      .capture_default();
  command.add_option("-j,--threads", options->threads, "threads (default: one per processor)")
      .check(base::in_range(1, 1024));
  command.add_option("-o,--output", options->output, "file to write").capture_default();
  command.footer(
      "'ls1' is Linear System (1) of RR-7659 as printed; 'divisible' drops its constraint (1d), by which\n"
      "one job cannot use the whole cluster. The published degradations fit 'divisible'.");
  command.callback([options, command] { options->run(own_options(command, {"--output", "--threads"})); });
}

}  // namespace dfrs::sim
