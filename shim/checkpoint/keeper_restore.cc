// SPDX-License-Identifier: GPL-2.0-or-later
// How a keeper continues its program from an image.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/process.h"
#include "shim/checkpoint/criu.h"
#include "shim/checkpoint/keeper.h"
#include "shim/checkpoint/own_mounts.h"
#include "shim/checkpoint/start_program.h"

namespace dfrs::shim {
namespace {

using std::chrono::seconds;

constexpr int kStreamBase = 100;           // where criu finds the new streams
constexpr seconds kRequeuePatience{20};    // for scontrol
constexpr seconds kEndOfRunPatience{120};  // for Slurm to end a run that it requeues

}  // namespace

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
  const base::Fd output(
      ::open((folders.work + "/" + kCriuOutput).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
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
  const auto restored = static_cast<pid_t>(std::atoi(work_text(kCriuPidFile).c_str()));
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

}  // namespace dfrs::shim
