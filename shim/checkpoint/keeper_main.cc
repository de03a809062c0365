// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-keeper: dfrsd starts it for each dfrs-run, with the connection as descriptor 3. See keeper.h.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include "base/command_line.h"
#include "base/exit_code.h"
#include "shim/checkpoint/keeper.h"
#include "shim/checkpoint/launch_listener.h"

namespace dfrs::shim {
namespace {

int main(int argc, char** argv) {
  KeeperOptions options;
  base::CommandLine line("dfrsd starts this program for each dfrs-run.", "dfrs-keeper");
  const base::Command& app = line.command();
  app.add_option("--node", options.node).required();
  app.add_option("--run-dir", options.run_dir).required();
  app.add_option("--cgroup-root", options.cgroup_root).required();
  app.add_option("--cgroup-tree", options.cgroup_tree).required();
  app.add_option("--folder", options.folder).required();
  app.add_option("--key", options.key).required();
  app.add_option("--bytes", options.limits.bytes).required();
  app.add_option("--user-bytes", options.limits.user_bytes).required();
  app.add_option("--scratch", options.scratch);
  app.add_option("--pre-dump-from", options.pre_dump_from);
  app.add_option("--criu", options.criu).required();
  app.add_option("--init", options.init).required();
  const auto parsed = line.parse(argc, argv);
  if (!parsed) {
    fmt::print(stderr, "dfrs-keeper: {}\n", parsed.error());
    return base::kExitUsage;
  }
  if (*parsed) {
    fmt::print("{}", **parsed);
    return base::kExitOk;
  }
  ::fcntl(kKeeperSocket, F_SETFD, FD_CLOEXEC);
  try {
    Keeper(std::move(options), base::Fd(kKeeperSocket)).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "dfrs-keeper: internal error: {}\n", error.what());
    return base::kExitInternal;
  }
  return base::kExitOk;
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) { return dfrs::shim::main(argc, argv); }
