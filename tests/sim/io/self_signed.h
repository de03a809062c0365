// SPDX-License-Identifier: GPL-2.0-or-later
// A key and a certificate for 127.0.0.1, signed by itself, for tests of https.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/sim/io/web_server.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {

/// Tests of https: skipped where certtool is missing.
class SelfSigned : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("certtool --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "certtool (gnutls-bin) is missing";
    folder_.write("template",
                  "cn = \"127.0.0.1\"\nip_address = "
                  "\"127.0.0.1\"\nca\ncert_signing_key\nsigning_key\ntls_www_server\nexpiration_days = 2\n");
    const std::string at = "'" + folder_.path().string() + "'/";
    ASSERT_EQ(std::system(("certtool --generate-privkey --key-type=ecdsa --outfile " + at + "key 2>/dev/null").c_str()),
              0);
    ASSERT_EQ(std::system(("certtool --generate-self-signed --load-privkey " + at + "key --template " + at +
                           "template --outfile " + at + "certificate 2>/dev/null")
                              .c_str()),
              0);
    tls_ = {file_bytes(folder_ / "key"), file_bytes(certificate())};
  }
  /// The path of the certificate, which is its own authority.
  std::string certificate() const { return folder_ / "certificate"; }

  TemporaryFolder folder_;
  WebServer::Tls tls_;
};

}  // namespace dfrs::sim
