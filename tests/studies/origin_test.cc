// SPDX-License-Identifier: GPL-2.0-or-later
// What results of dfrs-sim divisible and gang say about how they were made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "dfrs-config.h"
#include "tests/cli/process.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

constexpr const char* kInstance = "; dfrs-divisible: 1\n; Databanks: 1\ncluster 1 1 0\njob 0 4 0\njob 1 1 0\n";

// The long names of a command's options in its help.
Words options_of(const std::string& command) {
  std::istringstream help(output_of({command, "--help"}));
  Words names;
  for (std::string line; std::getline(help, line);) {
    const std::size_t at = line.find("--");
    if (at == std::string::npos || at > 6) continue;
    names.push_back(line.substr(at, line.find_first_of(" ,", at) - at));
  }
  return names;
}

struct Study {
  std::string command;
  Words small;                                // a run of a moment
  std::map<std::string, std::string> values;  // of each option that changes results; not the default
  std::set<std::string> presentation;         // options that do not
  std::string file;                           // the option that writes a CSV file
};

const Study kDivisible{"divisible",
                       {"--duration", "20", "-a", "SPT,MCT"},
                       {{"--clusters", "4"},
                        {"--databanks", "2"},
                        {"--availability", "0.7"},
                        {"--density", "0.5"},
                        {"--density-reading", "alone"},
                        {"--duration", "21"},
                        {"--instances", "2"},
                        {"--seed", "9"},
                        {"--algorithm", "SRPT"},
                        {"--stretch", "reach"}},
                       {"--help", "--format", "--output", "--jobs-csv", "--schedule-csv", "--save", "--threads"},
                       "--output"};

const Study kGang{"gang",
                  {"--gangs", "50", "--replications", "2"},
                  {{"--scheduler", "LJFS"},
                   {"--migration", "BF,none"},
                   {"--x-factor", "15"},
                   {"--lambda", "1.5"},
                   {"--q", "0.25"},
                   {"--mu", "1.25"},
                   {"--small", "8"},
                   {"--large", "24"},
                   {"--limit", "100"},
                   {"--minimum", "3"},
                   {"--setup", "0.5"},
                   {"--load-threshold", "2"},
                   {"--release-pause", "7"},
                   {"--migration-interval", "6"},
                   {"--queue-length", "waiting"},
                   {"--gangs", "60"},
                   {"--migrated-start", "at-once"},
                   {"--starved-order", "pass"},
                   {"--replications", "3"},
                   {"--seed", "9"}},
                  {"--help", "--format", "--json", "--runs-csv", "--threads"},
                  "--runs-csv"};

Words command_line(const Study& study, const Words& more) {
  Words words{study.command};
  words.insert(words.end(), study.small.begin(), study.small.end());
  // Options take one value here; the one that is tested comes instead of the small run's.
  for (const std::string& word : more) {
    const std::string name = word.substr(0, word.find('='));
    const auto at = std::find_if(words.begin(), words.end(), [&](const std::string& old) {
      return old == name || (name == "--algorithm" && old == "-a");
    });
    if (at != words.end()) words.erase(at, at + 2);
  }
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class StudyOrigins : public testing::TestWithParam<const Study*> {};

// Fails for a new option until it has a value here, and then until results name it.
TEST_P(StudyOrigins, ResultsNameEveryOption) {
  const Study& study = *GetParam();
  const TemporaryFolder folder;
  std::size_t tested = 0;
  for (const std::string& name : options_of(study.command)) {
    if (study.presentation.contains(name)) continue;
    ASSERT_TRUE(study.values.contains(name)) << name << " is new";
    const std::string word = name + "=" + study.values.at(name);
    const std::string json =
        output_of(command_line(study, {word, "--format=json", study.file + "=" + (folder / "file.csv")}));
    EXPECT_THAT(nlohmann::json::parse(json).at("origin").at("options").get<std::string>(), HasSubstr(word));
    EXPECT_THAT(file_bytes(folder / "file.csv"), HasSubstr(word));
    ++tested;
  }
  EXPECT_EQ(tested, study.values.size());
}

TEST_P(StudyOrigins, EveryOutputNamesProgramOptionsAndTheLineThatRepeats) {
  const Study& study = *GetParam();
  const TemporaryFolder folder;
  const auto complete = AllOf(HasSubstr(std::string("dfrs-sim ") + PACKAGE_VERSION), HasSubstr("--seed=1"),
                              HasSubstr("dfrs-sim " + study.command + " "));
  for (const std::string format : {"text", "csv", "json"}) {
    EXPECT_THAT(output_of(command_line(study, {"--format=" + format})), complete) << format;
  }
  output_of(command_line(study, {study.file + "=" + (folder / "file.csv")}));
  EXPECT_THAT(file_bytes(folder / "file.csv"), AllOf(complete, HasSubstr(",program,options,repeat_with\n")));
}

TEST_P(StudyOrigins, ThePrintedLineRepeatsTheResult) {
  const Study& study = *GetParam();
  const std::string first = output_of(command_line(study, {"--seed=5", "--format=json"}));
  std::string line = nlohmann::json::parse(first).at("origin").at("repeat_with");
  ASSERT_TRUE(line.starts_with("dfrs-sim "));
  std::erase(line, '\'');
  std::istringstream in(line.substr(9));
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  words.emplace_back("--format=json");
  EXPECT_EQ(output_of(words), first);
}

INSTANTIATE_TEST_SUITE_P(Studies, StudyOrigins, testing::Values(&kDivisible, &kGang),
                         [](const testing::TestParamInfo<const Study*>& study) { return study.param->command; });

TEST(CliDivisible, ResultsNameTheSourceAndItsChecksum) {
  const TemporaryFolder folder;
  const std::string source = folder.write("one.txt", kInstance);
  const std::string sum = base::sha256_hex(kInstance);
  const std::string text = output_of({"divisible", source, "-a", "SPT", "-o", folder / "results.csv"});
  EXPECT_THAT(text, AllOf(HasSubstr(source), HasSubstr(sum), Not(HasSubstr("--clusters"))));
  EXPECT_THAT(file_bytes(folder / "results.csv"), AllOf(HasSubstr(source), HasSubstr(sum)));
  EXPECT_THAT(output_of({"divisible", source, "-a", "SPT", "--format", "json"}), HasSubstr(sum));
  EXPECT_THAT(text, HasSubstr("repeat with  dfrs-sim divisible " + source + " --algorithm=SPT"));
}

}  // namespace
}  // namespace dfrs::sim
