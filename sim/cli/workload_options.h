// SPDX-License-Identifier: GPL-2.0-or-later
// The options about the workload: where instances come from, and how a log becomes an instance.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/command_line.h"
#include "sim/cli/option_texts.h"
#include "sim/workload/load.h"

namespace dfrs::sim {

/// What sources were, beyond their instances.
struct SourceFacts {
  /// All are weeks of HPC2N's log, annotated as in RR-7659 and not changed by an option, so that its published values
  /// can be compared.
  bool papers_weeks = false;
  /// The most processors of a node in a log whose jobs have a task per processor; 0: there is none.
  int processors_per_node = 0;
  /// The name of the archive's log if this is one, whole, a processor a node, and jobs end at their requests, so that
  /// published values of SC'15 can be compared.
  std::string killed_log;
  SwfEstimates estimates = SwfEstimates::kExact;  ///< of that log
};

/// Where instances come from, and how a log becomes an instance.
class WorkloadOptions {
 public:
  /// How many SOURCEs a subcommand takes.
  enum class Sources { one, several, at_most_one };
  void add(const base::Command& app, Sources sources);
  /// Reads all sources. Reports on standard error what was skipped or changed in them.
  std::vector<Instance> load() const;
  std::vector<Instance> load(SourceFacts& facts) const;
  /// The same for one source whose text is already read.
  Loaded load(std::string_view text, const std::string& source) const;
  /// The chosen ones of `loaded.instances`, changed as the options say, with their origin. Call this once.
  std::vector<Instance> choose(Loaded& loaded, const std::string& source, const std::string& sha256) const;
  /// As --kill-at-estimate, --weights and --real-need say, unless reading it has done so.
  void change(Instance& instance, const Loaded& loaded) const;
  /// How `loaded` became instances, as on a command line: every option with its value. `resolved`: what the subcommand
  /// decides otherwise.
  std::string text(const Loaded& loaded, std::size_t taken = 0, const ResolvedOptions& resolved = {}) const;
  /// The options as they were given, and the defaults of others.
  std::string given() const;
  /// Refuses --take and --instance. Errors: UsageError.
  void refuse_choice(std::string_view subcommand) const;

  LoadOptions load_options() const;
  /// As with --lenient.
  void be_lenient() { lenient_ = true; }
  /// The machine of accounting where --nodes, --cores and --memory do not say it. Zeros: as without this.
  /// `kinds`: of its nodes; empty: all are equal and have no GPUs.
  void assume_machine(const NodeShape& machine, std::vector<NodeKind> kinds) {
    machine_ = machine;
    kinds_ = std::move(kinds);
  }

  const std::vector<std::string>& sources() const { return sources_; }
  const std::string& estimates() const { return estimates_; }
  bool whole() const { return whole_; }

 private:
  std::vector<Instance> choose(Loaded& loaded, const std::string& source, const std::string& sha256,
                               std::size_t already, std::vector<std::string>& names) const;
  std::vector<NodeKind> assumed_kinds(const NodeShape& shape) const;
  std::vector<std::string> wanted() const;
  std::string killed_log(const Loaded& loaded, const std::string& sha256) const;
  void check_wanted(std::span<const std::string> names) const;

  std::optional<base::Command> app_;
  std::vector<std::string> sources_;
  std::string annotation_ = "auto";
  int nodes_ = 0;
  int cores_ = 0;
  RigidAmount memory_ = 0;
  NodeShape machine_;
  std::vector<NodeKind> kinds_;
  bool weeks_ = false;
  bool whole_ = false;
  std::string processors_ = "requested";
  std::string estimates_ = "auto";
  bool kill_ = false;
  std::string cpu_need_ = "auto";
  std::string memory_need_ = "requested";
  std::string licences_;
  std::string memory_model_;
  std::string weights_;
  std::string real_needs_;
  bool lenient_ = false;
  std::string ca_file_;
  std::size_t take_ = 0;
  std::vector<std::string> only_;  // names of instances
};

}  // namespace dfrs::sim
