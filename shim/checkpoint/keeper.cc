// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/sha256.h"
#include "shim/agent/cgroup/job_groups.h"
#include "shim/checkpoint/criu.h"
#include "shim/checkpoint/dry_check.h"
#include "shim/checkpoint/other_users.h"
#include "shim/checkpoint/start_program.h"

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kDumpPatience{900};             // then criu is ended, and the program goes on
constexpr milliseconds kAbandonedPatience{1000};  // the same once nobody wants the image
constexpr int kBusyPollMs = 50;
constexpr int kRequestSeconds = 10;
// Slurm numbers the steps of users below these.
constexpr std::uint32_t kFirstSpecialStep = 0xfffffff0U;

std::uint32_t number(std::optional<std::string_view> text, std::uint32_t otherwise) {
  std::uint32_t value = 0;
  if (!text) return otherwise;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() ? value : otherwise;
}

// The step and the task, and what runs: a restarted script comes by here again.
std::string slot_name(const LaunchRequest& request) {
  const std::uint32_t step = number(request.setting("SLURM_STEP_ID"), kFirstSpecialStep);
  std::string all;
  for (const std::string& word : request.command) all += word + '\0';
  return fmt::format("{}-{}-{}", step >= kFirstSpecialStep ? std::string("batch") : std::to_string(step),
                     number(request.setting("SLURM_PROCID"), 0), base::sha256_hex(all).substr(0, 8));
}

// Which job the process is in, by the groups that only root can put it in.
tl::expected<std::uint32_t, std::string> job_of(const KeeperOptions& options, pid_t pid) {
  const auto groups =
      open_job_groups({options.cgroup_root, options.cgroup_tree, options.node, options.run_dir + "/group"});
  if (!groups) return tl::unexpected(groups.error());
  const auto jobs = (*groups)->list();
  if (!jobs) return tl::unexpected(jobs.error());
  for (const std::uint32_t job : *jobs) {
    const std::vector<pid_t> processes = (*groups)->processes(job);
    if (std::find(processes.begin(), processes.end(), pid) != processes.end()) return job;
  }
  return tl::unexpected(std::string("it is in no job of this node"));
}

}  // namespace

Keeper::Keeper(KeeperOptions options, base::Fd client) : options_(std::move(options)), client_(std::move(client)) {}

void Keeper::run() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what criu restores becomes a child of this process when criu ends
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  signals_ = base::Fd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  if (const auto admitted = admit(); !admitted) {
    send_answer(client_.get(), LaunchAnswer::plain, admitted.error());
    return;
  }
  avoid_breakpoints();
  if (!begin()) return;
  parts_.streams = {};
  parts_.folder = base::Fd();
  files_->note_init(init_);
  send_answer(client_.get(), LaunchAnswer::started);
  loop();
}

tl::expected<void, std::string> Keeper::admit() {
  const timeval patience{kRequestSeconds, 0};
  ::setsockopt(client_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  auto parts = receive_request(client_.get());
  if (!parts) return tl::unexpected(parts.error());
  parts_ = std::move(*parts);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(client_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return tl::unexpected(fmt::format("who it is: {}", strerror(errno)));
  if (ProcessTree::namespace_of(peer.pid) != ProcessTree::namespace_of(::getpid()))
    return tl::unexpected(std::string("it runs under another dfrs-run, whose images hold it, too"));
  auto caller = Caller::of(peer.pid, peer.uid, peer.gid);
  if (!caller) return tl::unexpected(caller.error());
  caller_ = std::move(*caller);
  if (caller_.uid != 0) dumpable_ = can_dump_others();
  const auto job = job_of(options_, peer.pid);
  if (!job) return tl::unexpected(job.error());
  auto key = ImageKey::read(options_.key);
  if (!key) return tl::unexpected(key.error());
  auto store = ImageStore::open(options_.folder, std::move(*key), options_.limits);
  if (!store) return tl::unexpected(store.error());
  store_ = std::make_unique<ImageStore>(std::move(*store));
  // Of the task, not of the node: the next run may place the job's tasks on its nodes in another way.
  program_ = {*job, caller_.uid, number(parts_.request.setting("SLURM_PROCID"), 0), {}};
  restarts_ = number(parts_.request.setting("SLURM_RESTART_COUNT"), 0);
  auto files = KeeperFiles::take(options_.run_dir, program_.job, restarts_, slot_name(parts_.request));
  if (!files) return tl::unexpected(files.error());
  files_.emplace(std::move(*files));
  program_.slot = files_->slot();
  for (const base::Fd& stream : parts_.streams) streams_.push_back(stream_name(stream.get()));
  auto listener = files_->listen();
  if (!listener) return tl::unexpected(listener.error());
  listener_ = std::move(*listener);
  return {};
}

bool Keeper::begin() {
  switch (restore()) {
    case Restored::from_image:
      return true;
    case Restored::nothing:
      return start_from_beginning();
    case Restored::refused:
      begin_job_again();
      return false;
  }
  return false;
}

bool Keeper::start_from_beginning() {
  const auto started = start_program(caller_, parts_, options_.init);
  if (started) {
    init_ = *started;
    return true;
  }
  send_answer(client_.get(), LaunchAnswer::message, started.error().message);
  send_answer(client_.get(), LaunchAnswer::ended, std::to_string(started.error().exit_code));
  return false;
}

std::string Keeper::work_text(const char* name) const {
  return base::read_file_at(AT_FDCWD, files_->work() + "/" + name, 64 << 20).value_or(std::string());
}

std::string Keeper::criu_log(const char* name) const { return work_text(name) + work_text(kCriuOutput); }

double Keeper::since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void Keeper::loop() {
  // Until the program has ended. Nobody is told of the end of one that was dumped: the job's next run continues it.
  while (!(ended_ && (gone_ || status_.state != KeeperState::dumped))) {
    std::vector<pollfd> polled{{signals_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    polled.push_back({gone_ ? -1 : client_.get(), POLLIN, 0});
    for (const base::Fd& link : links_) polled.push_back({link.get(), POLLIN, 0});
    ::poll(polled.data(), polled.size(), dump_ && dump_->abandoned ? kBusyPollMs : kPollMs);
    if (polled[0].revents != 0) {
      signalfd_siginfo about{};
      while (::read(signals_.get(), &about, sizeof about) > 0) {
      }
    }
    reap();
    if (polled[2].revents != 0) read_client();
    for (std::size_t i = links_.size(); i-- > 0;) {
      if (polled[3 + i].revents != 0) read_dfrsd(i);
    }
    if (polled[1].revents != 0) {
      base::Fd link(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (link) links_.push_back(std::move(link));
    }
    if (dump_ && (Clock::now() - dump_->begun > kDumpPatience ||
                  (dump_->abandoned && Clock::now() - *dump_->abandoned > kAbandonedPatience)))
      dump_->kill();
  }
  end_program();
}

void Keeper::end_program() {
  if (dump_) {
    dump_->kill();
    ::waitpid(dump_->worker, nullptr, 0);
    dump_.reset();
  }
  pre_dumped_.reset();
  if (gone_) return;  // the job is being ended or requeued, so images may still serve
  // A signal may have come from Slurm, as it ends this run of the job and not the job.
  constexpr int kSignalled = 128;
  if (*ended_ < kSignalled) store_->remove(program_);
  files_.reset();  // before the next program of this name begins
  send_answer(client_.get(), LaunchAnswer::ended, std::to_string(*ended_));
}

void Keeper::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
    if (WIFSTOPPED(status)) continue;  // of a held process
    if (pid == init_) ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!dump_ || pid != dump_->worker) continue;
    switch (dump_->work) {
      case Work::pre_dump:
        finish_pre_dump(status);
        break;
      case Work::dump:
        finish_dump(status);
        break;
      case Work::complete:
        finish_commit(status);
        break;
    }
  }
}

void Keeper::read_client() {
  unsigned char signal = 0;
  const ssize_t got = ::recv(client_.get(), &signal, 1, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    gone_ = true;
    ::kill(init_, SIGKILL);
    return;
  }
  if (status_.state == KeeperState::dumped) {
    // Slurm requeues the job. The program must not run on past its image.
    if (signal != SIGTERM) return;
    ::kill(init_, SIGKILL);
    send_answer(client_.get(), LaunchAnswer::requeued);
    return;
  }
  if (const pid_t program = ProcessTree(init_).program(); program > 0 && signal < NSIG) ::kill(program, signal);
}

void Keeper::read_dfrsd(std::size_t link) {
  char packet[kMostPacket];
  const ssize_t got = ::recv(links_[link].get(), packet, sizeof packet, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(link));
    if (!links_.empty()) return;
    // dfrsd has ended. Without it nobody would tell that the attempt was given up.
    if (in_attempt(status_.state)) fail("dfrsd ended during the attempt");
    return;
  }
  if (const auto order = parse_order({packet, static_cast<std::size_t>(got)})) {
    obey(*order);
    KeeperStatus status = status_;
    if (order->what == KeeperDo::check) {
      const auto possible = dumpable_ ? dry_check(ProcessTree(init_).members(), init_) : dumpable_;
      status.outcome = {};
      if (!possible) status.outcome = tl::unexpected(possible.error());
      status.bytes = ProcessTree(init_).memory();
    }
    if (status.restored) status.restored->age = since(restored_at_);
    const std::string text = format_status(status);
    (void)!::send(links_[link].get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

void Keeper::obey(const KeeperOrder& order) {
  if (order.what == KeeperDo::stop) stop(order);
  if (order.what == KeeperDo::dump) dump(order);
  if (order.what == KeeperDo::resume) {
    suspended_ = order.suspended;
    resume();
    if (status_.state == KeeperState::running) status_.attempt = order.attempt;
  }
}

void Keeper::fail(const std::string& reason) {
  resume();
  if (dump_) return;  // what finishes it says it
  status_.state = KeeperState::failed;
  status_.outcome = tl::unexpected(reason);
}

}  // namespace dfrs::shim
