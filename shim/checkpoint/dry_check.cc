// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/dry_check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "base/files.h"

namespace dfrs::shim {
namespace {

constexpr std::size_t kMostText = 64 << 20;
constexpr int kLooks = 3;
constexpr std::chrono::milliseconds kBetweenLooks{20};
// States in /proc/PID/net/tcp in which CRIU dumps a socket: closed, listening, or no process's any more.
constexpr std::array<std::string_view, 3> kUnconnected{"06", "07", "0A"};
constexpr std::array<std::string_view, 7> kPlainDevices{"/dev/null",    "/dev/zero", "/dev/full",   "/dev/random",
                                                        "/dev/urandom", "/dev/shm/", "/dev/mqueue/"};

bool starts_with_any(std::string_view text, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return text.starts_with(b); });
}

// Error: what it does that cannot be dumped, as in "uses a GPU".
using Verdict = tl::expected<void, std::string>;

tl::unexpected<std::string> cannot(std::string why) { return tl::unexpected(std::move(why)); }

Verdict check_path(std::string_view path) {
  if (path.starts_with("/dev/pts/") || path == "/dev/tty" || path == "/dev/console")
    return cannot("is connected to a terminal");
  if (path.starts_with("/dev/nvidia") || path.starts_with("/dev/kfd") || path.starts_with("/dev/dri/"))
    return cannot(fmt::format("uses a GPU ({})", path));
  if (path.starts_with("/dev/") && !starts_with_any(path, kPlainDevices))
    return cannot(fmt::format("uses the device {}", path));
  for (const std::string_view kind : {"io_uring", "userfaultfd", "perf_event", "kvm"}) {
    if (path.starts_with("anon_inode:") && path.find(kind) != std::string_view::npos)
      return cannot(fmt::format("uses {}", kind));
  }
  return {};
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
      const bool connected = std::find(kUnconnected.begin(), kUnconnected.end(), word[3]) == kUnconnected.end();
      if (connected && word[9] != "0") found[word[9]] = address_of(word[2]);
    }
  }
  return found;
}

std::string name_of(const std::string& process) {
  const auto name = base::read_file_at(AT_FDCWD, process + "/comm", 256);
  return name ? name->substr(0, name->find('\n')) : "?";
}

// Of all UNIX sockets of this process's network namespace that are connected: inode to the inode of the other end.
std::map<std::uint32_t, std::uint32_t> unix_peers() {
  std::map<std::uint32_t, std::uint32_t> peers;
  const base::Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  struct {
    nlmsghdr header;
    unix_diag_req request;
  } ask{};
  ask.header.nlmsg_len = sizeof ask;
  ask.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  ask.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  ask.request.sdiag_family = AF_UNIX;
  ask.request.udiag_states = ~std::uint32_t{0};
  ask.request.udiag_show = UDIAG_SHOW_PEER;
  if (!socket || ::send(socket.get(), &ask, sizeof ask, 0) != sizeof ask) return peers;
  std::vector<char> buffer(32768);
  for (;;) {
    const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) return peers;
    auto left = static_cast<unsigned>(got);
    for (auto* each = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(each, left); each = NLMSG_NEXT(each, left)) {
      if (each->nlmsg_type == NLMSG_DONE || each->nlmsg_type == NLMSG_ERROR) return peers;
      const auto* const one = static_cast<const unix_diag_msg*>(NLMSG_DATA(each));
      auto size = static_cast<int>(each->nlmsg_len - NLMSG_LENGTH(sizeof *one));
      for (auto* field = reinterpret_cast<const rtattr*>(one + 1); RTA_OK(field, size); field = RTA_NEXT(field, size)) {
        std::uint32_t peer = 0;
        if (field->rta_type != UNIX_DIAG_PEER || RTA_PAYLOAD(field) < sizeof peer) continue;
        memcpy(&peer, RTA_DATA(field), sizeof peer);
        if (peer != 0) peers[one->udiag_ino] = peer;
      }
    }
  }
}

// What a link of /proc/PID names; empty: nothing.
std::string target_of(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(link.c_str(), target, sizeof target);
  return std::string(target, length > 0 ? static_cast<std::size_t>(length) : 0);
}

// The root folder of a process, without the slash at its end. It is not ours if dfrsd is in a chroot: from outside
// their mount namespace the files of its programs are shown from that namespace's own root.
std::string root_of(const std::string& process) {
  std::string root = target_of(process + "/root");
  if (root == "/") root.clear();
  return root;
}

// A path of a process as the process itself names it.
std::string seen_from(const std::string& root, std::string path) {
  if (!root.empty() && path.starts_with(root + "/")) path.erase(0, root.size());
  return path;
}

// What a process has open: paths, and the kernel's names of what has none.
std::vector<std::string> open_files_of(const std::string& process) {
  std::vector<std::string> files;
  const std::string root = root_of(process);
  const auto folder = base::open_folder(AT_FDCWD, process + "/fd");
  const auto names = folder ? base::list_folder(folder->get()) : tl::unexpected(0);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    std::string target = target_of(process + "/fd/" + (*names)[i]);
    if (!target.empty()) files.push_back(seen_from(root, std::move(target)));
  }
  return files;
}

// The inodes of the sockets that a process has open.
std::set<std::uint32_t> sockets_of(const std::string& process) {
  std::set<std::uint32_t> found;
  for (const std::string& file : open_files_of(process)) {
    if (file.starts_with("socket:["))
      found.insert(static_cast<std::uint32_t>(std::strtoul(file.c_str() + 8, nullptr, 10)));
  }
  return found;
}

Verdict check_descriptors(const std::string& process) {
  std::optional<std::map<std::string, std::string>> connected;
  for (const std::string& path : open_files_of(process)) {
    if (path.starts_with("socket:[")) {
      if (!connected) connected = connections(process);
      const auto found = connected->find(path.substr(8, path.size() - 9));
      if (found != connected->end()) return cannot("holds a TCP connection to " + found->second);
    } else if (auto verdict = check_path(path); !verdict) {
      return verdict;
    }
  }
  return {};
}

Verdict check_mappings(const std::string& process) {
  const auto maps = base::read_file_at(AT_FDCWD, process + "/maps", kMostText);
  if (maps && maps->find(" /SYSV") != std::string::npos) return cannot("uses shared memory of System V");
  const std::string root = root_of(process);
  const std::string device = " " + root + "/dev/";
  for (std::size_t at = maps ? maps->find(device) : std::string::npos; at != std::string::npos;
       at = maps->find(device, at + 1)) {
    const std::size_t path = at + 1 + root.size();
    auto verdict = check_path(std::string_view(*maps).substr(path, maps->find('\n', path) - path));
    if (!verdict) return verdict;
  }
  return {};
}

std::string namespace_of(const std::string& process, std::string_view kind) {
  return target_of(fmt::format("{}/ns/{}", process, kind));
}

Verdict check_namespaces(const std::string& process, const std::string& first) {
  for (const std::string_view kind : {"user", "mnt", "net", "ipc", "uts", "cgroup", "time"}) {
    const std::string own = namespace_of(process, kind);
    if (!own.empty() && own != namespace_of(first, kind))
      return cannot(fmt::format("has a {} namespace of its own, as in a container", kind == "mnt" ? "mount" : kind));
  }
  return {};
}

// Every UNIX socket of these processes ends in one of them.
Verdict check_unix_sockets(const std::vector<pid_t>& processes, pid_t first, const std::string& proc) {
  if (namespace_of(fmt::format("{}/{}", proc, first), "net") != namespace_of("/proc/self", "net")) return {};
  std::map<std::uint32_t, pid_t> owners;
  for (const pid_t pid : processes) {
    for (const std::uint32_t inode : sockets_of(fmt::format("{}/{}", proc, pid))) owners.emplace(inode, pid);
  }
  if (owners.empty()) return {};
  for (const auto& [inode, peer] : unix_peers()) {
    const auto owner = owners.find(inode);
    if (owner == owners.end() || owners.contains(peer)) continue;
    return cannot(fmt::format("process {} ({}) is connected by a UNIX socket to a process that dfrs-run did not start",
                              owner->second, name_of(fmt::format("{}/{}", proc, owner->second))));
  }
  return {};
}

// Most programs read a file of /proc and close it at once.
Verdict check_proc_readers(const std::vector<pid_t>& processes, const std::string& proc) {
  std::string reader;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(kBetweenLooks);
    reader = proc_reader_of(processes, proc);
    if (reader.empty()) return {};
  }
  return cannot(reader);
}

pid_t parent_of(const std::string& process) {
  const auto stat = base::read_file_at(AT_FDCWD, process + "/stat", 4096);
  const std::size_t name_end = stat ? stat->rfind(')') : std::string::npos;
  if (name_end == std::string::npos || name_end + 4 >= stat->size()) return 0;
  return static_cast<pid_t>(std::atoi(stat->c_str() + name_end + 4));  // after ") S "
}

// The first process of an inner pid namespace is a child of ours, and the others there are not among ours.
Verdict check_inner_pids(const std::vector<pid_t>& processes, pid_t first, const std::string& proc) {
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
      return cannot(
          fmt::format("process {} ({}) has a pid namespace of its own, as in a container", pid, name_of(process)));
  }
  return {};
}

}  // namespace

std::string proc_reader_of(const std::vector<pid_t>& processes, const std::string& proc) {
  for (const pid_t pid : processes) {
    if (pid == ::getpid()) continue;  // it opens /proc to look
    const std::string process = fmt::format("{}/{}", proc, pid);
    std::vector<std::string> targets = open_files_of(process);
    targets.push_back(seen_from(root_of(process), target_of(process + "/cwd")));
    for (const std::string& target : targets) {
      if (target == "/proc" || target.starts_with("/proc/"))
        return fmt::format("process {} ({}) has {} open", pid, name_of(process), target);
    }
  }
  return {};
}

tl::expected<void, std::string> dry_check(const std::vector<pid_t>& processes, pid_t first, const std::string& proc) {
  if (auto verdict = check_inner_pids(processes, first, proc); !verdict) return verdict;
  if (auto verdict = check_unix_sockets(processes, first, proc); !verdict) return verdict;
  if (auto verdict = check_proc_readers(processes, proc); !verdict) return verdict;
  for (const pid_t pid : processes) {
    const std::string process = fmt::format("{}/{}", proc, pid);
    auto verdict = check_descriptors(process);
    if (verdict) verdict = check_mappings(process);
    if (verdict) verdict = check_namespaces(process, fmt::format("{}/{}", proc, first));
    if (!verdict) return cannot(fmt::format("process {} ({}) {}", pid, name_of(process), verdict.error()));
  }
  return {};
}

}  // namespace dfrs::shim
