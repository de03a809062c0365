// SPDX-License-Identifier: GPL-2.0-or-later
// A mapping file: which columns of a job table are which fields of a job, in which units.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/errors.h"
#include "sim/workload/sacct/jobs.h"

namespace dfrs::sim {

enum class CsvField : std::size_t {
  kJob,
  kUser,
  kGroup,
  kPartition,
  kQos,
  kState,
  kNodeList,
  kSubmit,
  kStart,
  kEnd,
  kRunTime,
  kLimit,
  kCpuTime,
  kCpus,
  kRequestedCpus,
  kNodes,
  kTasks,
  kGpusHeld,
  kMemory,
  kUsedMemory,
  kCount
};

/// What a value of a field is.
enum class CsvKind {
  kText,
  kInstant,   ///< a date, or units of time since 1970
  kDuration,  ///< units of time, or hours:minutes:seconds
  kCount,     ///< a number
  kMemory,    ///< units of memory, or as Slurm writes it
};
CsvKind csv_kind(CsvField field);
/// As mapping files name it: "run_time".
std::string_view csv_field_name(CsvField field);

/// True for COMPLETED, TIMEOUT and the other states in which Slurm's accounting has jobs.
bool is_slurm_state(std::string_view word);

/// What a value counts per.
enum class CsvPer { kJob, kNode, kCpu, kTask };

/// Where the values of one field come from.
struct CsvSource {
  bool given = false;
  bool constant = false;  ///< `text` is the value itself and no column's name
  std::string text;
  double scale = 1;  ///< into seconds or MiB, with the factor of the map
  bool unit = false;
  CsvPer per = CsvPer::kJob;
  std::size_t line = 0;                                   ///< of the map
  std::vector<std::string> missing;                       ///< cells that are no value
  std::map<std::string, std::string, std::less<>> names;  ///< cells with the value that they stand for
};

struct CsvMap {
  std::string source;  ///< its name in messages
  char separator = ',';
  std::vector<std::string> header;   ///< of tables without a header line; else empty
  std::vector<std::string> missing;  ///< cells of any column that are no value
  NodeShape machine;                 ///< all nodes, and the largest amounts of one; zeros: not given
  std::vector<NodeKind> kinds;       ///< of its nodes; empty: all are equal and have no GPUs
  std::array<CsvSource, static_cast<std::size_t>(CsvField::kCount)> fields;

  const CsvSource& operator[](CsvField field) const { return fields[static_cast<std::size_t>(field)]; }
  bool has(CsvField field) const { return (*this)[field].given; }
};

/// Reads the text of a mapping file (docs/reference/csv-maps.md). Errors: kExitInput naming source:line and what was
/// expected, also if a required field is missing.
Result<CsvMap> parse_csv_map(std::string_view text, std::string source);

}  // namespace dfrs::sim
