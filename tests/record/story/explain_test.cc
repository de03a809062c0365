// SPDX-License-Identifier: GPL-2.0-or-later
// Stories of jobs in simulations small enough to follow by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>

#include "record/story/json.h"
#include "sim/timeline/collector.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

struct Follower final : StepObserver {
  explicit Follower(record::Stories of) : stories(std::move(of)) {}
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    stories.step(view, events, decisions);
  }
  record::Stories stories;
};

const record::StoryNames kNames{[](NodeIndex n) { return fmt::format("{}", n); },
                                [](Seconds time) { return fmt::format("{} s", time); }};

class Explained : public ByHand {
 protected:
  std::vector<std::string> told(const char* algorithm, JobId job, const record::StoryNames& names = kNames) const {
    Follower follower(record::Stories::of(job));
    or_throw(simulate(instance_, parse_algorithm(algorithm).value(), options_,
                      Watch{.observer = &follower, .explains = true}));
    const record::Story* const story = follower.stories.find(job);
    std::vector<std::string> lines;
    if (story == nullptr) return lines;
    for (const record::StoryEvent& event : story->events) {
      lines.push_back(fmt::format("{:g} {}", event.at, record::sentence(job, event, *story, names)));
    }
    return lines;
  }
};

// The first runs from 0, has a priority of 100 / 100^2 at 100, and comes back at 150 after a penalty of 300 s.
TEST_F(Explained, AJobThatGivesWayAndComesBack) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 50);
  EXPECT_THAT(
      told("GreedyP*", 1),
      ElementsAre("0 Job 1 is submitted with 1 task.",
                  "0 Job 1 starts on node 0 at a yield of 1: there is room for it.",
                  "100 Job 1 is paused: job 2 takes its room, and its priority of 0.01 is the lowest that makes "
                  "enough.",
                  "150 Job 1 resumes on node 0 at a yield of 1: there is room for it.", "1350 Job 1 has completed."));
  EXPECT_THAT(told("GreedyP*", 2), ElementsAre("100 Job 2 is submitted with 1 task.",
                                               "100 Job 2 starts on node 0 at a yield of 1: job 1 gave way to it.",
                                               "150 Job 2 has completed."));
}

TEST_F(Explained, AJobThatWaitsForALicenceFirst) {
  nodes(2);
  instance_.platform.licences = {{"cad", 1}};
  job(0, 1, 1, 10, 100);
  job(10, 1, 1, 10, 50);
  for (Job& each : instance_.jobs) each.licences = instance_.platform.licence_set({{0, 1}});
  EXPECT_THAT(
      told("Greedy*", 2),
      ElementsAre("10 Job 2 is submitted with 1 task, and may start 90 s later: licences, limits or conditions "
                  "kept it back.",
                  "100 Job 2 starts on node 0 at a yield of 1: there is room for it.", "150 Job 2 has completed."));
}

// A page tells of all jobs, also of those that have ended, and leaves out what it shows elsewhere.
TEST_F(Explained, TheSameForThePageOfATimeline) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 50);
  ScheduleCollector collector("GreedyP*", true);
  or_throw(simulate(instance_, parse_algorithm("GreedyP*").value(), options_,
                    Watch{.observer = &collector, .explains = true}));
  EXPECT_THAT(
      collector.finish(instance_).told,
      ElementsAre("0\tJob 1 starts on node 0 at a yield of 1: there is room for it.\n"
                  "100\tJob 1 is paused: job 2 takes its room, and its priority of 0.01 is the lowest that makes "
                  "enough.\n150\tJob 1 resumes on node 0 at a yield of 1: there is room for it.",
                  "100\tJob 2 starts on node 0 at a yield of 1: job 1 gave way to it."));
}

// To look around takes time with the number of jobs, at each instant.
TEST_F(Explained, APageOfMoreThan20000JobsTellsNoRooms) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 50);
  const auto told_of_second = [&] {
    ScheduleCollector collector("Greedy*", true);
    or_throw(simulate(instance_, parse_algorithm("Greedy*").value(), options_,
                      Watch{.observer = &collector, .explains = true}));
    return collector.finish(instance_).told[1];
  };
  while (instance_.jobs.size() < 20000) job(10000 + 2 * static_cast<double>(instance_.jobs.size()), 1, 1, 60, 1);
  EXPECT_THAT(told_of_second(), HasSubstr("room for 0 of 1 task"));
  job(100000, 1, 1, 60, 1);
  EXPECT_THAT(told_of_second(), AllOf(HasSubstr("Job 2 waits"), Not(HasSubstr("room for 0 of 1 task"))));
}

// What a page tells of each job is what --explain tells, but for changed yields, and what the page shows elsewhere.
TEST_F(Explained, APageTellsResourcesAndNodesAsExplainDoes) {
  nodes(3);
  for (int k = 0; k < 40; ++k) job(100 * k, 1 + k % 3, 0.6, 30 + 7 * (k % 9), 150 + 97 * (k % 11));
  std::string all;
  for (const char* algorithm : {"Triage", "GreedyPM*/per", "EASY"}) {
    ScheduleCollector collector(algorithm, true);
    or_throw(simulate(instance_, parse_algorithm(algorithm).value(), options_,
                      Watch{.observer = &collector, .explains = true}));
    const timeline::Schedule seen = collector.finish(instance_);
    for (std::size_t k = 0; k < seen.jobs.size(); ++k) {
      std::string wanted;
      for (const std::string& line : told(algorithm, seen.jobs[k].id, plain_names())) {
        const std::string text = line.substr(line.find(' ') + 1);
        const auto is = [&](const char* verb) { return text.find(verb) != std::string::npos; };
        if (is(" is submitted") || is(" slows down") || is(" speeds up") || is(" has completed")) continue;
        wanted += (wanted.empty() ? "" : "\n") + text;
      }
      std::string got;
      std::istringstream lines(seen.told[k]);
      for (std::string line; std::getline(lines, line);)
        got += (got.empty() ? "" : "\n") + line.substr(line.find('\t') + 1);
      EXPECT_FALSE(got.empty());
      EXPECT_THAT(wanted, EndsWith(got)) << algorithm << ": a page keeps the newest events of a long story";
      all += got;
    }
  }
  EXPECT_THAT(all, AllOf(HasSubstr("room for 0 of 2 tasks; of 3 nodes that it may use, "), HasSubstr("shared with job"),
                         HasSubstr(" starts on nodes 0, 1, 2 ")));
}

// (Node 1 has 40 MiB left for the victim of 40.)
TEST_F(Explained, AJobThatIsMovedForAnother) {
  nodes(2);
  job(0, 1, 0.5, 40, 1000);   // node 0
  job(10, 1, 0.5, 60, 2000);  // node 1
  job(100, 1, 0.5, 90, 50);   // fits nowhere; with the first away, node 0
  const std::vector<std::string> lines = told("GreedyPM*", 1);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(
      lines[2],
      "100 Job 1 moves: it continues on node 1 at a yield of 1: job 3 takes its room, and its priority of 0.01 is "
      "the lowest that makes enough; there is room for it elsewhere.");
}

// One node, two jobs of need 1: half each from 100 to 300, when the second has got its 100 s.
TEST_F(Explained, AJobThatSharesItsNodeSlowsDown) {
  nodes(1);
  job(0, 1, 1, 10, 1000);
  job(100, 1, 1, 10, 100);
  EXPECT_THAT(
      told("Greedy*", 1),
      ElementsAre(
          "0 Job 1 is submitted with 1 task.", "0 Job 1 starts on node 0 at a yield of 1: there is room for it.",
          "100 Job 1 slows down from a yield of 1 to 0.5: node 0 has a capacity of 1 and CPU needs of 2, shared with "
          "job 2.",
          "300 Job 1 speeds up from a yield of 0.5 to 1.", "1100 Job 1 has completed."));
}

// Four of six tasks find room beside the first job's two of 60 MiB; nothing changes until that ends.
TEST_F(Explained, AJobWithoutRoomSaysHowMuchIsMissing) {
  nodes(6);
  job(0, 2, 0.5, 60, 1000);
  job(100, 6, 0.5, 50, 50);
  EXPECT_THAT(told("Greedy*", 2),
              ElementsAre("100 Job 2 is submitted with 6 tasks.",
                          "100 Job 2 starts on nodes 2:2, 3:2, 4, 5 at a yield of 1: there is room for it.",
                          "150 Job 2 has completed."));
  job(200, 9, 0.5, 50, 50);
  EXPECT_THAT(
      told("Greedy*", 3)[1],
      HasSubstr("Job 3 waits: there is no room for all of its tasks (room for 8 of 9 tasks; of 6 nodes that it may "
                "use, 2 have too little memory left for one)."));
}

// Node 0 has the memory and no unit of the second resource left, nodes 1 and 2 the reverse.
TEST_F(Explained, AJobThatWaitsSaysForWhichResource) {
  nodes(3);
  instance_.platform.rigid_dims = 2;
  for (NodeSpec& node : instance_.platform.nodes) node.rigid[1] = 1;
  job(0, 1, 0.5, 10, 1000);
  instance_.jobs.back().rigid[1] = 1;
  job(1, 2, 0.5, 80, 1000);
  job(100, 1, 0.5, 60, 50);
  instance_.jobs.back().rigid[1] = 1;
  EXPECT_THAT(
      told("Greedy*", 3)[1],
      HasSubstr("(room for 0 of 1 task; of 3 nodes that it may use, 2 have too little memory left for one and 1 "
                "has too little of resource 1 left for one)."));
  Follower follower(record::Stories::of(3));
  or_throw(simulate(instance_, parse_algorithm("Greedy*").value(), options_,
                    Watch{.observer = &follower, .explains = true}));
  EXPECT_EQ(record::story_json(3, *follower.stories.find(3), kNames)[1]["nodes_without_room"].dump(),
            R"({"memory":2,"rigid 1":1})");
}

// Two tasks find room on each node, and none is without any.
TEST_F(Explained, AJobThatIsTooWideForTheRoomOfAllNodes) {
  nodes(2);
  job(0, 2, 0.5, 45, 1000);
  job(100, 3, 0.5, 30, 50);
  EXPECT_THAT(told("Greedy*", 2)[1], HasSubstr("(room for 2 of 3 tasks on the 2 nodes that it may use)."));
}

// EASY: job 2 wants both nodes, which are free at 100; job 3 ends before that on the free one, job 4 would not.
TEST_F(Explained, BackfillingNamesTheFirstInTheQueue) {
  nodes(2);
  job(0, 1, 1, 10, 100);
  job(10, 2, 1, 10, 30);
  job(20, 1, 1, 10, 50);
  job(21, 1, 1, 10, 500);
  EXPECT_THAT(told("EASY", 2)[1],
              "10 Job 2 waits: it is the first in the queue, and its nodes are expected to be free at 100 s.");
  EXPECT_THAT(
      told("EASY", 3)[1],
      "20 Job 3 starts on node 1 at a yield of 1: it does not delay job 2, the first in the queue, whose nodes are "
      "expected to be free at 100 s.");
  EXPECT_THAT(told("EASY", 4)[1],
              "21 Job 4 waits: it is behind job 2 in the queue, whose nodes are expected to be free at 100 s.");
  EXPECT_THAT(told("FCFS", 4)[1],
              "21 Job 4 waits: it is behind job 2 in the queue; at 100 s: it is behind job 3 in the queue.");
  EXPECT_THAT(told("FCFS/conservative", 4)[1], "21 Job 4 waits: its start is planned at 130 s.");
  EXPECT_THAT(told("EASY/shared", 2)[1],
              "10 Job 2 waits: it is the first in the queue, and its nodes are expected to be free at 100 s.");
}

// Job 1 ends before its estimate of 200 s, and job 2 goes on waiting for job 3.
TEST_F(Explained, AWaitHasItsFirstAndItsNewestNumbers) {
  nodes(2);
  job(0, 1, 1, 10, 50, 200);
  job(0, 1, 1, 10, 100);
  job(10, 2, 1, 10, 30);
  EXPECT_THAT(
      told("EASY", 3)[1],
      "10 Job 3 waits: it is the first in the queue, and its nodes are expected to be free at 200 s; at 50 s: it "
      "is the first in the queue, and its nodes are expected to be free at 100 s.");
  Follower follower(record::Stories::of(3));
  or_throw(
      simulate(instance_, parse_algorithm("EASY").value(), options_, Watch{.observer = &follower, .explains = true}));
  const record::Story& story = *follower.stories.find(3);
  EXPECT_EQ(story.events[1].until, 50);
  EXPECT_EQ(story.events[1].why_now()->value, 100);
  const nlohmann::ordered_json json = record::story_json(3, story, kNames)[1];
  EXPECT_EQ(json["value"], 200);
  EXPECT_EQ(json["newest"].dump(), R"({"value":100.0,"limit":0.0})");
  EXPECT_FALSE(record::story_json(3, story, kNames)[2].contains("newest"));
}

// A job that is paused itself is not the cheapest to pause for another.
TEST_F(Explained, TheCheapestToPauseIsAJobThatRuns) {
  nodes(3);
  for (int k = 0; k < 60; ++k) job(40 * k, 1 + k % 3, 0.6, 30 + 7 * (k % 9), 150 + 97 * (k % 11));
  struct Look final : StepObserver {
    void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
      stories.step(view, events, decisions);
      for (const Decision& decision : decisions.placements) {
        if (decision.kind == DecisionKind::pause)
          placed.erase(view.jobs[decision.job].id);
        else
          placed.insert(view.jobs[decision.job].id);
      }
      for (const JobView& job : view.jobs) {
        const record::Story* const story = job.state == JobState::absent ? nullptr : stories.find(job.id);
        if (story == nullptr || story->events.back().kind != record::StoryKind::waits) continue;
        const record::Why& why = *story->events.back().why_now();
        if (why.kind != ReasonKind::outweighed) continue;
        ++seen;
        changed += story->events.back().newest && story->events.back().newest->other != story->events.back().why->other;
        EXPECT_TRUE(placed.contains(*why.other))
            << "job " << job.id << " at " << view.now << " names job " << *why.other;
      }
    }
    record::Stories stories = record::Stories::of_all(40);
    std::set<JobId> placed;  // and those that have ended
    int seen = 0, changed = 0;
  } look;
  or_throw(
      simulate(instance_, parse_algorithm("Triage").value(), options_, Watch{.observer = &look, .explains = true}));
  EXPECT_GT(look.seen, 20);
  EXPECT_GT(look.changed, 3) << "waits that came to name another job";
}

// A tick every 600 s packs all jobs; before the first, the new job waits for it.
TEST_F(Explained, TicksAndRepacks) {
  nodes(1);
  job(10, 1, 1, 10, 100);
  job(20, 1, 1, 10, 100);
  EXPECT_THAT(
      told("/per", 1),
      ElementsAre(
          "10 Job 1 is submitted with 1 task.", "10 Job 1 waits: jobs are placed at ticks, the next at 600 s.",
          "600 Job 1 starts on node 0 at a yield of 0.5 (node 0 has a capacity of 1 and CPU needs of 2, shared with "
          "job 2): a repack of all jobs, for a yield of 0.50.",
          "800 Job 1 has completed."));
  EXPECT_THAT(told("GREEDY", 1)[1], HasSubstr("there is room for it"));
}

TEST_F(Explained, AllJobsAreFollowedWithTheNewestEventsOnly) {
  nodes(1);
  job(0, 1, 1, 10, 1000);
  for (int k = 1; k <= 20; ++k) job(40 * k, 1, 1, 10, 5);
  Follower follower(record::Stories::of_all(4));
  bool seen = false;
  struct Both final : StepObserver {
    Both(Follower& f, bool& s) : follower(f), seen(s) {}
    void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
      follower.on_step(view, events, decisions);
      const record::Story* const first = follower.stories.find(1);
      if (view.now < 700 || first == nullptr) return;
      seen = true;
      EXPECT_EQ(first->events.size(), 4u);
      EXPECT_EQ(first->events.front().kind, record::StoryKind::submitted);
      EXPECT_TRUE(first->events.front().nodes.empty());
      EXPECT_GT(first->forgotten, 10u);
      EXPECT_EQ(follower.stories.find(2), nullptr) << "it has left";
    }
    Follower& follower;
    bool& seen;
  } both(follower, seen);
  or_throw(
      simulate(instance_, parse_algorithm("Greedy*").value(), options_, Watch{.observer = &both, .explains = true}));
  EXPECT_TRUE(seen);
  EXPECT_EQ(follower.stories.find(1), nullptr);
}

// Where all jobs are followed, a wide one names the first eight of its nodes.
TEST_F(Explained, NodesOfAWideJobAreNamedInPart) {
  nodes(10);
  job(0, 10, 1, 10, 100);
  Follower follower(record::Stories::of_all(4));
  struct Look final : StepObserver {
    explicit Look(Follower& f) : follower(f) {}
    void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
      follower.on_step(view, events, decisions);
      if (const record::Story* const story = follower.stories.find(1)) {
        text = record::sentence(1, story->events.back(), *story, kNames);
        json = record::story_json(1, *story, kNames).back();
      }
    }
    Follower& follower;
    std::string text;
    nlohmann::ordered_json json;
  } look(follower);
  or_throw(
      simulate(instance_, parse_algorithm("Greedy*").value(), options_, Watch{.observer = &look, .explains = true}));
  EXPECT_EQ(look.text,
            "Job 1 starts on nodes 0, 1, 2, 3, 4, 5, 6, 7 and 2 more at a yield of 1: there is room for it.");
  EXPECT_EQ(look.json["more_nodes"], 2);
  EXPECT_EQ(look.json["nodes"].size(), 8u);
}

// Where the time of the job went, up to each step, by what was decided so far.
struct TotalsFollower final : StepObserver {
  explicit TotalsFollower(record::Stories of) : stories(std::move(of)) {}
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    stories.step(view, events, decisions);
    if (const record::Story* const story = stories.find(1)) {
      const record::Totals totals = story->totals.until(stories.now());
      words[view.now] = record::totals_words(1, totals, kNames);
      last = totals;
      forgotten = story->forgotten;
    }
  }
  record::Stories stories;
  std::map<Seconds, std::string> words;
  record::Totals last;
  std::uint64_t forgotten = 0;
};

// Paused from 100 to 150 and from 700 to 760, and back each time after a penalty of 300 s, which counts as running; its
// 1000 s take until 1,710. The numbers do not suffer from events that are forgotten.
TEST_F(Explained, TotalsCountPausesAndTheirTime) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 50);
  job(700, 1, 1, 60, 60);
  for (record::Stories stories :
       {record::Stories::of(1), record::Stories::of_all(2), record::Stories::of_all_and_ended(2)}) {
    TotalsFollower follower(std::move(stories));
    or_throw(simulate(instance_, parse_algorithm("GreedyP*").value(), options_,
                      Watch{.observer = &follower, .explains = true}));
    EXPECT_EQ(follower.words.at(0), "So far, job 1 waited 0 s to start and ran for 0 s.");
    EXPECT_EQ(follower.words.at(100),
              "So far, job 1 waited 0 s to start, ran for 100 s and was paused 1 time for 0 s.");
    EXPECT_EQ(follower.words.at(150),
              "So far, job 1 waited 0 s to start, ran for 100 s and was paused 1 time for 50 s.");
    EXPECT_EQ(follower.words.at(760),
              "So far, job 1 waited 0 s to start, ran for 650 s and was paused 2 times for 110 s.");
  }
  TotalsFollower all(record::Stories::of(1));
  const RunResult run = or_throw(
      simulate(instance_, parse_algorithm("GreedyP*").value(), options_, Watch{.observer = &all, .explains = true}));
  EXPECT_EQ(run.jobs[0].end, 1710);
  EXPECT_EQ(all.words.at(1710), "In all, job 1 waited 0 s to start, ran for 1600 s and was paused 2 times for 110 s.");
  EXPECT_EQ(record::totals_json(1, all.last, kNames).dump(),
            R"({"since":0.0,"ended":true,"waited":0.0,"ran":1600.0,"paused":110.0,"pauses":2,"moves":0,"text":)"
            R"("In all, job 1 waited 0 s to start, ran for 1600 s and was paused 2 times for 110 s."})");
}

// A controller that starts while the job runs knows nothing of what was before; one that sees it wait does.
TEST_F(Explained, TotalsOfAJobThatWasThereBefore) {
  JobView job;
  job.id = 1;
  job.submit = 40;
  const std::vector<Event> resync{{EventKind::resync, kNoSlot}};
  const auto words = [&](JobState state) {
    record::Stories stories = record::Stories::of_all(5);
    job.state = state;
    const std::vector<NodeView> nodes(1);
    ClusterView view{.now = 100, .nodes = nodes, .jobs = {&job, 1}};
    stories.step(view, resync, {});
    return record::totals_words(1, stories.find(1)->totals.until(130), kNames);
  };
  EXPECT_EQ(words(JobState::running), "Since 100 s, job 1 ran for 30 s.");
  EXPECT_EQ(words(JobState::paused), "Since 100 s, job 1 was paused for 30 s.");
  EXPECT_EQ(words(JobState::waiting), "So far, job 1 waited 90 s to start.");
}

TEST_F(Explained, JsonHasTheNumbers) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 50);
  Follower follower(record::Stories::of(1));
  or_throw(simulate(instance_, parse_algorithm("GreedyP*").value(), options_,
                    Watch{.observer = &follower, .explains = true}));
  const nlohmann::ordered_json json = record::story_json(1, *follower.stories.find(1), kNames);
  ASSERT_EQ(json.size(), 5u);
  EXPECT_EQ(json[1].dump(),
            R"({"t":0.0,"event":"started","reason":"room","value":0.0,"limit":0.0,"nodes":{"0":1},"yield":1.0,)"
            R"("text":"Job 1 starts on node 0 at a yield of 1: there is room for it."})");
  EXPECT_EQ(json[2]["event"], "paused");
  EXPECT_EQ(json[2]["other"], 2);
  EXPECT_DOUBLE_EQ(json[2]["value"], 0.01);
  EXPECT_TRUE(json[2]["limit"].is_null());
}

}  // namespace
}  // namespace dfrs::sim
