// SPDX-License-Identifier: GPL-2.0-or-later
// The Standard Workload Format, version 2.2, of the Parallel Workloads Archive: 18 fields per line, comments after ';'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/workload/job_weights.h"
#include "sim/workload/read_report.h"

namespace dfrs::sim {

/// The 18 fields in order. -1 means not known. Times are seconds, memory is KB per processor.
struct SwfRecord {
  std::int64_t job = -1;
  double submit = -1;
  double wait = -1;
  double run_time = -1;
  std::int32_t processors_allocated = -1;
  double cpu_time = -1;
  double memory_used = -1;
  std::int32_t processors_requested = -1;
  double time_requested = -1;
  double memory_requested = -1;
  std::int32_t status = -1;
  std::int32_t user = -1;
  std::int32_t group = -1;
  std::int32_t application = -1;
  std::int32_t queue = -1;
  std::int32_t partition = -1;
  std::int64_t preceding_job = -1;
  double think_time = -1;
  std::size_t line = 0;  ///< in the log, from 1

  friend bool operator==(const SwfRecord&, const SwfRecord&) = default;
};

/// The header comments of the form "; Name: value". A number is the beginning of the value ("338 (batch)" is 338).
struct SwfHeader {
  struct Field {
    std::string name;
    std::string value;
  };
  std::vector<Field> fields;  ///< in log order
  std::optional<std::int64_t> max_nodes;
  std::optional<std::int64_t> max_procs;
  std::optional<std::int64_t> unix_start_time;
};

struct SwfLog {
  std::string source;  ///< the log's name in messages
  SwfHeader header;
  std::vector<SwfRecord> records;  ///< by submission
  ReadReport report;
};

struct SwfReadOptions {
  /// Malformed lines are counted in the report and skipped instead of being an error.
  bool lenient = false;
};

/// Parses the text of a log. Records out of submission order are sorted (stably) and counted in the report. Errors
/// (kExitInput naming source:line): a line without 18 fields, a field that is not a number or out of range, a job
/// number given twice - or, if lenient, all of these are skips; a text without any record is always an error. Linear in
/// the text (n log n if the records are out of order); no allocation per record.
Result<SwfLog> parse_swf(std::string_view text, std::string source, const SwfReadOptions& options = {});

/// Iterates over the records of a log. Each is converted on its own, so none need be kept.
class SwfRecords {
 public:
  virtual ~SwfRecords() = default;
  /// The log's name in messages.
  virtual const std::string& source() const = 0;
  virtual const SwfHeader& header() const = 0;
  /// Approximate number of records.
  virtual std::size_t expected() const = 0;
  /// The next record, valid until the next call; null at the end.
  virtual const SwfRecord* next() = 0;
  /// What the reader skipped or changed; complete at the end.
  virtual const ReadReport& report() const = 0;
};

/// The records of a log that is already in memory.
class SwfLogRecords final : public SwfRecords {
 public:
  explicit SwfLogRecords(const SwfLog& log) : log_(log) {}
  const std::string& source() const override { return log_.source; }
  const SwfHeader& header() const override { return log_.header; }
  std::size_t expected() const override { return log_.records.size(); }
  const SwfRecord* next() override { return next_ == log_.records.size() ? nullptr : &log_.records[next_++]; }
  const ReadReport& report() const override { return log_.report; }

 private:
  const SwfLog& log_;
  std::size_t next_ = 0;
};

/// Which of a record's two processor counts a job uses. The other is the fallback if it is missing.
enum class SwfProcessors {
  kRequested,  ///< field 8
  kAllocated,  ///< field 5
};

/// What batch policies know about a job's run time.
enum class SwfEstimates {
  kExact,  ///< the run time itself
  kTrace,  ///< field 9, the requested time; the run time if it is missing
};

/// How records become jobs. Simulators differ in these conventions, which affects results.
struct SwfConventions {
  SwfProcessors processors = SwfProcessors::kRequested;
  SwfEstimates estimates = SwfEstimates::kExact;
  /// A job is killed at its requested time (field 9): run time = min(run time, requested time).
  bool kill_at_requested_time = false;
  /// A processor's CPU need is its busy share of the run time, field 6 / field 4, if both are known; else a whole
  /// processor.
  bool measured_cpu_need = false;
  std::vector<WeightRule> weights;  ///< of users and queues
};

/// Stands for a user whose number in a log is 0, which means "not known" to policies.
inline constexpr std::uint32_t kUserZero = 1U << 31;

/// A record ready to simulate: everything is present and in range.
struct SwfJob {
  JobId id = 0;
  Seconds submit = 0;
  int processors = 1;
  Seconds run_time = 0;
  Seconds estimate = 0;
  double memory_kb = 0;    ///< per processor, max(used, requested); 0 if neither is given
  std::uint32_t user = 0;  ///< field 12, kUserZero for its user 0; 0 if it is missing
  double weight = 1;
  double efficiency = 1;  ///< usable share of a processor, 0.01 .. 1; 1 unless measured_cpu_need
  std::size_t line = 0;
};

/// Converts a record to a job under `conventions`. False for a valid record that cannot be simulated (no job number, no
/// submit or run time, no processors); `report` counts it as skipped.
bool simulated_job(const SwfRecord& record, const SwfConventions& conventions, ReadReport& report, SwfJob& job);

/// kExitInput: no record of the log can be simulated, and why.
tl::unexpected<Error> refuse_without_jobs(const std::string& source, const ReadReport& report);

/// Calls `use` with every record that can be simulated, in log order, until it returns false. One at a time, because
/// the jobs would take as much memory as the text. Errors: those of refuse_without_jobs() if there is none.
template <typename Use>
[[nodiscard]] Result<void> each_simulated_job(SwfRecords& records, const SwfConventions& conventions,
                                              ReadReport& report, Use&& use) {
  SwfJob job;
  bool any = false;
  while (const SwfRecord* record = records.next()) {
    if (!simulated_job(*record, conventions, report, job)) continue;
    any = true;
    if (!use(static_cast<const SwfJob&>(job))) break;
  }
  report.records = records.report().records;
  if (!any) return refuse_without_jobs(records.source(), report);
  return {};
}

template <typename Use>
[[nodiscard]] Result<void> each_simulated_job(const SwfLog& log, const SwfConventions& conventions, ReadReport& report,
                                              Use&& use) {
  SwfLogRecords records(log);
  return each_simulated_job(records, conventions, report, std::forward<Use>(use));
}

struct SwfPlatformOptions {
  /// Number of nodes; 0: the header's MaxProcs divided by cores, or MaxNodes if there is no MaxProcs.
  int nodes = 0;
  /// Processors of the log per node: every task is one processor and needs 1/cores of a node's CPU.
  int cores = 1;
  /// Memory of a node in MiB; 0: memory is not modelled.
  RigidAmount memory_mib = 0;
  /// Jobs larger than the machine are counted and skipped instead of being an error.
  bool lenient = false;
};

struct SwfWorkload {
  Instance instance;
  ReadReport report;  ///< the reader's and the conversion's notes
};

/// Converts a log to one instance: a task per processor, and a node is a processor unless options.cores says otherwise.
/// Times are relative to the log's origin. If memory is modelled, a task needs its record's max(used, requested),
/// rounded up to MiB. Errors: kExitUsage for an option out of range or if the size of the machine is neither given nor
/// in the header; kExitInput for a job larger than the machine (unless lenient), or if no record can be simulated.
Result<SwfWorkload> swf_instance(SwfRecords& log, const std::string& name, const SwfConventions& conventions,
                                 const SwfPlatformOptions& options);
Result<SwfWorkload> swf_instance(const SwfLog& log, const std::string& name, const SwfConventions& conventions,
                                 const SwfPlatformOptions& options);

}  // namespace dfrs::sim
