// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/fetch/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/io/web_server.h"
#include "tests/sim/temporary_folder.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Catalogue, IsSortedAndWhole) {
  const auto logs = known_logs();
  EXPECT_EQ(logs.size(), 3u);
  EXPECT_TRUE(
      std::is_sorted(logs.begin(), logs.end(), [](const KnownLog& a, const KnownLog& b) { return a.name < b.name; }));
  for (const KnownLog& log : logs) {
    EXPECT_EQ(log.sha256.size(), 64u) << log.name;
    EXPECT_EQ(log.sha256.find_first_not_of("0123456789abcdef"), std::string_view::npos) << log.name;
    EXPECT_TRUE(log.path.ends_with(std::string(log.name) + ".swf.gz")) << log.path;
  }
}

TEST(Catalogue, ListsWhatItKnows) {
  EXPECT_EQ(message_of(kExitUsage, fetch_log("HPC2N")),
            "unknown log 'HPC2N'; known are CTC-SP2-1996-3.1-cln, HPC2N-2002-2.1-cln, KTH-SP2-1996-2.1-cln");
}

TEST(Catalogue, AsksTheArchivesPathsBelowAnyBase) {
  WebServer server;
  const TemporaryFolder folder;
  FetchOptions options;
  options.cache_folder = folder.path().string();
  server.serve("/mirror/l_hpc2n/HPC2N-2002-2.1-cln.swf.gz", {200, "another log", {}, false});
  for (const char* base : {"/mirror", "/mirror/"}) {
    EXPECT_THAT(
        message_of(kExitNetwork, fetch_log("HPC2N-2002-2.1-cln", options, server.base() + base)),
        HasSubstr("wrong checksum: expected SHA-256 e56a97045de773f2a395acaf74cb04e6e3393b9c8c5ae12b542b5de93bb04838"));
  }
  EXPECT_THAT(server.requests(),
              ElementsAre("/mirror/l_hpc2n/HPC2N-2002-2.1-cln.swf.gz", "/mirror/l_hpc2n/HPC2N-2002-2.1-cln.swf.gz"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(Catalogue, FetchesTheRealLogs) {
  const TemporaryFolder folder;
  FetchOptions options;
  options.cache_folder = folder.path().string();
  WebServer server;
  for (const KnownLog& log : known_logs()) {
    DFRS_TRACE_OR_SKIP(path, std::string(log.name) + ".swf.gz");
    server.serve("/" + std::string(log.path), {200, file_bytes(path), {}, false});
    EXPECT_FALSE(or_throw(fetch_log(log.name, options, server.base())).from_cache) << log.name;
    EXPECT_TRUE(or_throw(fetch_log(log.name, options, server.base())).from_cache) << log.name;
  }
  EXPECT_EQ(server.requests().size(), 3u);
}

}  // namespace
}  // namespace dfrs::sim
