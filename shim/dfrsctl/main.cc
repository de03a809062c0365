// SPDX-License-Identifier: GPL-2.0-or-later
// dfrsctl: shows what a running controller does.
#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/command_line.h"
#include "base/exit_code.h"
#include "dfrs-config.h"
#include "policy/core/nearest_name.h"
#include "shim/admin/control_client.h"
#include "shim/admin/tables.h"
#include "shim/web/web_command.h"

namespace dfrs::shim::ctl {
namespace {

constexpr const char* kFooter =
    R"(dfrsctl finds the controller by slurm.conf (SlurmctldHost, ClusterName, SlurmUser, AuthType, AuthInfo) and by
ControlPort of the dfrs.conf in the same folder; options replace what these files say. munged, or with auth/slurm sackd,
slurmd or slurmctld, must run on this host. Every user may look, as with squeue, as often as ControlRequests and
ControlRepacks of dfrs.conf allow; only root and SlurmUser may switch recording on and off.

Columns of status:
  YIELD   fraction of the CPU time that the job asked for which it gets now; - while it does not run
  VTIME   virtual time: the job's progress, its run time weighted with the yield; time limits apply to it
  TIME    time since the job was submitted
  PAUSES  how often the job was paused
  MOVES   how often the job was moved to other nodes
  LOST    runs whose work was lost in a requeue, and their virtual time

Exit codes:
  0  done
  1  internal error: please report it
  2  wrong usage
  3  slurm.conf, dfrs.conf or an answer of the controller has an error
  4  a file cannot be read, or standard output cannot be written
  5  the controller cannot be reached
  6  the request or the controller's answer was refused: user, key, clock or cluster do not match
  7  the controller did not do it: no such job, too many requests, or the record cannot be written

Examples:
  dfrsctl status
  dfrsctl status --json | jq '.jobs[] | select(.quota_pending)'
  dfrsctl explain 1234
  dfrsctl web
  dfrsctl record on /var/log/slurm/monday.jsonl.gz)";

Result<void> print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return failure(kIo, "standard output cannot be written");
}

struct Options {
  AskOptions ask;
  bool json = false;
  std::uint32_t job = 0;
  bool dry_run = false;
  std::string action;
  std::string file;
  std::uint16_t web_port = 0;
  unsigned web_every = 2;
};

std::string user_name(std::uint32_t id) {
  static std::map<std::uint32_t, std::string> known;
  const auto [entry, is_new] = known.try_emplace(id);
  if (is_new) {
    const passwd* const found = getpwuid(id);
    entry->second = found != nullptr ? found->pw_name : std::to_string(id);
  }
  return entry->second;
}

Result<Json> record(const Options& o) {
  if (o.action == "on" && o.file.empty()) return failure(kUsage, "record on: name the FILE to write");
  if (o.action != "on" && !o.file.empty()) return failure(kUsage, "record " + o.action + " takes no FILE");
  if (o.action == "on" && o.file.front() != '/') {
    return failure(kUsage, fmt::format("record on: '{}' is not an absolute path; slurmctld's working folder is not "
                                       "the one you are in",
                                       o.file));
  }
  if (o.action == "show") return ask_controller(o.ask, {"GET", "/v1/record"});
  const Json order = o.action == "on" ? Json{{"on", o.file}} : Json{{"off", true}};
  return ask_controller(o.ask, {"POST", "/v1/record", json_text(order)});
}

std::string version_text(const Json& answer) {
  return fmt::format("dfrsctl {}, controller {} (cluster {})\n", PACKAGE_VERSION,
                     answer.at("version").get<std::string>(), answer.at("cluster").get<std::string>());
}

// A subcommand: its request, and how it shows the answer without --json.
struct Command {
  base::Command app;
  std::function<Result<Json>(const Options&)> ask;
  std::function<std::string(const Json&)> as_text;
};

// A request that only reads.
std::function<Result<Json>(const Options&)> get(const char* target) {
  return [target](const Options& o) { return ask_controller(o.ask, {"GET", target}); };
}

std::vector<Command> add_commands(const base::Command& app, Options& o) {
  const base::Command status =
      app.add_subcommand("status", "Show the jobs: state, yield, virtual time, nodes, pauses, moves and lost work");
  const base::Command nodes =
      app.add_subcommand("nodes", "Show the nodes: CPUs, memory, swap, and whether their agents answer");
  const base::Command explain = app.add_subcommand("explain", "Say why a job waits, or where it runs and why");
  explain.add_option("JOB", o.job, "The job's number").required().check(base::in_range(1U, 4294967295U));
  const base::Command repack = app.add_subcommand("repack", "Show what a repack of all jobs would do now");
  repack.add_flag("--dry-run", o.dry_run, "Only show it. This is required: dfrsctl does not start a repack").required();
  const base::Command recording = app.add_subcommand("record", "Switch recording for `dfrs-sim replay` on or off");
  recording.add_option("ACTION", o.action, "on, off, or show: whether it is on")
      .required()
      .check(base::one_of({"on", "off", "show"}));
  recording.add_option("FILE", o.file,
                       "With on: the absolute path of a new file on slurmctld's host; compressed if it ends with .gz");
  const base::Command version =
      app.add_subcommand("version", "Show the versions of this program and of the controller");
  return {
      {status, get("/v1/status"), [](const Json& answer) { return status_table(answer, user_name); }},
      {nodes, get("/v1/nodes"), nodes_table},
      {explain,
       [](const Options& options) {
         return ask_controller(options.ask, {"GET", fmt::format("/v1/explain?job={}", options.job)});
       },
       explain_text},
      {repack, get("/v1/repack"), repack_table},
      {recording, record, recording_text},
      {version, get("/v1/version"), version_text},
  };
}

base::Command add_web(const base::Command& app, Options& o) {
  const base::Command page = app.add_subcommand("web", "Show the cluster on a page in the browser, until interrupted");
  page.add_option("--port", o.web_port, "Port of the page on 127.0.0.1 (default: any free one)")
      .check(base::in_range(1, 65535));
  page.add_option("--every", o.web_every, "Seconds between updates (default: 2)").check(base::in_range(1, 3600));
  return page;
}

Result<void> carry_out(const Command& command, const Options& options) {
  try {
    const auto answer = command.ask(options);
    if (!answer) return tl::unexpected(answer.error());
    return print(options.json ? json_text(*answer, 2) : command.as_text(*answer));
  } catch (const Json::exception& error) {
    return failure(kInput,
                   fmt::format("the controller's answer is not understood ({}); is the controller of another version?",
                               error.what()));
  }
}

// "unknown subcommand 'stats'; ...", if that is the mistake in the command line.
std::optional<std::string> unknown_subcommand(const base::Command& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const base::Command& command : app.subcommands()) names.push_back(command.name());
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k].starts_with("-")) {
      if (words[k] != "--json" && words[k].find('=') == std::string::npos) ++k;  // its value
      continue;
    }
    if (std::find(names.begin(), names.end(), words[k]) != names.end()) return std::nullopt;
    return fmt::format("unknown subcommand '{}'; did you mean '{}'?", words[k], nearest_name(words[k], names));
  }
  return std::nullopt;
}

void add_options(const base::Command& app, Options& options) {
  AddressOptions& address = options.ask.address;
  app.add_flag("--json", options.json, "Print JSON, as docs/reference/dfrsctl.md describes it");
  app.add_option("--wait", options.ask.wait,
                 "Seconds for which to try again while slurmctld does not listen, as during `scontrol reconfigure` "
                 "(default: 10; 0: not at all)")
      .check(base::in_range(0, 3600));
  app.add_option("--host", address.host, "Host of slurmctld");
  app.add_option("--port", address.port, "Control port on that host").check(base::in_range(1, 65535));
  app.add_option("--auth", address.auth.type, "Credentials (default: by AuthType of slurm.conf)")
      .check(base::one_of({"munge", "slurm"}));
  app.add_option("--munge-socket", address.auth.munge_socket,
                 "Socket of munged (default: that of AuthInfo, else MUNGE's own)");
  app.add_option("--sack-socket", address.auth.sack_socket,
                 "With auth/slurm: socket of sackd, slurmd or slurmctld (default: as Slurm's commands find it)");
  app.add_option("--conf", address.conf, "Path of dfrs.conf (default: beside slurm.conf)");
  app.add_option("--slurm-conf", address.slurm_conf,
                 "Path of slurm.conf (default: $SLURM_CONF, else /etc/slurm/slurm.conf)");
  app.add_option("--cluster", address.cluster, "ClusterName");
  app.add_option("--slurm-user", address.slurm_user, "SlurmUser: only answers from this user are accepted");
  app.require_subcommand();
  app.footer(kFooter);
}

Result<void> run(int argc, char** argv) {
  base::CommandLine line("Shows what dfrs (dynamic fractional resource scheduling) does in a running Slurm cluster.",
                         "dfrsctl");
  line.version(std::string("dfrsctl ") + PACKAGE_VERSION);
  line.options_anywhere();
  const base::Command& app = line.command();
  Options options;
  add_options(app, options);
  const std::vector<Command> commands = add_commands(app, options);
  const base::Command page = add_web(app, options);
  const auto parsed = line.parse(argc, argv);
  if (!parsed) {
    const auto unknown = unknown_subcommand(app, std::vector<std::string>(argv + 1, argv + argc));
    return failure(kUsage, unknown.value_or(parsed.error() + " (see --help)"));
  }
  if (*parsed) return print(**parsed);
  if (page.is_given()) return web::serve({options.web_port, options.web_every, options.ask, user_name});
  const auto named =
      std::find_if(commands.begin(), commands.end(), [](const Command& command) { return command.app.is_given(); });
  return carry_out(*named, options);
}

}  // namespace
}  // namespace dfrs::shim::ctl

int main(int argc, char** argv) {
  using namespace dfrs::shim::ctl;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto done = run(argc, argv);
    if (done) return kOk;
    fmt::print(stderr, "dfrsctl: {}\n", done.error().message);
    return done.error().code;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dfrsctl: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "dfrsctl: internal error: {}; please report it\n", error.what());
  }
  return kInternal;
}
