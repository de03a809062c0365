// SPDX-License-Identifier: GPL-2.0-or-later
// dfrsd: the node agent. See docs/reference/dfrsd.md.
#include <errno.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/command_line.h"
#include "base/counted.h"
#include "base/exit_code.h"
#include "dfrs-config.h"
#include "shim/agent/agent.h"
#include "shim/agent/log.h"
#include "shim/agent/service.h"
#include "shim/auth/authenticator.h"
#include "shim/auth/user_id.h"
#include "shim/checkpoint/checkpointer.h"
#include "shim/checkpoint/criu.h"
#include "shim/checkpoint/launch_listener.h"
#include "shim/checkpoint/other_users.h"
#include "shim/checkpoint/private_folder.h"
#include "shim/conf/auth_choice.h"

namespace dfrs::shim {
namespace {

using base::kExitInternal;
using base::kExitIo;
using base::kExitNetwork;
using base::kExitOk;
using base::kExitUsage;

constexpr unsigned kRefusalsLoggedPerMinute = 10;

struct Options {
  std::string node;
  std::string bind = "0.0.0.0";
  std::uint16_t port = 6821;
  AuthChoice auth;
  std::string slurm_user = "slurm";
  double cores_per_cpu = 1;
  std::string run_dir = "/run/dfrs/%n";
  std::string cgroup_root = "/sys/fs/cgroup";
  std::string cgroup_tree = "dfrs";
  double interval = 1;
  double period_ms = static_cast<double>(kDefaultPeriodUs) / 1000;
  std::string checkpoint_folder;
  std::string checkpoint_key = "/etc/munge/munge.key";
  double checkpoint_gib = 0;
  double checkpoint_user_gib = 0;
  std::string checkpoint_scratch;
  std::uint64_t checkpoint_pre_dump_mib = 256;
  std::string criu = "criu";
  std::string log_level = "info";
  bool check = false;
  bool release = false;
};

struct Failure {
  int code = kExitInternal;
  std::string message;
};

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return std::string(name, strcspn(name, "."));
}

std::string with_node(std::string text, const std::string& node) {
  for (std::size_t at = 0; (at = text.find("%n", at)) != std::string::npos; at += node.size())
    text.replace(at, 2, node);
  return text;
}

// Not SIGHUP: there is no file to reload.
sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Whether credentials can be made and read, by a request to ourselves.
tl::expected<void, Failure> check_auth(const AuthOptions& options) {
  const Authenticator authenticator(options);
  const RequestWords words{"GET", "/", "dfrsd --check", {}};
  const auto request = authenticator.sign_request(words);
  if (!request) return tl::unexpected(Failure{kExitNetwork, request.error().message});
  const auto read = authenticator.verify_request(request->credential, words);
  if (!read) return tl::unexpected(Failure{kExitNetwork, read.error().message});
  return {};
}

// Runs until one of end_signals() comes.
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
      write_log(AgentLog::info, fmt::format("ending on signal {}; quotas stay in force", signal));
      return;
    }
  }
}

// Lifts all quotas on the node and clears the desired state, so that a later start does not restore them.
tl::expected<void, Failure> release(const JobGroups& groups, RunFolder& folder, const std::string& node) {
  const auto jobs = groups.list();
  if (!jobs) return tl::unexpected(Failure{kExitIo, jobs.error()});
  tl::expected<void, Failure> outcome;
  const auto note = [&](const std::string& error) { outcome = tl::unexpected(Failure{kExitIo, error}); };
  std::size_t lifted = 0;
  for (const std::uint32_t job : *jobs) {
    if (groups.remove_if_empty(job)) continue;
    const auto change = groups.set_quota(job, CpuMax{});
    if (!change)
      note(change.error());
    else if (*change == QuotaChange::written)
      ++lifted;
  }
  // The order stays, so that late requests do not restore the quotas.
  const auto remembered = folder.recall(node);
  if (remembered && *remembered) {
    if (const auto kept = folder.remember({node, (*remembered)->order, {}}); !kept) note(kept.error());
  }
  if (const auto published = folder.publish({}); !published) note(published.error());
  if (outcome) fmt::print("dfrsd: the quotas of {} on {} are lifted\n", base::counted(lifted, "job"), node);
  return outcome;
}

AgentOptions agent_options(const Options& options) {
  AgentOptions agent;
  agent.node = options.node;
  agent.cores_per_cpu = options.cores_per_cpu;
  agent.base_period_us = std::llround(options.period_ms * 1000);
  agent.log = write_log;
  return agent;
}

// Refusals are logged through `refusals`, which must outlive the server.
HttpServerOptions http_options(const Options& options, AuthOptions auth, uid_t slurm_user, LogLimit& refusals) {
  HttpServerOptions http;
  http.bind_address = options.bind;
  http.port = options.port;
  http.auth = std::move(auth);
  http.administrator = slurm_user;
  http.log = [&refusals](const std::string& message) {
    if (const auto passed = refusals.pass(message)) write_log(AgentLog::warning, *passed);
  };
  return http;
}

GroupPlace group_place(const Options& options, const std::string& run_dir) {
  return {options.cgroup_root, options.cgroup_tree, options.node, run_dir + "/group"};
}

// What dfrsd starts: beside itself where it was built, else where it is installed.
std::string helper(const std::string& name) {
  std::error_code ignored;
  const auto beside = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / name;
  return std::filesystem::exists(beside, ignored) ? beside.string() : DFRS_HELPERS "/" + name;
}

StoreLimits store_limits(const Options& options) {
  constexpr double kGib = 1 << 30;
  return {static_cast<std::uint64_t>(options.checkpoint_gib * kGib),
          static_cast<std::uint64_t>(options.checkpoint_user_gib * kGib)};
}

// Of this node, since nodes of one machine may share the folder.
std::string scratch_folder(const Options& options) {
  return options.checkpoint_scratch.empty() ? std::string() : options.checkpoint_scratch + "/" + options.node;
}

std::vector<std::string> keeper_command(const Options& options, const std::string& run_dir, bool pre_dumps) {
  const StoreLimits limits = store_limits(options);
  std::vector<std::string> words{helper("dfrs-keeper"),
                                 "--node",
                                 options.node,
                                 "--run-dir",
                                 run_dir,
                                 "--cgroup-root",
                                 options.cgroup_root,
                                 "--cgroup-tree",
                                 options.cgroup_tree,
                                 "--folder",
                                 options.checkpoint_folder,
                                 "--key",
                                 options.checkpoint_key,
                                 "--bytes",
                                 std::to_string(limits.bytes),
                                 "--user-bytes",
                                 std::to_string(limits.user_bytes),
                                 "--criu",
                                 options.criu,
                                 "--init",
                                 helper("dfrs-init")};
  if (const std::string scratch = scratch_folder(options); !scratch.empty())
    words.insert(words.end(), {"--scratch", scratch});
  if (pre_dumps) words.insert(words.end(), {"--pre-dump-from", std::to_string(options.checkpoint_pre_dump_mib << 20)});
  return words;
}

// What this node has for checkpoints. Without it jobs run as ever, so nothing in here ends dfrsd.
struct Checkpoints {
  std::unique_ptr<ImageStore> store;
  std::unique_ptr<LaunchListener> listener;
  std::unique_ptr<Checkpointer> checkpointer;
};

tl::expected<void, std::string> open_checkpoints(Checkpoints& checkpoints, const Options& options,
                                                 const std::string& run_dir) {
  if (options.checkpoint_folder.empty())
    return tl::unexpected(std::string("checkpoints are off on this node: dfrsd has no --checkpoint-folder"));
  const auto version = check_criu(options.criu);
  if (!version) return tl::unexpected(version.error());
  auto key = ImageKey::read(options.checkpoint_key);
  if (!key) return tl::unexpected(key.error());
  auto store = ImageStore::open(options.checkpoint_folder, std::move(*key), store_limits(options));
  if (!store) return tl::unexpected(store.error());
  checkpoints.store = std::make_unique<ImageStore>(std::move(*store));
  if (const std::string scratch = scratch_folder(options); !scratch.empty()) {
    constexpr const char* kOption = "--checkpoint-scratch";
    auto made = make_private_folder(options.checkpoint_scratch, kOption);
    if (made) made = make_private_folder(scratch, kOption);
    if (!made) return made;
  }
  const auto others = can_dump_others();
  if (options.check) return others;
  if (!others) write_log(AgentLog::error, "checkpoints only of root's programs on this node: " + others.error());
  const bool pre_dumps = options.checkpoint_pre_dump_mib > 0 && can_pre_dump(options.criu);
  auto listener =
      LaunchListener::start({.run_dir = run_dir,
                             .keeper = keeper_command(options, run_dir, pre_dumps),
                             .log = [](const std::string& message) { write_log(AgentLog::error, message); }});
  if (!listener) return tl::unexpected(listener.error());
  checkpoints.listener = std::move(*listener);
  write_log(AgentLog::info,
            fmt::format("checkpoints by CRIU {} in {}{}{}", *version, options.checkpoint_folder,
                        options.checkpoint_scratch.empty() ? "" : ", compressed", pre_dumps ? ", with pre-dumps" : ""));
  if (options.checkpoint_pre_dump_mib > 0 && !pre_dumps)
    write_log(AgentLog::info, "no pre-dumps on this node: its kernel lacks CONFIG_MEM_SOFT_DIRTY");
  return {};
}

tl::expected<Checkpoints, Failure> start_checkpoints(const Options& options, const std::string& run_dir) {
  Checkpoints checkpoints;
  const auto opened = open_checkpoints(checkpoints, options, run_dir);
  if (!opened && !options.checkpoint_folder.empty()) {
    if (options.check) return tl::unexpected(Failure{kExitIo, opened.error()});
    write_log(AgentLog::error, "no checkpoints on this node: " + opened.error());
  }
  auto groups = open_job_groups(group_place(options, run_dir));
  if (!groups) return tl::unexpected(Failure{kExitIo, groups.error()});
  checkpoints.checkpointer = std::make_unique<Checkpointer>(
      CheckpointerOptions{.run_dir = run_dir,
                          .folder = options.checkpoint_folder,
                          .possible = opened,
                          .has_processes = [groups = std::shared_ptr<JobGroups>(std::move(*groups))](
                                               std::uint32_t job) { return !groups->processes(job).empty(); },
                          .log = [](const std::string& message) { write_log(AgentLog::warning, message); },
                          .store = checkpoints.store.get(),
                          .scratch = scratch_folder(options)});
  return checkpoints;
}

tl::expected<void, Failure> serve(const Options& options, uid_t slurm_user, std::unique_ptr<JobGroups> groups,
                                  RunFolder folder) {
  const auto auth = choose_auth(options.auth);
  if (!auth) return tl::unexpected(Failure{kExitUsage, auth.error()});
  // The service of credentials may start later; only --check treats that as an error.
  if (const auto checked = check_auth(*auth); !checked) {
    if (options.check) return checked;
    write_log(AgentLog::warning, checked.error().message);
  }
  const std::string run_dir = folder.path();
  KernelPageOut page_out;
  auto checkpoints = start_checkpoints(options, run_dir);
  if (!checkpoints) return tl::unexpected(checkpoints.error());
  AgentOptions settings = agent_options(options);
  settings.desired = [&](const std::vector<JobQuota>& jobs) { checkpoints->checkpointer->set_desired(jobs); };
  settings.checkpoint = [&](std::uint32_t job) { return checkpoints->checkpointer->report(job); };
  Agent agent(std::move(settings), std::move(groups), std::move(folder), page_out);
  LogLimit refusals(kRefusalsLoggedPerMinute);
  auto service = AgentService::start(agent, options.node, http_options(options, *auth, slurm_user, refusals));
  if (!service) return tl::unexpected(Failure{kExitNetwork, service.error()});

  const std::string what =
      fmt::format("node {}, {} port {}, cgroup {}, run folder {}, SlurmUser {} (id {}), {}, {} cores per CPU",
                  options.node, options.bind, (*service)->port(), agent.cgroup_version(), run_dir, options.slurm_user,
                  slurm_user, auth->type == AuthType::slurm ? "auth/slurm" : "auth/munge", options.cores_per_cpu);
  if (options.check) {
    fmt::print("dfrsd: ready to run: {}\n", what);
    return {};
  }
  write_log(AgentLog::info, what);
  work(agent, options.interval);
  return {};
}

tl::expected<void, Failure> run(const Options& options) {
  const auto slurm_user = user_id(options.slurm_user);
  if (!slurm_user) {
    return tl::unexpected(Failure{
        kExitUsage,
        fmt::format("--slurm-user {}: there is no such user; name the SlurmUser of slurm.conf", options.slurm_user)});
  }
  // Before any thread is started, so that all of them leave these signals to work().
  const sigset_t signals = end_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  const std::string run_dir = with_node(options.run_dir, options.node);
  auto groups = open_job_groups(group_place(options, run_dir));
  if (!groups) return tl::unexpected(Failure{kExitIo, groups.error()});
  auto folder = RunFolder::open(run_dir);
  if (!folder) return tl::unexpected(Failure{kExitIo, folder.error()});
  if (options.release) return release(**groups, *folder, options.node);
  return serve(options, *slurm_user, std::move(*groups), std::move(*folder));
}

constexpr const char* kFooter =
    R"(Exit codes:
  0  success
  1  internal error: please report it
  2  wrong usage
  4  the control groups or the run folder cannot be used, or another dfrsd uses that folder
  5  dfrsd cannot listen on the address, or munged (auth/slurm: slurmd or sackd) does not answer

docs/reference/dfrsd.md has more.)";

void add_options(const base::Command& app, Options& options) {
  app.add_option("--node", options.node, "Slurm's name of this node (default: the host's short name)");
  app.add_option("--bind,--address", options.bind, "Numeric address to listen on").capture_default();
  app.add_option("--port", options.port, "Port to listen on: AgentPort of dfrs.conf").capture_default();
  app.add_option("--auth", options.auth.type, "Credentials (default: by AuthType of slurm.conf, munge without one)")
      .check(base::one_of({"munge", "slurm"}));
  app.add_option("--munge-socket", options.auth.munge_socket,
                 "Socket of munged (default: that of AuthInfo, else MUNGE's own)");
  app.add_option("--sack-socket", options.auth.sack_socket,
                 "With auth/slurm: socket of slurmd or sackd (default: as Slurm's commands find it)");
  app.add_option("--slurm-user", options.slurm_user,
                 "SlurmUser of slurm.conf, by name or number. Requests are accepted from this user and root only")
      .capture_default();
  app.add_option("--cores-per-cpu", options.cores_per_cpu, "Real cores for each of Slurm's CPUs of this node")
      .check(base::in_range(0.001, 1000.0))
      .capture_default();
  app.add_option("--run-dir", options.run_dir,
                 "Folder for the agent's state and for the quotas that the SPANK plugin reads. %n is the node's name")
      .capture_default();
  app.add_option("--cgroup-root", options.cgroup_root, "Where control groups are mounted, v1 or v2").capture_default();
  app.add_option("--cgroup-tree", options.cgroup_tree,
                 "With cgroup v1: name of the group at the top of each controller that holds all groups of dfrs")
      .capture_default();
  app.add_option("--report-interval", options.interval, "Seconds between measurements, and between checks of quotas")
      .check(base::in_range(0.05, 60.0))
      .capture_default();
  app.add_option("--period", options.period_ms,
                 "Milliseconds of a quota's period. Small quotas have a longer one if they need it")
      .check(base::in_range(1.0, 1000.0))
      .capture_default();
  app.add_option(
      "--checkpoint-folder", options.checkpoint_folder,
      "Folder for images of jobs that are moved by checkpoints: CheckpointFolder of dfrs.conf. Without it the "
      "node has no checkpoints");
  app.add_option("--checkpoint-key", options.checkpoint_key,
                 "File with the key that images are bound to, the same on all nodes, readable by root only")
      .capture_default();
  app.add_option("--checkpoint-space", options.checkpoint_gib, "GiB that all images may take (0: what the disk has)")
      .check(base::in_range(0.0, 1e9))
      .capture_default();
  app.add_option("--checkpoint-user-space", options.checkpoint_user_gib,
                 "GiB that the images of one user may take (0: no limit)")
      .check(base::in_range(0.0, 1e9))
      .capture_default();
  app.add_option("--checkpoint-scratch", options.checkpoint_scratch,
                 "Folder on a disk of this node. With it the images that this node writes are compressed (zstd): criu "
                 "writes and reads them here")
      .capture_default();
  app.add_option("--checkpoint-pre-dump", options.checkpoint_pre_dump_mib,
                 "MiB: programs with so much memory are pre-dumped (it is written while they still run), if the kernel "
                 "can tell what changes after that (0: none are)")
      .check(base::in_range(0.0, 1e9))
      .capture_default();
  app.add_option("--criu", options.criu, "The program criu, version 4.0 or newer").capture_default();
  app.add_option("--log-level", options.log_level, "Least level of messages to log: error, warning, info or debug")
      .check(base::one_of({"error", "warning", "info", "debug"}))
      .capture_default();
  const base::Option check =
      app.add_flag("--check", options.check, "Check whether the agent has all it needs, report it, and exit");
  app.add_flag(
         "--release", options.release,
         "Lift the quotas of all jobs on this node, and exit. Use it when you remove dfrs, after stopping the agent")
      .excludes(check);
  app.footer(kFooter);
}

int main(int argc, char** argv) {
  Options options;
  base::CommandLine line(
      "The node agent of dfrs. It enforces the CPU quotas that the controller sets for the jobs on a node, and reports "
      "what the jobs use. It runs in the foreground until SIGTERM; quotas then stay as they are.",
      "dfrsd");
  line.version(std::string("dfrsd ") + PACKAGE_VERSION);
  add_options(line.command(), options);
  const auto parsed = line.parse(argc, argv);
  if (!parsed) {
    fmt::print(stderr, "dfrsd: {} (see --help)\n", parsed.error());
    return kExitUsage;
  }
  if (*parsed) {
    fmt::print("{}", **parsed);
    return kExitOk;
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
