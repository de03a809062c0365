// SPDX-License-Identifier: GPL-2.0-or-later
// The subcommands of dfrs-sim. Each file cmd_NAME.cc adds one to the parser, which runs it after parsing.
#pragma once

#include <span>

#include "base/command_line.h"

namespace dfrs::sim {

void add_run(const base::Command& app);
void add_compare(const base::Command& app);
void add_bound(const base::Command& app);
void add_generate(const base::Command& app);
void add_analyse(const base::Command& app);
void add_annotate(const base::Command& app);
void add_import(const base::Command& app);
void add_advise(const base::Command& app);
void add_report(const base::Command& app);
void add_fetch(const base::Command& app);
void add_demo(const base::Command& app);
void add_replay(const base::Command& app);
void add_reproduce(const base::Command& app);

using AddCommand = void (*)(const base::Command&);

/// The subcommands above and those of the studies, in the order of the help. Defined in studies/commands.cc, so that
/// the simulator does not depend on studies.
std::span<const AddCommand> all_commands();

}  // namespace dfrs::sim
