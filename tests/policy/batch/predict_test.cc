// SPDX-License-Identifier: GPL-2.0-or-later
// Predictors of run times, on histories worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/batch/predict/history.h"
#include "policy/batch/predict/learner.h"
#include "policy/batch/predict/prediction_rule.h"

namespace dfrs {
namespace {

using Correct = PredictionRule::Correct;

Submission job_of(std::uint32_t user, std::uint32_t tasks, Seconds request, JobSlot slot = 0, Seconds submit = 0) {
  return {slot, user, tasks, request, submit};
}

TEST(Predict, MeanOfTheLastTwoOfTheUser) {
  LastTwo predictor;
  const Submission job = job_of(1, 4, 1000);
  EXPECT_EQ(predictor.predict(job), 1000);
  predictor.completed(job_of(1, 1, 50), 40, 0);
  EXPECT_EQ(predictor.predict(job), 1000);  // one is not enough
  predictor.completed(job_of(2, 4, 1000), 7, 0);
  EXPECT_EQ(predictor.predict(job), 1000);  // another user's
  predictor.completed(job_of(1, 1, 500), 101, 0);
  EXPECT_EQ(predictor.predict(job), 70);  // whole seconds of 70.5
  predictor.completed(job_of(1, 1, 5000), 3000, 0);
  EXPECT_EQ(predictor.predict(job), 1000);  // at most the request
}

TEST(Predict, MeanAndPercentilesOfLikeJobs) {
  LikeJobs mean, median(50), late(90);
  const Submission job = job_of(1, 4, 1000);
  for (LikeJobs* predictor : {&mean, &median, &late}) {
    EXPECT_EQ(predictor->predict(job), 1000);
    predictor->completed(job_of(1, 2, 1000), 500, 0);
    EXPECT_EQ(predictor->predict(job), 500);  // of the user, none like it yet
    for (const Seconds run_time : {10.0, 40.0, 20.0, 30.0}) predictor->completed(job, run_time, 0);
  }
  EXPECT_EQ(mean.predict(job), 25);
  EXPECT_EQ(median.predict(job), 20);
  EXPECT_EQ(late.predict(job), 40);
  // Only the latest count.
  for (std::size_t k = 0; k < LikeJobs::kMost; ++k) mean.completed(job, 7, 0);
  EXPECT_EQ(mean.predict(job), 7);
}

TEST(Predict, CorrectionsOfPredictionsThatJobsOutlive) {
  EXPECT_EQ(corrected(Correct::request, 100, 100, 5000), 5000);
  EXPECT_EQ(corrected(Correct::steps, 100, 100, 5000), 160);
  EXPECT_EQ(corrected(Correct::steps, 100, 160, 5000), 400);
  EXPECT_EQ(corrected(Correct::steps, 100, 400, 450), 450);
  EXPECT_EQ(corrected(Correct::steps, 100, 100 + 100 * 3600, 1e6), 1e6);  // after the last step
  EXPECT_EQ(corrected(Correct::twice, 100, 100, 5000), 200);
  EXPECT_EQ(corrected(Correct::twice, 0, 5, 5000), 8);
  EXPECT_EQ(corrected(Correct::twice, 100, 300, 350), 350);
}

// One step by hand. A first job of 100 s on one node, alone: weights are 0, so the error is -100 and the slope of the
// loss -(1 + log 100). Of each feature x that is not 0: the gradient g is slope x, its square the sum of squares, the
// scale |x|, and the norm counts 1 for it. So the weight becomes 5000 / (sqrt(norm) x).
TEST(Predict, LearnerTakesItsFirstStep) {
  RunTimeLearner learner;
  const Submission first = job_of(1, 1, 100000);
  EXPECT_EQ(learner.predict(first), 1);  // knows nothing: the least it predicts
  learner.started(first, 0);
  learner.completed(first, 100, 100);
  // At submission 0: features 1 to 6 are the request, 14 and 16 the cosines 1, 18 the node; with the constant 10 linear
  // terms. Products of pairs of features 1 to 16: 6 requests and 2 cosines make 28; squares: 9.
  const double norm = 10 + 28 + 9;
  // The same job of another user, who has no history either: each of the 47 terms adds 5000 / sqrt(norm).
  EXPECT_EQ(learner.predict(job_of(2, 1, 100000, 1)), std::floor(47 * 5000 / std::sqrt(norm)));
}

// The loss is squared for a prediction that is too long and linear for one that is too short, so the learner errs on
// the short side, and is far nearer than the requests.
TEST(Predict, LearnerErrsOnTheShortSide) {
  RunTimeLearner learner;
  double too_long = 0;  // sums over the last hundred jobs
  double too_short = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto user = static_cast<std::uint32_t>(1 + k % 3);
    const Seconds run_time = 600.0 * user;
    const Submission job = job_of(user, 2, 36000, 0, 1000.0 * k);
    const Seconds predicted = learner.predict(job);
    ASSERT_GE(predicted, 1);
    ASSERT_LE(predicted, 36000);
    if (k >= 2900) (predicted > run_time ? too_long : too_short) += std::abs(predicted - run_time);
    learner.started(job, job.submit);
    learner.completed(job, run_time, job.submit + run_time);
  }
  EXPECT_LT(too_long, too_short);
  EXPECT_LT((too_long + too_short) / 100, 1200);  // requests are off by 34,800 s on average
}

TEST(Predict, NamesReadBack) {
  for (const char* name : {"request", "double", "tsafrir", "mean", "q1", "q99", "sc15"}) {
    PredictionRule rule;
    ASSERT_TRUE(set_predictor(rule, name)) << name;
    EXPECT_EQ(predictor_name(rule), name);
    EXPECT_EQ(make_predictor(rule) == nullptr, !rule.predicts()) << name;
  }
  PredictionRule rule;
  for (const char* name : {"", "q", "q0", "q100", "q5x", "exact"}) EXPECT_FALSE(set_predictor(rule, name)) << name;
  EXPECT_FALSE(set_correction(rule, "never"));
}

}  // namespace
}  // namespace dfrs
