// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim generate: synthetic workloads by the Lublin-Feitelson model, annotated as in RR-7659, section 5.3.2.
#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/workload/lublin.h"
#include "sim/workload/scale.h"
#include "sim/workload/trace_file.h"

namespace dfrs::sim {
namespace {

struct GenerateCommand {
  LublinOptions lublin;
  std::string mix = "both";
  std::uint64_t count = 1;
  std::vector<double> loads;
  std::string output = "-";

  void run() {
    if (mix == "batch") lublin.mix = LublinMix::kBatch;
    if (mix == "interactive") lublin.mix = LublinMix::kInteractive;
    if (mix == "typeless") lublin.mix = LublinMix::kTypeless;
    const bool several = count * std::max<std::size_t>(1, loads.size()) > 1;
    if (several && output == "-") {
      throw UsageError("several instances need a folder to go to: give --output FOLDER");
    }
    const std::uint64_t first = lublin.seed;
    for (std::uint64_t k = 0; k < count; ++k) {
      lublin.seed = first + k;
      const Instance unscaled = lublin_instance(lublin);
      if (loads.empty()) write(unscaled);
      for (double load : loads) write(scaled_to_load(unscaled, load));
    }
  }

  void write(const Instance& instance) const {
    if (output == "-") {
      print(format_trace(instance));
      return;
    }
    std::error_code error;
    std::filesystem::create_directories(output, error);
    if (error) throw IoError(fmt::format("{}: cannot make this folder: {}", output, error.message()));
    write_file((std::filesystem::path(output) / (instance.name + ".dfrs")).string(), format_trace(instance));
  }
};

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("generate", "synthetic workloads (Lublin-Feitelson), annotated as in the papers");
  auto options = std::make_shared<GenerateCommand>();
  command->add_option("--count", options->count, "instances, of seeds S, S+1, ...")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", options->lublin.seed, "S, the first seed")
      ->check(whole_number_in(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  command->add_option("--jobs", options->lublin.jobs, "jobs per instance")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command->add_option("--nodes", options->lublin.nodes, "nodes of the cluster")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  command->add_option("--cores", options->lublin.cores, "cores per node: a one-task job needs one of them")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--memory", options->lublin.memory_mib, "MiB per node")
      ->check(CLI::Range(std::int64_t{10}, std::int64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--mix", options->mix, "types of jobs of the model")
      ->check(CLI::IsMember({"both", "batch", "interactive", "typeless"}))
      ->capture_default_str();
  command->add_option("--start-hour", options->lublin.start_hour, "hour of the day at time 0")
      ->check(CLI::Range(0, 23))
      ->capture_default_str();
  command->add_option("--load", options->loads, "scale to these offered loads, such as 0.1,0.5,0.9")
      ->delimiter(',')
      ->check(number_in(1e-6, 1000));
  command->add_option("-o,--output", options->output, "folder for the traces; - for one trace on standard output")
      ->capture_default_str();
  command->callback([options] { options->run(); });
}

}  // namespace dfrs::sim
