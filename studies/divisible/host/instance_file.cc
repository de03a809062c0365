// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/instance_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/workload/number_parser.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::Cluster;
using dfrs::divisible::DatabankIndex;

constexpr std::string_view kMagic = "dfrs-divisible";
constexpr std::int64_t kMostDatabanks = 100'000;
constexpr std::int64_t kMostProcessors = 10'000'000;

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : lines_(text), source_(source) {}

  Result<Instance> parse() {
    instance_.name = source_;
    bool recognised = false;
    for (std::string_view line; lines_.next(line);) {
      line = trimmed(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      if (!take(line, recognised)) return tl::unexpected(std::move(error_));
    }
    if (!recognised) return input_error(fmt::format("{}: empty; expected '; {}: 1'", source_, kMagic));
    if (instance_.clusters.empty()) return input_error(fmt::format("{}: no cluster", source_));
    if (instance_.jobs.empty()) return input_error(fmt::format("{}: no job", source_));
    std::stable_sort(instance_.jobs.begin(), instance_.jobs.end(),
                     [](const Job& a, const Job& b) { return a.release < b.release; });
    return std::move(instance_);
  }

 private:
  // Functions that return bool return false after fail().
  template <typename... Args>
  bool fail(fmt::format_string<Args...> format, Args&&... args) {
    error_ = {.code = kExitInput,
              .message =
                  fmt::format("{}:{}: {}", source_, lines_.number(), fmt::format(format, std::forward<Args>(args)...))};
    return false;
  }

  bool take(std::string_view line, bool& recognised) {
    if (line.front() == ';') return take_header(line, recognised);
    if (!recognised) return fail("expected '; {}: 1' as the first line", kMagic);
    return take_line(line);
  }

  bool take_header(std::string_view line, bool& recognised) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return true;  // a remark
    const std::string_view name = trimmed(line.substr(1, colon - 1));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == kMagic) {
      if (value != "1") return fail("version '{}' of this format is unknown; expected 1", printable_word(value));
      recognised = true;
    } else if (!recognised) {
      return fail("expected '; {}: 1' as the first line", kMagic);
    } else if (name == "Name") {
      if (value.empty()) return fail("the name is empty");
      instance_.name = value;
    } else if (name == "Databanks") {
      return take_databanks(value);
    }
    return true;
  }

  bool take_databanks(std::string_view value) {
    if (!instance_.clusters.empty() || !instance_.jobs.empty()) {
      return fail("'Databanks' belongs before clusters and jobs");
    }
    std::int64_t count = 0;
    if (!integer(value, "the number of databanks", 1, kMostDatabanks, count)) return false;
    instance_.databanks = static_cast<std::size_t>(count);
    held_.assign(instance_.databanks, 0);
    return true;
  }

  bool take_line(std::string_view line) {
    if (instance_.databanks == 0) return fail("'; Databanks: N' is missing before the first cluster");
    FieldSplitter fields(line);
    std::string_view kind;
    fields.next(kind);
    if (kind == "cluster") {
      if (!take_cluster(fields)) return false;
    } else if (kind == "job") {
      if (!take_job(fields)) return false;
    } else {
      return fail("'{}' is neither 'cluster' nor 'job'", printable_word(kind));
    }
    std::string_view more;
    return !fields.next(more) || fail("unexpected '{}' at the end of this line", printable_word(more));
  }

  bool take_cluster(FieldSplitter& fields) {
    if (!instance_.jobs.empty()) return fail("clusters belong before jobs");
    Cluster cluster;
    std::string_view word;
    std::int64_t processors = 0;
    if (!next(fields, "processors", word) || !integer(word, "processors", 1, kMostProcessors, processors)) return false;
    cluster.processors = static_cast<int>(processors);
    if (!next(fields, "the speed", word) || !positive(word, "the speed", cluster.speed)) return false;
    std::string_view list;
    if (!next(fields, "the databanks, such as 0,2, or -", list)) return false;
    bool fine = true;
    if (list != "-") each_item(list, [&](std::string_view item) { fine = fine && take_databank(item, cluster); });
    if (!fine) return false;
    std::sort(cluster.databanks.begin(), cluster.databanks.end());
    const auto twice = std::adjacent_find(cluster.databanks.begin(), cluster.databanks.end());
    if (twice != cluster.databanks.end()) return fail("databank {} is listed twice", *twice);
    instance_.clusters.push_back(std::move(cluster));
    return true;
  }

  bool take_databank(std::string_view word, Cluster& cluster) {
    std::int64_t d = 0;
    if (!integer(word, "a databank", 0, last_databank(), d)) return false;
    cluster.databanks.push_back(static_cast<DatabankIndex>(d));
    held_[static_cast<std::size_t>(d)] = 1;
    return true;
  }
  std::int64_t last_databank() const { return static_cast<std::int64_t>(instance_.databanks) - 1; }

  bool take_job(FieldSplitter& fields) {
    Job job;
    std::string_view word;
    if (!next(fields, "the release date", word) || !number(word, "the release date", job.release)) return false;
    if (job.release < 0 || job.release > kMaxTraceSeconds) {
      return fail("the release date is {}, expected 0 .. {} s", job.release, kMaxTraceSeconds);
    }
    if (!next(fields, "the work", word) || !positive(word, "the work", job.size)) return false;
    std::int64_t databank = 0;
    if (!next(fields, "the databank", word) || !integer(word, "the databank", 0, last_databank(), databank)) {
      return false;
    }
    job.databank = static_cast<DatabankIndex>(databank);
    if (held_[job.databank] == 0) return fail("no cluster holds databank {}", job.databank);
    instance_.jobs.push_back(job);
    return true;
  }

  bool next(FieldSplitter& fields, std::string_view what, std::string_view& word) {
    return fields.next(word) || fail("{} missing at the end of the line", what);
  }
  bool integer(std::string_view word, std::string_view what, std::int64_t least, std::int64_t most,
               std::int64_t& value) {
    if (parse_integer(word, value) == NumberStatus::kOk && value >= least && value <= most) return true;
    return fail("{}: '{}' is not a whole number from {} to {}", what, printable_word(word), least, most);
  }
  bool number(std::string_view word, std::string_view what, double& value) {
    if (parse_number(word, value) == NumberStatus::kOk) return true;
    return fail("{}: '{}' is not a number", what, printable_word(word));
  }
  bool positive(std::string_view word, std::string_view what, double& value) {
    if (!number(word, what, value)) return false;
    return (value >= 1e-6 && value <= 1e9) || fail("{} is {}, expected 1e-6 .. 1e9", what, value);
  }

  LineSplitter lines_;
  const std::string& source_;
  Instance instance_;
  std::vector<char> held_;
  Error error_;
};

}  // namespace

Result<Instance> parse_instance(std::string_view text, const std::string& source) {
  return Parser(text, source).parse();
}

std::string format_instance(const Instance& instance) {
  std::string text = fmt::format("; {}: 1\n; Name: {}\n; Databanks: {}\n", kMagic, instance.name, instance.databanks);
  const auto out = std::back_inserter(text);
  for (const Cluster& cluster : instance.clusters) {
    fmt::format_to(out, "cluster {} {} {}\n", cluster.processors, cluster.speed,
                   cluster.databanks.empty() ? "-" : fmt::format("{}", fmt::join(cluster.databanks, ",")));
  }
  for (const Job& job : instance.jobs) fmt::format_to(out, "job {} {} {}\n", job.release, job.size, job.databank);
  return text;
}

}  // namespace dfrs::sim::divisible
