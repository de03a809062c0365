// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/fetch/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>

#include "base/sha256.h"
#include "sim/errors.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/io/web_server.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class FetchFile : public testing::Test {
 protected:
  FetchFile() {
    options_.cache_folder = folder_ / "cache/dfrs";
    server_.serve("/log", {200, "content", {}, false});
  }
  Result<Fetched> fetch() { return fetch_file(server_.base() + "/log", "log", base::sha256_hex("content"), options_); }
  std::vector<std::string> cached() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(options_.cache_folder))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TemporaryFolder folder_;
  WebServer server_;
  FetchOptions options_;
};

TEST_F(FetchFile, DownloadsOnce) {
  const Fetched first = or_throw(fetch());
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.path, folder_ / "cache/dfrs/log");
  EXPECT_EQ(file_bytes(first.path), "content");
  const Fetched second = or_throw(fetch());
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.path, first.path);
  EXPECT_THAT(server_.requests(), SizeIs(1));
  options_.refresh = true;
  EXPECT_FALSE(or_throw(fetch()).from_cache);
  EXPECT_THAT(server_.requests(), SizeIs(2));
}

TEST_F(FetchFile, KeepsNothingWithAWrongChecksum) {
  server_.serve("/log", {200, "c0ntent", {}, false});
  EXPECT_EQ(message_of(kExitNetwork, fetch()), server_.base() + "/log: wrong checksum: expected SHA-256 " +
                                                   base::sha256_hex("content") + ", got " +
                                                   base::sha256_hex("c0ntent") + " (7 bytes); nothing was kept");
  EXPECT_THAT(cached(), IsEmpty());
}

TEST_F(FetchFile, KeepsNothingOfAFailedDownload) {
  server_.serve("/log", {200, std::string(5000, 'x'), {}, true});
  EXPECT_EQ(code_of(fetch()), kExitNetwork);
  server_.serve("/log", {404, "", {}, false});
  EXPECT_EQ(code_of(fetch()), kExitNetwork);
  EXPECT_THAT(cached(), IsEmpty());
}

TEST_F(FetchFile, ReplacesADamagedFile) {
  const std::string path = or_throw(fetch()).path;
  folder_.write("cache/dfrs/log", "contemt");
  EXPECT_FALSE(or_throw(fetch()).from_cache);
  EXPECT_EQ(file_bytes(path), "content");
  EXPECT_THAT(cached(), ElementsAre("log"));
}

TEST_F(FetchFile, SaysThatTheCacheCannotBeMade) {
  options_.cache_folder = folder_.write("file", "") + "/dfrs";
  EXPECT_EQ(message_of(kExitIo, fetch()), options_.cache_folder + ": cannot create this folder: Not a directory");
  EXPECT_THAT(server_.requests(), IsEmpty());
}

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(CacheFolder, FollowsTheXdgSpecification) {
  const Environment home("HOME", "/home/ann");
  {
    const Environment cache("XDG_CACHE_HOME", "/var/tmp/ann");
    EXPECT_EQ(or_throw(default_cache_folder()), "/var/tmp/ann/dfrs");
  }
  {
    const Environment cache("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(or_throw(default_cache_folder()), "/home/ann/.cache/dfrs");
  }
  const Environment cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(or_throw(default_cache_folder()), "/home/ann/.cache/dfrs");
  const Environment no_home("HOME", nullptr);
  EXPECT_EQ(code_of(default_cache_folder()), kExitIo);
}

}  // namespace
}  // namespace dfrs::sim
