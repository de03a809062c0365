// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim list: every algorithm with a line on what it does.
#include <fmt/format.h>

#include <memory>

#include "policy/registry.h"
#include "sim/cli/command.h"
#include "sim/cli/options.h"

namespace dfrs::sim {

void add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "all algorithms, a line on each");
  auto names_only = std::make_shared<bool>(false);
  command->add_flag("--names", *names_only, "names alone");
  command->footer(
      "In -a of other subcommands the name behind each heading stands for the algorithms below it, 'all' for those of\n"
      "RR-7659 (batch and rr7659: 3 + 116), and 'table2' for the 20 of its table 2. MINVT and MINFT take any number of\n"
      "seconds; OPT=MIN may be left out.");
  command->callback([names_only] {
    std::string text;
    for (const PolicyFamily* family : policy_families()) {
      if (!*names_only) text += fmt::format("{}{} [-a {}]\n", text.empty() ? "" : "\n", family->title, family->name);
      for (const Algorithm& algorithm : family->list()) {
        const NamedPolicy policy = named(algorithm);
        text += *names_only ? policy.name + "\n" : fmt::format("{:<34} {}\n", policy.name, policy.description);
      }
    }
    print(text);
  });
}

}  // namespace dfrs::sim
