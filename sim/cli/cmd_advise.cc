// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim advise: one page for an administrator, from a cluster's accounting.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "sim/advise/advice.h"
#include "sim/campaign/origin.h"
#include "sim/cli/command.h"
#include "sim/cli/option_texts.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/cli/workload_options.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/workload/sacct/table.h"
#include "sim/workload/swf_stream.h"
#include "sim/workload/weeks.h"

namespace dfrs::sim {
namespace {

// What a suspend costs on a cluster until swap is measured: 2 s, and its memory at 100 MiB/s. And the papers' penalty.
constexpr const char* kLivePenalty = "memory/100+2";
constexpr const char* kPenaltyWithoutMemory = "300";
constexpr std::size_t kLeastJobsOfAWeek = 20;  // fewer say nothing about a scheduler

struct AdviseCommand {
  WorkloadOptions workload;
  std::string sacct;
  std::string swf;
  std::string output = "-";
  std::string format;
  std::string conf;
  std::string swap = "memory";
  std::string penalty;  ///< empty: as the live side counts before it has measured
  std::size_t samples = 8;
  bool whole = false;
  AdviceInput input;

  void run(const base::Command& command) {
    say_when_interrupted("nothing is kept; the same command starts again");
    const std::string source = the_source();
    workload.refuse_choice("advise");
    const std::string kind = page_format();
    check_outputs_differ({{"--output", output == "-" ? "" : output}, {"--conf", conf}});
    check_inputs_kept(std::vector{source}, {{"--output", output}, {"--conf", conf}});
    std::string sha256;
    const Text text = or_throw(read_text(source, workload.load_options().input, sha256));
    CampaignOrigin origin;
    origin.command = "advise";
    const std::string read_by = load(text, source);
    if (penalty.empty()) penalty = input.memory_modelled ? kLivePenalty : kPenaltyWithoutMemory;
    origin.origins.push_back({program_version(), source, sha256, read_by, own(command)});
    input.made = origin.described(1);
    std::optional<OutputFile> page_file;
    std::optional<OutputFile> conf_file;
    if (output != "-") page_file.emplace(or_throw(OutputFile::create(output)));
    if (!conf.empty()) conf_file.emplace(or_throw(OutputFile::create(conf)));
    SimOptions simulated;
    set_penalty(penalty, simulated);
    input.study.penalty = simulated.penalty;
    input.study.swap_rate = simulated.swap_rate;
    input.study.restart = simulated.restart;
    input.swap = record::parse_swap(swap).value();
    input.study.progress = terminal_progress("simulations");
    input.pictures = kind == "html";
    const Advice advice = or_throw(advise(input));
    const std::string page = kind == "html"       ? html_page(advice.page)
                             : kind == "markdown" ? markdown_page(advice.page)
                                                  : text_page(advice.page);
    if (conf_file) or_throw(conf_file->write(advice.conf));
    if (page_file) {
      or_throw(page_file->write(page));
    } else {
      print(page);
    }
    if (conf_file) or_throw(conf_file->commit());
    if (page_file) or_throw(page_file->commit());
  }

 private:
  // Options that only this subcommand has and on which results depend.
  std::string own(const base::Command& command) const {
    constexpr std::array<std::string_view, 6> kLeftOut{"--sacct",  "--swf",  "--output",
                                                       "--format", "--conf", "--threads"};
    return own_options(command, kLeftOut, {{"--penalty", penalty}});
  }

  std::string the_source() const {
    std::vector<std::string> given = workload.sources();
    if (!sacct.empty()) given.push_back(sacct);
    if (!swf.empty()) given.push_back(swf);
    if (given.size() == 1) return given.front();
    throw UsageError(given.empty()
                         ? "advise: nothing to read; give accounting by --sacct FILE, a log by --swf FILE, or a "
                           "SOURCE (see --help)"
                         : "advise: give only one of SOURCE, --sacct and --swf");
  }

  std::string page_format() const {
    if (!format.empty()) return format;
    const std::string ending = std::filesystem::path(output).extension().string();
    if (ending == ".html" || ending == ".htm") return "html";
    if (ending == ".md") return "markdown";
    return "text";
  }

  // Returns the workload options by which the text was read.
  std::string load(std::string_view text, const std::string& source) {
    if (!sacct.empty() && !is_sacct_text(text))
      or_throw(parse_sacct(text, source_name(source)));  // throws with the reason
    if (!swf.empty() && is_sacct_text(text)) {
      throw UsageError(fmt::format("--swf: {} is the output of sacct; give it by --sacct", source_name(source)));
    }
    LoadOptions options = workload.load_options();
    options.weeks = false;  // divided below, in the same way for all sources
    if (workload.estimates() == "auto") options.conventions.estimates = SwfEstimates::kTrace;
    // A single odd job should not prevent an answer; the page says how many jobs were left out.
    options.processors.lenient = options.memory.lenient = options.sacct.lenient = true;
    const bool measured = options.sacct.cpu_need == CpuNeed::kMeasured;
    options.sacct.cpu_need = CpuNeed::kAllocated;
    Loaded loaded = or_throw(load_instances_from_text(text, source, options));
    if (loaded.instances.size() > 1) {
      throw InputError(
          fmt::format("{}: {} traces in one file; one is expected", loaded.source, loaded.instances.size()));
    }
    input.source = loaded.source;
    input.report = std::move(loaded.report);
    input.notes = std::move(loaded.notes);
    for (std::string& note : input.notes) note = sentence(std::move(note));
    describe(loaded, options, text);
    workload.change(loaded.instances.front(), loaded);
    const Instance& all = loaded.instances.front();
    std::vector<std::size_t> chosen;
    input.samples = divide(all, chosen);
    if (loaded.was_sacct && measured && input.facts->cpu_efficiency) {
      options.sacct.cpu_need = CpuNeed::kMeasured;
      Loaded known = or_throw(load_instances_from_text(text, source, options));
      workload.change(known.instances.front(), known);
      input.measured = divide(known.instances.front(), chosen);
    }
    // Sample weeks are divided here.
    ResolvedOptions decided{{"--whole", {}}, {"--weeks", {}}};
    if (loaded.was_swf && workload.estimates() == "auto") decided["--estimates"] = "trace";
    return workload.text(loaded, 0, decided);
  }

  void describe(const Loaded& loaded, const LoadOptions& options, std::string_view text) {
    const Instance& all = loaded.instances.front();
    input.jobs_in_source = all.jobs.size();
    input.length = all.jobs.back().submit - all.jobs.front().submit;
    input.shape.nodes = static_cast<int>(all.platform.nodes.size());
    input.shape.memory_mib = all.platform.nodes.front().rigid[kMemory];
    input.licences = all.platform.licences;
    input.memory_modelled = input.shape.memory_mib > 0;
    if (loaded.was_swf) read_facts(text, loaded.source, options.swf);
    if (loaded.was_sacct) {
      const SacctLog log = or_throw(parse_sacct(text, loaded.source, {options.swf.lenient}));
      input.facts = accounting_facts(log);
      input.study.interactive = input.facts->interactive;
      input.shape.cores = loaded.cores;
      input.shape.memory_mib = loaded.memory_mib;
      input.kinds = loaded.kinds;
    } else if (loaded.annotation == SwfAnnotation::kMemory) {
      input.shape.cores = options.memory.cores;
    } else {
      input.shape.cores = loaded.was_swf ? options.processors.cores : 0;  // a trace does not say
      if (loaded.was_swf && input.shape.cores > 1) {
        input.notes.push_back(
            fmt::format("Each processor of the log is a task. A node of {} CPUs takes as many tasks of a job as fit, "
                        "under EASY, too.",
                        input.shape.cores));
      }
    }
  }

  // Another pass over the text, so that no records are kept.
  void read_facts(std::string_view text, const std::string& source, const SwfReadOptions& options) {
    or_throw(read_swf(text, source, options, [&](SwfRecords& records) {
      input.facts = accounting_facts(records);
      return Result<SwfWorkload>(SwfWorkload{});
    }));
  }

  // Sample weeks of a long log, or the whole of a short one. `chosen`: the weeks; filled if empty.
  std::vector<Instance> divide(const Instance& all, std::vector<std::size_t>& chosen) {
    if (whole || all.jobs.back().submit - all.jobs.front().submit < 2 * kWeek) return {all};
    std::vector<Instance> weeks = or_throw(split_weeks(all, all.name));
    std::erase_if(weeks, [](const Instance& week) { return week.jobs.size() < kLeastJobsOfAWeek; });
    if (weeks.empty()) return {all};
    input.samples_in_source = weeks.size();
    if (chosen.empty()) {
      const std::size_t count = std::min(samples, weeks.size());
      for (std::size_t k = 0; k < count; ++k) chosen.push_back((2 * k + 1) * weeks.size() / (2 * count));
    }
    std::vector<Instance> out;
    for (const std::size_t k : chosen) out.push_back(std::move(weeks[k]));
    return out;
  }

  static std::string sentence(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text + '.';
  }
};

}  // namespace

void add_advise(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("advise", "one page for an administrator: what DFRS would do for a cluster");
  auto options = std::make_shared<AdviseCommand>();
  options->workload.add(command, WorkloadOptions::Sources::at_most_one);
  command.add_option("--sacct", options->sacct,
                     "SOURCE is this file of Slurm accounting, as sacct --parsable2 prints it");
  command.add_option("--swf", options->swf, "SOURCE is this log in the Standard Workload Format");
  command.add_option("-o,--output", options->output, "file for the page: .html, .md, or text; - for standard output")
      .capture_default();
  command.add_option("--format", options->format, "of the page (default: by the file's name, else text)")
      .check(base::one_of({"text", "markdown", "html"}));
  command.add_option("--conf", options->conf, "also write the suggested dfrs.conf to this file");
  command.add_option("-a,--algorithm,--algorithms", options->input.candidates,
                     "an additional DFRS policy to try; may be repeated");
  command
      .add_option("--bandwidth", options->input.bandwidth_gb_per_s,
                  "GB/s of the cluster's storage or network that pauses and moves may use, for comparison")
      .check(number_in(1e-6, 1e9));
  command
      .add_option("--checkpoints", options->input.checkpoints,
                  "part of the jobs that restart from a checkpoint of their own, for Pauses=mixed (default: the jobs "
                  "that are marked dfrs:checkpoint, or else 0.5)")
      .check(number_in(0.01, 0.99));
  command
      .add_option("--pauses", options->input.pauses,
                  "what pauses may do to jobs: the page compares all five, and recommends settings for this one "
                  "(Pauses of dfrs.conf)")
      .check(base::one_of({"suspended", "kept", "mixed", "none", "lost"}))
      .capture_default();
  command
      .add_option(
          "--swap", options->swap,
          fmt::format("swap of each node for jobs that are suspended: {}; memory is as much as a node has memory",
                      record::kSwapSizes))
      .check(swap_size())
      .capture_default();
  command.add_option("--samples", options->samples, "number of weeks to simulate if the log is longer than two weeks")
      .check(whole_number_in(1, 10'000))
      .capture_default();
  command
      .add_option(
          "--penalty", options->penalty,
          "seconds that a pause or a move delays a job, or memory/RATE[+SECONDS]: the time to write its memory on a "
          "node and read it back at RATE MiB/s, and SECONDS on top (default: memory/100+2, as on a cluster before "
          "swap is measured; 300 if memory is not known)")
      .check(penalty_rule());
  command
      .add_option("--restart-cost", options->input.restart_cost,
                  "seconds that a requeue delays a job, with a checkpoint or without (RestartCost)")
      .check(number_in(0, 1e7))
      .capture_default();
  command
      .add_option("--min-progress", options->input.study.lost_work.min_progress,
                  "seconds of virtual time before a requeue may end a run, with a checkpoint or without (MinProgress)")
      .check(number_in(0, 1e7))
      .capture_default();
  command
      .add_option("--max-lost-runs", options->input.study.lost_work.max_lost_runs,
                  "the most runs that a job may lose (MaxLostRuns)")
      .check(whole_number_in(0, 1'000'000))
      .capture_default();
  command.add_option("--period", options->input.study.period, "seconds between repacks")
      .check(number_in(1, 1e7))
      .capture_default();
  command.add_option("--stretch-floor", options->input.study.stretch_floor, "shorter times count as this many seconds")
      .check(number_in(0.001, 1e7))
      .capture_default();
  command.add_option("-j,--threads", options->input.study.threads, "threads (default: one per processor)")
      .check(base::in_range(1, 1024));
  command.footer(
      fmt::format("To get the accounting, run this on the cluster as a user who may see all jobs:\n  {}\nExample:\n  "
                  "dfrs-sim advise --sacct "
                  "accounting.txt --nodes 64 --cores 32 --memory 192000 -o advice.html",
                  kSacctCommand));
  command.callback([options, command] {
    options->whole = options->workload.whole();
    options->run(command);
  });
}

}  // namespace dfrs::sim
