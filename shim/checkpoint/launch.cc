// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/launch.h"

#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace dfrs::shim {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostBytes = 16 << 20;  // the kernel's own bound on arguments and environment is less
constexpr std::size_t kDescriptors = kStreams + 1;

struct Header {
  std::uint32_t version = kVersion;
  std::uint32_t words = 0;  // of the command; the rest is the environment
  std::uint32_t bytes = 0;
};

std::string packed(const LaunchRequest& request) {
  std::string text;
  for (const auto* const list : {&request.command, &request.environment}) {
    for (const std::string& word : *list) text.append(word.c_str(), word.size() + 1);
  }
  return text;
}

bool receive_all(int socket, char* at, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

std::optional<std::string_view> LaunchRequest::setting(std::string_view name) const {
  for (const std::string& each : environment) {
    if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
      return std::string_view(each).substr(name.size() + 1);
  }
  return std::nullopt;
}

tl::expected<void, std::string> send_request(int socket, const LaunchRequest& request, int folder) {
  const std::string text = packed(request);
  if (text.size() > kMostBytes) return tl::unexpected(std::string("the arguments and the environment are too long"));
  Header header{kVersion, static_cast<std::uint32_t>(request.command.size()), static_cast<std::uint32_t>(text.size())};
  const int descriptors[kDescriptors] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, folder};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  iovec part{&header, sizeof header};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptors);
  memcpy(CMSG_DATA(rights), descriptors, sizeof descriptors);
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof header) ||
      !base::write_all(socket, text))
    return tl::unexpected(fmt::format("dfrsd does not accept the request: {}", strerror(errno)));
  return {};
}

tl::expected<LaunchParts, std::string> receive_request(int socket) {
  Header header;
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptors * sizeof(int))] = {};
  iovec part{&header, sizeof header};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  std::vector<base::Fd> descriptors;
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); got > 0 && each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t i = 0; i < (each->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      int fd = -1;
      memcpy(&fd, CMSG_DATA(each) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  if (got != static_cast<ssize_t>(sizeof header) || header.version != kVersion || header.bytes > kMostBytes ||
      descriptors.size() != kDescriptors || (message.msg_flags & MSG_CTRUNC) != 0)
    return tl::unexpected(std::string("this is not a request from this version's dfrs-run"));
  std::string text(header.bytes, '\0');
  if (!receive_all(socket, text.data(), text.size()) || text.empty() || text.back() != '\0')
    return tl::unexpected(std::string("the request is incomplete"));
  LaunchParts parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    auto& list = parts.request.command.size() < header.words ? parts.request.command : parts.request.environment;
    list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (parts.request.command.empty() || parts.request.command.size() != header.words)
    return tl::unexpected(std::string("the request names no program"));
  for (std::size_t i = 0; i < kStreams; ++i) parts.streams[i] = std::move(descriptors[i]);
  parts.folder = std::move(descriptors[kStreams]);
  return parts;
}

bool send_answer(int socket, LaunchAnswer answer, std::string_view text) {
  std::string line(1, static_cast<char>(answer));
  line += text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  return ::send(socket, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

}  // namespace dfrs::shim
