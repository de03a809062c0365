// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim: parses the command line, runs a subcommand, turns failures into messages and exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "dfrs-config.h"
#include "policy/core/nearest_name.h"
#include "sim/cli/command.h"
#include "sim/cli/outputs.h"
#include "sim/errors.h"
#include "sim/io/allocation.h"
#include "sim/io/unfinished_files.h"

namespace dfrs::sim {
namespace {

constexpr const char* kFooter = R"(Exit codes:
  0 done   1 internal error   2 wrong usage   3 bad input data   4 a file cannot be read or written   5 network
  6 a record is not reproduced   7 Slurm does not answer, or refuses   8 simulations are missing after Slurm's jobs

Examples:
  dfrs-sim demo                                    what DFRS would do, on generated workloads
  dfrs-sim compare HPC2N-2002-2.1-cln.swf.gz       the papers' log, week by week
  dfrs-sim run trace.swf -a 'GreedyPM*/per/MINVT=600' --nodes 120 --cores 2 --memory 2048
  dfrs-sim generate --count 10 --load 0.7 -o traces && dfrs-sim compare traces/*.dfrs -o results.csv
  dfrs-sim report results.csv -o report.html
  dfrs-sim advise --sacct accounting.txt           what DFRS would do for your Slurm cluster, on one page
  dfrs-sim replay record.jsonl.gz                  are the decisions of a live run reproduced?

Guides and reference: docs/ in the source; share/doc/dfrs/docs/ below the prefix where dfrs is installed, such as
/usr/local/share/doc/dfrs/docs/researcher-guide.md)";

// The option names that a misspelt word could mean.
std::vector<std::string> option_names(const base::Command& app) {
  std::vector<std::string> names;
  for (const base::Option& option : app.options()) {
    for (const std::string& name : option.long_names()) names.push_back("--" + name);
    for (const std::string& name : option.short_names()) names.push_back("-" + name);
  }
  return names;
}

// The options that have `name` as one of their words, as --floor is one of --stretch-floor; otherwise the nearest one.
std::string meant_options(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> with_word;
  const std::string word = name.size() > 2 ? name.substr(1) + "-" : std::string();  // "-floor-"
  for (const std::string& option : names) {
    if (!word.empty() && (option + "-").find(word, 1) != std::string::npos) with_word.push_back(option);
  }
  if (with_word.empty()) return std::string(nearest_name(name, names));
  return fmt::format("{}", fmt::join(with_word, "' or '"));
}

std::vector<std::string> command_names(const base::Command& app) {
  std::vector<std::string> names;
  for (const base::Command& command : app.subcommands()) names.push_back(command.name());
  return names;
}

// Reports the first unknown word of the command line, with the nearest known one.
std::string suggestion(const base::Command& app, const std::vector<std::string>& words) {
  std::optional<base::Command> command;
  bool nested = false;
  for (const std::string& word : words) {
    if (word == "--") break;  // what follows are no options
    if (!command && !word.starts_with("-")) {
      const std::vector<std::string> names = command_names(app);
      if (std::find(names.begin(), names.end(), word) == names.end()) {
        const bool option = word == "help" || word == "version";
        return fmt::format("unknown subcommand '{}'; did you mean '{}'?", word,
                           option ? "--" + word : std::string(nearest_name(word, names)));
      }
      command = app.subcommand(word);
    } else if (command && !word.starts_with("-") && !command->subcommands().empty() && !nested) {
      const std::vector<std::string> names = command_names(*command);
      if (std::find(names.begin(), names.end(), word) == names.end()) {
        return fmt::format("{} takes {}, not '{}'", command->name(), fmt::join(names, " or "), word);
      }
      command = command->subcommand(word);
      nested = true;
    } else if (word.starts_with("-") && word.size() > 1 && (word[1] < '0' || word[1] > '9')) {  // not "-1"
      const std::vector<std::string> names = option_names(command.value_or(app));
      // The value of a short option may follow without a blank: -j1.
      const std::string name = word[1] == '-' ? word.substr(0, word.find('=')) : word.substr(0, 2);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        return fmt::format("unknown option '{}'; did you mean '{}'?", name, meant_options(name, names));
      }
    }
  }
  return {};
}

int parse_and_run(int argc, char** argv) {
  base::CommandLine line(
      "Simulates Dynamic Fractional Resource Scheduling (DFRS) and batch schedulers on workload logs and generated\n"
      "workloads. Jobs share nodes: memory is a hard limit, CPU is divided into fractions, jobs are paused and moved,\n"
      "and no run time estimates are needed.",
      "dfrs-sim");
  const base::Command& app = line.command();
  line.version(std::string("dfrs-sim ") + PACKAGE_VERSION);
  line.column_width(34);
  app.require_subcommand();
  app.footer(kFooter);
  for (const AddCommand add : all_commands()) add(app);
  const auto parsed = line.parse(argc, argv);
  if (!parsed) {
    // CLI11 reports a misspelt word as a surplus or missing argument, so look for one first.
    const std::string better = suggestion(app, std::vector<std::string>(argv + 1, argv + argc));
    throw UsageError(better.empty() ? parsed.error() + " (see --help)" : better);
  }
  if (*parsed) print(**parsed);
  return kExitOk;
}

}  // namespace
}  // namespace dfrs::sim

int main(int argc, char** argv) {
  using namespace dfrs::sim;
  // Writing to a closed pipe is an error, so that unfinished files are removed first.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // likewise a file beyond the user's size limit
  remove_unfinished_files_on_signals();
  keep_freed_memory();
  try {
    return parse_and_run(argc, argv);
  } catch (const Failure& failure) {
    if (failure.reader_gone()) {
      std::signal(SIGPIPE, SIG_DFL);
      std::raise(SIGPIPE);
      return kExitIo;  // where the signal is blocked
    }
    fmt::print(stderr, "dfrs-sim: {}\n", failure.what());
    return failure.code();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dfrs-sim: out of memory\n");
    return kExitInternal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "dfrs-sim: internal error: {}; please report it\n", error.what());
    return kExitInternal;
  }
}
