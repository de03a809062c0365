// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/checkpointer.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "base/process.h"
#include "base/signals.h"
#include "shim/checkpoint/keeper_files.h"
#include "shim/checkpoint/packed_image.h"

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kBusy{50};  // between rounds while an attempt is under way
constexpr milliseconds kIdle{1000};
constexpr seconds kCheckEvery{5};
constexpr seconds kStartPatience{15};   // until a job has come to its dfrs-run
constexpr seconds kBetweenPrograms{1};  // from the end of a dfrs-run to that of the job, or to the next
constexpr seconds kUnordered{60};       // then a dumped job that is still here goes on
constexpr double kRestoredShown = 20;   // s for which a report says so
constexpr seconds kCleanEvery{600};
constexpr std::int64_t kYoung = 600;  // s for which an image stays though Slurm does not know its job
constexpr seconds kSqueuePatience{20};
constexpr const char* kNotOurs =
    "none of its processes was started by dfrs-run: put dfrs-run before the program in the job's script";

std::uint32_t job_of(const std::string& name) {
  std::uint32_t job = 0;
  std::from_chars(name.data(), name.data() + name.size(), job);
  return job;
}

tl::expected<base::Fd, int> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return tl::unexpected(ENAMETOOLONG);
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  base::Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return tl::unexpected(errno);
  return socket;
}

}  // namespace

Checkpointer::Checkpointer(CheckpointerOptions options)
    : options_(std::move(options)),
      clean_at_(Clock::now() + kIdle),
      thread_(base::thread_without_signals([this] { run(); })) {}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Checkpointer::set_desired(const std::vector<JobQuota>& jobs) {
  {
    const std::lock_guard lock(mutex_);
    desired_ = jobs;
    news_ = true;
    if (options_.possible) mark_restoring(jobs);
  }
  changed_.notify_all();
}

// Before this call returns, for the job's processes may start at once.
void Checkpointer::mark_restoring(const std::vector<JobQuota>& jobs) {
  std::set<std::uint32_t> now;
  for (const JobQuota& job : jobs) {
    if (job.restoring) now.insert(job.job_id);
  }
  const auto path = [&](std::uint32_t job) {
    return fmt::format("{}/{}/{}{}", options_.run_dir, kProgramsFolder, job, kRestoring);
  };
  for (const std::uint32_t job : restoring_) {
    if (!now.contains(job)) ::unlink(path(job).c_str());
  }
  for (const std::uint32_t job : now) {
    if (!restoring_.contains(job))
      base::Fd(::open(path(job).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  }
  restoring_ = std::move(now);
}

std::optional<CheckpointReport> Checkpointer::report(std::uint32_t job) const {
  const std::lock_guard lock(mutex_);
  const auto found = reports_.find(job);
  return found != reports_.end() ? std::optional(found->second) : std::nullopt;
}

void Checkpointer::run() {
  milliseconds pause = kBusy;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, pause, [&] { return end_ || news_; });
      if (end_) return;
      news_ = false;
    }
    pause = round() ? kBusy : kIdle;
  }
}

// Whether an attempt is under way.
bool Checkpointer::round() {
  std::vector<JobQuota> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs = desired_;
  }
  if (options_.possible) find_links();
  release_unordered(jobs);
  std::map<std::uint32_t, CheckpointReport> reports;
  bool busy = false;
  std::set<std::uint32_t> present;
  for (const JobQuota& job : jobs) {
    present.insert(job.job_id);
    watches_.try_emplace(job.job_id, Watch{Clock::now(), {}, {}, 0, {}});
    busy = busy || job.checkpoint;
    auto report = job.checkpoint ? follow(job, *job.checkpoint) : watch(job);
    if (report) reports[job.job_id] = std::move(*report);
  }
  std::erase_if(watches_, [&](const auto& watch) { return !present.contains(watch.first); });
  {
    const std::lock_guard lock(mutex_);
    reports_ = std::move(reports);
  }
  if (!busy && Clock::now() > clean_at_) remove_old_images();
  return busy;
}

void Checkpointer::find_links() {
  // First, for the next program of a job may have its keeper at the path of one that has just ended.
  for (auto& [path, link] : links_) hear(link);
  std::erase_if(links_, [](const auto& link) { return link.second.closed; });
  const std::string folder = options_.run_dir + "/" + kProgramsFolder;
  const auto open = base::open_folder(AT_FDCWD, folder);
  const auto names = open ? base::list_folder(open->get()) : tl::unexpected(0);
  std::set<std::string> present;
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    if (!name.ends_with(".sock")) continue;
    const std::string path = folder + "/" + name;
    present.insert(path);
    if (links_.contains(path)) continue;
    auto socket = connect_to(path);
    if (socket) {
      Link& link = links_[path];
      link.socket = std::move(*socket);
      link.job = job_of(name);
    } else if (socket.error() == ECONNREFUSED) {
      if (remove_files_of_dead(path) && options_.log)
        options_.log(fmt::format("job {}: a keeper was killed: ended its program", job_of(name)));
    }
  }
  std::erase_if(links_, [&](const auto& link) { return !present.contains(link.first); });
}

void Checkpointer::ask(Link& link, const KeeperOrder& order) {
  if (link.waiting || link.closed) return;
  const std::string text = format_order(order);
  if (::send(link.socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    link.closed = errno != EAGAIN;
    return;
  }
  link.waiting = true;
  link.asked = order.what;
}

void Checkpointer::hear(Link& link) {
  char packet[kMostPacket];
  const ssize_t got = ::recv(link.socket.get(), packet, sizeof packet, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  link.waiting = false;
  if (got <= 0) {
    link.closed = true;
    return;
  }
  auto status = parse_status({packet, static_cast<std::size_t>(got)});
  if (!status) return;
  if (link.asked == KeeperDo::check) link.checked = status;
  link.status = std::move(status);
}

std::vector<Checkpointer::Link*> Checkpointer::links_of(std::uint32_t job) {
  std::vector<Link*> found;
  for (auto& [path, link] : links_) {
    if (link.job == job && !link.closed) found.push_back(&link);
  }
  return found;
}

CheckpointReport Checkpointer::fail(const JobQuota& job, const CheckpointOrder& order, const std::string& reason) {
  Watch& watch = watches_[job.job_id];
  if (watch.failed != order.attempt && options_.log)
    options_.log(fmt::format("job {}: the attempt {} to checkpoint it failed: {}", job.job_id, order.attempt, reason));
  watch.failed = order.attempt;
  watch.reason = reason;
  return {order.attempt, CheckpointState::kFailed, reason, 0, 0};
}

std::optional<CheckpointReport> Checkpointer::follow(const JobQuota& job, const CheckpointOrder& order) {
  Watch& watch = watches_[job.job_id];
  watch.unordered.reset();
  const std::vector<Link*> links = links_of(job.job_id);
  const bool failed = watch.failed == order.attempt;
  if (failed || order.phase == CheckpointPhase::kResume) {
    bool all = true;
    for (Link* const link : links) {
      ask(*link, {KeeperDo::resume, order.attempt, order.restarts, 0, job.suspended});
      const auto& status = link->status;
      all = all && status && (status->state == KeeperState::running || status->state == KeeperState::failed);
    }
    if (failed && order.phase != CheckpointPhase::kResume)
      return CheckpointReport{order.attempt, CheckpointState::kFailed, watch.reason, 0, 0};
    if (!all) return std::nullopt;
    return CheckpointReport{order.attempt, CheckpointState::kResumed, {}, 0, 0};
  }
  if (!options_.possible) return fail(job, order, options_.possible.error());
  if (order.folder != options_.folder)
    return fail(job, order,
                fmt::format("CheckpointFolder of dfrs.conf is {}, but dfrsd of this node has --checkpoint-folder {}",
                            order.folder, options_.folder));
  if (links.empty() && options_.has_processes(job.job_id)) {
    if (!watch.without) watch.without = Clock::now();
    if (Clock::now() - *watch.without < kBetweenPrograms) return std::nullopt;
    return fail(job, order, kNotOurs);
  }
  watch.without.reset();
  CheckpointReport report{order.attempt, CheckpointState::kDumped, {}, 0, 0};
  report.programs = static_cast<std::uint32_t>(links.size());
  bool pre_dumping = false;
  for (Link* const link : links) {
    const auto& status = link->status;
    const bool joined = status && status->attempt == order.attempt;
    if (joined && status->state == KeeperState::failed) return fail(job, order, status->outcome.error());
    const bool dump = joined && order.phase == CheckpointPhase::kDump;
    ask(*link, {dump ? KeeperDo::dump : KeeperDo::stop, order.attempt, order.restarts, order.programs, job.suspended});
    if (!joined || status->state == KeeperState::running) return std::nullopt;
    pre_dumping = pre_dumping || status->state == KeeperState::pre_dumping;
    if (status->state != KeeperState::dumped) report.state = CheckpointState::kFrozen;
    report.bytes += status->bytes;
    report.seconds = std::max(report.seconds, status->seconds);
  }
  if (order.phase == CheckpointPhase::kFreeze) report.state = CheckpointState::kFrozen;
  if (pre_dumping) report.state = CheckpointState::kPreDumping;
  return report;
}

std::optional<CheckpointReport> Checkpointer::watch(const JobQuota& job) {
  watches_[job.job_id].without.reset();
  std::optional<CheckpointReport> report;
  const std::vector<Link*> links = links_of(job.job_id);
  for (Link* const link : links) {
    if (link->status && link->status->restored && link->status->restored->age < kRestoredShown) {
      const auto& restored = *link->status->restored;
      if (!report) report = CheckpointReport{restored.attempt, CheckpointState::kRestored, {}, 0, 0};
      report->bytes += restored.bytes;
      report->seconds = std::max(report->seconds, restored.seconds);
    }
  }
  const bool check = job.checkpointable && options_.possible;
  for (Link* const link : links) {
    const bool due = check && Clock::now() >= link->check_at;
    if (due && !link->waiting) link->check_at = Clock::now() + kCheckEvery;
    ask(*link, {due ? KeeperDo::check : KeeperDo::status, 0, 0, 0});
  }
  if (report || !job.checkpointable) return report;
  report = CheckpointReport{};
  const auto unable = [&](const std::string& reason) {
    report->state = CheckpointState::kUnable;
    report->reason = reason;
    return report;
  };
  if (!options_.possible) return unable(options_.possible.error());
  if (links.empty()) {
    if (Clock::now() - watches_[job.job_id].seen < kStartPatience) return std::nullopt;
    return options_.has_processes(job.job_id) ? unable(kNotOurs) : report;
  }
  for (const Link* const link : links) {
    if (!link->checked) return std::nullopt;
    if (!link->checked->outcome) return unable(link->checked->outcome.error());
    report->bytes += link->checked->bytes;
  }
  return report;
}

// A controller that was restarted may have forgotten its attempt. What is only stopped goes on at once. What has an
// image waits: the job may be on its way out.
void Checkpointer::release_unordered(const std::vector<JobQuota>& jobs) {
  std::set<std::uint32_t> ordered;
  std::set<std::uint32_t> present;
  for (const JobQuota& job : jobs) {
    present.insert(job.job_id);
    if (job.checkpoint) ordered.insert(job.job_id);
  }
  for (auto& [path, link] : links_) {
    if (ordered.contains(link.job) || link.closed) continue;
    if (!present.contains(link.job)) ask(link, {});
    if (!link.status) continue;
    if (in_attempt(link.status->state)) ask(link, {KeeperDo::resume, link.status->attempt, 0, 0});
    if (link.status->state != KeeperState::dumped || !present.contains(link.job)) continue;
    auto& since = watches_[link.job].unordered;
    if (!since) since = Clock::now();
    if (Clock::now() - *since > kUnordered) ask(link, {KeeperDo::resume, link.status->attempt, 0, 0});
  }
}

void Checkpointer::remove_old_images() {
  clean_at_ = Clock::now() + kCleanEvery;
  if (!options_.scratch.empty()) remove_scratch_of_dead(options_.scratch, options_.run_dir);
  if (options_.store == nullptr || options_.store->use(0).bytes == 0) return;
  const auto asked =
      base::run_program({.words = {"squeue", "--noheader", "--all", "--format=%A"}, .patience = kSqueuePatience});
  if (!asked || asked->exit_code != 0) return;  // then nobody knows which jobs have ended
  std::set<std::uint32_t> jobs;
  std::istringstream words(asked->out);
  for (std::string word; words >> word;) jobs.insert(job_of(word));
  if (const std::size_t removed = options_.store->remove_others(jobs, kYoung); removed > 0 && options_.log)
    options_.log(fmt::format("removed the images of {} ended jobs", removed));
}

}  // namespace dfrs::shim
