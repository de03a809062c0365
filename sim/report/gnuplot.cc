// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/gnuplot.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <thread>

#include "sim/report/utf8.h"

namespace dfrs::sim {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::milliseconds kPoll{5};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string contents(std::FILE* file) {
  std::string text;
  std::array<char, 1 << 16> block{};
  std::rewind(file);
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file)) > 0;) text.append(block.data(), n);
  return text;
}

// The first line of gnuplot's messages that says something: it prints the place as a line with only '^' before.
std::string first_message(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t^");
    if (begin != std::string::npos) return printable(line.substr(begin));
  }
  return "no message";
}

// Waits for the child; kills it when it takes too long. The wait status, or -1 if it was killed.
int wait_for(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return -1;
    }
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty() || folder.front() != '/') continue;
    const std::string candidate = folder + '/' + name;
    struct stat info{};
    if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

tl::expected<std::string, std::string> run_gnuplot(const std::string& script, const std::string& program) {
  std::string found = program.empty() ? find_program("gnuplot") : program;
  if (found.empty()) return tl::make_unexpected("gnuplot was not found in the folders of PATH");

  const File input(std::tmpfile());
  const File output(std::tmpfile());
  const File messages(std::tmpfile());
  if (!input || !output || !messages || std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0 || ::lseek(::fileno(input.get()), 0, SEEK_SET) != 0) {
    return tl::make_unexpected(fmt::format("cannot write a temporary file for gnuplot: {}", std::strerror(errno)));
  }

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(input.get()), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(output.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(messages.get()), STDERR_FILENO);
  std::string no_settings = "-d";
  std::string from_input = "-";
  const std::array<char*, 4> arguments{found.data(), no_settings.data(), from_input.data(), nullptr};
  const char* path = std::getenv("PATH");
  std::string path_setting = fmt::format("PATH={}", path != nullptr ? path : "");
  std::string locale_setting = "LC_ALL=C";
  const std::array<char*, 3> environment{path_setting.data(), locale_setting.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, found.c_str(), &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return tl::make_unexpected(fmt::format("cannot run {}: {}", found, std::strerror(error)));

  const int status = wait_for(child);
  if (status == -1) {
    return tl::make_unexpected(fmt::format("{} took more than {} s and was ended", found, kPatience.count()));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return tl::make_unexpected(fmt::format("{} failed: {}", found, first_message(contents(messages.get()))));
  }
  std::string result = contents(output.get());
  if (result.empty()) {
    return tl::make_unexpected(fmt::format("{} wrote no figure: {}", found, first_message(contents(messages.get()))));
  }
  return result;
}

}  // namespace dfrs::sim
