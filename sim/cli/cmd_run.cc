// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim run: simulates one trace under one algorithm; writes per-job results and decisions on request.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/counted.h"
#include "sim/bound/bound.h"
#include "sim/campaign/origin_json.h"
#include "sim/cli/algorithm_choice.h"
#include "sim/cli/command.h"
#include "sim/cli/explained_job.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/cli/simulation_options.h"
#include "sim/cli/workload_options.h"
#include "sim/errors.h"
#include "sim/host/step_log.h"
#include "sim/host/step_recorder.h"
#include "sim/host/timeline.h"
#include "sim/io/constant_columns.h"
#include "sim/io/output_file.h"
#include "sim/metrics/metric_columns.h"
#include "sim/timeline/collector.h"
#include "sim/timeline/export.h"
#include "timeline/page.h"

namespace dfrs::sim {
namespace {

// Combines several observers into one.
struct Observers final : StepObserver {
  std::vector<StepObserver*> list;
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    for (StepObserver* observer : list) observer->on_step(view, events, decisions);
  }
  const Error* failure() const override {
    for (const StepObserver* observer : list) {
      if (const Error* const failed = observer->failure()) return failed;
    }
    return nullptr;
  }
};

// Where a run is written to. Empty: not asked for.
struct OutputPaths {
  std::string jobs, log, record, timeline, report, evalys, perfetto, paje;

  void check(const std::vector<std::string>& sources) const {
    if (timeline.ends_with(".html") || timeline.ends_with(".htm")) {
      throw UsageError(
          fmt::format("--timeline {}: run writes CSV there; --report FILE.html writes the page", timeline));
    }
    check_outputs_differ({{"--jobs-csv", jobs},
                          {"--log", log},
                          {"--record", record},
                          {"--timeline", timeline},
                          {"--report", report},
                          {"--evalys", evalys},
                          {"--perfetto", perfetto},
                          {"--paje", paje}});
    // A record is always a new file.
    check_inputs_kept(sources, {{"--jobs-csv", jobs},
                                {"--log", log},
                                {"--timeline", timeline},
                                {"--report", report},
                                {"--evalys", evalys},
                                {"--perfetto", perfetto},
                                {"--paje", paje}});
  }
  bool schedule() const { return !report.empty() || !evalys.empty() || !perfetto.empty() || !paje.empty(); }
};

// The outputs of a run, each if it is asked for. They are opened before the run, so that a path that cannot be written
// fails at once.
struct Outputs {
  std::optional<OutputFile> jobs, log_file, timeline_file, report, evalys, perfetto, paje;
  std::optional<StepLog> log;
  std::optional<Timeline> timeline;
  std::optional<ScheduleCollector> schedule;
  std::unique_ptr<StepRecorder> record;
  Observers observers;

  Outputs(const OutputPaths& paths, const Instance& instance, const Algorithm& algorithm, const SimOptions& options,
          const CampaignOrigin& origin, const ConstantColumns& columns) {
    if (!paths.jobs.empty()) jobs.emplace(or_throw(OutputFile::create(paths.jobs)));
    if (!paths.log.empty()) {
      observers.list.push_back(
          &log.emplace(log_file.emplace(or_throw(OutputFile::create(paths.log))), origin_json(origin)));
    }
    if (!paths.timeline.empty()) {
      observers.list.push_back(
          &timeline.emplace(timeline_file.emplace(or_throw(OutputFile::create(paths.timeline))), columns));
    }
    if (!paths.report.empty()) report.emplace(or_throw(OutputFile::create(paths.report)));
    if (!paths.evalys.empty()) evalys.emplace(or_throw(OutputFile::create(paths.evalys)));
    if (!paths.perfetto.empty()) perfetto.emplace(or_throw(OutputFile::create(paths.perfetto)));
    if (!paths.paje.empty()) paje.emplace(or_throw(OutputFile::create(paths.paje)));
    if (paths.schedule()) {
      observers.list.push_back(&schedule.emplace(algorithm_name(algorithm), !paths.report.empty()));
    }
    if (!paths.record.empty()) {
      record = or_throw(StepRecorder::create(paths.record, instance, algorithm, options));
      observers.list.push_back(record.get());
    }
  }

  // What the observers have written is complete.
  void commit(const std::string& jobs_text) {
    if (log_file) or_throw(log_file->commit());
    if (timeline_file) or_throw(timeline_file->commit());
    if (jobs) write(jobs, jobs_text);
  }
  static void write(std::optional<OutputFile>& output, const std::string& text) {
    or_throw(output->write(text));
    or_throw(output->commit());
  }
};

struct RunCommand {
  WorkloadOptions workload;
  SimulationOptions simulation;
  std::string algorithm;
  OutputPaths paths;
  std::optional<JobId> explain;
  bool json = false;
  bool times = false;
  bool bound = true;

  void run() {
    say_when_interrupted("nothing is kept; the same command starts again");
    const std::vector<Algorithm> algorithms = parse_algorithms({algorithm});
    if (algorithms.size() != 1) throw UsageError("run takes one algorithm; `dfrs-sim compare` takes several");
    SourceFacts facts;
    const std::vector<Instance> instances = workload.load(facts);
    if (instances.size() != 1) {
      throw UsageError(
          fmt::format("{} holds {} instances and run takes one: use --whole for a whole log, --take 1 for "
                      "the first week, or `dfrs-sim compare` for several",
                      workload.sources().front(), instances.size()));
    }
    simulation.fit(instances, facts);
    run(instances.front(), algorithms.front());
  }

  void run(const Instance& instance, const Algorithm& chosen) const {
    SimOptions options = simulation.sim();
    paths.check(workload.sources());
    CampaignOrigin origin;
    origin.command = "run";
    origin.algorithms = {algorithm_name(chosen)};
    const std::shared_ptr<const ResultOrigin> made = origin_of(instance, simulation.text());
    origin.add(made);
    const ConstantColumns columns(origin_headings(), origin_fields(*made));
    Outputs outputs(paths, instance, chosen, options, origin, columns);
    Observers& observers = outputs.observers;
    std::optional<ExplainedJob> explained;
    if (explain) observers.list.push_back(&explained.emplace(*explain, instance));
    const RunResult result = or_throw(simulate(instance, chosen, options,
                                               Watch{.observer = observers.list.empty() ? nullptr : &observers,
                                                     .completions = terminal_progress("jobs"),
                                                     .explains = explain.has_value() || !paths.report.empty(),
                                                     .policy_times = times,
                                                     .most_jobs = simulation.most_jobs(),
                                                     .ends_pile_ups = simulation.ends_pile_ups(),
                                                     .warn = warn_on_terminal}));
    if (outputs.record) or_throw(outputs.record->finish());

    const Metrics metrics = measure(instance, result, simulation.stretch_floor());
    std::optional<StretchBounds> bounds;
    if (bound) bounds = or_throw(stretch_lower_bounds(instance, BoundOptions{simulation.stretch_floor()}));
    outputs.commit(outputs.jobs ? jobs_csv(instance, result, columns) : "");
    if (outputs.schedule) write_schedule(instance, chosen, origin.lines(), outputs);
    if (json) {
      nlohmann::ordered_json out = as_json(instance, metrics, bounds, result, origin);
      if (explained) out["explanation"] = explanation_json(*explain, explained->stories());
      print(out.dump(2) + "\n");
    } else {
      print(as_text(instance, metrics, bounds, result, origin));
      if (explained) print("\n" + explanation_text(*explain, explained->stories()));
    }
  }

  void write_schedule(const Instance& instance, const Algorithm& chosen, const std::string& made,
                      Outputs& outputs) const {
    const timeline::Schedule schedule = outputs.schedule->finish(instance);
    if (outputs.report) {
      Outputs::write(outputs.report,
                     timeline::timeline_page(
                         fmt::format("{} under {}", instance.name, algorithm_name(chosen)),
                         fmt::format("{} on {}; {}", base::counted(instance.jobs.size(), "job"),
                                     base::counted(instance.platform.nodes.size(), "node"), simulation.describe()),
                         {&schedule, 1}, made));
    }
    if (outputs.evalys) Outputs::write(outputs.evalys, evalys_csv(schedule, made));
    if (outputs.perfetto) Outputs::write(outputs.perfetto, perfetto_json(schedule, made));
    if (outputs.paje) Outputs::write(outputs.paje, paje_trace(schedule, made));
  }

  std::string jobs_csv(const Instance& instance, const RunResult& result, ConstantColumns more) const {
    std::string text =
        "job,submit,start,end,run_time,tasks,stretch,pauses,moves,lost_runs,lost_s" + more.heading() + '\n';
    for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
      const Job& job = instance.jobs[k];
      const JobRecord& record = result.jobs[k];
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{}{}\n", job.id, job.submit, record.start,
                     record.end, job.run_time, job.tasks, bounded_stretch(job, record, simulation.stretch_floor()),
                     record.pauses, record.moves, record.lost_runs, record.lost_time, more.row());
    }
    return text;
  }

  std::string as_text(const Instance& instance, const Metrics& m, const std::optional<StretchBounds>& bounds,
                      const RunResult& result, const CampaignOrigin& origin) const {
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
      fmt::format_to(std::back_inserter(text), "{:<22} {}\n", name, value);
    };
    line("instance", fmt::format("{} ({}, {})", instance.name, base::counted(instance.jobs.size(), "job"),
                                 base::counted(instance.platform.nodes.size(), "node")));
    line("algorithm", origin.algorithms.front());
    line("options", simulation.describe());
    line("max stretch", fmt::format("{:.3f}", m.max_stretch));
    if (bounds) {
      line("lower bound", fmt::format("{:.3f} divisible, {:.3f} ls1", bounds->divisible, bounds->ls1));
      line("degradation from bound",
           fmt::format("{:.3f} divisible, {:.3f} ls1", m.max_stretch / bounds->divisible, m.max_stretch / bounds->ls1));
    }
    line("mean stretch", fmt::format("{:.3f}", m.mean_stretch));
    line("stretch percentiles", fmt::format("{:.3f} (50), {:.3f} (90), {:.3f} (95), {:.3f} (99)", m.stretch_p50,
                                            m.stretch_p90, m.stretch_p95, m.stretch_p99));
    line("mean wait", fmt::format("{:.1f} s", m.mean_wait));
    line("mean turnaround", fmt::format("{:.1f} s", m.mean_turnaround));
    line("makespan", fmt::format("{} s", m.makespan));
    line("utilization", fmt::format("{:.4f}", m.utilization));
    line("underutilization", fmt::format("{:.4f}", m.underutilization));
    line("weighted by tasks", fmt::format("turnaround {:.1f} s (ARTwW), slowdown {:.3f} (SLDwW)", m.response_by_width,
                                          m.slowdown60_by_width));
    line("loss of capacity", fmt::format("{:.4f} (LOC)", m.loss_of_capacity));
    line("pauses", fmt::format("{}: {:.3f} per job, {:.2f} per hour, {:.4f} GB/s", m.pauses, m.pauses_per_job,
                               m.pauses_per_hour, m.pause_gb_per_s));
    line("moves", fmt::format("{}: {:.3f} per job, {:.2f} per hour, {:.4f} GB/s", m.moves, m.moves_per_job,
                              m.moves_per_hour, m.move_gb_per_s));
    if (simulation.world().some_lose()) {
      line("work lost", fmt::format("{:.4f} of all work, {:.3f} runs per job", m.work_lost, m.losses_per_job));
    }
    if (times) {
      line("policy", fmt::format("{} calls, CPU time {:.1f} us on average, {:.1f} us the longest", result.steps,
                                 1e6 * result.mean_policy_call(), 1e6 * result.longest_policy_call));
    }
    for (const auto& [name, value] : origin.described(1)) line(name, value);
    return text;
  }

  nlohmann::ordered_json as_json(const Instance& instance, const Metrics& m, const std::optional<StretchBounds>& bounds,
                                 const RunResult& result, const CampaignOrigin& origin) const {
    nlohmann::ordered_json out{{"instance", instance.name},
                               {"jobs", instance.jobs.size()},
                               {"nodes", instance.platform.nodes.size()},
                               {"algorithm", origin.algorithms.front()}};
    for (const MetricColumn& metric : metric_columns()) out[std::string(metric.name)] = m.*metric.value;
    out["policy_calls"] = result.steps;
    if (bounds) {
      out["bound_divisible"] = bounds->divisible;
      out["bound_ls1"] = bounds->ls1;
      out["degradation_divisible"] = m.max_stretch / bounds->divisible;
      out["degradation_ls1"] = m.max_stretch / bounds->ls1;
    }
    if (times) {
      out["policy_call_mean_s"] = result.mean_policy_call();
      out["policy_call_longest_s"] = result.longest_policy_call;
    }
    out["origin"] = origin_json(origin);
    return out;
  }
};

}  // namespace

void add_run(const base::Command& app) {
  const base::Command command = app.add_subcommand("run", "one trace under one algorithm");
  auto options = std::make_shared<RunCommand>();
  options->workload.add(command, WorkloadOptions::Sources::one);
  command.add_option("-a,--algorithm,--algorithms", options->algorithm, "name of the algorithm, see `dfrs-sim list`")
      .required();
  command.add_option("--jobs-csv", options->paths.jobs, "write a line per job to this file");
  command.add_option("--log", options->paths.log, "write the decisions to this file, a JSON object per line");
  command.add_option("--timeline", options->paths.timeline,
                     "write each job's state, yield, virtual time and nodes over time to this CSV file, a line per "
                     "job and interval without a change");
  command.add_option("--report", options->paths.report,
                     "write a page to this HTML file: nodes and jobs over time, to zoom and search in a browser");
  command.add_option("--evalys", options->paths.evalys,
                     "write the schedule to this CSV file in the format of Batsim's jobs.csv, which Evalys reads");
  command.add_option("--paje", options->paths.paje, "write the schedule to this file as a Paje trace (ViTE, PajeNG)");
  command.add_option("--perfetto", options->paths.perfetto,
                     "write the schedule to this JSON file for Perfetto (ui.perfetto.dev) and chrome://tracing");
  command.add_option("--record", options->paths.record,
                     "record the run in this new file for `dfrs-sim replay`; compressed if it ends with .gz");
  command.add_option("--explain", options->explain,
                     "also say what happened to the job with this number, event by event, and why");
  command.add_flag("--json", options->json, "print JSON");
  command.add_flag("--times", options->times, "also print the CPU time of the policy's calls, mean and longest");
  command.add_flag("--bound,!--no-bound", options->bound,
                   "also compute the lower bounds (default); --no-bound saves seconds for a whole log");
  options->simulation.add(command);
  command.callback([options] { options->run(); });
}

}  // namespace dfrs::sim
