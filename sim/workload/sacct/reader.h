// SPDX-License-Identifier: GPL-2.0-or-later
// A cluster's accounting, as Slurm's sacct prints it, to jobs: steps are folded into their job, the runs of a requeued
// job into one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/core/units.h"
#include "sim/workload/read_report.h"

namespace dfrs::sim {

/// How a job's time limit stands in the accounting.
enum class LimitKind {
  kUnknown,    ///< no column, or an empty one
  kTime,       ///< SacctJob::limit
  kUnlimited,  ///< UNLIMITED
  kPartition,  ///< Partition_Limit: that of its partition, which sacct does not tell
};

/// A job that ran to its end, whatever its end was. -1: the accounting does not say.
struct SacctJob {
  std::string id;            ///< as users know it: "12", "12_3", "12+1"
  std::int64_t number = -1;  ///< one per job, array task and component: JobIDRaw where there is one
  std::string user, group, partition, qos;
  std::string state;     ///< of the last run, without "by UID": COMPLETED, FAILED, CANCELLED, TIMEOUT, ...
  Seconds submit = 0;    ///< of the first run; seconds since 1970
  Seconds start = -1;    ///< of the last run
  Seconds run_time = 0;  ///< of the last run, without the time it was suspended
  LimitKind limit_kind = LimitKind::kUnknown;
  Seconds limit = 0;
  int cpus = 0;                 ///< allocated, >= 1
  int requested_cpus = 0;       ///< >= 1
  int nodes = 1;                ///< allocated, >= 1
  int tasks = 0;                ///< the most of any step that srun started; 0: there was none
  double requested_mib = -1;    ///< of the whole job
  double used_mib = -1;         ///< of the whole job: the greatest of its steps, MaxRSS x NTasks of each
  Seconds cpu_time = -1;        ///< used by all CPUs together, TotalCPU; 0 is not known: Slurm did not gather it
  std::uint32_t lost_runs = 0;  ///< runs before the last one
  Seconds lost_cpu_time = 0;    ///< their run times x CPUs
  std::string nodes_used;       ///< NodeList
  std::size_t line = 0;
};

struct SacctReadOptions {
  /// Malformed lines are counted in the report and skipped instead of being an error.
  bool lenient = false;
};

struct SacctLog {
  std::string source;          ///< as named in messages
  std::vector<SacctJob> jobs;  ///< by submission; equal times in the order of the file
  ReadReport report;           ///< records are rows of jobs; rows of steps belong to them
};

/// Reads what `sacct --parsable2` (or --parsable) printed, in any order of columns, also several such texts one after
/// the other. Left out and counted: jobs that had not ended, that never started, and rows given twice.
/// Errors (InputError naming source:line, and the column where there is one): no header line, a column missing without
/// which there is no job (the message has kSacctCommand), a row of another length, a malformed value; no job left.
/// O(text) (n log n where rows are not by submission).
SacctLog parse_sacct(std::string_view text, std::string source, const SacctReadOptions& options = {});

}  // namespace dfrs::sim
