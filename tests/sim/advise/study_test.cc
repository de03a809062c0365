// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of the advice, by hand.
#include "sim/advise/study.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/advise/advice.h"
#include "tests/sim/host/serial_job.h"

namespace dfrs::sim {
namespace {

// A node of 1024 MiB; the second job comes at 500, runs 100 s and finds no memory beside the first, of 1000 s.
std::vector<Instance> two_jobs() {
  return {{"two", Platform::homogeneous(1, 1024), {serial_job(1, 0, 768, 1000), serial_job(2, 500, 512, 100)}}};
}

StudyRun one(const char* algorithm, const PauseWorld& work, const std::vector<Instance>& samples) {
  StudyOptions options;
  options.threads = 1;
  return or_throw(run_study({{algorithm, work, &samples}}, options)).at(0);
}

TEST(Study, Classes) {
  EXPECT_EQ(job_class(0), 0U);
  EXPECT_EQ(job_class(599), 0U);
  EXPECT_EQ(job_class(600), 1U);
  EXPECT_EQ(job_class(3600), 2U);
  EXPECT_EQ(job_class(28800), 3U);
  EXPECT_EQ(job_class(1e9), 3U);
}

TEST(Study, EasyByHand) {
  const std::vector<Instance> samples = two_jobs();
  const StudyRun run = one("EASY/shared", PauseWorld{}, samples);
  // The second waits 500 s and ends after 600: a stretch of 6.
  EXPECT_EQ(run.all.jobs, 2U);
  EXPECT_DOUBLE_EQ(run.all.mean_wait, 250);
  EXPECT_DOUBLE_EQ(run.all.p95_wait, 500);
  EXPECT_DOUBLE_EQ(run.all.mean_delay, 250);
  EXPECT_DOUBLE_EQ(run.all.mean_stretch, 3.5);
  EXPECT_DOUBLE_EQ(run.all.max_stretch, 6);
  EXPECT_EQ(run.by_class[0].jobs, 1U);
  EXPECT_DOUBLE_EQ(run.by_class[0].mean_stretch, 6);
  EXPECT_DOUBLE_EQ(run.by_class[1].mean_stretch, 1);
  EXPECT_DOUBLE_EQ(run.utilization, 1);
  EXPECT_FALSE(run.pauses_or_moves);
}

TEST(Study, PausesByHand) {
  const std::vector<Instance> samples = two_jobs();
  const StudyRun kept = one("GreedyP*", PauseWorld{}, samples);
  // The first is paused from 500 to 600, serves 300 s of penalty, and ends at 1400.
  EXPECT_TRUE(kept.pauses_or_moves);
  EXPECT_DOUBLE_EQ(kept.all.max_stretch, 1.4);
  EXPECT_DOUBLE_EQ(kept.all.mean_wait, 0);
  EXPECT_DOUBLE_EQ(kept.all.mean_delay, 200);
  EXPECT_DOUBLE_EQ(kept.pauses_per_job, 0.5);
  EXPECT_DOUBLE_EQ(kept.most_pauses, 1);
  EXPECT_DOUBLE_EQ(kept.gb_per_s, 0.75 / 1400);
  EXPECT_DOUBLE_EQ(kept.peak_gb_per_s, 0.75 / 1400) << "over all of it: there is no whole hour";
  EXPECT_DOUBLE_EQ(kept.lost_share, 0);
  // It starts over at 600 and ends at 1600; 500 of 1100 s of work are lost.
  const StudyRun lost = one("GreedyP*", PauseWorld::all(PauseEffect::lost), samples);
  EXPECT_DOUBLE_EQ(lost.all.max_stretch, 1.6);
  EXPECT_DOUBLE_EQ(lost.lost_share, 500.0 / 1100);
  EXPECT_DOUBLE_EQ(lost.jobs_losing, 0.5);
  EXPECT_DOUBLE_EQ(lost.gb_per_s, 0);
  EXPECT_DOUBLE_EQ(lost.peak_gb_per_s, 0);
}

// The first job runs 10,000 s, and is paused at 3500 and at 6000. It serves 300 s of penalty each time.
TEST(Study, TheWorstHourBeginsAnywhere) {
  const std::vector<Instance> samples{
      {"three",
       Platform::homogeneous(1, 1024),
       {serial_job(1, 0, 768, 10000), serial_job(2, 3500, 512, 100), serial_job(3, 6000, 512, 100)}}};
  const StudyRun run = one("GreedyP*", PauseWorld{}, samples);
  EXPECT_DOUBLE_EQ(run.gb_per_s, 1.5 / 10800);
  EXPECT_DOUBLE_EQ(run.peak_gb_per_s, 1.5 / 3600);
}

// Paused at 100 and at 4500, it ends at 5800: no hour has as much per second as all of it.
TEST(Study, TheWorstHourIsNoBetterThanTheAverage) {
  const std::vector<Instance> samples{
      {"three",
       Platform::homogeneous(1, 1024),
       {serial_job(1, 0, 768, 5000), serial_job(2, 100, 512, 100), serial_job(3, 4500, 512, 100)}}};
  const StudyRun run = one("GreedyP*", PauseWorld{}, samples);
  EXPECT_DOUBLE_EQ(run.gb_per_s, 1.5 / 5800);
  EXPECT_DOUBLE_EQ(run.peak_gb_per_s, 1.5 / 5800);
}

// Somebody sits at the first job: it may be suspended, but not requeued, with a checkpoint or without.
TEST(Study, InteractiveJobsAreNeverRequeued) {
  const std::vector<Instance> samples = two_jobs();
  StudyOptions options;
  options.threads = 1;
  options.interactive = {1};
  const auto worst = [&](PauseEffect effect) {
    return or_throw(run_study({{"GreedyP*", PauseWorld::all(effect), &samples}}, options)).at(0).all.max_stretch;
  };
  EXPECT_DOUBLE_EQ(worst(PauseEffect::suspended), 1.4);
  EXPECT_DOUBLE_EQ(worst(PauseEffect::kept), 6);  // the second waits
  EXPECT_DOUBLE_EQ(worst(PauseEffect::lost), 6);
  EXPECT_DOUBLE_EQ(worst(PauseEffect::none), 6);
}

TEST(Study, SamplesCountTogether) {
  std::vector<Instance> samples = two_jobs();
  samples.push_back({"alone", Platform::homogeneous(1, 1024), {serial_job(1, 0, 10, 100)}});
  const StudyRun run = one("EASY/shared", PauseWorld{}, samples);
  EXPECT_EQ(run.all.jobs, 3U);
  EXPECT_DOUBLE_EQ(run.all.mean_stretch, 8.0 / 3);
}

TEST(Advice, SaysWhatTheFiguresSay) {
  AdviceInput input;
  input.source = "two";
  input.jobs_in_source = 2;
  input.shape = {1, 1, 1024};
  input.samples = two_jobs();
  const Advice advice = or_throw(advise(input));
  const std::string page = text_page(advice.page);
  // 6 under EASY, 1.4 with pauses; Greedy* is no better than EASY here.
  EXPECT_NE(
      page.find("DFRS would serve these jobs better. With GreedyP*: one job in a hundred takes more than 1.4 times"),
      std::string::npos)
      << page;
  EXPECT_NE(page.find("> GreedyP*, suspended"), std::string::npos) << page;
  EXPECT_NE(advice.conf.find("\nAlgorithm=GreedyP*/OPT=MIN\n"), std::string::npos) << advice.conf;
  EXPECT_NE(page.find("Pauses=suspended"), std::string::npos);
}

// Markdown is not wrapped, so it shows a sentence as it was written.
TEST(Advice, WordsAreOneBlankApart) {
  AdviceInput input;
  input.samples = two_jobs();
  input.study.threads = 1;
  const std::string page = markdown_page(or_throw(advise(input)).page);
  ASSERT_NE(page.find("loses its work"), std::string::npos) << page;
  EXPECT_EQ(page.find("  "), std::string::npos) << page;
}

TEST(Advice, SaysThatThereIsNoReasonToChange) {
  AdviceInput input;
  input.source = "one";
  input.jobs_in_source = 1;
  input.shape = {1, 1, 1024};
  input.samples = {{"alone", Platform::homogeneous(1, 1024), {serial_job(1, 0, 10, 100)}}};
  const Advice advice = or_throw(advise(input));
  EXPECT_NE(text_page(advice.page).find("There is little reason to change."), std::string::npos);
  EXPECT_NE(advice.conf.find("Pauses=none"), std::string::npos) << advice.conf;
}

TEST(Study, ATrialMayHaveItsOwnRestart) {
  const std::vector<Instance> samples = two_jobs();
  StudyOptions options;
  options.threads = 1;
  options.swap_rate = 1.536;  // MiB/s: 1000 s for the first job
  const std::vector<StudyRun> runs =
      or_throw(run_study({{"GreedyP*", PauseWorld{}, &samples}, {"GreedyP*", PauseWorld{}, &samples, 30}}, options));
  EXPECT_DOUBLE_EQ(runs[0].all.max_stretch, 2.1);   // paused from 500 to 600; ends at 2100
  EXPECT_DOUBLE_EQ(runs[1].all.max_stretch, 1.13);  // ends at 1130
}

// Where jobs are requeued, with the work kept or lost, a run has to make 60 s of progress first.
TEST(Study, ARequeueComesAfterTheLeastProgress) {
  std::vector<Instance> samples = two_jobs();
  StudyOptions options;
  options.threads = 1;
  const auto wait = [&](const Trial& trial) { return or_throw(run_study({trial}, options)).at(0).all.mean_wait; };
  const Trial requeued{"GreedyP*", PauseWorld{}, &samples, 30};
  const Trial suspended{"GreedyP*", PauseWorld::all(PauseEffect::suspended), &samples};
  const Trial lost{"GreedyP*", PauseWorld::all(PauseEffect::lost), &samples, 30};
  samples[0].jobs[1].submit = 30;
  EXPECT_DOUBLE_EQ(wait(requeued), 15);  // the second waits until 60
  EXPECT_DOUBLE_EQ(wait(lost), 15);
  EXPECT_DOUBLE_EQ(wait(suspended), 0);
  options.lost_work.min_progress = 30;
  EXPECT_DOUBLE_EQ(wait(requeued), 0);
}

TEST(Study, ARequeueThatLosesWorkTakesTheRestart) {
  const std::vector<Instance> samples = two_jobs();
  StudyOptions options;
  options.threads = 1;
  const PauseWorld lost = PauseWorld::all(PauseEffect::lost);
  const StudyRun run = or_throw(run_study({{"GreedyP*", lost, &samples, 30}}, options)).at(0);
  EXPECT_DOUBLE_EQ(run.all.max_stretch, 1.63);  // paused from 500 to 600; its next run works from 630 to 1630
  EXPECT_DOUBLE_EQ(run.lost_share, 500.0 / 1100);
}

TEST(Study, MemoryOfPausedJobsByHand) {
  std::vector<Instance> samples = two_jobs();
  EXPECT_DOUBLE_EQ(one("EASY/shared", PauseWorld{}, samples).most_paused_mib, 0);
  EXPECT_DOUBLE_EQ(one("GreedyP*", PauseWorld{}, samples).most_paused_mib, 768);
  EXPECT_DOUBLE_EQ(one("GreedyP*", PauseWorld::all(PauseEffect::lost), samples).most_paused_mib, 0);
  // The third pauses the second while the first is still paused.
  samples[0].jobs.push_back(serial_job(3, 550, 900, 20));
  EXPECT_DOUBLE_EQ(one("GreedyP*", PauseWorld{}, samples).most_paused_mib, 768 + 512);
  // On nodes of their own: two tasks of the first on one node, the second on the other.
  samples = {{"two nodes",
              Platform::homogeneous(2, 1024),
              {serial_job(1, 0, 768, 1000), serial_job(2, 0, 512, 1000), serial_job(3, 500, 800, 100)}}};
  samples[0].jobs[2].tasks = 2;
  EXPECT_DOUBLE_EQ(one("GreedyP*", PauseWorld{}, samples).most_paused_mib, 768);
}

// The first is suspended only with swap for its 768 MiB.
TEST(Study, SuspendedJobsNeedSwap) {
  const std::vector<Instance> samples = two_jobs();
  StudyOptions options;
  options.threads = 1;
  const PauseWorld suspended = PauseWorld::all(PauseEffect::suspended);
  for (const auto& [swap, stretch] : std::vector<std::pair<const char*, double>>{
           {"unlimited", 1.4}, {"memory", 1.4}, {"768", 1.4}, {"767", 6}, {"0", 6}, {"memory:0.5", 6}}) {
    const Trial trial{"GreedyP*", suspended, &samples, {}, record::parse_swap(swap).value()};
    const StudyRun run = or_throw(run_study({trial}, options)).at(0);
    EXPECT_DOUBLE_EQ(run.all.max_stretch, stretch) << swap;
    EXPECT_DOUBLE_EQ(run.most_paused_mib, stretch < 6 ? 768 : 0) << swap;
  }
}

// As on the live side: Slurm places a job with GPUs, so that it is never moved. Suspended it keeps them; requeued it
// gives them back.
TEST(Study, JobsWithGpusArePausedAndNeverMoved) {
  std::vector<Instance> samples = two_jobs();
  samples[0].platform.rigid_dims = 2;
  samples[0].platform.nodes[0].rigid[1] = 1;
  samples[0].jobs[0].rigid[1] = 1;
  StudyOptions options;
  options.threads = 1;
  const auto worst = [&](PauseEffect effect, std::optional<Seconds> restart) {
    return or_throw(run_study({{"GreedyP*", PauseWorld::all(effect), &samples, restart}}, options))
        .at(0)
        .all.max_stretch;
  };
  EXPECT_DOUBLE_EQ(worst(PauseEffect::suspended, {}), 1.4) << "for the memory";
  EXPECT_DOUBLE_EQ(worst(PauseEffect::kept, 30), 1.13);
  EXPECT_DOUBLE_EQ(worst(PauseEffect::lost, 30), 1.63);
  EXPECT_DOUBLE_EQ(worst(PauseEffect::none, {}), 6);
  samples[0].jobs[1].rigid[1] = 1;
  EXPECT_DOUBLE_EQ(worst(PauseEffect::suspended, {}), 6) << "its GPU is not given to the other";
  EXPECT_DOUBLE_EQ(worst(PauseEffect::kept, 30), 1.13);
  EXPECT_DOUBLE_EQ(worst(PauseEffect::lost, 30), 1.63);
  // Only node 0 has the memory for the second, and node 1 has room and a GPU for the first.
  samples[0].platform.nodes = {{1, {2048, 1}}, {1, {1024, 1}}};
  samples[0].jobs[1].rigid = {2048, 0};
  const StudyRun run = or_throw(run_study({{"GreedyPM*", PauseWorld{}, &samples, 30}}, options)).at(0);
  EXPECT_DOUBLE_EQ(run.moves_per_job, 0);
  EXPECT_DOUBLE_EQ(run.pauses_per_job, 0.5);
  samples[0].jobs[0].rigid[1] = 0;
  EXPECT_DOUBLE_EQ(or_throw(run_study({{"GreedyPM*", PauseWorld{}, &samples, 30}}, options)).at(0).moves_per_job, 0.5);
}

// The second sample has no mark, which alone would be an error.
TEST(Study, MarksSayWhichJobsKeepTheirWork) {
  std::vector<Instance> samples = two_jobs();
  samples.push_back(two_jobs().front());
  samples[0].jobs[0].pauses = PauseEffect::kept;
  const StudyRun run = one("GreedyP*", {1, PauseEffect::none, 1, true}, samples);
  EXPECT_DOUBLE_EQ(run.pauses_per_job, 0.25);
  EXPECT_GT(run.peak_gb_per_s, 0);
}

TEST(Study, InteractiveJobsAreCountedApart) {
  const std::vector<Instance> samples = two_jobs();
  StudyOptions options;
  options.interactive = {2};
  const StudyRun run = or_throw(run_study({{"EASY/shared", PauseWorld{}, &samples}}, options)).at(0);
  EXPECT_EQ(run.interactive.jobs, 1U);
  EXPECT_DOUBLE_EQ(run.interactive.mean_wait, 500);
}

AdviceInput about_two_jobs() {
  AdviceInput input;
  input.source = "two";
  input.jobs_in_source = 2;
  input.shape = {1, 1, 1024};
  input.samples = two_jobs();
  input.study.threads = 1;
  return input;
}

std::size_t lines_with(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

TEST(Advice, EachWorldHasTriageAndTheBestPublishedPolicy) {
  const std::string page = markdown_page(or_throw(advise(about_two_jobs())).page);
  for (const char* world : {"suspended", "kept", "mixed", "none", "lost"}) {
    const std::string row = std::string("Pauses=") + world;
    EXPECT_EQ(lines_with(page, "| " + row + " |") + lines_with(page, "| **" + row + "** |"), 2U) << row << "\n" << page;
  }
  EXPECT_NE(page.find("checkpoints in 50 % of the jobs"), std::string::npos) << page;
  EXPECT_NE(page.find("| Triage"), std::string::npos) << page;
}

// Where nothing is paused the second job waits for the first, whatever the policy.
TEST(Advice, TheSiteChoosesWhatPausesDo) {
  AdviceInput input = about_two_jobs();
  for (const char* world : {"suspended", "kept", "mixed", "none", "lost"}) {
    input.pauses = world;
    const Advice advice = or_throw(advise(input));
    const std::string page = markdown_page(advice.page);
    const bool pauses = input.pauses == "suspended" || input.pauses == "kept" || input.pauses == "lost";
    if (pauses) {
      EXPECT_NE(advice.conf.find(std::string("\nPauses=") + world + "\n"), std::string::npos) << advice.conf;
      EXPECT_NE(page.find(std::string("What to set: Algorithm=GreedyP\\*/OPT=MIN and Pauses=") + world),
                std::string::npos)
          << page;
    } else if (input.pauses == "none") {
      EXPECT_NE(advice.conf.find("\nPauses=none\n"), std::string::npos) << advice.conf;
      EXPECT_NE(page.find("There is little reason to change."), std::string::npos) << page;
    }
  }
}

TEST(Advice, SwapIsSaidAndCounts) {
  AdviceInput input = about_two_jobs();
  const std::string usual = markdown_page(or_throw(advise(input)).page);
  EXPECT_EQ(lines_with(usual, "1.00 GiB of swap on each node, as much as memory"), 4U) << usual;
  input.swap = {record::SwapSize::Of::node, 512};
  const Advice little = or_throw(advise(input));
  const std::string page = markdown_page(little.page);
  EXPECT_EQ(lines_with(page, "0.50 GiB of swap on each node"), 3U) << page;
  EXPECT_NE(page.find("There is little reason to change."), std::string::npos) << page;
  EXPECT_NE(little.conf.find("\nPauses=none\n"), std::string::npos) << little.conf;
  input.pauses = "kept";
  EXPECT_NE(markdown_page(or_throw(advise(input)).page).find("What it takes: checkpoints in all jobs; a job is paused"),
            std::string::npos);
}

TEST(Advice, MarkedJobsAreThoseWithCheckpoints) {
  AdviceInput input = about_two_jobs();
  input.samples[0].jobs[0].pauses = PauseEffect::kept;
  std::string page = markdown_page(or_throw(advise(input)).page);
  EXPECT_NE(page.find("checkpoints in the 50 % of the jobs that are marked dfrs:checkpoint"), std::string::npos)
      << page;
  input.checkpoints = 0.25;
  page = markdown_page(or_throw(advise(input)).page);
  EXPECT_NE(page.find("checkpoints in 25 % of the jobs"), std::string::npos) << page;
}

TEST(Advice, InteractiveJobsHaveASentence) {
  AdviceInput input = about_two_jobs();
  input.study.interactive = {2};
  const std::string page = markdown_page(or_throw(advise(input)).page);
  EXPECT_NE(page.find("salloc and srun, 1 job): their jobs start after 0 s on average, under EASY after 8 min"),
            std::string::npos)
      << page;
}

TEST(Advice, TheHeadlineSaysWhatIsKnownOfTheJobsEfficiency) {
  AdviceInput input = about_two_jobs();
  const auto says = [&](const std::string& item) {
    const std::string page = markdown_page(or_throw(advise(input)).page);
    EXPECT_NE(page.find("- " + item + "\n"), std::string::npos) << item << "\n" << page;
  };
  says("The log does not say how much CPU time and memory your jobs use.");
  input.facts.emplace();
  says("The log does not say how much CPU time and memory your jobs use.");
  input.facts->cpu_efficiency = 0.25;
  says(
      "Your jobs use 25 % of the CPU time that they ask for (median). The log does not say how much of the memory they "
      "use.");
  input.facts->memory_used = 0.5;
  says("Your jobs use 25 % of the CPU time and 50 % of the memory that they ask for (medians).");
  input.facts->cpu_efficiency.reset();
  says(
      "Your jobs use 50 % of the memory that they ask for (median). The log does not say how much of the CPU time they "
      "use.");
}

TEST(Advice, SharesOfWhatJobsHoldAreOneSentence) {
  AdviceInput input = about_two_jobs();
  const auto says = [&](const std::string& words) {
    const std::string page = markdown_page(or_throw(advise(input)).page);
    EXPECT_NE(page.find("- Half of the jobs use less than " + words + ". DFRS shares"), std::string::npos)
        << words << "\n"
        << page;
  };
  input.facts.emplace();
  input.facts->memory_used = 0.5;
  says("50 % of the memory they ask for");
  input.facts->cpu_efficiency = 0.25;
  says("25 % of the CPU time they hold, and less than 50 % of the memory they ask for");
  input.facts->limit_used = 0.125;
  says(
      "25 % of the CPU time they hold, less than 50 % of the memory they ask for, and less than 12 % of their time "
      "limit");
}

TEST(Advice, NamesThePublishedPoliciesThatItTries) {
  AdviceInput input = about_two_jobs();
  const auto says = [&](const std::string& names) {
    const std::string page = text_page(or_throw(advise(input)).page);
    std::string flat = page;
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    EXPECT_NE(flat.find("For each, the best of the published policies tried (" + names + "; more with -a) and Triage."),
              std::string::npos)
        << page;
  };
  says("Greedy*, GreedyP* and GreedyPM*/per/MINVT=600");
  input.candidates = {"GreedyPM*", "Triage/LIMITS"};
  says("Greedy*, GreedyP*, GreedyPM*/per/MINVT=600 and GreedyPM*");
}

TEST(Advice, LimitsOfTimeAreForTriageOnly) {
  AdviceInput input = about_two_jobs();
  input.candidates = {"Triage/LIMITS"};
  EXPECT_NE(markdown_page(or_throw(advise(input)).page).find("Triage/LIMITS, suspended"), std::string::npos);
}

}  // namespace
}  // namespace dfrs::sim
