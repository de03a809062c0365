// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-run, its keeper and the checkpointer together, with a script in place of criu: what goes wrong, and that the
// program is none the worse for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "shim/agent/process.h"
#include "tests/shim/checkpoint/virtual_node.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr std::uint32_t kJob = 7;

class Keepers : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_job_groups()) GTEST_SKIP() << *why;
    if (::access(built_program("dfrs-keeper").c_str(), X_OK) != 0) GTEST_SKIP() << "set DFRS_PROGRAMS";
    criu("exit 1");
    node_ = std::make_unique<VirtualNode>(site_, "a");
    fs::create_directories(home_);
  }
  // A script that knows $action and $images.
  void criu(const std::string& script) {
    site_.criu = site_.folder.write(
        "criu", "#!/bin/sh\naction=$1\nfor word; do [ \"$last\" = --images-dir ] && images=$word; last=$word; done\n" +
                    script + "\n");
    ::chmod(site_.criu.c_str(), 0755);
  }
  std::string out() const { return file_text(home_ + "/out"); }
  std::string err() const { return file_text(home_ + "/err"); }
  std::string text(const std::string& name) const { return file_text(home_ + "/" + name); }
  // A program that counts as long as it runs, and until there is a file named "end".
  pid_t start_counter(std::uint32_t restarts = 0) {
    const pid_t run =
        node_->run(kJob, restarts, home_,
                   {"sh", "-c", "echo $$ > inner; while [ ! -e end ]; do echo x >> count; sleep 0.01; done; exit 5"});
    EXPECT_TRUE(wait_until([&] { return counted() > 2; }));
    return run;
  }
  std::size_t counted() const { return text("count").size(); }
  bool counts_on() const {
    const std::size_t now = counted();
    return wait_until([&] { return counted() > now + 4; }, seconds(2));
  }
  void end() const { site_.folder.write("home/end", ""); }
  bool frozen() {
    return wait_until([&] { return node_->state(kJob) == CheckpointState::kFrozen; });
  }
  bool parts_left() const {
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(site_.images, ignored)) {
      if (entry.path().string().ends_with(".part")) return true;
    }
    return false;
  }

  Site site_;
  const std::string home_ = site_.folder / "home";
  std::unique_ptr<VirtualNode> node_;
};

TEST_F(Keepers, TheProgramIsAsTheCallerWouldHaveStartedIt) {
  ::setenv("DFRS_TEST_SETTING", "with spaces", 1);
  const pid_t run =
      node_->run(kJob, 0, home_,
                 {"sh", "-c", "echo $$ \"$DFRS_TEST_SETTING\" $(pwd) $(ulimit -n) $(umask) $1; exit 9", "-", "a b"});
  EXPECT_EQ(exit_code_of(run), 9);
  ::unsetenv("DFRS_TEST_SETTING");
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  char mask_text[8];
  snprintf(mask_text, sizeof mask_text, "%04o", mask);
  EXPECT_EQ(out(), "2 with spaces " + fs::canonical(home_).string() + " " + std::to_string(limit.rlim_cur) + " " +
                       mask_text + " a b\n");
  EXPECT_EQ(err(), "");
}

TEST_F(Keepers, ExitCodesAreThoseOfShells) {
  EXPECT_EQ(exit_code_of(node_->run(kJob, 0, home_, {"no-such-program"})), 127);
  EXPECT_THAT(err(), HasSubstr("dfrs-run: no-such-program: No such file"));
  EXPECT_EQ(exit_code_of(node_->run(kJob, 0, home_, {"/etc/passwd"})), 126);
  EXPECT_EQ(exit_code_of(node_->run(kJob, 0, home_, {"sh", "-c", "kill -KILL $$"})), 128 + SIGKILL);
}

TEST_F(Keepers, SignalsReachTheProgram) {
  const pid_t run = node_->run(
      kJob, 0, home_, {"sh", "-c", "trap 'echo usr1; exit 3' USR1; echo on > ready; while :; do sleep 0.01; done"});
  ASSERT_TRUE(wait_until([&] { return !text("ready").empty(); }));
  ::kill(run, SIGUSR1);
  EXPECT_EQ(exit_code_of(run), 3);
  EXPECT_EQ(out(), "usr1\n");
}

TEST_F(Keepers, OutsideAJobTheProgramRunsPlainly) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open((home_ + "/err").c_str(), O_WRONLY | O_CREAT, 0644), 2);
    const std::string run = built_program("dfrs-run");
    ::execl(run.c_str(), "dfrs-run", "--run-dir", node_->run_dir().c_str(), "sh", "-c", "exit 4", nullptr);
    ::_exit(98);
  }
  EXPECT_EQ(exit_code_of(child), 4);
  EXPECT_THAT(err(), HasSubstr("it is in no job of this node"));
}

TEST_F(Keepers, OneInAnotherRunsPlainly) {
  const pid_t run = node_->run(
      kJob, 0, home_, {built_program("dfrs-run"), "--run-dir", node_->run_dir(), "sh", "-c", "echo $$; exit 6"});
  EXPECT_EQ(exit_code_of(run), 6);
  EXPECT_EQ(out(), "2\n");
  EXPECT_THAT(err(), HasSubstr("under another dfrs-run"));
}

// Users may make mount namespaces. In one of these, what stands at the path of a program of ours is theirs.
TEST_F(Keepers, NothingIsRunFromAMountNamespaceOfTheUser) {
  const std::string forged = site_.folder.write("forged", "#!/bin/sh\necho forged >> " + home_ + "/forged.out\n");
  ::chmod(forged.c_str(), 0755);
  const std::vector<std::string> hide{"unshare",
                                      "--user",
                                      "--map-root-user",
                                      "--mount",
                                      "sh",
                                      "-c",
                                      "mount --bind " + forged + " " + built_program("dfrs-init") + " && exec \"$@\"",
                                      "sh"};
  const pid_t probe = ::fork();
  if (probe == 0) {
    ::execlp("unshare", "unshare", "--user", "--map-root-user", "--mount", "true", nullptr);
    ::_exit(98);
  }
  if (exit_code_of(probe) != 0) GTEST_SKIP() << "users may not make namespaces here";
  const pid_t run = node_->run(kJob, 0, home_, {"sh", "-c", "exit 6"}, hide);
  EXPECT_EQ(exit_code_of(run), 6);
  EXPECT_EQ(text("forged.out"), "");
  EXPECT_THAT(err(), HasSubstr("mount namespace that a user made"));
}

TEST_F(Keepers, TheProgramEndsWithDfrsRun) {
  const pid_t run = start_counter();
  ::kill(run, SIGKILL);
  exit_code_of(run);
  ASSERT_TRUE(wait_until([&] { return !counts_on(); }));
}

TEST_F(Keepers, AnAttemptThatIsGivenUpLetsItGoOn) {
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(frozen());
  EXPECT_FALSE(counts_on());
  node_->order(kJob, 1, CheckpointPhase::kResume);
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kResumed; }));
  EXPECT_TRUE(counts_on());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(Keepers, ADumpThatFailsHalfWayHarmsNothing) {
  criu(
      "echo half > $images/pages-1.img; echo '(00.1) Error (criu/sk-inet.c:1): inet: Connected TCP socket, x'; exit 1");
  const pid_t run = start_counter();
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  EXPECT_EQ(report.state, CheckpointState::kFailed);
  EXPECT_EQ(report.reason, "holds a TCP connection");
  EXPECT_TRUE(counts_on());
  EXPECT_FALSE(parts_left());
  // The next attempt is a new one.
  node_->order(kJob, 2, CheckpointPhase::kFreeze);
  EXPECT_TRUE(frozen());
  node_->order(kJob, 2, CheckpointPhase::kResume);
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(Keepers, WhenDfrsdIsKilledInADumpTheProgramGoesOn) {
  criu("echo half > $images/pages-1.img; sleep 0.5; exit 0");
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(frozen());
  node_->order(kJob, 1, CheckpointPhase::kDump);
  ASSERT_TRUE(wait_until([&] { return parts_left(); }));
  node_->kill_dfrsd();
  ASSERT_TRUE(wait_until([&] { return counts_on(); }));
  EXPECT_FALSE(parts_left());
  node_->start();
  node_->order(kJob, 1, CheckpointPhase::kDump);
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kFailed; }));
  EXPECT_TRUE(counts_on());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(Keepers, WhatWasDumpedNeverRunsPastItsImage) {
  criu("echo all > $images/pages-1.img; exit 0");
  const pid_t run = start_counter();
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  EXPECT_EQ(report.bytes, 4u);
  const std::size_t then = counted();
  node_->kill_dfrsd();
  for (const pid_t pid : node_->processes(kJob)) {
    if (pid != run) ::kill(pid, SIGCONT);  // as Slurm does to each process of the job
  }
  EXPECT_FALSE(counts_on());
  EXPECT_EQ(requeue(run), 128 + SIGTERM);
  EXPECT_FALSE(counts_on());
  EXPECT_EQ(counted(), then);
}

TEST_F(Keepers, ADumpedJobCanGoOn) {
  criu("echo all > $images/pages-1.img; exit 0");
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  node_->order(kJob, 1, CheckpointPhase::kResume);
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kResumed; }));
  EXPECT_TRUE(counts_on());
  // What it does now is not in the image, so the next run must not go on from there.
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(site_.images, ignored)) {
    EXPECT_FALSE(entry.is_regular_file()) << entry.path();
  }
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(Keepers, AFailedRestoreSaysWhyAndStartsAnew) {
  criu("[ $action = restore ] && exit 1; echo all > $images/pages-1.img; exit 0");
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  requeue(run);
  end();
  const pid_t again =
      node_->run(kJob, 1, home_,
                 {"sh", "-c", "echo $$ > inner; while [ ! -e end ]; do echo x >> count; sleep 0.01; done; exit 5"});
  EXPECT_EQ(exit_code_of(again), 5);
  EXPECT_THAT(err(), HasSubstr("the image of run 0 cannot be restored: CRIU failed"));
  EXPECT_THAT(err(), HasSubstr("starts from its beginning"));
}

TEST_F(Keepers, AForgedImageIsNotEvenShownToCriu) {
  criu("[ $action = restore ] && touch $0.restored; echo all > $images/pages-1.img; exit 0");
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  requeue(run);
  for (const auto& entry : fs::recursive_directory_iterator(site_.images)) {
    if (entry.path().filename() == "pages-1.img") std::ofstream(entry.path()) << "any";
  }
  end();
  const pid_t again =
      node_->run(kJob, 1, home_,
                 {"sh", "-c", "echo $$ > inner; while [ ! -e end ]; do echo x >> count; sleep 0.01; done; exit 5"});
  EXPECT_EQ(exit_code_of(again), 5);
  EXPECT_THAT(err(), HasSubstr("missing or truncated"));
  EXPECT_FALSE(fs::exists(site_.criu + ".restored"));
}

TEST_F(Keepers, TheStoresLimitFailsTheAttempt) {
  node_.reset();
  site_.bytes = 1 << 20;
  node_ = std::make_unique<VirtualNode>(site_, "a");
  const pid_t run = start_counter();
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  EXPECT_EQ(report.state, CheckpointState::kFailed);
  EXPECT_THAT(report.reason, HasSubstr("images may take 1 MiB"));
  EXPECT_TRUE(counts_on());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(Keepers, TheDryCheckReportsAbleAndUnable) {
  const pid_t run = start_counter();
  node_->no_order(kJob);
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kAble; }));
  EXPECT_GT(node_->report(kJob).bytes, 0u);
  end();
  EXPECT_EQ(exit_code_of(run), 5);
  fs::remove(home_ + "/end");
  const pid_t bad =
      node_->run(kJob, 0, home_, {"sh", "-c", "exec 5< /dev/kmsg; while [ ! -e end ]; do sleep 0.01; done"});
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kUnable; }));
  EXPECT_THAT(node_->report(kJob).reason, HasSubstr("uses the device /dev/kmsg"));
  end();
  exit_code_of(bad);
}

TEST_F(Keepers, AFolderThatIsNotTheControllersFailsTheAttempt) {
  const pid_t run = start_counter();
  site_.images += "-elsewhere";
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kFailed; }));
  EXPECT_THAT(node_->report(kJob).reason, HasSubstr("--checkpoint-folder"));
  EXPECT_TRUE(counts_on());
  end();
  exit_code_of(run);
}

}  // namespace
}  // namespace dfrs::shim
