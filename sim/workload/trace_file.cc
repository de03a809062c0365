// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/utf8.h"
#include "policy/core/enum_names.h"
#include "sim/workload/fit.h"
#include "sim/workload/licences.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

constexpr std::string_view kMagic = "dfrs-trace";
constexpr std::string_view kNoMark = "-";
constexpr double kLeastCpu =
    1e-6;  // of CPU needs and capacities; less is a mistake, and its inverse would swamp all sums
constexpr double kMostCpu = 1e6;

/// The two parts of "; Name: value".
struct HeaderLine {
  std::string_view name;
  std::string_view value;
};

std::optional<HeaderLine> header_line(std::string_view line) {
  if (line.empty() || line.front() != ';') return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return HeaderLine{trimmed(line.substr(1, colon - 1)), trimmed(line.substr(colon + 1))};
}

class TraceParser {
 public:
  TraceParser(std::string_view text, const std::string& source) : lines_(text), source_(source) {}

  Result<std::vector<Instance>> parse() {
    for (std::string_view line; !error_ && lines_.next(line);) {
      line = trimmed(line);
      if (line.empty()) continue;
      if (line.front() == ';') {
        if (const auto header = header_line(line)) take_header(*header);
      } else {
        take_job(line);
      }
    }
    finish_instance();
    if (error_) return tl::unexpected(*std::move(error_));
    if (instances_.empty()) return input_error(fmt::format("{}: empty; expected '; dfrs-trace: 1'", source_));
    return std::move(instances_);
  }

 private:
  // The first error ends the text. Until its line is done, values that could not be read have defaults.
  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args&&... args) {
    fail_at(lines_.number(), fmt::format(format, std::forward<Args>(args)...));
  }
  void fail_at(std::size_t line, const std::string& what) {
    if (!error_) error_ = Error{.code = kExitInput, .message = fmt::format("{}:{}: {}", source_, line, what)};
  }

  // The instance that a header line is of; null after an error.
  Instance* current(std::string_view name) {
    if (open_) return &instances_.back();
    fail("'; {}:' before '; dfrs-trace: 1'", name);
    return nullptr;
  }
  // The same for a line that must come before the jobs.
  Instance* without_jobs(std::string_view name) {
    Instance* const instance = current(name);
    if (instance == nullptr || instance->jobs.empty()) return instance;
    fail("'; {}:' after the first job; header lines come first", name);
    return nullptr;
  }

  void take_header(const HeaderLine& header) {
    if (header.name == kMagic) {
      if (header.value != "1") {
        return fail("dfrs-trace version '{}', this program reads version 1", printable_word(header.value));
      }
      finish_instance();
      instances_.emplace_back();
      open_ = true;
      reserved_ = marked_ = users_ = false;
      start_line_ = lines_.number();
    } else if (header.name == "Name") {
      take_name(header.value);
    } else if (header.name == "Rigid") {
      take_rigid(header.value);
    } else if (header.name == "Nodes") {
      take_nodes(header.value);
    } else if (header.name == "Reserved") {
      take_flag(header, reserved_);
    } else if (header.name == "Pauses") {
      take_flag(header, marked_);
    } else if (header.name == "Users") {
      take_flag(header, users_);
    } else if (header.name == "Licences") {
      if (Instance* const instance = without_jobs(header.name)) instance->platform.licences = licences(header.value);
    }
  }

  void take_flag(const HeaderLine& header, bool& flag) {
    if (without_jobs(header.name) == nullptr) return;
    if (header.value != "yes") fail("{} is '{}', expected yes", header.name, printable_word(header.value));
    flag = true;
  }

  void take_name(std::string_view value) {
    Instance* const instance = without_jobs("Name");
    if (instance == nullptr) return;
    if (value.empty()) fail("the name is empty");
    if (!instance->name.empty()) fail("a second '; Name:' line");
    instance->name = value;
  }

  void take_rigid(std::string_view value) {
    Instance* const instance = current("Rigid");
    if (instance == nullptr) return;
    if (!instance->platform.nodes.empty()) fail("'; Rigid:' after '; Nodes:'; it must come before");
    instance->platform.rigid_dims =
        static_cast<std::size_t>(integer(value, "number of rigid resources", 1, static_cast<std::int64_t>(kMaxRigid)));
  }

  // Nodes: COUNT cpu C memory M [other R ...]
  void take_nodes(std::string_view value) {
    Instance* const instance = without_jobs("Nodes");
    if (instance == nullptr) return;
    Platform& platform = instance->platform;
    FieldSplitter words(value);
    const std::int64_t count = integer(word(words, "number of nodes"), "number of nodes", 1, kMaxTraceNodes);
    NodeSpec node;
    keyword(words, "cpu");
    node.cpu = number(word(words, "CPU"), "CPU of a node", kLeastCpu, kMostCpu);
    for (std::size_t d = 0; d < platform.rigid_dims; ++d) {
      if (d == 0) keyword(words, "memory");
      if (d == 1) keyword(words, "other");
      node.rigid[d] = integer(word(words, "rigid resource"), rigid_name(d), 0, kMaxTraceRigid);
    }
    if (std::string_view extra; words.next(extra)) fail("'{}' after the node's resources", printable_word(extra));
    if (static_cast<std::int64_t>(platform.nodes.size()) + count > kMaxTraceNodes) {
      fail("more than {} nodes", kMaxTraceNodes);
    }
    if (error_) return;
    platform.nodes.insert(platform.nodes.end(), static_cast<std::size_t>(count), node);
  }

  // id submit tasks cpu_need memory_mib [other ...] run_time estimate [reserved_start] [pauses] [user] [licences]
  void take_job(std::string_view line) {
    if (!open_) return fail("a job before '; dfrs-trace: 1'");
    Instance& instance = instances_.back();
    if (instance.jobs.empty()) {
      if (instance.platform.nodes.empty()) return fail("a job before '; Nodes: COUNT cpu 1 memory MIB'");
      fit_.emplace(instance.platform);
      ids_.clear();
    }
    const std::size_t dims = instance.platform.rigid_dims;
    const bool licensed = !instance.platform.licences.empty();
    const std::size_t expected =
        6 + dims + (reserved_ ? 1 : 0) + (marked_ ? 1 : 0) + (users_ ? 1 : 0) + (licensed ? 1 : 0);
    std::size_t fields = 0;
    FieldSplitter counter(line);
    for (std::string_view unused; counter.next(unused);) ++fields;
    if (fields != expected) {
      return fail("{} field{}, expected {}: id submit tasks cpu_need memory{} run_time estimate{}{}{}{}", fields,
                  fields == 1 ? "" : "s", expected, dims > 1 ? " other.." : "", reserved_ ? " reserved_start" : "",
                  marked_ ? " pauses" : "", users_ ? " user" : "", licensed ? " licences" : "");
    }
    FieldSplitter words(line);
    const auto take = [&] {
      std::string_view next;
      words.next(next);
      return next;
    };
    Job job;
    job.id = static_cast<JobId>(integer(take(), "id", 0, std::numeric_limits<std::int64_t>::max()));
    job.submit = number(take(), "submit", 0, kMaxTraceSeconds);
    job.tasks = static_cast<int>(integer(take(), "tasks", 1, kMaxTraceTasks));
    job.cpu_need = number(take(), "cpu_need", kLeastCpu, kMostCpu);
    for (std::size_t d = 0; d < dims; ++d) job.rigid[d] = integer(take(), rigid_name(d), 0, kMaxTraceRigid);
    job.run_time = number(take(), "run_time", 0, kMaxTraceSeconds);
    job.estimate = number(take(), "estimate", 0, kMaxTraceSeconds);
    if (reserved_) job.reserved_start = number(take(), "reserved_start", 0, kMaxTraceSeconds);
    if (marked_) job.pauses = mark(take());
    if (users_)
      job.user = static_cast<std::uint32_t>(integer(take(), "user", 0, std::numeric_limits<std::uint32_t>::max()));
    if (licensed) job.licences = licence_set(take(), instance.platform);
    if (error_) return;

    if (!instance.jobs.empty() && job.submit < instance.jobs.back().submit) {
      fail("submitted at {}, before the job of the line above ({}); sort the jobs by submit time", job.submit,
           instance.jobs.back().submit);
    }
    if (!ids_.insert(job.id).second) fail("id {} is already used by an earlier job", job.id);
    if (const auto fits = fit_->check(job); !fits) fail("job {} is larger than the machine: {}", job.id, fits.error());
    instance.jobs.push_back(job);
  }

  void finish_instance() {
    if (!open_) return;
    const Instance& instance = instances_.back();
    const auto lacks = [&](std::string_view what) {
      fail_at(start_line_, fmt::format("the trace that begins here has no {}", what));
    };
    if (instance.name.empty()) lacks("'; Name:' line");
    if (instance.platform.nodes.empty()) lacks("'; Nodes:' line");
    if (instance.jobs.empty()) lacks("jobs");
  }

  // "-": the world decides.
  std::optional<PauseEffect> mark(std::string_view text) {
    if (text == kNoMark) return std::nullopt;
    const std::optional<PauseEffect> pauses = enum_from_name<PauseEffect>(text);
    if (!pauses) fail("pauses is '{}', expected kept, suspended, none, lost or {}", printable_word(text), kNoMark);
    return pauses;
  }

  std::vector<Licence> licences(std::string_view text) {
    auto licences = parse_licences(text);
    if (licences) return std::move(*licences);
    fail("licences: {}", licences.error());
    return {};
  }

  std::uint32_t licence_set(std::string_view text, Platform& platform) {
    if (text == kNoMark) return 0;
    const auto set = licence_set_of(licences(text), platform);
    if (set) return platform.licence_set(*set);
    fail("licences: {}", set.error());
    return 0;
  }

  static std::string_view rigid_name(std::size_t d) { return d == kMemory ? "memory" : "other rigid resource"; }

  std::string_view word(FieldSplitter& words, std::string_view what) {
    std::string_view next;
    if (!words.next(next)) fail("{} missing; expected '; Nodes: COUNT cpu CPU memory MIB'", what);
    return next;
  }

  void keyword(FieldSplitter& words, std::string_view expected) {
    const std::string_view found = word(words, expected);
    if (found != expected) {
      fail("'{}', expected '{}' in '; Nodes: COUNT cpu CPU memory MIB'", printable_word(found), expected);
    }
  }

  std::int64_t integer(std::string_view text, std::string_view what, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const NumberStatus status = parse_integer(text, value);
    if (status != NumberStatus::kNotANumber && (status == NumberStatus::kOutOfRange || value < least || value > most)) {
      fail("{} is '{}', expected {} to {}", what, printable_word(text), least, most);
      return least;
    }
    if (status == NumberStatus::kOk) return value;
    fail("{} is '{}', expected an integer", what, printable_word(text));
    return least;
  }

  double number(std::string_view text, std::string_view what, double least, double most) {
    double value = 0;
    const NumberStatus status = parse_number(text, value);
    if (status != NumberStatus::kNotANumber && (status == NumberStatus::kOutOfRange || value < least || value > most)) {
      fail("{} is '{}', expected {:g} to {:g}", what, printable_word(text), least, most);
      return least;
    }
    if (status == NumberStatus::kOk) return value;
    fail("{} is '{}', expected a number", what, printable_word(text));
    return least;
  }

  LineSplitter lines_;
  const std::string& source_;
  std::optional<Error> error_;
  std::vector<Instance> instances_;
  std::optional<PlatformFit> fit_;
  std::unordered_set<JobId> ids_;
  std::size_t start_line_ = 0;
  bool open_ = false;
  bool reserved_ = false;  // jobs have an additional field
  bool marked_ = false;    // and one more
  bool users_ = false;     // and one more
};

}  // namespace

bool is_trace_text(std::string_view text) {
  LineSplitter lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    const auto header = header_line(line);
    return header && header->name == kMagic;
  }
  return false;
}

Result<std::vector<Instance>> parse_traces(std::string_view text, const std::string& source) {
  return TraceParser(text, source).parse();
}

Result<std::string> format_trace(const Instance& instance, const std::vector<std::string>& comments) {
  if (instance.name.empty() || trimmed(instance.name) != instance.name ||
      instance.name.find('\n') != std::string::npos) {
    return usage_error(fmt::format("'{}' cannot name a trace: expected one line without blanks around it",
                                   printable_word(instance.name)));
  }
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  const Platform& platform = instance.platform;
  fmt::format_to(to, "; {}: 1\n", kMagic);
  for (const std::string& comment : comments) fmt::format_to(to, "; {}\n", base::printable(comment));
  fmt::format_to(to, "; Name: {}\n", instance.name);
  if (platform.rigid_dims > 1) fmt::format_to(to, "; Rigid: {}\n", platform.rigid_dims);
  for (std::size_t begin = 0; begin < platform.nodes.size();) {
    const NodeSpec& node = platform.nodes[begin];
    std::size_t end = begin + 1;
    while (end < platform.nodes.size() && platform.nodes[end] == node) ++end;
    fmt::format_to(to, "; Nodes: {} cpu {} memory {}", end - begin, node.cpu, node.rigid[kMemory]);
    for (std::size_t d = 1; d < platform.rigid_dims; ++d)
      fmt::format_to(to, "{} {}", d == 1 ? " other" : "", node.rigid[d]);
    fmt::format_to(to, "\n");
    begin = end;
  }
  const bool reserved =
      std::any_of(instance.jobs.begin(), instance.jobs.end(), [](const Job& job) { return job.reserved_start != 0; });
  const bool marked =
      std::any_of(instance.jobs.begin(), instance.jobs.end(), [](const Job& job) { return job.pauses.has_value(); });
  const bool users =
      std::any_of(instance.jobs.begin(), instance.jobs.end(), [](const Job& job) { return job.user != 0; });
  if (reserved) fmt::format_to(to, "; Reserved: yes\n");
  if (marked) fmt::format_to(to, "; Pauses: yes\n");
  if (users) fmt::format_to(to, "; Users: yes\n");
  const bool licensed = !platform.licences.empty();
  if (licensed) fmt::format_to(to, "; Licences: {}\n", licences_text(platform.licences));
  fmt::format_to(to, "; Fields: id submit tasks cpu_need memory_mib {}run_time estimate{}{}{}{}\n",
                 platform.rigid_dims > 2   ? "other other "
                 : platform.rigid_dims > 1 ? "other "
                                           : "",
                 reserved ? " reserved_start" : "", marked ? " pauses" : "", users ? " user" : "",
                 licensed ? " licences" : "");
  for (const Job& job : instance.jobs) {
    fmt::format_to(to, "{} {} {} {}", job.id, job.submit, job.tasks, job.cpu_need);
    for (std::size_t d = 0; d < platform.rigid_dims; ++d) fmt::format_to(to, " {}", job.rigid[d]);
    fmt::format_to(to, " {} {}", job.run_time, job.estimate);
    if (reserved) fmt::format_to(to, " {}", job.reserved_start);
    if (marked) fmt::format_to(to, " {}", job.pauses ? enum_name(*job.pauses) : kNoMark);
    if (users) fmt::format_to(to, " {}", job.user);
    if (licensed) fmt::format_to(to, " {}", job.licences == 0 ? std::string(kNoMark) : licences_text(job, platform));
    fmt::format_to(to, "\n");
  }
  return fmt::to_string(out);
}

}  // namespace dfrs::sim
