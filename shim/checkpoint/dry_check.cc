// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/dry_check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "base/files.h"

namespace dfrs::shim {
namespace {

constexpr std::size_t kMostText = 64 << 20;
constexpr std::string_view kConnected = "01";  // TCP_ESTABLISHED in /proc/PID/net/tcp
constexpr std::array<std::string_view, 7> kPlainDevices{"/dev/null",    "/dev/zero", "/dev/full",   "/dev/random",
                                                        "/dev/urandom", "/dev/shm/", "/dev/mqueue/"};

bool starts_with_any(std::string_view text, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return text.starts_with(b); });
}

std::optional<std::string> bad_path(std::string_view path) {
  if (path.starts_with("/dev/pts/") || path == "/dev/tty" || path == "/dev/console")
    return "is connected to a terminal";
  if (path.starts_with("/dev/nvidia") || path.starts_with("/dev/kfd") || path.starts_with("/dev/dri/"))
    return fmt::format("uses a GPU ({})", path);
  if (path.starts_with("/dev/") && !starts_with_any(path, kPlainDevices))
    return fmt::format("uses the device {}", path);
  for (const std::string_view kind : {"io_uring", "userfaultfd", "perf_event", "kvm"}) {
    if (path.starts_with("anon_inode:") && path.find(kind) != std::string_view::npos)
      return fmt::format("uses {}", kind);
  }
  return std::nullopt;
}

// "0100007F:1F90" as 127.0.0.1:8080. The kernel prints addresses as words of the machine's byte order.
std::string address_of(const std::string& hex) {
  const std::size_t colon = hex.find(':');
  if (colon == std::string::npos || (colon != 8 && colon != 32)) return hex;
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < colon / 8; ++i)
    words[i] = static_cast<std::uint32_t>(std::stoul(hex.substr(i * 8, 8), nullptr, 16));
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(colon == 8 ? AF_INET : AF_INET6, words.data(), text, sizeof text);
  const unsigned long port = std::stoul(hex.substr(colon + 1), nullptr, 16);
  return colon == 8 ? fmt::format("{}:{}", text, port) : fmt::format("[{}]:{}", text, port);
}

// Connected TCP sockets of the process's network namespace: inode to address.
std::map<std::string, std::string> connections(const std::string& process) {
  std::map<std::string, std::string> found;
  for (const char* const table : {"/net/tcp", "/net/tcp6"}) {
    const auto text = base::read_file_at(AT_FDCWD, process + table, kMostText);
    if (!text) continue;
    std::istringstream lines(*text);
    std::string line;
    std::getline(lines, line);  // the header
    while (std::getline(lines, line)) {
      // sl local remote state queues timer retransmits uid timeout inode
      std::istringstream words(line);
      std::array<std::string, 10> word;
      for (std::string& each : word) words >> each;
      if (word[3] == kConnected) found[word[9]] = address_of(word[2]);
    }
  }
  return found;
}

std::string name_of(const std::string& process) {
  const auto name = base::read_file_at(AT_FDCWD, process + "/comm", 256);
  return name ? name->substr(0, name->find('\n')) : "?";
}

std::optional<std::string> bad_descriptor(const std::string& process) {
  const auto folder = base::open_folder(AT_FDCWD, process + "/fd");
  const auto names = folder ? base::list_folder(folder->get()) : tl::unexpected(0);
  std::optional<std::map<std::string, std::string>> connected;
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    char target[PATH_MAX];
    const ssize_t length = ::readlinkat(folder->get(), (*names)[i].c_str(), target, sizeof target);
    if (length <= 0) continue;
    const std::string path(target, static_cast<std::size_t>(length));
    if (path.starts_with("socket:[")) {
      if (!connected) connected = connections(process);
      const auto found = connected->find(path.substr(8, path.size() - 9));
      if (found != connected->end()) return "holds a TCP connection to " + found->second;
    } else if (auto reason = bad_path(path)) {
      return reason;
    }
  }
  return std::nullopt;
}

std::optional<std::string> bad_mapping(const std::string& process) {
  const auto maps = base::read_file_at(AT_FDCWD, process + "/maps", kMostText);
  for (std::size_t at = maps ? maps->find(" /dev/") : std::string::npos; at != std::string::npos;
       at = maps->find(" /dev/", at + 1)) {
    if (auto reason = bad_path(std::string_view(*maps).substr(at + 1, maps->find('\n', at) - at - 1))) return reason;
  }
  return std::nullopt;
}

std::string namespace_of(const std::string& process, std::string_view kind) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(fmt::format("{}/ns/{}", process, kind).c_str(), target, sizeof target);
  return std::string(target, length > 0 ? static_cast<std::size_t>(length) : 0);
}

std::optional<std::string> bad_namespace(const std::string& process, const std::string& first) {
  for (const std::string_view kind : {"user", "mnt", "net", "ipc", "uts", "cgroup", "time"}) {
    const std::string own = namespace_of(process, kind);
    if (!own.empty() && own != namespace_of(first, kind))
      return fmt::format("has a {} namespace of its own, as in a container", kind == "mnt" ? "mount" : kind);
  }
  return std::nullopt;
}

pid_t parent_of(const std::string& process) {
  const auto stat = base::read_file_at(AT_FDCWD, process + "/stat", 4096);
  const std::size_t name_end = stat ? stat->rfind(')') : std::string::npos;
  if (name_end == std::string::npos || name_end + 4 >= stat->size()) return 0;
  return static_cast<pid_t>(std::atoi(stat->c_str() + name_end + 4));  // after ") S "
}

// The first process of an inner pid namespace is a child of ours, and the others there are not among ours.
std::optional<std::string> inner_pids(const std::vector<pid_t>& processes, pid_t first, const std::string& proc) {
  std::set<pid_t> ours(processes.begin(), processes.end());
  ours.insert(first);
  const auto folder = base::open_folder(AT_FDCWD, proc);
  const auto names = folder ? base::list_folder(folder->get()) : tl::unexpected(0);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    const auto pid = static_cast<pid_t>(std::atoi((*names)[i].c_str()));
    const std::string process = fmt::format("{}/{}", proc, pid);
    if (pid <= 0 || ours.contains(pid) || !ours.contains(parent_of(process))) continue;
    const std::string own = namespace_of(process, "pid");
    if (!own.empty() && own != namespace_of(fmt::format("{}/{}", proc, first), "pid"))
      return fmt::format("process {} ({}) has a pid namespace of its own, as in a container", pid, name_of(process));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> dry_check(const std::vector<pid_t>& processes, pid_t first, const std::string& proc) {
  if (auto reason = inner_pids(processes, first, proc)) return reason;
  for (const pid_t pid : processes) {
    const std::string process = fmt::format("{}/{}", proc, pid);
    auto reason = bad_descriptor(process);
    if (!reason) reason = bad_mapping(process);
    if (!reason) reason = bad_namespace(process, fmt::format("{}/{}", proc, first));
    if (reason) return fmt::format("process {} ({}) {}", pid, name_of(process), *reason);
  }
  return std::nullopt;
}

}  // namespace dfrs::shim
