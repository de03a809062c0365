// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/controller_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shim/conf/slurm_conf.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ControllerAddress found(const AddressOptions& options) {
  auto address = find_controller(options);
  if (address) return *address;
  ADD_FAILURE() << address.error().message;
  return {};
}

AddressError error_of(const AddressOptions& options) {
  const auto address = find_controller(options);
  if (!address) return address.error();
  ADD_FAILURE() << "found";
  return {};
}

TEST(ControllerAddress, FromTheFiles) {
  const sim::TemporaryFolder folder;
  const std::string slurm = folder.write(
      "slurm.conf",
      "clustername=kite # ours\nSlurmctldHost=head(10.0.0.1)\nSlurmctldHost=spare\nSlurmUser=0\n"
      "AuthInfo=ttl=30,socket=/run/other.socket\nNodeName=n[1-4] CPUs=4\nsome nonsense\nPartitionName=p Nodes=ALL\n");
  EXPECT_EQ(found({.slurm_conf = slurm}).port, 6822) << "there is no dfrs.conf: the default";
  folder.write("dfrs.conf", "Partitions=p\nControlPort=7000\n");
  const ControllerAddress address = found({.slurm_conf = slurm});
  EXPECT_THAT(address.hosts, ElementsAre("10.0.0.1", "spare"));
  EXPECT_EQ(address.port, 7000);
  EXPECT_EQ(address.cluster, "kite");
  EXPECT_EQ(address.slurm_user, 0U);
  EXPECT_EQ(address.auth.socket, "/run/other.socket");
  const ControllerAddress other = found({.host = "h",
                                         .port = 9,
                                         .auth = {.munge_socket = "/m"},
                                         .conf = {},
                                         .slurm_conf = slurm,
                                         .cluster = "c",
                                         .slurm_user = "root"});
  EXPECT_THAT(other.hosts, ElementsAre("h"));
  EXPECT_EQ(other.port, 9);
  EXPECT_EQ(other.auth.socket, "/m");
  EXPECT_EQ(other.cluster, "c");
  EXPECT_EQ(found({.conf = folder.write("x.conf", "Partitions=p\nControlPort=7001\n"), .slurm_conf = slurm}).port,
            7001);
}

// Which credentials: by AuthType, unless an option says otherwise.
TEST(ControllerAddress, Credentials) {
  const sim::TemporaryFolder folder;
  const std::string head = "ClusterName=c\nSlurmctldHost=h\nSlurmUser=0\n";
  const std::string munge = folder.write("munge.conf", head);
  EXPECT_EQ(found({.slurm_conf = munge}).auth.type, AuthType::munge) << "Slurm's default";
  const std::string slurm = folder.write("slurm.conf", head + "AuthType=auth/slurm\n");
  EXPECT_EQ(found({.slurm_conf = slurm}).auth.type, AuthType::slurm);
  EXPECT_EQ(found({.slurm_conf = slurm}).auth.socket, "");
  EXPECT_EQ(found({.slurm_conf = slurm}).auth.cluster, "c");
  EXPECT_EQ(found({.auth = {.type = "munge"}, .slurm_conf = slurm}).auth.type, AuthType::munge);
  EXPECT_EQ(found({.auth = {.munge_socket = "/m"}, .slurm_conf = slurm}).auth.type, AuthType::munge);
  EXPECT_EQ(found({.auth = {.sack_socket = "/s"}, .slurm_conf = munge}).auth.type, AuthType::slurm);
  EXPECT_EQ(found({.auth = {.sack_socket = "/s"}, .slurm_conf = munge}).auth.socket, "/s");
  const std::string other = folder.write("other.conf", head + "AuthType=auth/none\n");
  EXPECT_THAT(error_of({.slurm_conf = other}).message, HasSubstr("AuthType=auth/none is not supported"));
}

TEST(ControllerAddress, AnAddressOfItsOwnIsTriedFirst) {
  const sim::TemporaryFolder folder;
  const std::string slurm = folder.write("slurm.conf", "ClusterName=c\nSlurmctldHost=h\nSlurmUser=0\n");
  folder.write("dfrs.conf", "Partitions=p\nControlAddress=10.0.0.7\n");
  EXPECT_THAT(found({.slurm_conf = slurm}).hosts, ElementsAre("10.0.0.7", "h"));
  EXPECT_THAT(found({.host = "x", .slurm_conf = slurm}).hosts, ElementsAre("x"));
  folder.write("dfrs.conf", "Partitions=p\nControlAddress=::\n");
  EXPECT_THAT(found({.slurm_conf = slurm}).hosts, ElementsAre("h"));
}

TEST(ControllerAddress, IncludedFilesAndOldNames) {
  const sim::TemporaryFolder folder;
  const std::string slurm = folder.write("slurm.conf", "ClusterName=c\nInclude more.conf\n");
  folder.write("more.conf", "ControlMachine=old\nControlAddr=10.0.0.9\n");
  EXPECT_THAT(found({.slurm_conf = slurm}).hosts, ElementsAre("10.0.0.9"));
  EXPECT_EQ(read_slurm_conf(slurm)->slurm_user, "root");
  folder.write("more.conf", "include slurm.conf\n");
  EXPECT_THAT(error_of({.slurm_conf = slurm}).message, HasSubstr("more than 8 levels of Include"));
}

TEST(ControllerAddress, ErrorsSayWhatToDo) {
  const sim::TemporaryFolder folder;
  const AddressError missing = error_of({.slurm_conf = folder / "slurm.conf"});
  EXPECT_TRUE(missing.io);
  EXPECT_THAT(missing.message, HasSubstr("--slurm-conf"));
  EXPECT_THAT(error_of({.slurm_conf = folder.write("a", "SlurmctldHost=h\n")}).message, HasSubstr("give --cluster"));
  EXPECT_THAT(error_of({.slurm_conf = folder.write("b", "ClusterName=c\n")}).message, HasSubstr("give --host"));
  const std::string slurm = folder.write("slurm.conf", "ClusterName=c\nSlurmctldHost=h\nSlurmUser=nosuchuser_\n");
  EXPECT_THAT(error_of({.slurm_conf = slurm}).message, HasSubstr("'nosuchuser_' is not a user"));
  folder.write("dfrs.conf", "ControlPot=7\n");
  const ControllerAddress despite = found({.slurm_conf = slurm, .slurm_user = "0"});
  EXPECT_THAT(despite.warning.value_or(""), HasSubstr("did you mean 'ControlPort'?"));
  folder.write("dfrs.conf", "ControlPort=many\n");
  const AddressError bad = error_of({.slurm_conf = slurm, .slurm_user = "0"});
  EXPECT_FALSE(bad.io);
  EXPECT_THAT(bad.message, HasSubstr("give --port"));
  EXPECT_EQ(found({.port = 7, .slurm_conf = slurm, .slurm_user = "0"}).port, 7) << "then nobody asks dfrs.conf";
  EXPECT_TRUE(error_of({.conf = folder / "none", .slurm_conf = slurm, .slurm_user = "0"}).io);
}

}  // namespace
}  // namespace dfrs::shim
