// SPDX-License-Identifier: GPL-2.0-or-later
// Keepers whose images are compressed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/shim/checkpoint/keepers.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CompressedImages : public Keepers {
 protected:
  void SetUp() override {
    Keepers::SetUp();
    if (IsSkipped()) return;
    fs::create_directories(scratch_);
    // What is dumped is kept beside the script, and compared with what a restore is shown.
    criu(
        "if [ $action = restore ]; then cmp $images/pages-1.img $0.dumped && echo $images > $0.restored; exit 1; fi\n"
        "seq 200000 | tee $images/pages-1.img > $0.dumped; echo $images > $0.dump");
    site_.scratch = scratch_;
    node_ = std::make_unique<VirtualNode>(site_, "a");
  }
  std::string image(const std::string& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(site_.images))
      if (entry.path().filename() == name) return entry.path();
    return {};
  }
  // The next run, to its end.
  void run_again() {
    end();
    EXPECT_EQ(exit_code_of(node_->run(kJob, 1, home_, counter())), 5);
  }
  std::string beside_criu(const std::string& ending) const { return file_text(site_.criu + ending); }

  const std::string scratch_ = site_.folder / "scratch";
};

TEST_F(CompressedImages, CriuWritesAndReadsThemInTheScratchFolder) {
  const pid_t run = start_counter();
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  ASSERT_EQ(report.state, CheckpointState::kDumped) << report.reason;
  const std::uint64_t plain = beside_criu(".dumped").size();
  EXPECT_EQ(report.bytes, plain) << "rates are of memory, not of what it is compressed to";
  EXPECT_THAT(beside_criu(".dump"), HasSubstr(scratch_));
  EXPECT_TRUE(fs::is_empty(scratch_)) << "it is in the store now";
  EXPECT_EQ(image("pages-1.img"), "");
  EXPECT_LT(fs::file_size(image("pages-1.img.zst")), plain / 2);
  end_run(run);
  run_again();
  EXPECT_THAT(beside_criu(".restored"), HasSubstr(scratch_));
  EXPECT_TRUE(fs::is_empty(scratch_));
}

TEST_F(CompressedImages, ANodeWithoutAScratchFolderRestoresThemToo) {
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  end_run(run);
  site_.scratch.clear();
  node_ = std::make_unique<VirtualNode>(site_, "b");
  run_again();
  EXPECT_THAT(beside_criu(".restored"), HasSubstr(site_.images));
  EXPECT_EQ(image("pages-1.img"), "") << "it goes when criu has ended";
}

TEST_F(CompressedImages, IfTheScratchFolderCannotBeUsedTheyAreUnpackedBesideTheImage) {
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  end_run(run);
  fs::remove_all(scratch_);
  run_again();
  EXPECT_THAT(beside_criu(".restored"), HasSubstr(site_.images));
}

TEST_F(CompressedImages, ADamagedOneIsNotEvenUnpacked) {
  const pid_t run = start_counter();
  ASSERT_EQ(node_->checkpoint(kJob, 1, 0).state, CheckpointState::kDumped);
  end_run(run);
  {
    std::fstream file(image("pages-1.img.zst"), std::ios::in | std::ios::out);
    file.seekp(100);
    file << "any";
  }
  run_again();
  EXPECT_THAT(err(), HasSubstr("cannot be restored"));
  EXPECT_EQ(beside_criu(".restored"), "");
}

TEST_F(CompressedImages, WhatIsGivenUpLeavesNothing) {
  criu("seq 1000 > $images/pages-1.img; exec sleep 30");
  node_ = std::make_unique<VirtualNode>(site_, "c");
  const pid_t run = start_counter();
  node_->order(kJob, 1, CheckpointPhase::kFreeze);
  ASSERT_TRUE(frozen());
  node_->order(kJob, 1, CheckpointPhase::kDump, 0, 1);
  ASSERT_TRUE(wait_until([&] { return !fs::is_empty(scratch_); }));
  node_->order(kJob, 1, CheckpointPhase::kResume);
  EXPECT_TRUE(wait_until([&] { return node_->state(kJob) == CheckpointState::kResumed; }, kGoesOn));
  EXPECT_TRUE(counts_on());
  EXPECT_TRUE(fs::is_empty(scratch_));
  EXPECT_FALSE(parts_left());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

TEST_F(CompressedImages, AScratchFolderThatIsGoneFailsTheAttempt) {
  fs::remove_all(scratch_);
  const pid_t run = start_counter();
  const CheckpointReport report = node_->checkpoint(kJob, 1, 0);
  EXPECT_EQ(report.state, CheckpointState::kFailed);
  EXPECT_THAT(report.reason, HasSubstr(scratch_));
  EXPECT_TRUE(counts_on());
  EXPECT_FALSE(parts_left());
  end();
  EXPECT_EQ(exit_code_of(run), 5);
}

}  // namespace
}  // namespace dfrs::shim
