// SPDX-License-Identifier: GPL-2.0-or-later
// Turns a job table in CSV into what Slurm's accounting would say of its jobs.
#pragma once

#include <string>
#include <string_view>

#include "sim/workload/csv/map.h"
#include "sim/workload/read_report.h"

namespace dfrs::sim {

struct CsvJobs {
  std::string sacct;          ///< as sacct prints it; its column Line has the lines of the table
  ReadReport report;          ///< with `lenient`: malformed rows, which are left out
  std::size_t with_gpus = 0;  ///< jobs
};

/// Applies the map to each row of `text`. Jobs whose numbers are not like Slurm's are numbered from 1. Fractions of a
/// CPU are rounded up to whole CPUs, which are used in part. Errors: kExitInput naming source:line, the column and what
/// was expected for a malformed row (unless lenient), or naming the map's line for a column that the table lacks.
Result<CsvJobs> csv_to_sacct(std::string_view text, const std::string& source, const CsvMap& map, bool lenient = false);

}  // namespace dfrs::sim
