// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/shim/support/munged.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>
#include <vector>

#include "shim/auth/munge.h"

extern char** environ;

namespace dfrs::shim {

Munged::Munged(const std::string& key) {
  std::string bytes;
  while (bytes.size() < 128) bytes += key + ";";
  folder_.write("munge.key", bytes);
  ::chmod((folder_ / "munge.key").c_str(), 0600);
  ::chmod(folder_.path().c_str(), 0755);  // other users connect to the socket
  start();
}

Munged::~Munged() { stop(); }

void Munged::start() {
  std::vector<std::string> words{"munged",
                                 "--foreground",
                                 "--key-file=" + (folder_ / "munge.key"),
                                 "--socket=" + socket(),
                                 "--pid-file=" + (folder_ / "munged.pid"),
                                 "--log-file=" + (folder_ / "munged.log"),
                                 "--seed-file=" + (folder_ / "munged.seed"),
                                 "--num-threads=2"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  // In sbin, which a user's PATH may not have.
  const int error = ::posix_spawn(&pid_, "/usr/sbin/munged", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    pid_ = -1;
    ADD_FAILURE() << "cannot start /usr/sbin/munged (Debian: apt-get install munge)";
    return;
  }
  const Munge munge(socket());
  for (int tries = 0; tries < 500; ++tries) {
    if (std::filesystem::exists(socket()) && munge.encode("").has_value()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "munged does not answer; its log:\n" << file_text(folder_ / "munged.log");
}

void Munged::stop() {
  if (pid_ < 0) return;
  // munged misses a signal that comes just before it waits for a client.
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    ::kill(pid_, SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  pid_ = -1;
}

Munged& Munged::shared() {
  static Munged munged;
  return munged;
}

}  // namespace dfrs::shim
