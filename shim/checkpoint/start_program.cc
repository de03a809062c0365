// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/start_program.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/checkpoint/own_mounts.h"

namespace dfrs::shim {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotRunnable = 126;
constexpr int kKept = 3;  // the first descriptor that a program does not get

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void close_from(unsigned first, int flags) { ::syscall(SYS_close_range, first, ~0U, flags); }

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Like execvpe, but by the user's PATH, not this process's.
void execute(const LaunchRequest& request) {
  const std::vector<char*> words = pointers_to(request.command);
  const std::vector<char*> environment = pointers_to(request.environment);
  const std::string& name = request.command.front();
  if (name.find('/') != std::string::npos) {
    ::execve(name.c_str(), words.data(), environment.data());
    return;
  }
  const std::string path(request.setting("PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
  int error = ENOENT;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string folder = end == at ? "." : path.substr(at, end - at);
    ::execve((folder + "/" + name).c_str(), words.data(), environment.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
    at = end + 1;
  }
  errno = error;
}

// In the mount namespace that it is open in: from another one, a path is shown from that namespace's root folder.
std::string path_of(int folder) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink(fmt::format("/proc/self/fd/{}", folder).c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

// By its path, because the descriptor is of the caller's mount namespace, where criu would not find it. What has no
// path in this one is entered all the same.
bool enter(int folder, const std::string& path) {
  struct stat wanted{};
  struct stat here{};
  if (!path.empty() && ::chdir(path.c_str()) == 0 && ::fstat(folder, &wanted) == 0 && ::stat(".", &here) == 0 &&
      wanted.st_dev == here.st_dev && wanted.st_ino == here.st_ino)
    return true;
  return ::fchdir(folder) == 0;
}

// What a child says before it ends; the other end takes an empty text for success.
[[noreturn]] void give_up(int pipe, int exit_code, const std::string& message) {
  const std::string text = std::to_string(exit_code) + " " + message;
  (void)!::write(pipe, text.data(), text.size());
  ::_exit(exit_code);
}

// The second process of the namespace.
[[noreturn]] void be_program(const Caller& caller, const LaunchParts& parts, const std::string& folder, int pipe) {
  if (!become(caller))
    give_up(pipe, kNotRunnable, fmt::format("cannot become user id {}: {}", caller.uid, strerror(errno)));
  if (!enter(parts.folder.get(), folder))
    give_up(pipe, kNotRunnable, fmt::format("the working directory: {}", strerror(errno)));
  for (std::size_t i = 0; i < kStreams; ++i) ::dup2(parts.streams[i].get(), static_cast<int>(i));
  close_from(kKept, CLOSE_RANGE_CLOEXEC);
  reset_signals();
  execute(parts.request);
  give_up(pipe, errno == ENOENT ? kNotFound : kNotRunnable,
          fmt::format("{}: {}", parts.request.command.front(), strerror(errno)));
}

// The first one. It closes all files of the caller, so that readers of the program's output see its end.
[[noreturn]] void be_init(const Caller& caller, const LaunchParts& parts, const std::string& init, int pipe) {
  const std::string folder = path_of(parts.folder.get());
  auto done = join(caller);
  if (done) done = unshare_mounts();
  if (done) done = mount_own_proc();
  if (!done) give_up(pipe, kNotRunnable, done.error());
  ::setsid();
  const pid_t program = ::fork();
  if (program == 0) be_program(caller, parts, folder, pipe);
  if (program < 0) give_up(pipe, kNotRunnable, fmt::format("fork: {}", strerror(errno)));
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < kKept; ++fd) ::dup2(null, fd);
  close_from(kKept, CLOSE_RANGE_CLOEXEC);
  if (::chdir("/") != 0) give_up(pipe, kNotRunnable, fmt::format("/: {}", strerror(errno)));
  reset_signals();
  const std::string number = std::to_string(program);
  const char* const words[] = {init.c_str(), number.c_str(), nullptr};
  char* const none[] = {nullptr};
  ::execve(init.c_str(), const_cast<char* const*>(words), none);
  give_up(pipe, kNotRunnable, fmt::format("{}: {}", init, strerror(errno)));
}

}  // namespace

tl::expected<pid_t, StartError> start_program(const Caller& caller, const LaunchParts& parts, const std::string& init) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return tl::unexpected(StartError{kNotRunnable, fmt::format("a pipe: {}", strerror(errno))});
  const base::Fd read_end(ends[0]);
  base::Fd write_end(ends[1]);
  // As fork(), in a new namespace. unshare() would put all later children there, too.
  const auto child = static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0L, 0L, 0L, 0L));
  if (child == 0) be_init(caller, parts, init, write_end.get());
  if (child < 0) return tl::unexpected(StartError{kNotRunnable, fmt::format("a pid namespace: {}", strerror(errno))});
  write_end = base::Fd();
  const auto said = base::read_all(read_end.get(), 1 << 16);
  if (said && said->empty()) return child;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (!said) return tl::unexpected(StartError{kNotRunnable, strerror(said.error())});
  return tl::unexpected(StartError{std::atoi(said->c_str()), said->substr(said->find(' ') + 1)});
}

tl::expected<pid_t, std::string> start_command(const std::vector<std::string>& words, int output,
                                               const std::function<tl::expected<void, std::string>()>& prepare) {
  const pid_t child = ::fork();
  if (child < 0) return tl::unexpected(fmt::format("fork: {}", strerror(errno)));
  if (child > 0) return child;
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  reset_signals();
  if (const auto ready = prepare(); !ready) {
    const std::string text = "Error (dfrs): " + ready.error() + "\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(kNotRunnable);
  }
  const std::vector<char*> pointers = pointers_to(words);
  ::execvp(pointers[0], pointers.data());
  const std::string text = fmt::format("Error (dfrs): {}: {}\n", words[0], strerror(errno));
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kNotFound);
}

}  // namespace dfrs::shim
