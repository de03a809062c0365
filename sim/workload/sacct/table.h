// SPDX-License-Identifier: GPL-2.0-or-later
// The parsable output of sacct as a table: a header line that names the columns, in any order, and rows of cells.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::sim {

/// The command that makes the file, for messages and documentation.
inline constexpr std::string_view kSacctCommand =
    "SLURM_TIME_FORMAT=%s sacct --allusers --duplicates --parsable2 --starttime=2026-10-01 --endtime=2026-11-01 "
    "--format=JobID,JobIDRaw,User,Group,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,Suspended,"
    "TimelimitRaw,NNodes,NTasks,AllocCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,MaxRSS,TotalCPU,CPUTimeRAW,NodeList,Comment";

/// The columns that are read; others are ignored. Names are those of `sacct --helpformat`, in any case.
enum class SacctColumn : std::size_t {
  kJobId,
  kJobIdRaw,
  kUser,
  kGroup,
  kPartition,
  kQos,
  kState,
  kSubmit,
  kStart,
  kEnd,
  kElapsed,
  kElapsedRaw,
  kTimelimit,
  kTimelimitRaw,
  kNNodes,
  kAllocNodes,
  kNTasks,
  kAllocCpus,
  kNCpus,
  kReqCpus,
  kReqMem,
  kReqTres,
  kAllocTres,
  kMaxRss,
  kTotalCpu,
  kUserCpu,
  kSystemCpu,
  kNodeList,
  kComment,
  kLine,  ///< not sacct's: the line that the row was made of, in a table of another format
  kCount
};

class SacctHeader {
 public:
  /// Nothing if `line` is not a header line of sacct. It must name JobID or JobIDRaw and at least one more known
  /// column, separated by '|' (or tabs or ';').
  static std::optional<SacctHeader> recognise(std::string_view line);

  bool has(SacctColumn column) const { return place_[static_cast<std::size_t>(column)] != kNowhere; }
  static std::string_view name(SacctColumn column);
  char delimiter() const { return delimiter_; }
  const std::vector<std::string>& names() const { return names_; }

  /// Splits a row into as many cells as there are names. Surplus delimiters belong to the column of free text (JobName,
  /// Comment, ...), if there is exactly one. Error: what is wrong with the row.
  tl::expected<void, std::string> split(std::string_view line, std::vector<std::string_view>& cells) const;
  /// The cell of a column in a row split above; "" if there is no such column.
  std::string_view cell(const std::vector<std::string_view>& cells, SacctColumn column) const {
    const std::size_t at = place_[static_cast<std::size_t>(column)];
    return at == kNowhere ? std::string_view() : cells[at];
  }
  /// True if `line` repeats the header, as in concatenated files.
  bool repeated_by(std::string_view line) const;

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  std::string line_;
  std::vector<std::string> names_;
  std::array<std::size_t, static_cast<std::size_t>(SacctColumn::kCount)> place_{};
  std::size_t free_text_ = kNowhere;
  char delimiter_ = '|';
};

/// True if the first line that is not blank is a header line of sacct.
bool is_sacct_text(std::string_view text);

}  // namespace dfrs::sim
