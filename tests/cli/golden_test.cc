// SPDX-License-Identifier: GPL-2.0-or-later
// The exact output of `run` and `compare` on a committed trace: any changed decision shows. After an intended change,
// regenerate the files as described in docs/reference/building.md and review the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/sha256.h"
#include "dfrs-config.h"
#include "tests/cli/process.h"
#include "tests/cli/replay.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

std::string golden_folder() {
  const char* const source = std::getenv("srcdir");
  return std::filesystem::absolute(std::filesystem::path(source == nullptr ? "." : source) / "tests/golden").string();
}

// Results name the program's version and the trace's path, which differ between builds.
std::string without_version_and_folder(std::string text) {
  for (const auto& [word, replacement] : {std::pair<std::string, std::string>{golden_folder() + "/", ""},
                                          {std::string("dfrs-sim ") + PACKAGE_VERSION, "dfrs-sim VERSION"}}) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
      text.replace(at, word.size(), replacement);
    }
  }
  return text;
}

void expect_golden(const std::string& name, const std::string& printed) {
  const std::string text = without_version_and_folder(printed);
  const std::string path = (std::filesystem::path(golden_folder()) / name).string();
  if (std::getenv("DFRS_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path;
  EXPECT_EQ(text, file_bytes(path)) << path;
}

// The log's first line ends with what made it.
std::string without_origin_of_log(std::string log) {
  const std::size_t at = log.find(",\"origin\":");
  const std::size_t end = log.find("}\n", at);
  return at == std::string::npos ? log : log.erase(at, end - at);
}

struct Case {
  const char* algorithm;
  const char* file;
};

// "run-greedyp-star.txt" makes "greedypstar".
std::string test_name(const ::testing::TestParamInfo<Case>& tested) {
  std::string name = tested.param.file;
  name = name.substr(4, name.size() - 8);
  std::erase(name, '-');
  return name;
}

class CliGoldenRun : public ::testing::TestWithParam<Case> {};

TEST_P(CliGoldenRun, FiguresAndDecisions) {
  const TemporaryFolder folder;
  const std::string trace = golden_folder() + "/workload.dfrs";
  std::string text = output_of({"run", trace, "-a", GetParam().algorithm, "--log", folder / "log"});
  const std::string log = file_bytes(folder / "log");
  EXPECT_NO_THROW((void)replay(file_bytes(trace), log)) << "not only changed but impossible";
  // Every decision, to the last digit of the yields.
  text += "SHA-256 of the log     " + base::sha256_hex(without_origin_of_log(log)) + "\n";
  expect_golden(GetParam().file, text);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, CliGoldenRun,
                         ::testing::Values(Case{"FCFS", "run-fcfs.txt"}, Case{"EASY", "run-easy.txt"},
                                           Case{"Greedy*", "run-greedy-star.txt"},
                                           Case{"GreedyP*", "run-greedyp-star.txt"},
                                           Case{"GreedyPM*", "run-greedypm-star.txt"},
                                           Case{"GreedyPM*/per/MINVT=600", "run-greedypm-star-per-minvt.txt"},
                                           Case{"MCB8*/MINVT=600", "run-mcb8-star-minvt.txt"},
                                           Case{"/per", "run-per.txt"},
                                           Case{"/stretch-per/OPT=MAX", "run-stretch-per-max.txt"},
                                           Case{"GreedyP*/OPT=AVG", "run-greedyp-star-avg.txt"}),
                         test_name);

TEST(CliGolden, Compare) {
  expect_golden("compare.txt",
                output_of({"compare", golden_folder() + "/workload.dfrs", "-a", "FCFS,EASY,Greedy*,GreedyP*", "-a",
                           "GreedyPM*/per/MINVT=600,MCB8*/MINVT=600,/per", "--format", "csv"}));
}

}  // namespace
}  // namespace dfrs::sim
