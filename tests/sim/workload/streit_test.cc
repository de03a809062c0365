// SPDX-License-Identifier: GPL-2.0-or-later
// Streit's job generator: the Weibull fit, the matrix, and the published properties of the job sets.
#include "sim/workload/streit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "sim/errors.h"
#include "sim/reproduce/dynp_published.h"
#include "sim/workload/load.h"
#include "sim/workload/scale.h"
#include "sim/workload/trace_analysis.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

TEST(Weibull, DistributionByHand) {
  const Weibull w{0.5, 100};
  EXPECT_EQ(w.cdf(0), 0);
  EXPECT_DOUBLE_EQ(w.cdf(100), 1 - std::exp(-1.0));
  EXPECT_DOUBLE_EQ(w.cdf(400), 1 - std::exp(-2.0));
  EXPECT_DOUBLE_EQ(w.mean(), 200);  // 100 x Gamma(3)
}

TEST(Weibull, FitFindsWhatWasDrawn) {
  for (const Weibull& truth : {Weibull{0.35, 60}, Weibull{0.25, 40}, Weibull{1, 500}, Weibull{3, 1e4}}) {
    Random random(7);
    std::vector<double> values;
    std::vector<double> seconds;
    for (int k = 0; k < 20'000; ++k) {
      values.push_back(truth.draw(random));
      seconds.push_back(std::round(values.back()));
    }
    const WeibullFit fit = fit_weibull(values);
    EXPECT_NEAR(fit.weibull.alpha, truth.alpha, 0.03 * truth.alpha);
    EXPECT_NEAR(fit.weibull.beta, truth.beta, 0.08 * truth.beta);
    EXPECT_LT(fit.distance, 1e-4);
    // Whole seconds, many of them 0, move the fit little.
    EXPECT_NEAR(fit_weibull(seconds).weibull.alpha, truth.alpha, 0.06 * truth.alpha);
    EXPECT_NEAR(fit_weibull(seconds).weibull.beta, truth.beta, 0.15 * truth.beta);
  }
  const std::vector<double> alike(10, 5.0);
  EXPECT_DOUBLE_EQ(fit_weibull(alike).weibull.beta, 5);
  EXPECT_DOUBLE_EQ(fit_weibull({}).weibull.alpha, 1);
}

TEST(JobMatrix, DrawsCombinationsAsOftenAsTheyOccur) {
  const JobMatrix matrix({{1, 60, 30, 2}, {1, 60, 60, 1}, {1, 600, 10, 3}, {4, 60, 30, 3}, {1, 60, 30, 1}});
  EXPECT_EQ(matrix.cells().size(), 4U);  // 1, 60, 30 twice
  EXPECT_DOUBLE_EQ(matrix.total_weight(), 10);
  Random random(1);
  std::map<std::tuple<int, double, double>, int> seen;
  constexpr int kDraws = 100'000;
  for (int k = 0; k < kDraws; ++k) {
    const JobMatrix::Cell& cell = matrix.draw(random);
    ++seen[{cell.width, cell.estimate, cell.run_time}];
  }
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_NEAR((seen[{1, 60, 30}]), 0.3 * kDraws, 600);
  EXPECT_NEAR((seen[{1, 60, 60}]), 0.1 * kDraws, 400);
  EXPECT_NEAR((seen[{1, 600, 10}]), 0.3 * kDraws, 600);
  EXPECT_NEAR((seen[{4, 60, 30}]), 0.3 * kDraws, 600);
}

Instance small_log() {
  Instance log;
  log.name = "log";
  log.platform = Platform::homogeneous(16, 0);
  for (int k = 0; k < 50; ++k) {
    Job job;
    job.id = static_cast<JobId>(k + 1);
    job.submit = 10.0 * k * k;
    job.tasks = 1 << (k % 4);
    job.estimate = 100 + 100 * (k % 3);
    job.run_time = k % 7 == 0 ? job.estimate + 5 : job.estimate / 2;
    log.jobs.push_back(job);
  }
  return log;
}

TEST(TraceAnalysis, ByHand) {
  const TraceAnalysis found = or_throw(analyse_trace(small_log()));
  EXPECT_EQ(found.jobs, 50U);
  EXPECT_EQ(found.machine_width, 16U);
  EXPECT_EQ(found.max_width, 8);
  EXPECT_DOUBLE_EQ(found.mean_width, (13 * 1 + 13 * 2 + 12 * 4 + 12 * 8) / 50.0);
  EXPECT_DOUBLE_EQ(found.estimate.mean, (17 * 100 + 17 * 200 + 16 * 300) / 50.0);
  EXPECT_EQ(found.overruns, 8U);
  EXPECT_DOUBLE_EQ(found.interarrival.mean, 10.0 * 49 * 49 / 49);
  EXPECT_EQ(found.interarrival.min, 10);
  EXPECT_EQ(found.interarrival.max, 10 * (49 * 49 - 48 * 48));
  EXPECT_EQ(code_of(analyse_trace({})), kExitInput);
}

TEST(JobSet, KeepsWhatTheLogHas) {
  const JobSetModel model = or_throw(learn_model(small_log()));
  JobSetOptions options;
  options.jobs = 20'000;
  options.kill = false;
  const Instance set = or_throw(job_set(model, options));
  EXPECT_EQ(set.name, "log-syn-1");
  EXPECT_EQ(set.platform.nodes.size(), 16U);
  const TraceAnalysis log = or_throw(analyse_trace(small_log()));
  const TraceAnalysis found = or_throw(analyse_trace(set));
  EXPECT_NEAR(found.mean_width, log.mean_width, 0.02 * log.mean_width);
  EXPECT_NEAR(found.estimate.mean, log.estimate.mean, 0.02 * log.estimate.mean);
  EXPECT_NEAR(found.run_time.mean, log.run_time.mean, 0.03 * log.run_time.mean);
  EXPECT_NEAR(static_cast<double>(found.overruns) / 20'000, 8 / 50.0, 0.01);
  EXPECT_NEAR(found.arrivals.weibull.alpha, log.arrivals.weibull.alpha, 0.05 * log.arrivals.weibull.alpha);
  for (const Job& job : set.jobs) ASSERT_EQ(job.submit, std::floor(job.submit));
}

TEST(JobSet, OptionsChangeWhatTheySayAndNothingElse) {
  const JobSetModel model = or_throw(learn_model(small_log()));
  JobSetOptions options;
  options.jobs = 500;
  options.kill = false;
  const Instance plain = or_throw(job_set(model, options));
  EXPECT_EQ(or_throw(job_set(model, options)).jobs, plain.jobs);

  JobSetOptions killed = options;
  killed.kill = true;
  JobSetOptions shrunk = options;
  shrunk.shrink = 0.5;
  JobSetOptions exact = killed;
  exact.exact = true;
  JobSetOptions narrow = options;
  narrow.max_width = 3;
  const Instance k = or_throw(job_set(model, killed));
  const Instance s = or_throw(job_set(model, shrunk));
  const Instance e = or_throw(job_set(model, exact));
  const Instance n = or_throw(job_set(model, narrow));
  EXPECT_EQ(s.name, "log-syn-1-shrink-0.5");
  double area = 0;
  for (std::size_t j = 0; j < plain.jobs.size(); ++j) {
    EXPECT_EQ(k.jobs[j].run_time, std::min(plain.jobs[j].run_time, plain.jobs[j].estimate));
    EXPECT_EQ(k.jobs[j].submit, plain.jobs[j].submit);
    EXPECT_EQ(s.jobs[j].submit, plain.jobs[j].submit / 2);
    EXPECT_EQ(s.jobs[j].run_time, plain.jobs[j].run_time);
    EXPECT_EQ(e.jobs[j].estimate, k.jobs[j].run_time);
    area += Instance::work(plain.jobs[j]);
  }
  double narrow_area = 0;
  for (const Job& job : n.jobs) {
    EXPECT_LE(job.tasks, 3);
    narrow_area += Instance::work(job);
  }
  EXPECT_GT(n.jobs.size(), plain.jobs.size());
  EXPECT_DOUBLE_EQ(narrow_area, area);
  options.seed = 2;
  EXPECT_NE(or_throw(job_set(model, options)).jobs, plain.jobs);
  options.shrink = 0;
  EXPECT_EQ(code_of(job_set(model, options)), kExitUsage);
}

// Models made without a log must have the means of table 3: within 1 %, which whole seconds take. 10,000 jobs drawn
// from them come as close as long tails let them: 12 % for times, 5 % for widths, 25 % for times between submissions.
TEST(JobSet, HasThePublishedProperties) {
  namespace published = dynp_published;
  for (std::size_t set = 0; set < published::kSets; ++set) {
    SCOPED_TRACE(published::kMachines[set]);
    const JobSetProperties p = published::properties_of(set);
    const JobSetModel model = or_throw(model_of(p));
    double width = 0, estimate = 0, run_time = 0, overruns = 0, area = 0;
    for (const JobMatrix::Cell& cell : model.matrix.cells()) {
      const double share = cell.weight / model.matrix.total_weight();
      width += share * cell.width;
      estimate += share * cell.estimate;
      run_time += share * cell.run_time;
      overruns += cell.run_time > cell.estimate ? share : 0;
      area += share * cell.width * std::min(cell.run_time, cell.estimate);
    }
    EXPECT_NEAR(width, p.mean_width, 0.01 * p.mean_width);
    EXPECT_NEAR(estimate, p.mean_estimate, 0.01 * p.mean_estimate);
    EXPECT_NEAR(run_time, p.mean_run_time, 0.01 * p.mean_run_time);
    EXPECT_NEAR(overruns, p.overrun_share, 1e-6);
    const double wanted = p.utilization * p.machine_width * p.mean_interarrival;
    EXPECT_NEAR(area, wanted, 0.01 * wanted);

    JobSetOptions options;
    options.kill = false;
    const TraceAnalysis found = or_throw(analyse_trace(or_throw(job_set(model, options))));
    EXPECT_EQ(found.jobs, 10'000U);
    EXPECT_EQ(static_cast<int>(found.machine_width), p.machine_width);
    EXPECT_EQ(found.max_width, p.max_width);
    EXPECT_NEAR(found.mean_width, p.mean_width, 0.05 * p.mean_width);
    EXPECT_NEAR(found.estimate.mean, p.mean_estimate, 0.12 * p.mean_estimate);
    EXPECT_EQ(found.estimate.max, p.max_estimate);
    EXPECT_NEAR(found.run_time.mean, p.mean_run_time, 0.12 * p.mean_run_time);
    EXPECT_NEAR(static_cast<double>(found.overruns) / 10'000, p.overrun_share, 0.01);
    EXPECT_NEAR(found.interarrival.mean, p.arrivals.mean(), 0.25 * p.arrivals.mean());
    EXPECT_NEAR(found.arrivals.weibull.alpha, p.arrivals.alpha, 0.03 * p.arrivals.alpha);
  }
}

TEST(JobSet, ContradictingPropertiesAreRefused) {
  JobSetProperties p = dynp_published::properties_of(2);
  p.mean_width = 200;
  EXPECT_EQ(code_of(model_of(p)), kExitUsage);
  p = dynp_published::properties_of(2);
  p.mean_run_time = 2 * p.mean_estimate;
  EXPECT_EQ(code_of(model_of(p)), kExitUsage);
}

// Table 2: what the analyser finds in the archive's log; the paper's has some more jobs, and a long gap.
TEST(TraceAnalysis, KthAsPublished) {
  DFRS_TRACE_OR_SKIP(path, "KTH-SP2-1996-2.1-cln.swf.gz");
  LoadOptions load;
  load.conventions.estimates = SwfEstimates::kTrace;
  load.processors.nodes = 100;
  const TraceAnalysis found = or_throw(analyse_trace(or_throw(load_instances(path, load)).instances.front()));
  EXPECT_NEAR(found.mean_width, 7.68, 0.04);
  EXPECT_NEAR(found.estimate.mean, 13677, 30);
  EXPECT_NEAR(found.run_time.mean, 8876, 30);
  EXPECT_NEAR(static_cast<double>(found.overruns), 478, 10);
  EXPECT_NEAR(found.interarrival.mean, 1031, 25);
}

TEST(Shrink, MultipliesTimesBetweenSubmissions) {
  Instance log = small_log();
  for (Job& job : log.jobs) job.submit += 1000;
  or_throw(shrink(log, 0.1));
  EXPECT_EQ(log.jobs.front().submit, 1000);
  EXPECT_DOUBLE_EQ(log.jobs[2].submit, 1004);
  EXPECT_EQ(code_of(shrink(log, -1)), kExitUsage);
}

}  // namespace
}  // namespace dfrs::sim
