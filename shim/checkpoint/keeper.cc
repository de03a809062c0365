// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "base/process.h"
#include "base/sha256.h"
#include "shim/agent/cgroup/job_groups.h"
#include "shim/checkpoint/criu.h"
#include "shim/checkpoint/dry_check.h"
#include "shim/checkpoint/other_users.h"
#include "shim/checkpoint/own_mounts.h"
#include "shim/checkpoint/start_program.h"

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kStopPatience{5000};
constexpr int kMostStops = 10;
constexpr milliseconds kBetweenStops{5};
constexpr seconds kDumpPatience{900};             // then criu is ended, and the program goes on
constexpr milliseconds kAbandonedPatience{1000};  // the same once nobody wants the image
constexpr int kStreamBase = 100;                  // where criu finds the new streams
constexpr int kPollMs = 500;
constexpr int kBusyPollMs = 50;
constexpr seconds kRequeuePatience{20};    // for scontrol
constexpr seconds kEndOfRunPatience{120};  // for Slurm to end a run that it requeues
constexpr int kRequestSeconds = 10;
// Slurm numbers the steps of users below these.
constexpr std::uint32_t kFirstSpecialStep = 0xfffffff0U;
constexpr const char* kGivenUp = "the attempt was given up";
constexpr std::uint64_t kImageOverhead = std::uint64_t{4} << 20;

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

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string text_of(const std::string& path) {
  return base::read_file_at(AT_FDCWD, path, 64 << 20).value_or(std::string());
}

// With what it has started, which would keep the lock of take_turn(). It may not have its process group yet.
void kill_worker(pid_t worker) {
  if (::kill(-worker, SIGKILL) != 0) ::kill(worker, SIGKILL);
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

// The images of a job's programs serve only together. What every keeper of the job sees of them, as it begins, leads
// all to the same image. If an image turns out to be useless only as it is read, others may have begun from theirs.
Keeper::Restored Keeper::restore() {
  const auto say = [&](const std::string& text) { send_answer(client_.get(), LaunchAnswer::message, text); };
  const auto images = store_->images_of(program_, restarts_);
  for (const ImageStore::Found& image : images) {
    const auto refuse = [&](const std::string& why) {
      say(fmt::format("the image of run {} cannot be restored: {}", image.restarts, why));
    };
    const auto manifest = store_->inspect(image.folder, program_, image.restarts);
    if (!manifest) {
      refuse(manifest.error());
      continue;
    }
    if (const auto whole = store_->check_whole(*manifest, restarts_); !whole) {
      refuse(whole.error());
      continue;
    }
    auto restored = store_->verify(image.folder, *manifest);
    if (restored) restored = restore_image(image, *manifest);
    if (restored) return Restored::from_image;
    refuse(restored.error());
    if (manifest->programs <= 1) continue;
    store_->discard(image.folder);
    return Restored::refused;
  }
  const std::string marked = fmt::format("{}/{}/{}{}", options_.run_dir, kProgramsFolder, program_.job, kRestoring);
  if (!images.empty()) {
    say("the program starts from its beginning");
  } else if (::access(marked.c_str(), F_OK) == 0) {
    say(fmt::format("no image of this program was found in {}: it starts from its beginning", options_.folder));
  }
  return Restored::nothing;
}

// So that all programs of the job begin from the same instant: in the next run they see what is missing here.
void Keeper::begin_job_again() {
  const auto say = [&](const std::string& text) { send_answer(client_.get(), LaunchAnswer::message, text); };
  say("other programs of the job may have continued from their images, so the job is requeued");
  const auto asked =
      base::run_program({.words = {"scontrol", "requeue", std::to_string(program_.job)}, .patience = kRequeuePatience});
  if (!asked || asked->exit_code != 0) {
    say(fmt::format("Slurm does not requeue it: {}", asked ? asked->err : asked.error().message));
    send_answer(client_.get(), LaunchAnswer::ended, "1");
    return;
  }
  const auto end = Clock::now() + kEndOfRunPatience;
  while (Clock::now() < end) {
    pollfd polled{client_.get(), POLLIN, 0};
    if (::poll(&polled, 1, kPollMs) <= 0) continue;
    unsigned char signal = 0;
    const ssize_t got = ::recv(client_.get(), &signal, 1, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (got == 1 && signal == SIGTERM) break;
  }
  send_answer(client_.get(), LaunchAnswer::requeued);
}

std::string Keeper::criu_log(const char* name) const {
  return text_of(files_->work() + "/" + name) + text_of(files_->work() + "/criu.out");
}

// Beside the image where there is no scratch folder, or none with room: a node restores what others have compressed.
tl::expected<ScratchFolder, std::string> Keeper::unpack(const ImageStore::Found& image,
                                                        const Manifest& manifest) const {
  std::vector<std::string> places{image.folder + kUnpacked};
  if (!options_.scratch.empty()) places.insert(places.begin(), options_.scratch + "/" + files_->name());
  std::string error;
  for (const std::string& place : places) {
    auto plain = ScratchFolder::make(place, manifest.unpacked);
    const auto done = plain ? unpack_image(image.folder, manifest, place) : tl::unexpected(plain.error());
    if (done) return plain;
    error += (error.empty() ? "" : "; ") + done.error();
  }
  return tl::unexpected(error);
}

tl::expected<void, std::string> Keeper::restore_image(const ImageStore::Found& image, const Manifest& manifest) {
  const auto begun = Clock::now();
  std::optional<ScratchFolder> plain;
  if (manifest.unpacked != 0) {
    auto unpacked = unpack(image, manifest);
    if (!unpacked) return tl::unexpected(unpacked.error());
    plain.emplace(std::move(*unpacked));
  }
  const CriuFolders folders{plain ? plain->path() : image.folder, files_->work()};
  std::vector<std::pair<int, std::string>> streams;
  std::set<std::string> named;
  for (std::size_t i = 0; i < kStreams && i < manifest.streams.size(); ++i) {
    const std::string& name = manifest.streams[i];
    if (!name.empty() && named.insert(name).second) streams.emplace_back(kStreamBase + static_cast<int>(i), name);
  }
  const std::string pid_file = folders.work + "/" + kCriuPidFile;
  ::unlink(pid_file.c_str());
  const base::Fd output(::open((folders.work + "/criu.out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  // In the job's groups: what criu makes stays where criu is, and its memory is the job's.
  const auto criu = start_command(restore_command(options_.criu, folders, streams), output.get(), [&] {
    for (const auto& [fd, name] : streams) ::dup2(parts_.streams[static_cast<std::size_t>(fd - kStreamBase)].get(), fd);
    const auto joined = join(caller_);
    return joined ? unshare_mounts() : joined;
  });
  if (!criu) return tl::unexpected(criu.error());
  int status = 0;
  while (::waitpid(*criu, &status, 0) < 0 && errno == EINTR) {
  }
  const auto restored = static_cast<pid_t>(std::atoi(text_of(pid_file).c_str()));
  if (status != 0 || restored <= 0) {
    if (restored > 0) ::kill(restored, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return tl::unexpected(criu_reason(criu_log(kCriuRestoreLog)));
  }
  if (const auto done = mount_own_proc_of(restored); !done) {
    ::kill(restored, SIGKILL);
    ::waitpid(restored, nullptr, 0);
    return tl::unexpected(done.error());
  }
  init_ = restored;
  ProcessTree(init_).go_on({manifest.stopped.begin(), manifest.stopped.end()});
  restored_at_ = Clock::now();
  status_.restored = KeeperStatus::Restored{manifest.attempt, manifest.bytes(), since(begun), 0};
  return {};
}

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
      kill_worker(dump_->worker);
  }
  end_program();
}

void Keeper::end_program() {
  if (dump_) {
    kill_worker(dump_->worker);
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

double Keeper::Dump::seconds() const { return since(begun) + pre_dump.value_or(0); }

void Keeper::stop(const KeeperOrder& order) {
  if (order.attempt == status_.attempt) {  // done, or failed
    if (status_.state == KeeperState::pre_dumping) suspended_ = order.suspended;
    return;
  }
  if (status_.state != KeeperState::running && status_.state != KeeperState::failed) return;
  status_.attempt = order.attempt;
  status_.outcome = {};
  suspended_ = order.suspended;
  if (start_pre_dump(order)) {
    status_.state = KeeperState::pre_dumping;
  } else {
    stop_processes();
  }
}

void Keeper::stop_processes() {
  auto stopped = ProcessTree(init_).stop(kStopPatience);
  // One that was just reading a file of /proc could not be dumped.
  for (int again = 0; again < kMostStops && stopped && !suspended_; ++again) {
    if (proc_reader_of(ProcessTree(init_).members()).empty()) break;
    ProcessTree(init_).go_on(*stopped);
    std::this_thread::sleep_for(kBetweenStops);
    stopped = ProcessTree(init_).stop(kStopPatience);
  }
  if (!stopped) {
    pre_dumped_.reset();
    status_.state = KeeperState::failed;
    status_.outcome = tl::unexpected(stopped.error());
    return;
  }
  stopped_before_ = suspended_ ? std::set<pid_t>{} : *stopped;
  status_.state = KeeperState::stopped;
}

// So that the program, which runs on meanwhile, stands still only as long as it takes to write what it changes from now
// on. Where that is not possible, the dump writes all.
bool Keeper::start_pre_dump(const KeeperOrder& order) {
  const std::uint64_t bytes = ProcessTree(init_).memory();
  if (options_.pre_dump_from == 0 || bytes < options_.pre_dump_from || suspended_ || !pre_dumps_) return false;
  auto place = make_place(order.restarts, 2 * bytes + kImageOverhead);  // it may change all
  if (!place) return false;
  const auto parent = place->add_parent();
  if (!parent) return false;
  // It needs no files, and must not take away the /proc of a program that runs.
  const auto enter = [&] {
    Caller outside = caller_;
    outside.procs.clear();  // not in the job's groups
    return gone_ ? tl::expected<void, std::string>{} : join(outside);
  };
  const auto criu =
      start_criu(pre_dump_command(options_.criu, {*parent, files_->work()}, init_), kCriuPreDumpLog, enter);
  if (!criu) return false;
  dump_.emplace(Dump{*criu, Work::pre_dump, std::move(*place), {}, order.restarts, 0, Clock::now()});
  return true;
}

void Keeper::finish_pre_dump(int status) {
  Dump dump = std::move(*dump_);
  dump_.reset();
  if (dump.abandoned) {
    status_.state = KeeperState::failed;
    status_.outcome = tl::unexpected(std::string(kGivenUp));
    return;
  }
  if (status == 0) pre_dumped_.emplace(PreDumped{std::move(dump.place), dump.seconds()});
  stop_processes();
}

void Keeper::dump(const KeeperOrder& order) {
  if (status_.state != KeeperState::stopped || order.attempt != status_.attempt) return;
  // What began since the last check. CRIU dumps some of what it cannot restore.
  if (const auto possible = dry_check(ProcessTree(init_).members(), init_); !possible) return fail(possible.error());
  const auto started = start_dump(order);
  if (started) {
    status_.state = KeeperState::dumping;
  } else {
    fail(started.error());
  }
}

tl::expected<DumpPlace, std::string> Keeper::make_place(std::uint32_t restarts, std::uint64_t bytes) const {
  const std::string scratch = options_.scratch.empty() ? std::string() : options_.scratch + "/" + files_->name();
  return DumpPlace::make(*store_, {program_, restarts, bytes, scratch});
}

// Its output goes to the work folder, and its log under this name. Not in the job's groups: its quota would slow criu.
tl::expected<pid_t, std::string> Keeper::start_criu(
    const std::vector<std::string>& words, const char* log,
    const std::function<tl::expected<void, std::string>()>& enter) const {
  ::unlink((files_->work() + "/" + log).c_str());
  const base::Fd output(::open((files_->work() + "/criu.out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  return start_command(words, output.get(), [&] {
    ::setpgid(0, 0);
    ::signal(SIGXFSZ, SIG_IGN);  // abandon_dump() has its writes fail
    take_turn();
    auto entered = enter();
    if (entered) remove_mount_point();
    return entered;
  });
}

tl::expected<void, std::string> Keeper::start_dump(const KeeperOrder& order) {
  auto before = std::exchange(pre_dumped_, std::nullopt);
  auto place =
      before ? std::move(before->place) : make_place(order.restarts, ProcessTree(init_).memory() + kImageOverhead);
  if (!place) return tl::unexpected(place.error());
  const CriuFolders folders{place->images(), files_->work()};
  const auto criu = start_criu(dump_command(options_.criu, folders, init_, streams_, before ? kParent : ""),
                               kCriuDumpLog, [&] { return enter_without_own_proc(init_); });
  if (!criu) return tl::unexpected(criu.error());
  dump_.emplace(Dump{*criu, Work::dump, std::move(*place), {}, order.restarts, order.programs, Clock::now()});
  if (before) dump_->pre_dump = before->seconds;
  return {};
}

void Keeper::fail_dump(const std::string& reason) {
  if (dump_->pre_dump && !dump_->abandoned) pre_dumps_ = false;
  dump_.reset();
  status_.state = KeeperState::stopped;
  fail(reason);
}

void Keeper::finish_dump(int status) {
  if (dump_->abandoned) return fail_dump(kGivenUp);
  if (status != 0) return fail_dump(criu_reason(criu_log(kCriuDumpLog)));
  // Before the image counts: from here on the processes never run past it.
  if (const auto held = hold_.take(ProcessTree(init_).members()); !held) return fail_dump(held.error());
  if (const auto started = start_commit(); !started) fail_dump(started.error());
}

tl::expected<Manifest, std::string> Keeper::complete_image(Manifest manifest) const {
  const DumpPlace& place = dump_->place;
  if (place.compressed()) {
    const auto bytes = pack_image(place.images(), place.part());
    if (!bytes) return tl::unexpected(bytes.error());
    manifest.unpacked = *bytes;
  }
  return store_->commit(place.part(), std::move(manifest));
}

// In a child, because it reads all of the image and waits for the disk, and we must hear if the attempt is given up.
tl::expected<void, std::string> Keeper::start_commit() {
  Manifest manifest;
  manifest.program = program_;
  manifest.attempt = status_.attempt;
  manifest.restarts = dump_->restarts;
  manifest.programs = dump_->programs;
  manifest.command = parts_.request.command;
  manifest.streams = streams_;
  manifest.stopped.assign(stopped_before_.begin(), stopped_before_.end());
  manifest.node = options_.node;
  manifest.taken = ::time(nullptr);
  manifest.seconds = dump_->seconds();
  const std::string result = files_->work() + "/commit";
  ::unlink(result.c_str());
  const pid_t child = ::fork();
  if (child < 0) return tl::unexpected(fmt::format("fork: {}", strerror(errno)));
  if (child == 0) {
    const auto complete = complete_image(std::move(manifest));
    const base::Fd out(::open(result.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    (void)base::write_all(out.get(), complete ? std::to_string(complete->bytes()) : complete.error());
    ::_exit(complete ? 0 : 1);
  }
  dump_->worker = child;
  dump_->work = Work::complete;
  return {};
}

void Keeper::finish_commit(int status) {
  const std::string said = text_of(files_->work() + "/commit");
  if (dump_->abandoned || status != 0) {
    // It may have been complete before it was given up.
    dumped_run_ = dump_->restarts;
    discard_image();
    return fail_dump(dump_->abandoned ? kGivenUp : said.empty() ? "its image was not completed" : said);
  }
  const Dump dump = std::move(*dump_);
  dump_.reset();
  // The one before it stays, should this one not be restored.
  const auto older = store_->images_of(program_, dump.restarts);
  for (std::size_t i = 1; i < older.size(); ++i) store_->discard(older[i].folder);
  status_.state = KeeperState::dumped;
  dumped_run_ = dump.restarts;
  status_.bytes = std::strtoull(said.c_str(), nullptr, 10);
  status_.seconds = dump.seconds();
}

// Before the program goes on: what it does from now on is not in the image, and must not be done again by a restore.
void Keeper::discard_image() {
  for (const ImageStore::Found& image : store_->images_of(program_, dumped_run_ + 1)) {
    if (image.restarts == dumped_run_) store_->discard(image.folder);
  }
}

// criu puts the processes in order again if a write fails, so its next one does. Only if it does not end by that, it is
// killed. A child that completes the image touches no process.
void Keeper::abandon_dump() {
  if (dump_->abandoned) return;
  dump_->abandoned = Clock::now();
  if (dump_->work == Work::complete) {
    kill_worker(dump_->worker);
    return;
  }
  const rlimit none{0, 0};
  ::prlimit(dump_->worker, RLIMIT_FSIZE, &none, nullptr);
}

void Keeper::resume() {
  if (dump_) return abandon_dump();
  if (status_.state != KeeperState::stopped && status_.state != KeeperState::dumped) return;
  if (status_.state == KeeperState::dumped) discard_image();
  pre_dumped_.reset();
  hold_.let_go();
  const bool alive = ProcessTree(init_).program() > 0;
  if (const auto done = mount_own_proc_of(init_); !done && alive)
    send_answer(client_.get(), LaunchAnswer::message, "/proc shows the node's processes from now on: " + done.error());
  if (!suspended_) ProcessTree(init_).go_on(stopped_before_);
  status_.state = KeeperState::running;
  status_.outcome = {};
}

}  // namespace dfrs::shim
