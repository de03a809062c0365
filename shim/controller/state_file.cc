// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/state_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
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

}  // namespace

std::string format_state(const SavedState& state) {
  std::string body =
      fmt::format(R"({{"epoch":{},"saved_at":{},"quotas_in_force":{},"lost_runs":{},"lost_work":{},)", state.epoch,
                  state.saved_at, state.quotas_in_force, state.totals.lost_runs, state.totals.lost_work);
  body += R"("jobs":[)";
  for (const auto& [id, job] : state.jobs) {
    if (body.back() != '[') body += ',';
    append_job(job, body);
  }
  body += "]}";
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
    const json root = json::parse(body);
    SavedState state;
    state.epoch = whole<std::uint64_t>(root.at("epoch"));
    state.saved_at = number(root.at("saved_at"), 0, 1e15);
    state.quotas_in_force = root.at("quotas_in_force").get<bool>();
    state.totals.lost_runs = whole<std::uint64_t>(root.at("lost_runs"));
    state.totals.lost_work = number(root.at("lost_work"), 0, 1e15);
    for (const json& j : root.at("jobs")) {
      SavedJob job = job_from_json(j);
      state.jobs.insert_or_assign(job.id, job);
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
