// SPDX-License-Identifier: GPL-2.0-or-later
// Options shared by several subcommands.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/campaign/campaign.h"
#include "sim/cli/progress.h"
#include "sim/workload/load.h"

namespace dfrs::sim {

/// What replaces the value of an option, by its long name, where results name it: nothing leaves out its default.
using ResolvedOptions = std::map<std::string, std::optional<std::string>, std::less<>>;

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
  void add(CLI::App& app, Sources sources);
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

  const CLI::App* app_ = nullptr;
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

/// How instances are simulated.
class SimulationOptions {
 public:
  void add(CLI::App& app);
  /// Call this before what follows. Chooses what --batch-nodes auto means for these instances, and says on standard
  /// error if that is `packed`.
  void fit(std::span<const Instance> instances, const SourceFacts& facts);
  SimOptions sim() const;
  PauseWorld world() const;
  record::SwapSize swap() const;
  Seconds stretch_floor() const { return stretch_floor_; }
  /// The most jobs in the system at once; 0: no fixed limit.
  std::size_t most_jobs() const;
  /// Whether a run in which jobs pile up and are moved about without end is ended: unless --most-jobs says otherwise.
  bool ends_pile_ups() const { return most_jobs_.empty(); }
  /// A description for reports: "penalty 300 s, period 600 s, ...".
  std::string describe() const;
  /// All options as on a command line, defaults included.
  std::string text() const;

 private:
  bool packs() const { return batch_nodes_ == "packed"; }

  const CLI::App* app_ = nullptr;
  std::string penalty_ = "300";
  Seconds period_ = 600;
  Seconds stretch_floor_ = 10;
  bool discover_needs_ = false;
  double need_floor_ = NeedRule{}.floor;
  Seconds priority_floor_ = 0;
  std::string instants_ = "apart";
  std::string passes_ = "instant";
  std::string batch_nodes_ = "auto";  // never after fit()
  std::string pauses_ = "kept";
  std::string swap_ = "unlimited";
  Seconds min_progress_ = 60;
  std::uint32_t max_lost_runs_ = 3;
  bool requeue_kept_ = false;
  std::string most_jobs_;
};

/// The options that only this subcommand has, as on a command line, with their values or else their defaults. All but
/// those `left_out`, on which results do not depend, so that a new one is named.
std::string own_options(const CLI::App& app, std::initializer_list<std::string_view> left_out);
std::string own_options(const CLI::App& app, std::span<const std::string_view> left_out);
std::string own_options(const CLI::App& app, std::span<const std::string_view> left_out,
                        const ResolvedOptions& resolved);

/// Refuses two outputs with one name, of which the later would replace the earlier. `outputs`: pairs of option and
/// file, with "" for an option that is not given. Errors: UsageError.
void check_outputs_differ(std::initializer_list<std::pair<std::string_view, std::string_view>> outputs);

/// Refuses an output that is one of the inputs, which it would replace. `outputs` as above. Errors: UsageError.
void check_inputs_kept(std::span<const std::string> inputs,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> outputs);

/// Algorithms by name. Each name may be a list separated by commas, or a set: "all" (RR-7659's 119), "table2" or the
/// name of a family (policy/core/registry.h). Errors: UsageError naming the nearest valid name.
std::vector<Algorithm> parse_algorithms(const std::vector<std::string>& names);

/// The default algorithms to compare: FCFS, EASY, the best of RR-7659's table 2, and Triage.
std::vector<std::string> recommended_algorithms();

/// Writes text to standard output. Errors: IoError (a closed pipe, a full disk).
void print(std::string_view text);

}  // namespace dfrs::sim
