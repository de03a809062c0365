// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "sim/errors.h"

namespace dfrs::sim {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// A file, not a pipe: it takes whatever comes while nobody reads.
File record(const std::string& program) {
  File file(std::tmpfile());
  if (!file) throw IoError(fmt::format("cannot make a temporary file for {}: {}", program, std::strerror(errno)));
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  std::array<char, 4096> block{};
  std::rewind(file);
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file)) > 0;) text.append(block.data(), n);
  return text;
}

}  // namespace

std::optional<ProgramOutcome> run_program(const std::vector<std::string>& words) {
  const File out = record(words.front());
  const File err = record(words.front());
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(err.get()), STDERR_FILENO);
  // What this program ignores for itself is none of the other's business.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) throw IoError(fmt::format("cannot run {}: {}", words.front(), std::strerror(error)));

  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw IoError(fmt::format("cannot wait for {}: {}", words.front(), std::strerror(errno)));
  }
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ProgramOutcome{exit_code, contents(out.get()), contents(err.get())};
}

}  // namespace dfrs::sim
