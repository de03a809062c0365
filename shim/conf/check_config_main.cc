// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-check-config: reports all errors of a dfrs.conf, or prints the settings in force.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <string>

#include "base/command_line.h"
#include "base/exit_code.h"
#include "dfrs-config.h"
#include "shim/conf/read_config.h"
#include "shim/conf/settings.h"

namespace dfrs::shim {
namespace {

constexpr const char* kFooter =
    R"text(If FILE has no error, the settings that slurmctld would use are printed, defaults included. The output is itself a
dfrs.conf. Otherwise all errors are reported on standard error, each on a line of its own:

  FILE:LINE: KEY: what is wrong, and what was expected

Partition names are not compared with slurm.conf.

--list-settings prints a line for each key of dfrs.conf with six fields, separated by tabs: name, default ((none) or
(required) if it has none), values, where it may stand, the part of dfrs that uses it, and what it means.

Exit codes:
  0  FILE has no error
  1  internal error: please report it
  2  wrong usage
  3  FILE has errors
  4  FILE cannot be read, or standard output cannot be written

Examples:
  dfrs-check-config /etc/slurm/dfrs.conf && scontrol reconfigure
  dfrs-check-config --quiet dfrs.conf.new || echo "not installed"
  dfrs-check-config --list-settings | cut -f 1,2

dfrs.conf(5) and docs/reference/dfrs.conf.md explain the settings.)text";

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return base::kExitOk;
  fmt::print(stderr, "dfrs-check-config: standard output cannot be written\n");
  return base::kExitIo;
}

int run(int argc, char** argv) {
  base::CommandLine line("Checks a dfrs.conf. A running slurmctld is not touched.", "dfrs-check-config");
  const base::Command& app = line.command();
  std::string file;
  bool quiet = false;
  bool list = false;
  const base::Option file_option = app.add_option("FILE", file, "The dfrs.conf to check");
  app.add_flag("-q,--quiet", quiet, "Print nothing if FILE has no error");
  app.add_flag("--list-settings", list, "Print all keys of dfrs.conf instead of checking a file").excludes(file_option);
  line.version(std::string("dfrs-check-config ") + PACKAGE_VERSION);
  app.footer(kFooter);
  const auto parsed = line.parse(argc, argv);
  if (!parsed) {
    fmt::print(stderr, "dfrs-check-config: {} (see --help)\n", parsed.error());
    return base::kExitUsage;
  }
  if (*parsed) return print(**parsed);
  if (list) return print(list_settings());
  if (file_option.count() == 0) {
    fmt::print(stderr, "dfrs-check-config: FILE is missing: name the dfrs.conf to check (see --help)\n");
    return base::kExitUsage;
  }
  const auto config = read_config(file);
  if (config) return quiet ? base::kExitOk : print(format_config(*config));
  for (const ConfigError& error : config.error()) fmt::print(stderr, "{}\n", error.text());
  if (config.error().front().unreadable) return base::kExitIo;
  fmt::print(stderr, "dfrs-check-config: {} error{} in {}\n", config.error().size(),
             config.error().size() == 1 ? "" : "s", file);
  return base::kExitInput;
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return dfrs::shim::run(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dfrs-check-config: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "dfrs-check-config: internal error: {}; please report it\n", error.what());
  }
  return dfrs::base::kExitInternal;
}
