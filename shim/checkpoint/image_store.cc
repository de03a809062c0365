// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/image_store.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/sha256.h"
#include "shim/checkpoint/private_folder.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.json";
constexpr const char* kPart = ".part";
constexpr const char* kPages = "pages-";  // CRIU's files with the memory
constexpr std::size_t kMostManifest = 16 << 20;

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint32_t> job_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("job-") ? number_of(std::string_view(name).substr(4)) : std::nullopt;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// All images and parts below a job's folder.
std::vector<fs::path> images_below(const fs::path& job) {
  std::vector<fs::path> all;
  for (const fs::path& run : folders_in(job)) {
    for (const fs::path& rank : folders_in(run)) {
      for (fs::path& image : folders_in(rank)) all.push_back(std::move(image));
    }
  }
  return all;
}

std::uint64_t bytes_in(const fs::path& image) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(image, error), end; !error && entry != end; entry.increment(error)) {
    struct stat about{};
    if (::lstat(entry->path().c_str(), &about) == 0) sum += static_cast<std::uint64_t>(about.st_blocks) * 512;
  }
  return sum;
}

// Whose image it is: the user id stands in the folder's group, for whom mode 0700 has no rights.
std::optional<std::uint32_t> owner_of(const fs::path& image) {
  struct stat about{};
  if (::lstat(image.c_str(), &about) != 0) return std::nullopt;
  return about.st_gid;
}

tl::expected<void, int> sync(const fs::path& path) {
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd || ::fsync(fd.get()) != 0) return tl::unexpected(errno);
  return {};
}

// Gives the disk back what holds only zeros, as much memory of programs does. A file system that cannot keeps it.
void make_sparse(const fs::path& path) {
  constexpr std::size_t kBlock = 4096;
  const base::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  std::vector<char> buffer(256 * kBlock);
  const std::vector<char> zeros(kBlock);
  off_t at = 0;
  off_t empty_from = 0;  // as far as `at` all is zero
  const auto punch = [&](off_t end) {
    return end == empty_from ||
           ::fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, empty_from, end - empty_from) == 0;
  };
  for (ssize_t got = 0; (got = ::pread(fd.get(), buffer.data(), buffer.size(), at)) > 0;) {
    for (std::size_t begin = 0; begin < static_cast<std::size_t>(got); begin += kBlock) {
      const std::size_t size = std::min(kBlock, static_cast<std::size_t>(got) - begin);
      if (memcmp(buffer.data() + begin, zeros.data(), size) != 0) {
        if (!punch(at)) return;
        empty_from = at + static_cast<off_t>(size);
      }
      at += static_cast<off_t>(size);
    }
  }
  (void)punch(at);
}

// When the youngest of these was made, in seconds since 1970.
std::int64_t newest_of(const std::vector<fs::path>& images) {
  std::int64_t newest = 0;
  for (const fs::path& image : images) {
    struct stat about{};
    if (::lstat(image.c_str(), &about) == 0) newest = std::max<std::int64_t>(newest, about.st_mtime);
  }
  return newest;
}

tl::expected<Manifest, std::string> read_manifest(int folder, const ImageKey& key) {
  const auto text = base::read_file_at(folder, kManifest, kMostManifest);
  if (!text) return tl::unexpected(fmt::format("{} cannot be read", kManifest));
  return unseal(*text, key);
}

// Error: something is in there that does not belong to the image. CRIU takes what it finds.
tl::expected<void, std::string> check_names(int folder, const Manifest& manifest) {
  std::set<std::string> known{kManifest};
  for (const ImageFile& file : manifest.files) {
    known.insert(file.name);
    known.insert(file.name.substr(0, file.name.find('/')));
  }
  const auto check = [&](int in, const std::string& before) -> tl::expected<void, std::string> {
    const auto names = base::list_folder(in);
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      if (const std::string name = before + (*names)[i]; !known.contains(name))
        return tl::unexpected(fmt::format("{} does not belong to the image", name));
    }
    return {};
  };
  if (auto checked = check(folder, ""); !checked || !known.contains(kParent)) return checked;
  const auto parent = base::open_folder(folder, kParent);
  if (!parent) return tl::unexpected(fmt::format("{} is no folder", kParent));
  return check(parent->get(), std::string(kParent) + "/");
}

bool has_its_size(const fs::path& folder, const ImageFile& file) {
  const fs::path path = folder / file.name;
  std::error_code error;
  return !fs::is_symlink(path, error) && fs::file_size(path, error) == file.size && !error;
}

}  // namespace

tl::expected<ImageStore, std::string> ImageStore::open(const std::string& folder, ImageKey key, StoreLimits limits) {
  if (auto made = make_private_folder(folder, "--checkpoint-folder"); !made) return tl::unexpected(made.error());
  return ImageStore(folder, std::move(key), limits);
}

std::string ImageStore::place(const ProgramId& program, std::uint32_t restarts) const {
  return fmt::format("{}/job-{}/{}/{}/{}", folder_, program.job, restarts, program.rank, program.slot);
}

tl::expected<std::string, std::string> ImageStore::begin(const ProgramId& program, std::uint32_t restarts,
                                                         std::uint64_t bytes) const {
  if (limits_.bytes != 0 || limits_.user_bytes != 0) {
    const Use now = use(program.uid);
    if (limits_.user_bytes != 0 && now.user_bytes + bytes > limits_.user_bytes)
      return tl::unexpected(fmt::format("the user's images may take {} ({} are in use, this one takes up to {})",
                                        mib(limits_.user_bytes), mib(now.user_bytes), mib(bytes)));
    if (limits_.bytes != 0 && now.bytes + bytes > limits_.bytes)
      return tl::unexpected(fmt::format("images may take {} ({} are in use, this one takes up to {})",
                                        mib(limits_.bytes), mib(now.bytes), mib(bytes)));
  }
  if (auto room = check_room(folder_, bytes); !room) return tl::unexpected(room.error());
  const std::string part = place(program, restarts) + kPart;
  std::error_code error;
  fs::remove_all(part, error);
  fs::create_directories(part, error);
  if (error) return tl::unexpected(fmt::format("{}: {}", part, error.message()));
  if (::chmod(part.c_str(), 0700) != 0 || ::chown(part.c_str(), geteuid(), program.uid) != 0)
    return tl::unexpected(fmt::format("{}: {}", part, strerror(errno)));
  return part;
}

tl::expected<Manifest, std::string> ImageStore::commit(const std::string& part, Manifest manifest) const {
  const auto failed = [&](const fs::path& path, int error) {
    discard(part);
    return tl::unexpected(fmt::format("{}: {}", path.string(), strerror(error)));
  };
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(part, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->is_directory(error)) paths.push_back(entry->path());
  }
  if (error) return failed(part, error.value());
  std::sort(paths.begin(), paths.end());
  manifest.files.clear();
  for (const fs::path& path : paths) {
    if (::chmod(path.c_str(), 0600) != 0) return failed(path, errno);
    if (manifest.unpacked == 0 && path.filename().string().starts_with(kPages)) make_sparse(path);
    std::ifstream in(path, std::ios::binary);
    const std::string sum = base::sha256_hex(in);
    if (in.bad()) return failed(path, EIO);
    manifest.files.push_back({path.lexically_relative(part).string(), fs::file_size(path, error), sum});
    if (error) return failed(path, error.value());
    if (const auto done = sync(path); !done) return failed(path, done.error());
  }
  const auto folder = base::open_folder(AT_FDCWD, part);
  if (!folder) return failed(part, folder.error());
  if (const fs::path parent = fs::path(part) / kParent; fs::exists(parent, error)) {
    if (const auto done = sync(parent); !done) return failed(parent, done.error());
  }
  if (const auto done = base::replace_file_at(folder->get(), kManifest, seal(manifest, key_), 0600); !done)
    return failed(fs::path(part) / kManifest, done.error());
  if (const auto done = sync(fs::path(part) / kManifest); !done) return failed(part, done.error());
  if (const auto done = sync(part); !done) return failed(part, done.error());
  const std::string complete = part.substr(0, part.size() - strlen(kPart));
  fs::remove_all(complete, error);
  if (::rename(part.c_str(), complete.c_str()) != 0) return failed(complete, errno);
  if (const auto done = sync(fs::path(complete).parent_path()); !done) return failed(complete, done.error());
  return manifest;
}

void ImageStore::discard(const std::string& part) const {
  std::error_code ignored;
  fs::remove_all(part, ignored);
}

std::vector<ImageStore::Found> ImageStore::images_of(const ProgramId& program, std::uint32_t before) const {
  std::vector<Found> found;
  for (const fs::path& run : folders_in(fmt::format("{}/job-{}", folder_, program.job))) {
    const auto restarts = number_of(run.filename().string());
    if (!restarts || *restarts >= before) continue;
    const std::string folder = place(program, *restarts);
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) found.push_back({folder, *restarts});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.restarts > b.restarts; });
  return found;
}

tl::expected<Manifest, std::string> ImageStore::inspect(const std::string& folder, const ProgramId& program,
                                                        std::uint32_t restarts) const {
  const auto handle = base::open_folder(AT_FDCWD, folder);
  if (!handle) return tl::unexpected(fmt::format("{} cannot be read", folder));
  auto manifest = read_manifest(handle->get(), key_);
  if (!manifest) return tl::unexpected(fmt::format("{}: {}", folder, manifest.error()));
  if (manifest->program.uid != program.uid)
    return tl::unexpected(
        fmt::format("{}: it belongs to user id {}, not {}", folder, manifest->program.uid, program.uid));
  if (manifest->program != program || manifest->restarts != restarts)
    return tl::unexpected(fmt::format("{}: it belongs to another program: run {} of job {}, rank {}, {}", folder,
                                      manifest->restarts, manifest->program.job, manifest->program.rank,
                                      manifest->program.slot));
  if (const auto checked = check_names(handle->get(), *manifest); !checked)
    return tl::unexpected(fmt::format("{}: {}", folder, checked.error()));
  for (const ImageFile& file : manifest->files) {
    if (!has_its_size(folder, file))
      return tl::unexpected(fmt::format("{}: {} is missing or truncated", folder, file.name));
  }
  return *manifest;
}

tl::expected<void, std::string> ImageStore::verify(const std::string& folder, const Manifest& manifest) const {
  for (const ImageFile& file : manifest.files) {
    std::ifstream in(fs::path(folder) / file.name, std::ios::binary);
    if (base::sha256_hex(in) != file.sha256)
      return tl::unexpected(fmt::format("{}: {} was changed after the dump", folder, file.name));
  }
  return {};
}

tl::expected<void, std::string> ImageStore::check_whole(const Manifest& manifest, std::uint32_t run) const {
  if (manifest.programs <= 1) return {};
  const auto runs =
      base::open_folder(AT_FDCWD, fmt::format("{}/job-{}/{}", folder_, manifest.program.job, manifest.restarts));
  if (!runs) return tl::unexpected(fmt::format("its folder cannot be read: {}", strerror(runs.error())));
  const std::string marker = fmt::format("whole-{}", run);
  const std::string mac =
      key_.mac(fmt::format("whole {} {} {} {}", manifest.program.job, manifest.restarts, manifest.attempt, run));
  if (base::read_file_at(runs->get(), marker, 256) == mac) return {};
  std::uint32_t found = 0;
  for (const fs::path& rank :
       folders_in(fmt::format("{}/job-{}/{}", folder_, manifest.program.job, manifest.restarts))) {
    for (const fs::path& image : folders_in(rank)) {
      const auto handle = base::open_folder(AT_FDCWD, image.string());
      if (!handle || image.string().ends_with(kPart)) continue;
      const auto other = read_manifest(handle->get(), key_);
      const bool of_attempt = other && other->program.job == manifest.program.job &&
                              other->program.uid == manifest.program.uid && other->attempt == manifest.attempt &&
                              other->restarts == manifest.restarts &&
                              fs::path(place(other->program, other->restarts)) == image;
      if (of_attempt && std::all_of(other->files.begin(), other->files.end(),
                                    [&](const ImageFile& file) { return has_its_size(image, file); }))
        ++found;
    }
  }
  if (found == manifest.programs) {
    (void)base::replace_file_at(runs->get(), marker, mac, 0600);
    return {};
  }
  return tl::unexpected(
      fmt::format("{} of the job's {} programs have an image of that instant", found, manifest.programs));
}

void ImageStore::remove(const ProgramId& program) const {
  const fs::path job = fmt::format("{}/job-{}", folder_, program.job);
  for (const fs::path& run : folders_in(job)) {
    const auto restarts = number_of(run.filename().string());
    if (!restarts) continue;
    std::error_code ignored;
    const std::string image = place(program, *restarts);
    fs::remove_all(image, ignored);
    fs::remove_all(image + kPart, ignored);
    fs::remove_all(image + kUnpacked, ignored);
    fs::remove(run / std::to_string(program.rank), ignored);  // if nothing else is in there
    if (folders_in(run).empty()) fs::remove_all(run, ignored);
  }
  std::error_code ignored;
  fs::remove(job, ignored);
}

std::size_t ImageStore::remove_others(const std::set<std::uint32_t>& jobs, std::int64_t seconds) const {
  std::size_t removed = 0;
  const std::int64_t now = ::time(nullptr);
  for (const fs::path& folder : folders_in(folder_)) {
    const auto job = job_of(folder);
    if (!job || jobs.contains(*job)) continue;
    std::error_code error;
    if (newest_of(images_below(folder)) <= now - seconds && fs::remove_all(folder, error) > 0 && !error) ++removed;
  }
  return removed;
}

std::optional<std::uint32_t> ImageStore::remove_oldest_other(const std::set<std::uint32_t>& jobs,
                                                             std::int64_t seconds) const {
  std::int64_t oldest = ::time(nullptr) - seconds;
  fs::path found;
  for (const fs::path& folder : folders_in(folder_)) {
    const auto job = job_of(folder);
    if (!job || jobs.contains(*job)) continue;
    const std::int64_t newest = newest_of(images_below(folder));
    if (newest > oldest) continue;
    oldest = newest;
    found = folder;
  }
  if (found.empty()) return std::nullopt;
  std::error_code error;
  fs::remove_all(found, error);
  return error ? std::nullopt : job_of(found);
}

ImageStore::Use ImageStore::use(std::uint32_t uid) const {
  Use use;
  for (const fs::path& job : folders_in(folder_)) {
    for (const fs::path& image : images_below(job)) {
      const std::uint64_t bytes = bytes_in(image);
      use.bytes += bytes;
      if (owner_of(image) == uid) use.user_bytes += bytes;
    }
  }
  return use;
}

}  // namespace dfrs::shim
