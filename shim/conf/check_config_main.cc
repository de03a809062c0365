// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-check-config: says all that is wrong with a dfrs.conf, or what it comes to.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>
#include <sstream>
#include <string>

#include "dfrs-config.h"
#include "shim/conf/read_config.h"

namespace dfrs::shim {
namespace {

// Those of docs/reference/exit-codes.md.
constexpr int kOk = 0;
constexpr int kInternal = 1;
constexpr int kUsage = 2;
constexpr int kInput = 3;
constexpr int kIo = 4;

constexpr const char* kFooter =
    R"(If FILE is good, its settings are printed as slurmctld would take them, defaults included, in the syntax of
dfrs.conf; the output is itself a dfrs.conf. If not, each error is a line on standard error:

  FILE:LINE: KEY: what is wrong, and what was expected

All errors are reported at once. Partition names are compared with each other, not with slurm.conf.

Exit codes:
  0 good   1 internal error   2 wrong usage   3 FILE has errors   4 FILE cannot be read, or the output not written

Examples:
  dfrs-check-config /etc/slurm/dfrs.conf && scontrol reconfigure
  dfrs-check-config --quiet dfrs.conf.new || echo "not installed"

docs/reference/dfrs.conf.md explains the settings.)";

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return kOk;
  fmt::print(stderr, "dfrs-check-config: standard output cannot be written\n");
  return kIo;
}

int run(int argc, char** argv) {
  CLI::App app("Checks a configuration file of dfrs without touching the running slurmctld.", "dfrs-check-config");
  std::string file;
  bool quiet = false;
  app.add_option("FILE", file, "the dfrs.conf to check")->required();
  app.add_flag("-q,--quiet", quiet, "print nothing when FILE is good");
  app.set_version_flag("--version", std::string("dfrs-check-config ") + PACKAGE_VERSION);
  app.footer(kFooter);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    std::ostringstream text;
    app.exit(request, text, text);
    return print(text.str());
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "dfrs-check-config: {} (see --help)\n", error.what());
    return kUsage;
  }
  const auto config = read_config(file);
  if (config) return quiet ? kOk : print(format_config(*config));
  for (const ConfigError& error : config.error()) fmt::print(stderr, "{}\n", error.text());
  if (config.error().front().unreadable) return kIo;
  fmt::print(stderr, "dfrs-check-config: {} error{} in {}\n", config.error().size(),
             config.error().size() == 1 ? "" : "s", file);
  return kInput;
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
  return dfrs::shim::kInternal;
}
