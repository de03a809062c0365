// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/quota/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

namespace dfrs::shim {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kMaxNodeName = 255;

// In the order of the enums.
constexpr std::array<std::string_view, 3> kPhases{"freeze", "dump", "resume"};
constexpr std::array<std::string_view, 8> kStates{"able",   "unable",  "frozen",   "dumped",
                                                  "failed", "resumed", "restored", "pre-dumping"};

// Reads the fields of one object. After the first error all reads return defaults.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail("", "an object");
  }

  std::uint64_t whole(const char* name, std::uint64_t least, std::uint64_t most) {
    const Json* const field = find(name);
    if (field == nullptr) return least;
    if (!field->is_number_unsigned() || field->get<std::uint64_t>() < least || field->get<std::uint64_t>() > most) {
      fail(name, fmt::format("a whole number from {} to {}", least, most));
      return least;
    }
    return field->get<std::uint64_t>();
  }

  double number(const char* name, double most) {
    const Json* const field = find(name);
    if (field == nullptr) return 0;
    const double value = field->is_number() ? field->get<double>() : -1;
    if (!(value >= 0 && value <= most)) {
      fail(name, fmt::format("a number from 0 to {}", most));
      return 0;
    }
    return value;
  }

  bool truth(const char* name) {
    const Json* const field = find(name);
    if (field != nullptr && field->is_boolean()) return field->get<bool>();
    fail(name, "true or false");
    return false;
  }

  std::string text(const char* name, std::size_t most) {
    const Json* const field = find(name);
    if (field != nullptr && field->is_string() && field->get_ref<const std::string&>().size() <= most)
      return field->get<std::string>();
    fail(name, fmt::format("a string of at most {} bytes", most));
    return {};
  }

  // The index of the text among these words.
  std::size_t word(const char* name, std::span<const std::string_view> words) {
    const Json* const field = find(name);
    if (field == nullptr) return 0;
    const auto found =
        field->is_string() ? std::find(words.begin(), words.end(), field->get_ref<const std::string&>()) : words.end();
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    fail(name, fmt::format("one of {}, not {}", fmt::join(words, ", "),
                           field->dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 64)));
    return 0;
  }

  const Json& list(const char* name, std::size_t most) {
    static const Json kEmpty = Json::array();
    const Json* const field = find(name);
    if (field != nullptr && field->is_array() && field->size() <= most) return *field;
    fail(name, fmt::format("a list of at most {} entries", most));
    return kEmpty;
  }

  /// The first error, if there was one.
  const tl::expected<void, std::string>& valid() const { return valid_; }

 private:
  const Json* find(const char* name) {
    if (!valid_) return nullptr;
    const auto field = object_.find(name);
    if (field != object_.end()) return &*field;
    fail(name, "to be there");
    return nullptr;
  }

  void fail(const char* name, const std::string& expected) {
    if (valid_) valid_ = tl::unexpected(fmt::format("{}{}: expected {}", where_, name, expected));
  }

  const Json& object_;
  std::string where_;
  tl::expected<void, std::string> valid_;
};

constexpr double kMostMeasuredAgo = 1e9;  // s
constexpr std::uint64_t kMaxOrder = std::numeric_limits<std::uint64_t>::max();

StateOrder order_of(Fields& fields, std::uint64_t least_epoch) {
  const std::uint64_t epoch = fields.whole("epoch", least_epoch, kMaxOrder);
  return {epoch, fields.whole("sequence", 0, kMaxOrder)};
}

std::uint32_t number32(Fields& fields, const char* name, std::uint32_t least) {
  return static_cast<std::uint32_t>(fields.whole(name, least, std::numeric_limits<std::uint32_t>::max()));
}

// Member `name` of an entry, if it is there. Null stands for "not there".
const Json* optional_member(const Json& entry, const char* name) {
  if (!entry.is_object()) return nullptr;
  const auto found = entry.find(name);
  return found == entry.end() || found->is_null() ? nullptr : &*found;
}

Json json_of(const CheckpointOrder& order) {
  return {{"attempt", order.attempt}, {"phase", name_of(order.phase)}, {"restarts", order.restarts},
          {"uid", order.uid},         {"folder", order.folder},        {"programs", order.programs}};
}

tl::expected<CheckpointOrder, std::string> checkpoint_order(const Json& json, const std::string& where) {
  Fields fields(json, where);
  CheckpointOrder order;
  order.attempt = fields.whole("attempt", 1, kMaxOrder);
  order.phase = static_cast<CheckpointPhase>(fields.word("phase", kPhases));
  order.restarts = number32(fields, "restarts", 0);
  order.uid = number32(fields, "uid", 0);
  order.folder = fields.text("folder", kMaxFolder);
  if (optional_member(json, "programs") != nullptr) order.programs = number32(fields, "programs", 0);
  if (!fields.valid()) return tl::unexpected(fields.valid().error());
  if (!order.folder.starts_with('/') || order.folder.find('\0') != std::string::npos)
    return tl::unexpected(fmt::format("{}folder: expected an absolute path", where));
  return order;
}

Json json_of(const CheckpointReport& report) {
  return {{"attempt", report.attempt}, {"state", name_of(report.state)}, {"reason", report.reason},
          {"bytes", report.bytes},     {"seconds", report.seconds},      {"programs", report.programs}};
}

tl::expected<CheckpointReport, std::string> checkpoint_report(const Json& json, const std::string& where) {
  Fields fields(json, where);
  CheckpointReport report;
  report.attempt = fields.whole("attempt", 0, kMaxOrder);
  report.state = static_cast<CheckpointState>(fields.word("state", kStates));
  report.reason = fields.text("reason", kMaxMessage);
  report.bytes = fields.whole("bytes", 0, kMaxOrder);
  report.seconds = fields.number("seconds", std::numeric_limits<double>::max());
  if (optional_member(json, "programs") != nullptr) report.programs = number32(fields, "programs", 0);
  if (!fields.valid()) return tl::unexpected(fields.valid().error());
  return report;
}

// Names may come from outside (an agent's --node): bytes that are not UTF-8 must not throw.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

tl::expected<JobQuota, std::string> job_quota(const Json& entry, const std::string& where) {
  Fields fields(entry, where);
  JobQuota quota;
  quota.job_id = number32(fields, "job_id", 1);
  quota.cpus = fields.number("cpus", kMaxCpus);
  quota.paused = fields.truth("paused");
  quota.suspended = fields.truth("suspended");
  if (optional_member(entry, "checkpointable") != nullptr) quota.checkpointable = fields.truth("checkpointable");
  if (optional_member(entry, "restoring") != nullptr) quota.restoring = fields.truth("restoring");
  if (!fields.valid()) return tl::unexpected(fields.valid().error());
  if (quota.paused && !quota.suspended)
    return tl::unexpected(fmt::format("desired state: job {}: paused, but not suspended", quota.job_id));
  if (const Json* const checkpoint = optional_member(entry, "checkpoint")) {
    auto order = checkpoint_order(*checkpoint, where + "checkpoint.");
    if (!order) return tl::unexpected(std::move(order).error());
    quota.checkpoint = *std::move(order);
  }
  return quota;
}

tl::expected<JobUse, std::string> job_use(const Json& entry, const std::string& where) {
  Fields fields(entry, where);
  JobUse use;
  use.job_id = number32(fields, "job_id", 1);
  use.cpu_seconds = fields.number("cpu_seconds", std::numeric_limits<double>::max());
  use.memory_mib = fields.whole("memory_mib", 0, kMaxOrder);
  use.swap_mib = fields.whole("swap_mib", 0, kMaxOrder);
  if (optional_member(entry, "swap_left_mib") != nullptr)
    use.swap_left_mib = fields.whole("swap_left_mib", 0, kMaxOrder);
  if (!fields.valid()) return tl::unexpected(fields.valid().error());
  if (const Json* const checkpoint = optional_member(entry, "checkpoint")) {
    auto report = checkpoint_report(*checkpoint, where + "checkpoint.");
    if (!report) return tl::unexpected(std::move(report).error());
    use.checkpoint = *std::move(report);
  }
  return use;
}

}  // namespace

std::string_view name_of(CheckpointPhase phase) { return kPhases.at(static_cast<std::size_t>(phase)); }
std::string_view name_of(CheckpointState state) { return kStates.at(static_cast<std::size_t>(state)); }

std::string format_desired(const DesiredState& state) {
  Json jobs = Json::array();
  for (const JobQuota& job : state.jobs) {
    jobs.push_back({{"job_id", job.job_id},
                    {"cpus", job.cpus},
                    {"paused", job.paused},
                    {"suspended", job.suspended || job.paused}});
    if (job.checkpointable) jobs.back()["checkpointable"] = true;
    if (job.restoring) jobs.back()["restoring"] = true;
    if (job.checkpoint) jobs.back()["checkpoint"] = json_of(*job.checkpoint);
  }
  return dump({{"version", kVersion},
               {"node", state.node},
               {"epoch", state.order.epoch},
               {"sequence", state.order.sequence},
               {"jobs", std::move(jobs)}});
}

tl::expected<DesiredState, std::string> parse_desired(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return tl::unexpected(std::string("a desired state: not JSON"));
  Fields fields(json, "desired state: ");
  fields.whole("version", kVersion, kVersion);
  DesiredState state;
  state.node = fields.text("node", kMaxNodeName);
  state.order = order_of(fields, 1);
  for (const Json& entry : fields.list("jobs", kMaxJobs)) {
    auto quota = job_quota(entry, fmt::format("desired state: jobs[{}].", state.jobs.size()));
    if (!quota) return tl::unexpected(std::move(quota).error());
    state.jobs.push_back(*std::move(quota));
  }
  if (!fields.valid()) return tl::unexpected(fields.valid().error());
  std::sort(state.jobs.begin(), state.jobs.end(), [](const auto& a, const auto& b) { return a.job_id < b.job_id; });
  const auto twice = std::adjacent_find(state.jobs.begin(), state.jobs.end(),
                                        [](const auto& a, const auto& b) { return a.job_id == b.job_id; });
  if (twice != state.jobs.end())
    return tl::unexpected(fmt::format("desired state: jobs: job {} is listed twice", twice->job_id));
  return state;
}

std::string format_report(const AgentReport& report) {
  Json jobs = Json::array();
  for (const JobUse& use : report.jobs) {
    jobs.push_back({{"job_id", use.job_id},
                    {"cpu_seconds", use.cpu_seconds},
                    {"memory_mib", use.memory_mib},
                    {"swap_mib", use.swap_mib}});
    if (use.swap_left_mib) jobs.back()["swap_left_mib"] = *use.swap_left_mib;
    if (use.checkpoint) jobs.back()["checkpoint"] = json_of(*use.checkpoint);
  }
  Json errors = Json::array();
  for (const auto& error : report.errors) errors.push_back({{"job_id", error.job_id}, {"error", error.message}});
  return dump({{"version", kVersion},
               {"node", report.node},
               {"epoch", report.applied.epoch},
               {"sequence", report.applied.sequence},
               {"jobs", std::move(jobs)},
               {"measured_ago_s", report.measured_ago},
               {"errors", std::move(errors)},
               {"swap_total_mib", report.swap_total_mib},
               {"swap_free_mib", report.swap_free_mib}});
}

tl::expected<AgentReport, std::string> parse_report(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return tl::unexpected(std::string("a report: not JSON"));
  Fields fields(json, "report: ");
  fields.whole("version", kVersion, kVersion);
  AgentReport report;
  report.node = fields.text("node", kMaxNodeName);
  report.applied = order_of(fields, 0);
  report.swap_total_mib = fields.whole("swap_total_mib", 0, kMaxOrder);
  report.swap_free_mib = fields.whole("swap_free_mib", 0, kMaxOrder);
  if (optional_member(json, "measured_ago_s") != nullptr)
    report.measured_ago = fields.number("measured_ago_s", kMostMeasuredAgo);
  // Reports may contain jobs that have just left beside the desired ones.
  for (const Json& entry : fields.list("jobs", 2 * kMaxJobs)) {
    auto use = job_use(entry, fmt::format("report: jobs[{}].", report.jobs.size()));
    if (!use) return tl::unexpected(std::move(use).error());
    report.jobs.push_back(*std::move(use));
  }
  for (const Json& entry : fields.list("errors", 2 * kMaxJobs)) {
    Fields job(entry, fmt::format("report: errors[{}].", report.errors.size()));
    AgentReport::JobError error;
    error.job_id = number32(job, "job_id", 0);
    error.message = job.text("error", kMaxMessage);
    if (!job.valid()) return tl::unexpected(job.valid().error());
    report.errors.push_back(std::move(error));
  }
  if (!fields.valid()) return tl::unexpected(fields.valid().error());
  return report;
}

std::string format_stale(StateOrder have, StateOrder got) {
  return dump({{"error", fmt::format("the state {}.{} is not newer than {}.{}, which was applied (a request that was "
                                     "repeated or overtaken)",
                                     got.epoch, got.sequence, have.epoch, have.sequence)},
               {"reason", "stale"},
               {"epoch", have.epoch},
               {"sequence", have.sequence}});
}

tl::expected<StateOrder, std::string> parse_stale(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return tl::unexpected(std::string("an answer of status 409: not JSON"));
  Fields fields(json, "answer of status 409: ");
  const StateOrder order = order_of(fields, 0);
  if (!fields.valid()) return tl::unexpected(fields.valid().error());
  return order;
}

}  // namespace dfrs::shim
