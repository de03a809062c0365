// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/swf_stream.h"

#include <bit>
#include <utility>

#include "sim/workload/swf_fields.h"

namespace dfrs::sim {

SwfStream::SwfStream(std::string_view text, std::string source)
    : text_(text), source_(std::move(source)), lines_(text), fields_(text) {
  LineSplitter ahead = lines_;
  for (std::string_view line; ahead.next(line); lines_ = ahead) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.front() != ';') break;
    parse_swf_comment(line.substr(1), header_);
  }
}

std::size_t SwfStream::expected() const {
  // Extrapolates from the length of the first lines, plus a margin.
  constexpr std::size_t kSample = std::size_t{1} << 16;
  if (text_.size() <= kSample) return count_lines(text_);
  return static_cast<std::size_t>(1.1 * static_cast<double>(count_lines(text_.substr(0, kSample))) *
                                  static_cast<double>(text_.size()) / static_cast<double>(kSample));
}

// Nearly all lines consist of short integers and a few fractions. The plain parser handles all others.
bool SwfStream::parse_line(std::string_view line) {
  if (!fields_.take(line) || fields_.count() != kSwfFields) {
    const auto values = parse_swf_line(line);
    if (values) fill_record(*values, record_);
    return values.has_value();
  }
  SwfValues values;
  // A number of eight digits is in the range of any field.
  for (std::uint64_t others = fields_.short_integers(values); others != 0; others &= others - 1) {
    const auto field = static_cast<std::size_t>(std::countr_zero(others));
    const auto value = parse_swf_field({fields_.begin(field), fields_.end(field)}, field);
    if (!value) {  // the plain parser splits a word at a tab or a carriage return
      const auto all = parse_swf_line(line);
      if (all) fill_record(*all, record_);
      return all.has_value();
    }
    values[field] = *value;
  }
  fill_record(values, record_);
  return true;
}

const SwfRecord* SwfStream::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return nullptr;
    line = trimmed(line);
  } while (line.empty());
  if (line.front() == ';' || !parse_line(line)) return not_plain();
  record_.line = lines_.number();
  ++report_.records;
  if (!is_part_of_job(record_) && record_.job >= 0) {
    if (record_.job <= last_job_) return not_plain();
    last_job_ = record_.job;
  }
  if (record_.submit >= 0) {
    if (record_.submit < latest_) return not_plain();
    latest_ = record_.submit;
  }
  return &record_;
}

Result<SwfWorkload> read_swf(std::string_view text, const std::string& source, const SwfReadOptions& options,
                             const std::function<Result<SwfWorkload>(SwfRecords&)>& convert) {
  SwfStream plain(text, source);
  // After an error the text may not be plain: parse_swf() finds what is wrong.
  if (auto workload = convert(plain); workload && plain.plain()) return workload;
  return parse_swf(text, source, options).and_then([&](const SwfLog& log) {
    SwfLogRecords records(log);
    return convert(records);
  });
}

}  // namespace dfrs::sim
