// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/shim/support/sack_server.h"

#include <arpa/inet.h>
#include <nettle/hmac.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

namespace dfrs::shim {
namespace {

constexpr const char* kUrlDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(const std::string& bytes, bool url) {
  const char* const digits = url ? kUrlDigits : kDigits;
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t bits = 0;
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - k);
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < here ? static_cast<std::uint8_t>(bytes[k + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) {
      if (i <= here)
        out += digits[bits >> (18 - 6 * i) & 63];
      else if (!url)
        out += '=';
    }
  }
  return out;
}

std::string from_base64url(const std::string& text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const char* const at = c == '\0' ? nullptr : std::strchr(kUrlDigits, c);
    if (at == nullptr) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(at - kUrlDigits);
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

std::string hmac(const std::string& key, const std::string& text) {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), reinterpret_cast<const std::uint8_t*>(key.data()));
  hmac_sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::string digest(SHA256_DIGEST_SIZE, '\0');
  hmac_sha256_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  return digest;
}

bool read_bytes(int fd, void* into, std::size_t size) {
  return ::recv(fd, into, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t wire = 0;
  if (bytes.size() >= at + sizeof wire) std::memcpy(&wire, bytes.data() + at, sizeof wire);
  return ntohl(wire);
}

}  // namespace

SackServer::SackServer(std::string key) : key_(std::move(key)) {
  ::chmod(folder_.path().c_str(), 0755);  // other users connect to the socket
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket().c_str(), sizeof address.sun_path - 1);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listener_, 16) != 0)
    ADD_FAILURE() << "cannot listen on " << socket();
  ::chmod(socket().c_str(), 0777);
  thread_ = std::thread([this] { serve(); });
}

SackServer::~SackServer() { stop(); }

void SackServer::stop() {
  if (listener_ < 0) return;
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
  listener_ = -1;
}

void SackServer::serve() {
  while (true) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    answer(fd);
    ::close(fd);
  }
}

void SackServer::answer(int fd) {
  std::uint16_t version = 0;
  std::uint32_t head[2];
  if (!read_bytes(fd, &version, sizeof version) || !read_bytes(fd, head, sizeof head)) return;
  EXPECT_GE(ntohs(version), 40 << 8) << "the protocol is of Slurm 23.11 and later";
  std::string body(ntohl(head[0]) - sizeof head, '\0');
  if (!read_bytes(fd, body.data(), body.size())) return;
  if (silent) {
    pollfd gone{fd, POLLIN, 0};
    ::poll(&gone, 1, 10000);  // until the client gives up
    return;
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  if (ntohl(head[1]) == 64001) {
    EXPECT_EQ(number_at(body, 0), 0xffffffff) << "anyone may read it";
    EXPECT_EQ(number_at(body, 4), body.size() - 8);
    const std::string token = sign(claims(peer.uid, body.substr(8))) + '\0';
    const std::uint32_t length = htonl(static_cast<std::uint32_t>(token.size()));
    ::send(fd, &length, sizeof length, MSG_NOSIGNAL);
    ::send(fd, token.data(), token.size(), MSG_NOSIGNAL);
  } else if (ntohl(head[1]) == 64002) {
    EXPECT_EQ(number_at(body, 0), body.size() - 4);
    EXPECT_EQ(body.back(), '\0');
    const bool good = holds(body.substr(4, body.size() - 5));
    verified += good ? 1 : 0;
    if (!good && hangs_up) return;
    const std::uint32_t result = good ? 0 : htonl(0xffffffff);
    ::send(fd, &result, sizeof result, MSG_NOSIGNAL);
  }
}

std::string SackServer::sign(const nlohmann::json& claims, const std::string& algorithm) const {
  const std::string covered =
      base64(nlohmann::json{{"alg", algorithm}, {"typ", "JWT"}}.dump(), true) + "." + base64(claims.dump(), true);
  return covered + "." + base64(hmac(key_, covered), true);
}

nlohmann::json SackServer::claims(uid_t uid, const std::string& payload) const {
  const std::int64_t now = std::time(nullptr) + clock;
  return {{"iat", now},        {"exp", now + 60},
          {"ver", 10496},      {"ruid", 4294967295},
          {"context", "sack"}, {"cluster", "test"},
          {"uid", uid},        {"gid", uid},
          {"host", "n1"},      {"payload", base64(payload, false)}};
}

bool SackServer::holds(const std::string& token) const {
  const std::size_t dot = token.rfind('.');
  if (dot == std::string::npos || from_base64url(token.substr(dot + 1)) != hmac(key_, token.substr(0, dot)))
    return false;
  const std::size_t first = token.find('.');
  const auto claims = nlohmann::json::parse(from_base64url(token.substr(first + 1, dot - first - 1)), nullptr, false);
  return claims.is_object() && claims.value("exp", std::int64_t{0}) >= std::time(nullptr);
}

}  // namespace dfrs::shim
