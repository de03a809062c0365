// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/quota/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace dfrs::shim {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kMaxNodeName = 255;
constexpr std::size_t kMaxMessage = 1024;

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

constexpr std::uint64_t kMaxOrder = std::numeric_limits<std::uint64_t>::max();

StateOrder order_of(Fields& fields, std::uint64_t least_epoch) {
  const std::uint64_t epoch = fields.whole("epoch", least_epoch, kMaxOrder);
  return {epoch, fields.whole("sequence", 0, kMaxOrder)};
}

// Names may come from outside (an agent's --node): bytes that are not UTF-8 must not throw.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string format_desired(const DesiredState& state) {
  Json jobs = Json::array();
  for (const JobQuota& job : state.jobs)
    jobs.push_back({{"job_id", job.job_id},
                    {"cpus", job.cpus},
                    {"paused", job.paused},
                    {"suspended", job.suspended || job.paused}});
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
    Fields job(entry, fmt::format("desired state: jobs[{}].", state.jobs.size()));
    JobQuota quota;
    quota.job_id = static_cast<std::uint32_t>(job.whole("job_id", 1, std::numeric_limits<std::uint32_t>::max()));
    quota.cpus = job.number("cpus", kMaxCpus);
    quota.paused = job.truth("paused");
    quota.suspended = job.truth("suspended");
    if (!job.valid()) return tl::unexpected(job.valid().error());
    if (quota.paused && !quota.suspended)
      return tl::unexpected(fmt::format("desired state: job {}: paused, but not suspended", quota.job_id));
    state.jobs.push_back(quota);
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
  }
  Json errors = Json::array();
  for (const auto& error : report.errors) errors.push_back({{"job_id", error.job_id}, {"error", error.message}});
  return dump({{"version", kVersion},
               {"node", report.node},
               {"epoch", report.applied.epoch},
               {"sequence", report.applied.sequence},
               {"jobs", std::move(jobs)},
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
  // Reports may contain jobs that have just left beside the desired ones.
  for (const Json& entry : fields.list("jobs", 2 * kMaxJobs)) {
    Fields job(entry, fmt::format("report: jobs[{}].", report.jobs.size()));
    JobUse use;
    use.job_id = static_cast<std::uint32_t>(job.whole("job_id", 1, std::numeric_limits<std::uint32_t>::max()));
    use.cpu_seconds = job.number("cpu_seconds", std::numeric_limits<double>::max());
    use.memory_mib = job.whole("memory_mib", 0, kMaxOrder);
    use.swap_mib = job.whole("swap_mib", 0, kMaxOrder);
    if (entry.is_object() && entry.contains("swap_left_mib"))
      use.swap_left_mib = job.whole("swap_left_mib", 0, kMaxOrder);
    if (!job.valid()) return tl::unexpected(job.valid().error());
    report.jobs.push_back(use);
  }
  for (const Json& entry : fields.list("errors", 2 * kMaxJobs)) {
    Fields job(entry, fmt::format("report: errors[{}].", report.errors.size()));
    AgentReport::JobError error;
    error.job_id = static_cast<std::uint32_t>(job.whole("job_id", 0, std::numeric_limits<std::uint32_t>::max()));
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
