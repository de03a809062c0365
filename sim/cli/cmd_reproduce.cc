// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim reproduce: compares published tables and figures with ours.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "base/sha256.h"
#include "sim/campaign/origin.h"
#include "sim/cli/command.h"
#include "sim/cli/option_texts.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"
#include "sim/reproduce/account.h"
#include "sim/reproduce/overview.h"
#include "sim/reproduce/render.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {
namespace {

std::string list_of_reproductions() {
  std::string text;
  for (const Reproduction& reproduction : all_reproductions()) {
    text += fmt::format("{:<12} {}\n", reproduction.name, reproduction.paper);
  }
  return text;
}

std::string list_of_parts(const Reproduction& reproduction) {
  std::string text = fmt::format("{}: {}\n", reproduction.name, reproduction.paper);
  std::size_t width = 12;
  bool timed = false;
  for (const ReproductionPart& part : reproduction.parts) width = std::max(width, part.name.size());
  for (const ReproductionPart& part : reproduction.parts) {
    timed = timed || !part.takes.empty();
    const std::string takes = part.takes.empty() ? "" : fmt::format(" ({})", part.takes);
    text += fmt::format("  {:<{}} {}{}\n", part.name, width, part.title, takes);
  }
  if (!reproduction.readings.empty()) {
    text += "Readings of what the paper leaves open, for --assume:\n";
    for (const ReproductionPart& reading : reproduction.readings) width = std::max(width, reading.name.size());
    for (const ReproductionPart& reading : reproduction.readings) {
      text += fmt::format("  {:<{}} {}\n", reading.name, width, reading.title);
    }
  }
  if (timed) {
    text += "Times are for one processor. Parts that run together, or into one folder, share simulations.\n";
  }
  return text;
}

struct ReproduceCommand {
  std::string name;
  std::string parts;
  std::string assume;
  bool list = false;
  ReproduceOptions options;

  // `own`: the options that change results, as on a command line.
  void run(const std::string& own) {
    if (list || name.empty()) {
      if (name.empty() && !list) throw UsageError("NAME is required: give a paper (see `dfrs-sim reproduce --list`)");
      print(name.empty() ? list_of_reproductions() : list_of_parts(*or_throw(find_reproduction(name))));
      return;
    }
    const Reproduction& reproduction = *or_throw(find_reproduction(name));
    options.parts = or_throw(parse_parts(parts, reproduction));
    options.assume = or_throw(parse_readings(assume, reproduction));
    std::size_t simulations = 0;  // each is told once, those of earlier runs too
    const Progress bar = terminal_progress("simulations");
    options.progress = [&](std::size_t done, std::size_t total) {
      ++simulations;
      if (bar) bar(done, total);
    };
    say_when_interrupted(
        options.output.empty()
            ? "nothing is kept; with --output FOLDER, the same command continues where it was"
            : "finished simulations are kept in the output folder; run the same command again to continue");
    options.logs = std::make_shared<std::vector<std::string>>();
    std::optional<Outputs> outputs;
    if (!options.output.empty()) outputs.emplace(options.output, name);

    ReproductionReport report;
    or_throw(reproduction.run(options, report));
    const std::vector<ComparisonTable> tables = or_throw(comparison_tables(reproduction, report));
    if (report.cells().empty()) fail_without_cells(report);
    RunDescription run;
    run.paper = fmt::format("{}: {}", reproduction.name, reproduction.paper);
    if (!assume.empty()) run.notes.push_back(fmt::format("Assumed: {}.", assume));
    for (const ReproductionReport::Note& note : report.notes()) {
      if (note.part.empty()) run.notes.push_back(note.sentence);
    }
    for (std::string& sentence : account_sentences(account_of(report.cells()))) {
      run.notes.push_back(std::move(sentence));
    }
    run.overview = overview(tables, report);
    describe_origin(run, own);
    run.simulations = simulations;
    if (outputs) outputs->write(tables, run);
    print(text_comparison(tables, run));
    if (outputs)
      print(fmt::format("\nreport: {}\n        {}\ncells:  {}\n", outputs->html, outputs->markdown, outputs->csv));
  }

 private:
  void describe_origin(RunDescription& run, const std::string& own) const {
    run.origin.program = program_version();
    run.origin.options = own;
    run.command = fmt::format("dfrs-sim reproduce {}{}{}", name, own.empty() ? "" : " ", own);
    for (const std::string& path : *options.logs) {
      const std::string_view separator = run.origin.source.empty() ? "" : "; ";
      std::ifstream in(path, std::ios::binary);
      run.origin.source += fmt::format("{}{}", separator, path);
      run.origin.sha256 += fmt::format("{}{}", separator, base::sha256_hex(in));
    }
  }

  // Opened before anything runs, so that a folder that cannot be written fails at once.
  struct Outputs {
    std::filesystem::path folder;
    std::string stem;
    std::string csv;
    std::string markdown;
    std::string html;
    std::optional<OutputFile> csv_file;
    std::optional<OutputFile> markdown_file;
    std::optional<OutputFile> html_file;

    Outputs(const std::string& path, const std::string& name) : folder(path), stem(name) {
      or_throw(make_folder(path));
      csv = (folder / (name + ".csv")).string();
      markdown = (folder / (name + ".md")).string();
      html = (folder / (name + ".html")).string();
      csv_file.emplace(or_throw(OutputFile::create(csv)));
      markdown_file.emplace(or_throw(OutputFile::create(markdown)));
      html_file.emplace(or_throw(OutputFile::create(html)));
    }

    void write(const std::vector<ComparisonTable>& tables, const RunDescription& run) {
      const tl::expected<PartCharts, std::string> charts = draw_plots(tables);
      std::vector<std::pair<std::string, std::string>> images;
      for (std::size_t k = 0; charts && k < charts->size(); ++k) {
        const auto& [part, chart] = (*charts)[k];
        const std::string file = fmt::format("{}-{}.svg", stem, part);
        or_throw(write_file((folder / file).string(), chart.svg + "\n"));
        images.emplace_back(part, file);
      }
      or_throw(csv_file->write(csv_comparison(tables, run.origin)));
      or_throw(markdown_file->write(markdown_comparison(tables, run, images)));
      or_throw(html_file->write(html_comparison(tables, run, charts)));
      or_throw(csv_file->commit());
      or_throw(markdown_file->commit());
      or_throw(html_file->commit());
    }
  };

  [[noreturn]] void fail_without_cells(const ReproductionReport& report) const {
    std::string why;
    for (const ReproductionReport::Note& note : report.notes()) why += " " + note.sentence;
    throw UsageError(fmt::format("reproduce {}: nothing could be run.{}", name, why));
  }
};

}  // namespace

void add_reproduce(const base::Command& app) {
  const base::Command command = app.add_subcommand(
      "reproduce", "compare published tables and figures with what dfrs-sim measures; evaluate Triage");
  auto options = std::make_shared<ReproduceCommand>();
  command.add_option("NAME", options->name, "the paper (--list shows all)");
  command.add_flag("--list", options->list, "only list the papers, or with NAME its tables and figures");
  command.add_option("--parts", options->parts,
                     "only these tables and figures, separated by commas; losses means all losses-... (default: all)");
  command.add_option("--assume", options->assume,
                     "readings of what the paper leaves open, separated by commas (NAME --list shows them)");
  command
      .add_option("--instances,--sets", options->options.instances,
                  "instances of each set; fewer than in the paper for a first look (default: as in the paper; dynp: "
                  "20 drawn job sets instead of its one)")
      .check(whole_number_in(1, 1'000'000));
  command.add_option("--seed", options->options.seed, "of generated workloads")
      .check(whole_number_in(0, ~std::uint64_t{0} >> 1))
      .capture_default();
  command.add_option("-j,--threads", options->options.threads, "threads (default: one per processor)")
      .check(base::in_range(1, 1024));
  command
      .add_option("--traces", options->options.traces,
                  "folder with workload logs, searched before the cache of `dfrs-sim fetch`; parts that need a log "
                  "found in neither are left out")
      .environment("DFRS_TRACES");
  command.add_option("-o,--output", options->options.output,
                     "folder for NAME.csv (a line per cell), NAME.md, NAME.html and figures; an interrupted run of "
                     "long simulations continues from what is there");
  command.footer("Papers:\n" + list_of_reproductions() +
                 "\nEach cell shows the measured value, the published value and their ratio. triage has no paper: it\n"
                 "compares the recommended policy with all others, on all workloads (docs/results/triage.md).");
  command.callback([options, command] { options->run(own_options(command, {"--list", "--output", "--threads"})); });
}

}  // namespace dfrs::sim
