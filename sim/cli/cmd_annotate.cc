// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim annotate: converts logs to dfrs-traces with tasks, CPU needs and memory.
#include <fmt/format.h>

#include <memory>

#include "base/counted.h"
#include "sim/campaign/origin.h"
#include "sim/cli/command.h"
#include "sim/cli/outputs.h"
#include "sim/cli/workload_options.h"
#include "sim/io/file_name.h"
#include "sim/io/output_file.h"
#include "sim/workload/trace_file.h"

namespace dfrs::sim {
namespace {

struct AnnotateCommand {
  WorkloadOptions workload;
  std::string output = "-";

  void run() const {
    const std::vector<Instance> instances = workload.load();
    if (output == "-") {
      std::string all;
      for (const Instance& instance : instances) all += trace_of(instance);
      print(all);
      return;
    }
    or_throw(make_folder(output));
    FolderOutput folder(output);
    for (const Instance& instance : instances) {
      const std::string path = or_throw(folder.path(instance.name, ".dfrs"));
      check_inputs_kept(workload.sources(), {{"--output", path}});
      or_throw(write_file(path, trace_of(instance)));
    }
    fmt::print(stderr, "{} in {}\n", base::counted(instances.size(), "trace"), output);
  }

 private:
  static std::string trace_of(const Instance& instance) {
    return or_throw(format_trace(instance, trace_comments(*origin_of(instance, ""), "annotate")));
  }
};

}  // namespace

void add_annotate(const base::Command& app) {
  const base::Command command = app.add_subcommand("annotate", "logs (SWF) to traces with tasks, CPU needs and memory");
  auto options = std::make_shared<AnnotateCommand>();
  options->workload.add(command, WorkloadOptions::Sources::several);
  command.add_option("-o,--output", options->output, "folder for the traces; - for standard output, one after another")
      .capture_default();
  command.footer("The format is described in docs/reference/trace-format.md.");
  command.callback([options] { options->run(); });
}

}  // namespace dfrs::sim
