// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim list: every algorithm with a line on what it does.
#include <fmt/format.h>

#include <memory>

#include "policy/divisible/algorithm.h"
#include "sim/cli/command.h"
#include "sim/cli/options.h"

namespace dfrs::sim {

void add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "all algorithms, a line on each");
  auto names_only = std::make_shared<bool>(false);
  auto divisible = std::make_shared<bool>(false);
  command->add_flag("--names", *names_only, "names alone");
  command->add_flag("--divisible", *divisible, "the algorithms for divisible load (`dfrs-sim divisible`) instead");
  command->footer(
      "MINVT and MINFT take any number of seconds; OPT=MIN may be left out. In -a of other subcommands 'all' stands\n"
      "for the whole list and 'table2' for the 20 algorithms of RR-7659's table 2.");
  command->callback([names_only, divisible] {
    std::string text;
    if (*divisible) {
      for (const auto algorithm : dfrs::divisible::all_algorithms()) {
        const std::string_view name = algorithm_name(algorithm);
        text += *names_only ? fmt::format("{}\n", name) : fmt::format("{:<12} {}\n", name, describe(algorithm));
      }
      print(text);
      return;
    }
    for (const Algorithm& algorithm : all_algorithms()) {
      const std::string name = algorithm_name(algorithm);
      text += *names_only ? name + "\n" : fmt::format("{:<34} {}\n", name, describe_algorithm(algorithm));
    }
    print(text);
  });
}

}  // namespace dfrs::sim
