// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "shim/agent/metrics.h"
#include "tests/shim/agent/fake_cgroups.h"
#include "tests/shim/agent/no_page_out.h"

namespace dfrs::shim {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class AgentTest : public testing::TestWithParam<FakeCgroups::Version> {
 protected:
  bool v1() const { return GetParam() == FakeCgroups::Version::v1; }
  std::string group(std::uint32_t job, const std::string& file = {}) const {
    return (v1() ? "cpu/dfrs/n1/job_" : "system.slice/n1_slurmstepd.scope/job_") + std::to_string(job) +
           (file.empty() ? "" : "/" + file);
  }
  std::string quota(std::uint32_t job) const {
    return v1() ? tree.text(group(job, "cpu.cfs_quota_us")) + " " + tree.text(group(job, "cpu.cfs_period_us"))
                : tree.text(group(job, "cpu.max"));
  }
  std::string unlimited() const { return v1() ? "-1" : "max"; }
  /// As when the job's first task comes: v1's group is made by the agent or the SPANK plugin, v2's by Slurm.
  void start_job(std::uint32_t job) const {
    if (!v1()) tree.make_v2_group(group(job));
  }
  void set_processes(std::uint32_t job, const std::string& processes) const {
    tree.write(group(job, "cgroup.procs"), processes);
  }
  // The job's part of its line in the list for the SPANK plugin.
  std::string published(std::uint32_t job) const {
    const std::string text = "\n" + file_text(run / "n1/quotas"), begin = "\n" + std::to_string(job) + " ";
    const std::size_t at = text.find(begin);
    if (at == std::string::npos) return "";
    const std::size_t from = at + begin.size();
    return text.substr(from, text.find('\n', from) + 1 - from);
  }

  std::unique_ptr<Agent> start(double cores_per_cpu = 1) {
    auto groups = open_job_groups({tree.root(), "dfrs", "n1"}, tree);
    EXPECT_TRUE(groups) << groups.error();
    auto folder = RunFolder::open(run / "n1");
    EXPECT_TRUE(folder) << folder.error();
    AgentOptions options;
    options.node = "n1";
    options.cores_per_cpu = cores_per_cpu;
    options.proc = proc.path().string();
    options.checkpoint = [this](std::uint32_t) { return checkpoint; };
    options.log = [this](AgentLog level, const std::string& message) {
      if (level != AgentLog::info) problems.push_back(message);
    };
    return std::make_unique<Agent>(options, std::move(*groups), std::move(*folder), page_out);
  }
  static CheckpointReport report(std::uint64_t attempt, CheckpointState state) {
    CheckpointReport report;
    report.attempt = attempt;
    report.state = state;
    return report;
  }
  static DesiredState state(std::uint64_t sequence, std::vector<JobQuota> jobs, std::uint64_t epoch = 1) {
    return {"n1", {epoch, sequence}, std::move(jobs)};
  }

  std::optional<CheckpointReport> checkpoint;  // what is reported of every job
  FakeCgroups tree{GetParam()};
  Folder run;
  Folder proc;
  NoPageOut page_out;
  std::vector<std::string> problems;
};

/// Version 2 always accounts.
class AgentTestV1 : public AgentTest {};

TEST_P(AgentTest, AJobThatIsDumpedHasNoQuotaUntilItGoesOn) {
  const auto agent = start();
  start_job(12);
  const auto ordered = [&](std::uint64_t sequence, CheckpointPhase phase) {
    JobQuota job{12, 0.5};
    job.checkpoint = CheckpointOrder{3, phase, 0, 0, "/images", 1};
    ASSERT_TRUE(agent->apply(state(sequence, {job})));
  };
  ordered(1, CheckpointPhase::kFreeze);
  EXPECT_EQ(quota(12), "5000 10000");
  checkpoint = report(3, CheckpointState::kFrozen);
  ordered(2, CheckpointPhase::kDump);
  EXPECT_THAT(quota(12), testing::StartsWith(unlimited()));
  checkpoint->state = CheckpointState::kDumped;
  agent->tick();
  EXPECT_THAT(quota(12), testing::StartsWith(unlimited()));
  checkpoint->state = CheckpointState::kFailed;
  agent->tick();
  EXPECT_EQ(quota(12), "5000 10000");
  checkpoint = report(2, CheckpointState::kDumped);
  ordered(3, CheckpointPhase::kDump);
  EXPECT_EQ(quota(12), "5000 10000") << "of an earlier attempt";
  checkpoint = report(3, CheckpointState::kDumped);
  ordered(4, CheckpointPhase::kResume);
  EXPECT_EQ(quota(12), "5000 10000");
}

TEST_P(AgentTest, AppliesAStateAtOnce) {
  const auto agent = start(0.5);
  start_job(12);
  start_job(13);
  const auto report = agent->apply(state(1, {{12, 1, false}, {13, 0.5, true, true}}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->node, "n1");
  EXPECT_EQ(report->applied, (StateOrder{1, 1}));
  EXPECT_TRUE(report->errors.empty());
  EXPECT_EQ(quota(12), "5000 10000");
  EXPECT_EQ(quota(13), "2500 10000");
  EXPECT_EQ(published(12), "5000 10000\n");
  EXPECT_EQ(published(13), "2500 10000\n");
}

TEST_P(AgentTest, AGroupThatComesLaterGetsItsQuota) {
  const auto agent = start();
  ASSERT_TRUE(agent->apply(state(1, {{12, 0.5, false}})));
  start_job(12);
  agent->tick();
  EXPECT_EQ(quota(12), "5000 10000");
  // Slurm and the SPANK plugin may set another: a default, or an older value.
  tree.write(group(12, v1() ? "cpu.cfs_quota_us" : "cpu.max"), v1() ? "20000\n" : "20000 10000\n");
  agent->tick();
  EXPECT_EQ(quota(12), "5000 10000");
  const std::uint64_t writes = agent->metrics().counters.quota_writes;
  agent->tick();
  EXPECT_EQ(agent->metrics().counters.quota_writes, writes);
}

TEST_P(AgentTest, RefusesRepeatedAndOvertakenStates) {
  const auto agent = start();
  start_job(12);
  ASSERT_TRUE(agent->apply(state(5, {{12, 0.5, false}}, 2)));
  for (const StateOrder old : {StateOrder{2, 5}, StateOrder{2, 4}, StateOrder{1, 100}}) {
    const auto refused = agent->apply({"n1", old, {{12, 2, false}}});
    ASSERT_FALSE(refused);
    ASSERT_TRUE(std::holds_alternative<Agent::Stale>(refused.error()));
    EXPECT_EQ(std::get<Agent::Stale>(refused.error()).have, (StateOrder{2, 5}));
  }
  EXPECT_EQ(quota(12), "5000 10000");
  EXPECT_TRUE(agent->apply(state(1, {{12, 1, false}}, 3)));
  EXPECT_EQ(quota(12), "10000 10000");
  EXPECT_EQ(agent->metrics().counters.stale, 3u);
}

TEST_P(AgentTest, RefusesTheStateOfAnotherNode) {
  const auto agent = start();
  const auto refused = agent->apply({"n2", {1, 1}, {}});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(std::holds_alternative<Agent::Malformed>(refused.error()));
  EXPECT_EQ(agent->metrics().counters.malformed, 1u);
}

TEST_P(AgentTest, LiftsTheQuotaOfJobsThatAreNoLongerOurs) {
  const auto agent = start();
  start_job(12);
  start_job(13);
  ASSERT_TRUE(agent->apply(state(1, {{12, 0.5, false}, {13, 0.5, false}})));
  set_processes(12, "100\n");
  ASSERT_TRUE(agent->apply(state(2, {})));
  EXPECT_THAT(quota(12), testing::StartsWith(unlimited()));
  EXPECT_EQ(published(12), "");
  // Nothing of job 13 runs any more.
  EXPECT_EQ(tree.exists(group(13)), !v1());
  // The other is removed once it was empty at two ticks in a row.
  set_processes(12, "");
  agent->tick();
  EXPECT_TRUE(tree.exists(group(12)));
  agent->tick();
  EXPECT_EQ(tree.exists(group(12)), !v1());
}

TEST_P(AgentTest, LeavesGroupsAloneOfWhichItWasToldNothing) {
  // Under another scheduler the SPANK plugin gives jobs a default quota.
  const auto agent = start();
  auto other = open_job_groups({tree.root(), "dfrs", "n1"}, tree);
  start_job(20);
  ASSERT_TRUE((*other)->set_quota(20, CpuMax{8000, 10000}));
  set_processes(20, "100\n");
  ASSERT_TRUE(agent->apply(state(1, {})));
  agent->tick();
  agent->tick();
  EXPECT_EQ(quota(20), "8000 10000");
}

TEST_P(AgentTest, ARestartedAgentGoesOnWhereItWas) {
  start_job(12);
  start_job(13);
  ASSERT_TRUE(start()->apply(state(7, {{12, 0.5, false}, {13, 0.3, false}})));
  tree.write(group(12, v1() ? "cpu.cfs_quota_us" : "cpu.max"), v1() ? "-1\n" : "max 10000\n");
  const auto agent = start();
  EXPECT_EQ(agent->report().applied, (StateOrder{1, 7}));
  agent->tick();
  EXPECT_EQ(quota(12), "5000 10000");
  EXPECT_EQ(published(12), "5000 10000\n");
  EXPECT_FALSE(agent->apply(state(7, {{12, 2, false}})));
  // It notices a job that ended while it was down.
  set_processes(13, "100\n");
  ASSERT_TRUE(agent->apply(state(8, {{12, 0.5, false}})));
  EXPECT_THAT(quota(13), testing::StartsWith(unlimited()));
  EXPECT_EQ(published(13), "");
  EXPECT_THAT(problems, testing::IsEmpty());
}

TEST_P(AgentTest, ADamagedMemoryIsSetAside) {
  start_job(12);
  ASSERT_TRUE(start()->apply(state(7, {{12, 0.5, false}})));
  const std::string remembered = run / "n1/desired.json";
  for (const std::string& damage : {std::string(), std::string("{"), file_text(remembered).substr(0, 40),
                                    format_desired({"n2", {1, 1}, {}}), std::string("\0\xff", 2)}) {
    run.write("n1/desired.json", damage);
    problems.clear();
    const auto agent = start();
    EXPECT_THAT(problems, Contains(HasSubstr("set aside"))) << damage;
    EXPECT_TRUE(std::filesystem::exists(run / "n1/desired.json.damaged"));
    // Quotas stay until a state comes; any state is newer.
    EXPECT_EQ(quota(12), "5000 10000");
    EXPECT_EQ(published(12), "5000 10000\n");
    EXPECT_TRUE(agent->apply(state(1, {{12, 0.5, false}})));
  }
}

TEST_P(AgentTest, TwoAgentsDoNotShareAFolder) {
  const auto agent = start();
  const auto second = RunFolder::open(run / "n1");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error(), HasSubstr("another dfrsd"));
}

TEST_P(AgentTest, AFolderThatOthersMayWriteIsRefused) {
  std::filesystem::create_directories(run / "open");
  std::filesystem::permissions(run / "open", std::filesystem::perms::all);
  const auto refused = RunFolder::open(run / "open");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("writable"));
}

TEST_P(AgentTest, AccountsAcrossGroupsThatAreMadeAgain) {
  const auto agent = start();
  start_job(12);
  ASSERT_TRUE(agent->apply(state(1, {{12, 0.5, false}})));
  const auto used = [&](double seconds) {
    if (v1())
      tree.write("cpuacct/dfrs/n1/job_12/cpuacct.usage", std::to_string(static_cast<std::int64_t>(seconds * 1e9)));
    else
      tree.write(group(12, "cpu.stat"),
                 "usage_usec " + std::to_string(static_cast<std::int64_t>(seconds * 1e6)) + "\n");
    agent->tick();
    return agent->report().jobs.at(0).cpu_seconds;
  };
  EXPECT_DOUBLE_EQ(used(2), 2);
  EXPECT_DOUBLE_EQ(used(5), 5);
  EXPECT_DOUBLE_EQ(used(1), 6);  // counts from zero again
  EXPECT_DOUBLE_EQ(used(2), 7);
}

// A node with 0.05 real cores per CPU: half a core-second is ten CPU-seconds, as a quota of ten CPUs is half a core.
TEST_P(AgentTest, ReportsUseInTheCpusThatQuotasAreIn) {
  const auto agent = start(0.05);
  start_job(12);
  ASSERT_TRUE(agent->apply(state(1, {{12, 10, false}})));
  EXPECT_EQ(quota(12), "5000 10000");
  if (v1())
    tree.write("cpuacct/dfrs/n1/job_12/cpuacct.usage", "500000000");
  else
    tree.write(group(12, "cpu.stat"), "usage_usec 500000\n");
  agent->tick();
  EXPECT_DOUBLE_EQ(agent->report().jobs.at(0).cpu_seconds, 10);
  EXPECT_THAT(format_metrics(agent->metrics(), {}, agent->cgroup_version()),
              HasSubstr("dfrs_job_cpu_seconds_total{node=\"n1\",job_id=\"12\"} 0.5\n"));
}

TEST_P(AgentTestV1, AddsUpProcessesWhereNothingElseAccounts) {
  tree.remove_group("cpuacct");
  const auto agent = start();
  ASSERT_TRUE(agent->apply(state(1, {{12, 0.5, false}})));
  std::filesystem::remove(tree / group(12, "cpuacct.usage"));
  set_processes(12, "100\n200\n");
  proc.write("100/task/100/schedstat", "1500000000 5 7\n");
  proc.write("100/task/101/schedstat", "500000000 5 7\n");
  proc.write("200/task/200/schedstat", "1000000000 5 7\n");
  agent->tick();
  EXPECT_DOUBLE_EQ(agent->report().jobs.at(0).cpu_seconds, 3);
  // One ends, a new one comes: earlier use still counts.
  set_processes(12, "200\n300\n");
  proc.write("200/task/200/schedstat", "1250000000 5 7\n");
  proc.write("300/task/300/schedstat", "250000000 5 7\n");
  agent->tick();
  EXPECT_DOUBLE_EQ(agent->report().jobs.at(0).cpu_seconds, 3.5);
}

TEST_P(AgentTest, ReportsMemoryAndSwap) {
  const auto agent = start();
  start_job(12);
  ASSERT_TRUE(agent->apply(state(1, {{12, 0.5, false}})));
  set_processes(12, "100\n200\n");
  proc.write("100/status", "Name:\tx\nVmPeak:\t 900000 kB\nVmRSS:\t  102400 kB\nVmSwap:\t   2048 kB\n");
  proc.write("200/status", "Name:\tVmRSS: 5\nVmRSS:\t  51200 kB\n");
  proc.write("meminfo", "MemTotal: 1 kB\nSwapCached: 7 kB\nSwapTotal:  4194304 kB\nSwapFree:   1048576 kB\n");
  agent->tick();
  const AgentReport report = agent->report();
  ASSERT_EQ(report.jobs.size(), 1u);
  EXPECT_EQ(report.jobs[0].memory_mib, 150u);
  EXPECT_EQ(report.jobs[0].swap_mib, 2u);
  EXPECT_EQ(report.swap_total_mib, 4096u);
  EXPECT_EQ(report.swap_free_mib, 1024u);
}

TEST_P(AgentTest, ReportsSayHowOldTheirMeasurementIs) {
  const auto agent = start();
  start_job(12);
  ASSERT_TRUE(agent->apply(state(1, {{12, 0.5, false}})));
  agent->tick();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GE(agent->report().measured_ago, 0.05);
}

TEST_P(AgentTest, ErrorsAreReportedOnceAndGoWhenTheyAreOver) {
  const auto agent = start();
  start_job(12);
  const std::string file = group(12, v1() ? "cpu.cfs_quota_us" : "cpu.max");
  ASSERT_TRUE(agent->apply(state(1, {{12, 0.5, false}})));
  std::filesystem::remove(tree / file);
  const auto report = agent->apply(state(2, {{12, 0.6, false}}));
  ASSERT_TRUE(report);
  ASSERT_EQ(report->errors.size(), 1u);
  EXPECT_EQ(report->errors[0].job_id, 12u);
  agent->tick();
  agent->tick();
  EXPECT_EQ(problems.size(), 1u);
  tree.write(file, v1() ? "-1\n" : "max 100000\n");
  agent->tick();
  EXPECT_TRUE(agent->report().errors.empty());
  EXPECT_EQ(quota(12), "6000 10000");
}

TEST_P(AgentTest, AFolderThatCannotBeWrittenIsReported) {
  const auto agent = start();
  start_job(12);
  std::filesystem::create_directory(run / "n1/quotas");
  const auto report = agent->apply(state(1, {{12, 0.5, false}}));
  ASSERT_TRUE(report);
  ASSERT_EQ(report->errors.size(), 1u);
  EXPECT_EQ(report->errors[0].job_id, 0u);
  EXPECT_THAT(report->errors[0].message, HasSubstr("n1/quotas: "));
  EXPECT_EQ(quota(12), "5000 10000");  // held all the same
}

TEST_P(AgentTest, MetricsAreThere) {
  const auto agent = start();
  start_job(12);
  ASSERT_TRUE(agent->apply(state(3, {{12, 0.5, false}, {13, 1, true, true}})));
  ASSERT_FALSE(agent->apply(state(3, {})));
  agent->tick();
  HttpCounters http;
  http.answers[{"GET /metrics", 200}] = 4;
  http.refusals[static_cast<std::size_t>(Refusal::replayed)] = 2;
  const std::string text = format_metrics(agent->metrics(), http, agent->cgroup_version());
  for (const char* const line :
       {"dfrs_job_quota_cores{node=\"n1\",job_id=\"12\"} 0.5\n", "dfrs_agent_jobs{node=\"n1\",state=\"running\"} 1\n",
        "dfrs_agent_jobs{node=\"n1\",state=\"paused\"} 1\n", "dfrs_agent_state_sequence{node=\"n1\"} 3\n",
        "dfrs_agent_states_total{node=\"n1\",result=\"stale\"} 1\n",
        "dfrs_http_answers_total{node=\"n1\",program=\"dfrsd\",route=\"GET /metrics\",status=\"200\"} 4\n",
        "dfrs_http_refusals_total{node=\"n1\",program=\"dfrsd\",reason=\"replayed\"} 2\n",
        "# TYPE dfrs_job_cpu_seconds_total counter\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, HasSubstr(v1() ? "cgroup=\"v1\"" : "cgroup=\"v2\""));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

// States are lost, repeated and reordered, the agent is restarted, groups come and go: in the end the newest state that
// arrived is in force.
TEST_P(AgentTest, ConvergesWhateverHappensOnTheWay) {
  rc::check([this] {
    for (const char* const node : {"cpu/dfrs/n1", "cpuacct/dfrs/n1", "system.slice"}) tree.remove_group(node);
    std::filesystem::create_directories(tree / "system.slice");
    std::filesystem::remove_all(run / "n1");
    auto agent = start();
    std::vector<DesiredState> sent;
    std::optional<DesiredState> newest;
    const int steps = *rc::gen::inRange(1, 30);
    for (int step = 0; step < steps; ++step) {
      switch (*rc::gen::inRange(0, 6)) {
        case 0:
        case 1: {  // a new state, which may be lost
          std::vector<JobQuota> jobs;
          for (std::uint32_t job = 1; job <= 4; ++job) {
            if (*rc::gen::arbitrary<bool>()) jobs.push_back({job, 0.1 * *rc::gen::inRange(2, 9), false});
          }
          sent.push_back(state(sent.size() + 1, jobs));
          break;
        }
        case 2:
        case 3: {  // one that was sent arrives, perhaps not for the first time
          if (sent.empty()) break;
          const DesiredState& arrived = sent[*rc::gen::inRange<std::size_t>(0, sent.size())];
          const bool is_new = !newest || newest->order < arrived.order;
          RC_ASSERT(agent->apply(arrived).has_value() == is_new);
          if (is_new) newest = arrived;
          break;
        }
        case 4:
          agent.reset();
          agent = start();
          break;
        default: {  // a job's first task comes, or its last one has gone
          const auto job = *rc::gen::inRange<std::uint32_t>(1, 5);
          if (tree.exists(group(job)))
            set_processes(job, *rc::gen::arbitrary<bool>() ? "100\n" : "");
          else
            start_job(job);
        }
      }
    }
    for (std::uint32_t job = 1; job <= 4; ++job) {
      if (!tree.exists(group(job))) start_job(job);
    }
    agent->tick();
    agent->tick();
    if (!newest) newest.emplace();
    for (std::uint32_t job = 1; job <= 4; ++job) {
      const JobQuota* wanted = nullptr;
      for (const JobQuota& each : newest->jobs) {
        if (each.job_id == job) wanted = &each;
      }
      if (wanted != nullptr) {
        RC_ASSERT(quota(job) == format_cpu_max(cpu_max_for(wanted->cpus)));
        RC_ASSERT(published(job) == format_cpu_max(cpu_max_for(wanted->cpus)) + "\n");
      } else {
        RC_ASSERT(published(job).empty());
        RC_ASSERT(!tree.exists(group(job)) || quota(job).rfind(unlimited(), 0) == 0u);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Version1, AgentTestV1, testing::Values(FakeCgroups::Version::v1));
INSTANTIATE_TEST_SUITE_P(Versions, AgentTest, testing::Values(FakeCgroups::Version::v1, FakeCgroups::Version::v2),
                         [](const auto& version) { return version.param == FakeCgroups::Version::v1 ? "v1" : "v2"; });

}  // namespace
}  // namespace dfrs::shim
