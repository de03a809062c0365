// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a cluster's accounting as Slurm's sacct prints it. Merges steps into their job, and the runs of a requeued job
// into one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/core/units.h"
#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/workload/read_report.h"

namespace dfrs::sim {

/// How the accounting gives a job's time limit.
enum class LimitKind {
  kUnknown,    ///< no column, or an empty one
  kTime,       ///< SacctJob::limit
  kUnlimited,  ///< UNLIMITED
  kPartition,  ///< Partition_Limit: the partition's, which sacct does not print
};

/// A job that started and ended, in whatever state. -1: the accounting does not say.
struct SacctJob {
  std::string id;            ///< as users know it: "12", "12_3", "12+1"
  std::int64_t number = -1;  ///< unique per job, array task and component: JobIDRaw if there is one
  std::string user, group, partition, qos;
  std::string state;     ///< of the last run, without "by UID": COMPLETED, FAILED, CANCELLED, TIMEOUT, ...
  Seconds submit = 0;    ///< of the first run; seconds since 1970
  Seconds start = -1;    ///< of the last run
  Seconds run_time = 0;  ///< of the last run, without suspended time
  LimitKind limit_kind = LimitKind::kUnknown;
  Seconds limit = 0;
  int cpus = 0;                   ///< allocated, >= 1
  int requested_cpus = 0;         ///< >= 1
  int gpus = 0;                   ///< allocated
  std::vector<Licence> licences;  ///< allocated
  int nodes = 1;                  ///< allocated, >= 1
  int tasks = 0;                  ///< the most of any step that srun started; 0: not known
  double requested_mib = -1;      ///< of the whole job
  double used_mib = -1;           ///< of the whole job: the maximum over its steps of MaxRSS x NTasks
  Seconds cpu_time = -1;          ///< of all CPUs together, TotalCPU; 0: not known, Slurm did not gather it
  std::uint32_t lost_runs = 0;    ///< runs before the last one
  Seconds lost_cpu_time = 0;      ///< their run times x CPUs
  std::string nodes_used;         ///< NodeList
  bool checkpoints = false;       ///< Comment has the word by which a job says so, kCheckpointMark
  bool interactive = false;       ///< a user sits at it (salloc, srun): it has steps, and none of a batch script
  std::size_t line = 0;
};

/// The word in a job's comment that says that it continues from a checkpoint of its own (the default of CheckpointMark
/// in dfrs.conf).
inline constexpr std::string_view kCheckpointMark = "dfrs:checkpoint";
bool has_checkpoint_mark(std::string_view comment);

struct SacctReadOptions {
  /// Malformed lines are counted in the report and skipped instead of being an error.
  bool lenient = false;
};

struct SacctLog {
  std::string source;          ///< the log's name in messages
  std::vector<SacctJob> jobs;  ///< by submission; ties in file order
  ReadReport report;           ///< a record is the row of a job with the rows of its steps
};

/// Reads the output of `sacct --parsable2` (or --parsable), with columns in any order, or several such outputs
/// concatenated. Skips and counts jobs that had not ended or never started, and duplicate rows. Errors (kExitInput
/// naming source:line, and the column where there is one): no header line, a required column missing (the message gives
/// kSacctCommand), a row of another length, a malformed value, no job left. O(text), or O(n log n) if rows are not
/// sorted by submission.
Result<SacctLog> parse_sacct(std::string_view text, std::string source, const SacctReadOptions& options = {});

}  // namespace dfrs::sim
