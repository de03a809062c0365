// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim analyse: characterises the jobs of a log (Streit 2003, table 2).
#include <fmt/format.h>

#include <memory>

#include "base/utf8.h"
#include "sim/campaign/origin.h"
#include "sim/cli/command.h"
#include "sim/cli/outputs.h"
#include "sim/cli/workload_options.h"
#include "sim/workload/trace_analysis.h"

namespace dfrs::sim {
namespace {

struct AnalyseCommand {
  WorkloadOptions workload;

  void run() const {
    std::string text;
    CampaignOrigin origin;
    origin.command = "analyse";
    for (const Instance& instance : workload.load()) {
      origin.add(origin_of(instance, ""));
      const TraceAnalysis a = or_throw(analyse_trace(instance));
      const auto line = [&](std::string_view what, const std::string& value) {
        fmt::format_to(std::back_inserter(text), "  {:<38} {}\n", what, value);
      };
      const auto spread = [&](std::string_view what, const Spread& s) {
        line(what, fmt::format("mean {:.6g} s, {:g} to {:g} s", s.mean, s.min, s.max));
      };
      fmt::format_to(std::back_inserter(text), "{}\n", instance.name);
      line("jobs", fmt::format("{}", a.jobs));
      line("nodes of the machine", fmt::format("{}", a.machine_width));
      line("tasks of a job", fmt::format("mean {:.2f}, at most {}", a.mean_width, a.max_width));
      spread("estimated run time", a.estimate);
      spread("actual run time", a.run_time);
      line("jobs that run longer than estimated",
           fmt::format("{} ({:.2f} %)", a.overruns,
                       100.0 * static_cast<double>(a.overruns) / static_cast<double>(a.jobs)));
      spread("time between submissions", a.interarrival);
      line("Weibull distribution closest to it",
           fmt::format("alpha {:.3f}, beta {:.1f} s; mean squared difference {:.3g}", a.arrivals.weibull.alpha,
                       a.arrivals.weibull.beta, a.arrivals.distance));
    }
    constexpr std::size_t kSourcesShown = 5;
    for (const auto& [name, value] : origin.described(kSourcesShown)) {
      fmt::format_to(std::back_inserter(text), "{:<40} {}\n", name, base::printable(value));
    }
    print(text);
  }
};

}  // namespace

void add_analyse(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("analyse", "what kind of jobs a log has: widths, run times, arrivals");
  auto options = std::make_shared<AnalyseCommand>();
  options->workload.add(command, WorkloadOptions::Sources::several);
  command.footer(
      "Estimates are exact run times unless you give --estimates trace. `dfrs-sim generate --like LOG` makes similar "
      "job sets.");
  command.callback([options] { options->run(); });
}

}  // namespace dfrs::sim
