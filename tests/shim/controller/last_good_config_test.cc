// SPDX-License-Identifier: GPL-2.0-or-later
// A wrong dfrs.conf never ends a slurmctld that goes on with jobs under way.
#include "shim/controller/last_good_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "shim/controller/host.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kGood = "Partitions=dfrs\nQuotaMode=off\nPeriod=77\n";
constexpr const char* kWrong = "Partitions=dfrs\nQuotaMode=off\nPerod=5\n";

class LastGood : public testing::Test {
 protected:
  tl::expected<std::unique_ptr<Host>, std::string> start(bool goes_on) {
    HostPaths paths;
    paths.conf_file = folder / "dfrs.conf";
    paths.state_dir = folder.path().string();
    paths.cluster_name = "test";
    paths.goes_on = goes_on;
    logged.clear();
    return Host::create(paths, Log([this](int level, const char* line) {
                          if (level == 1) logged += std::string(line) + "\n";
                        }),
                        nullptr);
  }
  void write(const std::string& text) { folder.write("dfrs.conf", text); }
  std::string kept() const { return folder / kLastGoodConfigName; }

  const sim::TemporaryFolder folder;
  std::string logged;
};

TEST_F(LastGood, IsKeptWordForWord) {
  write(kGood);
  ASSERT_TRUE(start(false));
  EXPECT_EQ(sim::file_bytes(kept()), kGood);
  EXPECT_EQ(logged, "");
  write(std::string(kGood) + "# and more\n");
  ASSERT_TRUE(start(true));
  EXPECT_EQ(sim::file_bytes(kept()), std::string(kGood) + "# and more\n");
}

TEST_F(LastGood, StaysInForceWhenSlurmctldGoesOn) {
  write(kGood);
  ASSERT_TRUE(start(false));
  write(kWrong);
  const auto host = start(true);
  ASSERT_TRUE(host) << host.error();
  EXPECT_EQ((*host)->config().period, 77);
  const auto accepted = LastGoodConfig(folder.path().string()).load();
  ASSERT_TRUE(accepted);
  const std::string date = time_text(accepted->accepted);
  EXPECT_EQ(date.size(), std::string("2026-02-28T13:05:59").size());
  EXPECT_THAT(logged, AllOf(HasSubstr("dfrs.conf:3: Perod"),
                            HasSubstr("the last good configuration, of " + date + ", stays in force"),
                            HasSubstr("scontrol reconfigure")));
  const auto in_force = (*host)->controller().status().config_in_force;
  ASSERT_FALSE(in_force);
  EXPECT_THAT(in_force.error(), HasSubstr("dfrs.conf:3: Perod"));
  EXPECT_EQ(sim::file_bytes(kept()), kGood);
  // Mended.
  write("Partitions=dfrs\nQuotaMode=off\nPeriod=99\n");
  ASSERT_TRUE((*host)->reconfigure());
  EXPECT_EQ((*host)->config().period, 99);
  EXPECT_TRUE((*host)->controller().status().config_in_force);
  EXPECT_EQ(LastGoodConfig(folder.path().string()).load()->config.period, 99);
}

TEST_F(LastGood, AColdStartIsRefused) {
  write(kGood);
  ASSERT_TRUE(start(false));
  write(kWrong);
  const auto host = start(false);
  ASSERT_FALSE(host);
  EXPECT_THAT(host.error(), HasSubstr("dfrs.conf:3: Perod"));
}

TEST_F(LastGood, AFileThatIsGoneIsAsWrong) {
  write(kGood);
  ASSERT_TRUE(start(false));
  std::filesystem::remove(folder.path() / "dfrs.conf");
  EXPECT_TRUE(start(true));
  EXPECT_THAT(logged, HasSubstr("dfrs.conf: cannot be opened"));
}

TEST_F(LastGood, AReconfigurationInTheSameProcessKeepsItToo) {
  write(kGood);
  const auto host = start(false);
  ASSERT_TRUE(host) << host.error();
  write(kWrong);
  const auto done = (*host)->reconfigure();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), AllOf(HasSubstr("dfrs.conf:3: Perod"), HasSubstr("stays in force")));
  const auto in_force = (*host)->controller().status().config_in_force;
  ASSERT_FALSE(in_force);
  EXPECT_EQ(in_force.error(), done.error());
  EXPECT_EQ((*host)->config().period, 77);
  EXPECT_EQ(sim::file_bytes(kept()), kGood);
}

TEST_F(LastGood, WithoutOneThereIsNothingToGoOnWith) {
  write(kWrong);
  auto host = start(true);
  ASSERT_FALSE(host);
  EXPECT_THAT(host.error(), AllOf(HasSubstr("dfrs.conf:3: Perod"), HasSubstr(kept())));
  folder.write(kLastGoodConfigName, "nonsense\n");
  host = start(true);
  ASSERT_FALSE(host);
  EXPECT_THAT(host.error(), AllOf(HasSubstr("dfrs.conf:3: Perod"), HasSubstr(kept() + ":1")));
}

TEST_F(LastGood, AFolderThatTakesNoFileIsAnErrorInTheLogOnly) {
  std::filesystem::create_directory(kept() + ".new");
  write(kGood);
  EXPECT_TRUE(start(false));
  EXPECT_THAT(logged, AllOf(HasSubstr("cannot save dfrs.conf"), HasSubstr(kept())));
}

}  // namespace
}  // namespace dfrs::shim
