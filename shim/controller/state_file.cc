// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/state_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/sha256.h"
#include "shim/controller/synced_file.h"

namespace dfrs::shim {
namespace {

using nlohmann::json;

tl::expected<std::string, int> read_text(const std::string& path) {
  const base::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return tl::unexpected(errno);
  return base::read_all(file.get(), std::numeric_limits<std::size_t>::max());
}

json checkpoint_to_json(const Checkpointing& state) {
  return {{"phase", static_cast<int>(state.phase)},
          {"attempt", state.attempt},
          {"run", state.run},
          {"began", state.began},
          {"programs", state.programs},
          {"bytes_on_node", state.bytes_on_node},
          {"failures", state.failures},
          {"not_before", state.not_before},
          {"failure", state.failure},
          {"attempts", state.attempts},
          {"failed", state.failed},
          {"bytes", state.bytes},
          {"image", {state.image.attempt, state.image.progress}},
          {"previous", {state.previous.attempt, state.previous.progress}},
          {"written_off", {state.written_off.attempt, state.written_off.progress}},
          {"restoring", state.restoring},
          {"last_word", static_cast<int>(state.last_word)}};
}

// As text at once: a large cluster has tens of thousands of jobs to save, and a tree of them takes several times as
// long.
void append_job(const SavedJob& job, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"id":{},"restarts":{},"submit":{},"user":{},"run":{},"clock":[{},{},{}],"run_base":{},)"
                 R"("yield":{},"release":{},"started":{},"pauses":{},"moves":{},"lost_runs":{},"lost_work":{},)"
                 R"("longest_run":{},"known":{},"requeue_asked":{},"requeue_asked_of":{},"requeued_by_us":{},)"
                 R"("requeue_begin_time":{},"start_not_before":{})",
                 job.id, job.restarts, job.submit, job.user, static_cast<int>(job.run), job.clock.base, job.clock.since,
                 job.clock.rate, job.run_base, job.yield, job.release, job.started, job.pauses, job.moves,
                 job.lost_runs, job.lost_work, job.longest_run, job.known_to_policy, job.requeue_asked,
                 job.requeue_asked_of, job.requeued_by_us, job.requeue_begin_time, job.start_not_before);
  if (job.checkpointing.attempt != 0) {
    // Reasons come from agents: bytes that are not UTF-8 must not throw.
    out += R"(,"checkpoint":)";
    out += checkpoint_to_json(job.checkpointing).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  out += '}';
}

// Throws json::exception if the value is no number or out of range.
double number(const json& value, double least, double most) {
  const double number = value.get<double>();
  if (!(number >= least && number <= most)) throw json::other_error::create(501, "a number is out of range", &value);
  return number;
}

// Throws json::exception if the value is no whole number of this type. get() would convert it, whatever it is.
template <class Integer>
Integer whole(const json& value) {
  const bool right = value.is_number_unsigned()
                         ? std::in_range<Integer>(value.get<std::uint64_t>())
                         : value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>());
  if (!right) throw json::other_error::create(501, "a whole number is out of range, or is none", &value);
  return value.get<Integer>();
}

constexpr double kMost = 1e15;

Image image_from_json(const json& j) { return {whole<std::uint64_t>(j.at(0)), number(j.at(1), 0, kMost)}; }

Checkpointing checkpoint_from_json(const json& j) {
  Checkpointing state;
  state.phase = static_cast<Checkpointing::Phase>(static_cast<int>(number(j.at("phase"), 0, 4)));
  state.attempt = whole<std::uint64_t>(j.at("attempt"));
  state.run = whole<std::uint32_t>(j.at("run"));
  state.began = number(j.at("began"), 0, kMost);
  state.programs = j.contains("programs") ? whole<std::uint32_t>(j.at("programs")) : 0;
  state.bytes_on_node = whole<std::uint64_t>(j.at("bytes_on_node"));
  state.failures = whole<std::uint32_t>(j.at("failures"));
  state.not_before = number(j.at("not_before"), 0, kMost);
  state.failure = j.at("failure").get<std::string>();
  state.attempts = whole<std::uint32_t>(j.at("attempts"));
  state.failed = whole<std::uint32_t>(j.at("failed"));
  state.bytes = whole<std::uint64_t>(j.at("bytes"));
  state.image = image_from_json(j.at("image"));
  state.previous = image_from_json(j.at("previous"));
  state.written_off = image_from_json(j.at("written_off"));
  state.restoring = j.at("restoring").get<bool>();
  state.last_word = static_cast<CheckpointPhase>(static_cast<int>(number(j.at("last_word"), 0, 2)));
  return state;
}

SavedJob job_from_json(const json& j) {
  SavedJob job;
  job.id = whole<std::uint32_t>(j.at("id"));
  job.restarts = whole<std::uint32_t>(j.at("restarts"));
  job.submit = whole<std::int64_t>(j.at("submit"));
  job.user = whole<std::uint32_t>(j.at("user"));
  job.run = static_cast<SavedJob::Run>(static_cast<int>(number(j.at("run"), 0, 2)));
  job.clock.base = number(j.at("clock").at(0), 0, kMost);
  job.clock.since = number(j.at("clock").at(1), 0, kMost);
  job.clock.rate = number(j.at("clock").at(2), 0, 1);
  job.run_base = number(j.at("run_base"), 0, kMost);
  job.yield = number(j.at("yield"), 0, 1);
  job.release = number(j.at("release"), 0, kMost);
  job.started = number(j.at("started"), 0, kMost);
  job.pauses = whole<std::uint32_t>(j.at("pauses"));
  job.moves = whole<std::uint32_t>(j.at("moves"));
  job.lost_runs = whole<std::uint32_t>(j.at("lost_runs"));
  job.lost_work = number(j.at("lost_work"), 0, kMost);
  // State files of earlier versions do not have it.
  if (j.contains("longest_run")) job.longest_run = number(j.at("longest_run"), 0, kMost);
  job.known_to_policy = j.at("known").get<bool>();
  job.requeue_asked = j.at("requeue_asked").get<bool>();
  job.requeue_asked_of = whole<std::uint32_t>(j.at("requeue_asked_of"));
  job.requeued_by_us = j.at("requeued_by_us").get<bool>();
  job.requeue_begin_time = whole<std::int64_t>(j.at("requeue_begin_time"));
  job.start_not_before = number(j.at("start_not_before"), 0, kMost);
  if (j.contains("checkpoint")) job.checkpointing = checkpoint_from_json(j.at("checkpoint"));
  return job;
}

// Reads what append_job() writes, without JSON's tree: a restart of a large cluster waits for it. Anything else is left
// to job_from_json().
class WrittenText {
 public:
  explicit WrittenText(std::string_view text) : text_(text) {}

  template <class Number>
  WrittenText& number(std::string_view label, Number& value) {
    skip(label);
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    good_ = good_ && error == std::errc{};
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return *this;
  }
  WrittenText& amount(std::string_view label, double& value, double most = kMost) {
    number(label, value);
    good_ = good_ && value >= 0 && value <= most;
    return *this;
  }
  WrittenText& flag(std::string_view label, bool& value) {
    skip(label);
    value = text_.starts_with("true");
    skip(value ? "true" : "false");
    return *this;
  }
  void skip(std::string_view words) {
    good_ = good_ && text_.starts_with(words);
    if (good_) text_.remove_prefix(words.size());
  }
  bool all_read() const { return good_ && text_.empty(); }

 private:
  std::string_view text_;
  bool good_ = true;
};

std::optional<SavedJob> job_as_written(std::string_view line) {
  SavedJob job;
  int run = 0;
  WrittenText text(line);
  text.number(R"({"id":)", job.id).number(R"(,"restarts":)", job.restarts).number(R"(,"submit":)", job.submit);
  text.number(R"(,"user":)", job.user).number(R"(,"run":)", run).amount(R"(,"clock":[)", job.clock.base);
  text.amount(",", job.clock.since).amount(",", job.clock.rate, 1).amount(R"(],"run_base":)", job.run_base);
  text.amount(R"(,"yield":)", job.yield, 1).amount(R"(,"release":)", job.release);
  text.amount(R"(,"started":)", job.started).number(R"(,"pauses":)", job.pauses).number(R"(,"moves":)", job.moves);
  text.number(R"(,"lost_runs":)", job.lost_runs).amount(R"(,"lost_work":)", job.lost_work);
  text.amount(R"(,"longest_run":)", job.longest_run).flag(R"(,"known":)", job.known_to_policy);
  text.flag(R"(,"requeue_asked":)", job.requeue_asked).number(R"(,"requeue_asked_of":)", job.requeue_asked_of);
  text.flag(R"(,"requeued_by_us":)", job.requeued_by_us);
  text.number(R"(,"requeue_begin_time":)", job.requeue_begin_time);
  text.amount(R"(,"start_not_before":)", job.start_not_before).skip("}");
  if (!text.all_read() || run < 0 || run > 2) return std::nullopt;
  job.run = static_cast<SavedJob::Run>(run);
  return job;
}

// Around the jobs, each of which is a line.
constexpr std::string_view kJobsBegin = "\"jobs\":[\n";
constexpr std::string_view kJobsEnd = "]}";

// Calls f(SavedJob) for each line. Throws json::exception.
template <typename F>
void each_job(std::string_view list, F f) {
  while (!list.empty()) {
    std::string_view line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(line.size() + 1, list.size()));
    if (line.starts_with(',')) line.remove_prefix(1);
    const std::optional<SavedJob> job = job_as_written(line);
    f(job ? *job : job_from_json(json::parse(line)));
  }
}

}  // namespace

std::string format_state(const SavedState& state) {
  std::string body =
      fmt::format(R"({{"epoch":{},"saved_at":{},"quotas_in_force":{},"lost_runs":{},"lost_work":{},)", state.epoch,
                  state.saved_at, state.quotas_in_force, state.totals.lost_runs, state.totals.lost_work);
  body += kJobsBegin;
  for (const auto& [id, job] : state.jobs) {
    if (!body.ends_with(kJobsBegin)) body += ',';
    append_job(job, body);
    body += '\n';
  }
  body += kJobsEnd;
  return fmt::format("dfrs_state {} {} {}\n{}", kStateVersion, base::sha256_hex(body), body.size(), body);
}

tl::expected<SavedState, std::string> parse_state(std::string_view text) {
  const auto fail = [](std::string why) { return tl::unexpected<std::string>(std::move(why)); };
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || end > 200) return fail("its first line is missing");
  const std::string head(text.substr(0, end));
  const std::string_view body = text.substr(end + 1);
  int version = 0;
  std::array<char, 65> digest{};
  unsigned long long length = 0;
  if (std::sscanf(head.c_str(), "dfrs_state %d %64[0-9a-f] %llu", &version, digest.data(), &length) != 3) {
    return fail("its first line is not \"dfrs_state VERSION SHA256 LENGTH\"");
  }
  if (version != kStateVersion) {
    return fail(fmt::format("it has version {}, this program knows {}", version, kStateVersion));
  }
  if (length != body.size()) return fail(fmt::format("it has {} bytes of {}", body.size(), length));
  if (base::sha256_hex(body) != digest.data()) return fail("its checksum is wrong");
  try {
    // Files of earlier versions have all jobs in one line.
    const std::size_t jobs = body.find(kJobsBegin);
    const bool lines = jobs != std::string_view::npos && body.ends_with(kJobsEnd);
    const json root = lines ? json::parse(std::string(body.substr(0, jobs)) + R"("jobs":[]})") : json::parse(body);
    SavedState state;
    const auto enter = [&](const SavedJob& job) { state.jobs.insert_or_assign(job.id, job); };
    state.epoch = whole<std::uint64_t>(root.at("epoch"));
    state.saved_at = number(root.at("saved_at"), 0, 1e15);
    state.quotas_in_force = root.at("quotas_in_force").get<bool>();
    state.totals.lost_runs = whole<std::uint64_t>(root.at("lost_runs"));
    state.totals.lost_work = number(root.at("lost_work"), 0, 1e15);
    for (const json& job : root.at("jobs")) enter(job_from_json(job));
    if (lines) {
      const std::size_t first = jobs + kJobsBegin.size();
      each_job(body.substr(first, body.size() - kJobsEnd.size() - first), enter);
    }
    return state;
  } catch (const json::exception& e) {
    return fail(e.what());
  }
}

tl::expected<SavedState, std::string> StateFile::load(const Log& log) const {
  const auto text = read_text(path());
  if (!text && text.error() == ENOENT) return SavedState{};
  if (!text) return tl::unexpected<std::string>(file_failure("read", path(), text.error()));
  auto state = parse_state(*text);
  if (state) return state;
  const std::string aside = fmt::format("{}.damaged-{}", path(), std::time(nullptr));
  if (rename(path().c_str(), aside.c_str()) != 0) {
    return tl::unexpected<std::string>(
        fmt::format("{} is damaged ({}), and {}", path(), state.error(), file_failure("rename it to", aside, errno)));
  }
  log.error(
      "{} is damaged: {}; it was set aside as {}. The progress of jobs is now what their comments say, or counts "
      "from now on; nothing else is lost",
      path(), state.error(), aside);
  return SavedState{};
}

tl::expected<SavedState, std::string> StateFile::peek() const {
  const auto text = read_text(path());
  if (!text) return tl::unexpected<std::string>(file_failure("read", path(), text.error()));
  return parse_state(*text);
}

tl::expected<void, std::string> StateFile::store(const SavedState& state) const {
  return replace_synced(folder_, kStateFileName, format_state(state));
}

}  // namespace dfrs::shim
