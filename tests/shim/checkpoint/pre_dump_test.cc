// SPDX-License-Identifier: GPL-2.0-or-later
// Keepers that have criu write a program's memory before the program stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/shim/checkpoint/keepers.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PreDumps : public Keepers {
 protected:
  void SetUp() override {
    Keepers::SetUp();
    if (IsSkipped()) return;
    script("while [ ! -e $0.go ]; do sleep 0.01; done", "");
    use(1);
  }
  // What criu does besides writing pages, and how it ends.
  void script(const std::string& pre_dump, const std::string& dump) {
    criu("echo \"$@\" >> $0.said\ncase $action in\npre-dump) echo before > $images/pages-1.img; " + pre_dump +
         " ;;\ndump) echo after > $images/pages-1.img; " + dump +
         " ;;\nrestore) cat $images/pages-1.img $images/parent/pages-1.img > $0.restored; exit 1 ;;\nesac");
  }
  void use(std::uint64_t pre_dump_from) {
    node_.reset();
    site_.pre_dump_from = pre_dump_from;
    node_ = std::make_unique<VirtualNode>(site_, "a" + std::to_string(++nodes_));
  }
  bool pre_dumping() const {
    return wait_until([&] { return node_->state(kJob) == CheckpointState::kPreDumping; });
  }
  void let_criu_go() const { std::ofstream(site_.criu + ".go") << "go"; }
  std::string beside_criu(const std::string& ending) const { return file_text(site_.criu + ending); }
  // The last command that criu got.
  std::string last_said() const {
    const std::string all = beside_criu(".said");
    const std::size_t before = all.rfind('\n', all.size() - 2);
    return all.substr(before == std::string::npos ? 0 : before + 1);
  }
  CheckpointReport dump(std::uint64_t attempt) {
    node_->order(kJob, attempt, CheckpointPhase::kDump, 0, 1);
    EXPECT_TRUE(wait_until([&] {
      const auto state = node_->state(kJob);
      return state == CheckpointState::kDumped || state == CheckpointState::kFailed;
    }));
    return node_->report(kJob);
  }
  int nodes_ = 0;
};

TEST_F(PreDumps, TheProgramRunsUntilItsMemoryIsWritten) {
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(pre_dumping());
  EXPECT_TRUE(counts_on());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_THAT(last_said(), AllOf(HasSubstr("pre-dump"), HasSubstr("/parent "), HasSubstr("--track-mem")));
  let_criu_go();
  ASSERT_TRUE(frozen());
  EXPECT_FALSE(counts_on());
  const CheckpointReport report = dump(1);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  EXPECT_EQ(report.bytes, 7u + 6u) << "before, after";
  EXPECT_GT(report.seconds, 0.3) << "of both";
  EXPECT_THAT(last_said(), AllOf(HasSubstr("--track-mem"), HasSubstr("--prev-images-dir parent")));
  end_run(run);
  end();
  EXPECT_EQ(exit_code_of(node_->run(kJob, 1, home_, counter())), 5);
  EXPECT_EQ(beside_criu(".restored"), "after\nbefore\n");
}

TEST_F(PreDumps, CompressedImagesHaveThemToo) {
  site_.scratch = site_.folder / "scratch";
  fs::create_directories(site_.scratch);
  use(1);
  let_criu_go();
  const pid_t run = start_counter();
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  EXPECT_EQ(report.bytes, 7u + 6u);
  EXPECT_THAT(last_said(), HasSubstr("--prev-images-dir parent"));
  EXPECT_TRUE(fs::is_empty(site_.scratch));
  end_run(run);
  end();
  EXPECT_EQ(exit_code_of(node_->run(kJob, 1, home_, counter())), 5);
  EXPECT_EQ(beside_criu(".restored"), "after\nbefore\n");
  EXPECT_TRUE(fs::is_empty(site_.scratch));
}

TEST_F(PreDumps, IfOneFailsTheDumpWritesAll) {
  script("exit 1", "");
  const pid_t run = start_counter();
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  EXPECT_EQ(report.bytes, 6u);
  EXPECT_THAT(beside_criu(".said"), HasSubstr("pre-dump"));
  EXPECT_THAT(last_said(), Not(HasSubstr("parent")));
  end_run(run);
}

// It may be the pre-dump's fault.
TEST_F(PreDumps, AfterADumpThatFailedThereAreNoMore) {
  script("", "exit 1");
  const pid_t run = start_counter();
  EXPECT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kFailed);
  EXPECT_TRUE(counts_on());
  EXPECT_FALSE(parts_left());
  fs::remove(site_.criu + ".said");
  EXPECT_EQ(node_->checkpoint(kJob, 2, 0).state, CheckpointState::kFailed);
  EXPECT_THAT(beside_criu(".said"), AllOf(HasSubstr("dump --tree"), Not(HasSubstr("pre-dump --tree"))));
  EXPECT_TRUE(counts_on());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(PreDumps, ProgramsWithLessMemoryHaveNone) {
  use(std::uint64_t{1} << 40);
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  EXPECT_THAT(beside_criu(".said"), Not(HasSubstr("pre-dump --tree")));
  end_run(run);
}

TEST_F(PreDumps, WhatIsGivenUpMeanwhileLeavesNothing) {
  for (std::uint64_t attempt = 1; attempt <= 2; ++attempt) {
    const pid_t run = start_counter();
    node_->order(kJob, attempt, CheckpointPhase::kFreeze);
    ASSERT_TRUE(pre_dumping());
    node_->order(kJob, attempt, CheckpointPhase::kResume);
    EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kResumed; }, kGoesOn));
    EXPECT_TRUE(counts_on());
    EXPECT_FALSE(parts_left());
    // The next attempt begins from its own.
    let_criu_go();
    const CheckpointReport report = node_->checkpoint(kJob, attempt + 10, 0);
    EXPECT_EQ(report.state, CheckpointState::kDumped) << report.reason;
    EXPECT_THAT(last_said(), HasSubstr("--prev-images-dir parent"));
    end_run(run);
    fs::remove(site_.criu + ".go");
    fs::remove_all(home_);
    fs::create_directories(home_);
    fs::remove_all(site_.images);
    use(1);
  }
}

TEST_F(PreDumps, WhatIsGivenUpBetweenThatAndTheDumpLeavesNothing) {
  let_criu_go();
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(frozen());
  EXPECT_TRUE(parts_left());
  node_->order(kJob, 1, CheckpointPhase::kResume);
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kResumed; }));
  EXPECT_TRUE(counts_on());
  EXPECT_FALSE(parts_left());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(PreDumps, WhenDfrsdIsKilledMeanwhileTheProgramRunsOn) {
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(pre_dumping());
  node_->kill_dfrsd();
  EXPECT_TRUE(wait_until([&] { return !parts_left(); }, kGoesOn));
  EXPECT_TRUE(counts_on());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(PreDumps, AProgramMayEndMeanwhile) {
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(pre_dumping());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
  EXPECT_FALSE(parts_left());
}

TEST_F(PreDumps, WithoutRoomForThemTheDumpWritesAll) {
  site_.bytes = std::uint64_t{70} << 20;  // for its memory of a bit over 40 MiB, but not for it twice
  use(1);
  const pid_t run = node_->run(kJob, 0, home_,
                               {"python3", "-c",
                                "import os, time\nmemory = b'x' * (40 << 20)\nopen('ready', 'w').write('yes')\n"
                                "while not os.path.exists('end'): time.sleep(0.01)"});
  ASSERT_TRUE(wait_until([&] { return !text("ready").empty(); }));
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  EXPECT_THAT(beside_criu(".said"), Not(HasSubstr("pre-dump --tree")));
  end_run(run);
}

}  // namespace
}  // namespace dfrs::shim
