// SPDX-License-Identifier: GPL-2.0-or-later
// Real programs, dumped by the real criu at a random instant on one virtual node and restored on another: the output is
// that of a run nobody touched. DFRS_CRIU names a criu that is not in PATH; DFRS_MOVES, how often each program moves;
// DFRS_TEST_UID, whose jobs they are (by default nobody's; root's where root lacks CAP_SYS_RESOURCE, which CRIU needs
// for the processes of others).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <random>

#include "base/process.h"
#include "shim/checkpoint/criu.h"
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

// 0: it is gone, or root's.
uid_t uid_of(pid_t pid) {
  struct stat about{};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &about) == 0 ? about.st_uid : 0;
}

class RealCriu : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (const auto why = no_job_groups()) GTEST_SKIP() << *why;
    if (const char* const named = ::getenv("DFRS_CRIU")) site_.criu = named;
    if (const auto checked = check_criu(site_.criu); !checked) GTEST_SKIP() << checked.error();
    ASSERT_EQ(::access(built_program("dfrs-keeper").c_str(), X_OK), 0) << "set DFRS_PROGRAMS";
    const char* const user = ::getenv("DFRS_TEST_UID");
    constexpr uid_t kNobody = 65534;
    rlimit limit{};
    const pid_t other = ::fork();
    if (other == 0) ::_exit(::setuid(kNobody) == 0 ? ::execlp("sleep", "sleep", "100", nullptr) : 1);
    // The kernel asks for the capability; what it answers is more than the list of capabilities says in a container.
    bool changed = false;
    wait_until([&] { return (changed = uid_of(other) == kNobody); });
    const bool able = changed && ::prlimit(other, RLIMIT_NOFILE, nullptr, &limit) == 0;
    ::kill(other, SIGKILL);
    exit_code_of(other);
    site_.user = user != nullptr ? static_cast<uid_t>(std::atoi(user)) : able ? kNobody : 0;
    ::chmod(site_.folder.path().c_str(), 0711);
    a_ = std::make_unique<VirtualNode>(site_, "a");
    b_ = std::make_unique<VirtualNode>(site_, "b");
  }
  std::string new_folder(const std::string& name) const {
    std::filesystem::create_directories(site_.folder / name);
    EXPECT_EQ(::chown((site_.folder / name).c_str(), site_.user, site_.user), 0);
    return site_.folder / name;
  }
  static std::vector<std::string> words(const Case& program) {
    std::vector<std::string> all;
    for (const std::string& word : program.words) all.push_back(with_programs(word));
    return all;
  }

  Site site_;
  std::unique_ptr<VirtualNode> a_;
  std::unique_ptr<VirtualNode> b_;
};

TEST_P(RealCriu, MovesAProgramInTheMiddle) {
  const Case& program = GetParam();
  const std::string alone = new_folder("alone");
  if (shell(program.needs, alone) != 0) GTEST_SKIP() << "needs: " << program.needs;
  ASSERT_EQ(shell(program.build[0] != '\0' ? program.build : "true", alone), 0);
  const auto begun = std::chrono::steady_clock::now();
  const pid_t plain = a_->run(1, 0, alone, words(program));
  ASSERT_EQ(exit_code_of(plain), 0) << file_text(alone + "/err");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const std::string expected = file_text(alone + "/out");
  ASSERT_THAT(expected, testing::StartsWith(program.expected));

  std::mt19937 random(std::random_device{}());
  const char* const moves_text = ::getenv("DFRS_MOVES");
  const int moves = moves_text != nullptr ? std::atoi(moves_text) : 1;
  int moved = 0;
  for (int i = 0; i < moves; ++i) {
    const std::string folder = new_folder("moved-" + std::to_string(i));
    ASSERT_EQ(shell(program.build[0] != '\0' ? program.build : "true", folder), 0);
    const auto job = static_cast<std::uint32_t>(10 + i);
    const pid_t first = a_->run(job, 0, folder, words(program));
    const double instant = std::uniform_real_distribution<>(0.05, 0.9)(random) * took.count();
    SCOPED_TRACE("dumped after " + std::to_string(instant) + " of " + std::to_string(took.count()) + " s");
    std::this_thread::sleep_for(std::chrono::duration<double>(instant));
    const CheckpointReport report = a_->checkpoint(job, 1, 0);
    ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
    if (report.bytes == 0) {  // it had just ended
      ASSERT_EQ(exit_code_of(first), 0);
      continue;
    }
    ++moved;
    EXPECT_EQ(requeue(first), 128 + SIGTERM);
    const pid_t second = b_->run(job, 1, folder, words(program));
    EXPECT_EQ(exit_code_of(second), 0);
    EXPECT_EQ(file_text(folder + "/err"), "");
    EXPECT_EQ(file_text(folder + "/out"), expected);
    EXPECT_FALSE(std::filesystem::exists(site_.images + "/job-" + std::to_string(job))) << "images of an ended program";
  }
  std::cout << program.name << ": " << moved << " of " << moves << " moved as user id " << site_.user << ", "
            << took.count() << " s alone\n";
}

INSTANTIATE_TEST_SUITE_P(Programs, RealCriu, testing::ValuesIn(kCases),
                         [](const auto& program) { return std::string(program.param.name); });

}  // namespace
}  // namespace dfrs::shim
