// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "sim/campaign/degradation.h"
#include "sim/errors.h"
#include "sim/io/csv_line.h"
#include "sim/metrics/metric_columns.h"

namespace dfrs::sim {
namespace {

using Kind = ResultColumn::Kind;

double parse_number(const std::string& text, const std::string& where, std::string_view column) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end || !std::isfinite(value)) {
    throw InputError(fmt::format("{}: column {} is '{}', expected a number", where, column, text));
  }
  return value;
}

std::size_t parse_count(const std::string& text, const std::string& where, std::string_view column) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) {
    throw InputError(fmt::format("{}: column {} is '{}', expected a whole number, 0 or more", where, column, text));
  }
  return value;
}

std::vector<std::string> distinct(const std::vector<ResultRow>& rows, std::string ResultRow::* field) {
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  for (const ResultRow& row : rows) {
    if (seen.insert(row.*field).second) out.push_back(row.*field);
  }
  return out;
}

}  // namespace

std::span<const ResultColumn> result_columns() {
  static const std::vector<ResultColumn> columns = [] {
    using R = ResultRow;
    std::vector<ResultColumn> all{{"load", Kind::first, &R::load},
                                  {"bound_divisible", Kind::first, &R::bound_divisible},
                                  {"bound_ls1", Kind::first, &R::bound_ls1}};
    for (const MetricColumn& metric : metric_columns()) {
      all.push_back({metric.name, metric.later ? Kind::later : Kind::first, nullptr, metric.value});
    }
    all.push_back({"cpu_seconds", Kind::time, &R::cpu_seconds});
    all.push_back({"policy_call_mean_s", Kind::time, &R::policy_call_mean});
    all.push_back({"policy_call_longest_s", Kind::time, &R::policy_call_longest});
    return all;
  }();
  return columns;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

void set_ran_away(ResultRow& row) {
  for (const MetricColumn& metric : metric_columns())
    row.metrics.*metric.value = std::numeric_limits<double>::quiet_NaN();
}

std::string take_ran_away(std::vector<ResultRow>& rows) {
  constexpr std::size_t kShown = 8;
  std::string text;
  std::size_t count = 0;
  for (const ResultRow& row : rows) {
    if (!row.ran_away() || ++count > kShown) continue;
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", row.algorithm, row.instance);
  }
  if (count > kShown) text += fmt::format(" and {} more", count - kShown);
  std::erase_if(rows, [](const ResultRow& row) { return row.ran_away(); });
  return count == 0 ? text : "Ran away, because jobs came faster than they ended, and are left out: " + text + ".";
}

std::string results_csv(const std::vector<ResultRow>& rows, CpuSeconds times) {
  std::vector<ResultColumn> columns(result_columns().begin(), result_columns().end());
  if (times == CpuSeconds::left_out) {
    std::erase_if(columns, [](const ResultColumn& column) { return column.kind == Kind::time; });
  }
  std::string out = "instance,algorithm,jobs";
  for (const ResultColumn& column : columns) fmt::format_to(std::back_inserter(out), ",{}", column.name);
  out += ",degradation_divisible,degradation_ls1,degradation_from_best";
  out += ',' + origin_headings() + '\n';
  static const ResultOrigin unknown;
  const std::vector<double> from_best = degradation_from_best(rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ResultRow row = rows[k];
    fmt::format_to(std::back_inserter(out), "{},{},{}", csv_field(row.instance), csv_field(row.algorithm), row.jobs);
    for (const ResultColumn& column : columns) out += ',' + csv_number(column.of(row));
    for (const double value : {row.degradation(), row.degradation_ls1(), from_best[k]}) out += ',' + csv_number(value);
    out += ',' + origin_fields(row.origin == nullptr ? unknown : *row.origin) + '\n';
  }
  return out;
}

namespace {

// The origin in a line with these fields. `last` is shared by rows with equal origins, which usually follow each other.
std::shared_ptr<const ResultOrigin> parse_origin(const std::vector<std::string>& header,
                                                 const std::vector<std::string>& fields,
                                                 std::shared_ptr<const ResultOrigin>& last) {
  ResultOrigin origin;
  for (const OriginColumn& column : origin_columns()) {
    const auto at = std::find(header.begin(), header.end(), column.name);
    if (at != header.end()) origin.*column.field = fields[static_cast<std::size_t>(at - header.begin())];
  }
  if (origin == ResultOrigin{}) return nullptr;
  if (last == nullptr || *last != origin) last = std::make_shared<const ResultOrigin>(std::move(origin));
  return last;
}

}  // namespace

std::vector<ResultRow> parse_results_csv(std::string_view text, const std::string& source) {
  std::vector<ResultRow> rows;
  std::vector<std::string> header;
  std::vector<std::string> fields;
  std::shared_ptr<const ResultOrigin> origin;
  CsvRecords records(text);
  for (CsvRecords::Next next; (next = records.next(fields)) != CsvRecords::Next::kEnd;) {
    const std::string where = fmt::format("{}:{}", source, records.line());
    if (next == CsvRecords::Next::kOpenQuote) throw InputError(where + ": a quote is not closed");
    if (header.empty()) {
      header = fields;
      continue;
    }
    if (fields.size() != header.size()) {
      throw InputError(fmt::format("{}: {} fields, expected {} as in the header", where, fields.size(), header.size()));
    }
    ResultRow row;
    const auto value_of = [&](std::string_view column) -> const std::string& {
      const auto at = std::find(header.begin(), header.end(), column);
      if (at == header.end()) {
        throw InputError(fmt::format("{}: no column '{}' in the header; expected a file that dfrs-sim compare wrote",
                                     source, column));
      }
      return fields[static_cast<std::size_t>(at - header.begin())];
    };
    row.instance = value_of("instance");
    row.algorithm = value_of("algorithm");
    row.jobs = parse_count(value_of("jobs"), where, "jobs");
    const bool ran_away = value_of("max_stretch").empty();
    for (const ResultColumn& column : result_columns()) {
      const bool missing = std::find(header.begin(), header.end(), column.name) == header.end();
      if (column.kind == Kind::time && missing) continue;
      if (ran_away && column.metric != nullptr) continue;
      if (column.kind == Kind::later && (missing || value_of(column.name).empty())) {
        column.of(row) = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      column.of(row) = parse_number(value_of(column.name), where, column.name);
    }
    if (ran_away) set_ran_away(row);
    row.origin = parse_origin(header, fields, origin);
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw InputError(source + ": no results in it; expected a file that dfrs-sim compare wrote");
  return rows;
}

void check_origins_agree(const std::vector<ResultRow>& rows) {
  const ResultOrigin* first = nullptr;
  std::unordered_map<std::string_view, const ResultOrigin*> by_instance;
  const auto refuse = [](std::string_view what, const std::string& one, const std::string& other) {
    throw UsageError(fmt::format(
        "the results were made with different {}: '{}' and '{}'; give them to report one by one", what, one, other));
  };
  for (const ResultRow& row : rows) {
    const ResultOrigin* const origin = row.origin.get();
    if (origin == nullptr) continue;
    if (first == nullptr) first = origin;
    if (origin != first) {
      if (origin->options != first->options) refuse("simulation options", first->options, origin->options);
      if (origin->program != first->program) refuse("programs", first->program, origin->program);
    }
    const ResultOrigin* const other = by_instance.emplace(row.instance, origin).first->second;
    if (other == origin) continue;
    if (other->sha256 != origin->sha256) {
      refuse("traces of the instance " + row.instance, other->source + " " + other->sha256,
             origin->source + " " + origin->sha256);
    }
    if (other->workload != origin->workload) {
      refuse("workload options of the instance " + row.instance, other->workload, origin->workload);
    }
  }
}

CampaignOrigin campaign_origin(const std::vector<ResultRow>& rows) {
  CampaignOrigin origin;
  origin.algorithms = algorithms_of(rows);
  for (const ResultRow& row : rows) origin.add(row.origin);
  return origin;
}

std::vector<std::string> algorithms_of(const std::vector<ResultRow>& rows) {
  return distinct(rows, &ResultRow::algorithm);
}
std::vector<std::string> instances_of(const std::vector<ResultRow>& rows) {
  return distinct(rows, &ResultRow::instance);
}

}  // namespace dfrs::sim
