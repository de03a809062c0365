// SPDX-License-Identifier: GPL-2.0-or-later
// The subcommands of dfrs-sim. Each file cmd_NAME.cc adds one to the parser, which runs it after parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

namespace dfrs::sim {

void add_run(CLI::App& app);
void add_compare(CLI::App& app);
void add_bound(CLI::App& app);
void add_generate(CLI::App& app);
void add_analyse(CLI::App& app);
void add_annotate(CLI::App& app);
void add_import(CLI::App& app);
void add_advise(CLI::App& app);
void add_report(CLI::App& app);
void add_fetch(CLI::App& app);
void add_demo(CLI::App& app);
void add_replay(CLI::App& app);
void add_reproduce(CLI::App& app);

using AddCommand = void (*)(CLI::App&);

/// The subcommands above and those of the studies, in the order of the help. Defined in studies/commands.cc, so that
/// the simulator does not depend on studies.
std::span<const AddCommand> all_commands();

}  // namespace dfrs::sim
