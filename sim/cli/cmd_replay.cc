// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim replay: checks that the record of a live or simulated run is reproduced, or tries other algorithms on its
// jobs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "base/sha256.h"
#include "base/text_table.h"
#include "base/utf8.h"
#include "policy/rr7659/options.h"
#include "policy/triage/options.h"
#include "record/replay.h"
#include "sim/campaign/origin_json.h"
#include "sim/cli/algorithm_choice.h"
#include "sim/cli/command.h"
#include "sim/cli/explained_job.h"
#include "sim/cli/option_texts.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/metrics/metrics.h"
#include "sim/timeline/export.h"
#include "sim/timeline/recorded.h"
#include "sim/timeline/told.h"
#include "sim/workload/recorded.h"
#include "sim/workload/trace_file.h"
#include "timeline/page.h"

namespace dfrs::sim {
namespace {

// The instance's name: the file name without its format's endings.
std::string stem(const std::string& path) {
  std::string name = path == "-" ? "stdin" : std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".jsonl"}) {
    if (name.ends_with(ending) && name.size() > ending.size()) name.resize(name.size() - ending.size());
  }
  const std::size_t begin = name.find_first_not_of(' ');
  return begin == std::string::npos ? "record" : name.substr(begin, name.find_last_not_of(' ') - begin + 1);
}

// Six digits, because nobody reads more.
std::string time_text(Seconds time) { return fmt::format("{:.6g} s", time); }

// Of a file; standard input is read only once, and is left without.
std::string checksum(const std::string& path) {
  if (path == "-") return {};
  std::ifstream in(path, std::ios::binary);
  return base::sha256_hex(in);
}

struct ReplayCommand {
  std::string file;
  std::vector<std::string> algorithms;
  std::string trace_file;
  std::string report_file;
  std::string evalys_file;
  std::string perfetto_file;
  std::string paje_file;
  std::optional<Seconds> penalty;
  std::string swap;
  Seconds stretch_floor = 10;
  std::optional<JobId> explain;
  bool json = false;

  std::string own;  // options that change the result, as on a command line

  void run() {
    write_schedule();
    if (algorithms.empty() && trace_file.empty()) {
      reproduce();
    } else {
      try_others();
    }
  }

  // The page and the formats of other tools, as far as they are asked for.
  void write_schedule() const {
    const std::array<std::pair<std::string_view, std::string_view>, 4> outputs{
        {{"--report", report_file}, {"--evalys", evalys_file}, {"--perfetto", perfetto_file}, {"--paje", paje_file}}};
    const auto first = std::find_if(outputs.begin(), outputs.end(), [](const auto& o) { return !o.second.empty(); });
    if (first == outputs.end()) return;
    if (file == "-") {
      throw UsageError(fmt::format(
          "{} reads the record a second time, which standard input does not allow: give a file", first->first));
    }
    for (const auto& output : outputs) check_inputs_kept(std::vector{file}, {output});
    check_outputs_differ({outputs[0], outputs[1], outputs[2], outputs[3], {"--trace", trace_file}});
    std::optional<record::Stories> stories;  // only the page tells them
    if (!report_file.empty()) {
      stories.emplace(record::Stories::of_all_and_ended(kMostTold));
      record::RecordReader replayed = or_throw(open_record(file));
      if (const auto summary = record::replay(replayed, &*stories); !summary)
        throw Failure(record_error(summary.error()));
    }
    record::RecordReader reader = or_throw(open_record(file));
    const timeline::Schedule schedule = or_throw(recorded_schedule(reader, stories ? &*stories : nullptr));
    const std::string made = origin(own).lines();
    if (!report_file.empty()) or_throw(write_file(report_file, page_of(schedule, made)));
    if (!evalys_file.empty()) or_throw(write_file(evalys_file, evalys_csv(schedule, made)));
    if (!perfetto_file.empty()) or_throw(write_file(perfetto_file, perfetto_json(schedule, made)));
    if (!paje_file.empty()) or_throw(write_file(paje_file, paje_trace(schedule, made)));
  }

  std::string page_of(const timeline::Schedule& schedule, const std::string& made) const {
    return timeline::timeline_page(fmt::format("{} under {}", stem(file), schedule.algorithm),
                                   fmt::format("{} on {}, as recorded", base::counted(schedule.jobs.size(), "job"),
                                               base::counted(schedule.node_cpu.size(), "node")),
                                   {&schedule, 1}, made);
  }

  void reproduce() const {
    record::RecordReader reader = or_throw(open_record(file));
    std::optional<record::Stories> stories;
    if (explain) stories.emplace(record::Stories::of(*explain));
    const auto replayed = record::replay(reader, stories ? &*stories : nullptr);
    if (!replayed) throw Failure(record_error(replayed.error()));
    const record::ReplaySummary& summary = *replayed;
    if (summary.steps == 0) throw InputError(fmt::format("{}: this record has no complete step", file));
    if (summary.cut_off) fmt::print(stderr, "{}: ends within a line, which is left out\n", file);
    if (summary.lacks_triage_options) say_what_format_1_lacks();
    if (json) {
      nlohmann::ordered_json out = as_json(summary);
      if (explain) out["explanation"] = explanation_json(*explain, *stories);
      print(out.dump(2) + "\n");
    } else {
      const std::string story = explain ? "\n" + explanation_text(*explain, *stories) : std::string();
      print(as_text(summary) + story);
    }
    if (!summary.difference) return;
    const record::ReplayDifference& d = *summary.difference;
    throw DifferenceError(fmt::format("{}:{}: step {} at {} s differs{}: recorded {}; replayed {}", file, d.line,
                                      d.step, d.now, d.job ? fmt::format(", job {}", *d.job) : std::string(),
                                      d.recorded, d.replayed));
  }

  // `options`: of the simulations.
  CampaignOrigin origin(std::string options, std::vector<std::string> names = {}) const {
    CampaignOrigin made;
    made.command = "replay";
    made.algorithms = std::move(names);
    made.origins.push_back({program_version(), file, checksum(file), {}, std::move(options)});
    return made;
  }

  static std::string origin_text(const CampaignOrigin& made) {
    std::string text;
    for (const auto& [name, value] : made.described(1))
      text += fmt::format("{:<20}  {}\n", name, base::printable(value));
    return text;
  }

  void say_what_format_1_lacks() const {
    fmt::print(stderr, "{}: this record has format 1, which lacks Triage's options; assuming their defaults\n", file);
  }

  std::string as_text(const record::ReplaySummary& s) const {
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
      fmt::format_to(std::back_inserter(text), "{:<12} {}\n", name, value);
    };
    std::string names;
    for (const std::string& name : s.algorithms) names += (names.empty() ? "" : ", ") + name;
    line("record", fmt::format("{} (written by dfrs {})", file, s.version));
    line("algorithm", names);
    line("steps", fmt::format("{} over {}{}", s.steps, time_text(s.last - s.first),
                              s.engines > 1 ? fmt::format(", {} engines", s.engines) : std::string()));
    line("jobs", fmt::format("{}", s.jobs));
    line("decisions", fmt::format("{} starts, {} pauses, {} moves, {} resumes, {} yields", s.starts, s.pauses, s.moves,
                                  s.resumes, s.yield_changes));
    if (s.resyncs != 0 || s.errors != 0) line("irregular", fmt::format("{} resyncs, {} errors", s.resyncs, s.errors));
    line("replay", s.difference ? fmt::format("differs from step {} on", s.difference->step)
                                : std::string("exact: every decision is the recorded one"));
    return text + '\n' + origin_text(origin({}));
  }

  nlohmann::ordered_json as_json(const record::ReplaySummary& s) const {
    nlohmann::ordered_json out{{"exact", !s.difference.has_value()},
                               {"version", s.version},
                               {"algorithms", s.algorithms},
                               {"steps", s.steps},
                               {"engines", s.engines},
                               {"first_s", s.first},
                               {"last_s", s.last},
                               {"jobs", s.jobs},
                               {"starts", s.starts},
                               {"pauses", s.pauses},
                               {"moves", s.moves},
                               {"resumes", s.resumes},
                               {"yields", s.yield_changes},
                               {"resyncs", s.resyncs},
                               {"errors", s.errors},
                               {"cut_off", s.cut_off}};
    if (s.difference) {
      nlohmann::ordered_json difference{
          {"step", s.difference->step}, {"line", s.difference->line}, {"t", s.difference->now}};
      if (s.difference->job) difference["job"] = *s.difference->job;
      difference["recorded"] = s.difference->recorded;
      difference["replayed"] = s.difference->replayed;
      out["difference"] = std::move(difference);
    }
    out["origin"] = origin_json(origin({}));
    return out;
  }

  struct Row {
    std::string name;
    std::string algorithm;
    Metrics metrics;
  };

  // The options of the record's host and engine. A given penalty replaces the recorded one, and policies expect it, as
  // in `dfrs-sim run`. The penalty of a live host is not known: 0 is assumed and expected.
  SimOptions simulation(const RecordedRun& recorded) const {
    const record::EngineSetup& setup = recorded.setup;
    SimOptions options;
    options.engine = setup.options;
    options.events_apart = setup.options.of<DfrsOptions>().ticks_apart;
    options.penalty = 0;
    if (setup.host) {
      // The marks of the jobs say what pauses do: with them, jobs are what they were in that run.
      const auto& [recorded_penalty, swap_rate, restart, unused, min_progress, max_lost_runs, recorded_swap,
                   requeue_kept] = *setup.host;
      options.penalty = recorded_penalty;
      options.swap_rate = swap_rate;
      options.restart = restart;
      options.lost_work = {min_progress, max_lost_runs, requeue_kept};
      options.swap = recorded_swap;
    }
    options.pauses.marked = recorded.marked;
    if (!swap.empty()) options.swap = record::parse_swap(swap).value();
    if (penalty || !setup.host) {
      options.penalty = penalty.value_or(0);
      options.swap_rate = options.restart = 0;
      options.engine.of<TriageOptions>().penalty = options.penalty;
    }
    return options;
  }

  std::string penalty_source(const record::EngineSetup& setup) const {
    return penalty ? "given" : setup.host ? "recorded" : "assumed";
  }

  void try_others() const {
    std::vector<Algorithm> chosen;
    if (!algorithms.empty()) chosen = parse_algorithms(algorithms);
    record::RecordReader reader = or_throw(open_record(file));
    const RecordedRun recorded = or_throw(read_recorded_run(reader, stem(file)));
    if (reader.cut_off()) fmt::print(stderr, "{}: ends within a line, which is left out\n", file);
    if (recorded.setup.lacks_triage_options) say_what_format_1_lacks();
    for (const std::string& note : recorded.notes) fmt::print(stderr, "{}: {}\n", file, note);
    check_inputs_kept(std::vector{file}, {{"--trace", trace_file}});
    if (!trace_file.empty()) {
      or_throw(write_file(
          trace_file,
          or_throw(format_trace(recorded.instance,
                                trace_comments(origin("--trace=" + shell_word(trace_file)).origins[0], "replay")))));
    }
    if (chosen.empty()) return;

    std::vector<Row> rows;
    rows.push_back(
        {"measured", recorded.setup.algorithm, measure(recorded.instance, recorded.measured, stretch_floor)});
    // The record's own algorithm comes first, next to the measurement.
    std::erase_if(chosen, [&](const Algorithm& a) { return algorithm_name(a) == recorded.setup.algorithm; });
    chosen.insert(chosen.begin(), *parse_algorithm(recorded.setup.algorithm));
    std::vector<std::string> names;
    for (const Algorithm& algorithm : chosen) {
      names.push_back(algorithm_name(algorithm));
      const RunResult result = or_throw(simulate(recorded.instance, algorithm, simulation(recorded)));
      rows.push_back({"simulated", names.back(), measure(recorded.instance, result, stretch_floor)});
    }
    // The penalty that was taken, wherever it came from.
    const CampaignOrigin made =
        origin(fmt::format("--penalty={}{}{}", penalty_text(simulation(recorded)), own.empty() ? "" : " ", own), names);
    print(json ? rows_json(recorded, rows, made) : rows_text(recorded, rows) + '\n' + origin_text(made));
  }

  std::string rows_text(const RecordedRun& recorded, const std::vector<Row>& rows) const {
    const std::string text = fmt::format("{}: {} on {}; stretch bounded at {} s, penalty {} in simulations ({})\n\n",
                                         file, base::counted(recorded.instance.jobs.size(), "job"),
                                         base::counted(recorded.instance.platform.nodes.size(), "node"), stretch_floor,
                                         penalty_words(simulation(recorded)), penalty_source(recorded.setup));
    base::TextTable table;
    table.column("");
    table.column("algorithm");
    for (const char* heading : {"max stretch", "mean stretch", "mean wait", "mean turnaround", "  pauses", "  moves"}) {
      table.column(heading, base::Align::right);
    }
    const auto jobs = static_cast<double>(recorded.instance.jobs.size());
    for (const Row& row : rows) {
      const Metrics& m = row.metrics;
      table.row({row.name, row.algorithm, fmt::format("{:.3f}", m.max_stretch), fmt::format("{:.3f}", m.mean_stretch),
                 fmt::format("{:.1f} s", m.mean_wait), fmt::format("{:.1f} s", m.mean_turnaround),
                 fmt::format("{:.0f}", m.pauses_per_job * jobs), fmt::format("{:.0f}", m.moves_per_job * jobs)});
    }
    return text + table.text();
  }

  std::string rows_json(const RecordedRun& recorded, const std::vector<Row>& rows, const CampaignOrigin& made) const {
    nlohmann::ordered_json out{{"jobs", recorded.instance.jobs.size()},
                               {"nodes", recorded.instance.platform.nodes.size()},
                               {"stretch_floor_s", stretch_floor},
                               {"penalty_s", simulation(recorded).penalty},
                               {"penalty_mib_per_s", simulation(recorded).swap_rate},
                               {"penalty_restart_s", simulation(recorded).restart},
                               {"penalty_source", penalty_source(recorded.setup)},
                               {"notes", recorded.notes},
                               {"rows", nlohmann::ordered_json::array()}};
    for (const Row& row : rows) {
      const Metrics& m = row.metrics;
      out["rows"].push_back({{"source", row.name},
                             {"algorithm", row.algorithm},
                             {"max_stretch", m.max_stretch},
                             {"mean_stretch", m.mean_stretch},
                             {"mean_wait_s", m.mean_wait},
                             {"mean_turnaround_s", m.mean_turnaround},
                             {"makespan_s", m.makespan},
                             {"pauses_per_job", m.pauses_per_job},
                             {"moves_per_job", m.moves_per_job}});
    }
    out["origin"] = origin_json(made);
    return out.dump(2) + "\n";
  }
};

}  // namespace

void add_replay(const base::Command& app) {
  const base::Command command = app.add_subcommand(
      "replay", "check that a record of a live run is reproduced, or try other algorithms on its jobs");
  auto options = std::make_shared<ReplayCommand>();
  command.add_option("FILE", options->file, "the record, plain or gzip; - for standard input").required();
  command.add_option("-a,--algorithm,--algorithms", options->algorithms,
                     "simulate these algorithms on the record's jobs, in addition to the recorded one");
  command.add_option("--report", options->report_file,
                     "also write a page of the recorded run to this HTML file: nodes and jobs over time");
  command.add_option("--evalys", options->evalys_file,
                     "also write the recorded schedule to this CSV file in the format of Batsim's jobs.csv");
  command.add_option("--paje", options->paje_file, "also write it to this file as a Paje trace (ViTE, PajeNG)");
  command.add_option("--perfetto", options->perfetto_file,
                     "also write it to this JSON file for Perfetto (ui.perfetto.dev) and chrome://tracing");
  command.add_option("--trace", options->trace_file, "write the record's jobs as a dfrs-trace to this file");
  command
      .add_option(
          "--penalty", options->penalty,
          "seconds without progress after a resume or a move in simulations (default: the record's if a simulation "
          "wrote it, else 0)")
      .check(number_in(0, 1e9));
  command
      .add_option("--swap", options->swap,
                  fmt::format("swap of each node for jobs that the record shows as suspended, in simulations: {} "
                              "(default: the record's if a simulation wrote it, else no limit)",
                              record::kSwapSizes))
      .check(swap_size());
  command
      .add_option("--explain", options->explain,
                  "also say what happened to the job with this number, event by event, and why (without -a)")
      .excludes(command.option("--algorithm"));
  command.add_option("--stretch-floor", options->stretch_floor, "b of the bounded stretch, seconds")
      .check(number_in(1e-3, 1e9))
      .capture_default();
  command.add_flag("--json", options->json, "print JSON");
  command.footer(
      "A record holds what the engine was shown at each step and what it decided. slurmctld writes one with "
      "RecordFile=\n"
      "in dfrs.conf or after `dfrsctl record on FILE`; `dfrs-sim run --record FILE` writes one of a simulation.\n"
      "\n"
      "Without -a and --trace: the engine decides every step again, and its decisions are compared bit for bit with "
      "the\n"
      "recorded ones. The first difference is reported with its step and job, and the exit code is 6: the record was\n"
      "changed, or this dfrs decides differently from the one that wrote it.\n"
      "\n"
      "With -a: the jobs that completed within the record become an instance. A job's processing time is its virtual "
      "time\n"
      "at its end (run time weighted with its yield), which does not depend on the algorithm. What the simulator does "
      "not\n"
      "model (jobs bound to some nodes, or that may not be paused) is counted on standard error.\n"
      "\n"
      "Examples:\n"
      "  dfrs-sim replay /var/log/slurm/dfrs-record.jsonl.gz\n"
      "  dfrs-sim replay record.jsonl.gz -a EASY,FCFS,'MCB8*/per/OPT=MIN/MINVT=600'\n"
      "  dfrs-sim replay record.jsonl.gz --trace week.dfrs && dfrs-sim compare week.dfrs");
  command.callback([options, command] {
    options->own = own_options(
        command, {"--algorithm", "--trace", "--report", "--evalys", "--paje", "--perfetto", "--penalty", "--json"});
    options->run();
  });
}

}  // namespace dfrs::sim
