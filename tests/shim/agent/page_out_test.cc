// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/page_out.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

class StubSystem final : public PageOutSystem {
 public:
  std::vector<MemoryRange> ranges(pid_t pid) override {
    const std::lock_guard lock(mutex);
    return mapped[pid];
  }
  bool stopped(pid_t) override { return is_stopped; }
  SwapSpace swap() override { return {free_kib, free_kib}; }
  ProcessMemory memory(pid_t pid) override {
    const std::lock_guard lock(mutex);
    std::uint64_t kib = 0;
    for (const MemoryRange& range : mapped[pid]) kib += (range.end - range.begin) / 1024;
    return {kib - swapped_kib[pid], swapped_kib[pid]};
  }
  tl::expected<std::uint64_t, int> advise(pid_t pid, MemoryRange range) override {
    if (before_advise) before_advise();
    const std::lock_guard lock(mutex);
    if (const int error = next_error; error != 0) return tl::unexpected(error);
    advised.emplace_back(pid, range);
    if (goes) swapped_kib[pid] += (range.end - range.begin) / 1024;
    return range.end - range.begin;
  }
  std::vector<std::pair<pid_t, MemoryRange>> seen() {
    const std::lock_guard lock(mutex);
    return advised;
  }

  std::mutex mutex;
  std::map<pid_t, std::vector<MemoryRange>> mapped;
  std::vector<std::pair<pid_t, MemoryRange>> advised;
  std::function<void()> before_advise;
  std::map<pid_t, std::uint64_t> swapped_kib;
  bool goes = true;  // what was advised is in swap then
  std::atomic<int> next_error = 0;
  std::atomic<bool> is_stopped = true;
  std::atomic<std::uint64_t> free_kib = 1024 * 1024;
};

class PageOutTest : public testing::Test {
 protected:
  PageOutOptions options() const {
    PageOutOptions options;
    options.step_bytes = 4 * kMib;
    options.keep_swap_free_bytes = 64 * kMib;
    options.retry = milliseconds(5);
    return options;
  }
  std::unique_ptr<PageOut> start(std::function<bool(std::uint32_t, std::uint64_t)> reclaim = {}) {
    return std::make_unique<PageOut>(
        system, options(), [this](std::uint32_t job) { return processes.at(job); }, std::move(reclaim),
        [this](std::uint32_t) { return swap_left; },
        [this](const std::string& message) {
          const std::lock_guard lock(system.mutex);
          logged.push_back(message);
        });
  }
  template <typename Holds>
  static bool eventually(Holds&& holds) {
    for (int i = 0; i < 5000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return false;
  }

  StubSystem system;
  std::map<std::uint32_t, std::vector<pid_t>> processes{{1, {100, 200}}, {2, {300}}};
  std::vector<std::string> logged;
  std::optional<std::uint64_t> swap_left;
};

TEST_F(PageOutTest, MovesAllPrivateMemoryInSteps) {
  system.mapped[100] = {{0, 10 * kMib}, {20 * kMib, 21 * kMib}};
  system.mapped[200] = {{0, kMib}};
  const auto page_out = start();
  page_out->set_paused({1});
  ASSERT_TRUE(eventually([&] { return page_out->counters().jobs == 1; }));
  EXPECT_THAT(system.seen(), ElementsAre(std::pair<pid_t, MemoryRange>{100, {0, 4 * kMib}},
                                         std::pair<pid_t, MemoryRange>{100, {4 * kMib, 8 * kMib}},
                                         std::pair<pid_t, MemoryRange>{100, {8 * kMib, 10 * kMib}},
                                         std::pair<pid_t, MemoryRange>{100, {20 * kMib, 21 * kMib}},
                                         std::pair<pid_t, MemoryRange>{200, {0, kMib}}));
  EXPECT_EQ(page_out->counters().bytes, 12 * kMib);
  // Once for each pause.
  page_out->set_paused({1});
  page_out->set_paused({});
  page_out->set_paused({1});
  ASSERT_TRUE(eventually([&] { return page_out->counters().jobs == 2; }));
}

TEST_F(PageOutTest, StopsWhenTheJobIsToGoOn) {
  system.mapped[100] = {{0, 400 * kMib}};
  std::unique_ptr<PageOut> page_out;
  std::atomic<int> steps = 0;
  system.before_advise = [&] {
    if (++steps == 3) page_out->set_paused({});
  };
  page_out = start();
  page_out->set_paused({1});
  ASSERT_TRUE(eventually([&] { return page_out->counters().interrupted == 1; }));
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(page_out->counters().jobs, 0u);
}

TEST_F(PageOutTest, WaitsUntilProcessesAreStopped) {
  system.mapped[300] = {{0, kMib}};
  system.is_stopped = false;
  const auto page_out = start();
  page_out->set_paused({2});
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_TRUE(system.seen().empty());
  system.is_stopped = true;
  EXPECT_TRUE(eventually([&] { return page_out->counters().jobs == 1; }));
}

TEST_F(PageOutTest, LeavesTheLastOfTheSwap) {
  system.mapped[300] = {{0, 40 * kMib}};
  system.free_kib = 66 * 1024;  // less than a step above what is kept
  const auto page_out = start();
  page_out->set_paused({2});
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_TRUE(system.seen().empty());
  EXPECT_EQ(page_out->counters().jobs, 0u);
  system.free_kib = 200 * 1024;
  EXPECT_TRUE(eventually([&] { return page_out->counters().jobs == 1; }));
}

TEST_F(PageOutTest, WithoutSwapNothingIsDone) {
  system.mapped[300] = {{0, kMib}};
  system.free_kib = 0;
  const auto page_out = start();
  page_out->set_paused({2});
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_TRUE(system.seen().empty());
}

TEST_F(PageOutTest, PassesOverMemoryThatTheKernelWillNotTake) {
  system.mapped[300] = {{0, 12 * kMib}};
  system.next_error = EINVAL;
  const auto page_out = start();
  page_out->set_paused({2});
  ASSERT_TRUE(eventually([&] { return page_out->counters().jobs == 1; }));
  EXPECT_EQ(page_out->counters().errors, 3u);
  EXPECT_EQ(page_out->counters().bytes, 0u);
}

// Where a limit of swap leaves no room, the kernel takes the advice and moves nothing.
TEST_F(PageOutTest, CountsWhatIsSeenInSwap) {
  system.mapped[300] = {{0, 20 * kMib}};
  system.goes = false;
  const auto page_out = start();
  page_out->set_paused({2});
  ASSERT_TRUE(eventually([&] { return page_out->counters().stayed == 1; }));
  EXPECT_EQ(page_out->counters().bytes, 0u);
  EXPECT_EQ(page_out->counters().jobs, 0u);
  const std::lock_guard lock(system.mutex);
  EXPECT_EQ(system.advised.size(), 5u);
  EXPECT_THAT(logged, ElementsAre(HasSubstr("job 2: suspended, but its memory stays: 0 of 20 MiB are in swap")));
}

TEST_F(PageOutTest, AJobWhoseGroupsAllowNoSwapIsLeftAlone) {
  system.mapped[300] = {{0, 20 * kMib}};
  swap_left = 0;
  const auto page_out = start();
  page_out->set_paused({2});
  ASSERT_TRUE(eventually([&] { return page_out->counters().stayed == 1; }));
  EXPECT_TRUE(system.seen().empty());
  const std::lock_guard lock(system.mutex);
  EXPECT_THAT(logged, ElementsAre(AllOf(HasSubstr("leave it 0 MiB"), HasSubstr("AllowedSwapSpace"))));
}

TEST_F(PageOutTest, TakesTheOtherWayWhereItMust) {
  system.mapped[300] = {{0, 12 * kMib}};
  system.next_error = EPERM;
  std::atomic<int> reclaimed = 0;
  const auto page_out = start([&](std::uint32_t job, std::uint64_t bytes) {
    EXPECT_EQ(job, 2u);
    EXPECT_EQ(bytes, 4 * kMib);
    ++reclaimed;
    const std::lock_guard lock(system.mutex);
    system.swapped_kib[300] += 4 * 1024;
    return true;
  });
  page_out->set_paused({2});
  ASSERT_TRUE(eventually([&] { return page_out->counters().jobs == 1; }));
  EXPECT_EQ(reclaimed, 3);
  EXPECT_EQ(page_out->counters().bytes, 12 * kMib);
}

TEST_F(PageOutTest, SaysSoWhenThereIsNoWay) {
  system.mapped[100] = {{0, 12 * kMib}};
  system.mapped[300] = {{0, 12 * kMib}};
  system.next_error = ENOSYS;
  const auto page_out = start([](std::uint32_t, std::uint64_t) { return false; });
  page_out->set_paused({1, 2});
  ASSERT_TRUE(eventually([&] { return page_out->counters().jobs == 2; }));
  const std::lock_guard lock(system.mutex);
  EXPECT_THAT(logged, ElementsAre(HasSubstr("CAP_SYS_PTRACE")));
}

TEST(PrivateRanges, OfMaps) {
  const std::vector<MemoryRange> ranges = private_ranges(
      "00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon\n"
      "00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
      "35b1800000-35b1820000 rw-s 00000000 08:02 135522  /dev/shm/x\n"
      "7fff1-7fff2 rw-p 00000000 00:00 0 [stack]\n"
      "7fffb2c0d000-7fffb2c0f000 r-xp 00000000 00:00 0  [vdso]\n"
      "7fffb2c0b000-7fffb2c0d000 r--p 00000000 00:00 0  [vvar]\n"
      "ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0 [vsyscall]\n"
      "garbage\n2-1 rw-p 0\n-\n10-");
  EXPECT_THAT(ranges, ElementsAre(MemoryRange{0x400000, 0x452000}, MemoryRange{0xe03000, 0xe24000},
                                  MemoryRange{0x7fff1, 0x7fff2}));
}

// A real stopped process is moved out and then continues normally.
TEST(KernelPageOut, MovesAStoppedProcessToSwap) {
  KernelPageOut system;
  if (system.swap().free_kib < 200 * 1024) GTEST_SKIP() << "needs 200 MB of free swap on this machine";
  constexpr std::size_t kSize = 64 * kMib;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto* const memory =
        static_cast<unsigned char*>(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::size_t i = 0; i < kSize; ++i) memory[i] = static_cast<unsigned char>(i * 31 + i / 4096);
    ::raise(SIGSTOP);
    bool same = true;
    for (std::size_t i = 0; i < kSize; ++i) same = same && memory[i] == static_cast<unsigned char>(i * 31 + i / 4096);
    _exit(same ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_GE(process_memory("/proc", child).resident_kib, kSize / 1024);
  {
    PageOut page_out(system, {}, [&](std::uint32_t) { return std::vector<pid_t>{child}; }, {}, {}, {});
    page_out.set_paused({1});
    for (int i = 0; i < 1000 && page_out.counters().jobs == 0; ++i) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(page_out.counters().jobs, 1u);
  }
  EXPECT_LT(process_memory("/proc", child).resident_kib, kSize / 1024 / 4);
  EXPECT_GT(process_memory("/proc", child).swap_kib, kSize / 1024 / 2);
  ::kill(child, SIGCONT);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace dfrs::shim
