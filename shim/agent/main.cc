// SPDX-License-Identifier: GPL-2.0-or-later
// dfrsd: the node agent. See docs/reference/dfrsd.md.
#include <errno.h>
#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <optional>

#include "dfrs-config.h"
#include "shim/agent/agent.h"
#include "shim/agent/log.h"
#include "shim/agent/service.h"
#include "shim/auth/munge.h"

namespace dfrs::shim {
namespace {

// As dfrs-sim's, see docs/reference/exit-codes.md.
enum ExitCode : int { kExitOk = 0, kExitInternal = 1, kExitUsage = 2, kExitIo = 4, kExitNetwork = 5 };

constexpr unsigned kRefusalsLoggedPerMinute = 10;

struct Options {
  std::string node;
  std::string bind = "0.0.0.0";
  std::uint16_t port = 6821;
  std::string munge_socket;
  std::string slurm_user = "slurm";
  double cores_per_cpu = 1;
  std::string run_dir = "/run/dfrs/%n";
  std::string cgroup_root = "/sys/fs/cgroup";
  std::string cgroup_tree = "dfrs";
  double interval = 1;
  double period_ms = static_cast<double>(kDefaultPeriodUs) / 1000;
  std::string log_level = "info";
  bool check = false;
  bool release = false;
};

struct Failure {
  ExitCode code = kExitInternal;
  std::string message;
};

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return std::string(name, strcspn(name, "."));
}

std::optional<uid_t> user_id(const std::string& user) {
  uid_t id = 0;
  const auto [end, error] = std::from_chars(user.data(), user.data() + user.size(), id);
  if (error == std::errc() && end == user.data() + user.size()) return id;
  const passwd* const entry = getpwnam(user.c_str());
  return entry != nullptr ? std::optional<uid_t>(entry->pw_uid) : std::nullopt;
}

std::string with_node(std::string text, const std::string& node) {
  for (std::size_t at = 0; (at = text.find("%n", at)) != std::string::npos; at += node.size())
    text.replace(at, 2, node);
  return text;
}

// SIGHUP is not among them: there is nothing to read again, and a daemon whose terminal went goes on.
sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

tl::expected<void, Failure> check_munge(const std::string& socket) {
  const Munge munge(socket);
  const auto credential = munge.encode("dfrsd");
  if (!credential) return tl::unexpected(Failure{kExitNetwork, credential.error().message});
  const auto decoded = munge.decode(*credential);
  if (!decoded) return tl::unexpected(Failure{kExitNetwork, decoded.error().message});
  return {};
}

// Until a signal ends it.
void work(Agent& agent, double interval) {
  const sigset_t signals = end_signals();
  timespec pause{};
  pause.tv_sec = static_cast<time_t>(interval);
  pause.tv_nsec = static_cast<long>((interval - std::floor(interval)) * 1e9);
  while (true) {
    agent.tick();
    siginfo_t about{};
    const int signal = sigtimedwait(&signals, &about, &pause);
    if (signal > 0) {
      write_log(AgentLog::info, fmt::format("ends on signal {}; quotas stay as they are", signal));
      return;
    }
  }
}

// Lifts every quota on the node, for good: what was to hold is forgotten, too.
tl::expected<void, Failure> release(const JobGroups& groups, RunFolder& folder, const std::string& node) {
  const auto jobs = groups.list();
  if (!jobs) return tl::unexpected(Failure{kExitIo, jobs.error()});
  std::size_t lifted = 0;
  std::string problem;
  for (const std::uint32_t job : *jobs) {
    if (groups.remove_if_empty(job)) continue;
    const auto change = groups.set_quota(job, CpuMax{});
    if (!change)
      problem = change.error();
    else if (*change == QuotaChange::written)
      ++lifted;
  }
  // Keeps its order, so that requests of before do not bring the quotas back.
  const auto remembered = folder.recall(node);
  if (remembered && *remembered) {
    if (const auto kept = folder.remember({node, (*remembered)->order, {}}); !kept) problem = kept.error();
  }
  if (const auto published = folder.publish({}); !published) problem = published.error();
  if (!problem.empty()) return tl::unexpected(Failure{kExitIo, problem});
  fmt::print("dfrsd: the quotas of {} jobs on {} are lifted\n", lifted, node);
  return {};
}

tl::expected<void, Failure> run(const Options& options) {
  const auto slurm_user = user_id(options.slurm_user);
  if (!slurm_user) {
    return tl::unexpected(Failure{
        kExitUsage,
        fmt::format("--slurm-user {}: there is no such user; name the SlurmUser of slurm.conf", options.slurm_user)});
  }
  // Before there are threads, so that they all leave these signals to work().
  const sigset_t signals = end_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  auto groups = open_job_groups({options.cgroup_root, options.cgroup_tree, options.node});
  if (!groups) return tl::unexpected(Failure{kExitIo, groups.error()});
  auto folder = RunFolder::open(with_node(options.run_dir, options.node));
  if (!folder) return tl::unexpected(Failure{kExitIo, folder.error()});
  const std::string run_dir = folder->path();
  if (options.release) return release(**groups, *folder, options.node);
  // Its daemon may start after us: not an error but in a check.
  if (const auto munge = check_munge(options.munge_socket); !munge) {
    if (options.check) return munge;
    write_log(AgentLog::warning, munge.error().message);
  }

  AgentOptions agent_options;
  agent_options.node = options.node;
  agent_options.cores_per_cpu = options.cores_per_cpu;
  agent_options.base_period_us = std::llround(options.period_ms * 1000);
  agent_options.log = write_log;
  KernelPageOut page_out;
  Agent agent(agent_options, std::move(*groups), std::move(*folder), page_out);

  LogLimit refusals(kRefusalsLoggedPerMinute);
  HttpServerOptions http;
  http.bind_address = options.bind;
  http.port = options.port;
  http.munge_socket = options.munge_socket;
  http.administrator = *slurm_user;
  http.log = [&refusals](const std::string& message) {
    if (const auto passed = refusals.pass(message)) write_log(AgentLog::warning, *passed);
  };
  auto service = AgentService::start(agent, options.node, std::move(http));
  if (!service) return tl::unexpected(Failure{kExitNetwork, service.error()});

  const std::string what =
      fmt::format("node {}, {} port {}, cgroup {}, run folder {}, SlurmUser {} (id {}), {} cores per CPU", options.node,
                  options.bind, (*service)->port(), agent.cgroup_version(), run_dir, options.slurm_user, *slurm_user,
                  options.cores_per_cpu);
  if (options.check) {
    fmt::print("dfrsd: all is there: {}\n", what);
    return {};
  }
  write_log(AgentLog::info, what);
  work(agent, options.interval);
  return {};
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Node agent of dfrs: holds the CPU quotas of a node's jobs as the controller wants them, and reports "
      "what they use. Runs in the foreground; ends on SIGTERM, and leaves quotas as they are.",
      "dfrsd");
  app.set_version_flag("--version", std::string("dfrsd ") + PACKAGE_VERSION);
  app.add_option("--node", options.node, "Slurm's name of this node (default: the host's short name)");
  app.add_option("--bind,--address", options.bind, "numeric address to listen on")->capture_default_str();
  app.add_option("--port", options.port, "port to listen on; AgentPort of dfrs.conf")->capture_default_str();
  app.add_option("--munge-socket", options.munge_socket, "of munged (default: MUNGE's own)");
  app.add_option("--slurm-user", options.slurm_user,
                 "SlurmUser of slurm.conf, name or number; besides root, the only "
                 "one whose requests are taken")
      ->capture_default_str();
  app.add_option("--cores-per-cpu", options.cores_per_cpu,
                 "real cores that one of Slurm's CPUs of this node stands for")
      ->check(CLI::Range(0.001, 1000.0))
      ->capture_default_str();
  app.add_option("--run-dir", options.run_dir, "folder for its state and for the SPANK plugin; %n: the node's name")
      ->capture_default_str();
  app.add_option("--cgroup-root", options.cgroup_root, "where control groups are mounted, v1 or v2")
      ->capture_default_str();
  app.add_option("--cgroup-tree", options.cgroup_tree,
                 "cgroup v1: name of the group at the top of a controller that holds all of ours")
      ->capture_default_str();
  app.add_option("--report-interval", options.interval, "seconds between measurements, and checks of every quota")
      ->check(CLI::Range(0.05, 60.0))
      ->capture_default_str();
  app.add_option("--period", options.period_ms, "milliseconds of a quota's period; longer where a small quota needs it")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str();
  app.add_option("--log-level", options.log_level, "error, warning, info or debug")
      ->check(CLI::IsMember({"error", "warning", "info", "debug"}))
      ->capture_default_str();
  app.add_flag("--check", options.check, "check that all it needs is there, say so, and end");
  app.add_flag("--release", options.release,
               "lift the quotas of all jobs on this node, and end; for leaving DFRS, when the agent is stopped")
      ->excludes("--check");
  app.footer(
      "Exit codes: 0 success, 1 internal error, 2 wrong option, 4 control groups or run folder,\n"
      "5 network address or munged. See docs/reference/dfrsd.md.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (options.node.empty()) options.node = host_name();
  start_log(options.log_level);
  try {
    if (const auto result = run(options); !result) {
      write_log(AgentLog::error, result.error().message);
      return result.error().code;
    }
    return kExitOk;
  } catch (const std::exception& error) {
    write_log(AgentLog::error, fmt::format("internal error: {}", error.what()));
    return kExitInternal;
  }
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) { return dfrs::shim::main(argc, argv); }
