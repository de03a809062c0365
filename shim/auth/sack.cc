// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/sack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "shim/auth/sack_token.h"

namespace dfrs::shim {
namespace {

// sack_msg_t of Slurm's src/common/sack_api.h.
constexpr std::uint32_t kCreate = 64001;
constexpr std::uint32_t kVerify = 64002;
// Of Slurm 23.11, the first with this protocol. No release looks at it.
constexpr std::uint16_t kProtocolVersion = 40 << 8;
constexpr std::uint32_t kAnyUser = 0xffffffff;
constexpr std::uint32_t kMaxReply = 64 << 10;
constexpr timeval kPatience{2, 0};
// As with MUNGE. Slurm's own time to live (AuthInfo ttl=, 60 s) counts, too.
constexpr std::int64_t kMaxAge = 300;

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  int get() const { return fd_; }

 private:
  int fd_;
};

// Numbers are big-endian; a text has its length before it.
void put16(std::string& out, std::uint16_t value) {
  const std::uint16_t wire = htons(value);
  out.append(reinterpret_cast<const char*>(&wire), sizeof wire);
}
void put32(std::string& out, std::uint32_t value) {
  const std::uint32_t wire = htonl(value);
  out.append(reinterpret_cast<const char*>(&wire), sizeof wire);
}
void put_bytes(std::string& out, std::string_view bytes) {
  put32(out, static_cast<std::uint32_t>(bytes.size()));
  out.append(bytes);
}

std::string message(std::uint32_t kind, std::string_view body) {
  std::string out;
  put16(out, kProtocolVersion);
  put32(out, static_cast<std::uint32_t>(2 * sizeof(std::uint32_t) + body.size()));  // itself, the kind and the body
  put32(out, kind);
  out.append(body);
  return out;
}

std::optional<Fd> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return std::nullopt;
  }
  memcpy(address.sun_path, path.data(), path.size());
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return std::nullopt;
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return std::nullopt;
  return fd;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

enum class Read { all, end, failed };

// `end`: the service has closed the connection before the last byte.
Read read_all(int fd, void* into, std::size_t size) {
  auto* to = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = recv(fd, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return Read::end;
    if (got < 0) return Read::failed;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return Read::all;
}

AuthError unavailable(const std::vector<std::string>& sockets, std::string_view words) {
  return {Refusal::unavailable,
          fmt::format("cannot ask Slurm for credentials at {}: {}; does slurmd, sackd or slurmctld run on this host?",
                      fmt::join(sockets, ", "), words)};
}

std::string system_words() {
  return errno == EAGAIN || errno == EWOULDBLOCK ? "no answer" : std::string(strerror(errno));
}

// Sends a message to the first service that is there.
tl::expected<Fd, AuthError> ask(const std::vector<std::string>& sockets, const std::string& bytes) {
  std::string words = "no socket is named";
  for (const std::string& path : sockets) {
    std::optional<Fd> fd = connect_to(path);
    if (fd && send_all(fd->get(), bytes)) return std::move(*fd);
    words = system_words();
  }
  return tl::unexpected(unavailable(sockets, words));
}

AuthError not_confirmed() {
  return {Refusal::wrong_key,
          "Slurm does not confirm the credential: it was made with another key or changed on its way; slurm.key or "
          "slurm.jwks must be the same on all hosts of the cluster"};
}

}  // namespace

Sack::Sack(const std::string& socket, const std::string& cluster) {
  const char* const named = std::getenv("SLURM_SACK_SOCKET");  // as Slurm's commands since 25.05
  if (!socket.empty()) {
    sockets_ = {socket};
  } else if (named != nullptr && *named != '\0') {
    sockets_ = {named};
  } else {
    if (!cluster.empty()) sockets_.push_back(fmt::format("/run/slurm-{}/sack.socket", cluster));
    for (const char* const daemon : {"slurm", "slurmctld", "slurmdbd"})
      sockets_.push_back(fmt::format("/run/{}/sack.socket", daemon));
  }
}

tl::expected<std::string, AuthError> Sack::encode(std::string_view payload) const {
  if (payload.size() > kMaxReply / 4)
    return tl::unexpected(AuthError{Refusal::malformed, "too long for a credential of Slurm's"});
  std::string body;
  put32(body, kAnyUser);
  put_bytes(body, payload);
  const auto fd = ask(sockets_, message(kCreate, body));
  if (!fd) return tl::unexpected(fd.error());
  std::uint32_t wire = 0;
  if (read_all(fd->get(), &wire, sizeof wire) != Read::all) return tl::unexpected(unavailable(sockets_, "no answer"));
  const std::uint32_t length = ntohl(wire);
  if (length == 0 || length > kMaxReply) return tl::unexpected(unavailable(sockets_, "it makes no credential"));
  std::string token(length, '\0');
  if (read_all(fd->get(), token.data(), length) != Read::all)
    return tl::unexpected(unavailable(sockets_, "half an answer"));
  token.resize(strlen(token.c_str()));  // the length counts a NUL at the end
  return token;
}

tl::expected<Credentials::Decoded, AuthError> Sack::decode(const std::string& credential) const {
  auto claims = read_sack_token(credential);
  if (!claims) return tl::unexpected(AuthError{Refusal::malformed, "not a credential of Slurm's (auth/slurm)"});
  const std::int64_t now = std::time(nullptr);
  // Slurm says only yes or no: reasons that can be seen from here come first.
  if (claims->expires < now || claims->issued < now - kMaxAge) {
    return tl::unexpected(AuthError{Refusal::expired,
                                    "the credential has expired; check that the hosts' clocks agree (AuthInfo ttl= of "
                                    "slurm.conf, 60 s, is how long it holds)"});
  }
  if (claims->issued > now + kMaxAge) {
    return tl::unexpected(AuthError{
        Refusal::rewound, "the credential is from the future; check that the hosts' clocks agree to a few minutes"});
  }

  std::string body;
  put_bytes(body, std::string_view(credential.c_str(), credential.size() + 1));
  const auto fd = ask(sockets_, message(kVerify, body));
  if (!fd) return tl::unexpected(fd.error());
  std::uint32_t result = 0;
  switch (read_all(fd->get(), &result, sizeof result)) {
    case Read::failed:
      return tl::unexpected(unavailable(sockets_, system_words()));
    case Read::end:  // 25.11 and later, to a token that does not hold
      return tl::unexpected(not_confirmed());
    case Read::all:
      if (result != 0) return tl::unexpected(not_confirmed());
  }
  switch (seen_.add(claims->covered, std::min(claims->expires, claims->issued + kMaxAge), now)) {
    case SeenTokens::Outcome::fresh:
      return Decoded{std::move(claims->payload), claims->uid};
    case SeenTokens::Outcome::seen:
      return tl::unexpected(AuthError{Refusal::replayed, "the credential has been used before (a replayed request)"});
    case SeenTokens::Outcome::full:
      break;
  }
  return tl::unexpected(AuthError{Refusal::unavailable, "too many requests in the last minute"});
}

}  // namespace dfrs::shim
