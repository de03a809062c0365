// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim import: converts other programs' job records to dfrs-traces and SWF.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/utf8.h"
#include "sim/campaign/origin.h"
#include "sim/cli/command.h"
#include "sim/cli/option_texts.h"
#include "sim/cli/outputs.h"
#include "sim/cli/workload_options.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/workload/csv/shipped.h"
#include "sim/workload/csv/table.h"
#include "sim/workload/sacct/anonymise.h"
#include "sim/workload/sacct/fields.h"
#include "sim/workload/sacct/table.h"
#include "sim/workload/swf_anonymise.h"
#include "sim/workload/swf_writer.h"
#include "sim/workload/trace_file.h"

namespace dfrs::sim {
namespace {

// Options common to both formats.
struct Target {
  std::optional<base::Command> app;
  std::string format = "trace";
  bool swf = false;  // --swf
  bool anonymise = false;
  std::string output = "-";

  void add(const base::Command& to, std::vector<std::string> formats) {
    app = to;
    to.add_option("--to", format, "what to write").check(base::one_of(std::move(formats))).capture_default();
    to.add_flag("--swf", swf, "short for --to swf");
    to.add_option("-o,--output", output, "file to write; - for standard output").capture_default();
  }
  std::string_view chosen() const { return swf ? std::string_view("swf") : std::string_view(format); }

  // What made the file. An anonymised one does not name the file that it was made from.
  std::vector<std::string> comments(const std::string& source, const std::string& sha256,
                                    const std::string& workload) const {
    const std::string own = own_options(*app, {"--output"});
    return trace_comments({program_version(), anonymise ? "FILE" : source, sha256, workload, own},
                          "import " + app->name());
  }
};

std::string traces_of(const std::vector<Instance>& instances, const std::vector<std::string>& comments) {
  std::string out;
  for (const Instance& instance : instances) out += or_throw(format_trace(instance, comments));
  return out;
}

// In an SWF header, notes are for whatever has no field of its own.
std::string swf_of(SwfLog log, const std::vector<std::string>& comments) {
  for (const std::string& comment : comments) log.header.fields.push_back({"Note", base::printable(comment)});
  return format_swf(log);
}

void said(const std::string& source, std::size_t jobs) {
  fmt::print(stderr, "{}: {}\n", source, base::counted(jobs, "job"));
}

// Accounting that is read, and how it got here.
struct Accounting {
  std::string_view text;
  const std::string& source;
  const std::string& sha256;
  std::string_view importer;          // "sacct"
  std::vector<std::string> comments;  // what it was
};

void write_accounting(const Accounting& from, const WorkloadOptions& workload, const Target& target) {
  std::string name = source_name(from.source);
  if (target.chosen() == "swf") {
    const LoadOptions options = workload.load_options();
    const SacctLog log = or_throw(parse_sacct(from.text, name, {options.swf.lenient}));
    for (const std::string& line : log.report.describe(log.source)) fmt::print(stderr, "{}\n", line);
    std::vector<std::string> comments = target.comments(from.source, from.sha256, workload.given());
    if (from.importer != "sacct") comments.insert(comments.begin(), from.comments.begin(), from.comments.end());
    or_throw(write_file(
        target.output,
        swf_of(sacct_swf(log, or_throw(machine_of(log, options.sacct.shape)).shape, from.importer), comments)));
    said(log.source, log.jobs.size());
    return;
  }
  Loaded loaded = workload.load(from.text, from.source);
  std::vector<std::string> comments = from.comments;
  comments.push_back(fmt::format("First submission: {}{}", format_instant(*loaded.first_submission),
                                 target.anonymise ? ", moved by whole weeks" : ""));
  comments.insert(comments.end(), loaded.notes.begin(), loaded.notes.end());
  const std::vector<Instance> instances = workload.choose(loaded, from.source, from.sha256);
  for (std::string& comment : target.comments(from.source, from.sha256, instances.front().origin->workload)) {
    comments.push_back(std::move(comment));
  }
  or_throw(write_file(target.output, traces_of(instances, comments)));
  std::size_t jobs = 0;
  for (const Instance& instance : instances) jobs += instance.jobs.size();
  said(loaded.source, jobs);
}

struct Source {
  const std::string& name;
  std::string sha256;
  Text text;
};

// The only one, which the output may not overwrite.
Source read_source(const WorkloadOptions& workload, const Target& target) {
  check_inputs_kept(workload.sources(), {{"--output", target.output}});
  const std::string& name = workload.sources().front();
  std::string sha256;
  Text text = or_throw(read_text(name, workload.load_options().input, sha256));
  return {name, std::move(sha256), std::move(text)};
}

struct ImportSacct {
  WorkloadOptions workload;
  Target target;

  void run() const {
    auto [source, sha256, text] = read_source(workload, target);
    if (!is_sacct_text(text)) or_throw(parse_sacct(text, source_name(source)));  // throws with the reason
    if (target.anonymise) text = or_throw(anonymise_sacct(text, source_name(source)));
    if (target.chosen() == "sacct") {
      if (!target.anonymise)
        throw UsageError("--to sacct: needs --anonymise, because the file already has this format");
      or_throw(write_file(target.output, text));
      return;
    }
    write_accounting({text, source, sha256, "sacct", {"Source: Slurm accounting (dfrs-sim import sacct)"}}, workload,
                     target);
  }
};

struct ImportCsv {
  WorkloadOptions workload;
  Target target;
  std::string map_name;
  bool list = false;

  static void list_maps() {
    std::string text;
    for (const ShippedMap& map : shipped_maps()) text += fmt::format("{:<12}{}\n", map.name, map.title());
    print(text);
  }

  // What the machine leaves out of the map and of the jobs.
  static std::vector<std::string> notes_on(const CsvMap& map, const SacctOptions& machine, const CsvJobs& jobs) {
    std::vector<std::string> notes;
    if (map.kinds.size() > 1 && machine.kinds.empty()) {
      notes.push_back(
          fmt::format("all nodes are equal and without GPUs, by --nodes, --cores or --memory; {} has {} kinds of nodes",
                      map.source, map.kinds.size()));
    }
    const bool gpus = std::any_of(machine.kinds.begin(), machine.kinds.end(), [](const auto& k) { return k.gpus > 0; });
    if (jobs.with_gpus > 0 && !gpus) {
      notes.push_back(fmt::format("the GPUs of {} are not modelled, because the machine has none",
                                  base::counted(jobs.with_gpus, "job")));
    }
    return notes;
  }

  void run() {
    if (list) return list_maps();
    if (workload.sources().empty()) throw UsageError("import csv: a job table is missing (a file, a URL or -)");
    if (map_name.empty()) {
      throw UsageError(fmt::format("import csv: --map is missing: a mapping file, or one of {}", shipped_map_names()));
    }
    const std::string& source = workload.sources().front();
    const std::vector<std::string> inputs{source, map_name};
    check_inputs_kept(inputs, {{"--output", target.output}});
    std::string map_sha256;
    CsvMap map = or_throw(load_csv_map(map_name, map_sha256));
    workload.assume_machine(map.machine, map.kinds);
    const LoadOptions options = workload.load_options();
    if (options.sacct.shape.memory_mib > 0) map.machine.memory_mib = options.sacct.shape.memory_mib;
    std::string sha256;
    CsvJobs jobs;
    {
      const Text text = or_throw(read_text(source, options.input, sha256));
      jobs = or_throw(csv_to_sacct(text, source_name(source), map, options.swf.lenient));
    }
    for (const std::string& line : jobs.report.describe(source_name(source))) fmt::print(stderr, "{}\n", line);
    std::vector<std::string> comments{"Source: job table in CSV (dfrs-sim import csv)", "Map SHA-256: " + map_sha256};
    for (std::string& note : notes_on(map, options.sacct, jobs)) {
      fmt::print(stderr, "{}: {}\n", source_name(source), note);
      comments.push_back(std::move(note));
    }
    if (target.anonymise) jobs.sacct = or_throw(anonymise_sacct(jobs.sacct, source_name(source)));
    write_accounting({jobs.sacct, source, sha256, "csv", std::move(comments)}, workload, target);
  }
};

struct ImportSwf {
  WorkloadOptions workload;
  Target target;

  void run() const {
    auto [source, sha256, text] = read_source(workload, target);
    if (is_sacct_text(text)) {
      throw InputError(fmt::format("{}: this is the output of sacct; use dfrs-sim import sacct", source_name(source)));
    }
    const bool swf = target.chosen() == "swf";
    if (target.anonymise || swf) {
      SwfLog log = or_throw(parse_swf(text, source_name(source), workload.load_options().swf));
      if (target.anonymise) {
        // HPC2N's log is recognised by its header. Without it, the annotation must be given.
        anonymise_swf(log);
      }
      if (swf) {
        for (const std::string& line : log.report.describe(log.source)) fmt::print(stderr, "{}\n", line);
        or_throw(write_file(target.output, swf_of(log, target.comments(source, sha256, workload.given()))));
        said(log.source, log.records.size());
        return;
      }
      text = format_swf(log);
    }
    Loaded loaded = workload.load(text, source);
    const std::vector<Instance> instances = workload.choose(loaded, source, sha256);
    std::vector<std::string> comments = target.comments(source, sha256, instances.front().origin->workload);
    comments.insert(comments.begin(), "Source: SWF (dfrs-sim import swf)");
    or_throw(write_file(target.output, traces_of(instances, comments)));
    std::size_t jobs = 0;
    for (const Instance& instance : instances) jobs += instance.jobs.size();
    said(loaded.source, jobs);
  }
};

}  // namespace

void add_import(const base::Command& app) {
  const base::Command command = app.add_subcommand(
      "import", "convert Slurm accounting (sacct), job tables (CSV) or logs (SWF) to traces and SWF");
  command.require_subcommand();

  const base::Command sacct = command.add_subcommand("sacct", "the parsable output of Slurm's sacct");
  auto from_sacct = std::make_shared<ImportSacct>();
  from_sacct->workload.add(sacct, WorkloadOptions::Sources::one);
  from_sacct->target.add(sacct, {"trace", "swf", "sacct"});
  sacct.add_flag(
      "--anonymise", from_sacct->target.anonymise,
      "remove names, renumber jobs from 1, shift times by whole weeks; with --to sacct, write accounting again");
  sacct.footer(
      fmt::format("To get the file, run this on the cluster as a user who may see all jobs:\n  {}\nNodes, cores and "
                  "memory that are "
                  "not given are inferred from the jobs if possible.\nHow columns are used: docs/researcher-guide.md, "
                  "\"Your cluster's accounting\".",
                  kSacctCommand));
  sacct.callback([from_sacct] { from_sacct->run(); });

  const base::Command csv =
      command.add_subcommand("csv", "a table of jobs in CSV, with a mapping file for its columns");
  auto from_csv = std::make_shared<ImportCsv>();
  from_csv->workload.add(csv, WorkloadOptions::Sources::at_most_one);
  csv.option("SOURCE").description(
      "job table: a file, an http(s) URL or - for standard input; plain, gz, xz, zst or bz2");
  from_csv->target.add(csv, {"trace", "swf"});
  csv.add_option("--map", from_csv->map_name,
                 "mapping file that says which column is what, or the name of one that comes with dfrs-sim: " +
                     shipped_map_names());
  csv.add_flag("--maps", from_csv->list, "list the maps that come with dfrs-sim");
  csv.add_flag("--anonymise", from_csv->target.anonymise,
               "remove names, renumber jobs from 1, shift times by whole weeks");
  csv.footer(
      "Options for sacct apply. Convert Parquet first, for example by DuckDB:\n"
      "  duckdb -c \"COPY 'jobs.parquet' TO 'jobs.csv'\"\n"
      "How to write a mapping file: docs/reference/csv-maps.md.");
  csv.callback([from_csv] { from_csv->run(); });

  const base::Command swf = command.add_subcommand("swf", "a log in the Standard Workload Format");
  auto from_swf = std::make_shared<ImportSwf>();
  from_swf->workload.add(swf, WorkloadOptions::Sources::one);
  from_swf->target.add(swf, {"trace", "swf"});
  swf.add_flag(
      "--anonymise", from_swf->target.anonymise,
      "renumber jobs, users, groups, applications, queues and partitions from 1; remove dates and names from the "
      "header");
  swf.callback([from_swf] { from_swf->run(); });
}

}  // namespace dfrs::sim
