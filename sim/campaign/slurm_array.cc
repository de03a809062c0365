// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/slurm_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/process.h"

namespace dfrs::sim {
namespace {

// Quotes a word for sh. #SBATCH lines use the same quotes.
std::string shell_quoted(std::string_view word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  return out + '\'';
}

// The first non-blank line.
std::string first_line(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) return std::string(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return "no message";
}

// The first line that tells of a fatal error; empty without one.
std::string fatal_line(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.find("fatal:") != std::string_view::npos) return std::string(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

// Matches --array and --array=1-3, and -a and -a1.
bool is_option(std::string_view word, std::string_view shortly, std::string_view wholly) {
  return (word.starts_with(shortly) && !word.starts_with("--")) || word == wholly ||
         word.substr(0, word.find('=')) == wholly;
}

std::string array_range(const SlurmArray& array) {
  return fmt::format("1-{}", array.tasks) + (array.at_once == 0 ? "" : fmt::format("%{}", array.at_once));
}

// All states of jobs that have not ended.
constexpr const char* kStates =
    "PENDING,CONFIGURING,RUNNING,COMPLETING,SUSPENDED,STOPPED,REQUEUED,REQUEUE_FED,REQUEUE_HOLD,SPECIAL_EXIT,RESIZING,"
    "RESV_DEL_HOLD,SIGNALING,STAGE_OUT";

Result<base::ProgramOutcome> run(const std::vector<std::string>& words) {
  // munged hangs up on a client that needs long for its first words, as on a busy host. Slurm's command tries again,
  // unless SIGPIPE ends it.
  base::Program program{words};
  program.keeps_sigpipe = true;
  auto outcome = base::run_program(program);
  if (outcome) return std::move(*outcome);
  if (outcome.error().kind != base::ProgramError::Kind::not_found) return io_error(outcome.error().message);
  return error(
      kExitSlurm,
      fmt::format(
          "{} is not in PATH; run this where Slurm's commands are (a login node), or let --no-submit write the script",
          words.front()));
}

}  // namespace

std::string task_log(const SlurmArray& array, std::size_t task) {
  return fmt::format("{}/task-{}.log", array.folder, task);
}
std::string task_store(const SlurmArray& array, std::size_t task) {
  return fmt::format("{}/part-{}.db", array.folder, task);
}

Result<void> check_slurm_folder(const std::string& folder) {
  const bool plain = std::all_of(folder.begin(), folder.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && std::string_view("%\\'\"#\x7f").find(c) == std::string_view::npos;
  });
  if (plain) return {};
  return usage_error(
      fmt::format("--slurm: sbatch cannot take '{}' as part of a log's name; choose a folder without any of "
                  "% \\ ' \" #",
                  folder));
}

Result<void> check_sbatch_options(const std::vector<std::string>& options) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 5> ours{
      Pair{"-a", "--array"}, {"-J", "--job-name"}, {"-M", "--clusters"}, {"-W", "--wait"}, {"-o", "--output"}};
  for (const std::string& option : options) {
    if (!option.starts_with("-") || option.find('\n') != std::string::npos) {
      return usage_error(fmt::format("--sbatch: '{}' is not an option; expected one as in --sbatch=--mem=2G", option));
    }
    for (const auto& [shortly, wholly] : ours) {
      if (!is_option(option, shortly, wholly)) continue;
      return usage_error(
          fmt::format("--sbatch: {} is set by dfrs-sim itself, or it could not find its jobs again", wholly));
    }
  }
  return {};
}

std::string array_script(const SlurmArray& array) {
  std::string text = "#!/bin/sh\n";
  const auto option = [&](const std::string& line) { text += "#SBATCH " + line + "\n"; };
  option("--job-name=" + array.name);
  option("--array=" + array_range(array));
  option("--ntasks=1");
  option(fmt::format("--cpus-per-task={}", array.cpus));
  option("--requeue");
  option("--chdir=" + shell_quoted(array.folder));
  option("--output=" + shell_quoted(array.folder + "/task-%a.log"));
  option("--open-mode=append");
  if (!array.partition.empty()) option("--partition=" + shell_quoted(array.partition));
  if (!array.time.empty()) option("--time=" + shell_quoted(array.time));
  for (const std::string& more : array.options) option(more);
  text +=
      "# Written by `dfrs-sim compare --slurm`. Each task does the simulations in its line of the file `plan` and "
      "keeps\n"
      "# each result in a store of its own as soon as it is there: a requeued task continues from there.\n"
      "set -eu\n";
  text += fmt::format("simulations=$(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" {})\n",
                      shell_quoted(fmt::format("{}/{}", array.folder, kPlanFile)));
  text += "exec";
  for (const std::string& word : array.command) text += " " + shell_quoted(word);
  text += fmt::format(" \"--only=$simulations\" --store={}\"$SLURM_ARRAY_TASK_ID\".db --",
                      shell_quoted(array.folder + "/part-"));
  for (const std::string& source : array.sources) text += " " + shell_quoted(source);
  text += '\n';
  return text;
}

Result<std::string> submit_array(const SlurmArray& array, const std::string& script) {
  // Repeated on the command line, because variables such as SBATCH_JOB_NAME override the script.
  const auto outcome =
      run({"sbatch", "--parsable", "--job-name=" + array.name, "--array=" + array_range(array), script});
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->exit_code != 0) {
    return error(kExitSlurm,
                 fmt::format("{}: sbatch refuses this script: {}; options for it: --partition, --time, --sbatch, and "
                             "--tasks where the array is too large",
                             script, first_line(outcome->err)));
  }
  const std::string line = first_line(outcome->out);
  return line.substr(0, line.find(';'));  // "number;cluster"
}

Result<std::optional<SlurmQueue>> slurm_queue(const std::string& name, std::string& trouble) {
  const auto outcome =
      run({"squeue", "--noheader", "--array", "--name=" + name, std::string("--states=") + kStates, "--format=%T|%r"});
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->exit_code != 0) {
    // Slurm's commands end with "fatal" where a later attempt cannot help, such as without a configuration.
    if (const std::string why = fatal_line(outcome->err); !why.empty()) {
      return error(
          kExitSlurm,
          fmt::format("{}; set SLURM_CONF or run this on a machine of the cluster (`squeue` must work there)", why));
    }
    trouble = first_line(outcome->err);
    return std::nullopt;
  }
  SlurmQueue queue;
  std::string_view rest = outcome->out;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view state = line.substr(0, line.find('|'));
    if (state.empty()) continue;
    if (state == "RUNNING" || state == "COMPLETING") {
      ++queue.running;
      continue;
    }
    ++queue.waiting;
    const std::string_view reason = line.substr(std::min(line.size(), state.size() + 1));
    const bool held = reason.find("eld") != std::string_view::npos;  // JobHeldUser, "launch failed requeued held"
    if (queue.reason.empty() || (held && !queue.held)) queue.reason = reason;
    queue.held = queue.held || held;
  }
  return queue;
}

}  // namespace dfrs::sim
