// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dfrs::shim {
namespace {

class Text {
 public:
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  // labels: `key="value"` joined by commas; all of ours are words, numbers and paths of routes.
  void sample(const std::string& labels, double value) {
    const std::string number = std::isinf(value) ? "+Inf" : fmt::format("{}", value);
    if (labels.empty())
      fmt::format_to(std::back_inserter(text_), "{} {}\n", name_, number);
    else
      fmt::format_to(std::back_inserter(text_), "{}{{{}}} {}\n", name_, labels, number);
  }
  void sample(const std::string& labels, std::uint64_t value) {
    if (labels.empty())
      fmt::format_to(std::back_inserter(text_), "{} {}\n", name_, value);
    else
      fmt::format_to(std::back_inserter(text_), "{}{{{}}} {}\n", name_, labels, value);
  }
  std::string take() { return std::move(text_); }

 private:
  const char* name_ = "";
  std::string text_;
};

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

}  // namespace

std::string format_metrics(const Agent::Metrics& agent, const HttpCounters& http, const char* cgroup_version) {
  Text text;
  text.family("dfrsd_info", "gauge", "Version of the control groups in use.");
  text.sample(fmt::format("cgroup=\"{}\"", cgroup_version), std::uint64_t{1});

  text.family("dfrsd_state_epoch", "gauge", "Epoch of the desired state in force; 0: none.");
  text.sample("", agent.desired.order.epoch);
  text.family("dfrsd_state_sequence", "gauge", "Its number within the epoch.");
  text.sample("", agent.desired.order.sequence);
  text.family("dfrsd_state_age_seconds", "gauge", "Since the controller's last desired state.");
  text.sample("", agent.state_age);
  text.family("dfrsd_states_total", "counter", "Desired states received, by what became of them.");
  text.sample("result=\"applied\"", agent.counters.applied);
  text.sample("result=\"stale\"", agent.counters.stale);
  text.sample("result=\"malformed\"", agent.counters.malformed);

  const auto paused = static_cast<std::uint64_t>(
      std::count_if(agent.desired.jobs.begin(), agent.desired.jobs.end(), [](const auto& job) { return job.paused; }));
  text.family("dfrsd_jobs", "gauge", "Jobs of the desired state.");
  text.sample("state=\"running\"", agent.desired.jobs.size() - paused);
  text.sample("state=\"paused\"", paused);

  const auto label = [](std::uint32_t job) { return fmt::format("job=\"{}\"", job); };
  text.family("dfrsd_job_quota_cores", "gauge", "CPU quota of a job on this node, in real cores.");
  for (const auto& [job, quota] : agent.quotas) text.sample(label(job), quota.cores());
  text.family("dfrsd_job_cpu_seconds_total", "counter", "CPU time of a job on this node.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.use.cpu_seconds);
  text.family("dfrsd_job_periods_total", "counter", "Quota periods in which a job could run.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.group.periods);
  text.family("dfrsd_job_throttled_periods_total", "counter", "Quota periods whose quota a job used up.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.group.throttled);
  text.family("dfrsd_job_throttled_seconds_total", "counter", "Time for which a job's quota held it back.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.group.throttled_seconds);
  text.family("dfrsd_job_memory_bytes", "gauge", "Resident memory of a job's processes.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.use.memory_mib * kMib);
  text.family("dfrsd_job_swap_bytes", "gauge", "Memory of a job's processes that is in swap.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.use.swap_mib * kMib);

  text.family("dfrsd_swap_total_bytes", "gauge", "Swap of this machine.");
  text.sample("", agent.swap.total_kib * 1024);
  text.family("dfrsd_swap_free_bytes", "gauge", "Of it, not in use.");
  text.sample("", agent.swap.free_kib * 1024);
  text.family("dfrsd_paged_out_bytes_total", "counter", "Memory of suspended jobs that was seen to go to swap.");
  text.sample("", agent.page_out.bytes);
  text.family("dfrsd_paged_out_jobs_total", "counter", "Suspended jobs whose memory was moved out, by how it ended.");
  text.sample("result=\"done\"", agent.page_out.jobs);
  text.sample("result=\"interrupted\"", agent.page_out.interrupted);
  text.sample("result=\"stayed\"", agent.page_out.stayed);

  text.family("dfrsd_jobs_corrected_total", "counter",
              "Jobs whose processes were stopped or ran against Slurm's state, and were corrected.");
  text.sample("to=\"running\"", agent.counters.continued);
  text.sample("to=\"stopped\"", agent.counters.stopped);

  text.family("dfrsd_quota_writes_total", "counter", "Quotas written to the kernel (only changes are).");
  text.sample("", agent.counters.quota_writes);
  text.family("dfrsd_groups_removed_total", "counter", "Empty control groups of former jobs removed.");
  text.sample("", agent.counters.groups_removed);
  text.family("dfrsd_errors_total", "counter", "Errors, by where.");
  text.sample("where=\"quota\"", agent.counters.quota_errors);
  text.sample("where=\"run_folder\"", agent.counters.folder_errors);
  text.sample("where=\"page_out\"", agent.page_out.errors);
  text.family("dfrsd_errors", "gauge", "Number of parts of the desired state that could not be applied.");
  text.sample("", static_cast<std::uint64_t>(agent.errors));

  text.family("dfrsd_http_answers_total", "counter", "Requests answered, by route and status.");
  for (const auto& [answer, count] : http.answers)
    text.sample(fmt::format("route=\"{}\",status=\"{}\"", answer.first, answer.second), count);
  text.family("dfrsd_http_refusals_total", "counter", "Requests not believed, by reason.");
  for (int reason = 0; reason < kRefusalCount; ++reason)
    text.sample(fmt::format("reason=\"{}\"", reason_name(static_cast<Refusal>(reason))),
                http.refusals[static_cast<std::size_t>(reason)]);
  return text.take();
}

}  // namespace dfrs::shim
