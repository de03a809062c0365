// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/stop_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "tests/shim/agent/fake_cgroups.h"

namespace dfrs::shim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

const JobQuota kRunning{12, 1, false, false};
const JobQuota kSuspended{12, 1, true, true};

class StopGuardTest : public testing::Test {
 protected:
  StopGuardTest() {
    options.now = [this] { return now; };
    options.signal = [this](pid_t process, int signal) { sent.emplace_back(process, signal); };
    auto opened = open_job_groups({tree.root(), "dfrs", "n1"}, tree);
    EXPECT_TRUE(opened) << opened.error();
    groups = std::move(*opened);
    EXPECT_TRUE(groups->set_quota(12, cpu_max_for(1)));
    tree.write("cpu/dfrs/n1/job_12/cgroup.procs", "100\n200\n");
    states('S', 'R');
    guard.emplace(options, *groups, proc.path().string());
  }
  void states(char first, char second) {
    proc.write("100/stat", std::string("100 (a) b) ") + first + " 1 2 3\n");
    proc.write("200/stat", std::string("200 (x) ") + second + " 1 2 3\n");
  }
  std::vector<StopGuard::Action> check(const JobQuota& job, StopGuardOptions::Seconds age = 1s) {
    const std::vector<JobQuota> jobs{job};
    return guard->check(jobs, age);
  }

  FakeCgroups tree{FakeCgroups::Version::v1};
  Folder proc;
  StopGuardOptions options;
  std::chrono::steady_clock::time_point now{};
  std::vector<std::pair<pid_t, int>> sent;
  std::unique_ptr<JobGroups> groups;
  std::optional<StopGuard> guard;
};

TEST_F(StopGuardTest, LetsAJobGoOnWhoseResumeWasLost) {
  states('T', 'T');
  check(kSuspended);
  check(kRunning);
  now += 2s;
  EXPECT_THAT(check(kRunning), IsEmpty());
  EXPECT_THAT(sent, IsEmpty());
  now += 1s;
  const auto actions = check(kRunning);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_FALSE(actions[0].stopped);
  EXPECT_THAT(sent, UnorderedElementsAre(Pair(100, SIGCONT), Pair(200, SIGCONT)));
  // If that does not help, it acts again after the same time.
  sent.clear();
  check(kRunning);
  now += 3s;
  EXPECT_EQ(check(kRunning).size(), 1u);
}

TEST_F(StopGuardTest, StopsAJobWhoseSuspendWasLost) {
  check(kSuspended);
  now += 4s;
  check(kSuspended);
  EXPECT_THAT(sent, IsEmpty());
  now += 1s;
  states('T', 'R');
  EXPECT_TRUE(check(kSuspended).at(0).stopped);
  EXPECT_THAT(sent, ElementsAre(Pair(200, SIGSTOP)));
}

TEST_F(StopGuardTest, LeavesJobsAloneThatWereNeverSuspended) {
  states('T', 'T');
  for (int i = 0; i < 10; ++i) {
    check(kRunning);
    now += 2s;
  }
  EXPECT_THAT(sent, IsEmpty());
}

TEST_F(StopGuardTest, TrustsOnlyAFreshState) {
  states('T', 'T');
  check(kSuspended);
  for (int i = 0; i < 10; ++i) {
    check(kRunning, 16s);
    now += 2s;
  }
  EXPECT_THAT(sent, IsEmpty());
  // The time counts from the first fresh state.
  check(kRunning, 1s);
  EXPECT_THAT(sent, IsEmpty());
  now += 3s;
  check(kRunning, 1s);
  EXPECT_THAT(sent, testing::SizeIs(2));
}

TEST_F(StopGuardTest, PassingStatesAreNoMatter) {
  states('T', 'T');
  check(kSuspended);
  check(kRunning);
  now += 2s;
  states('S', 'S');
  check(kRunning);
  now += 2s;
  states('T', 'S');
  check(kRunning);
  now += 2s;
  check(kSuspended);  // the other way: the time starts again
  now += 4s;
  check(kSuspended);
  EXPECT_THAT(sent, IsEmpty());
}

TEST_F(StopGuardTest, TheDeadAndTheDebuggedAreLeftAlone) {
  states('Z', 't');
  check(kSuspended);
  now += 10s;
  check(kSuspended);
  check(kRunning);
  now += 10s;
  check(kRunning);
  EXPECT_THAT(sent, IsEmpty());
}

// With real signals.
TEST_F(StopGuardTest, SignalsRealProcesses) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  tree.write("cpu/dfrs/n1/job_12/cgroup.procs", std::to_string(child) + "\n");
  options.signal = nullptr;
  guard.emplace(options, *groups, "/proc");
  check(kSuspended);
  now += 6s;
  EXPECT_EQ(check(kSuspended).size(), 1u);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status));
  check(kRunning);
  now += 4s;
  EXPECT_EQ(check(kRunning).size(), 1u);
  ASSERT_EQ(::waitpid(child, &status, WCONTINUED), child);
  EXPECT_TRUE(WIFCONTINUED(status));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace dfrs::shim
