// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/http.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <archive.h>

#include <cstdlib>

#include "sim/errors.h"
#include "sim/io/input_source.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/io/compressed.h"
#include "tests/sim/io/self_signed.h"
#include "tests/sim/io/web_server.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kBinary("\x1f\x8b\0binary\n\xff", 11);

TEST(HttpGet, GivesTheBody) {
  WebServer server;
  server.serve("/a.swf.gz", {200, kBinary, {}, false});
  EXPECT_EQ(or_throw(http_get(server.base() + "/a.swf.gz")), kBinary);
  server.serve("/empty", {});
  EXPECT_EQ(or_throw(http_get(server.base() + "/empty")), "");
}

TEST(HttpGet, ReportsAStatusOfFailure) {
  WebServer server;
  server.serve("/broken", {500, "trouble", {}, false});
  EXPECT_EQ(message_of(kExitNetwork, http_get(server.base() + "/missing")),
            server.base() + "/missing: the server answered 404 (not found)");
  EXPECT_EQ(message_of(kExitNetwork, http_get(server.base() + "/broken")),
            server.base() + "/broken: the server answered 500");
}

TEST(HttpGet, RefusesABodyShorterThanAnnounced) {
  WebServer server;
  server.serve("/half", {200, std::string(100000, 'x'), {}, true});
  EXPECT_THAT(message_of(kExitNetwork, http_get(server.base() + "/half")), StartsWith(server.base() + "/half: "));
}

TEST(HttpGet, FollowsRedirectsToTheWebOnly) {
  WebServer server;
  const TemporaryFolder folder;
  server.serve("/old", {302, "", "/new", false});
  server.serve("/new", {200, "moved", {}, false});
  server.serve("/leak", {302, "", "file://" + folder.write("secret", "x"), false});
  server.serve("/loop", {302, "", "/loop", false});
  EXPECT_EQ(or_throw(http_get(server.base() + "/old")), "moved");
  EXPECT_THAT(server.requests(), ElementsAre("/old", "/new"));
  EXPECT_THAT(message_of(kExitNetwork, http_get(server.base() + "/leak")), HasSubstr("rotocol"));
  EXPECT_THAT(message_of(kExitNetwork, http_get(server.base() + "/loop")), HasSubstr("redirect"));
}

TEST(HttpGet, RefusesMoreThanTheLimit) {
  WebServer server;
  server.serve("/a", {200, "12345678", {}, false});
  HttpOptions options;
  options.max_bytes = 8;
  EXPECT_EQ(or_throw(http_get(server.base() + "/a", options)), "12345678");
  options.max_bytes = 7;
  EXPECT_EQ(message_of(kExitNetwork, http_get(server.base() + "/a", options)),
            server.base() + "/a: the answer is longer than 7 bytes");
}

/// A socket that accepts connections and never answers.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket_, 1), 0);
    socklen_t length = sizeof address;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    ::setenv("no_proxy", "127.0.0.1", 1);
  }
  ~SilentServer() { close(); }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  std::string base() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int socket_;
  int port_ = 0;
};

TEST(HttpGet, GivesUpOnASilentServer) {
  SilentServer server;
  HttpOptions options;
  options.total_timeout = 0.2;
  EXPECT_THAT(message_of(kExitNetwork, http_get(server.base() + "/a", options)), HasSubstr("timed out"));
}

TEST(HttpGet, ReportsAServerThatIsNotThere) {
  SilentServer server;
  server.close();
  EXPECT_THAT(message_of(kExitNetwork, http_get(server.base() + "/a")),
              AllOf(StartsWith(server.base() + "/a: "), HasSubstr("onnect")));
  EXPECT_EQ(code_of(http_get("http://")), kExitNetwork);
}

using HttpsGet = SelfSigned;

TEST_F(HttpsGet, TrustsTheGivenAuthorityOnly) {
  WebServer server(tls_);
  server.serve("/a", {200, kBinary, {}, false});
  HttpOptions options;
  options.ca_file = certificate();
  EXPECT_EQ(or_throw(http_get(server.base() + "/a", options)), kBinary);
  EXPECT_THAT(message_of(kExitNetwork, http_get(server.base() + "/a")), HasSubstr("certificate"));
}

TEST_F(HttpsGet, IsNotRedirectedToPlainHttp) {
  WebServer plain;
  plain.serve("/a", {200, "plain", {}, false});
  WebServer server(tls_);
  server.serve("/a", {302, "", plain.base() + "/a", false});
  HttpOptions options;
  options.ca_file = certificate();
  EXPECT_EQ(code_of(http_get(server.base() + "/a", options)), kExitNetwork);
  EXPECT_TRUE(plain.requests().empty());
}

TEST(HttpGet, SaysThatTheAuthoritiesCannotBeRead) {
  HttpOptions options;
  options.ca_file = "/nonexistent/ca.pem";
  EXPECT_EQ(message_of(kExitIo, http_get("https://127.0.0.1:1/", options)),
            "/nonexistent/ca.pem: cannot read the file of certificate authorities: No such file or directory");
}

TEST(InputSourceUrl, ReadsCompressedTextFromTheWeb) {
  WebServer server;
  server.serve("/log.swf.gz", {200, compressed("1 2 3\n", archive_write_add_filter_gzip), {}, false});
  EXPECT_EQ(or_throw(read_text(server.base() + "/log.swf.gz")), "1 2 3\n");
  EXPECT_EQ(code_of(read_text(server.base() + "/other")), kExitNetwork);
}

}  // namespace
}  // namespace dfrs::sim
