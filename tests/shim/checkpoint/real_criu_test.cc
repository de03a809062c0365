// SPDX-License-Identifier: GPL-2.0-or-later
// Real programs, dumped by the real criu at a random instant on one virtual node and restored on another: the output is
// that of a run nobody touched. DFRS_CRIU names a criu that is not in PATH; DFRS_MOVES, how often each program moves;
// DFRS_TEST_UID, whose jobs they are (by default nobody's; root's where root lacks CAP_SYS_RESOURCE, which CRIU needs
// for the processes of others). DFRS_MEMORY, how many MiB the program holds that is timed, DFRS_DISK, a folder on the
// disk for its image, and DFRS_COMPRESSED, set if that is to be compressed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "base/process.h"
#include "shim/checkpoint/criu.h"
#include "shim/checkpoint/other_users.h"
#include "tests/shim/checkpoint/virtual_node.h"

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;

struct Case {
  const char* name;
  const char* needs;  // a command that succeeds where the program can run
  const char* build;  // a command; empty: none
  std::vector<std::string> words;
  const char* expected;
};

std::string programs() {
  const char* const source = ::getenv("srcdir");
  return std::filesystem::absolute(std::string(source != nullptr ? source : ".") + "/tests/shim/checkpoint/programs")
      .string();
}

const Case kCases[] = {
    {"numpy", "/usr/bin/python3 -c 'import numpy'", "", {"/usr/bin/python3", "PROGRAMS/numpy_sums.py"}, "numpy "},
    {"threads", "cc --version", "cc -O1 -pthread -o threads PROGRAMS/threads.c", {"./threads"}, "threads "},
    {"openmp", "cc --version", "cc -O1 -fopenmp -o openmp PROGRAMS/openmp.c", {"./openmp"}, "openmp "},
    {"ring", "/usr/bin/python3 --version", "", {"/usr/bin/python3", "PROGRAMS/fork_tree.py"}, "ring "},
    {"pipeline", "gzip --version", "", {"sh", "PROGRAMS/pipeline.sh"}, "pipeline "},
    {"database", "/usr/bin/python3 -c 'import sqlite3'", "", {"/usr/bin/python3", "PROGRAMS/database.py"}, "database "},
    {"timers", "/usr/bin/python3 --version", "", {"/usr/bin/python3", "PROGRAMS/timers.py"}, "timers equal"},
    {"mapped", "/usr/bin/python3 --version", "", {"/usr/bin/python3", "PROGRAMS/mapped.py"}, "mapped "},
    {"build", "cc --version && make --version", "", {"sh", "PROGRAMS/build.sh"}, "build ok"},
    {"jobs", "bash --version", "", {"bash", "PROGRAMS/jobs.sh"}, ""},
};

std::string with_programs(std::string text) {
  for (std::size_t at = 0; (at = text.find("PROGRAMS", at)) != std::string::npos;) text.replace(at, 8, programs());
  return text;
}

int shell(const std::string& command, const std::string& folder) {
  return ::system(("cd '" + folder + "' && { " + with_programs(command) + "; } > /dev/null 2>&1").c_str());
}

class CriuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_job_groups()) GTEST_SKIP() << *why;
    if (const char* const named = ::getenv("DFRS_CRIU")) site_.criu = named;
    if (const auto checked = check_criu(site_.criu); !checked) GTEST_SKIP() << checked.error();
    ASSERT_EQ(::access(built_program("dfrs-keeper").c_str(), X_OK), 0) << "set DFRS_PROGRAMS";
    const char* const user = ::getenv("DFRS_TEST_UID");
    constexpr uid_t kNobody = 65534;
    site_.user = user != nullptr ? static_cast<uid_t>(std::atoi(user)) : can_dump_others() ? kNobody : 0;
    ::chmod(site_.folder.path().c_str(), 0711);
    start_nodes();
  }
  void start_nodes() {
    a_.reset();
    b_.reset();
    a_ = std::make_unique<VirtualNode>(site_, "a");
    b_ = std::make_unique<VirtualNode>(site_, "b");
  }
  std::string new_folder(const std::string& name) const {
    std::filesystem::create_directories(site_.folder / name);
    EXPECT_EQ(::chown((site_.folder / name).c_str(), site_.user, site_.user), 0);
    return site_.folder / name;
  }
  static std::vector<int> counted_in(const std::string& home) {
    std::ifstream file(home + "/count");
    return {std::istream_iterator<int>(file), {}};
  }

  Site site_;
  std::unique_ptr<VirtualNode> a_;
  std::unique_ptr<VirtualNode> b_;
};

class RealCriu : public CriuTest, public testing::WithParamInterface<Case> {
 protected:
  // The program, which adds a line to the file begun whenever it begins from its start.
  static std::vector<std::string> words(const Case& program) {
    std::vector<std::string> all{"sh", "-c", R"(echo begun >> begun && exec "$@")", "sh"};
    for (const std::string& word : program.words) all.push_back(with_programs(word));
    return all;
  }
  // CPU time of the job when its keeper first says that it was restored; with it, some ms of the program's.
  static double cpu_of_restore(VirtualNode& node, std::uint32_t job, pid_t run) {
    wait_until([&] {
      node.no_order(job);  // asks the keeper at once
      siginfo_t ended{};
      ::waitid(P_PID, static_cast<id_t>(run), &ended, WEXITED | WNOHANG | WNOWAIT);
      return ended.si_pid != 0 || node.state(job) == CheckpointState::kRestored;
    });
    return node.cpu_seconds(job);
  }
};

TEST_P(RealCriu, MovesAProgramInTheMiddle) {
  const Case& program = GetParam();
  if (shell(program.needs, new_folder("any")) != 0) GTEST_SKIP() << "needs: " << program.needs;
  const char* const build = program.build[0] != '\0' ? program.build : "true";
  double took = 0;
  int runs_alone = 0;
  // The output. Now and then again, for other load on the machine changes what a run takes.
  const auto run_alone = [&] {
    const std::string folder = new_folder("alone-" + std::to_string(++runs_alone));
    EXPECT_EQ(shell(build, folder), 0);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(exit_code_of(a_->run(1, 0, folder, words(program))), 0) << file_text(folder + "/err");
    took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return file_text(folder + "/out");
  };
  const std::string expected = run_alone();
  ASSERT_THAT(expected, testing::StartsWith(program.expected));

  std::mt19937 random(std::random_device{}());
  const char* const moves_text = ::getenv("DFRS_MOVES");
  const int moves = moves_text != nullptr ? std::atoi(moves_text) : 1;
  int moved = 0;
  double cpu = 0;
  double restores = 0;  // what of it was criu's
  double dumps = 0;
  for (int i = 0; moved < moves && i < 2 * moves + 3; ++i) {  // again for each that ended too early
    const std::string folder = new_folder("moved-" + std::to_string(i));
    ASSERT_EQ(shell(build, folder), 0);
    const auto job = static_cast<std::uint32_t>(10 + i);
    const pid_t first = a_->run(job, 0, folder, words(program));
    const double instant = std::uniform_real_distribution<>(0.05, 0.9)(random) * took;
    SCOPED_TRACE("dumped after " + std::to_string(instant) + " of " + std::to_string(took) + " s");
    std::this_thread::sleep_for(std::chrono::duration<double>(instant));
    const CheckpointReport report = a_->checkpoint(job, 1, 0);
    ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason << "\n" << file_text(folder + "/err");
    if (report.bytes == 0) {  // it had just ended: with less other load it takes less time now
      ASSERT_EQ(exit_code_of(first), 0);
      took = instant;
      continue;
    }
    ++moved;
    dumps += report.seconds;
    EXPECT_EQ(requeue(first), 128 + SIGTERM);
    const pid_t second = b_->run(job, 1, folder, words(program));
    restores += cpu_of_restore(*b_, job, second);
    EXPECT_EQ(exit_code_of(second), 0);
    cpu += a_->cpu_seconds(job) + b_->cpu_seconds(job);
    EXPECT_EQ(file_text(folder + "/err"), "");
    EXPECT_EQ(file_text(folder + "/out"), expected);
    EXPECT_EQ(file_text(folder + "/begun"), "begun\n") << "begun again from its start";
    EXPECT_FALSE(std::filesystem::exists(site_.images + "/job-" + std::to_string(job))) << "images of an ended program";
    if (i % 2 == 1) {
      EXPECT_EQ(run_alone(), expected);
    }
  }
  ASSERT_EQ(moved, moves) << "the others ended before their dump";
  // Restores run in the job's groups, so what criu takes for one is part of the CPU time. It is a figure to read, not
  // to assert: programs that pass messages take up to three times as much beside other load.
  const double cpu_alone = a_->cpu_seconds(1) / runs_alone;
  std::cout << program.name << ": " << moved << " of " << moves << " moved as user id " << site_.user << ", " << took
            << " s and " << cpu_alone << " s of CPU alone, " << cpu / moved << " s of CPU moved, of which "
            << restores / moved << " s were the restore's; a dump took " << dumps / moved << " s\n";
}

INSTANTIATE_TEST_SUITE_P(Programs, RealCriu, testing::ValuesIn(kCases),
                         [](const auto& program) { return std::string(program.param.name); });

TEST_F(CriuTest, TheImageBeforeServesIfTheNewestIsDamaged) {
  const std::string home = new_folder("home");
  const std::vector<std::string> counter{"sh", "-c",
                                         "i=0; while [ ! -e end ]; do i=$((i+1)); echo $i >> count; sleep 0.01; done"};
  const auto numbers = [&] { return counted_in(home); };
  const auto wait_for_more = [&](std::size_t than) { return wait_until([&] { return numbers().size() > than + 5; }); };
  pid_t run = a_->run(1, 0, home, counter);
  ASSERT_TRUE(wait_for_more(0));
  ASSERT_EQ(a_->checkpoint(1, 1, 0).state, CheckpointState::kDumped);
  EXPECT_EQ(requeue(run), 128 + SIGTERM);
  const int in_first = numbers().back();
  run = b_->run(1, 1, home, counter);
  ASSERT_TRUE(wait_for_more(numbers().size()));
  ASSERT_EQ(b_->checkpoint(1, 2, 1).state, CheckpointState::kDumped);
  EXPECT_EQ(requeue(run), 128 + SIGTERM);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(site_.images + "/job-1/1")) {
    if (entry.path().filename() == "pages-1.img") std::filesystem::resize_file(entry.path(), 100);
  }
  const std::size_t stands = numbers().size();
  a_->no_order(1);
  run = a_->run(1, 2, home, counter);
  EXPECT_TRUE(wait_for_more(stands));
  site_.folder.write("home/end", "");
  EXPECT_EQ(exit_code_of(run), 0);
  ASSERT_GT(numbers().size(), stands);
  EXPECT_EQ(numbers()[stands], in_first + 1);
  EXPECT_THAT(file_text(home + "/err"), testing::HasSubstr("the image of run 1 cannot be restored"));
  EXPECT_THAT(file_text(home + "/err"), testing::Not(testing::HasSubstr("from its beginning")));
}

// And its output goes on at the position that it shares with the script around it, which truncates the file again.
TEST_F(CriuTest, TheProgramHasAProcOfItsOwnBeforeAndAfter) {
  const std::string home = new_folder("home");
  const std::string program =
      "look() { echo $1 $(readlink /proc/$$/exe) $(cd /proc && echo [0-9]*); }; look at-first; touch on; "
      "while [ ! -e end ]; do sleep 0.01; done; look later";
  const auto started = [&](VirtualNode& node, std::uint32_t restarts) {
    return node.run(1, restarts, home, {"bash", "-c", program},
                    {"sh", "-c", "{ echo begins; \"$@\"; echo ended; } > both", "-"});
  };
  const pid_t first = started(*a_, 0);
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(home + "/on"); })) << file_text(home + "/err");
  const CheckpointReport report = a_->checkpoint(1, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  // Given up, and once more.
  a_->order(1, 1, CheckpointPhase::kResume);
  ASSERT_TRUE(wait_until([&] { return a_->state(1) == CheckpointState::kResumed; }));
  ASSERT_EQ(a_->checkpoint(1, 2, 0).state, CheckpointState::kDumped);
  EXPECT_EQ(requeue(first), 128 + SIGTERM);
  const std::string before = file_text(home + "/both");
  EXPECT_THAT(before, testing::MatchesRegex("begins\nat-first [^ ]*bash 1 2 [0-9]+\n"));
  const pid_t second = started(*b_, 1);
  std::ofstream(home + "/end");
  EXPECT_EQ(exit_code_of(second), 0) << file_text(home + "/err");
  EXPECT_EQ(file_text(home + "/err"), "");
  EXPECT_THAT(file_text(home + "/both"), testing::MatchesRegex("begins\nlater [^ ]*bash 1 2 [0-9]+\nended\n"));
}

TEST_F(CriuTest, ACompressedImageMovesAProgramToo) {
  for (const bool scratch_at_target : {true, false}) {
    const std::string name = scratch_at_target ? "with" : "without";
    site_.scratch = site_.folder / ("scratch-" + name);
    std::filesystem::create_directories(site_.scratch);
    a_ = std::make_unique<VirtualNode>(site_, "a-" + name);
    if (!scratch_at_target) site_.scratch.clear();
    b_ = std::make_unique<VirtualNode>(site_, "b-" + name);
    const std::string home = new_folder(name);
    const std::vector<std::string> counter{
        "sh", "-c", "i=0; while [ ! -e end ]; do i=$((i+1)); echo $i >> count; sleep 0.01; done; exit 5"};
    const auto numbers = [&] { return counted_in(home); };
    pid_t run = a_->run(1, 0, home, counter);
    ASSERT_TRUE(wait_until([&] { return numbers().size() > 5; }));
    const CheckpointReport report = a_->checkpoint(1, 1, 0);
    ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
    EXPECT_EQ(requeue(run), 128 + SIGTERM);
    std::uintmax_t stored = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(site_.images)) {
      if (!entry.is_regular_file()) continue;
      stored += entry.file_size();
      const std::string file = entry.path().filename();
      EXPECT_TRUE(file.ends_with(".zst") || file == "manifest.json") << file;
    }
    EXPECT_LT(stored, report.bytes);
    const std::size_t stands = numbers().size();
    run = b_->run(1, 1, home, counter);
    ASSERT_TRUE(wait_until([&] { return numbers().size() > stands + 5; })) << file_text(home + "/err");
    std::ofstream(home + "/end");
    EXPECT_EQ(exit_code_of(run), 5);
    const std::vector<int> all = numbers();
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<int>(i) + 1);
    EXPECT_EQ(file_text(home + "/err"), "");
  }
}

TEST_F(CriuTest, DumpsAtTheSameInstantDoNotDisturbEachOther) {
  for (std::uint32_t round = 1; round <= 5; ++round) {
    const std::string home = new_folder("home-" + std::to_string(round));
    const pid_t one = a_->run(10 * round, 0, home, {"sleep", "1000"});
    const pid_t two = b_->run(10 * round + 1, 0, home, {"sleep", "1000"});
    ASSERT_TRUE(
        wait_until([&] { return a_->processes(10 * round).size() > 2 && b_->processes(10 * round + 1).size() > 2; }));
    CheckpointReport of_one;
    std::thread other([&] { of_one = a_->checkpoint(10 * round, round, 0); });
    const CheckpointReport of_two = b_->checkpoint(10 * round + 1, round, 0);
    other.join();
    EXPECT_EQ(of_one.state, CheckpointState::kDumped) << of_one.reason;
    EXPECT_EQ(of_two.state, CheckpointState::kDumped) << of_two.reason;
    requeue(one);
    requeue(two);
  }
}

// At random instants of the dump and of what comes after it. The program holds memory with a checksum.
TEST_F(CriuTest, AttemptsThatAreGivenUpHarmNothing) {
  const std::string home = new_folder("home");
  const std::string program =
      "import os, time, zlib\nheld = bytearray(os.urandom(256 << 20))\nsum = zlib.crc32(held)\n"
      "while not os.path.exists('end'):\n    open('count', 'a').write('x')\n    time.sleep(0.01)\n"
      "print(zlib.crc32(held) == sum)\n";
  const auto counted = [&] { return file_text(home + "/count").size(); };
  const pid_t run = a_->run(1, 0, home, {"/usr/bin/python3", "-c", program});
  ASSERT_TRUE(wait_until([&] { return counted() > 5; }));
  std::mt19937 random(std::random_device{}());
  double longest = 0;
  for (std::uint64_t attempt = 1; attempt <= 10; ++attempt) {
    a_->order(1, attempt, CheckpointPhase::kFreeze);
    ASSERT_TRUE(wait_until([&] { return a_->state(1) == CheckpointState::kFrozen; }));
    a_->order(1, attempt, CheckpointPhase::kDump, 0, 1);
    std::this_thread::sleep_for(std::chrono::duration<double>(std::uniform_real_distribution<>(0, 1.0)(random)));
    const std::size_t stands = counted();
    const auto begin = std::chrono::steady_clock::now();
    a_->order(1, attempt, CheckpointPhase::kResume);
    ASSERT_TRUE(wait_until([&] { return counted() > stands; })) << attempt;
    longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    ASSERT_TRUE(wait_until([&] { return a_->state(1) == CheckpointState::kResumed; })) << attempt;
  }
  EXPECT_LT(longest, 2);
  std::cout << "the longest of 10 resumes took " << longest << " s\n";
  site_.folder.write("home/end", "");
  EXPECT_EQ(exit_code_of(run), 0);
  EXPECT_EQ(file_text(home + "/out"), "True\n");
}

struct Container {
  const char* name;
  std::vector<std::string> words;  // before the command that is to run in it
  const char* found;
};
class CriuAndContainers : public CriuTest, public testing::WithParamInterface<Container> {};

TEST_P(CriuAndContainers, AreRefusedAndUnharmed) {
  std::string needs;
  for (const std::string& word : GetParam().words) needs += word + " ";
  if (shell(needs + "true", new_folder("any")) != 0) GTEST_SKIP() << "needs: " << needs;
  const std::string home = new_folder("home");
  std::vector<std::string> words = GetParam().words;
  for (const char* const word : {"sh", "-c", "while [ ! -e end ]; do echo x >> count; sleep 0.01; done; exit 5"})
    words.emplace_back(word);
  const auto counted = [&] { return file_text(home + "/count").size(); };
  const pid_t run = a_->run(1, 0, home, words);
  ASSERT_TRUE(wait_until([&] { return counted() > 5; })) << file_text(home + "/err");
  ASSERT_TRUE(wait_until([&] {
    a_->no_order(1);
    return a_->state(1) == CheckpointState::kUnable;
  }));
  EXPECT_THAT(a_->report(1).reason, testing::HasSubstr(GetParam().found));
  // CRIU would dump some of them, and could not restore them.
  const CheckpointReport report = a_->checkpoint(1, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kFailed);
  EXPECT_THAT(report.reason, testing::HasSubstr(GetParam().found));
  const std::size_t stands = counted();
  EXPECT_TRUE(wait_until([&] { return counted() > stands + 4; }, std::chrono::seconds(4)));
  site_.folder.write("home/end", "");
  EXPECT_EQ(exit_code_of(run), 5) << file_text(home + "/err");
  EXPECT_EQ(file_text(home + "/err"), "");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CriuAndContainers,
    testing::Values(Container{"pids", {"unshare", "--pid", "--fork", "--mount-proc"}, "a pid namespace of its own"},
                    Container{"mounts", {"unshare", "--mount"}, "a mount namespace of its own"},
                    Container{"bubblewrap", {"bwrap", "--dev-bind", "/", "/"}, "a mount namespace of its own"},
                    Container{"bubblewrap_pids",
                              {"bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid"},
                              "namespace of its own"}),
    [](const auto& container) { return std::string(container.param.name); });

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// So that they are read from the disk.
void forget_cached(const std::string& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const base::Fd file(::open(entry.path().c_str(), O_RDONLY));
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

// A benchmark: prints times, asserts none.
TEST_F(CriuTest, TimesOfAPauseAndARestore) {
  const char* const megabytes = ::getenv("DFRS_MEMORY");
  const std::size_t size = (megabytes != nullptr ? std::strtoul(megabytes, nullptr, 10) : 64) << 20;
  const char* const disk = ::getenv("DFRS_DISK");
  site_.images = (std::filesystem::path(disk != nullptr ? disk : "/var/tmp") / site_.folder.path().filename()).string();
  if (::getenv("DFRS_COMPRESSED") != nullptr) {
    site_.scratch = site_.images + "-scratch";
    std::filesystem::create_directories(site_.scratch);
  }
  start_nodes();
  const std::string home = new_folder("home");
  const std::string program =
      "import os, time\nhalf = " + std::to_string(size / 2) +
      "\nheld = bytearray(os.urandom(half)) + b'16 bytes of text' * (half // 16)\n"
      "while not os.path.exists('end'):\n    open('count', 'a').write('x')\n    time.sleep(0.01)\n"
      "print(len(held))\n";
  const auto counted = [&] { return file_text(home + "/count").size(); };
  const pid_t first = a_->run(1, 0, home, {"/usr/bin/python3", "-c", program});
  ASSERT_TRUE(wait_until([&] { return counted() > 5; }));

  auto begin = std::chrono::steady_clock::now();
  const CheckpointReport report = a_->checkpoint(1, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  requeue(first);
  ASSERT_TRUE(wait_until([&] { return a_->processes(1).empty(); }));
  const double pause = seconds_since(begin);
  EXPECT_GE(report.bytes, size);

  forget_cached(site_.images);
  const std::size_t stands = counted();
  begin = std::chrono::steady_clock::now();
  const pid_t second = b_->run(1, 1, home, {"/usr/bin/python3", "-c", program});
  ASSERT_TRUE(wait_until([&] { return counted() > stands; }));
  const double restore = seconds_since(begin);
  site_.folder.write("home/end", "");
  EXPECT_EQ(exit_code_of(second), 0);
  EXPECT_EQ(file_text(home + "/out"), std::to_string(size) + "\n");

  // The disk alone: the same bytes written and synced, and read again.
  const std::string plain = site_.images + "/plain";
  const std::string bytes(size, 'x');
  begin = std::chrono::steady_clock::now();
  {
    const base::Fd file(::open(plain.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    ASSERT_TRUE(base::write_all(file.get(), bytes));
    ::fsync(file.get());
  }
  const double write = seconds_since(begin);
  forget_cached(site_.images);
  begin = std::chrono::steady_clock::now();
  EXPECT_EQ(file_text(plain).size(), size);
  const double read = seconds_since(begin);
  std::filesystem::remove_all(site_.images);
  if (!site_.scratch.empty()) std::filesystem::remove_all(site_.scratch);
  std::cout << (size >> 20) << " MiB: " << pause << " s from the order to freed memory, " << restore
            << " s from the start to going on; the disk alone writes it in " << write << " s and reads it in " << read
            << " s\n";
}

}  // namespace
}  // namespace dfrs::shim
