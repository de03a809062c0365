// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim import: converts other programs' job records to dfrs-traces and SWF.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/counted.h"
#include "base/utf8.h"
#include "sim/campaign/origin.h"
#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
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
  const CLI::App* app = nullptr;
  std::string format = "trace";
  bool swf = false;  // --swf
  bool anonymise = false;
  std::string output = "-";

  void add(CLI::App& to, std::vector<std::string> formats) {
    app = &to;
    to.add_option("--to", format, "what to write")->check(CLI::IsMember(std::move(formats)))->capture_default_str();
    to.add_flag("--swf", swf, "short for --to swf");
    to.add_option("-o,--output", output, "file to write; - for standard output")->capture_default_str();
  }
  std::string_view chosen() const { return swf ? std::string_view("swf") : std::string_view(format); }

  // What made the file. An anonymised one does not name the file that it was made from.
  std::vector<std::string> comments(const std::string& source, const std::string& sha256,
                                    const std::string& workload) const {
    const std::string own = own_options(*app, {"--output"});
    return trace_comments({program_version(), anonymise ? "FILE" : source, sha256, workload, own},
                          "import " + app->get_name());
  }
};

std::string traces_of(const std::vector<Instance>& instances, const std::vector<std::string>& comments) {
  std::string out;
  for (const Instance& instance : instances) out += format_trace(instance, comments);
  return out;
}

// In an SWF header, notes are for whatever has no field of its own.
std::string swf_of(SwfLog log, const std::vector<std::string>& comments) {
  for (const std::string& comment : comments) log.header.fields.push_back({"Note", base::printable(comment)});
  return format_swf(log);
}

struct ImportSacct {
  WorkloadOptions workload;
  Target target;

  void run() const {
    const std::string& source = workload.sources().front();
    check_inputs_kept(workload.sources(), {{"--output", target.output}});
    std::string sha256;
    Text text = read_text(source, workload.load_options().input, sha256);
    if (!is_sacct_text(text)) (void)parse_sacct(text, source_name(source));  // throws with the reason
    if (target.anonymise) text = anonymise_sacct(text, source_name(source));
    if (target.chosen() == "sacct") {
      if (!target.anonymise)
        throw UsageError("--to sacct: needs --anonymise, because the file already has this format");
      write_file(target.output, text);
      return;
    }
    if (target.chosen() == "swf") {
      const LoadOptions options = workload.load_options();
      const SacctLog log = parse_sacct(text, source_name(source), {options.swf.lenient});
      for (const std::string& line : log.report.describe(log.source)) fmt::print(stderr, "{}\n", line);
      write_file(target.output, swf_of(sacct_swf(log, complete_shape(log, options.sacct.shape)),
                                       target.comments(source, sha256, workload.given())));
      said(log.source, log.jobs.size());
      return;
    }
    Loaded loaded = workload.load(text, source);
    std::vector<std::string> comments{"Source: Slurm accounting (dfrs-sim import sacct)"};
    comments.push_back(fmt::format("First submission: {}{}", format_instant(*loaded.first_submission),
                                   target.anonymise ? ", moved by whole weeks" : ""));
    comments.insert(comments.end(), loaded.notes.begin(), loaded.notes.end());
    const std::vector<Instance> instances = workload.choose(loaded, source, sha256);
    for (std::string& comment : target.comments(source, sha256, instances.front().origin->workload)) {
      comments.push_back(std::move(comment));
    }
    write_file(target.output, traces_of(instances, comments));
    std::size_t jobs = 0;
    for (const Instance& instance : instances) jobs += instance.jobs.size();
    said(loaded.source, jobs);
  }

  static void said(const std::string& source, std::size_t jobs) {
    fmt::print(stderr, "{}: {}\n", source, base::counted(jobs, "job"));
  }
};

struct ImportSwf {
  WorkloadOptions workload;
  Target target;

  void run() const {
    const std::string& source = workload.sources().front();
    check_inputs_kept(workload.sources(), {{"--output", target.output}});
    std::string sha256;
    Text text = read_text(source, workload.load_options().input, sha256);
    if (is_sacct_text(text)) {
      throw InputError(fmt::format("{}: this is the output of sacct; use dfrs-sim import sacct", source_name(source)));
    }
    const bool swf = target.chosen() == "swf";
    if (target.anonymise || swf) {
      SwfLog log = parse_swf(text, source_name(source), workload.load_options().swf);
      if (target.anonymise) {
        // HPC2N's log is recognised by its header. Without it, the annotation must be given.
        anonymise_swf(log);
      }
      if (swf) {
        for (const std::string& line : log.report.describe(log.source)) fmt::print(stderr, "{}\n", line);
        write_file(target.output, swf_of(log, target.comments(source, sha256, workload.given())));
        ImportSacct::said(log.source, log.records.size());
        return;
      }
      text = format_swf(log);
    }
    Loaded loaded = workload.load(text, source);
    const std::vector<Instance> instances = workload.choose(loaded, source, sha256);
    std::vector<std::string> comments = target.comments(source, sha256, instances.front().origin->workload);
    comments.insert(comments.begin(), "Source: SWF (dfrs-sim import swf)");
    write_file(target.output, traces_of(instances, comments));
    std::size_t jobs = 0;
    for (const Instance& instance : instances) jobs += instance.jobs.size();
    ImportSacct::said(loaded.source, jobs);
  }
};

}  // namespace

void add_import(CLI::App& app) {
  CLI::App* command = app.add_subcommand("import", "convert Slurm accounting (sacct) or logs (SWF) to traces and SWF");
  command->require_subcommand(1);

  CLI::App* sacct = command->add_subcommand("sacct", "the parsable output of Slurm's sacct");
  auto from_sacct = std::make_shared<ImportSacct>();
  from_sacct->workload.add(*sacct, WorkloadOptions::Sources::one);
  from_sacct->target.add(*sacct, {"trace", "swf", "sacct"});
  sacct->add_flag(
      "--anonymise", from_sacct->target.anonymise,
      "remove names, renumber jobs from 1, shift times by whole weeks; with --to sacct, write accounting again");
  sacct->footer(
      fmt::format("To get the file, run this on the cluster as a user who may see all jobs:\n  {}\nNodes, cores and "
                  "memory that are "
                  "not given are inferred from the jobs if possible.\nHow columns are used: docs/researcher-guide.md, "
                  "\"Your cluster's accounting\".",
                  kSacctCommand));
  sacct->callback([from_sacct] { from_sacct->run(); });

  CLI::App* swf = command->add_subcommand("swf", "a log in the Standard Workload Format");
  auto from_swf = std::make_shared<ImportSwf>();
  from_swf->workload.add(*swf, WorkloadOptions::Sources::one);
  from_swf->target.add(*swf, {"trace", "swf"});
  swf->add_flag(
      "--anonymise", from_swf->target.anonymise,
      "renumber jobs, users, groups, applications, queues and partitions from 1; remove dates and names from the "
      "header");
  swf->callback([from_swf] { from_swf->run(); });
}

}  // namespace dfrs::sim
