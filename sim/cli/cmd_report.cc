// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim report: writes a report from the results of compare.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/outputs.h"
#include "sim/errors.h"
#include "sim/io/input_source.h"
#include "sim/io/output_file.h"
#include "sim/report/html.h"
#include "sim/report/table.h"

namespace dfrs::sim {
namespace {

struct ReportCommand {
  std::vector<std::string> sources;
  std::string output = "report.html";
  std::string format = "html";
  ReportOptions options;

  void run() {
    std::vector<ResultRow> rows;
    for (const std::string& source : sources) {
      std::vector<ResultRow> more = or_throw(parse_results_csv(or_throw(read_text(source)), source_name(source)));
      if (std::any_of(more.begin(), more.end(), [](const ResultRow& row) { return row.origin == nullptr; })) {
        fmt::print(stderr, "{}: some results do not say what made them, so they are not compared with others\n",
                   source_name(source));
      }
      rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    or_throw(check_origins_agree(rows));
    if (const std::string away = take_ran_away(rows); !away.empty()) {
      fmt::print(stderr, "{}\n", away);
      options.settings.emplace_back("not finished", away);
      if (rows.empty()) throw InputError(source_name(sources.front()) + ": all simulations ran away");
    }
    if (format != "html") {
      print(
          render_summary(or_throw(summarize_campaign(rows, options.summary)), or_throw(parse_summary_format(format))));
      return;
    }
    check_inputs_kept(sources, {{"--output", output}});
    or_throw(write_file(output, or_throw(html_report(rows, options))));
    if (output != "-") print("report: " + output + "\n");
  }
};

}  // namespace

void add_report(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("report", "write a report from results that compare wrote with --output");
  auto options = std::make_shared<ReportCommand>();
  command.add_option("RESULTS", options->sources, "CSV files of results").required();
  command.add_option("-o,--output", options->output, "HTML file to write").capture_default();
  command.add_option("--format", options->format, "html, or another format for just the summary on standard output")
      .check(base::one_of({"html", "text", "markdown", "csv", "json"}))
      .capture_default();
  command.add_option("--title", options->options.title, "headline of the report").capture_default();
  command.add_flag(
      "--by-degradation", [options] { options->options.summary.order = SummaryOrder::by_degradation; },
      "sort by degradation, best algorithm first (default: the order of the results)");
  command.callback([options] { options->run(); });
}

}  // namespace dfrs::sim
