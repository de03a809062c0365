// SPDX-License-Identifier: GPL-2.0-or-later
// The plain reader of SWF: reads, checks and sorts all records of a log.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/workload/swf.h"
#include "sim/workload/swf_fields.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

Result<void> check_job_numbers(SwfLog& log, bool lenient) {
  std::vector<std::pair<std::int64_t, std::size_t>> seen;  // job number, index
  bool increasing = true;
  std::int64_t last = -1;
  for (const SwfRecord& record : log.records) {
    if (is_part_of_job(record) || record.job < 0) continue;
    increasing = increasing && record.job > last;
    last = record.job;
  }
  if (increasing) return {};

  seen.reserve(log.records.size());
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    if (!is_part_of_job(log.records[i]) && log.records[i].job >= 0) seen.emplace_back(log.records[i].job, i);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::size_t> again;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (seen[i].first == seen[i - 1].first) again.push_back(seen[i].second);
  }
  if (again.empty()) return {};
  std::sort(again.begin(), again.end());
  if (!lenient) {
    const SwfRecord& record = log.records[again.front()];
    return input_error(
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
  return {};
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

Result<SwfLog> parse_swf(std::string_view text, std::string source, const SwfReadOptions& options) {
  SwfLog log;
  log.source = std::move(source);
  log.records.reserve(count_lines(text));

  LineSplitter lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.front() == ';') {
      parse_swf_comment(line.substr(1), log.header);
      continue;
    }
    ++log.report.records;
    SwfRecord& record = log.records.emplace_back();
    record.line = lines.number();
    const auto values = parse_swf_line(line);
    if (values) {
      fill_record(*values, record);
      continue;
    }
    if (!options.lenient) return input_error(fmt::format("{}:{}: {}", log.source, lines.number(), values.error()));
    log.records.pop_back();
    log.report.skip("malformed line", lines.number());
  }
  if (auto checked = check_job_numbers(log, options.lenient); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  sort_by_submission(log);
  if (log.records.empty()) {
    return input_error(fmt::format("{}: no job records{}", log.source,
                                   log.report.records == 0
                                       ? "; expected a log in the Standard Workload Format"
                                       : fmt::format(": all {} lines are malformed", log.report.records)));
  }
  return log;
}

}  // namespace dfrs::sim
