// SPDX-License-Identifier: GPL-2.0-or-later
// How a keeper stops its program, has it dumped, and lets it go on.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "shim/checkpoint/criu.h"
#include "shim/checkpoint/dry_check.h"
#include "shim/checkpoint/keeper.h"
#include "shim/checkpoint/own_mounts.h"
#include "shim/checkpoint/start_program.h"

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStopPatience{5000};
constexpr int kMostStops = 10;
constexpr milliseconds kBetweenStops{5};
constexpr const char* kGivenUp = "the attempt was given up";
constexpr const char* kCommitted = "commit";  // file of the work folder: bytes of the image, or why it is none
constexpr std::uint64_t kImageOverhead = std::uint64_t{4} << 20;

}  // namespace

double Keeper::Dump::seconds() const { return since(begun) + pre_dump.value_or(0); }

// The worker's children would keep the lock of take_turn(). It may not have its process group yet.
void Keeper::Dump::kill() const {
  if (::kill(-worker, SIGKILL) != 0) ::kill(worker, SIGKILL);
}

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
  const base::Fd output(
      ::open((files_->work() + "/" + kCriuOutput).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
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
  const std::string result = files_->work() + "/" + kCommitted;
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
  const std::string said = work_text(kCommitted);
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
    dump_->kill();
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
