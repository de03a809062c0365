// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "shim/conf/read_config.h"

namespace dfrs::shim {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;

std::vector<std::vector<std::string>> listing() {
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(list_settings());
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line);
    lines.emplace_back();
    for (std::string field; std::getline(fields, field, '\t');) lines.back().push_back(field);
  }
  return lines;
}

TEST(SettingsTable, ListsEveryKeyWithSixFields) {
  std::set<std::string> names;
  for (const auto& fields : listing()) {
    ASSERT_EQ(fields.size(), 6U) << fields.front();
    for (const std::string& field : fields) EXPECT_FALSE(field.empty()) << fields.front();
    EXPECT_TRUE(names.insert(fields[0]).second) << fields.front();
    EXPECT_THAT(fields[5], EndsWith(".")) << fields.front();
  }
  EXPECT_EQ(names.size(), settings().size());
  EXPECT_TRUE(names.contains("PartitionName"));
}

TEST(SettingsTable, ListedDefaultsAreThoseInForce) {
  std::string text = "Partitions=p\n";
  for (const auto& fields : listing()) {
    if (!fields[1].starts_with("(")) text += fields[0] + "=" + fields[1] + "\n";
  }
  const auto given = parse_config(text, "defaults");
  ASSERT_TRUE(given.has_value()) << given.error().front().text();
  EXPECT_EQ(format_config(*given), format_config(parse_config("Partitions=p", "empty").value()));
}

// A value other than the default changes only its own line: no two settings share a member.
TEST(SettingsTable, EachSettingIsItsOwn) {
  const std::map<std::string, std::string> others{
      {"Algorithm", "EASY"},
      {"Period", "7"},
      {"PauseBy", "none"},
      {"LostWork", "accept"},
      {"CheckpointMark", "mark"},
      {"MinProgress", "7"},
      {"MaxLostRuns", "7"},
      {"SuspendNeedsSwap", "no"},
      {"SwapRate", "7"},
      {"RestartCost", "7"},
      {"Weight", "qos"},
      {"CpuNeed", "measured"},
      {"ChargeBy", "allocation"},
      {"CpuNeedFloor", "0.7"},
      {"QuotaMode", "off"},
      {"AgentPort", "slurmd+7"},
      {"ControlPort", "7"},
      {"ControlAddress", "::1"},
      {"ControlRequests", "7"},
      {"ControlRepacks", "7"},
      {"ControlMetrics", "no"},
      {"QuotaWait", "7"},
      {"CommentInterval", "7"},
      {"SaveBeforeLaunch", "no"},
      {"StockBackfill", "no"},
      {"RecordFile", "/seven"},
      {"CriuMark", "mark"},
      {"CheckpointFolder", "/seven"},
      {"CheckpointFolderShared", "no"},
      {"CheckpointTimeout", "7"},
      {"CheckpointRate", "7"},
  };
  const std::string before = format_config(parse_config("Partitions=p", "empty").value());
  for (const Setting& setting : settings()) {
    if (setting.required || !setting.read) continue;
    if (setting.name == "Pauses") continue;  // another way to say PauseBy and LostWork: ReadConfig.PausesIsOneWord
    ASSERT_TRUE(others.contains(setting.name)) << setting.name;
    const std::string line = setting.name + "=" + others.at(setting.name) + "\n";
    const auto config = parse_config("Partitions=p\n" + line, setting.name);
    ASSERT_TRUE(config.has_value()) << config.error().front().text();
    std::istringstream lines(format_config(*config));
    std::string changed;
    for (std::string one; std::getline(lines, one);) {
      if (before.find(one + "\n") == std::string::npos) changed += one + "\n";
    }
    EXPECT_EQ(changed, line);
  }
}

TEST(SettingsTable, FindsNamesInAnyCase) {
  ASSERT_NE(find_setting("PERIOD"), nullptr);
  EXPECT_EQ(find_setting("PERIOD")->name, "Period");
  EXPECT_EQ(find_setting("Perio"), nullptr);
}

TEST(SettingsTable, TheExampleHasEveryKey) {
  const char* const source = std::getenv("srcdir");
  std::ifstream file(std::string(source != nullptr ? source : ".") + "/etc/dfrs.conf.example");
  std::stringstream text;
  text << file.rdbuf();
  for (const Setting& setting : settings()) {
    EXPECT_THAT(text.str(), ContainsRegex("\n#?" + setting.name + "="));
  }
}

}  // namespace
}  // namespace dfrs::shim
