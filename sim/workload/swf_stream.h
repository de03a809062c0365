// SPDX-License-Identifier: GPL-2.0-or-later
// The fast way through a log in the Standard Workload Format: records are read when they are asked for, and lines
// without a branch for each character (spaced_fields.h). parse_swf() is its plain twin: tests compare the two on random
// and on malformed texts, and it takes over where a log is not as plain as nearly all are.
//
// What it buys, in CPU time of EASY on HPC2N's log from the file to the result: 1.2 to 1.3 times as much with the plain
// parser of lines, and 1.15 to 1.2 times with all records kept in memory. Reading only the fields that are used, a
// parser of short numbers of its own, and a queue of completions that is sorted while it is short bought less than a
// twentieth each, so there are none.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/workload/spaced_fields.h"
#include "sim/workload/swf.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {

/// The records of a plain text: well-formed lines, comments before the first of them, and ascending job numbers and
/// times of submission. Where a text is not plain, next() ends the records there, plain() is false, and parse_swf() is
/// to read the text.
class SwfStream final : public SwfRecords {
 public:
  /// The text must outlive it.
  SwfStream(std::string_view text, std::string source);
  /// So far.
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

/// Reads a log and makes a workload of its records: those of SwfStream where the text is plain, else those of
/// parse_swf(), with the same result. `convert` may be called twice. Errors: as of parse_swf() and of `convert`; what
/// is wrong with the text comes before what is wrong with a job.
SwfWorkload read_swf(std::string_view text, const std::string& source, const SwfReadOptions& options,
                     const std::function<SwfWorkload(SwfRecords&)>& convert);

}  // namespace dfrs::sim
