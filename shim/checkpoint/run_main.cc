// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-run: runs a program so that dfrs can move it. dfrsd starts the program in a pid namespace of its own, in this
// process's place: its groups, limits, environment and files. This process waits for the program's end.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/exit_code.h"
#include "base/files.h"
#include "dfrs-config.h"
#include "shim/checkpoint/launch.h"

namespace dfrs::shim {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotRunnable = 126;
constexpr int kLost = 255;
constexpr const char* kRunFolder = "/run/dfrs/%n";
constexpr const char* kHelp =
    R"(Runs a program so that dfrs can checkpoint it and move it to other nodes
Usage: dfrs-run [OPTIONS] PROGRAM [ARGUMENTS...]

Options:
  -h,--help                    Print this help message and exit
  --version                    Display program version information and exit
  --run-dir TEXT=/run/dfrs/%n  Folder of dfrsd on this node. %n is the node's name

Put it before the program in a job's script:

  dfrs-run ./simulate --steps 1000

or make it the interpreter of the whole script: #!/usr/bin/dfrs-run /bin/bash

Where there are no checkpoints (no dfrsd, or no job), it runs the program as if it were not there.

Exit codes:
  that of the program; 128 + N if signal N ended it
  2    wrong usage
  126  the program cannot be run
  127  there is no such program
  255  the connection to the program was lost

docs/reference/dfrs-run.md has more.
)";

void say(std::string_view text) { fmt::print(stderr, "dfrs-run: {}\n", text); }

std::string with_node(std::string text) {
  const char* const node = ::getenv("SLURMD_NODENAME");
  for (std::size_t at = 0; (at = text.find("%n", at)) != std::string::npos;)
    text.replace(at, 2, node != nullptr ? node : "");
  return text;
}

[[noreturn]] void run_plainly(char** words) {
  ::execvp(words[0], words);
  const int error = errno;
  say(fmt::format("{}: {}", words[0], strerror(error)));
  ::_exit(error == ENOENT ? kNotFound : kNotRunnable);
}

base::Fd connect_to_dfrsd(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {};
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

// Root's signals come from slurmstepd. To a step it sends them to each process, so also to the program itself; to a
// batch script, whose only process this one then is, to the script alone.
bool pass_on(const signalfd_siginfo& about) {
  if (about.ssi_uid != 0 || ::getuid() == 0) return true;
  const auto parent = base::read_file_at(AT_FDCWD, fmt::format("/proc/{}/comm", ::getppid()), 256);
  const char* const step = ::getenv("SLURM_STEP_ID");
  const bool batch = step == nullptr || ::strtoul(step, nullptr, 10) >= 0xfffffff0UL;
  return (batch && parent && parent->starts_with("slurmstepd")) || about.ssi_signo == SIGTERM;
}

[[noreturn]] void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

// The program has these. A reader of its output must see it end.
void let_streams_go() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
}

// The keeper's lines, until there is an exit code.
class Conversation {
 public:
  Conversation(base::Fd socket, char** words) : socket_(std::move(socket)), words_(words) {}

  int run(int signals) {
    for (;;) {
      pollfd polled[] = {{socket_.get(), POLLIN, 0}, {signals, POLLIN, 0}};
      if (::poll(polled, 2, -1) < 0 && errno != EINTR) return kLost;
      signalfd_siginfo about{};
      if (polled[1].revents != 0 && ::read(signals, &about, sizeof about) == sizeof about && pass_on(about)) {
        const auto number = static_cast<unsigned char>(about.ssi_signo);
        (void)!::send(socket_.get(), &number, 1, MSG_NOSIGNAL);
      }
      if (polled[0].revents == 0) continue;
      char block[4096];
      const ssize_t got = ::read(socket_.get(), block, sizeof block);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        say("dfrsd's keeper of the program is gone, and the program with it");
        return kLost;
      }
      text_.append(block, static_cast<std::size_t>(got));
      for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
        const std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        if (const auto code = take(line)) return *code;
      }
    }
  }

 private:
  std::optional<int> take(const std::string& line) {
    const std::string rest = line.empty() ? line : line.substr(1);
    switch (line.empty() ? LaunchAnswer::message : static_cast<LaunchAnswer>(line[0])) {
      case LaunchAnswer::message:
        say(rest);
        break;
      case LaunchAnswer::plain: {
        say("no checkpoints here: " + rest);
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        run_plainly(words_);
      }
      case LaunchAnswer::started:
        let_streams_go();
        break;
      case LaunchAnswer::ended:
        return std::atoi(rest.c_str());
      case LaunchAnswer::requeued:
        end_by(SIGTERM);
    }
    return std::nullopt;
  }

  base::Fd socket_;
  char** words_;
  std::string text_;
};

int main(int argc, char** argv) {
  std::string folder = kRunFolder;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string_view option = argv[at];
    if (option == "--") {
      ++at;
      break;
    }
    if (option == "-h" || option == "--help") {
      fmt::print("{}", kHelp);
      return base::kExitOk;
    }
    if (option == "--version") {
      fmt::print("dfrs-run {}\n", PACKAGE_VERSION);
      return base::kExitOk;
    }
    if (option == "--run-dir" && at + 1 < argc) {
      folder = argv[++at];
    } else {
      say(fmt::format("{}: no such option, or its value is missing (see --help)", option));
      return base::kExitUsage;
    }
  }
  if (at == argc) {
    say("which program? (see --help)");
    return base::kExitUsage;
  }
  char** const words = argv + at;
  const std::string path = with_node(folder) + "/" + kLaunchSocket;
  base::Fd socket = connect_to_dfrsd(path);
  if (!socket) run_plainly(words);
  // No signal may be lost between here and the program's start.
  sigset_t passed;
  sigfillset(&passed);
  for (const int signal : {SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE})
    sigdelset(&passed, signal);
  ::sigprocmask(SIG_BLOCK, &passed, nullptr);
  const base::Fd signals(::signalfd(-1, &passed, SFD_CLOEXEC));
  LaunchRequest request;
  for (int i = at; i < argc; ++i) request.command.emplace_back(argv[i]);
  for (char** setting = environ; *setting != nullptr; ++setting) request.environment.emplace_back(*setting);
  const base::Fd here(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (const auto sent = send_request(socket.get(), request, here.get()); !sent) {
    say(sent.error());
    return kLost;
  }
  return Conversation(std::move(socket), words).run(signals.get());
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) { return dfrs::shim::main(argc, argv); }
