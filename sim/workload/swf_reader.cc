// SPDX-License-Identifier: GPL-2.0-or-later
// The text of a log to records.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

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

/// Reads one line of 18 fields. Returns an empty string, or what is wrong with it.
std::string parse_any_record(std::string_view text, std::array<double, kFields>& values) {
  std::size_t field = 0;
  FieldSplitter words(text);
  for (std::string_view word; words.next(word); ++field) {
    if (field == kFields) return fmt::format("more than {} fields", kFields);
    if (std::string wrong = parse_field(word, field, values[field]); !wrong.empty()) return wrong;
  }
  if (field < kFields) return fmt::format("{} field{}, expected {}", field, field == 1 ? "" : "s", kFields);
  return {};
}

// Sets a record's fields from a source of them, in their order.
template <typename Source>
[[gnu::always_inline]] inline void fill_record(Source&& source, SwfRecord& record) {
  const auto integer = [&](std::size_t field) { return source.template take<std::int64_t>(field - 1); };
  const auto count = [&](std::size_t field) { return source.template take<std::int32_t>(field - 1); };
  const auto number = [&](std::size_t field) { return source.template take<double>(field - 1); };
  record.job = integer(1);
  record.submit = number(2);
  record.wait = number(3);
  record.run_time = number(4);
  record.processors_allocated = count(5);
  record.cpu_time = number(6);
  record.memory_used = number(7);
  record.processors_requested = count(8);
  record.time_requested = number(9);
  record.memory_requested = number(10);
  record.status = count(11);
  record.user = count(12);
  record.group = count(13);
  record.application = count(14);
  record.queue = count(15);
  record.partition = count(16);
  record.preceding_job = integer(17);
  record.think_time = number(18);
}

// The values of any line.
struct AnyValues {
  const std::array<double, kFields>& values;

  template <typename T>
  T take(std::size_t field) const {
    return static_cast<T>(values[field]);
  }
};

// Nearly all lines are short integers, with a fraction here and there.
struct UsualValues {
  SpacedFields& fields;
  bool usual = true;  // so far

  template <typename T>
  [[gnu::always_inline]] T take(std::size_t field) {
    const char* begin = nullptr;
    const char* end = nullptr;
    usual = fields.next(begin, end) && usual;
    std::int64_t whole = 0;  // of eight digits at most, and so in the range of any field
    if (usual && SpacedFields::short_integer(begin, end, whole)) return static_cast<T>(whole);
    return static_cast<T>(take_other(field, begin, end));
  }

 private:
  [[gnu::noinline]] double take_other(std::size_t field, const char* begin, const char* end) {
    double value = 0;
    usual = usual && parse_field({begin, static_cast<std::size_t>(end - begin)}, field, value).empty();
    return usual ? value : 0;
  }
};

// False, the record spoilt, for a line that is for parse_any_record().
bool parse_usual_record(std::string_view text, SpacedFields& fields, SwfRecord& record) {
  if (!fields.take(text)) return false;
  UsualValues values{fields};
  fill_record(values, record);
  const char* begin = nullptr;
  const char* end = nullptr;
  return values.usual && !fields.next(begin, end);
}

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

  std::array<double, kFields> values{};
  SpacedFields fields(text);
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
    if (parse_usual_record(line, fields, record)) continue;
    const std::string wrong = parse_any_record(line, values);
    if (wrong.empty()) {
      fill_record(AnyValues{values}, record);
      continue;
    }
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

}  // namespace dfrs::sim
