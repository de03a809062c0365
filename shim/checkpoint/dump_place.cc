// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/dump_place.h"

#include <errno.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <chrono>
#include <set>
#include <sstream>
#include <utility>

#include "base/process.h"

namespace dfrs::shim {
namespace {

constexpr std::chrono::seconds kSlurmPatience{5};  // for squeue: the program may be stopped meanwhile
constexpr std::int64_t kYoung = 60;                // s for which an image stays though Slurm does not know its job

tl::expected<std::string, std::string> find_room(const ImageStore& store, const DumpPlace::Wanted& wanted) {
  auto part = store.begin(wanted.program, wanted.restarts, wanted.bytes);
  if (part || store.use(wanted.program.uid).bytes == 0) return part;
  const auto asked =
      base::run_program({.words = {"squeue", "--noheader", "--all", "--format=%A"}, .patience = kSlurmPatience});
  if (!asked || asked->exit_code != 0) return part;  // then nobody knows which jobs have ended
  std::set<std::uint32_t> jobs{wanted.program.job};
  std::istringstream words(asked->out);
  for (std::string word; words >> word;)
    jobs.insert(static_cast<std::uint32_t>(std::strtoul(word.c_str(), nullptr, 10)));
  while (!part && store.remove_oldest_other(jobs, kYoung))
    part = store.begin(wanted.program, wanted.restarts, wanted.bytes);
  return part;
}

}  // namespace

tl::expected<DumpPlace, std::string> DumpPlace::make(const ImageStore& store, const Wanted& wanted) {
  auto part = find_room(store, wanted);
  if (!part) return tl::unexpected(part.error());
  DumpPlace place(store, std::move(*part));
  if (wanted.scratch.empty()) return place;
  auto scratch = ScratchFolder::make(wanted.scratch, wanted.bytes);
  if (!scratch) return tl::unexpected(scratch.error());
  place.scratch_.emplace(std::move(*scratch));
  return place;
}

DumpPlace::DumpPlace(DumpPlace&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)),
      part_(std::move(other.part_)),
      scratch_(std::move(other.scratch_)) {}

DumpPlace::~DumpPlace() {
  if (store_ != nullptr) store_->discard(part_);
}

tl::expected<std::string, std::string> DumpPlace::add_parent() const {
  std::string folder = images() + "/" + kParent;
  if (::mkdir(folder.c_str(), 0700) != 0) return tl::unexpected(fmt::format("{}: {}", folder, strerror(errno)));
  return folder;
}

}  // namespace dfrs::shim
