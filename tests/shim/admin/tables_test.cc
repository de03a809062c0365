// SPDX-License-Identifier: GPL-2.0-or-later
// What dfrsctl prints, character by character (tests/golden/dfrsctl).
#include "shim/admin/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/shim/admin/sample_status.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string users(std::uint32_t id) { return id == 1000 ? "alice" : std::to_string(id); }

// DFRS_UPDATE_GOLDEN=1 rewrites them.
void expect_golden(const std::string& name, const std::string& text) {
  const char* const source = std::getenv("srcdir");
  const std::string path = std::string(source != nullptr ? source : ".") + "/tests/golden/dfrsctl/" + name;
  if (std::getenv("DFRS_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, sim::file_bytes(path)) << path;
}

record::RecordingState recording() {
  record::RecordingState state;
  state.on = true;
  state.path = "/var/log/slurm/r.jsonl.gz";
  state.steps = 17;
  return state;
}

TEST(DfrsctlTables, Golden) {
  const ControllerStatus status = sample_status();
  expect_golden("status.txt", status_table(status_json(status, recording()), users));
  expect_golden("nodes.txt", nodes_table(nodes_json(status)));
  expect_golden("repack.txt", repack_table(repack_json(sample_plan())));
  expect_golden("status.json", json_text(status_json(status, recording()), 2));
  expect_golden("nodes.json", json_text(nodes_json(status), 2));
}

TEST(DfrsctlTables, AnEmptyClusterAndAnErrorAreSaid) {
  ControllerStatus status;
  status.cluster = "empty";
  EXPECT_THAT(status_table(status_json(status, {}), users), HasSubstr("no jobs in managed partitions\n"));
  EXPECT_THAT(status_table(status_json(status, {}), users), HasSubstr("no scheduling step yet"));
  EXPECT_THAT(status_table(status_json(status, {}), users), HasSubstr("not recording\n"));
  EXPECT_THAT(nodes_table(nodes_json(status)), HasSubstr("no nodes yet"));
  status.now = 5;
  status.last_error = "bad\nthing";
  status.config_in_force = tl::unexpected<std::string>("dfrs.conf:2: Perod: unknown key");
  record::RecordingState stopped;
  stopped.path = "/r";
  stopped.intact = tl::unexpected<std::string>("No space left on device");
  EXPECT_THAT(status_table(status_json(status, stopped), users), HasSubstr("last error: bad?thing\n"));
  EXPECT_THAT(status_table(status_json(status, stopped), users),
              HasSubstr("dfrs.conf is not in force: dfrs.conf:2: Perod: unknown key\n"));
  EXPECT_THAT(status_table(status_json(status, stopped), users),
              HasSubstr("recording has stopped: /r: No space left on device (0 steps)\n"));
  status.enforce_quotas = false;
  status.nodes.resize(1);
  EXPECT_TRUE(nodes_json(status)["nodes"][0]["agent"].is_null()) << "without quotas there is nothing to say of agents";
}

TEST(DfrsctlTables, CheckpointsAreShownWhereThereAreAny) {
  ControllerStatus status = sample_status();
  EXPECT_THAT(status_table(status_json(status, {}), users), Not(HasSubstr("checkpoint")));
  status.checkpoints = {5, 2, 3, 0, 1, 1, std::uint64_t{3} << 29};
  status.jobs[0].checkpoints = JobCheckpoints{CheckpointStage::none, false, "holds a\nGPU (node n1)", 5, 3, 1000};
  const std::string table = status_table(status_json(status, {}), users);
  EXPECT_THAT(table,
              HasSubstr("checkpoints: 5 attempts, 3 failed, 0 given up, 1.5G in all; 1 restored, 1 started over\n"));
  EXPECT_THAT(table, HasSubstr("cannot be checkpointed: holds a?GPU (node n1)"));
  const Json job = status_json(status, {}).at("jobs").at(0).at("checkpoint");
  EXPECT_EQ(job.at("stage"), "none");
  EXPECT_EQ(job.at("bytes"), 1000);
}

// A thousand jobs make a thousand aligned lines: every cell of a column begins or ends where its heading does.
TEST(DfrsctlTables, AThousandJobs) {
  ControllerStatus status = sample_status();
  const JobStatus one = status.jobs[0];
  status.jobs.clear();
  for (std::uint32_t k = 0; k < 1000; ++k) {
    JobStatus job = one;
    job.job_id = 1 + k * k;
    job.name = std::string(k % 40, 'x');
    job.nodes.clear();
    for (std::uint32_t n = 0; n < k; ++n) job.nodes.emplace_back("node" + std::to_string(1 + 2 * n), 1 + n % 2);
    status.jobs.push_back(job);
  }
  std::istringstream lines(status_table(status_json(status, {}), users));
  std::string line;
  while (std::getline(lines, line) && line.find("JOBID") == std::string::npos) {
  }
  const std::size_t id_end = line.find("JOBID") + 5;
  const std::size_t state = line.find("STATE");
  const std::size_t note = line.find("NOTE");
  int rows = 0;
  while (std::getline(lines, line)) {
    ++rows;
    EXPECT_EQ(line.find_first_of(" ", line.find_first_not_of(' ')), id_end) << line;
    EXPECT_EQ(line.substr(state, 7), "running") << line;
    EXPECT_EQ(line.substr(note), "quota pending") << line;
    EXPECT_LT(line.size(), 250U);
  }
  EXPECT_EQ(rows, 1000);
}

TEST(DfrsctlTables, NoNamePlaysWithTheTerminal) {
  const std::string text = status_table(status_json(sample_status(), {}), users);
  EXPECT_THAT(text, HasSubstr("evil?[2Jname?"
                              "?!"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x9b")));
}

TEST(DfrsctlTables, Places) {
  const auto text = [](const std::vector<std::pair<std::string, int>>& places) {
    Json json = Json::object();
    for (const auto& [name, tasks] : places) json[name] = tasks;
    return places_text(json);
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({{"n1", 1}}), "n1");
  EXPECT_EQ(text({{"n1", 3}, {"n2", 1}}), "n1:3,n2");
  EXPECT_EQ(text({{"n1", 2}, {"n2", 2}, {"n3", 2}, {"n5", 2}}), "n[1-3]:2,n5:2");
  EXPECT_EQ(text({{"n9", 1}, {"n10", 1}}), "n9,n10") << "Slurm's ranges keep the number of digits";
  EXPECT_EQ(text({{"n09", 1}, {"n10", 1}}), "n[09-10]");
  EXPECT_EQ(text({{"a1", 1}, {"b2", 1}, {"login", 1}}), "a1,b2,login");
  std::vector<std::pair<std::string, int>> many;
  for (int k = 0; k < 100; ++k) many.emplace_back("node" + std::to_string(2 * k), 1);
  EXPECT_THAT(text(many), HasSubstr(",... (100 nodes)"));
}

TEST(DfrsctlTables, Durations) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(59.9), "0:59");
  EXPECT_EQ(duration_text(125), "2:05");
  EXPECT_EQ(duration_text(3600), "1:00:00");
  EXPECT_EQ(duration_text(90061), "1-01:01:01");
  EXPECT_EQ(duration_text(-5), "0:00");
  EXPECT_EQ(duration_text(kNever), "-");
}

}  // namespace
}  // namespace dfrs::shim
