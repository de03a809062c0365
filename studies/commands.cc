// SPDX-License-Identifier: GPL-2.0-or-later
// The subcommands of dfrs-sim, of the simulator and the studies, in the order of the help.
#include "studies/commands.h"

#include "sim/cli/command.h"

namespace dfrs::sim {

std::span<const AddCommand> all_commands() {
  static constexpr AddCommand kAll[]{add_demo,      add_compare,  add_run,    add_bound,  add_divisible, add_generate,
                                     add_analyse,   add_annotate, add_import, add_advise, add_report,    add_replay,
                                     add_reproduce, add_gang,     add_list,   add_fetch};
  return kAll;
}

}  // namespace dfrs::sim
