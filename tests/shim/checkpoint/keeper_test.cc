// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-run, its keeper and the checkpointer together, with a script in place of criu: what goes wrong, and that the
// program is none the worse for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <utime.h>

#include <sstream>

#include "shim/agent/process.h"
#include "shim/checkpoint/criu.h"
#include "tests/shim/checkpoint/keepers.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::HasSubstr;

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

TEST_F(Keepers, TheProgramSeesItsOwnProcessesInProc) {
  const std::string count = "ls /proc | grep -c '^[0-9]'";
  // The shell, ls, grep and dfrs-init.
  const pid_t run =
      node_->run(kJob, 0, home_, {"bash", "-c", "readlink /proc/$$/exe; exec 3< <(" + count + "); cat <&3"});
  EXPECT_EQ(exit_code_of(run), 0);
  EXPECT_THAT(out(), testing::MatchesRegex(".*/bash\n[3-6]\n"));
  EXPECT_EQ(err(), "");
}

// After an attempt that failed, too.
TEST_F(Keepers, CriuSeesTheNodesProcAndTheProgramItsOwnAgain) {
  criu("readlink /proc/self > " + home_ + "/criu; ls -d /proc/$$ >> " + home_ + "/criu; exit 1");
  node_ = std::make_unique<VirtualNode>(site_, "b");
  const pid_t run = node_->run(
      kJob, 0, home_,
      {"sh", "-c", "echo on > on; while [ ! -e end ]; do sleep 0.01; done; readlink /proc/self; ls -d /proc/$$"});
  ASSERT_TRUE(wait_until([&] { return !text("on").empty(); }));
  EXPECT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kFailed);
  EXPECT_THAT(text("criu"), testing::MatchesRegex("[0-9]+\n/proc/[0-9]+\n"));
  end();
  EXPECT_EQ(exit_code_of(run), 0);
  EXPECT_THAT(out(), testing::MatchesRegex("[0-9]{1,3}\n/proc/2\n"));
  EXPECT_EQ(err(), "");
}

// A script that goes on after it shares the position in its output.
TEST_F(Keepers, OutputGoesOnWhereTheProgramsEnded) {
  const pid_t run = node_->run(kJob, 0, home_, {"sh", "-c", "echo two"},
                               {"sh", "-c", "{ echo one; \"$@\"; echo three; } > both", "-"});
  EXPECT_EQ(exit_code_of(run), 0);
  EXPECT_EQ(text("both"), "one\ntwo\nthree\n");
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
  const std::string run = built_program("dfrs-run"), err_path = home_ + "/err";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(err_path.c_str(), O_WRONLY | O_CREAT, 0644), 2);
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

// The program goes on soon after the order, whatever criu or the disk is about.
TEST_F(Keepers, WhatIsGivenUpGoesOnAtOnce) {
  const char* const hanging[] = {
      "echo half > $images/pages-1.img; sleep 30",  // nothing is written any more
      "while echo more 2> $0.said >> $images/pages-1.img; do sleep 0.05; done; touch $0.cured; exit 1"};
  for (std::uint64_t attempt = 1; attempt <= 2; ++attempt) {
    criu(hanging[attempt - 1]);
    const pid_t run = start_counter();
    node_->order(kJob, attempt, CheckpointPhase::kFreeze);
    ASSERT_TRUE(frozen()) << node_->report(kJob).reason;
    node_->order(kJob, attempt, CheckpointPhase::kDump);
    ASSERT_TRUE(wait_until([&] { return parts_left(); }));
    const std::size_t stands = counted();
    const auto given_up = std::chrono::steady_clock::now();
    node_->order(kJob, attempt, CheckpointPhase::kResume);
    ASSERT_TRUE(wait_until([&] { return counted() > stands; }));
    EXPECT_LT(std::chrono::steady_clock::now() - given_up, kGoesOn);
    EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kResumed; }));
    EXPECT_FALSE(parts_left());
    end();
    EXPECT_EQ(exit_code_of(run), 5);
    fs::remove_all(home_);
    fs::create_directories(home_);
  }
  EXPECT_TRUE(fs::exists(site_.criu + ".cured")) << "criu was to end by itself";
}

// The end of an attempt may come while the image is read for its sums.
TEST_F(Keepers, WhatIsGivenUpAsItsImageIsCompletedLeavesNone) {
  criu("truncate -s 4G $images/pages-1.img; exit 0");
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(frozen());
  node_->order(kJob, 1, CheckpointPhase::kDump);
  ASSERT_TRUE(wait_until([&] { return parts_left(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::size_t stands = counted();
  const auto given_up = std::chrono::steady_clock::now();
  node_->order(kJob, 1, CheckpointPhase::kResume);
  ASSERT_TRUE(wait_until([&] { return counted() > stands; }));
  EXPECT_LT(std::chrono::steady_clock::now() - given_up, kGoesOn);
  EXPECT_TRUE(wait_until([&] { return !parts_left(); }));
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(site_.images, ignored))
    EXPECT_FALSE(entry.is_regular_file()) << entry.path();
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

// Its keeper has the path of the one before, which dfrsd still knows: it looks once a second.
TEST_F(Keepers, AProgramThatFollowsAnotherAtOnceIsDumpedToo) {
  const pid_t first = start_counter();
  node_->no_order(kJob);
  ASSERT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kAble; }));
  end();
  EXPECT_EQ(exit_code_of(first), 5);
  fs::remove_all(home_);
  fs::create_directories(home_);
  const pid_t second = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(frozen()) << node_->report(kJob).reason;
  node_->order(kJob, 1, CheckpointPhase::kResume);
  EXPECT_TRUE(counts_on());
  end();
  EXPECT_EQ(exit_code_of(second), 5);
}

// On a busy machine a keeper may take a while from its socket's file to listen().
TEST_F(Keepers, OneThatDoesNotListenYetIsNotTakenForDead) {
  const std::string base = node_->run_dir() + "/programs/" + std::to_string(kJob) + ".0.batch-0-0123abcd-0";
  const base::Fd lock(::open((base + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  const base::Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(base.size() + 5, sizeof address.sun_path);
  strcpy(address.sun_path, (base + ".sock").c_str());
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  for (int round = 0; round < 5; ++round) {
    node_->no_order(kJob);  // dfrsd looks at once
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ASSERT_TRUE(fs::exists(base + ".sock"));
  ASSERT_TRUE(fs::exists(base + ".lock"));
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  EXPECT_TRUE(wait_until([&] { return static_cast<bool>(base::Fd(::accept(listener.get(), nullptr, nullptr))); }));
}

TEST_F(Keepers, AKilledOnesProgramEndsAndItsFilesAreRemoved) {
  const pid_t run = start_counter();
  node_->no_order(kJob);
  ASSERT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kAble; }));
  const pid_t keeper = living_child("dfrs-keeper");
  ASSERT_GT(keeper, 0);
  ::kill(keeper, SIGKILL);
  EXPECT_NE(exit_code_of(run), 0);
  const fs::path programs = node_->run_dir() + "/programs";
  EXPECT_TRUE(wait_until([&] { return fs::is_empty(programs); }));
  EXPECT_TRUE(wait_until([&] { return !counts_on(); }));
}

TEST_F(Keepers, AnAttemptBetweenTwoProgramsWaitsForTheNext) {
  const pid_t run = node_->run(
      kJob, 0, home_, {"sh", "-c", "echo x >> begun; while [ ! -e end-$(wc -l < begun) ]; do sleep 0.01; done"},
      {"sh", "-c", "\"$@\"; echo x > between; sleep 0.4; \"$@\"", "sh"});
  node_->no_order(kJob);
  ASSERT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kAble; }));
  site_.folder.write("home/end-1", "");
  ASSERT_TRUE(wait_until([&] { return !text("between").empty(); }));
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  EXPECT_TRUE(frozen()) << node_->report(kJob).reason;
  node_->order(kJob, 1, CheckpointPhase::kResume);
  EXPECT_TRUE(wait_until([&] { return text("begun") == "x\nx\n"; }));
  site_.folder.write("home/end-2", "");
  EXPECT_EQ(exit_code_of(run), 0);
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

TEST_F(Keepers, CriuDoesWithoutBreakpointsWhereTheyDoNotWork) {
  criu("echo all > $images/pages-1.img; echo fault $CRIU_FAULT > $0.said; exit 0");
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  EXPECT_EQ(file_text(site_.criu + ".said"), breakpoints_work() ? "fault\n" : "fault 130\n");
  end_run(run);
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
  end_run(run);
  end();
  const pid_t again = node_->run(kJob, 1, home_, counter());
  EXPECT_EQ(exit_code_of(again), 5);
  EXPECT_THAT(err(), HasSubstr("the image of run 0 cannot be restored: CRIU failed"));
  EXPECT_THAT(err(), HasSubstr("starts from its beginning"));
}

TEST_F(Keepers, AForgedImageIsNotEvenShownToCriu) {
  criu("[ $action = restore ] && touch $0.restored; echo all > $images/pages-1.img; exit 0");
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  end_run(run);
  for (const auto& entry : fs::recursive_directory_iterator(site_.images)) {
    if (entry.path().filename() == "pages-1.img") std::ofstream(entry.path()) << "any";
  }
  end();
  const pid_t again = node_->run(kJob, 1, home_, counter());
  EXPECT_EQ(exit_code_of(again), 5);
  EXPECT_THAT(err(), HasSubstr("missing or truncated"));
  EXPECT_FALSE(fs::exists(site_.criu + ".restored"));
}

// Two tasks of a step: rank 0 and rank 1, each with a folder of its own.
class TwoRanks : public Keepers {
 protected:
  void SetUp() override {
    Keepers::SetUp();
    if (IsSkipped()) return;
    commands_ = site_.folder / "commands";
    fs::create_directories(commands_);
    path_ = ::getenv("PATH");
    ::setenv("PATH", (commands_ + ":" + path_).c_str(), 1);
    criu("[ $action = restore ] && touch $0.restored && exit 1; echo all > $images/pages-1.img; exit 0");
  }
  void TearDown() override {
    if (path_.empty()) return;
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("SLURM_PROCID");
    ::unsetenv("SLURM_STEP_ID");
  }
  // In place of one of Slurm's commands.
  void command(const std::string& name, const std::string& script) const {
    ::chmod(site_.folder.write("commands/" + name, "#!/bin/sh\n" + script + "\n").c_str(), 0755);
  }
  pid_t start(int rank, std::uint32_t restarts) {
    ::setenv("SLURM_STEP_ID", "0", 1);
    ::setenv("SLURM_PROCID", std::to_string(rank).c_str(), 1);
    const std::string home = home_ + "/" + std::to_string(rank);
    fs::create_directories(home);
    return node_->run(kJob, restarts, home, {"sh", "-c", "echo on >> begun; while [ ! -e end ]; do sleep 0.01; done"});
  }
  bool begun(int rank, std::size_t times) const {
    return wait_until([&] { return text(std::to_string(rank) + "/begun").size() == 3 * times; });
  }
  void end_both() const {
    for (const char* const rank : {"0", "1"}) site_.folder.write(std::string("home/") + rank + "/end", "");
  }
  std::string said(int rank) const { return text(std::to_string(rank) + "/err"); }
  fs::path image_of(int rank) const {
    for (const auto& entry : fs::recursive_directory_iterator(site_.images + "/job-7/0/" + std::to_string(rank)))
      if (entry.path().filename() == "pages-1.img") return entry.path();
    return {};
  }
  // Both are dumped at one instant, and the run ends.
  void dump_both() {
    const pid_t first = start(0, 0), second = start(1, 0);
    ASSERT_TRUE(begun(0, 1) && begun(1, 1));
    const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
    ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
    EXPECT_EQ(report.programs, 2u) << said(0) << said(1);
    ::kill(second, SIGTERM);
    end_run(first);
    exit_code_of(second);
  }

  std::string commands_;
  std::string path_;
};

TEST_F(TwoRanks, NoneGoesOnAlone) {
  dump_both();
  fs::remove_all(image_of(1).parent_path());  // its node was lost before it had written it
  const pid_t first = start(0, 1), second = start(1, 1);
  EXPECT_TRUE(begun(0, 2) && begun(1, 2));
  end_both();
  EXPECT_EQ(exit_code_of(first), 0);
  EXPECT_EQ(exit_code_of(second), 0);
  EXPECT_THAT(said(0), HasSubstr("the image of run 0 cannot be restored: 1 of the job's 2 programs have an image"));
  EXPECT_THAT(said(0), HasSubstr("starts from its beginning"));
  EXPECT_FALSE(fs::exists(site_.criu + ".restored")) << "rank 0 must not go on without rank 1";
}

TEST_F(TwoRanks, IfOneCannotGoOnTheJobBeginsAgainAsAWhole) {
  dump_both();
  command("scontrol", "echo \"$@\" >> " + commands_ + "/asked");
  const std::string all = file_text(image_of(1));
  std::ofstream(image_of(1)) << std::string(all.size(), 'x');  // nobody sees that without reading it
  const pid_t second = start(1, 1);
  ASSERT_TRUE(wait_until([&] { return file_text(commands_ + "/asked") == "requeue 7\n"; }));
  EXPECT_EQ(requeue(second), 128 + SIGTERM);
  EXPECT_THAT(said(1), HasSubstr("was changed after the dump"));
  EXPECT_THAT(said(1), HasSubstr("so the job is requeued"));
  EXPECT_EQ(text("1/begun").size(), 3u) << "it must not begin beside one that goes on";
  const pid_t first = start(0, 2), again = start(1, 2);
  EXPECT_TRUE(begun(0, 2) && begun(1, 2));
  end_both();
  EXPECT_EQ(exit_code_of(first), 0);
  EXPECT_EQ(exit_code_of(again), 0);
  EXPECT_FALSE(fs::exists(site_.criu + ".restored"));
}

TEST_F(TwoRanks, ARequeueThatSlurmRefusesEndsTheJob) {
  dump_both();
  command("scontrol", "echo 'Job is not allowed' >&2; exit 1");
  EXPECT_EQ(exit_code_of(start(1, 1)), 1) << "the script's criu cannot restore";
  EXPECT_THAT(said(1), HasSubstr("Slurm does not requeue it: Job is not allowed"));
  end_both();
}

TEST_F(TwoRanks, ImagesOfEndedJobsMakeRoom) {
  node_.reset();
  site_.bytes = 40 << 20;
  node_ = std::make_unique<VirtualNode>(site_, "a");
  command("squeue", "echo 7");
  const std::string old = site_.images + "/job-3/0/0/batch-0-0123abcd-0";
  fs::create_directories(old);
  std::ofstream(old + "/pages-1.img") << std::string(38 << 20, 'x');
  ::chmod(site_.images.c_str(), 0700);
  const pid_t run = start_counter();
  EXPECT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kFailed) << "it is young";
  EXPECT_TRUE(counts_on());
  const utimbuf times{1000, 1000};
  ::utime(old.c_str(), &times);
  const CheckpointReport report = node_->checkpoint(kJob, 2, 0);
  EXPECT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  EXPECT_FALSE(fs::exists(old));
  end_run(run);
}

TEST_F(Keepers, AProgramWithoutTheExpectedImageSaysSo) {
  node_->no_order(kJob, true);
  ASSERT_TRUE(wait_until([&] { return fs::exists(node_->run_dir() + "/programs/7.restoring"); }));
  pid_t run = start_counter(1);
  EXPECT_THAT(err(), HasSubstr("no image of this program was found in " + site_.images));
  end();
  EXPECT_EQ(exit_code_of(run), 5);
  node_->no_order(kJob);
  EXPECT_FALSE(fs::exists(node_->run_dir() + "/programs/7.restoring"));
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
