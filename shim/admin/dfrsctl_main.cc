// SPDX-License-Identifier: GPL-2.0-or-later
// dfrsctl: asks a live controller what it is doing.
#include <fmt/format.h>
#include <pwd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "dfrs-config.h"
#include "policy/core/nearest_name.h"
#include "shim/admin/controller_address.h"
#include "shim/admin/tables.h"
#include "shim/auth/authenticator.h"
#include "shim/http/client.h"

namespace dfrs::shim {
namespace {

// Those of docs/reference/exit-codes.md.
enum ExitCode : int {
  kOk = 0,
  kInternal = 1,
  kUsage = 2,
  kInput = 3,
  kIo = 4,
  kUnreachable = 5,
  kRefused = 6,
  kNotDone = 7,
};

constexpr const char* kFooter =
    R"(dfrsctl finds the controller by slurm.conf (SlurmctldHost, ClusterName, SlurmUser, AuthInfo) and by ControlPort of
dfrs.conf beside it; the options above take the place of what is said there. munged must run on this host.
Every user may look, as with squeue; only root and SlurmUser may switch recording on and off.

Columns of status:
  YIELD  fraction of the CPU time that the job asked for which it gets now; - while it does not run
  VTIME  its progress: run time weighted with the yield. Time limits count this.
  TIME   since it was submitted
  LOST   runs whose work was lost to a requeue, and their virtual time

Exit codes:
  0 done   1 internal error   2 wrong usage   3 slurm.conf, dfrs.conf or an answer is not as it should be
  4 a file cannot be read or the output not written   5 the controller cannot be reached   6 it refused us
  7 it could not do that (no such job, the record cannot be made)

Examples:
  dfrsctl status
  dfrsctl status --json | jq '.jobs[] | select(.quota_pending)'
  dfrsctl explain 1234
  dfrsctl record on /var/log/slurm/monday.jsonl.gz)";

struct Failure {
  ExitCode code;
  std::string message;
};

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  throw Failure{kIo, "standard output cannot be written"};
}

// The message of an error answer.
std::string words_of(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_string()) return json["error"];
  return "no reason given";
}

Json ask(const AddressOptions& options, const std::string& method, const std::string& target,
         const std::string& body = {}) {
  const auto address = find_controller(options);
  if (!address) throw Failure{address.error().io ? kIo : kInput, address.error().message};
  const Authenticator authenticator(address->munge_socket);
  HttpCallLimits limits;
  limits.connect_timeout = std::chrono::seconds{3};
  limits.timeout = std::chrono::seconds{20};
  limits.max_answer = std::size_t{1} << 30;
  std::string unreachable;
  for (const std::string& host : address->hosts) {
    const HttpCall call{host, address->port, method, target, controller_receiver(address->cluster), body};
    const auto answer = http_call(authenticator, call, limits, address->slurm_user);
    if (!answer) {
      if (answer.error().refused) throw Failure{kRefused, answer.error().message};
      unreachable += (unreachable.empty() ? "" : "; ") + answer.error().message;
      continue;  // a backup controller may have taken over
    }
    if (answer->status == 401) throw Failure{kRefused, words_of(answer->body)};
    if (answer->status == 404 && words_of(answer->body).starts_with("there is no /")) {
      throw Failure{kInput, fmt::format("{}: the controller is of another version than this dfrsctl, {}",
                                        words_of(answer->body), PACKAGE_VERSION)};
    }
    if (answer->status != 200) throw Failure{kNotDone, words_of(answer->body)};
    Json json = Json::parse(answer->body, nullptr, false);
    if (!json.is_object()) throw Failure{kInput, "the controller's answer is not JSON"};
    if (json.value("format", 0) != kControlFormat) {
      throw Failure{kInput, fmt::format("the controller's answer has format {}, this dfrsctl {} reads format {}",
                                        json_text(json.value("format", Json())), PACKAGE_VERSION, kControlFormat)};
    }
    return json;
  }
  throw Failure{kUnreachable, unreachable +
                                  "\nIs slurmctld running, with SchedulerType=sched/dfrs, and munged here? "
                                  "ControlPort of dfrs.conf and --host, --port say where it listens."};
}

std::string user_name(std::uint32_t id) {
  static std::map<std::uint32_t, std::string> known;
  const auto [entry, is_new] = known.try_emplace(id);
  if (is_new) {
    const passwd* const found = getpwuid(id);
    entry->second = found != nullptr ? found->pw_name : std::to_string(id);
  }
  return entry->second;
}

struct Options {
  AddressOptions address;
  bool json = false;
  std::uint32_t job = 0;
  bool dry_run = false;
  std::string action;
  std::string file;
};

template <typename AsText>
void show(const Options& options, const Json& answer, const AsText& as_text) {
  print(options.json ? json_text(answer, 2) : as_text(answer));
}

void add_commands(CLI::App& app, Options& o) {
  CLI::App* status = app.add_subcommand("status", "jobs: state, yield, virtual time, nodes, pauses, moves, lost work");
  status->callback(
      [&o] { show(o, ask(o.address, "GET", "/v1/status"), [](const Json& a) { return status_table(a, user_name); }); });
  CLI::App* nodes = app.add_subcommand("nodes", "nodes: CPUs, memory, swap, and whether their agents answer");
  nodes->callback([&o] { show(o, ask(o.address, "GET", "/v1/nodes"), nodes_table); });
  CLI::App* explain = app.add_subcommand("explain", "why a job waits, or where it is and why");
  explain->add_option("JOB", o.job, "its number")->required()->check(CLI::Range(1U, 4294967295U));
  explain->callback([&o] { show(o, ask(o.address, "GET", fmt::format("/v1/explain?job={}", o.job)), explain_text); });
  CLI::App* repack = app.add_subcommand("repack", "what a repack of all jobs would do now");
  repack->add_flag("--dry-run", o.dry_run, "only say what it would do; nothing else is offered")->required();
  repack->callback([&o] { show(o, ask(o.address, "GET", "/v1/repack"), repack_table); });
  CLI::App* record = app.add_subcommand("record", "switch recording on or off, for `dfrs-sim replay`");
  record->add_option("ACTION", o.action, "on, off or show")->required()->check(CLI::IsMember({"on", "off", "show"}));
  record->add_option("FILE", o.file,
                     "on: a new file on slurmctld's host, an absolute path; compressed if it ends with .gz");
  record->callback([&o] {
    if ((o.action == "on") != !o.file.empty()) {
      throw Failure{kUsage,
                    o.action == "on" ? "record on: name the FILE to write" : "record " + o.action + " takes no FILE"};
    }
    if (o.action == "on" && o.file.front() != '/') {
      throw Failure{kUsage,
                    fmt::format("record on: '{}' is not an absolute path; slurmctld's folder is not yours", o.file)};
    }
    if (o.action == "show") return show(o, ask(o.address, "GET", "/v1/record"), recording_text);
    const Json order = o.action == "on" ? Json{{"on", o.file}} : Json{{"off", true}};
    show(o, ask(o.address, "POST", "/v1/record", json_text(order)), recording_text);
  });
  CLI::App* version = app.add_subcommand("version", "of this program and of the controller");
  version->callback([&o] {
    show(o, ask(o.address, "GET", "/v1/version"), [](const Json& a) {
      return fmt::format("dfrsctl {}, controller {} (cluster {})\n", PACKAGE_VERSION,
                         a.at("version").get<std::string>(), a.at("cluster").get<std::string>());
    });
  });
}

// "unknown subcommand 'stats'; ...", if that is what is wrong with the command line.
std::string unknown_subcommand(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k].starts_with("-")) {
      if (words[k] != "--json" && words[k].find('=') == std::string::npos) ++k;  // its value
      continue;
    }
    if (std::find(names.begin(), names.end(), words[k]) != names.end()) return {};
    return fmt::format("unknown subcommand '{}'; did you mean '{}'?", words[k], nearest_name(words[k], names));
  }
  return {};
}

int run(int argc, char** argv) {
  CLI::App app("Shows what Dynamic Fractional Resource Scheduling does in a live Slurm cluster.", "dfrsctl");
  Options options;
  AddressOptions& address = options.address;
  app.add_flag("--json", options.json, "print JSON (docs/reference/dfrsctl.md)");
  app.add_option("--host", address.host, "host of slurmctld");
  app.add_option("--port", address.port, "its control port")->check(CLI::Range(1, 65535));
  app.add_option("--munge-socket", address.munge_socket, "socket of munged");
  app.add_option("--conf", address.conf, "dfrs.conf");
  app.add_option("--slurm-conf", address.slurm_conf, "slurm.conf (default: $SLURM_CONF, else /etc/slurm/slurm.conf)");
  app.add_option("--cluster", address.cluster, "ClusterName");
  app.add_option("--slurm-user", address.slurm_user, "SlurmUser, whose answers are believed");
  app.set_version_flag("--version", std::string("dfrsctl ") + PACKAGE_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // options may stand behind the subcommand
  app.footer(kFooter);
  add_commands(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    std::ostringstream text;
    app.exit(request, text, text);
    print(text.str());
  } catch (const CLI::ParseError& error) {
    const std::string better = unknown_subcommand(app, std::vector<std::string>(argv + 1, argv + argc));
    throw Failure{kUsage, better.empty() ? std::string(error.what()) + " (see --help)" : better};
  } catch (const Json::exception& error) {
    throw Failure{
        kInput, fmt::format("the controller's answer is not understood ({}); is it of another version?", error.what())};
  }
  return kOk;
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) {
  using namespace dfrs::shim;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const Failure& failure) {
    fmt::print(stderr, "dfrsctl: {}\n", failure.message);
    return failure.code;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dfrsctl: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "dfrsctl: internal error: {}; please report it\n", error.what());
  }
  return kInternal;
}
