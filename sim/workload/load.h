// SPDX-License-Identifier: GPL-2.0-or-later
// Loads instances ready to simulate from a source of any known format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/io/input_source.h"
#include "sim/workload/hpc2n.h"
#include "sim/workload/memory_model.h"
#include "sim/workload/sacct/jobs.h"
#include "sim/workload/swf.h"
#include "sim/workload/weeks.h"

namespace dfrs::sim {

/// How a log in the Standard Workload Format becomes jobs. Does not apply to the project's own traces.
enum class SwfAnnotation {
  kProcessors,  ///< a task per processor, see swf_instance
  kMemory,      ///< RR-7659's, for logs with memory data, see annotated_instance
  kAuto,        ///< kMemory for HPC2N's log, kProcessors for others
};

struct LoadOptions {
  InputOptions input;
  SwfReadOptions swf;
  SwfConventions conventions;
  SwfAnnotation annotation = SwfAnnotation::kProcessors;
  SwfPlatformOptions processors;  ///< for SwfAnnotation::kProcessors
  MemoryAnnotation memory;        ///< for SwfAnnotation::kMemory
  SacctOptions sacct;             ///< for the output of sacct
  /// Replaces the memory data of the source. With SwfAnnotation::kProcessors its cores are those of `processors`.
  std::optional<MemoryModel> memory_model;
  /// Splits the log into weeks (SWF and sacct). Nothing: only HPC2N's log with kAuto, as in RR-7659.
  std::optional<bool> weeks;
  bool hpc2n_by_week = false;  ///< with `weeks` unset: HPC2N's log is split under any annotation
  Seconds week_length = kWeek;
  std::string name;  ///< of the instance, or prefix of the weeks' names; empty: see name_from_source
};

struct Loaded {
  std::vector<Instance> instances;
  bool papers_weeks = false;  ///< weeks of HPC2N's log, annotated for the machine of RR-7659
  bool was_swf = false;
  bool was_sacct = false;
  SwfAnnotation annotation = SwfAnnotation::kProcessors;  ///< of SWF; never kAuto
  ReadReport report;  ///< empty for the project's own traces, whose reader is strict
  bool by_week = false;
  /// The machine as given or found: CPUs of a node and its memory in MiB. Zeros for the project's own traces.
  int cores = 0;
  RigidAmount memory_mib = 0;
  std::vector<NodeKind> kinds;              ///< of sacct; empty: all nodes are equal and have no GPUs
  std::string source;                       ///< the source's name in messages
  std::vector<std::string> notes;           ///< what was inferred from the source, as sentences for users
  std::optional<Seconds> first_submission;  ///< of sacct: time 0 of the first instance, in seconds since 1970
};

/// "HPC2N-2002-2.1-cln" for ".../HPC2N-2002-2.1-cln.swf.gz"; "stdin" for "-".
std::string name_from_source(const std::string& source);

/// Reads `source` (file, URL or "-"; compressed or not) and tells by its content whether it is a dfrs-trace, the output
/// of sacct, or SWF. Errors: those of read_text, of the format's reader, and of the conversion to an instance.
Result<Loaded> load_instances(const std::string& source, const LoadOptions& options = {});

/// The same for a text that is already read; `source` names it in messages.
Result<Loaded> load_instances_from_text(std::string_view text, const std::string& source,
                                        const LoadOptions& options = {});

}  // namespace dfrs::sim
