// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim list: every algorithm, with a line on what it does.
#include <fmt/format.h>

#include <memory>

#include "policy/core/registry.h"
#include "sim/cli/outputs.h"
#include "studies/commands.h"
#include "studies/divisible/rules/algorithm.h"

namespace dfrs::sim {
namespace {

constexpr const char* kGangSchedulers = R"(
Gangs on machines leased from a cloud (dfrs-sim gang):
AFCFS                              starts the first of the gangs whose machines are all idle
LJFS                               starts the largest of the gangs whose machines are all idle
)";

std::string divisible_list(bool names_only) {
  std::string text;
  for (const auto algorithm : dfrs::divisible::all_algorithms()) {
    const std::string_view name = algorithm_name(algorithm);
    text += names_only ? fmt::format("{}\n", name) : fmt::format("{:<34} {}\n", name, describe(algorithm));
  }
  return text;
}

}  // namespace

void add_list(const base::Command& app) {
  const base::Command command = app.add_subcommand("list", "list all algorithms, with a line on each");
  auto names_only = std::make_shared<bool>(false);
  auto divisible = std::make_shared<bool>(false);
  command.add_flag("--names", *names_only, "print only names");
  command.add_flag("--divisible", *divisible, "list only the algorithms for divisible load (`dfrs-sim divisible`)");
  command.footer(
      "In -a of other subcommands, the name after each heading means the algorithms below it, 'all' means those of\n"
      "RR-7659 (batch and rr7659: 3 + 116), and 'table2' the 20 of its table 2. MINVT and MINFT take any number\n"
      "of seconds; OPT=MIN may be omitted.");
  command.callback([names_only, divisible] {
    std::string text;
    if (*divisible) {
      print(divisible_list(*names_only));
      return;
    }
    for (const PolicyFamily* family : policy_families()) {
      if (!*names_only) text += fmt::format("{}{} [-a {}]\n", text.empty() ? "" : "\n", family->title, family->name);
      for (const Algorithm& algorithm : family->list()) {
        const Algorithm& policy = algorithm;
        text += *names_only ? policy.name + "\n" : fmt::format("{:<34} {}\n", policy.name, policy.description);
      }
    }
    if (!*names_only) text += kGangSchedulers;
    if (!*names_only)
      text += "\nDivisible load on clusters with databanks (dfrs-sim divisible):\n" + divisible_list(false);
    print(text);
  });
}

}  // namespace dfrs::sim
