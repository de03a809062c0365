// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "record/record_reader.h"
#include "record/step_lines.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::record {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A hand-made cluster.
struct Scene {
  Scene() {
    nodes.resize(4);
    for (NodeView& node : nodes) node.spec.rigid[kMemory] = 1000;
    nodes[2].spec.cpu = 2;
    jobs.resize(2);
    placement = {0, 0, 2};
    jobs[0].id = 17;
    jobs[0].state = JobState::running;
    jobs[0].tasks = 3;
    jobs[0].cpu_need = 0.1;
    jobs[0].rigid[kMemory] = 100;
    jobs[0].submit = 5;
    jobs[0].clock = {1.5, 10, 0.3};
    jobs[0].yield = 0.3;
    jobs[0].nodes = placement;
    jobs[0].flags.exclusive = true;
    set.insert(0);
    set.insert(1);
    set.insert(2);
    jobs[0].eligible = &set;
    estimates = {3600, kNever};
  }
  ClusterView view() const { return {now, nodes, jobs, 1}; }

  Seconds now = 10;
  std::vector<NodeView> nodes;
  std::vector<JobView> jobs;
  std::vector<NodeIndex> placement;
  NodeSet set{4};
  std::vector<Seconds> estimates;
  Decisions decisions;

  std::string line(StepLines& lines, std::span<const Event> events = {}) {
    std::string text;
    lines.append(text, view(), Estimates{estimates}, events, &decisions);
    return text;
  }
};

constexpr const char* kNothing = R"("decisions":{"placements":[],"yields":[],"wake_at":"inf"}})";

TEST(StepLines, TheFirstLineSaysAllTheNextWhatChanged) {
  Scene scene;
  StepLines lines;
  const std::vector<Event> resync = {{EventKind::resync, kNoSlot}, {EventKind::submitted, 1}};
  scene.decisions.nodes = {1, 1};
  scene.decisions.placements = {{DecisionKind::pause, 0, 0, 0}, {DecisionKind::start, 1, 0, 2}};
  scene.decisions.yields = {{1, 0.1 + 0.2}};
  scene.decisions.wake_at = 600;
  EXPECT_EQ(
      scene.line(lines, resync),
      R"({"t":10,"rigid_dims":1,"node_count":4,"nodes":[[0,2,1,[1000],true],[2,1,2,[1000],true],[3,1,1,[1000],true]],)"
      R"("slots":2,"estimates":2,"jobs":[{"slot":0,"id":17,"state":"running","flags":["exclusive"],"tasks":3,)"
      R"("cpu_need":0.1,"rigid":[100],"submit":5,"eligible":"0-2","clock":[1.5,10,0.3],"yield":0.3,)"
      R"("nodes":[0,0,2],"estimate":3600},{"slot":1,"estimate":"inf"}],"events":[["resync"],["submitted",1]],)"
      R"("decisions":{"placements":[["pause",0,[]],["start",1,[1,1]]],"yields":[[1,0.30000000000000004]],)"
      R"("wake_at":600}})");
  scene.decisions.clear();
  // Time advances, and virtual time with it, but the job's clock is the same: nothing to write.
  scene.now = 20.25;
  EXPECT_EQ(scene.line(lines), std::string(R"({"t":20.25,)") + kNothing);
  // A set of the same nodes at another address is the same.
  const NodeSet copy = scene.set;
  scene.jobs[0].eligible = &copy;
  EXPECT_EQ(scene.line(lines), std::string(R"({"t":20.25,)") + kNothing);
  // Only changes are written.
  scene.jobs[0].clock = {4.5, 20.25, 0.5};
  scene.jobs[0].yield = 0.5;
  scene.nodes[1].usable = false;
  EXPECT_EQ(scene.line(lines),
            std::string(R"({"t":20.25,"nodes":[[1,1,1,[1000],false]],"jobs":[{"slot":0,"clock":[4.5,20.25,0.5],)") +
                R"("yield":0.5}],)" + kNothing);
  scene.jobs[0].eligible = nullptr;
  scene.jobs[0].flags = {};
  EXPECT_EQ(scene.line(lines), std::string(R"({"t":20.25,"jobs":[{"slot":0,"flags":[],"eligible":null}],)") + kNothing);
  // After a reset everything is written again.
  lines.reset();
  EXPECT_THAT(scene.line(lines), HasSubstr("\"node_count\":4"));
}

TEST(StepLines, NumbersAreExact) {
  Scene scene;
  StepLines lines;
  scene.now = -0.0;
  scene.jobs[0].cpu_need = 5e-324;
  scene.jobs[0].clock.base = 1.7976931348623157e308;
  scene.jobs[0].clock.since = 9007199254740992;
  const std::string text = scene.line(lines);
  EXPECT_THAT(text, HasSubstr(R"({"t":-0.0,)"));
  EXPECT_THAT(text, HasSubstr(R"("cpu_need":5e-324)"));
  EXPECT_THAT(text, HasSubstr(R"("clock":[1.7976931348623157e+308,9007199254740992,0.3])"));
}

void record_some(Recorder& recorder, int steps, Scene& scene) {
  recorder.begin(*parse_algorithm("EASY"), {});
  for (int k = 0; k < steps; ++k) {
    scene.now += 1;
    recorder.step(scene.view(), Estimates{scene.estimates}, {}, &scene.decisions);
  }
}

TEST(Recorder, OffItRecordsNothing) {
  Recorder recorder;
  Scene scene;
  EXPECT_FALSE(recorder.wants_new_engine());
  record_some(recorder, 3, scene);
  EXPECT_FALSE(recorder.state().on);
  EXPECT_EQ(recorder.state().steps, 0U);
}

TEST(Recorder, FromOnToOff) {
  const sim::TemporaryFolder folder;
  Recorder recorder;
  Scene scene;
  record_some(recorder, 2, scene);
  ASSERT_TRUE(recorder.on(folder / "r.jsonl").has_value());
  EXPECT_TRUE(recorder.wants_new_engine());
  recorder.step(scene.view(), {}, {}, &scene.decisions);  // ignored: the engine started before the record
  EXPECT_EQ(recorder.state().steps, 0U);
  record_some(recorder, 5, scene);
  EXPECT_FALSE(recorder.wants_new_engine());
  EXPECT_TRUE(recorder.state().on);
  EXPECT_EQ(recorder.state().path, folder / "r.jsonl");
  recorder.off();
  EXPECT_FALSE(recorder.state().on);
  EXPECT_EQ(recorder.state().steps, 5U);
  EXPECT_TRUE(recorder.state().intact);
  record_some(recorder, 5, scene);
  const std::string text = sim::file_bytes(folder / "r.jsonl");
  EXPECT_EQ(text.size(), recorder.state().bytes);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_THAT(text, ::testing::StartsWith(R"({"dfrs-record":2,"version":")"));
  struct stat status{};
  ASSERT_EQ(::stat((folder / "r.jsonl").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07, 0U) << "not for everyone to read";
}

TEST(Recorder, PathsThatCannotBe) {
  const sim::TemporaryFolder folder;
  Recorder recorder;
  const std::string taken = folder.write("taken", "precious");
  EXPECT_THAT(recorder.on(taken).error(), HasSubstr(taken + ": exists already"));
  EXPECT_EQ(sim::file_bytes(taken), "precious");
  EXPECT_THAT(recorder.on(folder / "no/such").error(), HasSubstr("No such file"));
  std::filesystem::create_symlink(folder / "elsewhere", folder / "link");
  EXPECT_FALSE(recorder.on(folder / "link").has_value()) << "a link may lead anywhere";
  // The current record continues.
  ASSERT_TRUE(recorder.on(folder / "good").has_value());
  EXPECT_FALSE(recorder.on(taken).has_value());
  EXPECT_TRUE(recorder.state().on);
  EXPECT_EQ(recorder.state().path, folder / "good");
}

TEST(Recorder, UnusedPaths) {
  const sim::TemporaryFolder folder;
  const std::string path = folder / "r.jsonl.gz";
  EXPECT_EQ(unused_record_path(path), path);
  folder.write("r.jsonl.gz", "");
  EXPECT_EQ(unused_record_path(path), folder / "r.1.jsonl.gz");
  folder.write("r.1.jsonl.gz", "");
  EXPECT_EQ(unused_record_path(path), folder / "r.2.jsonl.gz");
  folder.write("plain", "");
  EXPECT_EQ(unused_record_path(folder / "plain"), folder / "plain.1");
}

TEST(Recorder, StopsAtItsGreatestSize) {
  const sim::TemporaryFolder folder;
  std::vector<std::string> log;
  Recorder recorder([&](int level, const std::string& message) {
    EXPECT_EQ(level, 1);
    log.push_back(message);
  });
  Scene scene;
  ASSERT_TRUE(recorder.on(folder / "r", {.max_bytes = 2000}).has_value());
  record_some(recorder, 100, scene);
  EXPECT_FALSE(recorder.state().on);
  ASSERT_FALSE(recorder.state().intact);
  EXPECT_THAT(recorder.state().intact.error(), HasSubstr("2000 bytes"));
  ASSERT_EQ(log.size(), 1U) << "said once";
  EXPECT_THAT(log[0], HasSubstr(folder / "r"));
  // The thread still writes, and the recorder no longer waits for it: wait here.
  std::string text;
  for (int k = 0; k < 5000 && text.size() < recorder.state().bytes; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    text = sim::file_bytes(folder / "r");
  }
  EXPECT_LE(text.size(), 2000U);
  EXPECT_EQ(text.back(), '\n') << "whole lines";
}

TEST(Recorder, StopsWhenTheDiskDoesNotKeepUp) {
  const sim::TemporaryFolder folder;
  Recorder recorder;
  Scene scene;
  // Nothing is written before an hour has passed.
  ASSERT_TRUE(recorder.on(folder / "r", {.max_waiting_bytes = 3000, .flush_ms = 3'600'000}).has_value());
  record_some(recorder, 100, scene);
  ASSERT_FALSE(recorder.state().intact);
  EXPECT_THAT(recorder.state().intact.error(), HasSubstr("does not keep up"));
}

// A full disk, simulated by a limit on file sizes, which also raises a signal.
TEST(Recorder, StopsWhenItCannotWrite) {
  const sim::TemporaryFolder folder;
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::atomic<int> said{0};
  Recorder recorder([&](int, const std::string&) { ++said; });
  Scene scene;
  ASSERT_TRUE(recorder.on(folder / "r", {.flush_ms = 1}).has_value());
  const struct rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  record_some(recorder, 1, scene);
  for (int k = 0; k < 5000 && recorder.state().on; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int s = 0; s < 100; ++s) recorder.step(scene.view(), Estimates{scene.estimates}, {}, &scene.decisions);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(recorder.state().on);
  ASSERT_FALSE(recorder.state().intact);
  EXPECT_THAT(recorder.state().intact.error(), HasSubstr("File too large"));
  EXPECT_EQ(said, 1);
}

// After a crash of the host, everything that was flushed can be read, compressed or not.
TEST(Recorder, WhatWasFlushedCanBeReadWithoutTheEnd) {
  for (const char* name : {"r.jsonl", "r.jsonl.gz"}) {
    const sim::TemporaryFolder folder;
    Recorder recorder;
    Scene scene;
    ASSERT_TRUE(recorder.on(folder / name, {.flush_ms = 1}).has_value());
    record_some(recorder, 10, scene);
    std::size_t steps = 0;
    for (int k = 0; k < 5000 && steps < 10; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (sim::file_bytes(folder / name).empty()) continue;
      RecordReader reader = RecordReader::open(folder / name).value();
      steps = 0;
      for (auto more = reader.next(); more && *more; more = reader.next()) ++steps;  // the header may not be there yet
    }
    EXPECT_EQ(steps, 10U) << name;
  }
}

// Other threads switch recording on and off while the scheduling thread makes steps.
TEST(Recorder, Threads) {
  const sim::TemporaryFolder folder;
  Recorder recorder;
  std::atomic<bool> stop{false};
  std::thread scheduler([&] {
    Scene scene;
    const Algorithm algorithm = *parse_algorithm("EASY");
    while (!stop) {
      if (recorder.wants_new_engine()) recorder.begin(algorithm, {});
      scene.now += 1;
      recorder.step(scene.view(), Estimates{scene.estimates}, {}, &scene.decisions);
    }
  });
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(recorder.on(folder / ("r" + std::to_string(k) + (k % 2 == 0 ? ".gz" : ""))).has_value());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (k % 3 == 0) recorder.off();
    (void)recorder.state();
  }
  stop = true;
  scheduler.join();
  recorder.off();
  EXPECT_TRUE(recorder.state().intact);
  for (const std::string& name : folder.names()) {
    RecordReader reader = RecordReader::open(folder / name).value();
    auto more = reader.next();
    while (more && *more) more = reader.next();
    if (more) {
      EXPECT_FALSE(reader.cut_off()) << name;
    } else {
      EXPECT_THAT(more.error().message, HasSubstr("no record")) << "switched off before the first step";
    }
  }
}

}  // namespace
}  // namespace dfrs::record
