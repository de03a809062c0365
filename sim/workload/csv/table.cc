// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/csv/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "policy/core/nearest_name.h"
#include "sim/io/csv_line.h"
#include "sim/workload/csv/values.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/sacct/fields.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

using F = CsvField;

constexpr std::string_view kSacctHeader =
    "JobID|User|Group|Partition|QOS|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NTasks|AllocCPUS|ReqCPUS|AllocTRES|"
    "ReqMem|MaxRSS|TotalCPU|NodeList|Line\n";
constexpr double kRounding = 1e-9;

// "12", "12_3" (array task), "12+1" (component); the number exact in a double.
bool is_slurm_id(std::string_view id) {
  const std::size_t sign = id.find_first_of("_+");
  for (const std::string_view part : {id.substr(0, sign), sign == std::string_view::npos ? "0" : id.substr(sign + 1)}) {
    std::int64_t number = 0;
    if (part.empty() || part.front() < '0' || part.front() > '9' || part.size() > 15 ||
        parse_integer(part, number) != NumberStatus::kOk) {
      return false;
    }
  }
  return true;
}

// Without what sacct's table gives a meaning.
std::string sacct_text(std::string_view cell) {
  std::string text(cell);
  for (char& c : text) {
    if (c == '|' || (c >= 0 && c < ' ')) c = '?';
  }
  return text;
}

class Converter {
 public:
  Converter(std::string_view text, const std::string& source, const CsvMap& map, bool lenient, bool numbered)
      : records_(text, map.separator), source_(source), map_(map), lenient_(lenient), numbered_(numbered) {}

  // The jobs, unless other_numbering().
  Result<CsvJobs> run() {
    jobs_.sacct = kSacctHeader;
    header_ = map_.header;
    if (!header_.empty()) {
      if (auto found = find_columns(); !found) return tl::unexpected(std::move(found).error());
    }
    for (CsvRecords::Next next; (next = records_.next(cells_)) != CsvRecords::Next::kEnd;) {
      if (header_.empty() && next == CsvRecords::Next::kRecord) {
        header_ = cells_;
        for (std::string& name : header_) name = trimmed(name);
        if (auto found = find_columns(); !found) return tl::unexpected(std::move(found).error());
        continue;
      }
      if (cells_ == header_) continue;  // repeated, as in concatenated files
      wrong_.clear();
      if (next == CsvRecords::Next::kOpenQuote) {
        wrong_ = "a quote is not closed";
      } else {
        take_row();
      }
      if (other_numbering_) break;
      if (wrong_.empty()) continue;
      if (!lenient_ || header_.empty()) {
        return input_error(fmt::format("{}:{}: {}", source_, records_.line(), wrong_));
      }
      ++jobs_.report.records;
      jobs_.report.skip("malformed line", records_.line());
    }
    if (header_.empty()) return input_error(source_ + ": empty, expected a job table in CSV");
    return std::move(jobs_);
  }

  // A job's name is not like Slurm's: all are numbered instead.
  bool other_numbering() const { return other_numbering_; }

 private:
  Result<void> find_columns() {
    places_.fill(0);
    for (std::size_t k = 0; k < map_.fields.size(); ++k) {
      const CsvSource& from = map_.fields[k];
      if (!from.given || from.constant) continue;
      const auto at = std::find(header_.begin(), header_.end(), from.text);
      if (at == header_.end()) {
        const std::string_view near = nearest_name(from.text, header_);
        return input_error(fmt::format("{}:{}: '{}' is no column of {}; the nearest is '{}'", map_.source, from.line,
                                       printable_word(from.text), map_.header.empty() ? source_ : "the map's header",
                                       printable_word(near)));
      }
      places_[k] = static_cast<std::size_t>(at - header_.begin());
    }
    return {};
  }

  // ---- cells ----

  // "" without a value.
  std::string_view cell(F field) const {
    const CsvSource& from = map_[field];
    if (!from.given) return {};
    if (from.constant) return from.text;
    const std::string_view text = trimmed(cells_[places_[static_cast<std::size_t>(field)]]);
    const auto in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), text) != list.end();
    };
    return csv_no_value(text) || in(from.missing) || in(map_.missing) ? std::string_view() : text;
  }

  // The first that is wrong with the row. Its values without a meaning count as not given.
  void bad(F field, std::string_view expected) {
    if (!wrong_.empty()) return;
    const CsvSource& from = map_[field];
    wrong_ = fmt::format("{}: '{}', expected {} ({}:{})",
                         from.constant ? fmt::format("field {}", csv_field_name(field)) : "column " + from.text,
                         printable_word(cell(field)), expected, map_.source, from.line);
  }

  std::optional<double> number(F field, double most) {
    const std::string_view text = cell(field);
    if (text.empty()) return std::nullopt;
    double value = 0;
    const bool good = parse_number(text, value) == NumberStatus::kOk;
    value *= map_[field].scale;
    if (good && value >= 0 && value <= most) return value;
    bad(field, "a number, 0 or more and in range");
    return std::nullopt;
  }

  std::optional<Seconds> instant(F field) {
    if (cell(field).empty()) return std::nullopt;
    if (map_[field].unit) return seconds(field);
    const auto value = parse_instant(cell(field));
    if (!value) {
      bad(field, "a time such as 2026-11-21 16:49:27, or seconds since 1970 (other numbers: name their unit)");
    }
    return value;
  }

  std::optional<Seconds> seconds(F field) {
    const std::string_view text = cell(field);
    double value = 0;
    if (text.empty()) return std::nullopt;
    // Nanoseconds since 1970 are beyond parse_number's range.
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc() && end == text.data() + text.size();
    value *= map_[field].scale;
    if (good && value >= 0 && value <= kMaxTraceSeconds) return value;
    bad(field, "a number, 0 or more and in range");
    return std::nullopt;
  }

  std::optional<Seconds> duration(F field) {
    const std::string_view text = cell(field);
    if (text.find(':') == std::string_view::npos) return seconds(field);
    const auto value = parse_csv_clock(text);
    if (!value) bad(field, "a duration such as 1-02:03:04");
    return value;
  }

  int whole(F field, std::int64_t most) {
    const double value = std::ceil(number(field, static_cast<double>(most)).value_or(0) - kRounding);
    return static_cast<int>(std::max(0.0, value));
  }

  // How often the amount of a field is there: 0 if that is not known, as for jobs that never started.
  double times(F field) const {
    switch (map_[field].per) {
      case CsvPer::kNode:
        return nodes_;
      case CsvPer::kTask:
        return tasks_;
      case CsvPer::kCpu:
        return cpus_;
      case CsvPer::kJob:
        break;
    }
    return 1;
  }

  // ---- one row ----

  void take_row() {
    if (cells_.size() != header_.size()) {
      wrong_ = fmt::format("{} field{}, but the header has {}", cells_.size(), cells_.size() == 1 ? "" : "s",
                           header_.size());
      return;
    }
    nodes_ = whole(F::kNodes, kMaxTraceNodes);
    tasks_ = whole(F::kTasks, kMaxTraceTasks);
    take_cpus();
    const auto submit = instant(F::kSubmit);
    const auto end = instant(F::kEnd);
    auto run_time = duration(F::kRunTime);
    auto start = instant(F::kStart);
    // Without a start, the job waited as long as the other times leave, or not at all.
    if (!map_.has(F::kStart) && submit) start = end && run_time ? std::max(*submit, *end - *run_time) : *submit;
    if (!run_time && start && end) run_time = std::max(0.0, *end - *start);
    auto cpu_time = duration(F::kCpuTime);
    if (cpu_time) cpu_time = std::min(*cpu_time * times(F::kCpuTime), kMaxTraceSeconds);
    if (!map_.has(F::kCpuTime) && run_time && used_cpus_ < cpus_ - kRounding) cpu_time = *run_time * used_cpus_;
    const int requested = whole(F::kRequestedCpus, kMaxTraceTasks);
    if (!wrong_.empty()) return;

    std::string row = id();
    if (other_numbering_) return;
    const auto add = [&](std::string_view text) { (row += '|') += text; };
    const auto add_count = [&](int count) { add(count > 0 ? std::to_string(count) : std::string()); };
    const auto add_instant = [&](std::optional<Seconds> at) { add(at ? sacct_instant(*at) : std::string()); };
    for (const F field : {F::kUser, F::kGroup, F::kPartition, F::kQos}) add(sacct_text(cell(field)));
    add(state());
    add_instant(submit);
    add_instant(start);
    add_instant(end);
    add(run_time ? sacct_duration(*run_time) : std::string());
    add(limit());
    add_count(nodes_);
    add_count(tasks_);
    add_count(cpus_);
    add_count(requested);
    if (!wrong_.empty()) return;
    add(gpus());
    add(memory(F::kMemory));
    add(memory(F::kUsedMemory));
    add(cpu_time ? sacct_duration(std::min(*cpu_time, kMaxTraceSeconds)) : std::string());
    add(sacct_text(cell(F::kNodeList)));
    add(std::to_string(records_.line()));
    if (!wrong_.empty()) return;
    (jobs_.sacct += row) += '\n';
  }

  std::string id() {
    ++rows_;
    std::string_view text = cell(F::kJob);
    if (numbered_ || !map_.has(F::kJob)) return std::to_string(rows_);
    if (text.ends_with(".0")) text.remove_suffix(2);  // pandas makes numbers with gaps fractional
    other_numbering_ = !is_slurm_id(text);
    return std::string(text);
  }

  void take_cpus() {
    const double most = static_cast<double>(kMaxTraceTasks);
    if (!map_.has(F::kCpus)) {  // a node counts as one CPU
      cpus_ = std::min(nodes_, static_cast<int>(kMaxTraceTasks));
      used_cpus_ = cpus_;
      return;
    }
    const double each = number(F::kCpus, most).value_or(0);
    const double count = times(F::kCpus);
    used_cpus_ = each * count;
    const double held = std::ceil(each - kRounding) * count;
    if (held > most) return bad(F::kCpus, fmt::format("at most {} CPUs in all", kMaxTraceTasks));
    cpus_ = static_cast<int>(held);
  }

  // A node's GPUs are whole, as CPUs are.
  std::string gpus() {
    const double most = static_cast<double>(kMaxTraceTasks);
    const double count = std::ceil(number(F::kGpusHeld, most).value_or(0) - kRounding) * times(F::kGpusHeld);
    if (count > most) bad(F::kGpusHeld, fmt::format("at most {} GPUs in all", kMaxTraceTasks));
    if (!(count > 0) || !wrong_.empty()) return {};
    ++jobs_.with_gpus;
    return fmt::format("gres/gpu={}", static_cast<int>(count));
  }

  std::string state() {
    if (!map_.has(F::kState)) return "COMPLETED";
    const std::string_view text = cell(F::kState);
    const auto& names = map_[F::kState].names;
    if (const auto found = names.find(text); found != names.end()) return found->second;
    // "CANCELLED by 1000", "CANCELLED+"
    std::string word(text.substr(0, text.find_first_of(" +")));
    for (char& c : word) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    if (!is_slurm_state(word)) {
      bad(F::kState, fmt::format("a state of Slurm; add a line such as 'state COMPLETED = {}' to the map",
                                 text.empty() ? "..." : printable_word(text)));
    }
    return word;
  }

  std::string limit() {
    const std::string_view text = cell(F::kLimit);
    const auto& names = map_[F::kLimit].names;
    if (names.contains(text)) return "UNLIMITED";
    if (text == "UNLIMITED" || text == "Partition_Limit") return std::string(text);
    const auto value = duration(F::kLimit);
    return value ? sacct_duration(*value) : std::string();
  }

  std::string memory(F field) {
    const std::string_view text = cell(field);
    if (text.empty()) return {};
    double mib = 0;
    double count = 1;
    if (map_[field].names.contains(text)) {  // all that the nodes have
      mib = static_cast<double>(map_.machine.memory_mib);
      count = std::max(1, nodes_);
    } else if (map_[field].unit) {
      double amount = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
      if (error != std::errc() || end != text.data() + text.size() || !(amount >= 0)) bad(field, "a number, 0 or more");
      mib = amount * map_[field].scale;
      count = times(field);
    } else {
      const auto value = parse_requested_memory(text);
      if (!value) {
        bad(field, "memory as Slurm writes it, such as 8G or 4000Mc (or name the unit in the map)");
        return {};
      }
      mib = value->mib * map_[field].scale;
      if (value->per == MemoryPer::kCpu) count = std::max(1, cpus_);
      if (value->per == MemoryPer::kNode) count = std::max(1, nodes_);
      if (value->per == MemoryPer::kJob) count = times(field);
    }
    if (!(mib * count <= static_cast<double>(kMaxTraceRigid))) {
      bad(field, fmt::format("at most {} MiB for the job", kMaxTraceRigid));
    }
    return mib * count > 0 ? fmt::format("{:.3f}M", mib * count) : std::string();
  }

  CsvRecords records_;
  const std::string& source_;
  const CsvMap& map_;
  const bool lenient_;
  const bool numbered_;
  CsvJobs jobs_;
  std::vector<std::string> header_;
  std::vector<std::string> cells_;
  std::array<std::size_t, static_cast<std::size_t>(F::kCount)> places_{};
  std::size_t rows_ = 0;
  bool other_numbering_ = false;
  // Of the row.
  std::string wrong_;
  int nodes_ = 0;
  int tasks_ = 0;
  int cpus_ = 0;
  double used_cpus_ = 0;
};

}  // namespace

Result<CsvJobs> csv_to_sacct(std::string_view text, const std::string& source, const CsvMap& map, bool lenient) {
  Converter by_name(text, source, map, lenient, false);
  Result<CsvJobs> jobs = by_name.run();
  if (by_name.other_numbering()) return Converter(text, source, map, lenient, true).run();
  return jobs;
}

}  // namespace dfrs::sim
