// SPDX-License-Identifier: GPL-2.0-or-later
// The learner of SC'15 against a plain second implementation, over random histories of several users.
#include "policy/batch/predict/learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <vector>

#include "tests/oracle/dice.h"
#include "tests/oracle/learner.h"

namespace dfrs {
namespace {

struct Queued {
  Submission what;
  Seconds run_time;
  bool runs = false;
};

// A random week or so: jobs are submitted, start and end in any order, and slots are used again.
class History {
 public:
  explicit History(std::uint64_t seed) : dice_(seed) {}

  void step() {
    now_ += dice_.between(0, 4000);
    if (in_system_.empty() || dice_.chance(50)) {
      submit();
      return;
    }
    const std::size_t k = dice_.below(static_cast<std::uint32_t>(in_system_.size()));
    Queued& job = in_system_[k];
    if (!job.runs) {
      job.runs = true;
      learner_.started(job.what, now_);
      plain_.started(job.what, now_);
      return;
    }
    learner_.completed(job.what, job.run_time, now_);
    plain_.completed(job.what, job.run_time, now_);
    free_.push_back(job.what.job);
    in_system_.erase(in_system_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  std::size_t learnt = 0;  // predictions that were neither the least nor the request

 private:
  void submit() {
    JobSlot slot = static_cast<JobSlot>(in_system_.size() + free_.size());
    if (!free_.empty()) {
      slot = free_.front();
      free_.pop_front();
    }
    const Seconds run_time = dice_.between(1, dice_.chance(30) ? 40000 : 600);
    const Submission what{slot, static_cast<std::uint32_t>(dice_.between(1, 3)),
                          static_cast<std::uint32_t>(dice_.between(1, 16)), run_time * dice_.between(1, 10), now_};
    const Seconds expected = plain_.predict(what);
    const Seconds predicted = learner_.predict(what);
    // Sums in other orders may round to the next whole second.
    EXPECT_NEAR(predicted, expected, 1 + 1e-6 * expected);
    learnt += predicted > 1 && predicted < what.request ? 1 : 0;
    in_system_.push_back({what, run_time});
  }

  oracle::Dice dice_;
  RunTimeLearner learner_;
  oracle::PlainLearner plain_;
  std::vector<Queued> in_system_;
  std::deque<JobSlot> free_;
  Seconds now_ = 0;
};

TEST(Learner, PredictsAsThePlainOne) {
  std::size_t learnt = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(20); ++seed) {
    History history(seed);
    for (int k = 0; k < 200 && !testing::Test::HasFailure(); ++k) history.step();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    learnt += history.learnt;
  }
  EXPECT_GT(learnt, 50u);
}

}  // namespace
}  // namespace dfrs
