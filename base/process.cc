// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/process.h"

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
#include <limits>
#include <memory>
#include <thread>

#include "base/files.h"

namespace dfrs::base {
namespace {

constexpr std::chrono::milliseconds kPoll{5};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The child's standard streams. Files rather than pipes: the child never blocks because nobody reads its output.
struct Streams {
  File in{std::tmpfile()};
  File out{std::tmpfile()};
  File err{std::tmpfile()};

  bool prepare(const std::string& input) const {
    return in && out && err && write_all(::fileno(in.get()), input) && ::lseek(::fileno(in.get()), 0, SEEK_SET) == 0;
  }
};

std::string contents(std::FILE* file) {
  const int fd = ::fileno(file);
  ::lseek(fd, 0, SEEK_SET);
  return read_all(fd, std::numeric_limits<std::size_t>::max()).value_or(std::string());
}

std::vector<char*> c_strings(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The child's process id, or an errno value.
tl::expected<pid_t, int> start(const Program& program, const Streams& streams) {
  std::vector<std::string> words = program.words;
  std::vector<std::string> settings = program.environment.value_or(std::vector<std::string>());
  const std::vector<char*> arguments = c_strings(words);
  const std::vector<char*> environment = c_strings(settings);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(streams.in.get()), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(streams.out.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(streams.err.get()), STDERR_FILENO);
  // The child inherits neither the signals that this thread blocks nor those that this process ignores, except SIGPIPE
  // where that is asked for.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGXFSZ);
  if (!program.keeps_sigpipe) ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(),
                                   program.environment ? environment.data() : environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return tl::unexpected(error);
  return child;
}

// The wait status, or an errno value: ETIME for a child that was killed because it ran for too long.
tl::expected<int, int> wait_for(pid_t child, std::optional<std::chrono::seconds> patience) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, patience ? WNOHANG : 0);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return tl::unexpected(errno);
    if (!patience) continue;
    if (std::chrono::steady_clock::now() - begin > *patience) {
      ::kill(child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return tl::unexpected(ETIME);
    }
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace

tl::expected<ProgramOutcome, ProgramError> run_program(const Program& program) {
  using Kind = ProgramError::Kind;
  const std::string& name = program.words.front();
  const auto fail = [&](Kind kind, std::string_view what, int error) {
    return tl::unexpected(ProgramError{kind, fmt::format("{} {}: {}", what, name, std::strerror(error))});
  };
  const Streams streams;
  if (!streams.prepare(program.input)) return fail(Kind::failed, "cannot make a temporary file for", errno);
  const auto child = start(program, streams);
  if (!child) return fail(child.error() == ENOENT ? Kind::not_found : Kind::failed, "cannot run", child.error());
  const auto status = wait_for(*child, program.patience);
  if (!status && status.error() == ETIME) {
    return tl::unexpected(ProgramError{
        Kind::too_slow, fmt::format("{} took more than {} s and was ended", name, program.patience->count())});
  }
  if (!status) return fail(Kind::failed, "cannot wait for", status.error());
  const int exit_code = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
  return ProgramOutcome{exit_code, contents(streams.out.get()), contents(streams.err.get())};
}

}  // namespace dfrs::base
