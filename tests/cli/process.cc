// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/cli/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <thread>

namespace dfrs::sim {
namespace {

// Far beyond what any of these runs takes, under sanitizers too.
constexpr std::chrono::seconds kHang{300};

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) ADD_FAILURE() << "pipe: " << std::strerror(errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

// An unnamed file for the program's output: unlike a pipe, it never fills up.
Fd make_record(const char* name) { return Fd(::memfd_create(name, MFD_CLOEXEC)); }

std::string text_of(const Fd& record) {
  std::string text;
  char buffer[1 << 16];
  off_t at = 0;
  for (;;) {
    const ssize_t got = ::pread(record.get(), buffer, sizeof buffer, at);
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    at += got;
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + (word.size() > 200 ? "..." : word);
  return line;
}

struct Running {
  pid_t pid = -1;
  std::string command;
  Fd out;
  Fd err;
};

Running start(const std::vector<std::string>& arguments, const Surroundings& surroundings, int input, int output) {
  Running running;
  running.out = make_record("stdout");
  running.err = make_record("stderr");
  std::vector<std::string> words{dfrs_sim_path()};
  if (!surroundings.program.empty()) {
    words[0] = std::filesystem::path(words[0]).replace_filename(surroundings.program).string();
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  running.command = joined(words);
  if (!surroundings.soft_limits.empty()) {
    const std::vector<std::string> shell{"/bin/sh", "-c", "ulimit " + surroundings.soft_limits + " && exec \"$@\"",
                                         "sh"};
    words.insert(words.begin(), shell.begin(), shell.end());
  }
  if (surroundings.ignores_hangup) {
    const std::vector<std::string> shell{"/bin/sh", "-c", "trap '' HUP && exec \"$@\"", "sh"};
    words.insert(words.begin(), shell.begin(), shell.end());
  }
  std::vector<std::string> environment =
      surroundings.environment;  // first, because a program finds the first of two values
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (!surroundings.output.empty()) {
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, surroundings.output.c_str(), O_WRONLY | O_CREAT, 0666);
  } else {
    ::posix_spawn_file_actions_adddup2(&actions, output >= 0 ? output : running.out.get(), STDOUT_FILENO);
  }
  ::posix_spawn_file_actions_adddup2(&actions, running.err.get(), STDERR_FILENO);
  if (!surroundings.folder.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&actions, surroundings.folder.c_str());
  }
  // Restores signals that the tests, or the shell that started them in the background, ignore (SIGINT).
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&running.pid, words[0].c_str(), &actions, &attributes, pointers(words).data(),
                                  pointers(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    running.pid = -1;
    ADD_FAILURE() << words[0] << ": " << std::strerror(error) << " (DFRS_SIM names the program to test)";
  }
  return running;
}

Outcome finish(const Running& running) {
  Outcome outcome;
  outcome.command = running.command;
  if (running.pid < 0) return outcome;
  const auto deadline = std::chrono::steady_clock::now() + kHang;
  int status = 0;
  while (::waitpid(running.pid, &status, WNOHANG) == 0) {
    if (!outcome.timed_out && std::chrono::steady_clock::now() > deadline) {
      outcome.timed_out = true;
      ADD_FAILURE() << running.command << ": hangs";
      ::kill(running.pid, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  outcome.out = text_of(running.out);
  outcome.err = text_of(running.err);
  return outcome;
}

// Writes until the program has read all or closed its end.
void feed(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace

std::string dfrs_sim_path() {
  const char* const named = std::getenv("DFRS_SIM");
  return std::filesystem::absolute(named == nullptr ? "./dfrs-sim" : named).string();
}

Outcome dfrs_sim(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe input = make_pipe();
  Pipe unread;
  if (surroundings.output_is_closed_pipe) {
    unread = make_pipe();
    unread.read.close();
  }
  const Running running = start(arguments, surroundings, input.read.get(), unread.write.get());
  input.read.close();
  const std::jthread feeder([&] {
    feed(input.write.get(), surroundings.input);
    input.write.close();
  });
  return finish(running);
}

struct BackgroundRun::Process {
  Running running;
  bool finished = false;
};

BackgroundRun::BackgroundRun(const std::vector<std::string>& arguments, const Surroundings& surroundings)
    : process_(std::make_unique<Process>()) {
  Pipe input = make_pipe();
  input.write.close();
  process_->running = start(arguments, surroundings, input.read.get(), -1);
}

BackgroundRun::~BackgroundRun() {
  if (process_->finished) return;
  kill();
  sim::finish(process_->running);
}

void BackgroundRun::kill() {
  if (process_->running.pid > 0 && !process_->finished) ::kill(process_->running.pid, SIGKILL);
}

Outcome BackgroundRun::finish() {
  process_->finished = true;
  return sim::finish(process_->running);
}

Outcome dfrs_sim_interrupted(const std::vector<std::string>& arguments, const std::function<bool()>& ready, int signal,
                             const Surroundings& surroundings) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe input = make_pipe();
  feed(input.write.get(), surroundings.input);  // within what a pipe holds
  const Running running = start(arguments, surroundings, input.read.get(), -1);
  const auto deadline = std::chrono::steady_clock::now() + kHang;
  while (running.pid > 0 && !ready()) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(running.pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid != 0 || std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << running.command << ": never came as far as to be interrupted";
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (running.pid > 0) ::kill(running.pid, signal);
  return finish(running);
}

std::pair<Outcome, Outcome> dfrs_sim_pipe(const std::vector<std::string>& first,
                                          const std::vector<std::string>& second) {
  Pipe nothing = make_pipe();
  nothing.write.close();
  Pipe between = make_pipe();
  const Running producer = start(first, {}, nothing.read.get(), between.write.get());
  const Running consumer = start(second, {}, between.read.get(), -1);
  between.read.close();
  between.write.close();
  Outcome produced = finish(producer);
  return {std::move(produced), finish(consumer)};
}

std::string output_of(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  Outcome outcome = dfrs_sim(arguments, surroundings);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.command << '\n' << outcome.err;
  return std::move(outcome.out);
}

std::string without_origin(const std::string& text) {
  static constexpr std::string_view kLines[] = {"program ",
                                                "source ",
                                                "workload options ",
                                                "simulation options ",
                                                "repeat with ",
                                                "options ",
                                                "; Program: ",
                                                "; Source SHA-256: ",
                                                "; Made by: ",
                                                "; Note: Program: ",
                                                "; Note: Source SHA-256: ",
                                                "; Note: Made by: "};
  const std::string_view head = std::string_view(text).substr(0, text.find('\n'));
  const std::size_t column = head.find(",program,");
  const auto kept_commas =
      std::count(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(std::min(column, head.size())), ',');
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (column != std::string_view::npos) {
      std::size_t end = line.find(',');
      for (std::ptrdiff_t i = 0; i < kept_commas && end != std::string::npos; ++i) end = line.find(',', end + 1);
      line = line.substr(0, end);
    } else if (std::any_of(std::begin(kLines), std::end(kLines),
                           [&](std::string_view name) { return line.starts_with(name); })) {
      continue;
    }
    kept += line + "\n";
  }
  return kept;
}

void expect_failure(const Outcome& outcome, ExitCode code, std::initializer_list<std::string_view> texts) {
  SCOPED_TRACE(outcome.command + "\n" + outcome.err);
  EXPECT_EQ(outcome.exit_code, code);
  EXPECT_EQ(outcome.out, "") << "an error, but there is something on standard output";
  ASSERT_FALSE(outcome.err.empty());
  EXPECT_EQ(outcome.err.back(), '\n');
  const std::size_t before =
      outcome.err.size() < 2 ? std::string::npos : outcome.err.rfind('\n', outcome.err.size() - 2);
  const std::string message = outcome.err.substr(before == std::string::npos ? 0 : before + 1);
  EXPECT_TRUE(message.starts_with("dfrs-sim: ")) << message;
  EXPECT_LT(message.size(), 1000U) << "a message that long is not read";
  for (const std::string_view text : texts) EXPECT_THAT(message, ::testing::HasSubstr(std::string(text)));
}

}  // namespace dfrs::sim
