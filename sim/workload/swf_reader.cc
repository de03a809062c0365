// SPDX-License-Identifier: GPL-2.0-or-later
// The text of a log to records.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sim/errors.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/spaced_fields.h"
#include "sim/workload/swf.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kFields = 18;

enum class Kind { kInteger, kCount, kNumber };  // kCount: an integer that fits in 32 bits

struct FieldSpec {
  std::string_view name;
  Kind kind;
};

constexpr std::array<FieldSpec, kFields> kSpec{{{"job number", Kind::kInteger},
                                                {"submit time", Kind::kNumber},
                                                {"wait time", Kind::kNumber},
                                                {"run time", Kind::kNumber},
                                                {"allocated processors", Kind::kCount},
                                                {"average CPU time", Kind::kNumber},
                                                {"used memory", Kind::kNumber},
                                                {"requested processors", Kind::kCount},
                                                {"requested time", Kind::kNumber},
                                                {"requested memory", Kind::kNumber},
                                                {"status", Kind::kCount},
                                                {"user", Kind::kCount},
                                                {"group", Kind::kCount},
                                                {"application", Kind::kCount},
                                                {"queue", Kind::kCount},
                                                {"partition", Kind::kCount},
                                                {"preceding job", Kind::kInteger},
                                                {"think time", Kind::kNumber}}};

std::string_view kind_name(Kind kind) { return kind == Kind::kNumber ? "a number" : "an integer"; }

bool in_range(double value, Kind kind) {
  return kind != Kind::kCount || std::abs(value) <= std::numeric_limits<std::int32_t>::max();
}

/// Empty, or what is wrong with the word as this field.
std::string parse_field(std::string_view word, std::size_t field, double& value) {
  const FieldSpec& spec = kSpec[field];
  const NumberStatus status = parse_number(word, value);
  if (status == NumberStatus::kOutOfRange || (status == NumberStatus::kOk && !in_range(value, spec.kind))) {
    return fmt::format("field {} ({}) is '{}', which is out of range", field + 1, spec.name, printable_word(word));
  }
  if (status != NumberStatus::kOk || (spec.kind != Kind::kNumber && value != std::trunc(value))) {
    return fmt::format("field {} ({}) is '{}', expected {} (-1 if unknown)", field + 1, spec.name, printable_word(word),
                       kind_name(spec.kind));
  }
  return {};
}

// Fields, from 0.
constexpr std::array<std::uint8_t, kFields> kAllFields{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
// Those that simulated_job() looks at.
constexpr std::array<std::uint8_t, 12> kFieldsOfJobs{0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14};

// Those of them that it looks at under these conventions.
std::vector<std::uint8_t> fields_of_jobs(const SwfConventions& conventions) {
  std::vector<std::uint8_t> fields{0, 1, 3, 4, 6, 7, 9, 10};
  if (conventions.measured_cpu_need) fields.push_back(5);
  if (conventions.kill_at_requested_time || conventions.estimates == SwfEstimates::kTrace) fields.push_back(8);
  if (!conventions.weights.empty()) fields.insert(fields.end(), {11, 14});
  return fields;
}

// Sets a record's fields from their values, those in kFieldsOfJobs.
void fill_fields_of_jobs(const std::array<double, kFields>& values, SwfRecord& record) {
  const auto count = [&](std::size_t field) { return static_cast<std::int32_t>(values[field - 1]); };
  record.job = static_cast<std::int64_t>(values[0]);
  record.submit = values[1];
  record.run_time = values[3];
  record.processors_allocated = count(5);
  record.cpu_time = values[5];
  record.memory_used = values[6];
  record.processors_requested = count(8);
  record.time_requested = values[8];
  record.memory_requested = values[9];
  record.status = count(11);
  record.user = count(12);
  record.queue = count(15);
}

// All others.
void fill_other_fields(const std::array<double, kFields>& values, SwfRecord& record) {
  const auto count = [&](std::size_t field) { return static_cast<std::int32_t>(values[field - 1]); };
  record.wait = values[2];
  record.group = count(13);
  record.application = count(14);
  record.partition = count(16);
  record.preceding_job = static_cast<std::int64_t>(values[16]);
  record.think_time = values[17];
}

}  // namespace

// Reads lines of a text.
class SwfLineParser {
 public:
  explicit SwfLineParser(std::string_view text) : fields_(text) {}

  /// Empty, and all of the record but its line's number, or what is wrong with the line.
  std::string parse(std::string_view line, SwfRecord& record) {
    if (std::string wrong = parse(line, kAllFields); !wrong.empty()) return wrong;
    fill_fields_of_jobs(values_, record);
    fill_other_fields(values_, record);
    return {};
  }
  /// The same with some of the fields in kFieldsOfJobs: all others are looked at, and not read. False if something is
  /// wrong with the line.
  bool parse_for_job(std::string_view line, std::span<const std::uint8_t> which, SwfRecord& record) {
    if (!parse_usual(line, which) && !parse_any(line).empty()) return false;
    fill_fields_of_jobs(values_, record);
    return true;
  }

 private:
  // Sets the values of these fields.
  std::string parse(std::string_view line, std::span<const std::uint8_t> which) {
    return parse_usual(line, which) ? std::string() : parse_any(line);
  }

  // Nearly all lines are short integers, with a fraction here and there. False for a line that is for parse_any().
  bool parse_usual(std::string_view line, std::span<const std::uint8_t> which) {
    if (!fields_.take(line) || fields_.count() != kFields) return false;
    // Eight digits are in the range of any field.
    std::uint64_t others = fields_.short_integers(which, values_.data());
    for (; others != 0; others &= others - 1) {
      const auto field = static_cast<std::size_t>(std::countr_zero(others));
      const char* const begin = fields_.begin(field);
      const std::string_view word(begin, static_cast<std::size_t>(fields_.end(field) - begin));
      if (!parse_field(word, field, values_[field]).empty()) return false;
    }
    return true;
  }

  // Any line of 18 fields. Returns an empty string, or what is wrong with it.
  std::string parse_any(std::string_view text) {
    std::size_t field = 0;
    FieldSplitter words(text);
    for (std::string_view word; words.next(word); ++field) {
      if (field == kFields) return fmt::format("more than {} fields", kFields);
      if (std::string wrong = parse_field(word, field, values_[field]); !wrong.empty()) return wrong;
    }
    if (field < kFields) return fmt::format("{} field{}, expected {}", field, field == 1 ? "" : "s", kFields);
    return {};
  }

  SpacedFields fields_;
  std::array<double, kFields> values_{};
};

namespace {

void parse_header(std::string_view comment, SwfHeader& header) {
  const std::size_t colon = comment.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = trimmed(comment.substr(0, colon));
  const std::string_view value = trimmed(comment.substr(colon + 1));
  if (name.empty() || name.find_first_of(" \t") != std::string_view::npos) return;
  header.fields.push_back({std::string(name), std::string(value)});

  const auto take = [&](std::string_view wanted, std::optional<std::int64_t>& into) {
    std::int64_t number = 0;
    const std::string_view digits = value.substr(0, value.find_first_not_of("0123456789"));
    if (name == wanted && !into && parse_integer(digits, number) == NumberStatus::kOk) into = number;
  };
  take("MaxNodes", header.max_nodes);
  take("MaxProcs", header.max_procs);
  take("UnixStartTime", header.unix_start_time);
}

// Lines of status 2 to 4 are parts of a job that was swapped out; the job's own line sums them up (SWF 2.2).
bool is_part_of_job(const SwfRecord& record) { return record.status >= 2 && record.status <= 4; }

void check_job_numbers(SwfLog& log, bool lenient) {
  std::vector<std::pair<std::int64_t, std::size_t>> seen;  // job number, index
  bool increasing = true;
  std::int64_t last = -1;
  for (const SwfRecord& record : log.records) {
    if (is_part_of_job(record) || record.job < 0) continue;
    increasing = increasing && record.job > last;
    last = record.job;
  }
  if (increasing) return;

  seen.reserve(log.records.size());
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    if (!is_part_of_job(log.records[i]) && log.records[i].job >= 0) seen.emplace_back(log.records[i].job, i);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::size_t> again;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (seen[i].first == seen[i - 1].first) again.push_back(seen[i].second);
  }
  if (again.empty()) return;
  std::sort(again.begin(), again.end());
  if (!lenient) {
    const SwfRecord& record = log.records[again.front()];
    throw InputError(
        fmt::format("{}:{}: job number {} is already used by an earlier line", log.source, record.line, record.job));
  }
  for (const std::size_t index : again) log.report.skip("job number used by an earlier line", log.records[index].line);
  std::size_t kept = 0;
  auto drop = again.begin();
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    if (drop != again.end() && *drop == i) {
      ++drop;
    } else {
      log.records[kept++] = log.records[i];
    }
  }
  log.records.resize(kept);
}

void sort_by_submission(SwfLog& log) {
  std::size_t out_of_order = 0;
  std::size_t first_line = 0;
  double latest = -1;
  for (const SwfRecord& record : log.records) {
    if (record.submit < 0) continue;
    if (record.submit < latest && out_of_order++ == 0) first_line = record.line;
    latest = std::max(latest, record.submit);
  }
  if (out_of_order == 0) return;
  log.report.adjust("out of the order of submission, sorted", first_line, out_of_order);
  std::stable_sort(log.records.begin(), log.records.end(),
                   [](const SwfRecord& a, const SwfRecord& b) { return a.submit < b.submit; });
}

}  // namespace

SwfLog parse_swf(std::string_view text, std::string source, const SwfReadOptions& options) {
  SwfLog log;
  log.source = std::move(source);
  log.records.reserve(count_lines(text));

  SwfLineParser parser(text);
  LineSplitter lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.front() == ';') {
      parse_header(line.substr(1), log.header);
      continue;
    }
    ++log.report.records;
    SwfRecord& record = log.records.emplace_back();
    record.line = lines.number();
    const std::string wrong = parser.parse(line, record);
    if (wrong.empty()) continue;
    if (!options.lenient) throw InputError(fmt::format("{}:{}: {}", log.source, lines.number(), wrong));
    log.records.pop_back();
    log.report.skip("malformed line", lines.number());
  }
  check_job_numbers(log, options.lenient);
  sort_by_submission(log);
  if (log.records.empty()) {
    throw InputError(fmt::format("{}: no job records{}", log.source,
                                 log.report.records == 0
                                     ? "; expected a log in the Standard Workload Format"
                                     : fmt::format(": all {} lines are malformed", log.report.records)));
  }
  return log;
}

SwfTextRecords::SwfTextRecords(std::string_view text, std::string source)
    : SwfTextRecords(text, std::move(source), {kFieldsOfJobs.begin(), kFieldsOfJobs.end()}) {}

SwfTextRecords::SwfTextRecords(std::string_view text, std::string source, const SwfConventions& conventions)
    : SwfTextRecords(text, std::move(source), fields_of_jobs(conventions)) {}

SwfTextRecords::SwfTextRecords(std::string_view text, std::string source, std::vector<std::uint8_t> fields)
    : text_(text),
      source_(std::move(source)),
      lines_(text),
      fields_(std::move(fields)),
      parser_(std::make_unique<SwfLineParser>(text)) {
  LineSplitter ahead = lines_;
  for (std::string_view line; ahead.next(line); lines_ = ahead) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.front() != ';') break;
    parse_header(line.substr(1), header_);
  }
}

SwfTextRecords::~SwfTextRecords() = default;

std::size_t SwfTextRecords::expected() const {
  // As many as if lines were as long as the first ones, and some more.
  constexpr std::size_t kSample = std::size_t{1} << 16;
  if (text_.size() <= kSample) return count_lines(text_);
  return static_cast<std::size_t>(1.1 * static_cast<double>(count_lines(text_.substr(0, kSample))) *
                                  static_cast<double>(text_.size()) / static_cast<double>(kSample));
}

const SwfRecord* SwfTextRecords::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return nullptr;
    line = trimmed(line);
  } while (line.empty());
  if (line.front() == ';' || !parser_->parse_for_job(line, fields_, record_)) return not_plain();
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

}  // namespace dfrs::sim
