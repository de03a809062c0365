// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/swf_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sim/workload/number_parser.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

enum class Kind { kInteger, kCount, kNumber };  // kCount: an integer that fits in 32 bits

struct FieldSpec {
  std::string_view name;
  Kind kind;
};

constexpr std::array<FieldSpec, kSwfFields> kSpec{{{"job number", Kind::kInteger},
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

}  // namespace

tl::expected<double, std::string> parse_swf_field(std::string_view word, std::size_t field) {
  const FieldSpec& spec = kSpec[field];
  double value = 0;
  const NumberStatus status = parse_number(word, value);
  if (status == NumberStatus::kOutOfRange || (status == NumberStatus::kOk && !in_range(value, spec.kind))) {
    return tl::unexpected(
        fmt::format("field {} ({}) is '{}', which is out of range", field + 1, spec.name, printable_word(word)));
  }
  if (status != NumberStatus::kOk || (spec.kind != Kind::kNumber && value != std::trunc(value))) {
    return tl::unexpected(fmt::format("field {} ({}) is '{}', expected {} (-1 if unknown)", field + 1, spec.name,
                                      printable_word(word), kind_name(spec.kind)));
  }
  return value;
}

tl::expected<SwfValues, std::string> parse_swf_line(std::string_view line) {
  SwfValues values{};
  std::size_t field = 0;
  FieldSplitter words(line);
  for (std::string_view word; words.next(word); ++field) {
    if (field == kSwfFields) return tl::unexpected(fmt::format("more than {} fields", kSwfFields));
    auto value = parse_swf_field(word, field);
    if (!value) return tl::unexpected(std::move(value.error()));
    values[field] = *value;
  }
  if (field < kSwfFields) {
    return tl::unexpected(fmt::format("{} field{}, expected {}", field, field == 1 ? "" : "s", kSwfFields));
  }
  return values;
}

void fill_record(const SwfValues& values, SwfRecord& record) {
  const auto count = [&](std::size_t field) { return static_cast<std::int32_t>(values[field - 1]); };
  record.job = static_cast<std::int64_t>(values[0]);
  record.submit = values[1];
  record.wait = values[2];
  record.run_time = values[3];
  record.processors_allocated = count(5);
  record.cpu_time = values[5];
  record.memory_used = values[6];
  record.processors_requested = count(8);
  record.time_requested = values[8];
  record.memory_requested = values[9];
  record.status = count(11);
  record.user = count(12);
  record.group = count(13);
  record.application = count(14);
  record.queue = count(15);
  record.partition = count(16);
  record.preceding_job = static_cast<std::int64_t>(values[16]);
  record.think_time = values[17];
}

void parse_swf_comment(std::string_view comment, SwfHeader& header) {
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

}  // namespace dfrs::sim
