// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/sacct/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sim/workload/licences.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/sacct/fields.h"
#include "sim/workload/sacct/table.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

using C = SacctColumn;

// A requeue gives a job a new record, submitted when the old one ended, plus the time slurmctld takes.
constexpr Seconds kRequeueSlack = 5;
constexpr std::int64_t kMostNumber = 1'000'000'000'000'000;  // the largest job number; exact in a double

// A row of a job, with data from its steps.
struct Record {
  SacctJob job;
  Seconds end = -1;
  bool started = false;
  bool ended = false;
  bool superseded = false;                 // by a later record of the job
  std::size_t previous = ~std::size_t{0};  // the record of the same job before this one
  tl::expected<void, std::string> usable;  // whether it can be simulated
  bool has_cpu_time = false;
  bool has_script = false;  // a step of a batch script
  bool has_user = false;    // a step that a script or a user at the job started
  Seconds steps_cpu_time = -1;
  Seconds submit = 0;        // of this run
  Seconds first_submit = 0;  // of the job's first run
};

bool is_one_of(std::string_view state, std::initializer_list<std::string_view> states) {
  return std::find(states.begin(), states.end(), state) != states.end();
}

class Reader {
 public:
  Reader(std::string_view text, std::string source, const SacctReadOptions& options) : lines_(text), options_(options) {
    log_.source = std::move(source);
  }

  Result<SacctLog> read() {
    std::vector<std::string_view> cells;
    for (std::string_view line; lines_.next(line);) {
      if (trimmed(line).empty()) continue;
      if (!header_) {
        if (auto taken = take_header(line); !taken) return tl::unexpected(std::move(taken).error());
        continue;
      }
      if (header_->repeated_by(line)) continue;
      cells_ = nullptr;
      wrong_.reset();
      if (auto row = header_->split(line, cells)) {
        take_row(cells);
      } else {
        wrong_ = std::move(row).error();
      }
      if (!wrong_) continue;
      if (!options_.lenient) return input_error(fmt::format("{}:{}: {}", log_.source, line_number(), *wrong_));
      ++log_.report.records;
      log_.report.skip("malformed line", line_number());
    }
    if (!header_) {
      return input_error(
          fmt::format("{}: empty; expected the output of sacct, such as of: {}", log_.source, kSacctCommand));
    }
    return finish().map([&] { return std::move(log_); });
  }

 private:
  Result<void> take_header(std::string_view line) {
    header_ = SacctHeader::recognise(line);
    if (!header_) {
      const bool columns = line.find("JobID") != std::string_view::npos;
      return input_error(fmt::format(
          "{}:{}: {}; make the file by: {}", log_.source, lines_.number(),
          columns ? "this is sacct's default table, which truncates columns; --parsable2 is missing"
                  : "expected sacct's header line, column names separated by '|' (was it run with --noheader?)",
          kSacctCommand));
    }
    std::vector<std::string> missing;
    const auto need = [&](std::initializer_list<C> any) {
      if (std::any_of(any.begin(), any.end(), [&](C c) { return header_->has(c); })) return;
      std::string names;
      for (const C c : any) names += fmt::format("{}{}", names.empty() ? "" : " or ", SacctHeader::name(c));
      missing.push_back(std::move(names));
    };
    need({C::kState});
    need({C::kSubmit});
    need({C::kStart});
    need({C::kElapsedRaw, C::kElapsed, C::kEnd});
    need({C::kAllocCpus, C::kNCpus, C::kAllocTres});
    if (missing.empty()) return {};
    return input_error(fmt::format("{}:{}: column{} missing: {}; make the file by: {}", log_.source, lines_.number(),
                                   missing.size() == 1 ? "" : "s", fmt::join(missing, ", "), kSacctCommand));
  }

  // ---- one row ----

  std::string_view cell(C column) const { return header_->cell(*cells_, column); }

  // As the user knows it.
  std::size_t line_number() const {
    std::int64_t number = 0;
    const bool given = cells_ != nullptr && parse_integer(cell(C::kLine), number) == NumberStatus::kOk && number > 0;
    return given ? static_cast<std::size_t>(number) : lines_.number();
  }

  // The first that is wrong with the line. Its values without a meaning count as not known.
  void bad(C column, std::string_view expected) {
    if (wrong_) return;
    wrong_ =
        fmt::format("column {}: '{}', expected {}", SacctHeader::name(column), printable_word(cell(column)), expected);
  }

  // Parses a cell; nothing if it has no value.
  template <typename Parse>
  auto value(C column, std::string_view expected, const Parse& parse) -> decltype(parse(std::string_view())) {
    if (says_unknown(cell(column))) return std::nullopt;
    auto parsed = parse(cell(column));
    if (!parsed) bad(column, expected);
    return parsed;
  }

  std::optional<Seconds> instant(C column) {
    return value(column, "a time such as 2026-11-21T16:49:27, or seconds since 1970", parse_instant);
  }
  std::optional<Seconds> duration(C column) { return value(column, "a duration such as 1-02:03:04", parse_duration); }
  std::optional<std::int64_t> count(C column, std::int64_t most) {
    return value(column, fmt::format("a whole number up to {}", most),
                 [&](std::string_view text) -> std::optional<std::int64_t> {
                   std::int64_t number = 0;
                   if (parse_integer(text, number) == NumberStatus::kOk && number >= 0 && number <= most) return number;
                   // sacct abbreviates large counts: "1.50K".
                   const auto short_form = parse_memory(text, 1);
                   if (!short_form || text.back() < 'A') return std::nullopt;
                   const double whole = std::round(*short_form * 1024 * 1024);
                   if (whole > static_cast<double>(most)) return std::nullopt;
                   return static_cast<std::int64_t>(whole);
                 });
  }

  void take_row(const std::vector<std::string_view>& cells) {
    cells_ = &cells;
    const C id_column = header_->has(C::kJobId) ? C::kJobId : C::kJobIdRaw;
    const std::string_view id = cell(id_column);
    const std::size_t dot = id.find('.');
    const std::string base(id.substr(0, dot));
    if (base.empty() || base.front() < '0' || base.front() > '9') {
      return bad(id_column, "a job number such as 12 or 12_3.0");
    }
    if (dot == std::string_view::npos) {
      ++log_.report.records;
      take_job(base);
      if (wrong_) {
        --log_.report.records;  // the caller counts the line
        latest_[base] = {};
      }
    } else {
      take_step(base, id.substr(dot + 1));
    }
  }

  void take_job(const std::string& id) {
    Record record;
    SacctJob& job = record.job;
    job.id = id;
    job.line = line_number();
    job.number = number_of(id);
    job.user = cell(C::kUser);
    job.group = cell(C::kGroup);
    job.partition = cell(C::kPartition);
    job.qos = cell(C::kQos);
    job.checkpoints = has_checkpoint_mark(cell(C::kComment));
    job.nodes_used = cell(C::kNodeList);
    if (job.nodes_used == "None assigned") job.nodes_used.clear();
    const std::string_view state = cell(C::kState);
    if (state.empty() || state.front() < 'A' || state.front() > 'Z') bad(C::kState, "a state such as COMPLETED");
    job.state = state.substr(0, state.find_first_of(" +"));  // "CANCELLED by 1000", "CANCELLED+"

    const auto submit = instant(C::kSubmit);
    const auto start = instant(C::kStart);
    const auto end = instant(C::kEnd);
    job.submit = record.submit = record.first_submit = submit.value_or(-1);
    job.start = start.value_or(-1);
    record.end = end.value_or(-1);
    std::optional<Seconds> elapsed;
    if (header_->has(C::kElapsedRaw)) {
      if (const auto seconds = count(C::kElapsedRaw, static_cast<std::int64_t>(kMaxTraceSeconds))) elapsed = *seconds;
    }
    if (!elapsed) elapsed = duration(C::kElapsed);
    if (!elapsed && start && end) elapsed = std::max(0.0, *end - *start);
    take_limit(job);
    take_size(job);
    job.tasks = static_cast<int>(count(C::kNTasks, kMaxTraceTasks).value_or(0));  // sacct has it only for steps
    take_requested_memory(job);
    take_used_memory(job, 1);
    take_cpu_time(record.has_cpu_time, job.cpu_time);

    record.ended = !is_one_of(job.state, {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "RESIZING",
                                          "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "STAGE_OUT",
                                          "SIGNALING", "STOPPED", "RESV_DEL_HOLD"});
    const bool nothing_used = elapsed.value_or(0) == 0 && (job.cpus == 0 || cell(C::kNodeList) == "None assigned");
    record.started = start.has_value() && !nothing_used && job.state != "PENDING";
    const auto unusable = [](const char* why) { return tl::unexpected<std::string>(why); };
    if (!submit) {
      record.usable = unusable("submit time unknown");
    } else if (job.state == "REVOKED") {
      record.usable = unusable("revoked: it ran on another cluster of a federation");
    } else if (!record.ended && job.state == "RESIZING") {
      record.usable = unusable("record of a job before it was resized");
    } else if (!record.ended) {
      record.usable = unusable(record.started ? "had not ended" : "had not started");
    } else if (!record.started) {
      record.usable = unusable("never started: cancelled or failed in the queue");
    } else if (!elapsed) {
      record.usable = unusable("run time unknown");
    } else if (job.cpus == 0) {
      record.usable = unusable("number of CPUs unknown");
    }
    job.run_time = elapsed.value_or(0);
    if (!wrong_) enter(std::move(record));
  }

  // Adds a job's record and merges earlier records of the same job into it.
  void enter(Record record) {
    Latest& latest = latest_[record.job.id];
    latest.ignores_steps = false;
    if (latest.record != kNone) {
      if (given_before(latest.record, record)) {
        log_.report.skip("given twice", record.job.line);
        latest.ignores_steps = true;
        return;
      }
      Record& before = records_[latest.record];
      const bool same_submit = before.submit == record.submit;
      const bool unfinished = !before.ended && before.job.state != "REQUEUED";
      const bool requeued =
          before.job.state == "REQUEUED" ||
          (before.end >= 0 && std::abs(record.job.submit - before.end) <= kRequeueSlack &&
           is_one_of(before.job.state, {"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "CANCELLED", "FAILED", "TIMEOUT"}));
      if (unfinished && same_submit) {  // an earlier call of sacct saw the job before its end
        before.superseded = true;
        log_.report.skip("seen before its end, and again later", before.job.line);
      } else if (requeued && record.job.submit >= before.job.submit) {
        before.superseded = true;
        if (before.first_submit >= 0) record.first_submit = before.first_submit;
        record.job.lost_runs = before.job.lost_runs + (before.started ? 1 : 0);
        record.job.lost_cpu_time = before.job.lost_cpu_time + before.job.run_time * before.job.cpus;
        log_.report.skip("run of a job that was requeued, part of the job's last record", before.job.line);
      }
    }
    record.previous = latest.record;
    latest.record = records_.size();
    records_.push_back(std::move(record));
  }

  // Whether a job has this record already. A job that was requeued has several, and outputs that overlap repeat them
  // all.
  bool given_before(std::size_t at, const Record& record) const {
    for (; at != kNone; at = records_[at].previous) {
      const Record& before = records_[at];
      if (before.submit == record.submit && before.job.start == record.job.start && before.end == record.end &&
          before.job.state == record.job.state) {
        return true;
      }
    }
    return false;
  }

  void take_step(const std::string& base, std::string_view step) {
    const auto at = latest_.find(base);
    if (at == latest_.end()) {
      ++log_.report.records;
      log_.report.skip("step of a job whose own line is not there", line_number());
      return;
    }
    if (at->second.record == kNone || at->second.ignores_steps) return;
    Record& record = records_[at->second.record];
    const auto tasks = static_cast<int>(count(C::kNTasks, kMaxTraceTasks).value_or(1));
    if (wrong_) return;
    take_used_memory(record.job, std::max(1, tasks));
    bool known = false;
    Seconds cpu_time = 0;
    take_cpu_time(known, cpu_time);
    if (wrong_) return;
    if (known) record.steps_cpu_time = std::max(0.0, record.steps_cpu_time) + cpu_time;
    // "batch", "extern" and "interactive" are Slurm's own steps.
    const bool from_srun = !step.empty() && step.front() >= '0' && step.front() <= '9';
    if (from_srun) record.job.tasks = std::max(record.job.tasks, tasks);
    record.has_script = record.has_script || step == "batch";
    record.has_user = record.has_user || from_srun || step == "interactive";
  }

  std::int64_t number_of(const std::string& id) {
    const std::string_view raw = header_->has(C::kJobIdRaw) ? cell(C::kJobIdRaw) : std::string_view(id);
    std::int64_t number = 0;
    const NumberStatus status = parse_integer(raw, number);
    if (status == NumberStatus::kOk && number >= 0 && number <= kMostNumber) return number;
    if (header_->has(C::kJobIdRaw)) bad(C::kJobIdRaw, "a job number such as 12");
    return -1;  // "12_3": number_all() assigns a number
  }

  void take_limit(SacctJob& job) {
    for (const C column : {C::kTimelimitRaw, C::kTimelimit}) {
      const std::string_view text = cell(column);
      if (says_unknown(text)) continue;
      if (text == "UNLIMITED") {
        job.limit_kind = LimitKind::kUnlimited;
      } else if (text == "Partition_Limit") {
        job.limit_kind = LimitKind::kPartition;
      } else {
        job.limit_kind = LimitKind::kTime;
        if (column == C::kTimelimitRaw) {
          const auto minutes = count(column, static_cast<std::int64_t>(kMaxTraceSeconds / 60));
          job.limit = static_cast<Seconds>(minutes.value_or(0)) * 60;
        } else {
          job.limit = value(column, "a time limit such as 1-00:00:00, UNLIMITED or Partition_Limit", parse_duration)
                          .value_or(0);
        }
      }
      return;
    }
  }

  // A count in a list of trackable resources, such as cpu=4.
  std::optional<std::int64_t> tres_count(C column, std::string_view name, std::int64_t most) {
    const auto item = tres_item(cell(column), name);
    if (!item) return std::nullopt;
    std::int64_t number = 0;
    if (parse_integer(*item, number) != NumberStatus::kOk || number < 0 || number > most) {
      bad(column, fmt::format("{}= with a whole number up to {}", name, most));
      return std::nullopt;
    }
    return number;
  }

  // Slurm gives the sum, or only the GPUs of each type (gres/gpu:a100=2).
  std::optional<std::int64_t> gpus() {
    const auto all = tres_count(C::kAllocTres, "gres/gpu", kMaxTraceTasks);
    if (all) return all;
    std::int64_t sum = 0;
    each_item(cell(C::kAllocTres), [&](std::string_view item) {
      const std::size_t equals = item.find('=');
      if (!item.starts_with("gres/gpu:") || equals == std::string_view::npos) return;
      sum += tres_count(C::kAllocTres, item.substr(0, equals), kMaxTraceTasks).value_or(0);
    });
    return std::min<std::int64_t>(sum, kMaxTraceTasks);
  }

  void take_licences(SacctJob& job) {
    each_item(cell(C::kAllocTres), [&](std::string_view item) {
      constexpr std::string_view kPrefix = "license/";
      if (!item.starts_with(kPrefix)) return;
      const std::string_view name = item.substr(kPrefix.size(), item.find('=') - kPrefix.size());
      const auto count = tres_count(C::kAllocTres, item.substr(0, item.find('=')), kMostLicences);
      if (name.empty() || name.find_first_of(" \t") != std::string_view::npos || !count) {
        return bad(C::kAllocTres, "license/NAME=COUNT");
      }
      if (*count > 0) job.licences.push_back({std::string(name), *count});
    });
  }

  void take_size(SacctJob& job) {
    std::optional<std::int64_t> cpus = count(C::kAllocCpus, kMaxTraceTasks);
    if (!cpus) cpus = tres_count(C::kAllocTres, "cpu", kMaxTraceTasks);
    if (!cpus) cpus = count(C::kNCpus, kMaxTraceTasks);
    std::optional<std::int64_t> requested = count(C::kReqCpus, kMaxTraceTasks);
    if (!requested || *requested == 0) requested = tres_count(C::kReqTres, "cpu", kMaxTraceTasks);
    job.cpus = static_cast<int>(cpus.value_or(0));
    job.requested_cpus = requested && *requested > 0 ? static_cast<int>(*requested) : job.cpus;
    std::optional<std::int64_t> nodes = count(C::kAllocNodes, kMaxTraceNodes);
    if (!nodes || *nodes == 0) nodes = tres_count(C::kAllocTres, "node", kMaxTraceNodes);
    if (!nodes || *nodes == 0) nodes = count(C::kNNodes, kMaxTraceNodes);
    job.gpus = static_cast<int>(gpus().value_or(0));
    take_licences(job);
    // Each node holds at least one of the job's CPUs.
    job.nodes = static_cast<int>(std::clamp<std::int64_t>(nodes.value_or(1), 1, std::max(1, job.cpus)));
  }

  void take_requested_memory(SacctJob& job) {
    for (const C column : {C::kAllocTres, C::kReqTres}) {
      if (const auto item = tres_item(cell(column), "mem")) {
        const auto mib = parse_memory(*item, 1);
        if (!mib) return bad(column, "mem= with an amount such as 8G");
        if (*mib > 0) job.requested_mib = *mib;
        if (*mib > 0) return;
      }
    }
    const auto memory = value(C::kReqMem, "memory such as 8G, 4000Mc or 16Gn", [](std::string_view text) {
      // Some versions print "0?" for a request of 0, which means all memory of the nodes.
      return parse_requested_memory(text.ends_with('?') ? text.substr(0, text.size() - 1) : text);
    });
    if (!memory || memory->mib == 0) return;
    const double times = memory->per == MemoryPer::kCpu ? job.cpus : memory->per == MemoryPer::kNode ? job.nodes : 1;
    job.requested_mib = std::min(memory->mib * std::max(1.0, times), static_cast<double>(kMaxTraceRigid));
  }

  void take_used_memory(SacctJob& job, int tasks) {
    const auto mib = value(C::kMaxRss, "memory such as 1234K or 1.5G",
                           [](std::string_view text) { return parse_memory(text, kBytes); });
    if (!mib || *mib == 0) return;
    job.used_mib = std::max(job.used_mib, std::min(*mib * tasks, static_cast<double>(kMaxTraceRigid)));
  }

  void take_cpu_time(bool& known, Seconds& seconds) {
    if (const auto total = duration(C::kTotalCpu)) {
      known = true;
      seconds = *total;
      return;
    }
    const auto user = duration(C::kUserCpu);
    const auto system = duration(C::kSystemCpu);
    if (!user && !system) return;
    known = true;
    seconds = user.value_or(0) + system.value_or(0);
  }

  // ---- all rows ----

  Result<void> finish() {
    std::vector<SacctJob>& jobs = log_.jobs;
    for (Record& record : records_) {
      if (record.superseded) continue;
      if (!record.usable) {
        log_.report.skip(record.usable.error(), record.job.line);
        continue;
      }
      SacctJob& job = record.job;
      job.submit = record.first_submit;
      // The job's own line includes its steps, unless sacct was told to leave steps out.
      if (!record.has_cpu_time || job.cpu_time <= 0) job.cpu_time = record.steps_cpu_time;
      job.interactive = record.has_user && !record.has_script;
      if (job.start < job.submit) {  // a clock adjustment, or daylight saving in local times
        job.start = job.submit;
        log_.report.adjust("started before it was submitted, taken as started at once", job.line);
      }
      jobs.push_back(std::move(job));
    }
    if (jobs.empty()) {
      std::string reasons;
      for (const ReadNote& note : log_.report.skipped) {
        reasons += fmt::format("{}{} x {}", reasons.empty() ? ": " : ", ", note.count, note.reason);
      }
      return input_error(fmt::format("{}: no job that ran to its end{}", log_.source, reasons));
    }
    std::stable_sort(jobs.begin(), jobs.end(),
                     [](const SacctJob& a, const SacctJob& b) { return a.submit < b.submit; });
    number_all(jobs);
    return {};
  }

  // Makes job numbers unique: assigns numbers to array tasks without JobIDRaw, and to jobs submitted after the
  // cluster's numbering restarted.
  void number_all(std::vector<SacctJob>& jobs) {
    std::int64_t unused = 0;
    for (const SacctJob& job : jobs) unused = std::max(unused, job.number + 1);
    std::unordered_set<std::int64_t> seen;
    for (SacctJob& job : jobs) {
      if (job.number >= 0 && seen.insert(job.number).second) continue;
      if (job.number >= 0) log_.report.adjust("number used by an earlier job, given another", job.line);
      job.number = unused++;
    }
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  LineSplitter lines_;
  const SacctReadOptions& options_;
  SacctLog log_;
  std::optional<SacctHeader> header_;
  const std::vector<std::string_view>* cells_ = nullptr;
  std::optional<std::string> wrong_;  // with the line
  std::vector<Record> records_;
  struct Latest {
    std::size_t record = kNone;  // kNone: the job's line was malformed
    bool ignores_steps = false;  // those of a line given twice
  };
  std::unordered_map<std::string, Latest> latest_;  // by job
};

}  // namespace

// Words are separated by blanks and commas.
bool has_checkpoint_mark(std::string_view comment) {
  const auto separates = [](char c) { return c == ' ' || c == '\t' || c == ','; };
  for (std::size_t at = comment.find(kCheckpointMark); at != std::string_view::npos;
       at = comment.find(kCheckpointMark, at + 1)) {
    const std::size_t end = at + kCheckpointMark.size();
    if ((at == 0 || separates(comment[at - 1])) && (end == comment.size() || separates(comment[end]))) return true;
  }
  return false;
}

Result<SacctLog> parse_sacct(std::string_view text, std::string source, const SacctReadOptions& options) {
  return Reader(text, std::move(source), options).read();
}

}  // namespace dfrs::sim
