// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "sim/campaign/degradation.h"
#include "sim/io/csv_line.h"
#include "sim/metrics/metric_columns.h"

namespace dfrs::sim {
namespace {

using Kind = ResultColumn::Kind;

template <typename Field>
std::vector<std::string> distinct(const std::vector<ResultRow>& rows, Field field) {
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

// Reads the results of one file. Functions that return bool or a pointer return false or null after fail().
class ResultsReader {
 public:
  ResultsReader(std::string_view text, const std::string& source) : records_(text), source_(source) {}

  Result<std::vector<ResultRow>> read() {
    std::vector<ResultRow> rows;
    for (CsvRecords::Next next; (next = records_.next(fields_)) != CsvRecords::Next::kEnd;) {
      if (next == CsvRecords::Next::kOpenQuote) return input_error(where() + ": a quote is not closed");
      if (header_.empty()) {
        header_ = fields_;
        continue;
      }
      if (fields_.size() != header_.size()) {
        return input_error(
            fmt::format("{}: {} fields, expected {} as in the header", where(), fields_.size(), header_.size()));
      }
      if (!take(rows.emplace_back())) return tl::unexpected(std::move(error_));
    }
    if (rows.empty()) return input_error(source_ + ": no results in it; expected a file that dfrs-sim compare wrote");
    return rows;
  }

 private:
  bool take(ResultRow& row) {
    const std::string* const instance = value_of("instance");
    const std::string* const algorithm = instance == nullptr ? nullptr : value_of("algorithm");
    if (algorithm == nullptr) return false;
    row.instance = *instance;
    row.algorithm = *algorithm;
    if (!count_of("jobs", row.jobs)) return false;
    const std::string* const stretch = value_of("max_stretch");
    if (stretch == nullptr) return false;
    for (const ResultColumn& column : result_columns()) {
      if (!take(column, stretch->empty(), row)) return false;
    }
    if (stretch->empty()) set_ran_away(row);
    row.origin = parse_origin(header_, fields_, origin_);
    return true;
  }

  bool take(const ResultColumn& column, bool ran_away, ResultRow& row) {
    const bool missing = std::find(header_.begin(), header_.end(), column.name) == header_.end();
    if (column.kind == Kind::time && missing) return true;
    if (ran_away && column.metric != nullptr) return true;
    if (column.kind == Kind::later && (missing || value_of(column.name)->empty())) {
      column.of(row) = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
    return number_of(column.name, column.of(row));
  }

  const std::string* value_of(std::string_view column) {
    const auto at = std::find(header_.begin(), header_.end(), column);
    if (at != header_.end()) return &fields_[static_cast<std::size_t>(at - header_.begin())];
    fail(fmt::format("{}: no column '{}' in the header; expected a file that dfrs-sim compare wrote", source_, column));
    return nullptr;
  }

  bool number_of(std::string_view column, double& value) {
    const std::string* const text = value_of(column);
    if (text == nullptr) return false;
    return (parse(*text, value) && std::isfinite(value)) ||
           fail(fmt::format("{}: column {} is '{}', expected a number", where(), column, *text));
  }

  bool count_of(std::string_view column, std::size_t& value) {
    const std::string* const text = value_of(column);
    if (text == nullptr) return false;
    return parse(*text, value) ||
           fail(fmt::format("{}: column {} is '{}', expected a whole number, 0 or more", where(), column, *text));
  }

  template <typename Number>
  static bool parse(const std::string& text, Number& value) {
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && at == end;
  }

  std::string where() const { return fmt::format("{}:{}", source_, records_.line()); }
  bool fail(std::string message) {
    error_ = {.code = kExitInput, .message = std::move(message)};
    return false;
  }

  CsvRecords records_;
  const std::string& source_;
  std::vector<std::string> header_;
  std::vector<std::string> fields_;
  std::shared_ptr<const ResultOrigin> origin_;
  Error error_;
};

// The words of `text` that `other` does not have: where options differ, only those that do.
std::string words_apart(const std::string& text, const std::string& other) {
  const auto words = [](const std::string& line) {
    std::istringstream in(line);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  const std::vector<std::string> known = words(other);
  std::vector<std::string> apart = words(text);
  std::erase_if(apart, [&](const std::string& word) { return std::ranges::find(known, word) != known.end(); });
  return apart.empty() ? "none" : fmt::format("{}", fmt::join(apart, " "));
}

}  // namespace

Result<std::vector<ResultRow>> parse_results_csv(std::string_view text, const std::string& source) {
  return ResultsReader(text, source).read();
}

Result<void> check_origins_agree(const std::vector<ResultRow>& rows) {
  const ResultOrigin* first = nullptr;
  std::unordered_map<std::string_view, const ResultOrigin*> by_instance;
  const auto refuse = [](std::string_view what, const std::string& one, const std::string& other) {
    return usage_error(fmt::format(
        "the results were made with different {}: '{}' and '{}'; give them to report one by one", what, one, other));
  };
  for (const ResultRow& row : rows) {
    const ResultOrigin* const origin = row.origin.get();
    if (origin == nullptr) continue;
    if (first == nullptr) first = origin;
    if (origin != first) {
      if (origin->options != first->options) {
        return refuse("simulation options", words_apart(first->options, origin->options),
                      words_apart(origin->options, first->options));
      }
      if (origin->program != first->program) return refuse("programs", first->program, origin->program);
    }
    const ResultOrigin* const other = by_instance.emplace(row.instance, origin).first->second;
    if (other == origin) continue;
    if (other->sha256 != origin->sha256) {
      return refuse("traces of the instance " + row.instance, other->source + " " + other->sha256,
                    origin->source + " " + origin->sha256);
    }
    if (other->workload != origin->workload) {
      return refuse("workload options of the instance " + row.instance, words_apart(other->workload, origin->workload),
                    words_apart(origin->workload, other->workload));
    }
  }
  return {};
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
