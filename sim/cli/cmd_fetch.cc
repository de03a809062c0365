// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim fetch: logs of the Parallel Workloads Archive.
#include <fmt/format.h>

#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/errors.h"
#include "sim/fetch/catalogue.h"

namespace dfrs::sim {
namespace {

struct FetchCommand {
  std::string name;
  std::string base_url = std::string(kArchiveUrl);
  FetchOptions options;

  void run() {
    if (name.empty()) {
      std::string text;
      for (const KnownLog& log : known_logs())
        fmt::format_to(std::back_inserter(text), "{:<26} {}\n", log.name, log.about);
      print(text);
      return;
    }
    options.http.progress = terminal_progress("bytes");
    say_when_interrupted("nothing of the unfinished download is kept; the same command starts again");
    const Fetched fetched = or_throw(fetch_log(name, options, base_url));
    fmt::print(stderr, "{}: SHA-256 is correct ({})\n", name, fetched.from_cache ? "from the cache" : "downloaded");
    print(fetched.path + "\n");
  }
};

}  // namespace

void add_fetch(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("fetch", "download a log of the Parallel Workloads Archive, checked and cached");
  auto options = std::make_shared<FetchCommand>();
  command.add_option("NAME", options->name, "name of the log; without it, list the known logs");
  command.add_option("--base-url", options->base_url, "URL of the archive or a mirror").capture_default();
  command.add_option("--cache", options->options.cache_folder, "folder for the logs (default: ~/.cache/dfrs)");
  command.add_flag("--refresh", options->options.refresh, "download again even if the log is in the cache");
  command.add_option("--ca-file", options->options.http.ca_file, "certificate authorities for https, PEM");
  command.footer("Prints the path of the log: dfrs-sim compare $(dfrs-sim fetch HPC2N-2002-2.1-cln)");
  command.callback([options] { options->run(); });
}

}  // namespace dfrs::sim
