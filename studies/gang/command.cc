// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim gang: gang scheduling on machines leased from a cloud.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>
#include <optional>

#include "sim/cli/option_texts.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "studies/commands.h"
#include "studies/gang/host/gang_report.h"

namespace dfrs::sim {
namespace {

// A number >= `least`, or "none" for infinity.
base::Rule number_or_none(double least) {
  const base::Rule number = number_in(least, 1e9);
  return {[number](const std::string& text) {
            if (text == "none") return std::string();
            return number(text).empty() ? std::string() : number(text) + " and not 'none'";
          },
          fmt::format("NUMBER from {} or none", least)};
}

double number_or_infinity(const std::string& text) {
  double value = kNever;
  if (text != "none") std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Options that do not change results.
constexpr std::array<std::string_view, 4> kPresentation{"--format", "--json", "--runs-csv", "--threads"};

struct GangCommand {
  GangWorkloadOptions workload;
  ElasticOptions options;
  ReplicationOptions replication;
  std::vector<std::string> schedulers{"AFCFS", "LJFS"};
  std::vector<std::string> migrations{"FF"};
  std::vector<std::string> x_factors{"10"};
  std::string load_threshold = "1";
  std::string queue_length = "tasks";
  std::string migrated_start = "next-event";
  std::string starved_order = "reserve";
  std::string format = "text";
  bool json = false;
  std::string runs_file;
  StudyOrigin origin;

  GangCommand() {
    options.jobs = 100'000;
    replication.replications = 10;
  }

  void run() {
    check();
    gang::Options& policy = options.policy;
    policy.load_threshold = number_or_infinity(load_threshold);
    if (queue_length == "waiting") policy.queue_length = gang::QueueLength::waiting;
    if (migrated_start == "at-once") policy.migrated_start = gang::MigratedStart::at_once;
    if (starved_order == "pass") policy.starved_order = gang::StarvedOrder::pass;

    std::vector<GangExperiment> experiments;
    for (const std::string& migration : migrations) {
      for (const std::string& x_factor : x_factors) {
        for (const std::string& scheduler : schedulers) {
          GangExperiment& e = experiments.emplace_back(GangExperiment{workload, options});
          e.options.policy.scheduler = scheduler == "LJFS" ? gang::Scheduler::ljfs : gang::Scheduler::afcfs;
          e.options.policy.migration = migration == "none" ? gang::Migration::none
                                       : migration == "FF" ? gang::Migration::first_fit
                                                           : gang::Migration::best_fit;
          e.options.policy.starvation_threshold = number_or_infinity(x_factor);
        }
      }
    }
    std::optional<OutputFile> runs_output;
    if (!runs_file.empty()) runs_output.emplace(or_throw(OutputFile::create(runs_file)));
    replication.progress = terminal_progress("replications");
    std::vector<std::vector<GangMetrics>> results = or_throw(replicate(experiments, replication));

    GangReport report{workload, replication.seed, {}, origin};
    for (std::size_t k = 0; k < experiments.size(); ++k) report.rows.push_back({experiments[k], std::move(results[k])});
    if (runs_output) or_throw(runs_output->write(csv_runs(report)));
    if (runs_output) or_throw(runs_output->commit());
    if (json || format == "json") return print(json_report(report));
    print(format == "csv" ? csv_report(report) : text_report(report));
  }

 private:
  void check() const {
    if (workload.large_most <= workload.small_most) {
      throw UsageError(
          fmt::format("--large {} must be more than --small {}: high-parallelism gangs have {} to LARGE tasks",
                      workload.large_most, workload.small_most, workload.small_most + 1));
    }
    const std::uint32_t most = workload.small_probability < 1 ? workload.large_most : workload.small_most;
    if (most > options.policy.machine_limit) {
      throw UsageError(fmt::format("--limit {} is too low: gangs have up to {} tasks, and each needs a machine",
                                   options.policy.machine_limit, most));
    }
    if (const auto checked = gang::check(options.policy); !checked) throw UsageError("--minimum: " + checked.error());
  }
};

void add_workload_options(const base::Command& command, GangWorkloadOptions& workload) {
  const std::string gangs = "Gangs";
  command.add_option("--lambda", workload.arrival_rate, "gangs that arrive per time unit (Poisson)")
      .check(number_in(1e-6, 1e6))
      .capture_default()
      .group(gangs);
  command.add_option("--q", workload.small_probability, "probability of a low-parallelism gang")
      .check(number_in(0, 1))
      .capture_default()
      .group(gangs);
  command.add_option("--mu", workload.service_rate, "1 / mean execution time (exponential)")
      .check(number_in(1e-6, 1e6))
      .capture_default()
      .group(gangs);
  command.add_option("--small", workload.small_most, "most tasks of a low-parallelism gang, which has 1 to SMALL")
      .check(whole_number_in(1, gang::kMaxMachines))
      .capture_default()
      .group(gangs);
  command.add_option("--large", workload.large_most, "most tasks of other gangs, which have SMALL + 1 to LARGE")
      .check(whole_number_in(2, gang::kMaxMachines))
      .capture_default()
      .group(gangs);
}

void add_machine_options(const base::Command& command, GangCommand& o) {
  const std::string machines = "Machines";
  gang::Options& policy = o.options.policy;
  command.add_option("--limit", policy.machine_limit, "most machines leased at a time")
      .check(whole_number_in(1, gang::kMaxMachines))
      .capture_default()
      .group(machines);
  command
      .add_option("--minimum", policy.machine_minimum,
                  "machines leased all the time; equal to LIMIT for a cluster of fixed size")
      .check(whole_number_in(0, gang::kMaxMachines))
      .capture_default()
      .group(machines);
  command.add_option("--setup", o.workload.setup_most, "longest time to set up leased machines (uniform from 0)")
      .check(number_in(0, 1e6))
      .capture_default()
      .group(machines);
  command
      .add_option("--load-threshold", o.load_threshold,
                  "waiting tasks per leased machine above which more machines are leased, or none")
      .check(number_or_none(0))
      .capture_default()
      .group(machines);
  command
      .add_option("--release-pause", policy.release_pause,
                  "number of arrivals after the setup of machines before any is released")
      .check(whole_number_in(0, 1'000'000))
      .capture_default()
      .group(machines);
}

void add_rule_options(const base::Command& command, GangCommand& o) {
  const std::string rules = "Rules";
  command.add_option("--migration-interval", o.options.policy.migration_interval, "S_n: starts before each migration")
      .check(whole_number_in(0, 1'000'000))
      .capture_default()
      .group(rules);
  command
      .add_option("--queue-length", o.queue_length,
                  "what the shortest queue counts: all 'tasks', including the running one, or only 'waiting' ones")
      .check(base::one_of({"tasks", "waiting"}))
      .capture_default()
      .group(rules);
  command
      .add_option("--migrated-start", o.migrated_start, "when a migrated gang starts: at the 'next-event' or 'at-once'")
      .check(base::one_of({"next-event", "at-once"}))
      .capture_default()
      .group(rules);
  command
      .add_option("--starved-order", o.starved_order,
                  "'reserve' idle machines for the first starved gang, or let others 'pass' it")
      .check(base::one_of({"reserve", "pass"}))
      .capture_default()
      .group(rules);
}

void add_replication_options(const base::Command& command, GangCommand& o) {
  const std::string runs = "Replications";
  command.add_option("--gangs", o.options.jobs, "a replication ends when this many gangs have finished")
      .check(whole_number_in(1, 1'000'000'000))
      .capture_default()
      .group(runs);
  command.add_option("--replications", o.replication.replications, "independent repetitions")
      .check(whole_number_in(1, 100'000))
      .capture_default()
      .group(runs);
  command.add_option("--seed", o.replication.seed, "of random numbers; every configuration gets the same gangs")
      .check(whole_number_in(0, ~std::uint64_t{0} >> 1))
      .capture_default()
      .group(runs);
  command.add_option("-j,--threads", o.replication.threads, "threads (default: one per processor)")
      .check(base::in_range(1, 1024))
      .group(runs);
}

}  // namespace

void add_gang(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("gang", "gang scheduling on machines leased from a cloud, with confidence intervals");
  auto o = std::make_shared<GangCommand>();
  const auto list = [&](const char* name, std::vector<std::string>& to, const char* text) {
    return command.add_option(name, to, text).delimiter(',').capture_default();
  };
  list("--scheduler", o->schedulers,
       "AFCFS (first come, first served among gangs that can start), LJFS (the largest of them), or both")
      .check(base::one_of({"AFCFS", "LJFS"}));
  list("--migration", o->migrations,
       "which gang migrates to idle machines when none can start: FF (the first that fits), BF (the largest), none")
      .check(base::one_of({"none", "FF", "BF"}));
  list("--x-factor", o->x_factors, "(wait + execution time) / execution time at which a gang becomes starved, or none")
      .check(number_or_none(1));

  add_workload_options(command, o->workload);
  add_machine_options(command, *o);
  add_rule_options(command, *o);
  add_replication_options(command, *o);
  command.add_option("--format", o->format, "text, csv or json")
      .check(base::one_of({"text", "csv", "json"}))
      .capture_default();
  command.add_flag("--json", o->json, "the same as --format json");
  command.add_option("--runs-csv", o->runs_file, "write a line per replication to this file");
  command.footer(
      "The model of Moschakis and Karatza (2011). A gang's tasks run to completion at the same time, each on its own\n"
      "machine. Machines are leased when a gang has more tasks than there are machines or when queues are long, and\n"
      "released when they are idle. Options with several values, separated by commas, are combined.\n\n"
      "Examples:\n"
      "  dfrs-sim gang                                      AFCFS against LJFS, lambda 2, q 0.5\n"
      "  dfrs-sim gang --migration none,FF,BF --x-factor 10,20 --lambda 2.75\n"
      "  dfrs-sim gang --limit 64 --minimum 64              on a cluster of fixed size\n"
      "  dfrs-sim reproduce gang-cloud                      the paper's table and figures");
  command.callback([o, command] {
    o->origin = {"gang", own_options(command, kPresentation), {}};
    o->run();
  });
}

}  // namespace dfrs::sim
