// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/instance_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/errors.h"
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

  Instance parse() {
    instance_.name = source_;
    bool recognised = false;
    for (std::string_view line; lines_.next(line);) {
      line = trimmed(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      if (line.front() == ';') {
        take_header(line, recognised);
        continue;
      }
      if (!recognised) fail("expected '; {}: 1' as the first line", kMagic);
      take_line(line);
    }
    if (!recognised) throw InputError(fmt::format("{}: empty; expected '; {}: 1'", source_, kMagic));
    if (instance_.clusters.empty()) throw InputError(fmt::format("{}: no cluster", source_));
    if (instance_.jobs.empty()) throw InputError(fmt::format("{}: no job", source_));
    std::stable_sort(instance_.jobs.begin(), instance_.jobs.end(),
                     [](const Job& a, const Job& b) { return a.release < b.release; });
    return std::move(instance_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(
        fmt::format("{}:{}: {}", source_, lines_.number(), fmt::format(format, std::forward<Args>(args)...)));
  }

  void take_header(std::string_view line, bool& recognised) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;  // a remark
    const std::string_view name = trimmed(line.substr(1, colon - 1));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == kMagic) {
      if (value != "1") fail("version '{}' of this format is unknown; expected 1", printable_word(value));
      recognised = true;
    } else if (!recognised) {
      fail("expected '; {}: 1' as the first line", kMagic);
    } else if (name == "Name") {
      if (value.empty()) fail("the name is empty");
      instance_.name = value;
    } else if (name == "Databanks") {
      if (!instance_.clusters.empty() || !instance_.jobs.empty()) fail("'Databanks' belongs before clusters and jobs");
      const std::int64_t count = integer(value, "the number of databanks", 1, kMostDatabanks);
      instance_.databanks = static_cast<std::size_t>(count);
      held_.assign(instance_.databanks, 0);
    }
  }

  void take_line(std::string_view line) {
    if (instance_.databanks == 0) fail("'; Databanks: N' is missing before the first cluster");
    FieldSplitter fields(line);
    std::string_view kind;
    fields.next(kind);
    if (kind == "cluster") {
      take_cluster(fields);
    } else if (kind == "job") {
      take_job(fields);
    } else {
      fail("'{}' is neither 'cluster' nor 'job'", printable_word(kind));
    }
    if (std::string_view more; fields.next(more)) fail("unexpected '{}' at the end of this line", printable_word(more));
  }

  void take_cluster(FieldSplitter& fields) {
    if (!instance_.jobs.empty()) fail("clusters belong before jobs");
    Cluster cluster;
    cluster.processors = static_cast<int>(integer(word(fields, "processors"), "processors", 1, kMostProcessors));
    cluster.speed = positive(word(fields, "the speed"), "the speed");
    const std::string_view list = word(fields, "the databanks, such as 0,2, or -");
    if (list != "-") {
      each_item(list, [&](std::string_view item) {
        const std::int64_t d = integer(item, "a databank", 0, static_cast<std::int64_t>(instance_.databanks) - 1);
        cluster.databanks.push_back(static_cast<DatabankIndex>(d));
        held_[static_cast<std::size_t>(d)] = 1;
      });
    }
    std::sort(cluster.databanks.begin(), cluster.databanks.end());
    const auto twice = std::adjacent_find(cluster.databanks.begin(), cluster.databanks.end());
    if (twice != cluster.databanks.end()) fail("databank {} is listed twice", *twice);
    instance_.clusters.push_back(std::move(cluster));
  }

  void take_job(FieldSplitter& fields) {
    Job job;
    job.release = number(word(fields, "the release date"), "the release date");
    if (job.release < 0 || job.release > kMaxTraceSeconds) {
      fail("the release date is {}, expected 0 .. {} s", job.release, kMaxTraceSeconds);
    }
    job.size = positive(word(fields, "the work"), "the work");
    job.databank = static_cast<DatabankIndex>(
        integer(word(fields, "the databank"), "the databank", 0, static_cast<std::int64_t>(instance_.databanks) - 1));
    if (held_[job.databank] == 0) fail("no cluster holds databank {}", job.databank);
    instance_.jobs.push_back(job);
  }

  std::string_view word(FieldSplitter& fields, std::string_view what) const {
    std::string_view word;
    if (!fields.next(word)) fail("{} missing at the end of the line", what);
    return word;
  }
  std::int64_t integer(std::string_view word, std::string_view what, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    if (parse_integer(word, value) != NumberStatus::kOk || value < least || value > most) {
      fail("{}: '{}' is not a whole number from {} to {}", what, printable_word(word), least, most);
    }
    return value;
  }
  double number(std::string_view word, std::string_view what) const {
    double value = 0;
    if (parse_number(word, value) != NumberStatus::kOk) fail("{}: '{}' is not a number", what, printable_word(word));
    return value;
  }
  double positive(std::string_view word, std::string_view what) const {
    const double value = number(word, what);
    if (value < 1e-6 || value > 1e9) fail("{} is {}, expected 1e-6 .. 1e9", what, value);
    return value;
  }

  LineSplitter lines_;
  const std::string& source_;
  Instance instance_;
  std::vector<char> held_;
};

}  // namespace

Instance parse_instance(std::string_view text, const std::string& source) { return Parser(text, source).parse(); }

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
