// SPDX-License-Identifier: GPL-2.0-or-later
// --ca-file of the programs that read from the web: a server whose authority the system does not know.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/io/self_signed.h"

namespace dfrs::sim {
namespace {

using CaFile = SelfSigned;

// All commands that read a workload share the option: two of them stand for all.
TEST_F(CaFile, LetsCommandsReadAWorkloadOverHttps) {
  WebServer server(tls_);
  server.serve("/small.trace", {200, small_trace(), {}, false});
  const std::string url = server.base() + "/small.trace";
  for (const char* command : {"run", "compare"}) {
    std::vector<std::string> words{command, url, "-a", "EASY"};
    expect_failure(dfrs_sim(words), kExitNetwork, {url, "certificate"});
    words.insert(words.end(), {"--ca-file", certificate()});
    const Outcome outcome = dfrs_sim(words);
    EXPECT_EQ(outcome.exit_code, kExitOk) << command << ": " << outcome.err;
  }
  EXPECT_EQ(server.requests(), std::vector<std::string>({"/small.trace", "/small.trace"}));
}

TEST_F(CaFile, LetsFetchDownloadOverHttps) {
  WebServer server(tls_);
  std::vector<std::string> words{"fetch", "HPC2N-2002-2.1-cln", "--base-url", server.base(), "--cache", folder_ / "c"};
  expect_failure(dfrs_sim(words), kExitNetwork, {server.base(), "certificate"});
  EXPECT_TRUE(server.requests().empty());
  // With the authority the server is asked; it does not have the log.
  words.insert(words.end(), {"--ca-file", certificate()});
  expect_failure(dfrs_sim(words), kExitNetwork, {server.base(), "404"});
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(CaFileMissing, IsNamed) {
  const std::string message = "/nonexistent/ca.pem: cannot read the file of certificate authorities";
  expect_failure(dfrs_sim({"run", "-a", "EASY", "https://127.0.0.1:1/x", "--ca-file", "/nonexistent/ca.pem"}), kExitIo,
                 {message});
}

}  // namespace
}  // namespace dfrs::sim
