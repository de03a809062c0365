// SPDX-License-Identifier: GPL-2.0-or-later
// The fast reader of the Standard Workload Format: it parses records on demand and lines without a branch per character
// (spaced_fields.h). parse_swf() is its plain twin: tests compare the two on random and malformed texts, and it takes
// over when a log is not as plain as nearly all are.
//
// What it buys: EASY on HPC2N's log takes 1.2 to 1.3 times the CPU time, from file to result, with the plain parser of
// lines, and 1.15 to 1.2 times with all records kept in memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/workload/spaced_fields.h"
#include "sim/workload/swf.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {

/// The records of a plain text: well-formed lines, comments only before the first record, ascending job numbers and
/// submit times. If the text is not plain, next() returns null there and plain() is false; read the text with
/// parse_swf() then.
class SwfStream final : public SwfRecords {
 public:
  /// The text must outlive it.
  SwfStream(std::string_view text, std::string source);
  /// True if the text has been plain so far.
  bool plain() const { return plain_; }

  const std::string& source() const override { return source_; }
  const SwfHeader& header() const override { return header_; }
  std::size_t expected() const override;
  const SwfRecord* next() override;
  const ReadReport& report() const override { return report_; }

 private:
  bool parse_line(std::string_view line);
  const SwfRecord* not_plain() {
    plain_ = false;
    return nullptr;
  }

  std::string_view text_;
  std::string source_;
  SwfHeader header_;
  ReadReport report_;
  LineSplitter lines_;
  SpacedFields fields_;
  SwfRecord record_;
  std::int64_t last_job_ = -1;
  double latest_ = -1;
  bool plain_ = true;
};

/// Reads a log and converts its records to a workload: with SwfStream if the text is plain, else with parse_swf(), to
/// the same result. `convert` may be called twice. Errors: those of parse_swf() and `convert`; errors of the text take
/// precedence over errors of a job.
Result<SwfWorkload> read_swf(std::string_view text, const std::string& source, const SwfReadOptions& options,
                             const std::function<Result<SwfWorkload>(SwfRecords&)>& convert);

}  // namespace dfrs::sim
