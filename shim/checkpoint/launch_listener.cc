// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/launch_listener.h"

#include <errno.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/signals.h"
#include "shim/checkpoint/keeper_link.h"
#include "shim/checkpoint/launch.h"

namespace dfrs::shim {
namespace {

constexpr int kPollMs = 1000;
constexpr int kBacklog = 128;

// A process id, or an errno value.
tl::expected<pid_t, int> spawn(const std::vector<std::string>& words, int connection) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  ::posix_spawn_file_actions_adddup2(&actions, connection, kKeeperSocket);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kKeeperSocket + 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  // A session of its own: a signal to dfrsd's group is not for it.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return tl::unexpected(error);
  return pid;
}

}  // namespace

tl::expected<std::unique_ptr<LaunchListener>, std::string> LaunchListener::start(LaunchListenerOptions options) {
  std::unique_ptr<LaunchListener> listener(new LaunchListener(std::move(options)));
  const std::string path = listener->options_.run_dir + "/" + kLaunchSocket;
  const auto failed = [&](const std::string& where) {
    return tl::unexpected(fmt::format("{}: {}; see --run-dir", where, strerror(errno)));
  };
  const std::string programs = listener->options_.run_dir + "/" + kProgramsFolder;
  if (::mkdir(programs.c_str(), 0700) != 0 && errno != EEXIST) return failed(programs);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return tl::unexpected(fmt::format("{}: the path is too long for a socket; see --run-dir", path));
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ::unlink(path.c_str());
  listener->socket_ = base::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  listener->stop_ = base::Fd(::eventfd(0, EFD_CLOEXEC));
  if (!listener->socket_ || !listener->stop_ ||
      ::bind(listener->socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0666) != 0 || ::listen(listener->socket_.get(), kBacklog) != 0)
    return failed(path);
  listener->thread_ = base::thread_without_signals([self = listener.get()] { self->run(); });
  return listener;
}

LaunchListener::~LaunchListener() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void LaunchListener::run() {
  for (;;) {
    pollfd polled[] = {{socket_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    ::poll(polled, 2, kPollMs);
    if (polled[1].revents != 0) return;
    reap();
    if (polled[0].revents == 0) continue;
    const base::Fd connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) serve(connection);
  }
}

void LaunchListener::serve(const base::Fd& connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  const auto of_user =
      std::count_if(keepers_.begin(), keepers_.end(), [&](const auto& k) { return k.second == peer.uid; });
  if (keepers_.size() >= options_.most || static_cast<std::size_t>(of_user) >= options_.most_of_user) {
    send_answer(connection.get(), LaunchAnswer::plain, "dfrsd already has as many programs as it accepts");
    return;
  }
  const auto keeper = spawn(options_.keeper, connection.get());
  if (keeper) {
    keepers_[*keeper] = peer.uid;
    return;
  }
  const std::string why = fmt::format("{}: {}", options_.keeper.front(), strerror(keeper.error()));
  if (options_.log) options_.log(why);
  send_answer(connection.get(), LaunchAnswer::plain, why);
}

void LaunchListener::reap() {
  std::erase_if(keepers_, [](const auto& keeper) {
    const pid_t ended = ::waitpid(keeper.first, nullptr, WNOHANG);
    return ended == keeper.first || (ended < 0 && errno == ECHILD);
  });
}

}  // namespace dfrs::shim
