// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "sim/reproduce/reproduction.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReproductionLogs, AreFoundPlainOrCompressedInTheFolderOrTheCache) {
  const TemporaryFolder folder;
  const TemporaryFolder cache;
  const char* before = ::getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);

  ReproduceOptions options;
  EXPECT_EQ(find_log(options, "KTH"), "");
  options.traces = folder.path().string();
  EXPECT_EQ(find_log(options, "KTH"), "");
  std::filesystem::create_directory(folder / "KTH.swf.gz");
  EXPECT_EQ(find_log(options, "KTH"), "") << "a folder is no log";
  std::filesystem::create_directory(cache / "dfrs");
  cache.write("dfrs/KTH.swf.gz", "");
  EXPECT_EQ(find_log(options, "KTH"), cache / "dfrs/KTH.swf.gz");
  folder.write("KTH.swf", "");
  EXPECT_EQ(find_log(options, "KTH"), folder / "KTH.swf") << "the folder comes first";

  if (before == nullptr) {
    ::unsetenv("XDG_CACHE_HOME");
  } else {
    ::setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  }
}

TEST(ReproductionLogs, WhatIsMissingSaysHowToGetIt) {
  ReproduceOptions options;
  EXPECT_THAT(missing_log(options, "KTH-SP2-1996-2.1-cln"),
              AllOf(HasSubstr("KTH-SP2-1996-2.1-cln.swf.gz"), HasSubstr("--traces names no folder"),
                    HasSubstr("dfrs-sim fetch KTH-SP2-1996-2.1-cln")));
  EXPECT_THAT(missing_log(options, "SDSC-SP2-1998-4.2-cln"),
              AllOf(HasSubstr("the Parallel Workloads Archive has it"), Not(HasSubstr("dfrs-sim fetch"))))
      << "not a log that fetch knows";
  options.traces = "/logs";
  EXPECT_THAT(missing_log(options, "KTH"), HasSubstr("/logs has none"));
}

}  // namespace
}  // namespace dfrs::sim
